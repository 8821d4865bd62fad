package facts

import (
	"cmp"
	"slices"
	"time"
)

// Standing holds the values that decide whether a current fact is archived.
type Standing struct {
	Trust float64
	Seen  time.Time // when it was said, confirmed or used last
	Kept  bool      // a person wrote or confirmed it: it is never archived
}

// Best returns the standing of two facts that are archived together: that of the better one.
func (s Standing) Best(o Standing) Standing {
	if o.Seen.After(s.Seen) {
		s.Seen = o.Seen
	}
	s.Trust, s.Kept = max(s.Trust, o.Trust), s.Kept || o.Kept
	return s
}

// Limits decide which facts are archived.
type Limits struct {
	MinTrust float64       // facts below it are archived when they were not seen for Unseen; 0: none
	Unseen   time.Duration // since Seen
	Most     int           // facts that are not archived; 0: any number
}

// Retire returns the indexes of the facts to archive, in order: those below the least trust that were not seen lately, and as many of the
// least trusted of the others as are too many. Of equally trusted ones the one that was seen longest ago is archived first, then the first
// one of all.
func Retire(all []Standing, at time.Time, limits Limits) []int {
	var order []int
	for i, s := range all {
		if !s.Kept {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[a].Trust, all[b].Trust), all[a].Seen.Compare(all[b].Seen))
	})
	var out []int
	for _, i := range order {
		low := all[i].Trust < limits.MinTrust && at.Sub(all[i].Seen) >= limits.Unseen
		excess := limits.Most > 0 && len(all)-len(out) > limits.Most
		if low || excess {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}
