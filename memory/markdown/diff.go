package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"
)

// hunk replaces lines [aFrom,aTo) of one text by lines [bFrom,bTo) of another. Lines between two hunks are equal.
type hunk struct{ aFrom, aTo, bFrom, bTo int }

// anchorDepth bounds how often the ranges between anchors are searched for further anchors. Ordinary texts need two or
// three rounds. The bound avoids quadratic time for adversarial ones.
const anchorDepth = 12

// diffLines compares two texts by line and returns the differences in order.
//
// Lines that occur once on both sides, in the same order, never count as changed: blame and merging depend on it, and a
// shortest edit script does not guarantee it. The ranges between these anchors are compared by lcs, whose effort is
// bounded.
func diffLines(a, b []string) []hunk {
	d := differ{a: a, b: b}
	d.intern()
	d.between(d.anchors(0, len(a), 0, len(b), nil), 0, len(a), 0, len(b), anchorDepth)
	return d.hunks
}

type differ struct {
	a, b   []string
	ia, ib []int32  // the lines as numbers; equal lines have equal numbers
	seen   []sights // by number, used to find anchors
	hunks  []hunk
}

// sights counts the occurrences of a line on both sides, with the last position.
type sights struct {
	inA, inB int32
	at       int32 // in b
}

func (d *differ) intern() {
	numbers := make(map[string]int32, len(d.a)+len(d.b))
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, line := range lines {
			n, known := numbers[line]
			if !known {
				n = int32(len(numbers))
				numbers[line] = n
			}
			out[i] = n
		}
		return out
	}
	d.ia, d.ib = number(d.a), number(d.b)
	d.seen = make([]sights, len(numbers))
}

// compare appends the differences between a[aFrom:aTo] and b[bFrom:bTo].
func (d *differ) compare(aFrom, aTo, bFrom, bTo, depth int) {
	for aFrom < aTo && bFrom < bTo && d.ia[aFrom] == d.ib[bFrom] {
		aFrom, bFrom = aFrom+1, bFrom+1
	}
	for aFrom < aTo && bFrom < bTo && d.ia[aTo-1] == d.ib[bTo-1] {
		aTo, bTo = aTo-1, bTo-1
	}
	if aFrom == aTo || bFrom == bTo {
		d.add(hunk{aFrom, aTo, bFrom, bTo})
		return
	}
	var anchors [][2]int32
	if depth > 0 {
		anchors = d.anchors(aFrom, aTo, bFrom, bTo, nil)
	}
	if len(anchors) == 0 {
		for _, h := range lcs.DiffLines(d.a[aFrom:aTo], d.b[bFrom:bTo]) {
			d.add(hunk{aFrom + h.Start, aFrom + h.End, bFrom + h.ReplStart, bFrom + h.ReplEnd})
		}
		return
	}
	d.between(anchors, aFrom, aTo, bFrom, bTo, depth-1)
}

// between compares the ranges before, between and after anchors.
func (d *differ) between(anchors [][2]int32, aFrom, aTo, bFrom, bTo, depth int) {
	for _, at := range anchors {
		d.compare(aFrom, int(at[0]), bFrom, int(at[1]), depth)
		aFrom, bFrom = int(at[0])+1, int(at[1])+1
	}
	d.compare(aFrom, aTo, bFrom, bTo, depth)
}

// add appends h unless it is empty.
func (d *differ) add(h hunk) {
	if h.aFrom < h.aTo || h.bFrom < h.bTo {
		d.hunks = append(d.hunks, h)
	}
}

// anchors returns the lines that occur exactly once on both sides, as many as are in the same order on both: a longest
// increasing subsequence, found by patience sorting. Where the ranges are parts of texts, count has how often each line occurs in the whole
// of the first; nil: they are not.
func (d *differ) anchors(aFrom, aTo, bFrom, bTo int, count []int32) [][2]int32 {
	for _, n := range d.ia[aFrom:aTo] {
		d.seen[n].inA++
	}
	for i, n := range d.ib[bFrom:bTo] {
		d.seen[n].inB++
		d.seen[n].at = int32(bFrom + i)
	}
	var both [][2]int32
	for i, n := range d.ia[aFrom:aTo] {
		if s := d.seen[n]; s.inA == 1 && s.inB == 1 && (count == nil || count[n] == 1) {
			both = append(both, [2]int32{int32(aFrom + i), s.at})
		}
	}
	for _, n := range d.ia[aFrom:aTo] {
		d.seen[n] = sights{}
	}
	for _, n := range d.ib[bFrom:bTo] {
		d.seen[n] = sights{}
	}
	return increasing(both)
}

// increasing returns a longest subsequence of pairs with increasing second numbers. pairs are sorted by the first.
func increasing(pairs [][2]int32) [][2]int32 {
	var tops []int                  // index of the last pair of the best run of each length
	prev := make([]int, len(pairs)) // the pair before it in that run
	for i, p := range pairs {
		at, _ := slices.BinarySearchFunc(tops, p[1], func(top int, y int32) int { return int(pairs[top][1]) - int(y) })
		prev[i] = -1
		if at > 0 {
			prev[i] = tops[at-1]
		}
		if at == len(tops) {
			tops = append(tops, i)
		} else {
			tops[at] = i
		}
	}
	out := make([][2]int32, len(tops))
	if len(tops) == 0 {
		return nil
	}
	for at, i := tops[len(tops)-1], len(tops)-1; i >= 0; at, i = prev[at], i-1 {
		out[i] = pairs[at]
	}
	return out
}

// DiffStat counts added and removed lines. A changed line counts as both, as in UnifiedDiff.
func DiffStat(from, to string) (added, removed int) {
	for _, h := range diffLines(splitLines(from), splitLines(to)) {
		added, removed = added+h.bTo-h.bFrom, removed+h.aTo-h.aFrom
	}
	return added, removed
}

// UnifiedDiff returns the difference in unified format with three lines of context; empty if there is none.
func UnifiedDiff(fromName, toName, from, to string) string {
	a, b := splitLines(from), splitLines(to)
	offsets := make([]int, len(a)+1)
	for i, line := range a {
		offsets[i+1] = offsets[i] + len(line)
	}
	var edits []udiff.Edit
	for _, h := range diffLines(a, b) {
		edits = append(edits, udiff.Edit{Start: offsets[h.aFrom], End: offsets[h.aTo], New: strings.Join(b[h.bFrom:h.bTo], "")})
	}
	out, err := udiff.ToUnified(fromName, toName, from, edits, udiff.DefaultContextLines)
	if err != nil {
		panic(fmt.Sprintf("edits of a diff do not fit its text: %v", err)) // they were made from it
	}
	return out
}

// LineOrigins compares successive texts of one document and returns the lines of the last one, each with the index of the
// text in which it first appeared.
//
// A line that only moved, or got another list marker or indentation, keeps its origin.
func LineOrigins(texts []string) (lines []string, origins []int) {
	t := tracker{numbers: map[string]int32{}}
	before := ""
	for n, text := range texts {
		t.follow(before, text, n)
		before = text
	}
	return t.lines, t.origins
}

// tracker follows the lines of one document over its texts. It reads only what differs between two of them, with the result of diffLines:
// a long history of a long document is mostly repetition.
type tracker struct {
	numbers map[string]int32 // of all lines so far
	count   []int32          // how often each line occurs in the current text, by number
	seen    []sights         // as in differ

	lines   []string
	ids     []int32 // numbers of lines
	origins []int
}

// follow goes on from the current text to text n.
func (t *tracker) follow(before, after string, n int) {
	head, tail := commonLines(before, after)
	from, to := countLines(before[:head]), len(t.lines)-countLines(before[len(before)-tail:])
	next := Lines(after[head : len(after)-tail])
	ids := t.number(next)
	// The end that both share begins with a line that occurs once in both, as diffLines pairs such lines first.
	fresh := map[int32]bool{}
	for _, id := range ids {
		fresh[id] = true
	}
	shared := to
	for to < len(t.ids) && (t.count[t.ids[to]] != 1 || fresh[t.ids[to]]) {
		to++
	}
	next, ids = append(next, t.lines[shared:to]...), append(ids, t.ids[shared:to]...)

	d := differ{a: t.lines[from:to], b: next, ia: t.ids[from:to], ib: ids, seen: t.seen}
	d.between(d.anchors(0, len(d.a), 0, len(d.b), t.count), 0, len(d.a), 0, len(d.b), anchorDepth)
	origins := carryOrigins(d.a, d.b, t.origins[from:to], d.hunks, n)
	for _, id := range d.ia {
		t.count[id]--
	}
	for _, id := range ids {
		t.count[id]++
	}
	t.lines = slices.Replace(t.lines, from, to, next...)
	t.ids = slices.Replace(t.ids, from, to, ids...)
	t.origins = slices.Replace(t.origins, from, to, origins...)
}

func (t *tracker) number(lines []string) []int32 {
	out := make([]int32, len(lines))
	for i, line := range lines {
		n, known := t.numbers[line]
		if !known {
			n = int32(len(t.numbers))
			t.numbers[line] = n
			t.count, t.seen = append(t.count, 0), append(t.seen, sights{})
		}
		out[i] = n
	}
	return out
}

// countLines returns the number of lines of a text, as splitLines has them.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// commonLines returns the lengths of the whole lines, in bytes, with which two texts begin and end alike. The two do not overlap.
func commonLines(a, b string) (head, tail int) {
	const step = 4 << 10 // long parts are compared faster than bytes
	for most := min(len(a), len(b)); head < most; {
		if n := min(step, most-head); a[head:head+n] == b[head:head+n] {
			head += n
			continue
		}
		for a[head] == b[head] {
			head++
		}
		break
	}
	if head < len(a) || head < len(b) {
		head = strings.LastIndexByte(a[:head], '\n') + 1
	}
	a, b = a[head:], b[head:]
	for most := min(len(a), len(b)); tail < most; {
		if n := min(step, most-tail); a[len(a)-tail-n:len(a)-tail] == b[len(b)-tail-n:len(b)-tail] {
			tail += n
			continue
		}
		for a[len(a)-tail-1] == b[len(b)-tail-1] {
			tail++
		}
		break
	}
	// A line begins at the beginning of the rest, and after a line break.
	whole := func(s string) bool { return tail == len(s) || s[len(s)-tail-1] == '\n' }
	if !whole(a) || !whole(b) {
		end := strings.IndexByte(a[len(a)-tail:], '\n') + 1
		if end == 0 {
			return head, 0
		}
		tail -= end
	}
	return head, tail
}

// carryOrigins returns the origins of the lines of text n, given the lines and origins of the text before it and the differences.
func carryOrigins(before, after []string, origins []int, hunks []hunk, n int) []int {
	if len(hunks) == 0 {
		return origins
	}
	out := make([]int, 0, len(after))
	removed := map[string][]int{} // origins of the removed lines, by normalized line
	at := 0
	for _, h := range hunks {
		out = append(out, origins[at:h.aFrom]...)
		for i := h.aFrom; i < h.aTo; i++ {
			if line := LineKey(before[i]); line != "" {
				removed[line] = append(removed[line], origins[i])
			}
		}
		out = append(out, slices.Repeat([]int{n}, h.bTo-h.bFrom)...)
		at = h.aTo
	}
	out = append(out, origins[at:]...)
	for _, h := range hunks {
		for i := h.bFrom; i < h.bTo && len(removed) > 0; i++ {
			line := LineKey(after[i])
			if known := removed[line]; len(known) > 0 {
				out[i], removed[line] = known[0], known[1:]
			}
		}
	}
	return out
}
