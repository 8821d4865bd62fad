package rank

import (
	"time"

	"reverie/language/analysis"
)

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
