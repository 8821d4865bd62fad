// Package remember reads explicit requests to remember, without a model and free of I/O: what a message asks to keep, and what
// that means for the documents as they are.
package remember

// Request is what a message asks to be remembered.
type Request struct {
	Text     string // what to keep, in the user's words: one statement, or one on each line
	Language string // en, zh, vi, es, de, ja, fr, pt, ko
}

// Kind is what a request comes to.
type Kind string

// Kinds.
const (
	KindNew       Kind = "saved"
	KindKnown     Kind = "known"     // a line says it already
	KindCorrected Kind = "corrected" // another line said otherwise and gives way
	KindUnclear   Kind = "unclear"   // there is nothing in it that could be kept
)

// Decision is what is to become of MEMORY.md. Of several statements it is Corrected when one of them corrects a line, else New
// when one is new.
type Decision struct {
	Kind    Kind
	Line    string // what stands there afterwards, or stands there already; of several statements one on each line
	Old     string // of corrected: what gives way
	Content string // the full new text; empty when nothing changes
	Items   []Item // of each statement, in their order
}

// Item is what becomes of one statement.
type Item struct {
	Kind Kind
	Line string
	Old  string
}
