package window

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/memory"
)

// Results are trimmed and cleared in groups: each change invalidates a provider's cache from the first changed
// message on. Cleared results begin at the front of the window, where that is most expensive.
const (
	trimGroup  = 8
	clearGroup = 4 * trimGroup
)

// relieve trims, then clears, tool results of old turns, oldest first, until the window is down to its trigger.
//
// Which results are trimmed never reverts while a conversation grows: groups are added, none is restored. Cleared
// results may become trimmed again when newer results have become old enough to be trimmed.
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

// trim keeps head and tail of a result. A verbatim repetition of an earlier result in the window is cleared at once.
func (f *fit) trim(p *piece) {
	if f.again(p) {
		p.Content, p.Cut = p.label+sameText(p.tool, p.source.Content), CutCleared
		return
	}
	p.Content, p.Cut = p.label+trimText(p.source.Content, p.clean), CutTrimmed
}

// clear keeps one line of a result.
func (f *fit) clear(p *piece) {
	if p.Cut != CutCleared {
		p.Content, p.Cut = p.label+clearText(p.tool, p.source.Content), CutCleared
	}
}

// again reports whether an earlier result has the same text. Only earlier ones count, so the answer does not change
// while the conversation grows.
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

// results returns the pieces of a range of units that are tool results and may be trimmed. It includes those that no
// window could hold, so that groups do not shift with the window.
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

// shorten shortens a piece and updates the totals. A piece that was not counted is not in the window.
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

// unitOf returns the unit of a piece.
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
	trimOver   = 500 // characters above which a tool result is trimmed
	trimKeep   = 200 // characters kept of its head, and of its tail
	clearKeep  = 80  // characters of its head kept in the one line of a cleared result
	cutTries   = 12  // bounds the search for the longest text within a token limit
	longToken  = 16  // characters; few tokens are longer, so the search can skip texts that are far too long
	cutEndMark = " …"
)

// long reports whether a text has more than trimOver characters.
func long(text string) bool { return len(text) > trimOver && utf8.RuneCountInString(text) > trimOver }

// trimText keeps head and tail of a tool result, each passed through clean.
func trimText(content string, clean func(string) string) string {
	head, rest := splitAfter(content, trimKeep)
	middle, tail := splitBefore(rest, trimKeep)
	return clean(head) + leftOut(middle, " of this result") + clean(tail)
}

// clearText returns one line about a tool result: the tool, the size, the beginning.
func clearText(tool, content string) string { return clearedLine("Result cleared", tool, content) }

// sameText replaces a result that an earlier message has verbatim.
func sameText(tool, content string) string {
	return clearedLine("Same result as an earlier one", tool, content)
}

func clearedLine(what, tool, content string) string {
	head, _ := splitAfter(strings.TrimSpace(content), clearKeep)
	return fmt.Sprintf("[%s: %s, %d characters] %s%s", what, tool, utf8.RuneCountInString(content), oneLine(Escape(head)), cutEndMark)
}

// leftOut returns a visible mark for omitted text.
func leftOut(text, of string) string {
	return fmt.Sprintf("\n[… %d characters%s left out …]\n", utf8.RuneCountInString(text), of)
}

// cutMiddle keeps as much of head and tail of a text as fits into limit tokens, in the ratio 3:2; ok is false if
// nothing fits.
func cutMiddle(text string, limit int, count func(string) int, clean func(string) string) (short string, ok bool) {
	return fitting(text, limit, count, func(keep int) string {
		head, rest := splitAfter(text, keep*3/5)
		middle, tail := splitBefore(rest, keep-keep*3/5)
		return clean(head) + leftOut(middle, "") + clean(tail)
	})
}

// cutEnd keeps as much of the beginning of a text as fits into limit tokens.
func cutEnd(text string, limit int, count func(string) int) (short string, ok bool) {
	return fitting(text, limit, count, func(keep int) string {
		head, _ := splitAfter(text, keep)
		return strings.TrimSpace(head) + cutEndMark
	})
}

// fitting finds by bisection how many characters of a text to keep so that of's result has at most limit tokens.
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

// splitAfter splits a text after its first n characters.
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
	dropBlock = 8  // messages; dropped from the front in blocks of this size
	minCut    = 24 // minimum tokens of a message worth sending when it is cut
	tailShare = 4  // the room is divided by this to get the share of the last two messages, however long the summary is
)

// squeeze makes everything fit into the window, step by step, each only if the previous ones were not enough.
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
		func() { f.shortenSummary(f.limit - f.needed()) }, // only the summary is left besides what must be sent
	}
	for _, step := range steps {
		if f.fits() {
			break
		}
		step()
	}
	lost := strings.TrimSpace(f.in.Summary) != "" && f.summary.Tokens == 0
	if open := f.opening(f.from); f.load+open.Tokens <= f.limit && !lost { // otherwise nothing is left for it to precede
		f.open = open
		f.load += open.Tokens
	}
}

// fits reports whether the rest fits together with its opening note.
func (f *fit) fits() bool { return f.sum(f.from) <= f.limit || f.load == f.needed() }

// sum returns the tokens of the window if it begins with unit from.
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

// opening returns the note before the first message of the conversation in the window: messages are left out, or the
// assistant spoke first, since providers require a user message after the system prompt.
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

// drop removes the units before from.
func (f *fit) drop(from int) {
	for ; f.from < from; f.from++ {
		f.load -= f.units[f.from].tokens
	}
}

// dropOld removes as few of the first units as needed, but none of the last turns. It stops at the end of a block, so
// that the next turns begin with the same message.
func (f *fit) dropOld(last int) {
	f.dropOne(last)
	for f.from > 0 && f.from < last && f.block(f.from) == f.block(f.from-1) {
		f.drop(f.from + 1)
	}
}

func (f *fit) block(unit int) int64 { return (f.units[unit].first - 1) / dropBlock }

// dropOne removes units one by one.
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

// shortenAll trims, then clears, tool results, oldest first.
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

// shortenCalls removes long arguments from calls.
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

// cutTail cuts the last messages in their middle and, if it leaves them hardly any room, the summary at its end.
// Messages of which too little would remain are removed, the older one first; the summary stays.
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

// cutTo cuts the longest of the last messages to equal sizes, so that all together fit into room.
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
	if most < minCut {
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

// level returns the largest cap with which the capped amounts sum up to at most room.
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

// shortenSummary cuts the summary to room tokens, including its cost as a message, at the end of a line if possible.
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
