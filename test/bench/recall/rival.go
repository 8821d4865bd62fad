package main

import (
	"cmp"
	"math"
	"slices"

	"reverie/language/analysis"
)

// plain ranks the messages of a set by plain BM25: one document per message, with the name of its speaker. A word that
// the question repeats counts as often.
func (b *bench) plain(s set) (outcomes []asked) {
	for _, d := range s.dialogues {
		ranker := newBM25(d)
		one := set{dialogues: []dialogue{d}}
		_ = one.each(func(d dialogue, sessions map[string]int, q question) error { // it never fails
			outcomes = append(outcomes, b.judge(d, sessions, q, ranker.rank(q.text, slices.Max(b.ks))))
			return nil
		})
	}
	return outcomes
}

// bm25 is Okapi BM25 with the customary parameters.
type bm25 struct {
	ids      []string
	lengths  []float64
	average  float64
	postings map[string]map[int]float64 // frequency by word and message
}

const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

func newBM25(d dialogue) *bm25 {
	r := &bm25{postings: map[string]map[int]float64{}}
	for _, s := range d.sessions {
		for _, t := range s.turns {
			words := wordsOf(t.speaker + " " + t.text)
			for _, word := range words {
				if r.postings[word] == nil {
					r.postings[word] = map[int]float64{}
				}
				r.postings[word][len(r.ids)]++
			}
			r.ids = append(r.ids, t.id)
			r.lengths = append(r.lengths, float64(len(words)))
			r.average += float64(len(words))
		}
	}
	r.average /= float64(max(len(r.ids), 1))
	return r
}

// wordsOf returns the stems of a text without its stop words; of Chinese, single characters and pairs.
func wordsOf(text string) (words []string) {
	for _, token := range analysis.Analyse(text) {
		if !token.Stop {
			words = append(words, token.Forms[len(token.Forms)-1])
		}
	}
	return words
}

// rank returns the best messages for a question.
func (r *bm25) rank(question string, most int) []string {
	scores := make([]float64, len(r.ids))
	for _, word := range wordsOf(question) {
		found := r.postings[word]
		n, df := float64(len(r.ids)), float64(len(found))
		for at, tf := range found {
			norm := bm25K1 * (1 - bm25B + bm25B*r.lengths[at]/r.average)
			scores[at] += math.Log1p((n-df+.5)/(df+.5)) * tf * (bm25K1 + 1) / (tf + norm)
		}
	}
	var order []int
	for at, score := range scores {
		if score > 0 {
			order = append(order, at)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var ids []string
	for _, at := range order[:min(most, len(order))] {
		ids = append(ids, r.ids[at])
	}
	return ids
}
