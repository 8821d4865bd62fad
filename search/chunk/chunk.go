package chunk

import (
	"strings"

	"reverie/language/sentence"
)

// Version is part of an index's identity: it grows with every change of what ChunkDocument or ChunkTurn return for a
// text.
const Version = 1

// Piece is a stretch of a text that becomes one unit.
type Piece struct {
	Seq      int64 // as in Unit; for turns it is set by the caller
	Part     int
	Section  int
	Text     string // exactly source[Start:End]
	Context  string // what encloses it, indexed as a field of its own: path and headings, or who speaks
	FromLine int
	ToLine   int
	Start    int
	End      int
	At       int64 // 0: the source's time
}

// MaxParts bounds Part, so that Seq and Part fit into one number.
const MaxParts = 1 << 8

// Options bound a piece. The zero value means the defaults.
type Options struct {
	// Tokens is how large a piece may be, overlap included, as EstimateTokens counts; from 16. The headings that a piece
	// begins with may come on top, up to an eighth of it, so that a block that fits is not cut because of them.
	Tokens int
	// Overlap is about how much of a piece is said again at the beginning of the next one; from 0 to half of Tokens.
	// It is whole blocks, list items or lines, so that it may be up to twice as much, or nothing where only a larger block
	// could be repeated. A negative number means none.
	Overlap int
}

// DefaultOptions are OpenClaw's figures: 400 tokens with 80 overlap.
func DefaultOptions() Options { return Options{Tokens: 400, Overlap: 80} }

// minChunkTokens is the least that Tokens can be: below it pieces are words.
const minChunkTokens = 16

// settled replaces what is missing or out of bounds.
func (o Options) settled() Options {
	if o == (Options{}) {
		o = DefaultOptions()
	}
	if o.Tokens <= 0 {
		o.Tokens = DefaultOptions().Tokens
	}
	o.Tokens = max(o.Tokens, minChunkTokens)
	o.Overlap = min(max(o.Overlap, 0), o.Tokens/2)
	return o
}

// Document cuts a Markdown document into the pieces that are found. Together they hold everything but blanks.
//
// A section is a piece of its own, so that what is found is about one thing; sections of one or two sentences that follow
// each other under the same heading share one. A heading without text belongs to what follows under it. In a document whose
// name begins with a date (memory/2026-01-31-trip.md), each section that begins with a time of day ("## 14:05 New city"),
// with all its subsections, is a piece of its own, however short; At is that time, or else the beginning of the date, as if
// the clock on the wall were in UTC.
//
// What is longer than o.Tokens is cut where it hurts least: between subsections, blocks, list items, then lines, sentences,
// words. Blocks of any kind, lists, tables and fences among them, stay whole unless they are too long by themselves. Grapheme
// clusters stay whole. The pieces of a section are about equally long, and each but the first begins with the end of the one
// in front of it.
//
// Context is the path with the enclosing headings, from the outermost, joined with " > "; where a list or a table had to be cut,
// followed by the items around the piece or the head of the table. Sections are numbered from 1, pieces as well.
func Document(path, content string, o Options) []Piece {
	if isBlank(content) {
		return nil
	}
	o = o.settled()
	doc := outlineOf(content, pathDay(path))
	cutter := newCutter(content, doc.lines, o)
	var out []Piece
	for number, group := range doc.groups(cutter) {
		for _, cut := range cutter.cut(group.from, group.to) {
			section := doc.sectionOf(cutter.lines(cut.own, cut.to))
			piece := cutter.piece(cut)
			piece.Seq = int64(len(out) + 1)
			piece.Section = number + 1
			piece.Context = doc.context(path, content, section, piece.FromLine-1)
			piece.At = doc.sections[section].at
			out = append(out, piece)
		}
	}
	return out
}

// isBlank reports whether content has nothing to find.
func isBlank(content string) bool {
	return strings.TrimSpace(strings.TrimPrefix(content, sentence.ByteOrderMark)) == ""
}
