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

// Blame returns for each line of the newest version the version that introduced it. history runs from the oldest version to
// the wanted one, with contents. Versions that mark the document as deleted are skipped, because the text is the same when
// it is restored.
//
// A line that only moved, or got another list marker or indentation, keeps its origin: it is still what its author wrote.
func Blame(history []Version) []BlameLine {
	history = slices.DeleteFunc(slices.Clone(history), func(v Version) bool { return v.Deleted })
	texts := make([]string, len(history))
	for i, v := range history {
		texts[i] = v.Content
	}
	lines, origins := LineOrigins(texts)
	out := make([]BlameLine, len(lines))
	for i, line := range lines {
		out[i] = blameLine(line, history[origins[i]])
	}
	return out
}

func blameLine(line string, v Version) BlameLine {
	b := BlameLine{
		Line: line, Version: v.Number, Author: v.Author, Reason: v.Reason, At: v.CreatedAt,
		Conversation: v.Sources.Conversation, From: v.Sources.From, To: v.Sources.To,
	}
	for _, s := range v.Sources.Lines {
		if s.Line == line || SameLine(s.Line) == SameLine(line) { // another list marker since
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

// Version is one entry of a document's history.
type Version struct {
	Number      int
	BaseVersion int  // the version its author had seen; 0 when the document was new
	Merged      bool // the base was stale, and both sides were merged by line
	Deleted     bool // this version marks the document as deleted
	Content     string
	SHA256      [32]byte
	Author      Author
	Reason      string
	Sources     Sources
	Added       int // lines
	Removed     int // lines
	CreatedAt   time.Time
}

// Sources says from which messages a version came. The zero value means: from none.
type Sources struct {
	Conversation string `json:"conversation,omitempty"`
	From         int64  `json:"from,omitempty"` // first message sequence number
	To           int64  `json:"to,omitempty"`   // last message sequence number, inclusive
	// Lines tells for single lines of the version which messages they came from; lines that are not listed came
	// from the range as a whole.
	Lines []LineSource `json:"lines,omitempty"`
}

// LineSource ties one line of text to the messages that it came from.
type LineSource struct {
	Line     string  `json:"line"` // as it stands in the document, without the line break
	Messages []int64 `json:"messages"`
	// Conversation is the one of Messages when it is not that of the version: a dream's lines come from several.
	Conversation string `json:"conversation,omitempty"`
}
