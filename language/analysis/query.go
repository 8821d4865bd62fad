package analysis

import "reverie/language/date"

// Query is a question after analysis.
type Query struct {
	Text    string // as it was asked
	Terms   []QueryTerm
	Phrases []Phrase
	Periods []date.Period
}

// TermKind tells how a term was made.
type TermKind uint8

const (
	// Word is a word of a script that separates words.
	Word TermKind = iota
	// Ideographs are one or two characters of a script that does not.
	Ideographs
	// Identifier is a name of more than one part as a whole, such as db_port or user@example.
	Identifier
	// Number is made of digits.
	Number
)

// QueryTerm is one thing that the question asks for. A unit that has any of its forms has it.
type QueryTerm struct {
	Text  string   // as it was written
	Forms []string // after analysis, distinct, at least one: the word itself first, then its stems
	Kind  TermKind
	// Stop says that the word is so common in its language that it decides nothing. A query of stop words only has none
	// that is marked.
	Stop bool
}

// Phrase is a sequence of words that the question has in quotes, or an identifier: found where they stand together.
type Phrase struct {
	Text   string // folded as the analyser folds it
	Quoted bool
}
