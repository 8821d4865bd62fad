package recall

import (
	"context"
	"errors"
	"strings"
	"time"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/index"
)

// Probe is how an embedding model answered.
type Probe struct {
	Embedding memory.EmbeddingIdentity
	Took      time.Duration
	Reason    Reason // why it did not; empty: it did
}

// ProbeEmbedders asks every configured model for the vector of a word.
func (s *Searcher) ProbeEmbedders(ctx context.Context, id memory.Identity) []Probe {
	probes := make([]Probe, len(s.Embedders))
	for i, e := range s.Embedders {
		began := time.Now()
		one := &searching{Searcher: s, id: id, query: analysis.Query{Text: "memory"}}
		_, reason, err := one.embed(ctx, e)
		probes[i] = Probe{Embedding: e.Identity(), Took: time.Since(began), Reason: reason}
		if err != nil {
			s.Log.WarnContext(ctx, "An embedding model was probed and failed", "embedding", e.Identity().String(), "error", err)
		}
	}
	return probes
}

// SelfCheck is whether what is stored is found: passages are taken from the index and searched by their own words.
type SelfCheck struct {
	Corpus  search.Corpus
	Checked int // passages
	Found   int // of them, among the first results
	Broken  int // of them, without a text
}

// selfChecks is how many passages of each corpus are searched.
const selfChecks = 5

// selfCheckWords is how many words of a passage are asked for.
const selfCheckWords = 16

// SelfCheck searches passages of each corpus that are spread over what the identity sees, by words alone.
func (s *Searcher) SelfCheck(ctx context.Context, id memory.Identity) ([]SelfCheck, error) {
	unnoticed := *s // nobody has asked
	unnoticed.Recorder, unnoticed.Observe = nil, nil
	collections, err := s.Store.Collect(ctx, id, search.Corpora(), analysis.Query{})
	if err != nil {
		return nil, err
	}
	checks := make([]SelfCheck, len(collections))
	var errs []error
	for i, c := range collections {
		if checks[i], err = unnoticed.selfCheck(ctx, id, c); err != nil {
			errs = append(errs, err)
		}
	}
	return checks, errors.Join(errs...)
}

func (s *Searcher) selfCheck(ctx context.Context, id memory.Identity, c *index.Collection) (SelfCheck, error) {
	check := SelfCheck{Corpus: c.Corpus}
	units := spread(c.Units, selfChecks)
	passages, err := s.Store.Passages(ctx, id, c.Corpus, units)
	if err != nil {
		return check, err
	}
	for _, unit := range units {
		check.Checked++
		passage, ok := passages[unit.Key()]
		words := strings.Fields(passage.Text)
		if !ok || len(words) == 0 {
			check.Broken++
			continue
		}
		limit, floor := MaxResults, 0.0
		question := []rune(strings.Join(words[:min(len(words), selfCheckWords)], " "))
		found, err := s.Search(ctx, id, Request{
			Query: string(question[:min(len(question), MaxQuery)]), Corpus: c.Corpus, MaxResults: &limit, MinScore: &floor,
			Synthetic: true, Options: Options{Off: []string{offVectors}},
		})
		if err != nil {
			return check, err
		}
		for _, hit := range found.Results {
			if hit.Text == passage.Text {
				check.Found++
				break
			}
		}
	}
	return check, nil
}

// spread takes about n units at equal distances, of those that have words.
func spread(units []index.Unit, n int) []index.Unit {
	var wordy []index.Unit
	for _, u := range units {
		if u.Length > 0 {
			wordy = append(wordy, u)
		}
	}
	if len(wordy) <= n {
		return wordy
	}
	taken := make([]index.Unit, n)
	for i := range taken {
		taken[i] = wordy[i*len(wordy)/n]
	}
	return taken
}
