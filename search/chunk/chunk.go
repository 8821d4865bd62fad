// Package chunk cuts documents and conversation turns into the pieces that are indexed.
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

// Version is part of an index's identity. It must be incremented with every change to the output of Document or Turn.
const Version = 1

// Piece is a part of a text that becomes one unit.
type Piece struct {
	Seq      int64 // as in Unit; set by the caller for turns
	Part     int
	Section  int
	Text     string // exactly source[Start:End]
	Context  string // surroundings, indexed as a separate field: path and headings, or the speaker
	FromLine int
	ToLine   int
	Start    int
	End      int
	At       int64 // 0: the source's time
}

// MaxParts bounds Part, so that Seq and Part fit into one number.
const MaxParts = 1 << 8

// Options bound the size of a piece. The zero value selects the defaults.
type Options struct {
	// Tokens is the maximum size of a piece, overlap included, as counted by EstimateTokens; at least 16. The headings
	// at the beginning of a piece may exceed it by up to an eighth, so that they do not cause a fitting block to be
	// cut.
	Tokens int
	// Overlap is the approximate size of the part of a piece that the next one repeats; from 0 to half of Tokens. It
	// consists of whole blocks, list items or lines, so it may be up to twice as large, or empty if only a larger block
	// could be repeated. A negative number disables it.
	Overlap int
}

// DefaultOptions returns OpenClaw's values: 400 tokens with an overlap of 80.
func DefaultOptions() Options { return Options{Tokens: 400, Overlap: 80} }

// minChunkTokens is the lower limit of Tokens: below it, pieces would be single words.
const minChunkTokens = 16

// settled replaces missing and out-of-range values.
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

// Document cuts a Markdown document into pieces. Together they contain everything but blanks.
//
// Each section is a separate piece, so that a piece has one subject; consecutive sections of one or two sentences under
// the same heading share one. A heading without text belongs to the text below it. In a document whose name begins with
// a date (memory/2026-01-31-trip.md), each section that begins with a time of day ("## 14:05 New city") is a separate
// piece with all its subsections, however short. At is that time, or else the beginning of the date, with the wall
// clock read as UTC.
//
// A section longer than o.Tokens is cut at the least harmful places: between subsections, blocks, list items, then
// lines, sentences, words. Blocks of any kind, including lists, tables and fences, stay whole unless they are too long
// by themselves. Grapheme clusters stay whole. The pieces of a section have about equal length, and each but the first
// begins with the end of the previous one.
//
// Context is the path and the enclosing headings, outermost first, joined with " > "; if a list or a table was cut, the
// items around the piece or the head of the table follow. Sections and pieces are numbered from 1.
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

// isBlank reports whether content has nothing to index.
func isBlank(content string) bool {
	return strings.TrimSpace(strings.TrimPrefix(content, sentence.ByteOrderMark)) == ""
}

// Turn cuts one message of a conversation into pieces: normally one, the whole message. A message longer than o.Tokens
// is cut like a section of a document into at most MaxParts overlapping parts, which become longer if necessary.
// Context is the speaker; Seq and At are seq and at. A blank message has no pieces.
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

// tokenWeight is the number of weight units per token. Weights are integers, so that the weight of a text is exactly
// the sum of the weights of its parts.
const tokenWeight = 12

// Weights of characters, in twelfths of a token. Current vocabularies need about one token for four ASCII characters,
// one for a character of a script without spaces, and two for three other characters; a character beyond the basic
// plane (rare ideographs, emoji) takes more than one token.
const (
	asciiWeight     = tokenWeight / 4
	otherWeight     = tokenWeight * 2 / 3
	ideographWeight = tokenWeight
	astralWeight    = tokenWeight * 4 / 3
)

// EstimateTokens estimates the number of tokens of text without a vocabulary: one per ideograph, syllable or kana, one
// and a third per emoji, a quarter per ASCII character and two thirds per other character, rounded up.
func EstimateTokens(text string) int { return (weigh(text) + tokenWeight - 1) / tokenWeight }

// weigh returns the weight of text: weigh(a+b) is weigh(a)+weigh(b) unless a character spans both.
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

// ideographBlocks are the blocks of the basic plane with about one token per character.
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

// clockHeading matches the heading of an entry in a daily note: a time of day followed by a separator or nothing.
var clockHeading = regexp.MustCompile(`^([01]?\d|2[0-3])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?:\s|[-–—·|]|$)`)

// pathDay returns the day in a document's name, as the beginning of that date in UTC, or the zero time without one.
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

// clockOf returns the time of day at the beginning of a heading, as the time since midnight.
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
