package memory

import (
	"slices"
	"strings"
)

// ReplaceEntries puts a text in the place of entries of a note: it stands where the first one stood, and the others go. Without a
// text all of them go. Other lines stay as they are. It reports false when the entries do not all stand in the note any more, line
// for line and in their order: somebody has edited them, or there are none.
func ReplaceEntries(note string, entries []string, with string) (string, bool) {
	lines := splitLines(note)
	var out []string
	at := 0
	for i, entry := range entries {
		sought := lineTexts(strings.Trim(entry, "\r\n"))
		found := indexLines(lines[at:], sought)
		if found < 0 {
			return "", false
		}
		out = append(out, lines[at:at+found]...)
		at += found + len(sought)
		if i == 0 && with != "" {
			out = append(out, strings.Trim(with, "\r\n")+"\n")
			continue
		}
		for at < len(lines) && strings.TrimSpace(lines[at]) == "" { // one blank line stands in front of it
			at++
		}
	}
	if at == 0 {
		return "", false
	}
	out = append(out, lines[at:]...)
	return strings.TrimRight(strings.Join(out, ""), "\r\n") + "\n", true
}

// indexLines finds lines one behind the other, whatever their line breaks; -1: they do not stand there.
func indexLines(lines, sought []string) int {
	if len(sought) == 0 {
		return -1
	}
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = lineText(line)
	}
	for i := range len(texts) - len(sought) + 1 {
		if slices.Equal(texts[i:i+len(sought)], sought) {
			return i
		}
	}
	return -1
}
