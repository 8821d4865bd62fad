// Package remember handles explicit requests to remember, without a model and free of I/O: it parses them from messages and
// decides how they change MEMORY.md.
package remember

// Request is the content of an explicit request to remember.
type Request struct {
	Text     string // text to keep, in the user's words: one statement per line
	Language string // en, zh, vi, es, de, ja, fr, pt, ko, it, ru, ar
}

// Kind is the outcome of a request.
type Kind string

// Kinds.
const (
	KindNew       Kind = "saved"
	KindKnown     Kind = "known"     // already in MEMORY.md
	KindCorrected Kind = "corrected" // replaces a line with another value
	KindUnclear   Kind = "unclear"   // contains nothing to keep
)

// Decision is the effect of a request on MEMORY.md. With several statements its Kind is KindCorrected when one of them
// corrects a line, else KindNew when one is new.
type Decision struct {
	Kind    Kind
	Line    string // the line in MEMORY.md, new or existing; one per statement
	Old     string // the replaced line of a correction
	Content string // the full new text; empty when nothing changes
	Items   []Item // one for each statement, in order
}

// Item is the outcome of one statement.
type Item struct {
	Kind Kind
	Line string
	Old  string
}
