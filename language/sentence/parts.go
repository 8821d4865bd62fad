// Package sentence cuts texts into lines, sentences and words.
package sentence

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Part is a part of a line, without the blanks around it.
type Part struct {
	Start, End int
	Cut        Break // in front of it
}

// Break is what a cut in front of a part divides.
type Break uint8

// The breaks, best first.
const (
	AtSentence Break = iota // two sentences
	AtWord                  // two words of a sentence
	InWord                  // a word
)

// MaxCluster is how long a grapheme cluster may be, in bytes, to stay whole. The longest in writing, families with skin tones
// and flags of regions, have about 40; what is longer stacks marks to do harm.
const MaxCluster = 256

// Parts cuts a line into its sentences, and sentences that are longer than limit between words, and words that are between
// grapheme clusters. measure tells how long a part is: the sum of its clusters. It takes linear time.
func Parts(line string, limit int, measure func(string) int) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		p := parting{line: line, limit: limit, measure: measure, yield: yield, cut: AtSentence}
		for clusters := graphemes.FromString(line); clusters.Next() && !p.stopped; {
			start, end := clusters.Start(), clusters.End()
			for end-start > MaxCluster {
				cut := start + MaxCluster
				for !utf8.RuneStart(line[cut]) && cut > start+MaxCluster-utf8.UTFMax {
					cut--
				}
				p.cluster(start, cut)
				start = cut
			}
			p.cluster(start, end)
		}
		p.emit(p.said)
	}
}

// parting is a line while it is cut.
type parting struct {
	line    string
	limit   int
	measure func(string) int
	yield   func(Part) bool
	stopped bool

	start  int   // of the part
	cut    Break // there
	said   int   // end of the last cluster that is not blank
	length int   // of the part, with blanks behind it
	word   int   // where the last word of the part begins; start: it has only one
	before int   // length of the part up to there, and
	space  int   // the end of the word in front of it
	ended  sentenceEnd
}

// sentenceEnd is how far the end of a sentence is.
type sentenceEnd uint8

const (
	farOff sentenceEnd = iota
	likely             // behind a mark that ends a sentence if a blank follows
	spaced             // the same with the blank: here, if the next word does not go on in small letters
	here               // behind a mark that needs no blank
)

// cluster takes the next cluster in.
func (p *parting) cluster(start, end int) {
	cluster := p.line[start:end]
	length := p.measure(cluster)
	if strings.TrimSpace(cluster) == "" {
		if p.ended == likely {
			p.ended = spaced
		}
		p.length += length
		return
	}
	r, _ := utf8.DecodeRuneInString(cluster)
	if p.ended == here && !closes(r) || p.ended == spaced && !unicode.IsLower(r) {
		p.emit(p.said)
		p.begin(start, AtSentence)
	} else if start > p.said {
		p.word, p.before, p.space = start, p.length, p.said
	}
	switch {
	case p.said <= p.start: // blanks in front of the part
		p.begin(start, p.cut)
	case p.length+length > p.limit:
		p.overflow(start)
	}
	p.length += length
	p.said = end
	switch {
	case (p.ended == likely || p.ended == here) && closes(r):
	case !unicode.Is(unicode.STerm, r):
		p.ended = farOff
	case r >= 0x1100: // scripts without spaces
		p.ended = here
	default:
		p.ended = likely
	}
}

// overflow cuts in front of the last word, or at at if the part has but one.
func (p *parting) overflow(at int) {
	if p.word > p.start {
		rest, word := p.length-p.before, p.word
		p.emit(p.space)
		p.begin(word, AtWord)
		p.length = rest
		return
	}
	p.emit(p.said)
	p.begin(at, InWord)
}

// begin begins a part at start.
func (p *parting) begin(start int, at Break) {
	p.start, p.cut, p.length, p.word = start, at, 0, start
}

// emit yields the part up to end.
func (p *parting) emit(end int) {
	if p.start < end && !p.stopped {
		p.stopped = !p.yield(Part{p.start, end, p.cut})
	}
}

// TrimBlanks is text without the blanks around it, except those that are one cluster with a mark.
func TrimBlanks(text string) (start, end int) {
	start = len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end = len(strings.TrimRightFunc(text, unicode.IsSpace))
	if start >= end {
		return 0, 0
	}
	if _, size := utf8.DecodeLastRuneInString(text[:start]); size > 0 && firstCluster(text[start-size:]) > size {
		start -= size
	}
	if _, size := utf8.DecodeLastRuneInString(text[:end]); firstCluster(text[end-size:]) > size {
		end += firstCluster(text[end-size:]) - size
	}
	return start, end
}

// firstCluster is how long the first grapheme cluster of text is, in bytes.
func firstCluster(text string) int {
	clusters := graphemes.FromString(text)
	clusters.Next()
	return clusters.End()
}

// closes reports whether r may stand between the mark that ends a sentence and the blank behind it.
func closes(r rune) bool {
	return r == '"' || r == '\'' || r == '*' || r == '_' || r == '`' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.STerm)
}

// ByteOrderMark may begin a file and is not text.
const ByteOrderMark = "\uFEFF"

// Lines yields where the lines of text start and end, in bytes, without their line breaks (LF or CRLF). A line break at the end
// begins no line. A byte order mark is in none.
func Lines(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start := len(text) - len(strings.TrimPrefix(text, ByteOrderMark)); start < len(text); {
			end, next := len(text), len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end, next = start+n, start+n+1
			}
			if end > start && text[end-1] == '\r' && next > end {
				end--
			}
			if !yield(start, end) {
				return
			}
			start = next
		}
	}
}
