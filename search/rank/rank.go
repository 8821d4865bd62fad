// Package rank scores the units that match a question by its words.
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

// Ranked is a unit that matched a question.
type Ranked struct {
	Unit  int // index in Collection.Units
	Score float64
	Parts LexicalParts

	session int32
	among   bool // it is a turn of a conversation among persons, without an assistant's prose
	rule    bool // it is the standing instruction about the subject of the question
}

// LexicalParts are the components of a lexical score, which is the sum of all but Coverage and Exact. Asking, Answer,
// Feedback and Exact are set by Refine.
type LexicalParts struct {
	Body       float64 `json:"body"`       // BM25 of the unit itself, with its path and headings
	Speaker    float64 `json:"speaker"`    // its speaker is named in the question; negative: nobody of a dialogue is
	Neighbours float64 `json:"neighbours"` // words that only the surrounding units contain
	Enclosing  float64 `json:"enclosing"`  // its session or document matches as a whole
	Together   float64 `json:"together"`   // many of the question's different words are here or nearby
	Period     float64 `json:"period"`     // it is in or near a period that the question names
	Prose      float64 `json:"prose"`      // negative: an assistant said it
	Rule       float64 `json:"rule"`       // it is a standing instruction about the subject of the question
	Question   float64 `json:"question"`   // how well it matches one of several questions; negative: it matches none well
	Asking     float64 `json:"asking"`     // negative: it asks more than it states
	Answer     float64 `json:"answer"`     // the preceding turn asks the same question
	Feedback   float64 `json:"feedback"`   // words that the question lacks and most of the first hits share
	First      float64 `json:"first"`      // it is the best of its session
	// Coverage is the share of the question's words that the unit contains, weighted by inverse document frequency, 0
	// to 1. A word that only a neighbour contains counts in part, and one that no unit contains as if a single unit
	// did.
	Coverage float64 `json:"coverage"`
	// Exact reports that the unit contains a quoted phrase or an identifier of the question verbatim.
	Exact bool `json:"exact"`
}

// total returns the sum of the parts.
func (p LexicalParts) total() float64 {
	return p.Body + p.Speaker + p.Neighbours + p.Enclosing + p.Together + p.Period + p.Prose +
		p.Rule + p.Question + p.Asking + p.Answer + p.Feedback + p.First
}

// Rank returns the units of c that match q, best first, at most o.Depth. c must have been collected for q.
//
// A unit matches if it contains a term of q, is close to one that does, or lies in a period that q names. Terms are
// joined by OR. Units of equal score keep the order of c.Units.
func Rank(q analysis.Query, c *index.Collection, o Options) []Ranked {
	if len(c.Units) == 0 {
		return nil
	}
	r := newRanking(q, c, o)
	for i, term := range r.terms {
		r.add(i, term)
	}
	rule := r.rule()
	best := newBest(min(o.Depth, len(c.Units)))
	for unit := range c.Units {
		if r.matches(unit) {
			score := r.parts(unit).total()
			if unit == rule { // a hit whatever its score
				score = math.Inf(1)
			}
			best.offer(unit, score)
		}
	}
	ranked := best.descending()
	for i, found := range ranked {
		ranked[i].Parts = r.parts(found.Unit)
		ranked[i].rule = found.Unit == rule
		ranked[i].session, ranked[i].among = r.sessions.of[found.Unit], !r.sessions.assisted[r.sessions.of[found.Unit]]
	}
	r.answerEach(ranked)
	return order(ranked, c, o)
}

// order sorts units into their final order, in place.
func order(ranked []Ranked, c *index.Collection, o Options) []Ranked {
	for i := range ranked {
		ranked[i].Parts.First, ranked[i].Parts.Rule = 0, 0
		ranked[i].Score = ranked[i].Parts.total()
	}
	slices.SortFunc(ranked, better)
	liftRule(ranked, o.Rule)
	if c.Corpus != search.Sessions || o.First == 0 {
		return ranked
	}
	seen := make(map[int32]bool)
	for i := range ranked {
		if found := &ranked[i]; found.among && !seen[found.session] {
			seen[found.session] = true
			found.Parts.First = o.First
			found.Score = found.Parts.total()
		}
	}
	slices.SortFunc(ranked, better)
	return ranked
}

// better orders by descending score, then by position in the collection.
func better(a, b Ranked) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Unit, b.Unit))
}

// ranking is the state of one call of Rank. The slices are indexed by unit.
type ranking struct {
	o     Options
	q     analysis.Query
	terms []analysis.QueryTerm // Searched
	c     *index.Collection
	bm25
	periods

	body     []float64 // score of the unit's own words
	reached  []float64 // the same including its neighbours' words
	covered  []float64 // inverse document frequencies of the words that it contains, or of the part that reaches it
	speaker  []float64 // nil unless a speaker is named
	people   people
	whole    float64 // the maximum of covered
	dated    float64 // the part of whole that is words naming a period
	spread   spread
	sessions *enclosing
	current  []occurrence // of the current term
}

// occurrence is a posting of one term, including its contexts.
type occurrence struct {
	unit      int32
	frequency float64
}

func newRanking(q analysis.Query, c *index.Collection, o Options) *ranking {
	r := &ranking{
		o: o, q: q, terms: q.Searched(), c: c, bm25: newBM25(c, o), periods: periodsOf(q, c, o), sessions: newEnclosing(newSessions(c, o)),
	}
	r.people = r.peopleOf()
	r.allocate()
	return r
}

// allocate empties what add changes, except sessions.
func (r *ranking) allocate() {
	n := len(r.c.Units)
	values := make([]float64, 4*n)
	r.body, r.reached, r.covered = values[:n:n], values[n:2*n:2*n], values[2*n:3*n:3*n]
	r.spread = spread{reach: values[3*n:], near: r.sessions.near, Neighbourhood: r.o.neighbourhood(r.c.Corpus)}
	r.speaker, r.whole, r.dated, r.current = nil, 0, 0, nil
}

// add counts term i of those that are searched.
func (r *ranking) add(i int, term analysis.QueryTerm) {
	context := r.c.Context[i]
	share := r.share(term)
	r.current = r.occurrences(r.current[:0], i)
	switch weight := share * r.idf(max(1, len(r.current))); {
	case r.c.Corpus == search.Sessions && len(context) > 0:
		r.addSpeaker(context, share)
		r.addAlone(weight * r.o.SpeakerInBody)
	case term.Stop:
	case i >= len(r.q.Terms): // a character
		r.addAlone(weight)
	default:
		r.addAround(weight)
		if r.names(term) {
			r.dated += weight
		}
		r.sessions.add(r.c.Body[i], share, r.bm25)
	}
}

// addAround adds the current term, with the given weight, to the units that contain it and to their neighbours.
func (r *ranking) addAround(weight float64) {
	for _, p := range r.current {
		w := weight * r.saturated(p.frequency)
		r.body[p.unit] += w
		r.spread.from(p.unit, w)
	}
	r.whole += weight
	for _, p := range r.current {
		// For coverage, a long unit counts like a short one.
		r.covered[p.unit] += weight - min(weight, r.spread.reach[p.unit])
	}
	r.spread.drain(r.current, func(unit int, w float64) {
		r.reached[unit] += w
		r.covered[unit] += min(w, weight)
	})
}

// addAlone adds the current term only to the units that contain it: the name of a speaker or a single character is no
// evidence for the surrounding turns.
func (r *ranking) addAlone(weight float64) {
	for _, p := range r.current {
		w := weight * r.saturated(p.frequency)
		r.body[p.unit] += w
		r.reached[p.unit] += w
	}
}

// share returns the weight of a term before its inverse document frequency: as often as the question repeats it.
func (r *ranking) share(term analysis.QueryTerm) float64 {
	share := float64(max(1, term.Count))
	if r.names(term) {
		share *= r.o.PeriodTerms
	}
	return share
}

// addSpeaker adds the score of turns whose speaker the question names.
func (r *ranking) addSpeaker(turns []index.Posting, share float64) {
	if r.speaker == nil {
		r.speaker = make([]float64, len(r.c.Units))
	}
	weight := share * r.o.Speaker * (1 + r.idf(len(turns)))
	for _, p := range turns {
		r.speaker[p.Unit] = max(r.speaker[p.Unit], weight)
	}
}

// occurrences appends the occurrences of term i, ordered by unit: in bodies, and in paths or headings, where they are
// not discounted by the length of the body. Speakers are counted separately.
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

// matches reports whether a unit is a hit.
func (r *ranking) matches(unit int) bool {
	return r.covered[unit] > 0 || r.body[unit] > 0 ||
		r.speaker != nil && r.speaker[unit] > 0 || len(r.spans) > 0 && r.inside(r.c.Units[unit].At)
}

// parts returns the components of a unit's score.
func (r *ranking) parts(unit int) LexicalParts {
	closeness := 0.
	if len(r.spans) > 0 { // units are large: avoid reading 100,000 of them needlessly
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
		// A unit inside the period need not name it.
		covered := min(r.whole, r.covered[unit]+r.dated*closeness)
		p.Coverage = covered / r.whole
		p.Together = r.o.Coverage * p.Coverage * covered
	case p.Body+p.Speaker > 0:
		p.Coverage = 1 // the question is only a name
	default:
		p.Coverage = closeness
	}
	if lost := r.people.missing(unit); lost > 0 {
		p.Speaker -= lost * p.total()
	}
	if !r.q.OfAssistant && r.sessions.near[unit] == prose {
		p.Prose = -r.o.Prose * p.total()
	}
	return p
}

// best keeps the highest scores seen, as a heap whose root is the lowest of them.
type best struct {
	depth int
	heap  []Ranked
}

func newBest(depth int) *best { return &best{depth: depth, heap: make([]Ranked, 0, max(depth, 0))} }

// offer considers a unit. Units must be offered in ascending order.
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
		return // among equal scores the first is kept
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

// descending empties b and returns its units, best first.
func (b *best) descending() []Ranked {
	slices.SortFunc(b.heap, better)
	return b.heap
}

// worse is the reverse of better.
func worse(a, b Ranked) int { return better(b, a) }

// bm25 is the formula with the statistics of a collection. A term of the question adds to a unit that contains it
//
//	weight · idf · tf·(K1+1) / (tf + K1·(1−B+B·length/average)), idf = ln(1 + (N−df+½)/(df+½))
//
// where weight is the number of times that the question has the term, B is TurnB for turns, and N, df and the average length
// are those of the collection.
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

// norms converts lengths to the divisors of frequencies, in place.
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

// idf returns the inverse document frequency of a term that df units contain. It is positive even if all do.
func (b bm25) idf(df int) float64 { return idf(b.units, df) }

func idf(units, df int) float64 {
	return math.Log1p((float64(units) - float64(df) + .5) / (float64(df) + .5))
}

// saturated returns the weight of a frequency divided by the unit's norm: below K1+1, and 1 for 1.
func (b bm25) saturated(frequency float64) float64 {
	return frequency * (b.k1 + 1) / (frequency + b.k1)
}

// Options are the parameters of lexical ranking. A weight of zero switches its component off.
//
// Scores are in units of inverse document frequency: a word that occurs once in a unit of average length adds its own.
type Options struct {
	// K1 controls how fast further occurrences of a term stop counting.
	K1 float64
	// B and TurnB control how much long chunks and long turns are discounted.
	B, TurnB float64
	// ContextWeight is the number of occurrences in the body that one in the path or the headings equals. Documents
	// only: the context of a turn is its speaker, weighted by Speaker.
	ContextWeight float64
	// Speaker is the bonus for a turn whose speaker the question names, times 1 + the inverse document frequency of the
	// speaker: a speaker with few turns is stronger evidence. Without it, turns that name nobody of a dialogue lose nothing.
	Speaker float64
	// SpeakerInBody is the weight of a speaker's name in the body relative to another word: there it mostly addresses
	// the other speaker.
	SpeakerInBody float64
	// Turns and Chunks set how much of a word's weight reaches the units before and after the one that contains it. It
	// stays among the turns of one voice and does not reach an assistant's prose.
	Turns, Chunks Neighbourhood
	// Pause is the silence that ends a session. Neighbours and enclosing evidence stay within one.
	Pause time.Duration
	// Enclosing weighs how well the whole session, or the whole document, matches. A message that is all of its
	// conversation has no such evidence.
	Enclosing float64
	// Coverage rewards units that have, or whose neighbours have, more of the different words of the question.
	Coverage float64
	// Period is the bonus for a unit that lies in a period the question names. In a long question only the periods
	// of the sentences that ask count: others are mentioned in passing.
	Period float64
	// PeriodTerms is the weight of the words that name a period relative to other words.
	PeriodTerms float64
	// First is the bonus for the best turn of a session among persons: after one turn of a session, the best of another
	// is more useful than its second. A session with an assistant is long and about one subject.
	First float64
	// Prose is the share of its score that a turn of an assistant without a name loses, unless the question asks what
	// the assistant said: long answers repeat the words of many questions, and facts come from people's words.
	Prose float64
	// Rule is the minimum score, as a share of the best, of the standing instruction to the assistant that is closest to the
	// question.
	Rule float64
	// Question is the share of its score that a unit has from the one of several questions that it matches best.
	Question float64
	// People weighs what units lose that name nobody of a dialogue.
	People float64
	// Depth is the maximum number of hits.
	Depth int

	// The options below need the texts and apply to the first RefineDepth hits.

	// Asking is the share of its score that a turn among named persons loses if it only asks: a question seldom answers
	// another. A message to an assistant states what it is about and asks for help.
	Asking float64
	// Answer is the share of the own score of an asking turn that is added to the turn after it.
	Answer float64
	// Feedback weighs words that the question lacks and most of the first hits share. It applies to conversations
	// among persons, but not to single messages, nor with an assistant, whose long answers share many words.
	Feedback float64
	// RefineDepth is the maximum number of texts read.
	RefineDepth int
}

// Neighbourhood sets the share of a word's weight that reaches the adjacent units. It halves with each unit further away.
type Neighbourhood struct {
	// Onward applies to the units after the one that contains the word: an answer follows its question. Backward applies to those before
	// it.
	Onward, Backward float64
	// Reach is the number of units that it reaches in each direction.
	Reach int
}

// DefaultOptions returns the options of ordinary searches.
//
// K1 and B are the customary values. TurnB is lower, since the extra text of a longer turn is seldom about something
// else. The other weights were measured on conversations: half of one costs at most four points of recall, and none was better by two
// tenths on most sets (test/bench/recall -validate). First is a compromise: a lower value finds more turns, a higher one more sessions.
func DefaultOptions() Options {
	return Options{
		K1:            1.2,
		B:             .75,
		TurnB:         .4,
		ContextWeight: 1,
		Speaker:       1.25,
		SpeakerInBody: .2,
		Turns:         Neighbourhood{Onward: .7, Backward: .4, Reach: 3},
		Chunks:        Neighbourhood{Onward: .2, Backward: .2, Reach: 1},
		Pause:         4 * time.Hour,
		Enclosing:     .2,
		Coverage:      1,
		Period:        5,
		PeriodTerms:   .5,
		First:         2,
		Prose:         .5,
		Rule:          .6,
		Question:      .5,
		People:        1,
		Depth:         200,
		Asking:        .4,
		Answer:        .3,
		Feedback:      .5,
		RefineDepth:   40,
	}
}

// b returns the length discount for a corpus.
func (o Options) b(c search.Corpus) float64 {
	if c == search.Sessions {
		return o.TurnB
	}
	return o.B
}

// neighbourhood returns the neighbourhood for a corpus.
func (o Options) neighbourhood(c search.Corpus) Neighbourhood {
	if c == search.Sessions {
		return o.Turns
	}
	return o.Chunks
}
