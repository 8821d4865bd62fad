package window

import "slices"

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
