package markdown

import "strings"

// Patch3 applies the changes of ours to theirs like Merge3, but never conflicts: where both sides changed the same lines, those of
// theirs stay, and the lines that ours adds are put beside them. A nested item that ours adds is left out if theirs has changed the
// item that it belongs to.
func Patch3(base, ours, theirs string) string {
	m := merger{base: mergeLines(base), ours: mergeLines(ours), theirs: mergeLines(theirs), beside: true}
	m.mine, m.other = diffLines(m.base, m.ours), diffLines(m.base, m.theirs)
	m.run()
	out := strings.Join(m.out, "\n")
	if len(m.out) > 0 {
		out += "\n"
	}
	return out
}

// besides merges an edit of base into theirs, which edits the same lines.
func besides(base, ours, theirs []string) []string {
	stands := map[string]bool{}
	for _, line := range append(append([]string(nil), base...), theirs...) {
		stands[LineKey(line)] = true
	}
	var first, last []string
	var above []string // lines of ours that enclose the next one
	isAdded := map[string]bool{}
	for _, line := range ours {
		if isBlank(line) {
			continue
		}
		depth := indentOf(line)
		for len(above) > 0 && indentOf(above[len(above)-1]) >= depth {
			above = above[:len(above)-1]
		}
		if !stands[LineKey(line)] {
			switch {
			case depth == 0, len(above) > 0 && isAdded[above[len(above)-1]]:
				last, isAdded[line] = append(last, line), true
			case len(above) == 0: // belongs to a line in front of all that both changed
				first, isAdded[line] = append(first, line), true
			}
		}
		above = append(above, line)
	}
	out := append(first, theirs...)
	for i, line := range last {
		if i == 0 && len(out) > 0 && !isBlank(out[len(out)-1]) && joinsText(line) || i > 0 && headingLine(line) {
			out = append(out, "")
		}
		out = append(out, line)
	}
	return out
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func headingLine(line string) bool {
	level, _ := headingOf(line)
	return level > 0
}

// joinsText reports whether a line would continue the paragraph or item in front of it, or needs space as a heading.
func joinsText(line string) bool {
	_, isItem := unlisted(strings.TrimLeft(line, " \t"))
	return !isItem
}
