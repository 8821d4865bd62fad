// Package choose selects the results of a search from its candidates.
package choose

import (
	"cmp"
	"math"
	"slices"
	"time"

	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
)

// Candidate is a passage that was found and may become a result.
type Candidate struct {
	Unit   index.UnitKey `json:"unit"`
	Corpus search.Corpus `json:"corpus"`
	Path   string        `json:"path,omitempty"` // of its document or conversation: the last tie-break between corpora
	// Fused is its fused score with all components.
	Fused fuse.Fused `json:"fused"`
	// Personal says that it belongs to the asking owner alone.
	Personal bool `json:"personal"`
	// Evergreen passages do not age.
	Evergreen bool `json:"evergreen"`
	// At is when it was said or written, Unix seconds; 0: not known.
	At int64 `json:"at,omitempty"`
	// CopyOf names its text: candidates with the same one are copies of each other. Empty: it has none.
	CopyOf string `json:"copyOf,omitempty"`
	// Terms are those of its text, sorted and distinct, for the similarity of two passages. Only diversity reads them.
	Terms []index.TermID `json:"-"`
}

// Options say which candidates become results. The zero value lets nothing through; start from DefaultSelectOptions.
type Options struct {
	// Limit is how many results there are at most.
	Limit int
	// MinScore is the floor: a candidate with a lower final score is dropped.
	MinScore float64
	// PersonalBoost multiplies the score of personal passages. The product may exceed 1.
	PersonalBoost float64
	// From and To bound the time of a passage: From included, To excluded; zero: open. With either, a passage whose time is
	// not known is outside.
	From, To time.Time
	// Decay lets older passages count less; nil: off.
	Decay *DecayOptions
	// Diversity lets passages that repeat others wait; nil: off.
	Diversity *DiversityOptions
}

// DefaultOptions are six results of at least 0.35, personal ones counting 1.2 times, without decay and diversity.
func DefaultOptions() Options {
	return Options{Limit: 6, MinScore: 0.35, PersonalBoost: 1.2}
}

// Result is a candidate that was selected.
type Result struct {
	Candidate Candidate   `json:"candidate"`
	Score     float64     `json:"score"`
	Parts     SelectParts `json:"parts"`
}

// SelectParts are the steps from the fused score of a candidate to its final one.
type SelectParts struct {
	// Base is the fused score, or that of a better placed shared copy which the candidate replaces.
	Base float64 `json:"base"`
	// Boost is what Base was multiplied with for being personal; 1 for what is shared.
	Boost float64 `json:"boost"`
	// Decay is what it was multiplied with for its age; 1 when decay is off.
	Decay float64 `json:"decay"`
	// Replaces counts the shared copies that gave way to this personal one.
	Replaces int `json:"replaces,omitempty"`
	// Relaxed says that the result is below the floor and stands because nothing was above it.
	Relaxed bool `json:"relaxed,omitempty"`
	// Similarity is that to the most similar result before this one, and Marginal the value that diversity ordered by. Both
	// are 0 when diversity is off.
	Similarity float64 `json:"similarity,omitempty"`
	Marginal   float64 `json:"marginal,omitempty"`
}

// DropReason says why a candidate is not among the results.
type DropReason string

const (
	// OutsidePeriod is a candidate before From, not before To, or without a time.
	OutsidePeriod DropReason = "outside-period"
	// PersonalCopy is a shared candidate of which there is a personal copy.
	PersonalCopy DropReason = "personal-copy"
	// BelowFloor is a candidate with a final score below MinScore.
	BelowFloor DropReason = "below-floor"
	// TooSimilar is a candidate that by its score would be a result, and gave its place to one that repeats less.
	TooSimilar DropReason = "too-similar"
	// BeyondLimit is a candidate after the last result.
	BeyondLimit DropReason = "beyond-limit"
)

// Dropped is a candidate that was not selected, with its final score as far as it was computed.
type Dropped struct {
	Result

	Reason DropReason `json:"reason"`
}

// Select turns fused candidates into results, best first, and tells for every other one why it is not among them, in order
// of score. In this order:
//
//   - candidates outside the period leave;
//   - a personal copy takes the place of shared ones with the same CopyOf, and the best of their scores;
//   - personal scores are boosted, then scores decay with age;
//   - what is below the floor leaves. When that is everything, the floor is relaxed: the candidates that the words of the
//     question found stay after all, marked as such. Vector similarity alone does not relax it;
//   - diversity reorders what is left, the limit cuts it.
//
// Ties are in the fused order, then in that of units. The candidates may be in any order, and are not changed.
func Select(candidates []Candidate, o Options, now time.Time) ([]Result, []Dropped) {
	var s selection
	results := s.inside(candidates, o)
	results = s.preferPersonal(results)
	for i := range results {
		results[i].weigh(o, now)
	}
	slices.SortFunc(results, byScore)
	results = s.floor(results, o.MinScore)
	results = s.cut(results, o)
	slices.SortFunc(s.dropped, func(a, b Dropped) int { return byScore(a.Result, b.Result) })
	return results, s.dropped
}

// selection collects what Select drops.
type selection struct{ dropped []Dropped }

func (s *selection) drop(r Result, reason DropReason) {
	s.dropped = append(s.dropped, Dropped{Result: r, Reason: reason})
}

// inside makes results of the candidates that are in the period, best first.
func (s *selection) inside(candidates []Candidate, o Options) []Result {
	var results []Result
	for _, c := range candidates {
		r := Result{Candidate: c, Score: c.Fused.Score, Parts: SelectParts{Base: c.Fused.Score, Boost: 1, Decay: 1}}
		if o.covers(c.At) {
			results = append(results, r)
		} else {
			s.drop(r, OutsidePeriod)
		}
	}
	slices.SortFunc(results, byScore)
	return results
}

// covers reports whether a time, in Unix seconds and 0 when it is not known, is in the period.
func (o Options) covers(at int64) bool {
	if o.From.IsZero() && o.To.IsZero() {
		return true
	}
	t := time.Unix(at, 0)
	return at != 0 && (o.From.IsZero() || !t.Before(o.From)) && (o.To.IsZero() || t.Before(o.To))
}

// preferPersonal removes shared results that have a personal copy, which gets the best of their scores: both are the same
// text, and one of the lists may not know of it yet.
func (s *selection) preferPersonal(results []Result) []Result {
	keepers := map[string]*SelectParts{} // by CopyOf: the best personal copy
	for i := range results {
		c := results[i].Candidate
		if c.Personal && c.CopyOf != "" && keepers[c.CopyOf] == nil {
			keepers[c.CopyOf] = &results[i].Parts
		}
	}
	isReplaced := func(c Candidate) bool { return !c.Personal && keepers[c.CopyOf] != nil }
	for _, r := range results {
		if isReplaced(r.Candidate) {
			keeper := keepers[r.Candidate.CopyOf]
			keeper.Replaces++
			keeper.Base = max(keeper.Base, r.Parts.Base)
			s.drop(r, PersonalCopy)
		}
	}
	return slices.DeleteFunc(results, func(r Result) bool { return isReplaced(r.Candidate) })
}

// weigh computes the final score of a result.
func (r *Result) weigh(o Options, now time.Time) {
	if r.Candidate.Personal {
		r.Parts.Boost = o.PersonalBoost
	}
	r.Parts.Decay = decayOf(r.Candidate, o.Decay, now)
	r.Score = r.Parts.Base * r.Parts.Boost * r.Parts.Decay
}

// floor removes results below lowest; when that would be all of them, those that the words of the question found stay.
func (s *selection) floor(results []Result, lowest float64) []Result {
	isBelow := func(r Result) bool { return r.Score < lowest }
	if !slices.ContainsFunc(results, func(r Result) bool { return !isBelow(r) }) {
		isBelow = func(r Result) bool { return r.Candidate.Fused.TextRank == 0 }
		for i := range results {
			results[i].Parts.Relaxed = !isBelow(results[i])
		}
	}
	for _, r := range results {
		if isBelow(r) {
			s.drop(r, BelowFloor)
		}
	}
	return slices.DeleteFunc(results, isBelow)
}

// cut keeps the first Limit results, after diversity if it is on.
func (s *selection) cut(results []Result, o Options) []Result {
	limit := min(max(o.Limit, 0), len(results))
	inReach := map[index.UnitKey]bool{}
	if o.Diversity != nil {
		for _, r := range results[:limit] {
			inReach[r.Candidate.Unit] = true
		}
		diversify(results, limit, *o.Diversity)
	}
	for _, r := range results[limit:] {
		if inReach[r.Candidate.Unit] {
			s.drop(r, TooSimilar)
		} else {
			s.drop(r, BeyondLimit)
		}
	}
	return results[:limit]
}

// byScore orders results best first, the same scores by their place in the fused order, then by unit.
func byScore(a, b Result) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), fuse.CompareRanks(a.Candidate.Fused.Rank, b.Candidate.Fused.Rank), a.Candidate.Unit.Compare(b.Candidate.Unit))
}

// Balance merges the results of several corpora, whose scores do not quite compare, into at most limit. Of n corpora with
// results each is sure of its best ⌊limit/n⌋; further places go first to the one after them of each, so that a corpus has
// ⌈limit/n⌉ before another one has more, and then to the best of all. The order is by score, then path, then unit. Each list
// must be best first. What found no place is returned as dropped, in the same order.
func Balance(limit int, lists ...[]Result) ([]Result, []Dropped) {
	lists = slices.DeleteFunc(slices.Clone(lists), func(l []Result) bool { return len(l) == 0 })
	limit = max(limit, 0)
	type entry struct {
		Result

		round int
	}
	var entries []entry
	for _, list := range lists {
		for i, r := range list {
			e := entry{Result: r}
			switch {
			case i < limit/len(lists): // sure of its place
			case i*len(lists) < limit: // up to ⌈limit/n⌉
				e.round = 1
			default:
				e.round = 2
			}
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.round, b.round), byScoreAndPath(a.Result, b.Result))
	})
	var kept []Result
	var dropped []Dropped
	for i, e := range entries {
		if i < limit {
			kept = append(kept, e.Result)
		} else {
			dropped = append(dropped, Dropped{Result: e.Result, Reason: BeyondLimit})
		}
	}
	slices.SortFunc(kept, byScoreAndPath)
	slices.SortFunc(dropped, func(a, b Dropped) int { return byScoreAndPath(a.Result, b.Result) })
	return kept, dropped
}

// byScoreAndPath orders results of several corpora best first, the same scores by path and unit.
func byScoreAndPath(a, b Result) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Candidate.Path, b.Candidate.Path), byScore(a, b))
}

// DecayOptions lets older passages count less.
type DecayOptions struct {
	// HalfLife is the age at which a passage counts half. Zero or less: no decay.
	HalfLife time.Duration
}

// DefaultDecayOptions halve a score every thirty days.
func DefaultDecayOptions() DecayOptions { return DecayOptions{HalfLife: 30 * 24 * time.Hour} }

// Factor is what a score is multiplied with at an age: 1 for what is new or lies in the future, one half after HalfLife,
// never 0.
func (o DecayOptions) Factor(age time.Duration) float64 {
	if o.HalfLife <= 0 || age <= 0 {
		return 1
	}
	return math.Exp2(-age.Hours() / o.HalfLife.Hours())
}

// decayOf is the factor of one candidate: 1 when decay is off (nil), for what does not age and for what has no date.
func decayOf(c Candidate, o *DecayOptions, now time.Time) float64 {
	if o == nil || c.Evergreen || c.At == 0 {
		return 1
	}
	return o.Factor(now.Sub(time.Unix(c.At, 0)))
}

// DiversityOptions lets a result that repeats earlier ones wait: maximal marginal relevance (Carbonell and Goldstein, 1998).
type DiversityOptions struct {
	// Lambda is the weight of relevance against novelty, 0..1: at 1 only relevance counts.
	Lambda float64
}

// DefaultDiversityOptions weigh relevance 0.7 and novelty 0.3.
func DefaultDiversityOptions() DiversityOptions { return DiversityOptions{Lambda: 0.7} }

// diversify reorders results, which are in order of score, so that each of the first limit is the one with the greatest
// Lambda·relevance − (1−Lambda)·similarity to those before it; the others follow in order of score. Relevance is the score
// between the lowest (0) and the highest (1); when all are the same it is 1. Ties go to the higher score.
func diversify(results []Result, limit int, o DiversityOptions) {
	if len(results) < 2 {
		return
	}
	lambda := min(max(o.Lambda, 0), 1)
	high, low := results[0].Score, results[len(results)-1].Score
	relevance := func(r Result) float64 {
		if high == low {
			return 1
		}
		return (r.Score - low) / (high - low)
	}
	rest := slices.Clone(results)
	for place := range min(limit, len(results)) {
		best := 0
		for i := range rest {
			parts := &rest[i].Parts
			if place > 0 {
				parts.Similarity = max(parts.Similarity, jaccard(rest[i].Candidate.Terms, results[place-1].Candidate.Terms))
			}
			parts.Marginal = lambda*relevance(rest[i]) - (1-lambda)*parts.Similarity
			if cmp.Compare(parts.Marginal, rest[best].Parts.Marginal) > 0 {
				best = i
			}
		}
		results[place] = rest[best]
		rest = slices.Delete(rest, best, best+1)
	}
	copy(results[min(limit, len(results)):], rest)
}

// jaccard is the share of the terms of two texts that both have. Both must be sorted and distinct. Texts without terms have
// nothing in common with any.
func jaccard(a, b []index.TermID) float64 {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
