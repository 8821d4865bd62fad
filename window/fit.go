package window

import (
	"slices"
	"strings"

	"reverie/memory"
)

const (
	smallWindow  = 32_768 // tokens; below it a larger share of the window may be used before earlier turns are summarised
	smallShare   = .85    // of a small window, unless another share is set
	defaultShare = .75
	answerShare  = 20 // one part of so many of the window is left for the answer
)

// EstimateShare is how much of a window may be used where tokens are estimated. With what is left for the answer, everything fits
// as long as a model counts no more than 1.24 times what was estimated.
const EstimateShare = .85

// Fit makes a window.
//
// Stages, each only as far as it is needed to come down to the trigger (Settings.CompactShare of the window): tool results of
// old turns are trimmed, then cleared; then Compact asks for a summary. Whatever was summarised or not, the result fits into
// the whole window: recalled memory goes first, then messages from the front together with their pairs, the summary and the
// last two messages last of all. System prompt and current message are never touched; when they alone do not fit the error is
// a *TooLargeError.
//
// A twentieth of the window is left for the answer, and where tokens are estimated so much more that the window still fits when
// the estimate is short, unless system prompt, tools and current message need it.
//
// What a window begins with stays the same, byte for byte, while a conversation grows, but where a further group of results is
// trimmed or cleared, or of messages left out: they are taken in groups so that it does not happen every turn. What is recalled
// does not count for the trigger, so that it changes nothing of what stands before it.
func Fit(in Input) (Result, error) {
	f := newFit(in)
	if needed := f.needed(); needed > f.max {
		return Result{}, &TooLargeError{Max: f.max, System: f.system.Tokens, Tools: f.tools, Current: f.current.Tokens}
	}
	f.count()
	f.relieve()
	f.squeeze()
	return f.result(), nil
}

// fit is a window in the making.
type fit struct {
	in    Input
	texts *counter

	max, limit, trigger int // tokens: that there are, that may be used, above which a summary is due

	tools                          int
	system, summary, goal, current Message // without content where there is none
	pieces                         []piece
	units                          []unit
	turns                          int              // the unit where the last turns begin, that stay verbatim
	last                           int              // the unit where the last two messages begin
	from                           int              // the first unit that is in the window
	far                            int              // units before this one cannot fit and are not counted
	load                           int              // tokens of everything but what is recalled, and notes of gaps
	saved                          int              // tokens by trimming, clearing and cutting
	over                           bool             // the trigger is passed, whatever was trimmed
	firsts                         map[string]int64 // where each long result stands first, by its text
	open                           Message          // the note before the first message; without content where there is none
}

func newFit(in Input) *fit {
	f := &fit{in: in, texts: newCounter(in.Count, len(in.History)+16)}
	f.tools = f.texts.tools(in.Tools)
	f.system = f.message(KindSystem, memory.RoleOfSystem, in.System)
	f.current = f.message(KindCurrent, memory.RoleOfUser, in.Current.Content)
	f.current.Name, f.current.Seq = in.Current.Name, in.Current.Seq
	if f.current.Tokens == 0 { // even without a text it is a message
		f.current.Tokens = memory.MessageOverhead
	}
	f.limits()
	if strings.TrimSpace(in.Summary) != "" {
		f.summary = f.message(KindSummary, memory.RoleOfUser, SummaryPrefix+"\n"+Escape(strings.TrimSpace(in.Summary)))
	}
	f.goal = f.message(KindGoal, memory.RoleOfUser, goal(in.Goal, in.Settings.GoalMaxTokens, f.texts.count))
	f.pieces, f.units = pair(in.History)
	f.turns, f.last = f.lastTurns(), f.lastMessages()
	return f
}

// message makes a message; without a text it is none.
func (f *fit) message(kind Kind, role, content string) Message {
	m := Message{Kind: kind, Role: role, Content: content}
	if strings.TrimSpace(content) != "" {
		m.Tokens = f.texts.message(m)
	}
	return m
}

// limits says how large the window is. An emergency beyond the first halves it, but what has to be sent whole keeps its room.
func (f *fit) limits() {
	s := f.in.Settings
	f.max = s.MaxTokens
	if f.in.Emergency > 1 {
		f.max = max(f.max>>min(f.in.Emergency-1, 30), min(f.needed(), f.max))
	}
	share := s.CompactShare
	if f.max < smallWindow && share == defaultShare {
		share = smallShare
	}
	f.limit = f.max - f.max/answerShare
	f.trigger = min(int(float64(f.max)*share), f.limit)
	if f.in.Estimated { // and a turn can still go on without a summary
		f.limit = int(float64(f.limit) * EstimateShare)
		f.trigger = min(f.trigger, f.limit-f.max/answerShare)
	}
}

// needed is what is sent whatever happens.
func (f *fit) needed() int { return f.system.Tokens + f.tools + f.current.Tokens }

// lastTurns is the unit with which the last turns of the conversation begin: 0 when it has no more of them.
func (f *fit) lastTurns() int {
	turns := max(f.in.Settings.KeepTurns, 0)
	if turns == 0 {
		return len(f.units)
	}
	for i, u := range slices.Backward(f.units) {
		if u.turn {
			if turns--; turns == 0 {
				return i
			}
		}
	}
	return 0
}

// lastMessages is the unit with which the last two messages begin.
func (f *fit) lastMessages() int {
	i := len(f.units)
	for messages := 0; i > 0 && messages < 2; i-- {
		for _, p := range f.pieces[f.units[i-1].from:f.units[i-1].to] {
			if p.source != nil {
				messages++
			}
		}
	}
	return i
}

// count counts what the conversation's messages cost, from the last one back, until it is clear that what is still older cannot
// be in the window: not even if every result were cleared.
func (f *fit) count() {
	f.load = f.needed() + f.summary.Tokens + f.goal.Tokens
	least := f.load
	for i := len(f.units) - 1; i >= 0; i-- {
		u := &f.units[i]
		if i < f.turns && i < f.last && least > f.limit {
			f.far, f.from = i+1, i+1
			break
		}
		for j := u.from; j < u.to; j++ {
			p := &f.pieces[j]
			p.render()
			p.whole = f.texts.message(p.Message)
			p.Tokens = p.whole
			u.tokens += p.whole
			if p.shrinks() {
				least += memory.MessageOverhead
			} else {
				least += p.whole
			}
		}
		f.load += u.tokens
	}
}

// shrinks reports whether a piece is a tool's result that may be trimmed.
func (p *piece) shrinks() bool { return p.tool != "" && p.source != nil && long(p.source.Content) }

// toolTokens is what a tool's definition costs beside its texts.
const toolTokens = 12

// counter counts each text once.
type counter struct {
	of   func(string) int
	seen map[string]int
}

func newCounter(of func(string) int, texts int) *counter {
	if of == nil {
		of = memory.EstimateTokens
	}
	return &counter{of: of, seen: make(map[string]int, texts)}
}

func (c *counter) count(text string) int {
	if text == "" {
		return 0
	}
	n, ok := c.seen[text]
	if !ok {
		n = c.of(text)
		c.seen[text] = n
	}
	return n
}

// message is what a message costs.
func (c *counter) message(m Message) int {
	return memory.MessageTokens(m.Content, m.ToolCalls, c.count)
}

func (c *counter) tools(tools []Tool) int {
	n := 0
	for _, t := range tools {
		n += c.count(t.Name+t.Description+string(t.Parameters)) + toolTokens
	}
	return n
}

// result writes the window down.
func (f *fit) result() Result {
	r := Result{Ledger: Ledger{
		Max: f.max, Trigger: f.trigger, System: f.system.Tokens, Tools: f.tools, Summary: f.summary.Tokens, Goal: f.goal.Tokens,
		Gap: f.open.Tokens, Current: f.current.Tokens, Saved: f.saved,
	}}
	r.Messages = make([]Message, 0, len(f.pieces)+5)
	for _, m := range []Message{f.system, f.summary, f.goal, f.open} {
		if m.Tokens > 0 {
			r.Messages = append(r.Messages, m)
		}
	}
	for _, u := range f.units[f.from:] {
		for _, p := range f.pieces[u.from:u.to] {
			r.Messages = append(r.Messages, p.Message)
			r.Ledger.add(p)
		}
	}
	r.recall(f)
	r.Messages = append(r.Messages, f.current)
	f.due(&r)
	r.Ledger.Used = f.load + r.Ledger.Recall
	r.Ledger.Saved += f.droppedTokens()
	return r
}

// add accounts for a message of the conversation.
func (l *Ledger) add(p piece) {
	l.History += p.Tokens
	if p.source != nil {
		l.Messages++
	}
	switch p.Cut {
	case CutTrimmed:
		l.Trimmed++
	case CutCleared:
		l.Cleared++
	case CutNot:
	}
}

// recall adds what memory recalls, as far as there is room for it.
func (r *Result) recall(f *fit) {
	budget := min(f.in.Settings.AutoInjectMaxTokens, f.limit-f.load-memory.MessageOverhead)
	if budget <= 0 || len(f.in.Recalled) == 0 {
		return
	}
	text, used := Recall(f.in.Recalled, f.in.Now, budget, f.texts.count)
	if text == "" {
		return
	}
	m := f.message(KindRecall, memory.RoleOfUser, text)
	r.Messages, r.Recalled, r.Ledger.Recall = append(r.Messages, m), used, m.Tokens
}

// due says what is not in the window, and what has to be done about it.
func (f *fit) due(r *Result) {
	r.Unsent = f.unsent()
	if r.Unsent > 0 {
		r.Ledger.Dropped = int(r.Unsent - f.in.SummaryTo)
	}
	old := max(f.before(f.turns), f.in.Older) // what may be summarised: all but the last turns
	if f.over || r.Unsent > 0 {
		r.Compact = old
		if r.Unsent > old && f.limit-f.needed() > f.in.Settings.SummaryMaxTokens+memory.MessageOverhead {
			r.Compact = r.Unsent // not even the last turns fit, but their summary will
		}
	}
	if r.Compact <= f.in.SummaryTo {
		r.Compact = 0
	}
	r.Flush, r.Why = f.flush(old, r.Compact)
}

// unsent is the last message that the window does not have.
func (f *fit) unsent() int64 {
	if last := max(f.before(f.from), f.in.Older); last > f.in.SummaryTo {
		return last
	}
	return 0
}

// before is the last message before a unit, 0 if there is none.
func (f *fit) before(unit int) int64 {
	if unit == 0 {
		return 0
	}
	return f.units[unit-1].last
}

// flush says up to where to flush, and why. The room that is left is what may still be used, without the answer's. A small window
// has less room by nature: it is not full before half of it is used.
func (f *fit) flush(old, compact int64) (to int64, why FlushReason) {
	s := f.in.Settings
	switch {
	case compact > f.in.Flushed:
		return compact, FlushCompact
	case old <= f.in.Flushed:
		return 0, ""
	case f.limit-f.load < min(s.FlushSoftTokens, f.limit/2):
		return old, FlushRoom
	case float64(f.load) > s.FlushShare*float64(f.max):
		return old, FlushShare
	case f.in.Unflushed.Messages > s.FlushMessages:
		return old, FlushMessages
	case f.in.Unflushed.Bytes > int64(s.FlushBytes):
		return old, FlushBytes
	}
	return 0, ""
}

// droppedTokens is what the messages that are left out would have cost. Those that were not even counted are estimated.
func (f *fit) droppedTokens() int {
	n := 0
	for i, u := range f.units[:f.from] {
		n += u.tokens
		for j := u.from; i < f.far && j < u.to; j++ {
			n += memory.MessageOverhead
			if source := f.pieces[j].source; source != nil {
				n += memory.EstimateTokens(source.Content)
			}
		}
	}
	return n
}
