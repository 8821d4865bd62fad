// Package rank scores the units that a question finds by its words.
package rank

import (
	"cmp"
	"math"
	"slices"
	"time"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/index"
)

// Ranked is a unit that a question found.
type Ranked struct {
	Unit  int // index in Collection.Units
	Score float64
	Parts LexicalParts

	session int32
}

// LexicalParts are what a lexical score is made of. The score is the sum of all but Coverage and Exact. Phrase, Closeness,
// Asking, Answer and Exact are known after Refine.
type LexicalParts struct {
	Body       float64 `json:"body"`       // BM25 of the unit itself, with its path and headings
	Speaker    float64 `json:"speaker"`    // its speaker is named in the question
	Neighbours float64 `json:"neighbours"` // words that only the units around it have
	Enclosing  float64 `json:"enclosing"`  // its session or document matches as a whole
	Together   float64 `json:"together"`   // many of the different words of the question are here or nearby
	Period     float64 `json:"period"`     // it lies in a period that the question names, or not far from it
	Phrase     float64 `json:"phrase"`     // quoted phrases and identifiers of the question stand in it as they were written
	Closeness  float64 `json:"closeness"`  // words stand as close to each other as in the question
	Asking     float64 `json:"asking"`     // below 0: it asks more than it says
	Answer     float64 `json:"answer"`     // the turn in front of it asks what is asked
	First      float64 `json:"first"`      // it is the best of its session
	// Coverage is how much of the question the unit has, 0 to 1: the share of the words by inverse document frequency, where
	// a word that only a neighbour has counts in part, and one that no unit has counts as one that a single unit has.
	Coverage float64 `json:"coverage"`
	// Exact says that a quoted phrase or an identifier of the question stands in the unit as it was written.
	Exact bool `json:"exact"`
}

// total is the score that the parts add up to.
func (p LexicalParts) total() float64 {
	return p.Body + p.Speaker + p.Neighbours + p.Enclosing + p.Together + p.Period +
		p.Phrase + p.Closeness + p.Asking + p.Answer + p.First
}

// Rank finds the units of c that match q, best first, at most o.Depth. c is what q found.
//
// A unit matches that has a term of q, that is close to one that has, or that lies in a period that q names. Terms are
// joined by OR. Units of equal score stand in the order of c.Units.
func Rank(q analysis.Query, c *index.Collection, o Options) []Ranked {
	if len(c.Units) == 0 {
		return nil
	}
	r := newRanking(q, c, o)
	for i := range q.Terms {
		r.add(i)
	}
	best := newBest(min(o.Depth, len(c.Units)))
	for unit := range c.Units {
		if r.matches(unit) {
			best.offer(unit, r.parts(unit).total())
		}
	}
	ranked := best.descending()
	for i, found := range ranked {
		ranked[i].Parts = r.parts(found.Unit)
		ranked[i].session = r.sessions.of[found.Unit]
	}
	return order(ranked, c, o)
}

// order puts units in their final order, in place.
func order(ranked []Ranked, c *index.Collection, o Options) []Ranked {
	for i := range ranked {
		ranked[i].Parts.First = 0
		ranked[i].Score = ranked[i].Parts.total()
	}
	slices.SortFunc(ranked, better)
	if c.Corpus != search.Sessions || o.First == 0 {
		return ranked
	}
	seen := make(map[int32]bool)
	for i := range ranked {
		if found := &ranked[i]; !seen[found.session] {
			seen[found.session] = true
			found.Parts.First = o.First
			found.Score = found.Parts.total()
		}
	}
	slices.SortFunc(ranked, better)
	return ranked
}

// better orders by score, and units of equal score as they stand in the collection.
func better(a, b Ranked) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Unit, b.Unit))
}

// ranking is the state of one Rank. The slices are per unit.
type ranking struct {
	o Options
	q analysis.Query
	c *index.Collection
	bm25
	periods

	body     []float64 // what the unit's own words add
	reached  []float64 // the same with its neighbours'
	covered  []float64 // inverse document frequencies of the words that it has, or of which a part reaches it
	speaker  []float64 // nil unless a speaker is named
	whole    float64   // what covered is at most
	dated    float64   // the part of it that is words which name a period
	spread   spread
	sessions *enclosing
	current  []occurrence // of the current term
}

// occurrence is a posting of one term with the contexts counted in.
type occurrence struct {
	unit      int32
	frequency float64
}

func newRanking(q analysis.Query, c *index.Collection, o Options) *ranking {
	n := len(c.Units)
	values := make([]float64, 4*n)
	r := &ranking{
		o: o, q: q, c: c, bm25: newBM25(c, o), periods: periodsOf(q, o),
		body: values[:n:n], reached: values[n : 2*n : 2*n], covered: values[2*n : 3*n : 3*n],
		sessions: newEnclosing(newSessions(c, o)),
	}
	r.spread = spread{reach: values[3*n:], sessions: r.sessions.of, Neighbourhood: o.neighbourhood(c.Corpus)}
	return r
}

// add counts term i of the question.
func (r *ranking) add(i int) {
	term, context := r.q.Terms[i], r.c.Context[i]
	share := r.share(i)
	r.current = r.occurrences(r.current[:0], i)
	switch weight := share * r.idf(max(1, len(r.current))); {
	case r.c.Corpus == search.Sessions && len(context) > 0:
		r.addSpeaker(context, share)
		r.addAlone(weight * r.o.SpeakerInBody)
	case term.Stop:
		r.addAlone(weight)
	case weight > 0:
		r.addAround(weight)
		if r.names(term) {
			r.dated += weight
		}
		r.sessions.add(r.c.Body[i], share, r.bm25)
	}
}

// addAround counts the current term, which is worth weight, for the units that have it and for those around them.
func (r *ranking) addAround(weight float64) {
	for _, p := range r.current {
		w := weight * r.saturated(p.frequency)
		r.body[p.unit] += w
		r.spread.from(p.unit, w)
	}
	r.whole += weight
	for _, p := range r.current {
		// A long unit has the word as well as a short one.
		r.covered[p.unit] += weight - min(weight, r.spread.reach[p.unit])
	}
	r.spread.drain(r.current, func(unit int, w float64) {
		r.reached[unit] += w
		r.covered[unit] += min(w, weight)
	})
}

// addAlone counts the current term for the units that have it only: a stop word, or the name of a speaker, says nothing
// about the turns around.
func (r *ranking) addAlone(weight float64) {
	for _, p := range r.current {
		w := weight * r.saturated(p.frequency)
		r.body[p.unit] += w
		r.reached[p.unit] += w
	}
}

// share is what a term counts, before its inverse document frequency.
func (r *ranking) share(i int) float64 {
	switch {
	case r.q.Terms[i].Stop:
		return r.o.StopWeight
	case r.names(r.q.Terms[i]):
		return r.o.PeriodTerms
	default:
		return 1
	}
}

// addSpeaker counts that the question names the speaker of turns.
func (r *ranking) addSpeaker(turns []index.Posting, share float64) {
	if r.speaker == nil {
		r.speaker = make([]float64, len(r.c.Units))
	}
	weight := share * r.o.Speaker * (1 + r.idf(len(turns)))
	for _, p := range turns {
		r.speaker[p.Unit] = max(r.speaker[p.Unit], weight)
	}
}

// occurrences appends where term i occurs, ordered by unit: in a body, or in a path or headings, where it is not discounted
// by the length of the body. Who speaks is counted apart.
func (r *ranking) occurrences(to []occurrence, i int) []occurrence {
	body, context := r.c.Body[i], r.c.Context[i]
	if r.c.Corpus == search.Sessions {
		context = nil
	}
	for len(body) > 0 || len(context) > 0 {
		switch {
		case len(context) == 0 || len(body) > 0 && body[0].Unit < context[0].Unit:
			to = append(to, occurrence{body[0].Unit, float64(body[0].TF) / r.norms[body[0].Unit]})
			body = body[1:]
		case len(body) == 0 || context[0].Unit < body[0].Unit:
			to = append(to, occurrence{context[0].Unit, r.o.ContextWeight * float64(context[0].TF)})
			context = context[1:]
		default:
			f := float64(body[0].TF)/r.norms[body[0].Unit] + r.o.ContextWeight*float64(context[0].TF)
			to = append(to, occurrence{body[0].Unit, f})
			body, context = body[1:], context[1:]
		}
	}
	return to
}

// matches reports whether a unit is found at all. Stop words alone find nothing beside other words.
func (r *ranking) matches(unit int) bool {
	return r.covered[unit] > 0 || r.whole == 0 && r.body[unit] > 0 ||
		r.speaker != nil && r.speaker[unit] > 0 || len(r.spans) > 0 && r.inside(r.c.Units[unit].At)
}

// parts are the components of a unit's score.
func (r *ranking) parts(unit int) LexicalParts {
	closeness := 0.
	if len(r.spans) > 0 { // units are large: 100,000 of them are not read for nothing
		closeness = r.closeness(r.c.Units[unit].At)
	}
	p := LexicalParts{
		Body:       r.body[unit],
		Neighbours: r.reached[unit] - r.body[unit],
		Enclosing:  r.o.Enclosing * r.sessions.scores[r.sessions.of[unit]],
		Period:     r.o.Period * closeness,
	}
	if r.speaker != nil {
		p.Speaker = r.speaker[unit]
	}
	switch {
	case r.whole > 0:
		// What lies in a period need not say so.
		covered := min(r.whole, r.covered[unit]+r.dated*closeness)
		p.Coverage = covered / r.whole
		p.Together = r.o.Coverage * p.Coverage * covered
	case p.Body+p.Speaker > 0:
		p.Coverage = 1 // the question is nothing but a name
	default:
		p.Coverage = closeness
	}
	return p
}

// best keeps the highest scores seen, as a heap whose root is the lowest of them.
type best struct {
	depth int
	heap  []Ranked
}

func newBest(depth int) *best { return &best{depth: depth, heap: make([]Ranked, 0, max(depth, 0))} }

// offer considers a unit. Units are offered in ascending order.
func (b *best) offer(unit int, score float64) {
	entry := Ranked{Unit: unit, Score: score}
	if len(b.heap) < b.depth {
		b.heap = append(b.heap, entry)
		if len(b.heap) == b.depth {
			slices.SortFunc(b.heap, worse) // an ascending slice is a heap
		}
		return
	}
	if b.depth <= 0 || score <= b.heap[0].Score {
		return // of equal scores the first stays
	}
	at := 0
	for {
		child := 2*at + 1
		if child >= len(b.heap) {
			break
		}
		if child+1 < len(b.heap) && worse(b.heap[child+1], b.heap[child]) < 0 {
			child++
		}
		if worse(entry, b.heap[child]) <= 0 {
			break
		}
		b.heap[at] = b.heap[child]
		at = child
	}
	b.heap[at] = entry
}

// descending empties b, best first.
func (b *best) descending() []Ranked {
	slices.SortFunc(b.heap, better)
	return b.heap
}

// worse is the opposite order of better.
func worse(a, b Ranked) int { return better(b, a) }

// bm25 is the formula with the statistics of a collection. A term of the question adds to a unit that has it
//
//	weight · idf · tf·(K1+1) / (tf + K1·(1−B+B·length/average)), idf = ln(1 + (N−df+½)/(df+½))
//
// where weight is StopWeight for stop words and 1 for others, B is TurnB for turns, and N, df and the average length are those
// of the collection.
type bm25 struct {
	units int
	k1    float64
	norms []float64 // per unit: 1−B+B·length/average
}

func newBM25(c *index.Collection, o Options) bm25 {
	lengths := make([]float64, len(c.Units))
	for i := range c.Units {
		lengths[i] = float64(c.Units[i].Length)
	}
	return bm25{units: len(c.Units), k1: o.K1, norms: norms(lengths, o.b(c.Corpus))}
}

// norms turns lengths into what they divide frequencies by, in place.
func norms(lengths []float64, b float64) []float64 {
	total := 0.
	for _, l := range lengths {
		total += l
	}
	scale := 0.
	if total > 0 {
		scale = b * float64(len(lengths)) / total
	}
	for i, l := range lengths {
		lengths[i] = 1 - b + scale*l
	}
	return lengths
}

// idf is the inverse document frequency of a term that df units have. It is positive, also for a term that all have.
func (b bm25) idf(df int) float64 { return idf(b.units, df) }

func idf(units, df int) float64 {
	return math.Log1p((float64(units) - float64(df) + .5) / (float64(df) + .5))
}

// saturated is what a frequency counts, after it was divided by the unit's norm: below K1+1, and 1 for 1.
func (b bm25) saturated(frequency float64) float64 {
	return frequency * (b.k1 + 1) / (frequency + b.k1)
}

// Options are the parameters of lexical ranking. A weight of zero switches its component off.
//
// Scores are in units of inverse document frequency: a word that occurs once in a unit of average length adds its own.
type Options struct {
	// K1 is how fast further occurrences of a term stop counting.
	K1 float64
	// B is how much long chunks are discounted, TurnB how much long turns are.
	B, TurnB float64
	// StopWeight is what a stop word counts, as a share of another word.
	StopWeight float64
	// ContextWeight is how many occurrences in the body one in the path or the headings is worth. Documents only: the
	// context of a turn is its speaker, who is weighed by Speaker.
	ContextWeight float64
	// Speaker is what it adds that a turn's speaker is named in the question, times 1 + the inverse document frequency of
	// being the speaker: to be named tells most when few turns are theirs.
	Speaker float64
	// SpeakerInBody is what the name of a speaker counts in what is said, as a share of another word: there it is mostly a
	// way to address the other.
	SpeakerInBody float64
	// Turns and Chunks say how much of a word's weight reaches the units before and after the one that has it.
	Turns, Chunks Neighbourhood
	// Pause is the silence that ends a session. Neighbours and enclosing evidence stay within one.
	Pause time.Duration
	// Enclosing weighs how well the whole session, or the whole document, matches.
	Enclosing float64
	// Coverage rewards units that have, or whose neighbours have, more of the different words of the question.
	Coverage float64
	// Period is what it adds to lie in a period that the question names.
	Period float64
	// PeriodTerms is what the words that name a period count themselves, as a share of another word.
	PeriodTerms float64
	// First is what it adds to be the best turn of its session: after one turn of a session is found, the best of another
	// tells more than its second.
	First float64
	// Depth bounds the list.
	Depth int

	// What follows needs the texts, and is done for the first RefineDepth of the list.

	// Phrase is what the words of a quoted phrase or an identifier count more where it stands as it was written, as a share
	// of what they count anyway.
	Phrase float64
	// Closeness is what two words count more that follow each other in the question and in the text, as a share of what the
	// more frequent of them counts; less when words are between them, and half in the other order.
	Closeness float64
	// Asking is the share of its score that a turn loses that only asks: a question seldom answers another.
	Asking float64
	// Answer is the share of what a turn that asks has itself that is added to the turn which follows it.
	Answer float64
	// RefineDepth bounds how many texts are looked at.
	RefineDepth int
}

// Neighbourhood says how much of a word's weight reaches another unit, by distance: the first number is for the
// adjacent one.
type Neighbourhood struct {
	// Onward is for the units that follow the one that has the word: an answer follows its question.
	Onward []float64
	// Backward is for the units that precede it.
	Backward []float64
}

// DefaultOptions are the options of ordinary searches.
//
// K1 and B are the customary ones; TurnB is lower, since what a longer turn says more is seldom about something else. The
// other weights lie on wide plateaus of what was measured on conversations and on documentation: half as much of any of
// them, or half as much again, costs two points of recall at ten at most, except for what reaches the next turn, of which half
// costs four. First is a compromise: less of it finds more turns, more of it more sessions.
func DefaultOptions() Options {
	return Options{
		K1:            1.2,
		B:             .75,
		TurnB:         .4,
		StopWeight:    .1,
		ContextWeight: 1,
		Speaker:       1.25,
		SpeakerInBody: .2,
		Turns:         Neighbourhood{Onward: []float64{.7, .35, .2}, Backward: []float64{.4, .2, .1}},
		Chunks:        Neighbourhood{Onward: []float64{.2}, Backward: []float64{.2}},
		Pause:         4 * time.Hour,
		Enclosing:     .2,
		Coverage:      1,
		Period:        5,
		PeriodTerms:   .5,
		First:         2,
		Depth:         200,
		Phrase:        .5,
		Closeness:     .2,
		Asking:        .4,
		Answer:        .3,
		RefineDepth:   40,
	}
}

// b is the one for a corpus.
func (o Options) b(c search.Corpus) float64 {
	if c == search.Sessions {
		return o.TurnB
	}
	return o.B
}

// neighbourhood is the one for a corpus.
func (o Options) neighbourhood(c search.Corpus) Neighbourhood {
	if c == search.Sessions {
		return o.Turns
	}
	return o.Chunks
}
