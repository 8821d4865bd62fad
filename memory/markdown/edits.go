package markdown

import (
	"slices"
	"strings"
)

// Edit is one statement that a new text adds, removes or replaces: a part of the difference that can be accepted alone.
type Edit struct {
	At      int      `json:"at"`                // lines of the earlier text before it
	Removed []string `json:"removed,omitempty"` // lines, as they are in the earlier text
	Added   []string `json:"added,omitempty"`
	// With are the edits, by index, that this one belongs to, because it is not a statement: a heading, a comment or white space. It is
	// added with the first of them that is accepted, and removed with the last one.
	With []int `json:"with,omitempty"`
}

// IsFrame reports whether an edit belongs to others.
func (e Edit) IsFrame() bool { return len(e.With) > 0 }

// Edits returns the difference between two texts by statement, in order. A nested item that is added with the item it belongs to is part
// of that one, and so are rows of a new table. The list is empty when only white space differs.
func Edits(before, after string) []Edit {
	s := editing{before: mergeLines(before), after: mergeLines(after)}
	s.old, s.new = rootsOf(before, len(s.before)), rootsOf(after, len(s.after))
	for _, h := range diffLines(s.before, s.after) {
		s.split(h)
	}
	return s.framed()
}

// ApplyEdits returns text with those edits of Edits(text, …) that are accepted, and their frames.
func ApplyEdits(text string, edits []Edit, accepted func(index int) bool) string {
	lines := mergeLines(text)
	var out []string
	at := 0
	for i, e := range edits {
		from := min(max(e.At, at), len(lines))
		out, at = append(out, lines[at:from]...), from
		take := accepted(i)
		if e.IsFrame() {
			take = e.goes(accepted)
		}
		if !take {
			continue
		}
		out, at = append(out, e.Added...), min(at+len(e.Removed), len(lines))
	}
	out = append(out, lines[at:]...)
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, "\n") + "\n"
}

// goes reports whether a frame is applied.
func (e Edit) goes(accepted func(int) bool) bool {
	n := 0
	for _, i := range e.With {
		if accepted(i) {
			n++
		}
	}
	if len(e.Removed) > 0 {
		return n == len(e.With)
	}
	return n > 0
}

// editing splits the differences of two texts.
type editing struct {
	before, after []string // lines
	old, new      []int    // by line: the first line of the outermost statement that it belongs to; -1: none
	edits         []Edit
	places        []int // by edit: its first line in after, or in before if it only removes
}

// rootsOf returns for each line where the outermost statement that it belongs to begins; -1: it belongs to none.
func rootsOf(text string, n int) []int {
	roots := make([]int, n)
	for i := range roots {
		roots[i] = -1
	}
	entries := EntriesOf(text)
	for _, e := range entries {
		top := e
		for top.Parent >= 0 {
			top = entries[top.Parent]
		}
		for line := e.FromLine - 1; line < e.ToLine && line < n; line++ {
			roots[line] = top.FromLine - 1
		}
	}
	return roots
}

// groupsOf splits lines [from,to) into statements and single lines that are not statements. A statement whose beginning lies before from,
// or which begins within from and to, is one group with what is nested in it only if it begins there.
func groupsOf(lines []string, roots []int, from, to int) [][2]int {
	var groups [][2]int
	for i := from; i < to; {
		end := i + 1
		for roots[i] >= from && end < to && (roots[end] == roots[i] || isBlank(lines[end]) && end+1 < to && roots[end+1] == roots[i]) {
			end++
		}
		groups = append(groups, [2]int{i, end})
		i = end
	}
	return groups
}

// split turns a hunk into edits. As many statements for as many others replace them one by one.
func (s *editing) split(h hunk) {
	removed, added := groupsOf(s.before, s.old, h.aFrom, h.aTo), groupsOf(s.after, s.new, h.bFrom, h.bTo)
	if len(removed) == len(added) {
		for i, r := range removed {
			if (s.old[r[0]] < 0) != (s.new[added[i][0]] < 0) {
				break
			}
			if i == len(removed)-1 {
				for j, r := range removed {
					s.add(Edit{At: r[0], Removed: s.before[r[0]:r[1]], Added: s.after[added[j][0]:added[j][1]]}, added[j][0])
				}
				return
			}
		}
	}
	for _, r := range removed {
		s.add(Edit{At: r[0], Removed: s.before[r[0]:r[1]]}, r[0])
	}
	for _, a := range added {
		s.add(Edit{At: h.aTo, Added: s.after[a[0]:a[1]]}, a[0])
	}
}

func (s *editing) add(e Edit, place int) {
	s.edits, s.places = append(s.edits, e), append(s.places, place)
}

// framed attaches what is not a statement to the statements that it belongs to. A heading that changes without any is a statement itself.
func (s *editing) framed() []Edit {
	isStatement := make([]bool, len(s.edits))
	found := false
	for i, e := range s.edits {
		lines, roots := s.sideOf(e)
		at := s.places[i]
		replaces := len(e.Added) > 0 && len(e.Removed) > 0
		isStatement[i] = roots[at] >= 0 || HasText(lines[at]) && (replaces || len(s.under(i)) == 0)
		found = found || isStatement[i]
	}
	if !found {
		return nil
	}
	for i := len(s.edits) - 1; i >= 0; i-- {
		if isStatement[i] {
			continue
		}
		if s.edits[i].With = s.under(i); len(s.edits[i].With) == 0 {
			s.edits[i].With = s.beside(i, isStatement)
		}
	}
	return s.edits
}

// sideOf returns the text that an edit is in, by lines.
func (s *editing) sideOf(e Edit) (lines []string, roots []int) {
	if len(e.Added) == 0 {
		return s.before, s.old
	}
	return s.after, s.new
}

// under returns the statements that change in the same way under a heading; none for other lines.
func (s *editing) under(i int) (below []int) {
	lines, roots := s.sideOf(s.edits[i])
	level, _ := headingOf(lines[s.places[i]])
	if level == 0 || roots[s.places[i]] >= 0 {
		return nil
	}
	end := len(lines)
	for at := s.places[i] + 1; at < len(lines); at++ {
		if l, _ := headingOf(lines[at]); l > 0 && l <= level && roots[at] < 0 {
			end = at
			break
		}
	}
	for j := range s.edits {
		if s.alike(i, j) && s.places[j] > s.places[i] && s.places[j] < end && roots[s.places[j]] >= 0 {
			below = append(below, j)
		}
	}
	return below
}

// alike reports whether two edits are of the same text.
func (s *editing) alike(i, j int) bool {
	return (len(s.edits[i].Added) > 0) == (len(s.edits[j].Added) > 0)
}

// beside returns what white space or a comment belongs to: what follows it directly, else what is before it, else any statement.
func (s *editing) beside(i int, isStatement []bool) []int {
	of := func(j int) []int {
		if isStatement[j] {
			return []int{j}
		}
		return s.edits[j].With
	}
	if j := i + 1; j < len(s.edits) && s.alike(i, j) && s.places[j] == s.places[i]+1 {
		return of(j)
	}
	for j := i - 1; j >= 0; j-- {
		if isStatement[j] && s.alike(i, j) {
			return []int{j}
		}
	}
	for j := i + 1; j < len(s.edits); j++ {
		if isStatement[j] || len(s.edits[j].With) > 0 {
			return of(j)
		}
	}
	return []int{slices.Index(isStatement, true)}
}
