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
	"reverie/language/stance"
)

// Version is part of an index's identity. It must be incremented with every change to the output of Document or Turn.
const Version = 5

// Piece is a part of a text that becomes one unit.
type Piece struct {
	Seq      int64 // as in Unit; set by the caller for turns
	Part     int
	Section  int    // see Document and Voice
	Text     string // exactly source[Start:End]
	Context  string // surroundings, indexed as a separate field: path and headings, or the speaker
	Voiced   bool   // Context is the name of the speaker
	FromLine int
	ToLine   int
	Start    int
	End      int
	At       int64 // 0: the source's time
}

// Voice is the kind of speaker of a message, the Section of its pieces.
type Voice int

// Voices.
const (
	Someone   Voice = iota // a person, or an assistant with its own name in a chat of several speakers
	Assistant              // an assistant without a name: its long answers repeat what was asked
	Rule                   // a person who gives the assistant a standing instruction
)

// Message is one message of a conversation.
type Message struct {
	Seq       int64 // in the conversation, from 1
	Speaker   string
	Assistant bool // the speaker is an assistant
	Text      string
	At        int64 // when it was said, Unix seconds
}

// longestRule is the length in bytes of messages in which standing instructions are looked for. Longer ones are mostly pasted texts.
const longestRule = 2000

// voice returns the kind of speaker of a part of the message.
func (m Message) voice(part string) Voice {
	switch {
	case m.Assistant && m.Speaker == "":
		return Assistant
	case !m.Assistant && len(m.Text) <= longestRule && stance.Instructs(part):
		return Rule
	}
	return Someone
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
// on their own. Grapheme clusters stay whole. The pieces of a section have about equal length, and each but the first
// begins with the end of the previous one.
//
// Context is the path and the enclosing headings, outermost first, joined with " > "; if a list or a table was cut, the
// items around the piece or the head of the table follow. Sections and pieces are numbered from 1; the numbers of archived sections are
// negative. No piece has text of an archive and other text.
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
			if group.archived {
				piece.Section = -piece.Section
			}
			piece.Context = doc.context(path, content, section, piece.FromLine-1)
			piece.At = doc.sections[section].at
			out = append(out, piece)
		}
	}
	return out
}

// Archived reports whether the section of a document's piece is archived: what it says is kept, and no longer holds.
func Archived(section int) bool { return section < 0 }

// isBlank reports whether content has nothing to index.
func isBlank(content string) bool {
	return strings.TrimSpace(strings.TrimPrefix(content, sentence.ByteOrderMark)) == ""
}

// Turn cuts a message into pieces: normally one, the whole message. A message longer than o.Tokens is cut like a section of a document
// into at most MaxParts overlapping parts, which become longer if necessary. Context is the speaker. A blank message has no pieces.
func Turn(m Message, o Options) []Piece {
	if isBlank(m.Text) {
		return nil
	}
	pieces := m.cut(o.settled())
	for i := range pieces {
		p := &pieces[i]
		p.Seq, p.Part, p.Section = m.Seq, i, int(m.voice(p.Text))
		p.Context, p.Voiced, p.At = m.Speaker, true, m.At
	}
	return pieces
}

// cut returns the pieces of the message's text.
func (m Message) cut(o Options) []Piece {
	total := EstimateTokens(m.Text)
	if total <= o.Tokens {
		breaks := strings.Count(strings.TrimSuffix(m.Text, "\n"), "\n")
		return []Piece{{Text: m.Text, End: len(m.Text), FromLine: 1, ToLine: breaks + 1}}
	}
	lines := scanLines(m.Text)
	o.Tokens = max(o.Tokens, total/MaxParts+o.Overlap)
	for {
		c := newCutter(m.Text, lines, o)
		cuts := c.cut(0, len(c.atoms))
		if len(cuts) > MaxParts {
			o.Tokens += o.Tokens / 4
			continue
		}
		out := make([]Piece, len(cuts))
		for i, cut := range cuts {
			out[i] = c.piece(cut)
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

// cutter cuts runs of atoms into pieces.
type cutter struct {
	content        string
	markdown       []markdownLine
	atoms          []atom
	first          []int // index of the first atom at or after each line; plus one for the end
	limit, overlap int   // weights
}

// atom is a non-blank line, or a part of one that is too long for a piece.
type atom struct {
	start, end int // bytes, without trailing blanks
	line       int
	cost       cost // of a cut before it
	before     int  // weight of the document before the atom, and
	after      int  // including the atom
}

// pieceCut selects the atoms from..to of a piece, of which those before own repeat the previous piece.
type pieceCut struct{ from, own, to int }

// newCutter prepares content, already scanned into lines, for cutting.
func newCutter(content string, lines []markdownLine, o Options) *cutter {
	c := &cutter{
		content:  content,
		markdown: lines,
		atoms:    make([]atom, 0, len(lines)),
		first:    make([]int, len(lines)+1),
		limit:    o.Tokens * tokenWeight,
		overlap:  o.Overlap * tokenWeight,
	}
	weight, at := 0, 0
	for i, line := range lines {
		c.first[i] = len(c.atoms)
		if line.blank {
			continue
		}
		weight += weigh(content[at:line.start])
		at = line.end
		text := content[line.start:line.end]
		own := weigh(text)
		if own <= c.limit {
			c.atoms = append(c.atoms, atom{start: line.start, end: line.end, line: i, cost: line.cost, before: weight, after: weight + own})
			weight += own
			continue
		}
		weight = c.cutLine(i, line, weight)
	}
	c.first[len(lines)] = len(c.atoms)
	return c
}

// cutLine adds a line that is too long for a piece, in parts. weight is the weight of everything before it; the result
// includes the line.
func (c *cutter) cutLine(i int, line markdownLine, weight int) int {
	at := line.start
	for part := range sentence.Parts(c.content[line.start:line.end], c.limit/tinyShare, weigh) {
		start, end := line.start+part.Start, line.start+part.End
		weight += weigh(c.content[at:start])
		own := weigh(c.content[start:end])
		a := atom{start: start, end: end, line: i, cost: costSentence + cost(part.Cut), before: weight, after: weight + own}
		if at == line.start {
			a.cost = line.cost
		}
		weight += own
		c.atoms = append(c.atoms, a)
		at = end
	}
	return weight + weigh(c.content[at:line.end])
}

// atomAt returns the first atom at or after line.
func (c *cutter) atomAt(line int) int { return c.first[line] }

// lines returns the first and the last line of atoms from..to.
func (c *cutter) lines(from, to int) (first, last int) { return c.atoms[from].line, c.atoms[to-1].line }

// weight returns the weight of atoms from..to including the text between them.
func (c *cutter) weight(from, to int) int {
	if from == to {
		return 0
	}
	return c.atoms[to-1].after - c.atoms[from].before
}

// fits reports whether atoms from..to may form one piece: they are short enough without leading headings, or cannot be
// cut.
func (c *cutter) fits(from, to int) bool {
	if to-from == 1 {
		return true
	}
	over := c.weight(from, to) - c.limit
	if over <= 0 || over > c.limit/tinyShare {
		return over <= 0
	}
	text := from
	for text < to-1 && c.markdown[c.atoms[text].line].silent {
		text++
	}
	return over <= c.atoms[text].before-c.atoms[from].before
}

// piece returns the piece of a cut.
func (c *cutter) piece(cut pieceCut) Piece {
	first, last := c.atoms[cut.from], c.atoms[cut.to-1]
	return Piece{
		Text:     c.content[first.start:last.end],
		FromLine: first.line + 1,
		ToLine:   last.line + 1,
		Start:    first.start,
		End:      last.end,
	}
}

// cut cuts atoms from..to into pieces of at most the limit, as few and as equal as possible. It takes linear time.
func (c *cutter) cut(from, to int) []pieceCut {
	total := c.weight(from, to)
	if c.fits(from, to) {
		return []pieceCut{{from, from, to}}
	}
	ends := c.wholes(from, to, nil)
	step := c.limit - c.overlap
	pieces := (total - c.overlap + step - 1) / step
	aim := (total + (pieces-1)*c.overlap) / pieces
	var out []pieceCut
	next := pieceCut{from, from, from}
	for len(ends) > 0 {
		n := c.fill(next.from, ends, aim)
		next.to = ends[n]
		ends = ends[n+1:]
		out = append(out, next)
		if len(ends) > 0 {
			next = pieceCut{from: c.carry(next, ends[0]), own: next.to}
		}
	}
	return out
}

// wholes splits atoms from..to into the largest parts that fit into a piece, cutting only at the least cost, and
// appends their ends to ends.
func (c *cutter) wholes(from, to int, ends []int) []int {
	if c.fits(from, to) {
		return append(ends, to)
	}
	least := c.atoms[from+1].cost
	for _, a := range c.atoms[from+2 : to] {
		least = min(least, a.cost)
	}
	start := from
	for i := from + 1; i < to; i++ {
		if c.atoms[i].cost == least {
			ends = c.wholes(start, i, ends)
			start = i
		}
	}
	return c.wholes(start, to, ends)
}

// fill returns how many parts after the first go into a piece that begins at from: among ends near the target weight
// aim, it chooses the one with the least cost.
func (c *cutter) fill(from int, ends []int, aim int) int {
	best := 0
	for i, end := range ends {
		weight := c.weight(from, end)
		if i > 0 && weight > c.limit {
			return best
		}
		if i+1 == len(ends) {
			return i
		}
		if c.weight(from, ends[best]) < aim-aim/4 || c.better(from, end, ends[best], aim) {
			best = i
		}
	}
	return best
}

// better reports whether end is a better end than best for a piece that begins at from.
func (c *cutter) better(from, end, best, aim int) bool {
	if a, b := c.atoms[end].cost, c.atoms[best].cost; a != b {
		return a < b
	}
	return distance(c.weight(from, end), aim) < distance(c.weight(from, best), aim)
}

func distance(a, b int) int { return max(a-b, b-a) }

// carry returns where the piece after last begins; end is the first possible end of its new part. The piece repeats
// whole blocks or items, or else whole lines, about as much as the overlap, and never all of the previous piece.
func (c *cutter) carry(last pieceCut, end int) int {
	if c.overlap == 0 {
		return last.to
	}
	split := max(costSoft, c.atoms[last.to].cost) // a block that the cut has split may also be split before it
	block, line := last.to, last.to
	for i := last.to - 1; i > last.own; i-- {
		weight := c.weight(i, last.to)
		if weight > 2*c.overlap || c.weight(i, end) > c.limit {
			break
		}
		switch cost := c.atoms[i].cost; {
		case cost <= costWhole:
			block = i
		case cost <= split:
			line = i
		}
		if weight >= c.overlap {
			break
		}
	}
	if block < last.to {
		return block
	}
	return line
}

// cost ranks the harm of a cut before a line, or inside one. Cuts are made where it is lowest.
type cost uint8

const (
	costSection cost = 1 // before a heading
	costBlock   cost = 2 // between blocks
	costItem    cost = 3 // between list items; each level of nesting adds two, for its blocks and its items

	costWhole = costItem + 2*maxListDepth + 1 // up to here, both sides of a cut are whole

	costQuote    cost = costWhole + 1 // between the paragraphs of a quotation
	costSoft     cost = costWhole + 2 // between the lines of a paragraph
	costRow      cost = costWhole + 3 // between the rows of a table
	costCodeGap  cost = costWhole + 4 // at a blank line in code
	costCode     cost = costWhole + 5 // between lines of code
	costSentence cost = costWhole + 6 // inside a line
	costWord     cost = costWhole + 7
	costCluster  cost = costWhole + 8 // inside a word
	costHead     cost = costWhole + 9 // after a heading, or the head of a table
)

// maxListDepth is the number of list levels that are distinguished.
const maxListDepth = 8

// inItem returns the cost of a cut between the blocks of a list item nested in depth-1 others.
func inItem(depth int) cost { return costItem + cost(2*min(depth, maxListDepth)) - 1 }

// betweenItems returns the cost of a cut between list items nested in depth others.
func betweenItems(depth int) cost { return costItem + cost(2*min(depth, maxListDepth-1)) }
