package rank

import (
	"time"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/index"
)

// sessions numbers the stretches of units that belong together: the turns of a conversation between two long pauses, or
// the chunks of a document.
type sessions struct {
	of    []int32   // per unit
	norms []float64 // per session, as in bm25
}

func newSessions(c *index.Collection, o Options) sessions {
	s := sessions{of: make([]int32, len(c.Units))}
	var lengths []float64
	for i := range c.Units {
		if i == 0 || parted(&c.Units[i-1], &c.Units[i], c.Corpus, o.Pause) {
			lengths = append(lengths, 0)
		}
		s.of[i] = int32(len(lengths) - 1)
		lengths[len(lengths)-1] += float64(c.Units[i].Length)
	}
	s.norms = norms(lengths, enclosingB)
	return s
}

// enclosingB discounts long sessions in full: unlike units they differ in size by orders of magnitude.
const enclosingB = .75

// parted reports whether b begins another session than a, which is before it.
func parted(a, b *index.Unit, c search.Corpus, pause time.Duration) bool {
	if a.Group != b.Group {
		return true
	}
	return c == search.Sessions && pause > 0 && a.At != 0 && b.At != 0 && b.At-a.At > int64(pause/time.Second)
}

// spread carries the weight of one term from the units that have it to their neighbours.
//
// Of several weights that reach a unit the largest stands: a word that is said in each of five turns in a row is not five
// words. All values are zero between two terms.
type spread struct {
	reach    []float64 // per unit
	sessions []int32
	Neighbourhood
}

// from sets what the unit has itself, and what its neighbours have through it.
func (s *spread) from(unit int32, weight float64) {
	at, session := int(unit), s.sessions[unit]
	s.reach[at] = max(s.reach[at], weight)
	for d, share := range s.Onward {
		if v := at + d + 1; v < len(s.reach) && s.sessions[v] == session {
			s.reach[v] = max(s.reach[v], share*weight)
		}
	}
	for d, share := range s.Backward {
		if v := at - d - 1; v >= 0 && s.sessions[v] == session {
			s.reach[v] = max(s.reach[v], share*weight)
		}
	}
}

// drain calls use for every unit that something reached from the given ones, which ascend, and clears it.
func (s *spread) drain(occurrences []occurrence, use func(unit int, weight float64)) {
	end := 0
	for _, p := range occurrences {
		from := max(end, int(p.unit)-len(s.Backward))
		end = max(end, min(len(s.reach), int(p.unit)+len(s.Onward)+1))
		for v := from; v < end; v++ {
			if s.reach[v] > 0 {
				use(v, s.reach[v])
				s.reach[v] = 0
			}
		}
	}
}

// enclosing adds up, per session, how well its units match as one text.
type enclosing struct {
	sessions
	scores    []float64
	frequency []float64 // of the current term
	touched   []int32
}

func newEnclosing(s sessions) *enclosing {
	return &enclosing{sessions: s, scores: make([]float64, len(s.norms)), frequency: make([]float64, len(s.norms))}
}

// add counts where a term of that weight occurs. A term that is in every session tells none from another and adds next to nothing.
func (e *enclosing) add(postings []index.Posting, weight float64, b bm25) {
	e.touched = e.touched[:0]
	for _, p := range postings {
		at := e.of[p.Unit]
		if e.frequency[at] == 0 {
			e.touched = append(e.touched, at)
		}
		e.frequency[at] += float64(p.TF)
	}
	weight *= idf(len(e.scores), len(e.touched))
	for _, at := range e.touched {
		e.scores[at] += weight * b.saturated(e.frequency[at]/e.norms[at])
		e.frequency[at] = 0
	}
}

// periods are the periods of a question, as seconds.
type periods struct {
	spans []span
	texts []string
}

// span is from (inclusive) to (exclusive), Unix seconds, and how far from it closeness halves.
type span struct{ from, to, half int64 }

// shortest is the least distance over which closeness halves: what is told about a day is told within days.
const shortest = 24 * time.Hour

func periodsOf(q analysis.Query, o Options) periods {
	var p periods
	if o.Period == 0 {
		return p
	}
	for _, period := range q.Periods {
		from, to := period.From.Unix(), period.To.Unix()
		p.spans = append(p.spans, span{from, to, max(to-from, int64(shortest/time.Second))})
		p.texts = append(p.texts, period.Text)
	}
	return p
}

// names reports whether a term is part of what names a period.
func (p periods) names(term analysis.QueryTerm) bool {
	for _, text := range p.texts {
		if standsIn(text, term.Text) {
			return true
		}
	}
	return false
}

// inside reports whether a time lies in a period.
func (p periods) inside(at int64) bool {
	for _, s := range p.spans {
		if at != 0 && s.from <= at && at < s.to {
			return true
		}
	}
	return false
}

// closeness is 1 in a period, ½ at its length (or a day, whichever is longer) from it, and 0 for an unknown time.
func (p periods) closeness(at int64) float64 {
	closest := 0.
	for _, s := range p.spans {
		distance := max(s.from-at, at-s.to+1, 0)
		if at != 0 {
			closest = max(closest, float64(s.half)/float64(s.half+distance))
		}
	}
	return closest
}
