package index

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/chunk"
)

// Entry is a unit with its terms, ready to be indexed.
type Entry struct {
	Unit
	Terms map[TermID]int // frequency of each, from 1
}

// TermID identifies a term in an index.
type TermID uint64

// Field is the part of a unit in which a term occurs.
type Field uint8

const (
	// Body is the text itself.
	Body Field = iota
	// Context is the surroundings: path and headings, or the speaker.
	Context
)

// ID returns the term ID of a form in the field: the first TermBits of an xxhash, never 0.
func (f Field) ID(form string) TermID {
	var buffer [language.MaxForm + 16]byte
	sum := xxhash.Sum64(append(append(buffer[:0], byte(f)), form...))
	return max(TermID(sum>>(64-TermBits)), 1)
}

// Entries analyses the pieces of the source group for an index. at is the time of the source in Unix seconds, 0 if
// unknown. Blank pieces are skipped; a piece without terms becomes a unit of length 0.
func Entries(group, at int64, pieces []chunk.Piece) []Entry {
	entries := make([]Entry, 0, len(pieces))
	indexer := analysis.NewIndexer()
	for _, p := range pieces {
		if strings.TrimSpace(p.Text) == "" {
			continue
		}
		terms := make(map[TermID]int, expectedTerms(p.Text))
		length := indexer.Piece(p.Text, p.Context,
			func(form string) { terms[Body.ID(form)]++ },
			func(form string) {
				terms[Context.ID(form)]++
				if sound := analysis.Sound(form); p.Voiced && sound != "" {
					terms[Context.ID(sound)]++
				}
			})
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

// expectedTerms estimates the number of distinct terms of a text: one word per six bytes, each with a stem.
func expectedTerms(text string) int { return len(text) / 3 }

// Unit is the smallest searchable item: a chunk of a document, an entry of a daily note, or a turn of a conversation.
type Unit struct {
	Group    int64 // source: one conversation, or one state of one document
	Seq      int64 // place in the source, from 1: the message's sequence number, or the number of the chunk
	Part     int   // part of a turn that is too long for one unit, from 0, below MaxParts
	Section  int   // shared by chunks below one heading of a document, see chunk.Archived; of a message, its chunk.Voice
	Length   int   // tokens of the body, as BM25 counts them
	At       int64 // when it was said or written, Unix seconds; 0 if unknown
	FromLine int   // 1-based, inclusive; lines of the document, or of the message
	ToLine   int
	Start    int // bytes of the document or message: text[Start:End]
	End      int
}

// Ordinal returns Seq and Part as one number that orders the units of a source.
func (u Unit) Ordinal() int64 { return u.Seq*chunk.MaxParts + int64(u.Part) }

// Key returns the key of the unit.
func (u Unit) Key() UnitKey { return UnitKey{u.Group, u.Ordinal()} }

// Archived reports whether the unit of a document is archived.
func (u Unit) Archived() bool { return chunk.Archived(u.Section) }

// Time returns At in UTC, or the zero time if unknown.
func (u Unit) Time() time.Time {
	if u.At == 0 {
		return time.Time{}
	}
	return time.Unix(u.At, 0).UTC()
}

// UnitKey identifies a unit until its source is reindexed.
type UnitKey struct{ Group, Ordinal int64 }

// Compare orders units by source and place.
func (k UnitKey) Compare(other UnitKey) int {
	return cmp.Or(cmp.Compare(k.Group, other.Group), cmp.Compare(k.Ordinal, other.Ordinal))
}

// Collection is the view of one search: all units of one corpus that the searcher may see, and the postings of the
// question's terms in them. Its statistics cover exactly this view.
type Collection struct {
	Corpus  search.Corpus
	Units   []Unit      // ordered by Group, Seq, Part
	Body    [][]Posting // Body[i] are the postings of all forms of Query.Searched()[i] in the bodies, by Unit; none of stop words
	Context [][]Posting // the same for the contexts, with stop words, which may be names
}

// Without returns the collection without some of its units, and is the collection itself if it has none of them.
func (c *Collection) Without(drop func(Unit) bool) *Collection {
	if !slices.ContainsFunc(c.Units, drop) {
		return c
	}
	kept := &Collection{Corpus: c.Corpus, Body: make([][]Posting, len(c.Body)), Context: make([][]Posting, len(c.Context))}
	places := make([]int32, len(c.Units)) // -1: dropped
	for i, u := range c.Units {
		if places[i] = -1; !drop(u) {
			places[i] = int32(len(kept.Units))
			kept.Units = append(kept.Units, u)
		}
	}
	for i := range c.Body {
		kept.Body[i], kept.Context[i] = moved(c.Body[i], places), moved(c.Context[i], places)
	}
	return kept
}

// moved returns the postings of units that have places.
func moved(postings []Posting, places []int32) (out []Posting) {
	for _, p := range postings {
		if p.Unit = places[p.Unit]; p.Unit >= 0 {
			out = append(out, p)
		}
	}
	return out
}

// Posting records that a term occurs in a unit.
type Posting struct {
	Unit int32 // index in Collection.Units
	TF   int32 // frequency of the most frequent form
}
