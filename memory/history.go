package memory

import (
	"slices"
	"strings"
	"time"

	"reverie/memory/markdown"
)

// BlameLine is a line of a document with the version that introduced it.
type BlameLine struct {
	Line         string // without its line break
	Version      int    // that introduced the line
	Author       Author
	Reason       string
	At           time.Time
	Conversation string
	Key          string // see Sources
	From, To     int64  // first message of the version's range, and To the last
	// Messages are the messages of the line, if known. Otherwise the line came from the whole range.
	Messages []int64
	Asked    bool // see LineSource
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
	lines, origins := markdown.LineOrigins(texts)
	out := make([]BlameLine, len(lines))
	sources := make([]map[string]LineSource, len(history)) // of each version, by LineKey: a line may have another list marker since
	for i, line := range lines {
		at := origins[i]
		if sources[at] == nil {
			sources[at] = sourcesByKey(history[at].Sources.Lines)
		}
		out[i] = blameLine(line, history[at], sources[at])
	}
	return out
}

// sourcesByKey returns the first source of each line.
func sourcesByKey(list []LineSource) map[string]LineSource {
	byKey := make(map[string]LineSource, len(list))
	for _, s := range list {
		key := markdown.LineKey(s.Line)
		if _, known := byKey[key]; !known {
			byKey[key] = s
		}
	}
	return byKey
}

func blameLine(line string, v Version, sources map[string]LineSource) BlameLine {
	b := BlameLine{
		Line: line, Version: v.Number, Author: v.Author, Reason: v.Reason, At: v.CreatedAt,
		Conversation: v.Sources.Conversation, From: v.Sources.From, To: v.Sources.To, Key: v.Sources.Key,
	}
	if len(sources) == 0 {
		return b
	}
	if s, known := sources[markdown.LineKey(line)]; known {
		b.Messages, b.Asked = s.Messages, s.Asked
		if s.Conversation != "" && len(s.Messages) > 0 {
			b.Conversation, b.From, b.To = s.Conversation, slices.Min(s.Messages), slices.Max(s.Messages)
		}
	}
	return b
}

// PersonLines returns the lines of the newest version that a person wrote or edited, with headings, without blank lines.
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
	BaseVersion int  // version that the author had read; 0 if the document was new
	Merged      bool // the base was stale, so both sides were merged by line
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

// Sources links a version to messages. The zero value means no messages.
type Sources struct {
	Conversation string `json:"conversation,omitempty"`
	From         int64  `json:"from,omitempty"` // first message sequence number
	To           int64  `json:"to,omitempty"`   // last message sequence number, inclusive
	Key          string `json:"key,omitempty"`  // with which a tool was called; of other authors: unknown
	// Lines links single lines of the version to messages. Lines not listed came from the whole range.
	Lines []LineSource `json:"lines,omitempty"`
}

// LineSource links one line of text to messages.
type LineSource struct {
	Line     string  `json:"line"` // as in the document, without the line break
	Messages []int64 `json:"messages"`
	// Conversation is set if Messages belong to another conversation than the version: a dream uses several.
	Conversation string `json:"conversation,omitempty"`
	// Day, as 2006-01-02, is the owner's day on which the last of Messages was written; empty: unknown.
	Day string `json:"day,omitempty"`
	// Asked is set if a person asked in one of Messages to remember what the line says.
	Asked bool `json:"asked,omitempty"`
}
