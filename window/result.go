package window

import "reverie/memory"

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
