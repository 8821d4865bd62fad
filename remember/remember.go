// Package remember reads explicit requests to remember, without a model and free of I/O: what a message asks to keep, and what
// that means for the documents as they are.
package remember

// Request is what a message asks to be remembered.
type Request struct {
	Text     string // what to keep, as one statement, in the user's words
	Language string // en, zh, vi, es, de, ja
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

// Decision is what is to become of MEMORY.md.
type Decision struct {
	Kind    Kind
	Line    string // the line that stands there afterwards, or stands there already
	Old     string // of corrected: the line that gives way
	Content string // the full new text; empty when nothing changes
}

// Decide works a request into MEMORY.md: an exact repeat changes nothing, a correction takes the place of what it corrects, all
// else becomes a line under "## Remembered".
func Decide(r Request, memory string) Decision { return Decision{} }
