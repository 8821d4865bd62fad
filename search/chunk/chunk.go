// Package chunk cuts documents and turns of conversations into the pieces that are indexed.
package chunk

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

// Turn cuts one message of a conversation into the pieces that are found: normally one, the whole message. One that is
// longer than o.Tokens is cut as the section of a document is, into at most MaxParts parts with an overlap; where it would
// need more of them, they are longer. Context is the speaker, Seq and At are seq and at. A blank message has no pieces.
func Turn(seq int64, speaker, content string, at int64, o Options) []Piece {
	if isBlank(content) {
		return nil
	}
	o = o.settled()
	total := EstimateTokens(content)
	if total <= o.Tokens {
		return []Piece{{
			Seq: seq, Text: content, Context: speaker, At: at, End: len(content),
			FromLine: 1, ToLine: max(len(splitTextLines(content)), 1),
		}}
	}
	lines := scanLines(content)
	o.Tokens = max(o.Tokens, total/MaxParts+o.Overlap)
	for {
		c := newCutter(content, lines, o)
		cuts := c.cut(0, len(c.atoms))
		if len(cuts) > MaxParts {
			o.Tokens += o.Tokens / 4
			continue
		}
		out := make([]Piece, len(cuts))
		for i, cut := range cuts {
			out[i] = c.piece(cut)
			out[i].Seq, out[i].Part, out[i].Context, out[i].At = seq, i, speaker, at
		}
		return out
	}
}

// tokenWeight is how many units of weight make a token: weights are whole numbers, so that the weight of a text is exactly
// the sum of the weights of its parts.
const tokenWeight = 12

// Weights of characters, in twelfths of a token. Vocabularies of today take about four ASCII characters for a token, one
// character of a script without spaces, and one and a half of others; beyond the basic plane (rare ideographs, emoji) a
// character is more than one token.
const (
	asciiWeight     = tokenWeight / 4
	otherWeight     = tokenWeight * 2 / 3
	ideographWeight = tokenWeight
	astralWeight    = tokenWeight * 4 / 3
)

// EstimateTokens estimates how many tokens a model counts in text, without a vocabulary: one for each ideograph, syllable or
// kana, a third more for an emoji, a quarter for an ASCII character and two thirds for others, rounded up.
func EstimateTokens(text string) int { return (weigh(text) + tokenWeight - 1) / tokenWeight }

// weigh is the weight of text: weigh(a+b) is weigh(a)+weigh(b) wherever a character does not span both.
func weigh(text string) int {
	w := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			w += asciiWeight
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r > 0xFFFF:
			w += astralWeight
		case r >= 0x1100 && unicode.Is(ideographBlocks, r):
			w += ideographWeight
		default:
			w += otherWeight
		}
	}
	return w
}

// ideographBlocks are the blocks of the basic plane whose characters are about a token each.
var ideographBlocks = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x1100, Hi: 0x11FF, Stride: 1}, // hangul jamo
	{Lo: 0x2E80, Hi: 0x2FDF, Stride: 1}, // radicals
	{Lo: 0x3000, Hi: 0x312F, Stride: 1}, // punctuation, hiragana, katakana, bopomofo
	{Lo: 0x3130, Hi: 0x31FF, Stride: 1}, // hangul compatibility jamo, bopomofo and katakana extensions
	{Lo: 0x3200, Hi: 0x4DBF, Stride: 1}, // enclosed and squared, extension A
	{Lo: 0x4E00, Hi: 0xA4CF, Stride: 1}, // unified ideographs, Yi
	{Lo: 0xAC00, Hi: 0xD7FF, Stride: 1}, // hangul syllables, jamo extended B
	{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, // compatibility ideographs
	{Lo: 0xFF00, Hi: 0xFFEF, Stride: 1}, // half and full width forms
}}

// clockHeading is the heading of an entry in a daily note: a time of day with a separator or nothing behind it.
var clockHeading = regexp.MustCompile(`^([01]?\d|2[0-3])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?:\s|[-–—·|]|$)`)

// pathDay is the day that a document is about, by its name: the beginning of the date in UTC, the zero time without one.
func pathDay(name string) time.Time {
	base := path.Base(name)
	if len(base) < len(time.DateOnly) {
		return time.Time{}
	}
	day, rest := base[:len(time.DateOnly)], base[len(time.DateOnly):]
	if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return time.Time{}
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}
	}
	return at
}

// clockOf reads the time of day at the beginning of a heading, as the time since midnight.
func clockOf(heading string) (clock time.Duration, found bool) {
	m := clockHeading.FindStringSubmatch(heading)
	if m == nil {
		return 0, false
	}
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi(m[i+1]) // digits, or nothing for the seconds
		clock += time.Duration(n) * unit
	}
	return clock, true
}
