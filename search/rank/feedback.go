package rank

import (
	"slices"

	"reverie/language/analysis"
)

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
