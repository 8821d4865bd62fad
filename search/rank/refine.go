package rank

import (
	"cmp"
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

// Text is the text of a unit, and who said it; empty: nobody, or somebody without a name.
type Text struct{ Content, Speaker string }

// Refine reads the texts of the first o.RefineDepth hits of a ranking of c, finds phrases and identifiers of the
// question in them, and reorders turns among named persons by who asks and who answers. It calls text once for each of them;
// one without content could not be read, and its score stays as it is. hits is not modified.
func Refine(q analysis.Query, c *index.Collection, hits []Ranked, text func(unit int) Text, o Options) []Ranked {
	refined := slices.Clone(hits)
	w := newWording(q)
	judged := refined[:min(len(refined), max(o.RefineDepth, 0))]
	if len(judged) == 0 {
		return refined
	}
	asking := make(map[int]Ranked) // by unit
	tokens, speakers := make(map[int][]analysis.Token), make(map[int]string)
	for i := range judged {
		hit := &judged[i]
		t := text(hit.Unit)
		if t.Content == "" {
			continue
		}
		hit.Parts.Exact = w.verbatim(t.Content)
		hit.Parts.Asking, hit.Parts.Answer, hit.Parts.Feedback, hit.Parts.First = 0, 0, 0, 0
		if c.Corpus != search.Sessions || !hit.among {
			continue
		}
		tokens[hit.Unit] = analysis.Analyse(t.Content)
		if speakers[hit.Unit] = t.Speaker; t.Speaker == "" {
			continue
		}
		if share := asked(t.Content, tokens[hit.Unit]); share > 0 {
			hit.Parts.Asking = -o.Asking * share * hit.Parts.total()
			asking[hit.Unit] = *hit
		}
	}
	for i := range judged {
		before, ok := asking[judged[i].Unit-1]
		if ok && before.session == judged[i].session && speakers[judged[i].Unit] != "" {
			judged[i].Parts.Answer = o.Answer * before.Parts.Body
		}
	}
	refined = order(refined, c, o)
	if o.Feedback > 0 && !isAlone(c.Units, judged[0].Unit) {
		feedback(judged, tokens, w, o.Feedback)
		refined = order(refined, c, o)
	}
	return refined
}

// Matches returns the distinct folded words of text that match the question, in the order of the text, without stop
// words.
func Matches(q analysis.Query, text string) []string {
	w := newWording(q)
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
	phrases []analysis.Phrase
	byForm  map[string]int // index of the term, by form
}

func newWording(q analysis.Query) wording {
	w := wording{phrases: q.Phrases, byForm: make(map[string]int, 2*len(q.Terms))}
	for i, term := range q.Terms {
		for _, form := range term.Forms {
			if _, taken := w.byForm[form]; !taken {
				w.byForm[form] = i
			}
		}
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

// verbatim reports whether text contains a phrase of the question.
func (w *wording) verbatim(text string) bool {
	if len(w.phrases) == 0 {
		return false
	}
	folded := strings.Join(strings.Fields(fold.Text(text)), " ")
	return slices.ContainsFunc(w.phrases, func(p analysis.Phrase) bool { return containsPhrase(folded, p.Text) })
}

// containsPhrase reports whether text contains phrase with both ends at word boundaries.
func containsPhrase(text, phrase string) bool {
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

// asked returns the share of a text's words that are in sentences with a question mark.
func asked(text string, tokens []analysis.Token) float64 {
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

// asksFor reports whether a sentence of text that asks contains phrase, or no sentence asks.
func asksFor(text, phrase string) bool {
	begun, asks := 0, false
	for i, r := range text {
		end := endingAt(text, i, r)
		if end == goesOn {
			continue
		}
		if end == endsAsking {
			asks = true
			if strings.Contains(text[begun:i], phrase) {
				return true
			}
		}
		begun = i
	}
	return !asks
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

const (
	// firstHits is the number of first hits whose common words are evidence, and agreeing that of those that must have a
	// word. With fewer hits or less agreement, the words of a wrong hit count as the subject.
	firstHits = 5
	agreeing  = 4
)

// feedback adds the scores of words that the question lacks and that most of the first hits share, so that others about
// the same subject rise. hits are in order; tokens are their words, by unit. A word weighs by how few of hits have it.
func feedback(hits []Ranked, tokens map[int][]analysis.Token, w wording, weight float64) {
	if len(hits) <= firstHits {
		return
	}
	words := make([][]string, len(hits)) // in order, so that sums are reproducible
	common, having := map[string]int{}, map[string]int{}
	for i := range hits {
		for _, token := range tokens[hits[i].Unit] {
			form := token.Forms[len(token.Forms)-1]
			if token.Stop || i >= firstHits && common[form] < agreeing || slices.Contains(words[i], form) || w.term(token) >= 0 {
				continue
			}
			words[i] = append(words[i], form)
			having[form]++
			if i < firstHits {
				common[form]++
			}
		}
	}
	for i := range hits {
		for _, form := range words[i] {
			if common[form] >= agreeing {
				hits[i].Parts.Feedback += weight * idf(len(hits), having[form])
			}
		}
	}
}

// rule returns the standing instruction to an assistant that has most of the words of the question, or -1. Such instructions are few
// and short, and share little more with a question than its subject.
func (r *ranking) rule() int {
	if r.o.Rule == 0 {
		return -1
	}
	found, most := -1, 0.
	for _, unit := range r.sessions.rules {
		if !r.sessions.assisted[r.sessions.of[unit]] {
			continue
		}
		words := 0.
		for i, term := range r.q.Terms {
			_, has := slices.BinarySearchFunc(r.c.Body[i], unit, func(p index.Posting, u int32) int { return cmp.Compare(p.Unit, u) })
			if has && !r.names(term) {
				words += r.idf(len(r.c.Body[i]))
			}
		}
		if words > most {
			found, most = int(unit), words
		}
	}
	return found
}

// liftRule raises the score of the rule among hits, which are in order, to the given share of the best.
func liftRule(ranked []Ranked, share float64) {
	at := slices.IndexFunc(ranked, func(r Ranked) bool { return r.rule })
	if at < 0 {
		return
	}
	rule := &ranked[at]
	rule.Parts.Rule = max(0, share*ranked[0].Score-rule.Score)
	rule.Score += rule.Parts.Rule
	slices.SortFunc(ranked, better)
}
