package memory

import "strings"

// splitLines splits s into its lines, each with its line break. The last one may have none; an empty text has no line.
func splitLines(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for line := range strings.Lines(s) {
		lines = append(lines, line)
	}
	return lines
}

// lineText is a line without its line break, "\n" or "\r\n".
func lineText(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// lineTexts splits s into its lines without their line breaks.
func lineTexts(s string) []string {
	lines := splitLines(s)
	for i, line := range lines {
		lines[i] = lineText(line)
	}
	return lines
}
