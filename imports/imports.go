// Package imports reads memory that another system has kept: folders, archives and exports, as documents and conversations.
// It is pure: what it reads comes through fs.FS or an io.ReaderAt, is data, and is never trusted.
//
// A Tree is what a source consists of (Folder, Zip, File). Open finds out which system wrote it, and Source.Items reads it
// item by item: never more than one conversation is in memory, however large the export. Keys of items and ids of messages
// come from the source's own ids, or from what was said and in which place, so that reading again gives the same, and a
// later and larger export of the same system only adds.
package imports

import (
	"time"

	"reverie/memory"
)

// Format is where memory comes from.
type Format string

// Formats.
const (
	OpenClaw  Format = "openclaw"  // a workspace folder: AGENTS, SOUL, USER, MEMORY, memory/**, DREAMS
	MateClaw  Format = "mateclaw"  // a snapshot of documents, with or without manifest
	Reverie   Format = "reverie"   // a folder that was exported or is synced
	GoClaw    Format = "goclaw"    // an export of memory_documents
	MicroClaw Format = "microclaw" // a tree of AGENTS.md: global, channel, chat
	Mem0      Format = "mem0"      // JSON of memories
	Zep       Format = "zep"       // JSON of sessions, messages and facts
	ChatGPT   Format = "chatgpt"   // conversations.json
	Claude    Format = "claude"    // conversations.json
	LoCoMo    Format = "locomo"    // a file of long conversations
	Markdown  Format = "markdown"  // any folder of Markdown
)

// Limits of what is read. The sizes of documents and messages are those of memory.
const (
	// MaxFiles bounds the files of a folder or an archive; a workspace has hundreds, a tree with dependencies or a
	// whole home folder, chosen by mistake, has more.
	MaxFiles = 100_000
	// MaxRecordBytes bounds one element of an export, such as a conversation with its tree: the longest that people
	// report are some ten megabytes. It is what reading keeps in memory; a larger element is skipped.
	MaxRecordBytes = 64 << 20
	// MaxItemBytes bounds the words of one item. A longer conversation comes in several items, with the same
	// Conversation.ID and in order.
	MaxItemBytes = 4 << 20
	// MaxNotesBytes bounds the statements of one export that are gathered into notes (mem0, Zep), which have to be
	// known before the first note is written.
	MaxNotesBytes = 128 << 20
)

// Item is one thing to move in: a document, or a conversation. Exactly one of the two is set.
type Item struct {
	// Key tells it from every other item of the same source, and stays the same when the source is read again. It says
	// nothing about the person: "<format>/doc/<hash>", "<format>/talk/<hash>" and, from the second part of a long
	// conversation on, "<format>/talk/<hash>/2".
	Key          string        `json:"key"`
	Document     *Document     `json:"document,omitempty"`
	Conversation *Conversation `json:"conversation,omitempty"`
}

// Document is a Markdown file.
type Document struct {
	Path    string       `json:"path"`            // where it is to stand here, in the form of memory.ParsePath
	Source  string       `json:"source"`          // where it stood there
	Scope   memory.Scope `json:"scope"`           // PERSONAL or TEAM
	Owner   memory.Owner `json:"owner,omitempty"` // of PERSONAL; empty: whoever imports
	Content string       `json:"content"`
	At      time.Time    `json:"at,omitzero"` // last change, if it is known
}

// Conversation is a talk of one owner, with its own dates.
type Conversation struct {
	ID       string           `json:"id"`              // the source's, prefixed by the format
	Owner    memory.Owner     `json:"owner,omitempty"` // empty: whoever imports
	Title    string           `json:"title,omitempty"`
	Messages []memory.Message `json:"messages"` // in order of time, each with an id that stays the same and CreatedAt
}

// Skipped is what a source has and is not moved in.
type Skipped struct {
	Source string `json:"source"`          // path or id there
	Reason string `json:"reason"`          // what to do about it, or why there is nothing to do
	Count  int    `json:"count,omitempty"` // how many messages of Source, when it is not Source as a whole
}
