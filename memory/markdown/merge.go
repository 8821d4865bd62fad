package markdown

import (
	"slices"
	"strings"
)

// Conflict is a range of lines that both sides of a merge changed differently.
type Conflict struct {
	Base   Side `json:"base"`
	Ours   Side `json:"ours"`
	Theirs Side `json:"theirs"`
}

// Side is a range of lines in one of the three texts of a merge. Lines count from 1, and To is the last one. An empty
// range, before line From, has To = From-1.
type Side struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// Merge3 applies the changes of ours and theirs to base, by line.
//
// Edits that do not overlap are both applied, also on adjacent lines. Equal edits are applied once. If both sides insert
// different lines at one place, or one inserts next to lines that the other deletes, the result is a conflict, because only
// the author can decide the order.
//
// Line breaks are kept, including "\r\n". The line break at the very end is merged separately. merged is empty if there are
// conflicts.
func Merge3(base, ours, theirs string) (merged string, conflicts []Conflict) {
	m := merger{base: mergeLines(base), ours: mergeLines(ours), theirs: mergeLines(theirs)}
	m.mine, m.other = diffLines(m.base, m.ours), diffLines(m.base, m.theirs)
	m.run()
	if len(m.conflicts) > 0 {
		return "", m.conflicts
	}
	out := strings.Join(m.out, "\n")
	if len(m.out) > 0 && mergeFlag(endsLine(base), endsLine(ours), endsLine(theirs)) {
		out += "\n"
	}
	return out, nil
}

// mergeLines splits s into lines without "\n", so that a last line with and without it compares equal; "\r" stays.
func mergeLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func endsLine(s string) bool { return s == "" || strings.HasSuffix(s, "\n") }

// mergeFlag merges a boolean: the side that changed it wins.
func mergeFlag(base, ours, theirs bool) bool {
	if ours != base {
		return ours
	}
	return theirs
}

type merger struct {
	base, ours, theirs []string
	mine, other        []hunk // still to merge, in order
	at                 int    // next line of base
	out                []string
	conflicts          []Conflict
	beside             bool // instead of conflicts, both sides are kept (Patch3)
}

func (m *merger) run() {
	for len(m.mine) > 0 || len(m.other) > 0 {
		switch {
		case len(m.other) == 0 || len(m.mine) > 0 && apart(m.mine[0], m.other[0]):
			m.take(m.ours, &m.mine)
		case len(m.mine) == 0 || apart(m.other[0], m.mine[0]):
			m.take(m.theirs, &m.other)
		default:
			m.both()
		}
	}
	m.out = append(m.out, m.base[m.at:]...)
}

// apart reports whether x lies before y and both can be applied independently.
func apart(x, y hunk) bool {
	switch {
	case x.aTo < y.aFrom:
		return true
	case x.aTo > y.aFrom:
		return false
	}
	inserts := func(h hunk) bool { return h.aFrom == h.aTo }
	deletes := func(h hunk) bool { return h.bFrom == h.bTo }
	switch {
	case inserts(x) && inserts(y): // at one place, in unknown order
		return false
	case inserts(x) && deletes(y), deletes(x) && inserts(y): // the new line may belong to the deleted ones
		return false
	}
	return true
}

// take applies the first hunk of one side, after the lines of base that precede it.
func (m *merger) take(lines []string, hunks *[]hunk) {
	h := (*hunks)[0]
	*hunks = (*hunks)[1:]
	m.out = append(m.out, m.base[m.at:h.aFrom]...)
	m.out = append(m.out, lines[h.bFrom:h.bTo]...)
	m.at = h.aTo
}

// both merges the first hunks of both sides, and all that overlap them. If they disagree, they conflict.
func (m *merger) both() {
	at := [2]int{min(m.mine[0].aFrom, m.other[0].aFrom), max(m.mine[0].aTo, m.other[0].aTo)} // lines of base
	mine, other := 1, 1                                                                      // how many hunks
	for {
		switch {
		case mine < len(m.mine) && m.mine[mine].aFrom < at[1]:
			at[1] = max(at[1], m.mine[mine].aTo)
			mine++
			continue
		case other < len(m.other) && m.other[other].aFrom < at[1]:
			at[1] = max(at[1], m.other[other].aTo)
			other++
			continue
		}
		break
	}
	ours, theirs := stretch(m.mine[:mine], at), stretch(m.other[:other], at)
	m.mine, m.other = m.mine[mine:], m.other[other:]
	m.out = append(m.out, m.base[m.at:at[0]]...)
	m.at = at[1]
	if both, agree := lineByLine(m.base[at[0]:at[1]], m.ours[ours[0]:ours[1]], m.theirs[theirs[0]:theirs[1]]); agree {
		m.out = append(m.out, both...)
		return
	}
	if m.beside {
		m.out = append(m.out, besides(m.base[at[0]:at[1]], m.ours[ours[0]:ours[1]], m.theirs[theirs[0]:theirs[1]])...)
		if m.at < len(m.base) && !isBlank(m.base[m.at]) && joinsText(m.base[m.at]) {
			m.out = append(m.out, "")
		}
		return
	}
	m.conflicts = append(m.conflicts, Conflict{side(m.base, at), side(m.ours, ours), side(m.theirs, theirs)})
}

// stretch returns where lines at of base are on the side that the hunks lead to.
func stretch(hunks []hunk, at [2]int) [2]int {
	first, last := hunks[0], hunks[len(hunks)-1]
	return [2]int{first.bFrom - (first.aFrom - at[0]), last.bTo + (at[1] - last.aTo)}
}

// lineByLine merges two edits of the same lines: equal edits, and edits that replace each line by one line without
// replacing a line differently. It reports false if they disagree.
func lineByLine(base, ours, theirs []string) ([]string, bool) {
	if slices.Equal(ours, theirs) {
		return ours, true
	}
	if len(ours) != len(base) || len(theirs) != len(base) {
		return nil, false
	}
	out := make([]string, len(base))
	for i, was := range base {
		switch {
		case ours[i] == theirs[i], theirs[i] == was:
			out[i] = ours[i]
		case ours[i] == was:
			out[i] = theirs[i]
		default:
			return nil, false
		}
	}
	return out, true
}

func side(lines []string, at [2]int) Side {
	text := strings.Join(lines[at[0]:at[1]], "\n")
	if at[1] > at[0] {
		text += "\n"
	}
	return Side{From: at[0] + 1, To: at[1], Text: text}
}
