// Package choose selects the results of a search from its candidates.
package choose

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"reverie/search"
	"reverie/search/fuse"
	"reverie/search/index"
)

// Candidate is a retrieved passage that may become a result.
type Candidate struct {
	Unit   index.UnitKey `json:"unit"`
	Corpus search.Corpus `json:"corpus"`
	Path   string        `json:"path,omitempty"` // path of the document or conversation: the last tie-breaker between corpora
	// Fused holds the fused score and all its components.
	Fused fuse.Fused `json:"fused"`
	// Personal marks a passage that belongs only to the searching owner.
	Personal bool `json:"personal"`
	// Evergreen passages do not age.
	Evergreen bool `json:"evergreen"`
	// At is the time the passage was said or written, in Unix seconds; 0 if unknown.
	At int64 `json:"at,omitempty"`
	// CopyOf identifies the text: candidates with the same value are copies of each other. Empty if there is none.
	CopyOf string `json:"copyOf,omitempty"`
	// Terms are the sorted, distinct terms of the text, for the similarity of two passages. Only diversity uses them.
	Terms []index.TermID `json:"-"`
	// Whole identifies the message that the passage is a part of; the zero value means the passage itself.
	Whole index.UnitKey `json:"-"`
	// Statement returns what is compared with others for newer values, or nil. It is called for the first results only.
	Statement func() *Statement `json:"-"`
	// Quoted is the latest message that this document quotes; Select sets it.
	Quoted *Candidate `json:"-"`
}

// Options control which candidates become results. The zero value selects nothing; start from DefaultOptions.
type Options struct {
	// Limit is the maximum number of results.
	Limit int
	// MinScore is the minimum final score; candidates below it are dropped.
	MinScore float64
	// PersonalBoost divides the score of shared passages: a personal one counts that much more.
	PersonalBoost float64
	// From (inclusive) and To (exclusive) bound the time of a passage; zero means unbounded. If either is set, passages
	// of unknown time are excluded.
	From, To time.Time
	// Decay lowers the scores of older passages; nil disables it.
	Decay *DecayOptions
	// Diversity moves passages that repeat others down; nil disables it.
	Diversity *DiversityOptions
	// Quotes reports whether a document has the content of a message; nil: none does. It is called for the first results only.
	Quotes func(document, message Candidate) bool
	// NewestFirst moves newer values of the same thing above older ones.
	NewestFirst bool
	// Replaced reports whether it was decided that one passage states a newer value than another; nil: nothing was.
	Replaced func(older, newer Candidate) bool
}

// DefaultOptions returns at most six results with a minimum score of 0.25 and a personal boost of 1.2, the newest first, without
// decay or diversity.
func DefaultOptions() Options {
	return Options{Limit: 6, MinScore: 0.25, PersonalBoost: 1.2, NewestFirst: true}
}

// Result is a selected candidate.
type Result struct {
	Candidate Candidate   `json:"candidate"`
	Score     float64     `json:"score"`
	Parts     SelectParts `json:"parts"`
}

// SelectParts are the steps from a candidate's fused score to its final score.
type SelectParts struct {
	// Base is the fused score, or the higher one of a shared copy that the candidate replaces.
	Base float64 `json:"base"`
	// Boost is the factor applied to Base: 1 for personal passages, one over the personal boost for shared ones.
	Boost float64 `json:"boost"`
	// Decay is the age factor applied to the score; 1 if decay is disabled.
	Decay float64 `json:"decay"`
	// Replaces counts the shared copies that this personal copy replaced.
	Replaces int `json:"replaces,omitempty"`
	// SupersededBy is the passage above that states a newer value of the same thing.
	SupersededBy *index.UnitKey `json:"supersededBy,omitempty"`
	// Relaxed marks a result below the minimum score, kept because no candidate reached it.
	Relaxed bool `json:"relaxed,omitempty"`
	// Similarity is the similarity to the most similar earlier result, and Marginal the value that diversity ordered
	// by. Both are 0 if diversity is disabled.
	Similarity float64 `json:"similarity,omitempty"`
	Marginal   float64 `json:"marginal,omitempty"`
}

// DropReason is the reason why a candidate is not among the results.
type DropReason string

const (
	// OutsidePeriod marks a candidate before From, at or after To, or without a time.
	OutsidePeriod DropReason = "outside-period"
	// PersonalCopy marks a shared candidate that has a personal copy.
	PersonalCopy DropReason = "personal-copy"
	// SameMessage marks another part of a message that is a result.
	SameMessage DropReason = "same-message"
	// Repeated marks a passage with the text of a better or newer one.
	Repeated DropReason = "repeated"
	// InDocument marks a message whose content a document among the results has taken over.
	InDocument DropReason = "in-document"
	// BelowFloor marks a candidate whose final score is below MinScore.
	BelowFloor DropReason = "below-floor"
	// TooSimilar marks a candidate whose score would make it a result, displaced by one that repeats less.
	TooSimilar DropReason = "too-similar"
	// BeyondLimit marks a candidate after the last result.
	BeyondLimit DropReason = "beyond-limit"
)

// Dropped is a candidate that was not selected, with its final score as far as it was computed.
type Dropped struct {
	Result

	Reason DropReason `json:"reason"`
}

// Select turns fused candidates of one or several corpora into results, best first, and returns every other candidate with the
// reason why it was dropped, ordered by score. It applies these steps in order, the first four in each corpus:
//
//   - drop candidates outside the period;
//   - replace shared candidates by a personal copy with the same CopyOf, which takes the best of their scores;
//   - divide shared scores by the personal boost, then apply age decay, so that scores stay within 0 and 1;
//   - keep the best part of each message, and the newest of passages with the same CopyOf, at the place of the best;
//   - merge the corpora by score, then path;
//   - let a document that quotes a message take its place, with the better of their scores;
//   - move the newest of statements with different values of the same thing to the place of the first of them;
//   - drop candidates below the minimum score. If none is left, keep those that matched words of the question, marked
//     Relaxed; vector similarity alone does not relax the minimum;
//   - reorder the rest for diversity and cut it at the limit, of which each corpus gets its part.
//
// Within a corpus, ties are broken by fused order, then by unit. The candidates may be in any order and are not modified.
func Select(candidates []Candidate, o Options, now time.Time) ([]Result, []Dropped) {
	var s selection
	byCorpus := map[search.Corpus][]Candidate{}
	for _, c := range candidates {
		byCorpus[c.Corpus] = append(byCorpus[c.Corpus], c)
	}
	var lists [][]Result
	for _, corpus := range slices.Sorted(maps.Keys(byCorpus)) {
		results := s.inside(byCorpus[corpus], o)
		results = s.preferPersonal(results)
		for i := range results {
			results[i].weigh(o, now)
		}
		slices.SortFunc(results, byScore)
		lists = append(lists, s.once(results))
	}
	results := s.sharePlaces(merged(lists...), o)
	if o.NewestFirst {
		newestFirst(results, rivalDepth*len(lists), o.Replaced)
	}
	results = s.floor(results, o.MinScore)
	results = s.cut(results, o)
	slices.SortFunc(s.dropped, func(a, b Dropped) int { return byScore(a.Result, b.Result) })
	return results, s.dropped
}

// selection collects the candidates that Select drops.
type selection struct{ dropped []Dropped }

func (s *selection) drop(r Result, reason DropReason) {
	s.dropped = append(s.dropped, Dropped{Result: r, Reason: reason})
}

// inside returns the candidates within the period as results, best first.
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

// covers reports whether at, in Unix seconds (0 if unknown), is within the period.
func (o Options) covers(at int64) bool {
	if o.From.IsZero() && o.To.IsZero() {
		return true
	}
	t := time.Unix(at, 0)
	return at != 0 && (o.From.IsZero() || !t.Before(o.From)) && (o.To.IsZero() || t.Before(o.To))
}

// preferPersonal removes shared results that have a personal copy, which takes the best of their scores: both are the
// same text, and one of the lists may not contain it yet.
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
	if !r.Candidate.Personal && o.PersonalBoost > 0 {
		r.Parts.Boost = 1 / o.PersonalBoost
	}
	r.Parts.Decay = decayOf(r.Candidate, o.Decay, now)
	r.Score = r.Parts.Base * r.Parts.Boost * r.Parts.Decay
}

// once keeps one result of each message and of each text; results are sorted by score.
func (s *selection) once(results []Result) []Result {
	kept := results[:0:0]
	messages, texts := map[index.UnitKey]bool{}, map[string]int{}
	for _, r := range results {
		c := r.Candidate
		if c.Whole != (index.UnitKey{}) && messages[c.Whole] {
			s.drop(r, SameMessage)
			continue
		}
		at, repeated := texts[c.CopyOf]
		if c.CopyOf == "" || !repeated {
			messages[c.Whole] = true
			texts[c.CopyOf] = len(kept)
			kept = append(kept, r)
			continue
		}
		if c.laterThan(kept[at].Candidate) {
			messages[c.Whole] = true
			r.Score, kept[at], r = kept[at].Score, r, kept[at]
			kept[at].Score = r.Score
		}
		s.drop(r, Repeated)
	}
	return kept
}

// sharePlaces removes messages that a document quotes and gives the document the better of the two scores. results are the
// merged lists.
func (s *selection) sharePlaces(results []Result, o Options) []Result {
	if o.Quotes == nil {
		return results
	}
	most, documents, messages := max(o.Limit, rivalDepth), []*Result{}, 0
	for i := range results {
		if results[i].Candidate.Corpus == search.Memory && len(documents) < most {
			documents = append(documents, &results[i])
		}
	}
	quoted := map[index.UnitKey]bool{}
	for _, m := range results {
		if m.Candidate.Corpus != search.Sessions || messages == most {
			continue
		}
		messages++
		for _, d := range documents {
			if !o.Quotes(d.Candidate, m.Candidate) {
				continue
			}
			d.Score = max(d.Score, m.Score)
			if d.Candidate.Quoted == nil || m.Candidate.laterThan(*d.Candidate.Quoted) {
				d.Candidate.Quoted = &m.Candidate
			}
			quoted[m.Candidate.Unit] = true
			s.drop(m, InDocument)
			break
		}
	}
	results = slices.DeleteFunc(results, func(r Result) bool { return quoted[r.Candidate.Unit] })
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.Score, a.Score) })
	return results
}

// floor removes results below lowest. If that would remove all of them, it keeps those that matched words of the
// question, and those with a newer value of one of them.
func (s *selection) floor(results []Result, lowest float64) []Result {
	isBelow := func(r Result) bool { return r.Score < lowest }
	if !slices.ContainsFunc(results, func(r Result) bool { return !isBelow(r) }) {
		newer := map[index.UnitKey]bool{}
		for i := range slices.Backward(results) {
			r := &results[i]
			r.Parts.Relaxed = r.Candidate.Fused.TextRank > 0 || newer[r.Candidate.Unit]
			if by := r.Parts.SupersededBy; by != nil && r.Parts.Relaxed {
				newer[*by] = true
			}
		}
		isBelow = func(r Result) bool { return !r.Parts.Relaxed }
	}
	for _, r := range results {
		if isBelow(r) {
			s.drop(r, BelowFloor)
		}
	}
	return slices.DeleteFunc(results, isBelow)
}

// cut keeps the results within the limit, after applying diversity if enabled.
func (s *selection) cut(results []Result, o Options) []Result {
	inReach := map[index.UnitKey]bool{}
	if o.Diversity != nil {
		kept, _ := balance(results, o.Limit)
		for _, r := range kept {
			inReach[r.Candidate.Unit] = true
		}
		diversify(results, *o.Diversity)
	}
	kept, beyond := balance(results, o.Limit)
	for _, r := range beyond {
		if inReach[r.Candidate.Unit] {
			s.drop(r, TooSimilar)
		} else {
			s.drop(r, BeyondLimit)
		}
	}
	return kept
}

// byScore orders results best first, breaking ties by fused rank, then by unit.
func byScore(a, b Result) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), fuse.CompareRanks(a.Candidate.Fused.Rank, b.Candidate.Fused.Rank),
		a.Candidate.Unit.Compare(b.Candidate.Unit))
}

// Balance merges results of several corpora, each sorted best first, into at most limit results, as Select does. Results without a
// place are returned as well, in the same order.
func Balance(limit int, lists ...[]Result) (kept, beyond []Result) {
	return balance(merged(lists...), limit)
}

// merged merges lists that are sorted by score, without changing the order within one. Ties are broken by path.
func merged(lists ...[]Result) (all []Result) {
	for _, list := range lists {
		var both []Result
		for len(all) > 0 && len(list) > 0 {
			a, b := all[0], list[0]
			if cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Candidate.Path, b.Candidate.Path)) <= 0 {
				both, all = append(both, a), all[1:]
			} else {
				both, list = append(both, b), list[1:]
			}
		}
		all = slices.Concat(both, all, list)
	}
	return all
}

// balance keeps at most limit results of several corpora, whose scores are not quite comparable, in their order. Of n corpora, each
// keeps its first ⌊limit/n⌋. Remaining places are given first to the next result of each, so that a corpus has ⌈limit/n⌉ before another has
// more, and then to the first of all. What states a newer value of a result is kept before that.
func balance(results []Result, limit int) (kept, beyond []Result) {
	limit = min(max(limit, 0), len(results))
	total, seen := map[search.Corpus]int{}, map[search.Corpus]int{}
	for _, r := range results {
		total[r.Candidate.Corpus]++
	}
	rounds, at, order := make([]int, len(results)), map[index.UnitKey]int{}, make([]int, len(results))
	for i, r := range results {
		n := seen[r.Candidate.Corpus]
		switch {
		case n < limit/len(total): // a guaranteed place
		case n*len(total) < limit: // up to ⌈limit/n⌉
			rounds[i] = 1
		default:
			rounds[i] = 2
		}
		seen[r.Candidate.Corpus]++
		at[r.Candidate.Unit], order[i] = i, i
	}
	for i, r := range slices.Backward(results) {
		if by := r.Parts.SupersededBy; by != nil {
			if newer, found := at[*by]; found {
				rounds[newer] = min(rounds[newer], rounds[i])
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rounds[a], rounds[b]) })
	keep := slices.Sorted(slices.Values(order[:limit]))
	for i, r := range results {
		if _, found := slices.BinarySearch(keep, i); found {
			kept = append(kept, r)
		} else {
			beyond = append(beyond, r)
		}
	}
	return kept, beyond
}

// DecayOptions control how scores decrease with age.
type DecayOptions struct {
	// HalfLife is the age at which a score is halved. Zero or less disables decay.
	HalfLife time.Duration
}

// DefaultDecayOptions halve a score every thirty days.
func DefaultDecayOptions() DecayOptions { return DecayOptions{HalfLife: 30 * 24 * time.Hour} }

// Factor returns the multiplier for a passage of the given age: 1 if new or in the future, one half after HalfLife,
// never 0.
func (o DecayOptions) Factor(age time.Duration) float64 {
	if o.HalfLife <= 0 || age <= 0 {
		return 1
	}
	return math.Exp2(-age.Hours() / o.HalfLife.Hours())
}

// decayOf returns the factor of a candidate: 1 if decay is disabled (nil), and for evergreen or undated candidates.
func decayOf(c Candidate, o *DecayOptions, now time.Time) float64 {
	if o == nil || c.Evergreen || c.At == 0 {
		return 1
	}
	return o.Factor(now.Sub(time.Unix(c.At, 0)))
}

// DiversityOptions control maximal marginal relevance (Carbonell and Goldstein, 1998), which moves results that repeat
// earlier ones down.
type DiversityOptions struct {
	// Lambda weighs relevance against novelty, 0..1; at 1 only relevance counts.
	Lambda float64
}

// DefaultDiversityOptions weigh relevance 0.7 and novelty 0.3.
func DefaultDiversityOptions() DiversityOptions { return DiversityOptions{Lambda: 0.7} }

// diversify reorders results, which are sorted by score, so that each maximizes Lambda·relevance − (1−Lambda)·similarity to those
// before it. Relevance is the score scaled between the lowest (0) and the highest (1), or 1 if all are equal. Ties are won by the higher
// score. A result comes after the one that states a newer value.
func diversify(results []Result, o DiversityOptions) {
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
	rest, placed := slices.Clone(results), map[index.UnitKey]bool{}
	for place := range results {
		best := -1
		for i := range rest {
			parts := &rest[i].Parts
			if place > 0 {
				parts.Similarity = max(parts.Similarity, jaccard(rest[i].Candidate.Terms, results[place-1].Candidate.Terms))
			}
			parts.Marginal = lambda*relevance(rest[i]) - (1-lambda)*parts.Similarity
			waits := parts.SupersededBy != nil && !placed[*parts.SupersededBy]
			if !waits && (best < 0 || parts.Marginal > rest[best].Parts.Marginal) {
				best = i
			}
		}
		results[place] = rest[best]
		placed[rest[best].Candidate.Unit] = true
		rest = slices.Delete(rest, best, best+1)
	}
}

// jaccard returns the share of terms that two texts have in common. Both must be sorted and distinct. The result is 0
// if either has no terms.
func jaccard(a, b []index.TermID) float64 {
	n := common(a, b)
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(a)+len(b)-n)
}

// common counts the terms that two sorted, distinct lists have in common.
func common(a, b []index.TermID) (n int) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}
