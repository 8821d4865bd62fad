package foldersync

import (
	"context"
	"errors"

	"reverie/memory"
)

// Remote is the server's side: the documents that a key and an owner may read.
type Remote interface {
	// List returns the documents that there are, without those that were deleted.
	List(ctx context.Context) ([]Entry, error)
	// Read returns a document as it is now, or ErrGone.
	Read(ctx context.Context, ref memory.Ref) (Document, error)
	// Write makes a version. It returns ErrStale when the document is not what the write is based on and cannot be merged, and
	// *Refusal. The same key with the same write gives the first receipt again.
	Write(ctx context.Context, w Write) (Receipt, error)
	// Delete marks a document as deleted if the version named by match is the current one; else it returns ErrStale. A
	// document that is gone already is deleted.
	Delete(ctx context.Context, ref memory.Ref, match, key string) error
	// Wait returns when something may have changed since the Wait before it. The first one returns as soon as nothing is missed
	// from then on. An error means that it cannot be known for the moment.
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

// Write is a text for a document.
type Write struct {
	Ref     memory.Ref
	Content string
	Match   string // the ETag that it is based on; empty: there is no such document
	Key     string // idempotency key
}

// Receipt tells what became of a Write.
type Receipt struct {
	Sum            Sum // of the document now
	ETag           string
	Version        int
	Added, Removed int  // lines
	Merged         bool // with a version that was made meanwhile
	Redacted       bool // something of the text was not taken: secrets, characters that cannot be seen
}

var (
	// ErrGone means that there is no such document.
	ErrGone = errors.New("the document is gone")
	// ErrStale means that the document was changed meanwhile: look again.
	ErrStale = errors.New("the document was changed meanwhile")
	// ErrAway is in the tree of an error when the server cannot be reached or is busy: try again later.
	ErrAway = errors.New("the server is away")
)

// Refusal means that the server does not take a text, and would not take it another time.
type Refusal struct {
	Reason string // in words, for a person
	// Everywhere says that it is not about this text: nothing of the same scope can be written with this key.
	Everywhere bool
}

func (e *Refusal) Error() string { return e.Reason }
