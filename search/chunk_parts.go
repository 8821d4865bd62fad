package search

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// linePart is a part of a line, without the blanks around it.
type linePart struct {
	start, end int
	pain       pain // of the cut in front of it
}

// maxCluster is how long a grapheme cluster may be, in bytes, to stay whole. The longest in writing, families with skin tones
// and flags of regions, have about 40; what is longer stacks marks to do harm.
const maxCluster = 256

// lineParts cuts a line into its sentences, and sentences that weigh more than limit between words, and words that do between
// grapheme clusters. It takes linear time.
func lineParts(line string, limit int) iter.Seq[linePart] {
	return func(yield func(linePart) bool) {
		p := parting{line: line, limit: limit, yield: yield, pain: painSentence}
		for clusters := graphemes.FromString(line); clusters.Next() && !p.stopped; {
			start, end := clusters.Start(), clusters.End()
			for end-start > maxCluster {
				cut := start + maxCluster
				for !utf8.RuneStart(line[cut]) && cut > start+maxCluster-utf8.UTFMax {
					cut--
				}
				p.cluster(start, cut)
				start = cut
			}
			p.cluster(start, end)
		}
		p.emit(len(line))
	}
}

// parting is a line while it is cut.
type parting struct {
	line    string
	limit   int
	yield   func(linePart) bool
	stopped bool

	start  int  // of the part; everything in front is cut
	pain   pain // of the cut there
	weight int  // of the part up to here
	word   int  // where the last word of the part begins; start: it has only one
	before int  // weight of the part up to there
	ended  sentenceEnd
	blank  bool // the last cluster was blank
}

// sentenceEnd is how far the end of a sentence is.
type sentenceEnd uint8

const (
	farOff sentenceEnd = iota
	likely             // behind a mark that ends a sentence if a blank follows
	here               // behind one that needs none
)

// cluster takes the next cluster in.
func (p *parting) cluster(start, end int) {
	r, _ := utf8.DecodeRuneInString(p.line[start:end])
	blank := unicode.IsSpace(r)
	switch {
	case blank:
		if p.ended == likely {
			p.ended = here
		}
	case p.ended == here && !closes(r):
		p.emit(start)
		p.begin(start, painSentence)
	case p.blank:
		p.word, p.before = start, p.weight
	}
	weight := weigh(p.line[start:end])
	if p.weight+weight > p.limit && p.weight > 0 && !blank {
		p.overflow(start)
	}
	p.weight += weight
	p.blank = blank
	switch {
	case blank || p.ended != farOff && closes(r):
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
		rest := p.weight - p.before
		word := p.word
		p.emit(word)
		p.begin(word, painWord)
		p.weight = rest
		return
	}
	p.emit(at)
	p.begin(at, painCluster)
}

// begin begins a part at start.
func (p *parting) begin(start int, pain pain) {
	p.start, p.pain, p.weight, p.word, p.before = start, pain, 0, start, 0
}

// emit yields the part up to end.
func (p *parting) emit(end int) {
	from, to := p.start, end
	for from < to {
		r, size := utf8.DecodeRuneInString(p.line[from:to])
		if !unicode.IsSpace(r) {
			break
		}
		from += size
	}
	for to > from {
		r, size := utf8.DecodeLastRuneInString(p.line[from:to])
		if !unicode.IsSpace(r) {
			break
		}
		to -= size
	}
	if from < to && !p.stopped {
		p.stopped = !p.yield(linePart{from, to, p.pain})
	}
}

// closes reports whether r may stand between the mark that ends a sentence and the blank behind it.
func closes(r rune) bool {
	return r == '"' || r == '\'' || r == '*' || r == '_' || r == '`' || unicode.In(r, unicode.Pe, unicode.Pf, unicode.STerm)
}
