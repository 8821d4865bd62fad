package window

import (
	"slices"
	"strings"

	"reverie/memory"
	"reverie/memory/tokencount"
)

const (
	smallWindow  = 32_768 // tokens; below it, a larger share may be used before earlier turns are summarised
	smallShare   = .85    // of a small window, unless another share is set
	defaultShare = .75
	answerShare  = 20 // the window is divided by this to get the share reserved for the answer
)

// EstimateShare is the usable share of a window when tokens are estimated. Together with the reserve for the answer,
// everything fits as long as the model counts at most 1.24 times the estimate.
const EstimateShare = .85

// Fit builds a window.
//
// It works in stages, each only as far as needed to come down to the trigger (Settings.CompactShare of the window):
// tool results of old turns are trimmed, then cleared; then Compact requests a summary. With or without a summary,
// the result fits into the whole window: recalled memory is dropped first, then messages from the front together with
// their pairs, and the summary and the last two messages last. System prompt and current message are never changed;
// if they alone do not fit, the error is a *TooLargeError.
//
// A twentieth of the window is reserved for the answer, and more when tokens are estimated, unless system prompt,
// tools and current message need it.
//
// While a conversation grows, the beginning of the window stays identical byte for byte, except when a further group
// of results is trimmed or cleared, or a group of messages dropped: groups keep that rare. Recalled memory does not
// count for the trigger, so it does not change what precedes it.
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

// fit is a window under construction.
type fit struct {
	in    Input
	texts *counter

	max, limit, trigger int // tokens: available, usable, and the level above which a summary is due

	tools                          int
	system, summary, goal, current Message // without content if absent
	pieces                         []piece
	units                          []unit
	turns                          int              // first unit of the last turns, which stay verbatim
	last                           int              // first unit of the last two messages
	from                           int              // first unit in the window
	far                            int              // units before this one cannot fit and are not counted
	load                           int              // tokens of everything except recalled memory and gap notes
	saved                          int              // tokens saved by trimming, clearing and cutting
	over                           bool             // the trigger is exceeded even after trimming
	firsts                         map[string]int64 // first occurrence of each long result, by its text
	open                           Message          // note before the first message; without content if absent
}

func newFit(in Input) *fit {
	f := &fit{in: in, texts: newCounter(in.Count, len(in.History)+16)}
	f.tools = f.texts.tools(in.Tools)
	f.system = f.message(KindSystem, memory.RoleOfSystem, in.System)
	f.current = f.message(KindCurrent, memory.RoleOfUser, in.Current.Content)
	f.current.Name, f.current.Seq = in.Current.Name, in.Current.Seq
	if f.current.Tokens == 0 { // it is a message even without text
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

// message creates a message; without content it costs nothing.
func (f *fit) message(kind Kind, role, content string) Message {
	m := Message{Kind: kind, Role: role, Content: content}
	if strings.TrimSpace(content) != "" {
		m.Tokens = f.texts.message(m)
	}
	return m
}

// limits computes the sizes. An emergency level above 1 halves the window, but leaves room for what must be sent
// whole.
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
	if f.in.Estimated { // so that a turn can still continue without a summary
		f.limit = int(float64(f.limit) * EstimateShare)
		f.trigger = min(f.trigger, f.limit-f.max/answerShare)
	}
}

// needed returns the tokens of what is always sent.
func (f *fit) needed() int { return f.system.Tokens + f.tools + f.current.Tokens }

// lastTurns returns the unit with which the last turns begin; 0 if the conversation has no more turns.
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

// lastMessages returns the unit with which the last two messages begin.
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

// count counts the tokens of the messages, from the last one back, until older ones cannot fit even if every result
// is cleared.
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

// shrinks reports whether a piece is a tool result that may be trimmed.
func (p *piece) shrinks() bool { return p.tool != "" && p.source != nil && long(p.source.Content) }

// toolTokens is the cost of a tool's definition in addition to its texts.
const toolTokens = 12

// counter counts tokens and caches the count of each text.
type counter struct {
	of   func(string) int
	seen map[string]int
}

func newCounter(of func(string) int, texts int) *counter {
	if of == nil {
		of = tokencount.Estimate
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

// message returns the tokens of a message.
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

// result assembles the Result.
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

// recall adds recalled memory as far as there is room.
func (r *Result) recall(f *fit) {
	room := f.limit - f.load - memory.MessageOverhead
	budget := Budget{Own: min(f.in.Settings.AutoInjectMaxTokens, room)}
	budget.Provided = min(f.in.Settings.ProviderMaxTokens, room-budget.Own)
	if room <= 0 || budget.Own+budget.Provided <= 0 {
		r.Omitted = len(f.in.Recalled)
		return
	}
	text, used, omitted := Recall(f.in.Recalled, f.in.Now, budget, f.in.Settings.InjectShares, f.texts.count)
	r.Omitted = omitted
	if text == "" {
		return
	}
	m := f.message(KindRecall, memory.RoleOfUser, text)
	r.Messages, r.Recalled, r.Ledger.Recall = append(r.Messages, m), used, m.Tokens
}

// due determines which messages are not in the window, and what to do about them.
func (f *fit) due(r *Result) {
	r.Unsent = f.unsent()
	if r.Unsent > 0 {
		r.Ledger.Dropped = int(r.Unsent - f.in.SummaryTo)
	}
	old := max(f.before(f.turns), f.in.Older) // what may be summarised: everything but the last turns
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

// unsent returns the last message that the window does not contain.
func (f *fit) unsent() int64 {
	if last := max(f.before(f.from), f.in.Older); last > f.in.SummaryTo {
		return last
	}
	return 0
}

// before returns the last message before a unit, 0 if there is none.
func (f *fit) before(unit int) int64 {
	if unit == 0 {
		return 0
	}
	return f.units[unit-1].last
}

// flush returns up to where to flush, and why. Room is the number of tokens left, without the answer's reserve. A small
// window has less room by nature: it is not considered full before half of it is used.
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

// droppedTokens returns the tokens of the dropped messages. Those that were not counted are estimated.
func (f *fit) droppedTokens() int {
	n := 0
	for i, u := range f.units[:f.from] {
		n += u.tokens
		for j := u.from; i < f.far && j < u.to; j++ {
			n += memory.MessageOverhead
			if source := f.pieces[j].source; source != nil {
				n += tokencount.Estimate(source.Content)
			}
		}
	}
	return n
}
