package index

import (
	"cmp"
	"slices"
)

// Segment is a part of an index in memory: units in order, and for each term where it occurs in them.
type Segment struct {
	Units    []Unit      // ordered by Group, Seq, Part
	Terms    []TermID    // ascending
	Postings [][]Posting // of Terms[i], ordered by Unit, which is an index in Units
}

// NewSegment packs entries, in any order.
func NewSegment(entries []Entry) *Segment {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return a.Key().Compare(b.Key()) })
	s := &Segment{Units: make([]Unit, len(entries))}
	byTerm := map[TermID][]Posting{}
	for i, e := range entries {
		s.Units[i] = e.Unit
		for term, tf := range e.Terms {
			byTerm[term] = append(byTerm[term], Posting{Unit: int32(i), TF: int32(tf)})
		}
	}
	s.setTerms(byTerm)
	return s
}

func (s *Segment) setTerms(byTerm map[TermID][]Posting) {
	s.Terms = make([]TermID, 0, len(byTerm))
	for term := range byTerm {
		s.Terms = append(s.Terms, term)
	}
	slices.Sort(s.Terms)
	s.Postings = make([][]Posting, len(s.Terms))
	for i, term := range s.Terms {
		s.Postings[i] = byTerm[term]
	}
}

// MergeSegments makes one segment of several, without the groups that are dead. The same units give the same segment,
// however they were distributed.
func MergeSegments(parts []*Segment, dead func(group int64) bool) *Segment {
	runs := make([][]Unit, len(parts))
	for i, p := range parts {
		runs[i] = p.Units
	}
	units, places := mergeUnits(runs, dead)
	byTerm := map[TermID][]Posting{}
	for i, p := range parts {
		for j, term := range p.Terms {
			for _, posting := range p.Postings[j] {
				if at := places[i][posting.Unit]; at >= 0 {
					byTerm[term] = append(byTerm[term], Posting{Unit: at, TF: posting.TF})
				}
			}
		}
	}
	for _, postings := range byTerm {
		slices.SortFunc(postings, func(a, b Posting) int { return cmp.Compare(a.Unit, b.Unit) })
	}
	merged := &Segment{Units: units}
	merged.setTerms(byTerm)
	return merged
}

// mergeUnits brings ordered runs of units into one order. places[i][j] is where runs[i][j] stands in it, or -1 when its
// group is dead.
func mergeUnits(runs [][]Unit, dead func(group int64) bool) (units []Unit, places [][]int32) {
	total := 0
	places = make([][]int32, len(runs))
	for i, run := range runs {
		places[i] = make([]int32, len(run))
		total += len(run)
	}
	units = make([]Unit, 0, total)
	next := make([]int, len(runs))
	group, gone := int64(0), false
	for {
		least := -1
		for i, run := range runs { // there are few runs
			if next[i] < len(run) && (least < 0 || run[next[i]].Key().Compare(runs[least][next[least]].Key()) < 0) {
				least = i
			}
		}
		if least < 0 {
			return units, places
		}
		// The rest of the run up to where another one goes on is taken at once.
		limit := UnitKey{}
		bounded := false
		for i, run := range runs {
			if i != least && next[i] < len(run) {
				if key := run[next[i]].Key(); !bounded || key.Compare(limit) < 0 {
					limit, bounded = key, true
				}
			}
		}
		for run := runs[least]; next[least] < len(run); next[least]++ {
			u := run[next[least]]
			if bounded && u.Key().Compare(limit) > 0 {
				break
			}
			if u.Group != group || len(units) == 0 {
				group, gone = u.Group, dead != nil && dead(u.Group)
			}
			if gone {
				places[least][next[least]] = -1
				continue
			}
			places[least][next[least]] = int32(len(units))
			units = append(units, u)
		}
	}
}
