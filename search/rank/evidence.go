package rank

import (
	"time"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// sessions numbers the groups of units that belong together: the turns of a conversation between two long pauses, or
// the chunks of a document.
type sessions struct {
	of       []int32   // per unit
	near     []int32   // per unit: the same, but prose for what an assistant without a name said
	norms    []float64 // per session, as in bm25
	assisted []bool    // per session: such an assistant takes part in its conversation
	rules    []int32   // units with standing instructions
	alone    []bool    // per session: it is a message that is all of its conversation
}

// prose is the session in which an assistant's turns are not neighbours of any turn.
const prose = -1

func newSessions(c *index.Collection, o Options) sessions {
	s := sessions{of: make([]int32, len(c.Units)), near: make([]int32, len(c.Units))}
	var lengths []float64
	assisted := map[int64]bool{} // by conversation
	for i := range c.Units {
		if i == 0 || parted(&c.Units[i-1], &c.Units[i], c.Corpus, o.Pause) {
			lengths = append(lengths, 0)
			s.assisted = append(s.assisted, false)
			s.alone = append(s.alone, c.Corpus == search.Sessions && isAlone(c.Units, i))
		}
		last := len(lengths) - 1
		s.of[i], s.near[i] = int32(last), int32(last)
		lengths[last] += float64(c.Units[i].Length)
		if c.Corpus != search.Sessions {
			continue
		}
		switch chunk.Voice(c.Units[i].Section) {
		case chunk.Assistant:
			s.near[i], assisted[c.Units[i].Group] = prose, true
		case chunk.Rule:
			s.rules = append(s.rules, int32(i))
		}
	}
	for i := range c.Units {
		s.assisted[s.of[i]] = assisted[c.Units[i].Group]
	}
	s.norms = norms(lengths, enclosingB)
	return s
}

// isAlone reports whether unit i is the only one of its source.
func isAlone(units []index.Unit, i int) bool {
	group := units[i].Group
	return (i == 0 || units[i-1].Group != group) && (i+1 == len(units) || units[i+1].Group != group)
}

// enclosingB discounts long sessions in full: unlike units, their sizes differ by orders of magnitude.
const enclosingB = .75

// parted reports whether b begins a new session; a is the unit before it.
func parted(a, b *index.Unit, c search.Corpus, pause time.Duration) bool {
	if a.Group != b.Group {
		return true
	}
	return c == search.Sessions && pause > 0 && a.At != 0 && b.At != 0 && b.At-a.At > int64(pause/time.Second)
}

// spread carries the weight of one term from the units that contain it to their neighbours.
//
// If several weights reach a unit, the largest counts: a word repeated in five consecutive turns is not five words. All
// values are reset to zero between two terms.
type spread struct {
	reach []float64 // per unit
	near  []int32   // see sessions
	Neighbourhood
}

// from raises the weights of unit and its neighbours to those that an occurrence in unit gives them.
func (s *spread) from(unit int32, weight float64) {
	at, session := int(unit), s.near[unit]
	s.reach[at] = max(s.reach[at], weight)
	if session == prose {
		return
	}
	for d := 1; d <= s.Reach; d++ {
		if v := at + d; v < len(s.reach) && s.near[v] == session {
			s.reach[v] = max(s.reach[v], s.Onward*weight)
		}
		if v := at - d; v >= 0 && s.near[v] == session {
			s.reach[v] = max(s.reach[v], s.Backward*weight)
		}
		weight /= 2
	}
}

// drain calls use for every unit that a weight reached from the given occurrences, which are ascending, and clears the
// weights.
func (s *spread) drain(occurrences []occurrence, use func(unit int, weight float64)) {
	end := 0
	for _, p := range occurrences {
		from := max(end, int(p.unit)-s.Reach)
		end = max(end, min(len(s.reach), int(p.unit)+s.Reach+1))
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

// add counts the postings of a term with the given weight. A term that is in every session adds almost nothing.
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
		if !e.alone[at] {
			e.scores[at] += weight * b.saturated(e.frequency[at]/e.norms[at])
		}
		e.frequency[at] = 0
	}
}

// periods are the periods of a question, in Unix seconds.
type periods struct {
	spans []span
	texts []string
}

// span is the half-open range from..to in Unix seconds; closeness halves at distance half from it.
type span struct{ from, to, half int64 }

// shortest is the minimum distance over which closeness halves: events of a day are recounted within days.
const shortest = 24 * time.Hour

// longQuestion is the number of terms from which a question may mention a period in passing.
const longQuestion = 20

// periodsOf returns the periods of a question. One that begins after the newest unit of c is the time of an event, and
// not when it was said. One that a long question names outside of the sentences that ask is mentioned in passing.
func periodsOf(q analysis.Query, c *index.Collection, o Options) periods {
	var p periods
	if o.Period == 0 || len(q.Periods) == 0 {
		return p
	}
	newest := int64(0)
	for i := range c.Units {
		newest = max(newest, c.Units[i].At)
	}
	for _, period := range q.Periods {
		from, to := period.From.Unix(), period.To.Unix()
		p.texts = append(p.texts, period.Text)
		if from <= newest && (len(q.Terms) < longQuestion || asksFor(q.Text, period.Text)) {
			p.spans = append(p.spans, span{from, to, max(to-from, int64(shortest/time.Second))})
		}
	}
	return p
}

// names reports whether a term is part of the name of a period.
func (p periods) names(term analysis.QueryTerm) bool {
	for _, text := range p.texts {
		if containsPhrase(text, term.Text) {
			return true
		}
	}
	return false
}

// inside reports whether at is in a period.
func (p periods) inside(at int64) bool {
	for _, s := range p.spans {
		if at != 0 && s.from <= at && at < s.to {
			return true
		}
	}
	return false
}

// closeness returns 1 inside a period, ½ at a distance of its length (at least a day), and 0 for an unknown time.
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
