package rewrite

import (
	"slices"
	"strings"

	"reverie/memory"
	"reverie/memory/markdown"
)

// Undo reverts the step from before to written in current, and keeps later changes. It merges before and current over written,
// except that lines which are still as written are also removed, or restored, when others were added directly before or after them,
// as the next dream adds its section after this one's. A heading stays while other lines are under it.
func Undo(before, written, current string) (string, []markdown.Conflict) {
	merged, conflicts := markdown.Merge3(written, before, current)
	if len(conflicts) == 0 {
		return merged, nil
	}
	if changed := slices.DeleteFunc(slices.Clone(conflicts), func(c markdown.Conflict) bool { return untouched(c) >= 0 }); len(changed) > 0 {
		return "", changed
	}
	base, theirs := slices.Collect(strings.Lines(written)), slices.Collect(strings.Lines(current))
	for _, c := range slices.Backward(conflicts) {
		ours := slices.Collect(strings.Lines(c.Ours.Text))
		from := c.Theirs.From - 1 + untouched(c)
		to := from + c.Base.To - c.Base.From + 1
		kept := ours
		if len(ours) == 0 && c.Theirs.To > to && !memory.IsHeading(firstSaid(theirs[to:c.Theirs.To])) {
			kept = headOf(theirs[from:to])
		}
		theirs = slices.Replace(theirs, from, to, kept...)
		base = slices.Replace(base, c.Base.From-1, c.Base.To, ours...)
	}
	if merged, again := markdown.Merge3(strings.Join(base, ""), before, strings.Join(theirs, "")); len(again) == 0 {
		return merged, nil
	}
	return "", conflicts
}

// untouched finds the base lines of a conflict unchanged on the other side, and returns the number of lines before them; -1 when
// they are not there, or there are none.
func untouched(c markdown.Conflict) int {
	if c.Base.Text == "" {
		return -1
	}
	if strings.HasPrefix(c.Theirs.Text, c.Base.Text) {
		return 0
	}
	if at := strings.Index(c.Theirs.Text, "\n"+c.Base.Text); at >= 0 {
		return strings.Count(c.Theirs.Text[:at+1], "\n")
	}
	return -1
}

// headOf returns the last heading of lines with the blank lines around it, or nil.
func headOf(lines []string) []string {
	at := len(lines) - 1
	for at >= 0 && !memory.IsHeading(lines[at]) {
		at--
	}
	if at < 0 {
		return nil
	}
	from, to := at, at+1
	for from > 0 && strings.TrimSpace(lines[from-1]) == "" {
		from--
	}
	for to < len(lines) && strings.TrimSpace(lines[to]) == "" {
		to++
	}
	return slices.Clone(lines[from:to])
}

// firstSaid returns the first line that is not blank.
func firstSaid(lines []string) string {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}
