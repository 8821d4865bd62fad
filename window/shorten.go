package window

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/memory"
)

// Results are trimmed and cleared in groups: each time costs a provider's cache what stands behind the first of them, so that it
// is not done for every single one. Those that are cleared begin at the front of the window, where it costs most.
const (
	trimGroup  = 8
	clearGroup = 4 * trimGroup
)

// relieve trims, then clears, results of tools in old turns, oldest first, until the window is down to its trigger.
//
// Which of them are trimmed depends on nothing that a growing conversation takes back: further groups are added, none is
// restored. Cleared ones may be trimmed again instead when newer results have become old enough to be trimmed too.
func (f *fit) relieve() {
	old := f.results(0, f.turns)
	for _, step := range []struct {
		how   func(*piece)
		group int
	}{{f.trim, trimGroup}, {f.clear, clearGroup}} {
		for group := range slices.Chunk(old, step.group) {
			if f.load <= f.trigger {
				break
			}
			for _, j := range group {
				f.shorten(j, step.how)
			}
		}
	}
	f.over = f.load > f.trigger
}

// trim leaves head and tail of a result. One that an earlier result of the window says word by word is cleared at once.
func (f *fit) trim(p *piece) {
	if f.again(p) {
		p.Content, p.Cut = p.label+sameText(p.tool, p.source.Content), CutCleared
		return
	}
	p.Content, p.Cut = p.label+trimText(p.source.Content, p.clean), CutTrimmed
}

// clear leaves one line of a result.
func (f *fit) clear(p *piece) {
	if p.Cut != CutCleared {
		p.Content, p.Cut = p.label+clearText(p.tool, p.source.Content), CutCleared
	}
}

// again reports whether a result before this one says the same. Only what comes before decides, so that the answer stays what
// it is while the conversation grows.
func (f *fit) again(p *piece) bool {
	if f.firsts == nil {
		f.firsts = map[string]int64{}
		for _, j := range f.results(f.far, len(f.units)) {
			if content := f.pieces[j].source.Content; f.firsts[content] == 0 {
				f.firsts[content] = f.pieces[j].Seq
			}
		}
	}
	return f.firsts[p.source.Content] != p.Seq
}

// results are the pieces of units from a number to another that are results of tools and may be trimmed. Those that no window
// could hold are among them, so that groups do not move when the window does.
func (f *fit) results(from, to int) (pieces []int) {
	for _, u := range f.units[from:to] {
		for j := u.from; j < u.to; j++ {
			if f.pieces[j].shrinks() {
				pieces = append(pieces, j)
			}
		}
	}
	return pieces
}

// shorten makes a piece shorter and keeps account of it. One that was not counted is not in the window.
func (f *fit) shorten(j int, how func(*piece)) {
	p := &f.pieces[j]
	if p.whole == 0 {
		return
	}
	was := p.Message
	how(p)
	p.Tokens = f.texts.message(p.Message)
	if p.Tokens >= was.Tokens { // a text of few tokens and many characters
		p.Message = was
		return
	}
	f.load -= was.Tokens - p.Tokens
	f.saved += was.Tokens - p.Tokens
	f.units[f.unitOf(j)].tokens -= was.Tokens - p.Tokens
}

// unitOf finds the unit of a piece.
func (f *fit) unitOf(j int) int {
	low, high := 0, len(f.units)
	for low < high {
		if mid := (low + high) / 2; f.units[mid].to <= j {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

const (
	trimOver   = 500 // characters above which a tool's result is trimmed
	trimKeep   = 200 // characters of its head, and of its tail, that are left
	clearKeep  = 80  // characters of its head that are left in the one line of a cleared one
	cutTries   = 12  // bounds the search for the longest text within a number of tokens
	longToken  = 16  // characters; few tokens have more, and the search need not begin with texts that are far too long
	cutEndMark = " …"
)

// long reports whether a text has more than trimOver characters.
func long(text string) bool { return len(text) > trimOver && utf8.RuneCountInString(text) > trimOver }

// trimText leaves head and tail of a tool's result, each cleaned as it is shown.
func trimText(content string, clean func(string) string) string {
	head, rest := splitAfter(content, trimKeep)
	middle, tail := splitBefore(rest, trimKeep)
	return clean(head) + leftOut(middle, " of this result") + clean(tail)
}

// clearText leaves one line of a tool's result: which tool, how much, how it began.
func clearText(tool, content string) string { return clearedLine("Result cleared", tool, content) }

// sameText stands in for a result that an earlier message has word by word.
func sameText(tool, content string) string {
	return clearedLine("Same result as an earlier one", tool, content)
}

func clearedLine(what, tool, content string) string {
	head, _ := splitAfter(strings.TrimSpace(content), clearKeep)
	return fmt.Sprintf("[%s: %s, %d characters] %s%s", what, tool, utf8.RuneCountInString(content), oneLine(Escape(head)), cutEndMark)
}

// leftOut is a visible mark for what is cut out of a text.
func leftOut(text, of string) string {
	return fmt.Sprintf("\n[… %d characters%s left out …]\n", utf8.RuneCountInString(text), of)
}

// cutMiddle leaves as much of head and tail of a text as fits into a number of tokens, three parts to two; ok is false when
// nothing does.
func cutMiddle(text string, limit int, count func(string) int, clean func(string) string) (short string, ok bool) {
	return fitting(text, limit, count, func(keep int) string {
		head, rest := splitAfter(text, keep*3/5)
		middle, tail := splitBefore(rest, keep-keep*3/5)
		return clean(head) + leftOut(middle, "") + clean(tail)
	})
}

// cutEnd leaves as much of the beginning of a text as fits into a number of tokens.
func cutEnd(text string, limit int, count func(string) int) (short string, ok bool) {
	return fitting(text, limit, count, func(keep int) string {
		head, _ := splitAfter(text, keep)
		return strings.TrimSpace(head) + cutEndMark
	})
}

// fitting finds, by halving, how many characters of a text may be kept for what is made of them to have at most limit tokens.
func fitting(text string, limit int, count func(string) int, of func(keep int) string) (short string, ok bool) {
	low, high := 1, min(utf8.RuneCountInString(text)-1, max(limit, 0)*longToken)
	for try := 0; try < cutTries && low <= high; try++ {
		keep := (low + high) / 2
		if made := of(keep); count(made) <= limit {
			short, ok, low = made, true, keep+1
		} else {
			high = keep - 1
		}
	}
	return short, ok
}

// splitAfter splits a text behind its first n characters.
func splitAfter(text string, n int) (head, rest string) {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at], text[at:]
}

// splitBefore splits a text before its last n characters.
func splitBefore(text string, n int) (rest, tail string) {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[:at], text[at:]
}

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
