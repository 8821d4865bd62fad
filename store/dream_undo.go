package store

import (
	"slices"
	"strings"

	"reverie/memory"
)

// undone takes the step from before to written back out of current, and keeps what was done to it since. It is the merge of
// before and current over written, but for one thing: lines that stand as they were written go, or come back, also when
// others were added directly in front of them or behind them, as the next dream adds its section behind this one's.
func undone(before, written, current string) (string, []memory.Conflict) {
	merged, conflicts := memory.Merge3(written, before, current)
	if len(conflicts) == 0 {
		return merged, nil
	}
	if changed := slices.DeleteFunc(slices.Clone(conflicts), func(c memory.Conflict) bool { return untouched(c) >= 0 }); len(changed) > 0 {
		return "", changed
	}
	base, theirs := slices.Collect(strings.Lines(written)), slices.Collect(strings.Lines(current))
	for _, c := range slices.Backward(conflicts) {
		ours := slices.Collect(strings.Lines(c.Ours.Text))
		from := c.Theirs.From - 1 + untouched(c)
		theirs = slices.Replace(theirs, from, from+c.Base.To-c.Base.From+1, ours...)
		base = slices.Replace(base, c.Base.From-1, c.Base.To, ours...)
	}
	if merged, again := memory.Merge3(strings.Join(base, ""), before, strings.Join(theirs, "")); len(again) == 0 {
		return merged, nil
	}
	return "", conflicts
}

// untouched finds the lines of the base of a conflict whole among those of the other side: how many lines stand in front of
// them; -1 when they do not, or there are none.
func untouched(c memory.Conflict) int {
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
