package foldersync

import "time"

// Kind is what an Event tells.
type Kind string

// Kinds of events.
const (
	Pulled       Kind = "pulled"        // the file has what the server has
	Pushed       Kind = "pushed"        // the server has what the file has
	Merged       Kind = "merged"        // what both changed was brought together, on the server
	Conflicted   Kind = "conflict"      // both changed the same lines: the server's text stands, the file's is kept beside it
	Redacted     Kind = "redacted"      // the server did not take all of a text; the whole is kept beside it
	DeletedHere  Kind = "deleted-here"  // as on the server
	DeletedThere Kind = "deleted-there" // as in the folder
	Refused      Kind = "refused"       // the server does not take it; the file stays as it is
	OneWay       Kind = "one-way"       // nothing of a scope can be sent
	Ignored      Kind = "ignored"       // the file or document is not synced
	Kept         Kind = "kept"          // a change that came at the very moment of writing is kept beside the file
	Away         Kind = "away"          // the server cannot be reached
	Back         Kind = "back"          // it can be reached again
	InStep       Kind = "in-step"       // both sides are equal, as far as they may be
	Held         Kind = "held"          // so many files are gone that nothing is deleted without being told
	Unreadable   Kind = "unreadable"    // the file cannot be read or written
)

// Event is one thing that happened, for a person or a program. It never has contents.
type Event struct {
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Place   string    `json:"place,omitempty"`   // path of the file in the folder
	Scope   string    `json:"scope,omitempty"`   // of the document
	Version int       `json:"version,omitempty"` // on the server
	Added   int       `json:"added,omitempty"`   // lines
	Removed int       `json:"removed,omitempty"` // lines
	Keeps   string    `json:"keeps,omitempty"`   // the file that keeps what could not stand
	Reason  string    `json:"reason,omitempty"`
	Count   int       `json:"count,omitempty"`   // documents, or files
	Refused int       `json:"refused,omitempty"` // files that are not in step
}
