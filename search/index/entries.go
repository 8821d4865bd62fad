package index

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/search/chunk"
)

// Entry is a unit with its terms: what goes into an index.
type Entry struct {
	Unit
	Terms map[TermID]int // how often each occurs, from 1
}

// TermID identifies a term in an index.
type TermID uint64

// Field is where in a unit a term occurs.
type Field uint8

const (
	// Body is the text itself.
	Body Field = iota
	// Context is what encloses it.
	Context
)

// ID is what an index keeps of a form in the field: the first TermBits of an xxhash, never 0.
func (f Field) ID(form string) TermID {
	var buffer [language.MaxForm + 16]byte
	sum := xxhash.Sum64(append(append(buffer[:0], byte(f)), form...))
	return max(TermID(sum>>(64-TermBits)), 1)
}

// Entries analyses the pieces of the source group for an index. at is when the source was written, in Unix seconds, 0 when it is
// unknown. A blank piece is left out; a piece without terms becomes a unit of length 0.
func Entries(group, at int64, pieces []chunk.Piece) []Entry {
	entries := make([]Entry, 0, len(pieces))
	indexer := analysis.NewIndexer()
	for _, p := range pieces {
		if strings.TrimSpace(p.Text) == "" {
			continue
		}
		terms := make(map[TermID]int, expectedTerms(p.Text))
		length := indexer.Piece(p.Text, p.Context,
			func(form string) { terms[Body.ID(form)]++ }, func(form string) { terms[Context.ID(form)]++ })
		e := Entry{
			Unit: Unit{
				Group: group, Seq: p.Seq, Part: p.Part, Section: p.Section, Length: length, At: p.At,
				FromLine: p.FromLine, ToLine: p.ToLine, Start: p.Start, End: p.End,
			},
			Terms: terms,
		}
		if e.At == 0 {
			e.At = at
		}
		entries = append(entries, e)
	}
	return entries
}

// expectedTerms estimates how many distinct terms a text has: a word in six bytes, each with a stem.
func expectedTerms(text string) int { return len(text) / 3 }
