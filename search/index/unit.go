package index

import (
	"cmp"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/search"
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

// Unit is the smallest thing that is found: a chunk of a document, an entry of a daily note, or a turn of a conversation.
type Unit struct {
	Group    int64 // its source: one conversation, or one state of one document
	Seq      int64 // place in the source, from 1: the message's sequence number, or the number of the chunk
	Part     int   // of a turn that is too long for one unit, from 0, below MaxParts
	Section  int   // chunks below one heading of a document share it; 0 in conversations
	Length   int   // tokens of the body, as BM25 counts them
	At       int64 // when it was said or written, Unix seconds; 0: not known
	FromLine int   // 1-based, inclusive; lines of the document, or of the message
	ToLine   int
	Start    int // bytes of the document or message: text[Start:End]
	End      int
}

// Ordinal is Seq and Part as one number that orders the units of a source.
func (u Unit) Ordinal() int64 { return u.Seq*chunk.MaxParts + int64(u.Part) }

// Key names a unit.
func (u Unit) Key() UnitKey { return UnitKey{u.Group, u.Ordinal()} }

// Time is At as a time in UTC; the zero time when it is not known.
func (u Unit) Time() time.Time {
	if u.At == 0 {
		return time.Time{}
	}
	return time.Unix(u.At, 0).UTC()
}

// UnitKey names a unit for as long as its source is not indexed anew.
type UnitKey struct{ Group, Ordinal int64 }

// Compare orders units by source and place.
func (k UnitKey) Compare(other UnitKey) int {
	return cmp.Or(cmp.Compare(k.Group, other.Group), cmp.Compare(k.Ordinal, other.Ordinal))
}

// Collection is what one search looks at: all units of one corpus that the searcher may see, and where the terms of the
// question occur in them. Its statistics are those of exactly this view.
type Collection struct {
	Corpus  search.Corpus
	Units   []Unit      // ordered by Group, Seq, Part
	Body    [][]Posting // Body[i] is where any form of Query.Terms[i] occurs in the bodies; ordered by Unit
	Context [][]Posting // the same for the contexts
}

// Posting says that a term occurs in a unit.
type Posting struct {
	Unit int32 // index in Collection.Units
	TF   int32 // how often: of several forms, the one that occurs most
}
