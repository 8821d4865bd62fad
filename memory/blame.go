package memory

import (
	"slices"
	"strings"
	"time"
)

// BlameLine says for one line of a document since when it stands there and why.
type BlameLine struct {
	Line         string // without its line break
	Version      int    // in which it came in
	Author       Author
	Reason       string
	At           time.Time
	Conversation string
	From, To     int64 // the version's range of messages
	// Messages are those that the line came from, where that is known; else it came from the range as a whole.
	Messages []int64
}

// Blame tells for each line of the newest version in which version it came in. history runs from the oldest version to
// the wanted one, with contents; versions that mark the document as deleted are passed over, since the text is the same
// when it comes back.
//
// A line that only moved, or got another list marker or indentation, keeps its origin: it still is what its author wrote.
func Blame(history []Version) []BlameLine {
	var (
		lines []string
		since []int // index in history, for each line
	)
	for n, version := range history {
		if version.Deleted {
			continue
		}
		next := lineTexts(version.Content)
		since = carried(lines, next, since, n)
		lines = next
	}
	out := make([]BlameLine, len(lines))
	for i, line := range lines {
		out[i] = blameLine(line, history[since[i]])
	}
	return out
}

// carried tells for the lines of version n since which version they stand there. since tells it for those of the version before.
func carried(before, after []string, since []int, n int) []int {
	hunks := diffLines(before, after)
	if len(hunks) == 0 {
		return since
	}
	out := make([]int, 0, len(after))
	gone := map[string][]int{} // origins of the lines that went away, by what they say
	at := 0
	for _, h := range hunks {
		out = append(out, since[at:h.aFrom]...)
		for i := h.aFrom; i < h.aTo; i++ {
			if said := bare(before[i]); said != "" {
				gone[said] = append(gone[said], since[i])
			}
		}
		out = append(out, slices.Repeat([]int{n}, h.bTo-h.bFrom)...)
		at = h.aTo
	}
	out = append(out, since[at:]...)
	for _, h := range hunks {
		for i := h.bFrom; i < h.bTo && len(gone) > 0; i++ {
			said := bare(after[i])
			if origins := gone[said]; len(origins) > 0 {
				out[i], gone[said] = origins[0], origins[1:]
			}
		}
	}
	return out
}

func blameLine(line string, v Version) BlameLine {
	b := BlameLine{
		Line: line, Version: v.Number, Author: v.Author, Reason: v.Reason, At: v.CreatedAt,
		Conversation: v.Sources.Conversation, From: v.Sources.From, To: v.Sources.To,
	}
	for _, s := range v.Sources.Lines {
		if s.Line == line || bare(s.Line) == bare(line) { // another list marker since
			b.Messages = s.Messages
			if s.Conversation != "" && len(s.Messages) > 0 {
				b.Conversation, b.From, b.To = s.Conversation, slices.Min(s.Messages), slices.Max(s.Messages)
			}
			break
		}
	}
	return b
}

// PersonLines are the lines of the newest version that a person wrote or edited, headings included, without blank ones.
func PersonLines(history []Version) []string {
	var out []string
	for _, b := range Blame(history) {
		if b.Author.Kind == AuthorUser && strings.TrimSpace(b.Line) != "" {
			out = append(out, b.Line)
		}
	}
	return out
}
