package notes

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"reverie/memory"
)

// ShownNotes are notes as a model is shown them, the newest first, with at most maxChars characters. When they have more, each
// gets its share, what short ones leave goes to the longer ones, and of those that are cut the end is shown, which is the latest.
func ShownNotes(notes []Note, maxChars int) []memory.ConsolidationNote {
	notes = slices.Clone(notes)
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Path, b.Path)) })
	shares := shareOut(notes, maxChars)
	out := make([]memory.ConsolidationNote, 0, len(notes))
	for i, n := range notes {
		text := memory.Tail(n.Content, shares[i])
		if text != "" {
			out = append(out, memory.ConsolidationNote{Path: n.Path, Text: text, Cut: len(text) < len(n.Content)})
		}
	}
	return out
}

// shareOut is how many characters each note gets: the short ones all, the others the same. What cannot be divided goes to the
// newest.
func shareOut(notes []Note, maxChars int) []int {
	order := make([]int, len(notes))
	sizes := make([]int, len(notes))
	for i, n := range notes {
		order[i], sizes[i] = i, utf8.RuneCountInString(n.Content)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sizes[a], sizes[b]), cmp.Compare(b, a)) })
	out, left := make([]int, len(notes)), max(maxChars, 0)
	for done, i := range order {
		waiting := len(order) - done
		out[i] = min(sizes[i], left/waiting)
		left -= out[i]
	}
	for i := range notes {
		more := min(left, sizes[i]-out[i])
		out[i] += more
		left -= more
	}
	return out
}
