// Package foldersync synchronises a folder of files with the documents of an agent, in both directions.
//
// Decide defines the policy as a function of three states. Effects may be interrupted at any point: a side is replaced only
// if it is unchanged since the decision, and the common base is recorded after the effect. A text displaced from a file is
// kept in a conflict file next to it.
package foldersync

import (
	"context"
	"errors"
	"strings"
	"time"

	"reverie/memory"
)

// stateFolder is the folder below the synced one that holds the state of the synchronisation.
const stateFolder = ".reverie"

// documentSuffix is the suffix of the names of document files.
const documentSuffix = ".md"

// folded returns the form of a name that case-insensitive file systems compare.
func folded(name string) string { return strings.ToLower(name) }

// Remote is the server's side: the documents that a key and an owner may read.
type Remote interface {
	// List returns the documents, without deleted ones.
	List(ctx context.Context) ([]Entry, error)
	// Read returns the current version of a document, or ErrGone.
	Read(ctx context.Context, ref memory.Ref) (Document, error)
	// Write writes a version. It returns ErrStale when the write is based on another version and cannot be merged, and *Refusal
	// when the server does not accept the text. Repeated with its key, it returns the first receipt.
	Write(ctx context.Context, w Write) (Receipt, error)
	// Delete marks a document as deleted if the version named by match is the current one; otherwise it returns ErrStale.
	// Deleting a deleted document succeeds.
	Delete(ctx context.Context, ref memory.Ref, match, key string) error
	// Wait returns when something may have changed since the previous Wait. The first call returns as soon as
	// later changes can be noticed. After an error, changes may be missed.
	Wait(ctx context.Context) error
}

// Entry is a document in a list.
type Entry struct {
	Ref     memory.Ref
	Owner   memory.Owner // of PERSONAL
	Sum     Sum
	ETag    string
	Version int
	Bytes   int
}

// Document is a document with its text.
type Document struct {
	Entry
	Content string
}

// Write is a request to store the text of a document.
type Write struct {
	Ref     memory.Ref
	Content string
	Match   string // ETag of the base version; empty: the document does not exist
	Key     string // idempotency key
}

// Receipt is the outcome of a Write.
type Receipt struct {
	Sum            Sum // of the document now
	ETag           string
	Version        int
	Added, Removed int  // lines
	Merged         bool // with a concurrent version
	Redacted       bool // the server removed a part of the text: secrets or invisible characters
}

var (
	// ErrGone means that there is no such document.
	ErrGone = errors.New("the document is gone")
	// ErrStale means that the document has changed since it was read.
	ErrStale = errors.New("the document was changed concurrently")
	// ErrAway is wrapped by errors of an unreachable or busy server: try again later.
	ErrAway = errors.New("the server is away")
)

// Refusal means that the server does not accept a text. A retry does not help.
type Refusal struct {
	Reason string // message for a person
	// Everywhere means that the refusal does not depend on the text: the key cannot write anything of the scope.
	Everywhere bool
}

func (e *Refusal) Error() string { return e.Reason }

// Kind is the kind of an Event.
type Kind string

// Kinds of events.
const (
	Pulled       Kind = "pulled"        // the file was updated from the server
	Pushed       Kind = "pushed"        // the server was updated from the file
	Merged       Kind = "merged"        // changes of both sides were merged on the server
	Conflicted   Kind = "conflict"      // both changed the same lines: the local text is kept in a conflict file
	Redacted     Kind = "redacted"      // the server removed a part of a text; the full text is kept in a conflict file
	DeletedHere  Kind = "deleted-here"  // deleted in the folder, as on the server
	DeletedThere Kind = "deleted-there" // deleted on the server, as in the folder
	Refused      Kind = "refused"       // the server refused it; the file is unchanged
	OneWay       Kind = "one-way"       // changes of a scope or file are not sent
	Ignored      Kind = "ignored"       // the file or document is not synced
	Kept         Kind = "kept"          // a change during a replacement is kept in a conflict file
	Away         Kind = "away"          // the server cannot be reached
	Back         Kind = "back"          // it can be reached again
	InStep       Kind = "in-step"       // both sides are in sync, as far as possible
	Held         Kind = "held"          // all files are missing: nothing is deleted without DeleteAll
	Unreadable   Kind = "unreadable"    // the file cannot be read or written
)

// Event reports one change or problem. It contains no document text.
type Event struct {
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Place   string    `json:"place,omitempty"`   // path of the file in the folder
	Scope   string    `json:"scope,omitempty"`   // of the document
	Version int       `json:"version,omitempty"` // on the server
	Added   int       `json:"added,omitempty"`   // lines
	Removed int       `json:"removed,omitempty"` // lines
	Keeps   string    `json:"keeps,omitempty"`   // the conflict file
	Reason  string    `json:"reason,omitempty"`
	Count   int       `json:"count,omitempty"`   // documents, or files
	Refused int       `json:"refused,omitempty"` // files that are not in sync
}
