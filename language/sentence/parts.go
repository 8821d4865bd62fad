// Package sentence splits texts into lines, sentences and words.
package sentence

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Part is a part of a line, without surrounding blanks.
type Part struct {
	Start, End int
	Cut        Break // before it
}

// Break is the kind of place where a part begins.
type Break uint8

// The breaks, best first.
const (
	AtSentence Break = iota // between two sentences
	AtWord                  // between two words of a sentence
	InWord                  // inside a word
)

// MaxCluster is the maximum length in bytes of a grapheme cluster that stays whole. The longest ones in real text,
// families with skin tones and flags of regions, have about 40; longer ones stack marks to do harm.
const MaxCluster = 256

// Parts splits a line into its sentences, sentences longer than limit between words, and longer words between grapheme
// clusters. measure returns the length of a part, as the sum of its clusters. Parts takes linear time.
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

// parting is the state of splitting a line.
type parting struct {
	line    string
	limit   int
	measure func(string) int
	yield   func(Part) bool
	stopped bool

	start  int   // of the current part
	cut    Break // there
	said   int   // end of the last non-blank cluster
	length int   // of the part, including trailing blanks
	word   int   // start of the last word of the part; start if it is the only one
	before int   // length of the part up to word, and
	space  int   // the end of the word before it
	ended  sentenceEnd
}

// sentenceEnd is the state of detecting the end of a sentence.
type sentenceEnd uint8

const (
	farOff sentenceEnd = iota
	likely             // after a mark that ends a sentence if a blank follows
	spaced             // also after the blank: the sentence ends unless the next word is in lower case
	here               // after a mark that needs no blank
)

// cluster processes the next cluster.
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
	case p.said <= p.start: // leading blanks
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

// overflow cuts before the last word, or at at if the part has only one.
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

// TrimBlanks returns the range of text without surrounding blanks, except blanks that form a cluster with a mark.
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

// firstCluster returns the length of the first grapheme cluster of text in bytes.
func firstCluster(text string) int {
	clusters := graphemes.FromString(text)
	clusters.Next()
	return clusters.End()
}

// closes reports whether r may follow the mark that ends a sentence, before the blank.
func closes(r rune) bool {
	return r == '"' || r == '\'' || r == '*' || r == '_' || r == '`' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.STerm)
}

// ByteOrderMark may begin a file and is not part of its text.
const ByteOrderMark = "\uFEFF"

// Lines yields the byte ranges of the lines of text, without their line breaks (LF or CRLF). A final line break begins
// no line. A byte order mark is skipped.
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
