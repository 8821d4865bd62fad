package memory

import (
	"slices"
	"strings"
)

const (
	// minAttribution is the share of a line's terms that a message must have to be named as where the line came from.
	minAttribution = 0.5
	// maxAttributed is how many messages are named for one line.
	maxAttributed = 3
)

// Attribute ties each line of after that is not in before to the messages that share its words, best first three, in
// order. A line that no message resembles is left out: it came from the conversation as a whole.
func Attribute(before, after string, transcript []Line) []LineSource {
	old := map[string]bool{}
	for line := range strings.Lines(before) {
		old[bare(line)] = true
	}
	said := make([]map[string]bool, len(transcript))
	for i, l := range transcript {
		said[i] = words(l.Text)
	}
	var out []LineSource
	seen := map[string]bool{}
	for line := range strings.Lines(after) {
		line = strings.TrimRight(line, "\r\n")
		text := bare(line)
		if text == "" || strings.HasPrefix(text, "#") || old[text] || seen[line] {
			continue
		}
		seen[line] = true
		if from := resembling(words(text), said, transcript); len(from) > 0 {
			out = append(out, LineSource{Line: line, Messages: from})
		}
	}
	return out
}

// resembling are the sequence numbers of the messages that share most of the terms with one another's best.
func resembling(terms map[string]bool, said []map[string]bool, transcript []Line) []int64 {
	type match struct {
		seq    int64
		common int
	}
	var matches []match
	for i := range said {
		if common := shared(terms, said[i]); common > 0 && float64(common) >= minAttribution*float64(len(terms)) {
			matches = append(matches, match{transcript[i].Seq, common})
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return b.common - a.common })
	var out []int64
	for _, m := range matches[:min(len(matches), maxAttributed)] {
		out = append(out, m.seq)
	}
	slices.Sort(out)
	return out
}
