package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/fold"
	"reverie/language/script"
	"reverie/search"
	"reverie/search/index"
)

// Refine reads the texts of the first o.RefineDepth hits of a ranking of c and reorders them by phrases and identifiers
// found verbatim, words as close together as in the question, and turns that only ask. It calls text once for each of
// them; "" means a text that could not be read, whose score stays as it is. hits is not modified.
func Refine(q analysis.Query, c *index.Collection, hits []Ranked, text func(unit int) string, o Options) []Ranked {
	refined := slices.Clone(hits)
	w := newWording(q, c, o)
	judged := refined[:min(len(refined), max(o.RefineDepth, 0))]
	asking := make(map[int]Ranked) // by unit
	for i := range judged {
		if t := text(judged[i].Unit); t != "" && w.judge(&judged[i].Parts, t) {
			asking[judged[i].Unit] = judged[i]
		}
	}
	for i := range judged {
		if before, ok := asking[judged[i].Unit-1]; ok && before.session == judged[i].session {
			judged[i].Parts.Answer = o.Answer * before.Parts.Body
		}
	}
	return order(refined, c, o)
}

// Matches returns the distinct folded words of text that match the question, in the order of the text, without stop
// words.
func Matches(q analysis.Query, text string) []string {
	w := newWording(q, nil, Options{})
	var found []string
	for _, token := range analysis.Analyse(text) {
		if term := w.term(token); term >= 0 && !q.Terms[term].Stop && !slices.Contains(found, token.Forms[0]) {
			found = append(found, token.Forms[0])
		}
	}
	return found
}

// wording is the wording of a question, prepared for matching.
type wording struct {
	o       Options
	asks    bool // turns of this corpus may ask questions
	phrases []phrase
	pairs   []pair
	terms   []analysis.QueryTerm
	byForm  map[string]int // index of the term, by form
}

// phrase is a phrase of the question with the weight of its words.
type phrase struct {
	text   string
	weight float64
}

// pair is two consecutive terms of the question, ignoring stop words.
type pair struct {
	first, second int
	weight        float64
}

// newWording prepares a question. Without a collection, words have no weight.
func newWording(q analysis.Query, c *index.Collection, o Options) wording {
	w := wording{o: o, terms: q.Terms, byForm: make(map[string]int, 2*len(q.Terms))}
	for i, term := range q.Terms {
		for _, form := range term.Forms {
			if _, taken := w.byForm[form]; !taken {
				w.byForm[form] = i
			}
		}
	}
	if c == nil {
		return w
	}
	w.asks = c.Corpus == search.Sessions
	weights := make([]float64, len(q.Terms))
	last := -1
	for i, term := range q.Terms {
		weights[i] = idf(len(c.Units), max(1, len(c.Body[i])))
		if term.Stop {
			weights[i] *= o.StopWeight
			continue
		}
		if last >= 0 {
			w.pairs = append(w.pairs, pair{last, i, min(weights[last], weights[i])})
		}
		last = i
	}
	for _, p := range q.Phrases {
		one := phrase{text: p.Text}
		for i, term := range q.Terms {
			if strings.Contains(p.Text, term.Forms[0]) {
				one.weight += weights[i]
			}
		}
		w.phrases = append(w.phrases, one)
	}
	return w
}

// term returns the index of the question's term that a token matches, or -1.
func (w *wording) term(token analysis.Token) int {
	for _, form := range token.Forms {
		if i, ok := w.byForm[form]; ok {
			return i
		}
	}
	return -1
}

// judge sets the parts that depend on the text, and reports whether it is a turn that asks.
func (w *wording) judge(p *LexicalParts, text string) (asks bool) {
	p.Phrase, p.Exact = w.verbatim(text)
	tokens := analysis.Analyse(text)
	p.Closeness = w.closeness(tokens)
	p.Asking, p.Answer, p.First = 0, 0, 0
	share := 0.
	if w.asks {
		share = asking(text, tokens)
	}
	if share > 0 {
		p.Asking = -w.o.Asking * share * p.total()
	}
	return share > 0
}

// verbatim returns the score of the question's phrases that text contains, and whether it contains any.
func (w *wording) verbatim(text string) (score float64, found bool) {
	if len(w.phrases) == 0 {
		return 0, false
	}
	folded := strings.Join(strings.Fields(fold.Text(text)), " ")
	for _, p := range w.phrases {
		if standsIn(folded, p.text) {
			score += w.o.Phrase * p.weight
			found = true
		}
	}
	return score, found
}

// standsIn reports whether text contains phrase with both ends at word boundaries.
func standsIn(text, phrase string) bool {
	first, _ := utf8.DecodeRuneInString(phrase)
	last, _ := utf8.DecodeLastRuneInString(phrase)
	for from := 0; from <= len(text)-len(phrase); {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(phrase)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, size := utf8.DecodeRuneInString(text[end:])
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}
		from = end + size
	}
	return false
}

// inWord reports whether r belongs to a script with visible word boundaries.
func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !script.IsUnspaced(r)
}

// farthest is the distance in words from which two words are considered unrelated.
const farthest = 8

// closeness returns the score of the question's pairs that are close together in a text. Only the closest occurrence of
// each pair counts.
func (w *wording) closeness(tokens []analysis.Token) float64 {
	if len(w.pairs) == 0 || w.o.Closeness == 0 {
		return 0
	}
	const nowhere = -farthest - 1
	last := make([]int, len(w.terms)) // position of each term's last occurrence
	for i := range last {
		last[i] = nowhere
	}
	closest := make([]float64, len(w.pairs))
	for _, token := range tokens {
		term := w.term(token)
		if term < 0 {
			continue
		}
		for i, p := range w.pairs {
			switch term {
			case p.second:
				if d := token.Position - last[p.first]; d <= farthest {
					closest[i] = max(closest[i], 1/float64(max(d, 1)))
				}
			case p.first:
				if d := token.Position - last[p.second]; d <= farthest {
					closest[i] = max(closest[i], .5/float64(max(d, 1)))
				}
			}
		}
		last[term] = token.Position
	}
	sum := 0.
	for i, p := range w.pairs {
		sum += closest[i] * p.weight
	}
	return w.o.Closeness * sum
}

// asking returns the share of a text's words that are in sentences with a question mark.
func asking(text string, tokens []analysis.Token) float64 {
	asked, begun, at := 0, 0, 0
	for i, r := range text {
		end := endingAt(text, i, r)
		if end == goesOn {
			continue
		}
		for at < len(tokens) && tokens[at].Start < i {
			at++
		}
		if end == endsAsking {
			asked += at - begun
		}
		begun = at
	}
	if len(tokens) == 0 {
		return 0
	}
	return float64(asked) / float64(len(tokens))
}

// ending is the kind of a sentence ending.
type ending int

const (
	goesOn ending = iota
	endsTelling
	endsAsking
)

// endingAt returns the kind of sentence ending at r, which is text[at:]. A mark before a letter or digit is part of a
// name.
func endingAt(text string, at int, r rune) ending {
	switch r {
	case '\n', '。', '！', '…', '।', '۔':
		return endsTelling
	case '？', '؟':
		return endsAsking
	case '.', '!', '?':
		switch next, _ := utf8.DecodeRuneInString(text[at+1:]); {
		case inWord(next):
			return goesOn
		case r == '?':
			return endsAsking
		}
		return endsTelling
	}
	return goesOn
}
