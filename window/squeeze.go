package window

import (
	"slices"
	"strings"

	"reverie/memory"
)

const (
	dropBlock = 8  // messages; what leaves a window from the front leaves it in blocks of so many
	leastCut  = 24 // tokens of a message that are worth sending when it is cut
	tailShare = 4  // one part of so many of the room is for the last two messages, however long the summary is
)

// squeeze makes what there is fit into the window: step by step, each only when those before did not do.
func (f *fit) squeeze() {
	verbatim := min(f.turns, f.last)
	if f.in.Emergency > 0 {
		f.drop(verbatim)
	}
	f.dropOld(verbatim)
	steps := []func(){
		func() { f.shortenAll(f.from, f.last) },
		func() { f.dropOne(f.last) },
		f.dropGoal,
		func() { f.shortenAll(f.from, len(f.units)) },
		f.shortenCalls,
		f.cutTail,
		func() { f.shortenSummary(f.limit - f.needed()) }, // nothing else is left beside what has to be sent
	}
	for _, step := range steps {
		if f.fits() {
			break
		}
		step()
	}
	lost := strings.TrimSpace(f.in.Summary) != "" && f.summary.Tokens == 0
	if open := f.opening(f.from); f.load+open.Tokens <= f.limit && !lost { // else nothing is left that it could stand before
		f.open = open
		f.load += open.Tokens
	}
}

// fits reports whether what is left fits with the note that stands before it.
func (f *fit) fits() bool { return f.sum(f.from) <= f.limit || f.load == f.needed() }

// sum is what the window costs when it begins with a unit.
func (f *fit) sum(from int) int {
	n := f.load
	for _, u := range f.units[f.from:from] {
		n -= u.tokens
	}
	if from < len(f.units) {
		n += f.opening(from).Tokens
	}
	return n
}

// opening is the note before a window's first message of the conversation: that messages are left out, or that the assistant
// spoke first, since providers want a user's message behind the system prompt.
func (f *fit) opening(from int) Message {
	if from > 0 || f.in.Older > f.in.SummaryTo {
		return f.message(KindGap, memory.RoleOfUser, GapNote)
	}
	if f.summary.Tokens > 0 || f.goal.Tokens > 0 {
		return Message{}
	}
	if len(f.pieces) > 0 && f.pieces[0].Role == memory.RoleOfAssistant {
		return f.message(KindGap, memory.RoleOfUser, OpeningNote)
	}
	return Message{}
}

// drop leaves out the units before one.
func (f *fit) drop(from int) {
	for ; f.from < from; f.from++ {
		f.load -= f.units[f.from].tokens
	}
}

// dropOld leaves out as few of the first units as needed, but none from the last turns on. It stops at the end of a block of
// messages, so that the next turns begin with the same one.
func (f *fit) dropOld(last int) {
	f.dropOne(last)
	for f.from > 0 && f.from < last && f.block(f.from) == f.block(f.from-1) {
		f.drop(f.from + 1)
	}
}

func (f *fit) block(unit int) int64 { return (f.units[unit].first - 1) / dropBlock }

// dropOne leaves out units one by one.
func (f *fit) dropOne(last int) {
	for f.from < last && !f.fits() {
		f.drop(f.from + 1)
	}
}

func (f *fit) dropGoal() {
	f.load -= f.goal.Tokens
	f.saved += f.goal.Tokens
	f.goal = Message{}
}

// shortenAll trims, then clears, results of tools, oldest first.
func (f *fit) shortenAll(from, to int) {
	if from >= to {
		return
	}
	results := f.results(from, to)
	for _, how := range []func(*piece){f.trim, f.clear} {
		for _, j := range results {
			if f.fits() {
				return
			}
			f.shorten(j, how)
		}
	}
}

// shortenCalls takes long arguments out of calls.
func (f *fit) shortenCalls() {
	for _, u := range f.units[f.from:] {
		for j := u.from; j < u.to; j++ {
			f.shorten(j, func(p *piece) {
				p.ToolCalls = slices.Clone(p.ToolCalls)
				for i, call := range p.ToolCalls {
					if long(call.Arguments) {
						p.ToolCalls[i].Arguments = `{"left_out":"the arguments of this call were too long"}`
						p.Cut = CutTrimmed
					}
				}
			})
		}
	}
}

// cutTail cuts the last messages in their middle and, when they would have hardly any room beside it, the summary at its end.
// Messages of which too little would remain are left out after all, the older one first; the summary stays.
func (f *fit) cutTail() {
	whole, saved := f.summary, f.saved
	room := f.limit - f.needed() - f.opening(f.from).Tokens
	f.shortenSummary(room - min(f.load-f.needed()-whole.Tokens, room/tailShare))
	if whole.Tokens > 0 && f.summary.Tokens == 0 {
		f.drop(len(f.units))
	}
	for ; f.from < len(f.units); f.drop(f.from + 1) {
		if f.cutTo(f.limit - f.needed() - f.summary.Tokens - f.opening(f.from).Tokens) {
			return
		}
	}
	f.load += whole.Tokens - f.summary.Tokens
	f.summary, f.saved = whole, saved
}

// cutTo cuts the longest of the last messages to the same number of tokens each, so that all of them have so many together.
func (f *fit) cutTo(room int) bool {
	var contents []int
	for _, u := range f.units[f.from:] {
		for j := u.from; j < u.to; j++ {
			p := &f.pieces[j]
			n := f.texts.count(p.Content)
			contents = append(contents, n)
			room -= p.Tokens - n
		}
	}
	most := level(contents, room)
	if most < leastCut {
		return false
	}
	done := true
	for _, u := range f.units[f.from:] {
		for j := u.from; j < u.to; j++ {
			if f.texts.count(f.pieces[j].Content) > most {
				f.shorten(j, func(p *piece) {
					body := strings.TrimPrefix(p.Content, p.label)
					short, ok := cutMiddle(body, most-f.texts.count(p.label), f.texts.count, p.clean)
					if done = done && ok; ok {
						p.Content, p.Cut = p.label+short, CutTrimmed
					}
				})
			}
		}
	}
	return done && f.fits()
}

// level is the most that each of some amounts may have for them to have no more than room together.
func level(amounts []int, room int) int {
	sorted := slices.Sorted(slices.Values(amounts))
	for i, n := range sorted {
		if share := room / (len(sorted) - i); n > share {
			return share
		}
		room -= n
	}
	return max(room, 0)
}

// shortenSummary cuts the summary, with its cost as a message, to a number of tokens, at the end of a line where it can.
func (f *fit) shortenSummary(room int) {
	if f.summary.Tokens <= room {
		return
	}
	was := f.summary.Tokens
	body := strings.TrimPrefix(f.summary.Content, SummaryPrefix+"\n")
	f.summary = Message{}
	if short, ok := cutEnd(body, room-memory.MessageOverhead-f.texts.count(SummaryPrefix+"\n"), f.texts.count); ok {
		if at := strings.LastIndexByte(short, '\n'); at > len(short)/2 {
			short = short[:at] + "\n" + strings.TrimSpace(cutEndMark)
		}
		short = SummaryPrefix + "\n" + short
		if m := f.message(KindSummary, memory.RoleOfUser, short); m.Tokens <= room {
			m.Cut = CutTrimmed
			f.summary = m
		}
	}
	f.load -= was - f.summary.Tokens
	f.saved += was - f.summary.Tokens
}
