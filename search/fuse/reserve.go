package fuse

import (
	"slices"

	"reverie/search/index"
)

const (
	// textShare and vectorShare are the parts of every beginning of the fused ranking that are reserved for the top of each
	// list, for a vote of 1.
	textShare   = 0.4
	vectorShare = 0.1
)

// reserve reorders a fused ranking as little as is needed for this: of its first k units, however great k is, the first
// ⌊k·share⌋ of each list are among them. A list with a vote is thus never shut out by the scores of the other, however
// sure that is of itself.
func reserve(fused []Fused, v Votes) []Fused {
	lists := []reserved{
		{top: topOf(fused, func(f Fused) int { return f.TextRank })},
		{top: topOf(fused, func(f Fused) int { return f.VectorRank })},
	}
	if v.TextWeight > 0 {
		lists[0].share = textShare * v.Text
	}
	if v.VectorWeight > 0 {
		lists[1].share = vectorShare * v.Vector
	}
	placed := make(map[index.UnitKey]bool, len(fused))
	out := make([]Fused, 0, len(fused))
	for _, f := range fused {
		for owed := true; owed; {
			owed = false
			for i := range lists {
				next, ok := lists[i].owed(len(out)+1, placed)
				if ok && next.Unit != f.Unit {
					next.Reserved, placed[next.Unit], owed = true, true, true
					out = append(out, next)
					break
				}
			}
		}
		if !placed[f.Unit] {
			placed[f.Unit] = true
			out = append(out, f)
		}
	}
	return out
}

// reserved is the top of one list with its share; the first done units of it are placed.
type reserved struct {
	top   []Fused
	share float64
	done  int
}

// owed is the first unit that is due among the first k and not yet placed.
func (r *reserved) owed(k int, placed map[index.UnitKey]bool) (Fused, bool) {
	for r.done < len(r.top) && placed[r.top[r.done].Unit] {
		r.done++
	}
	if r.done < min(int(r.share*float64(k)), len(r.top)) {
		return r.top[r.done], true
	}
	return Fused{}, false
}

// topOf has the units of one list in its order.
func topOf(fused []Fused, rank func(Fused) int) []Fused {
	top := slices.DeleteFunc(slices.Clone(fused), func(f Fused) bool { return rank(f) == 0 })
	slices.SortFunc(top, func(a, b Fused) int { return rank(a) - rank(b) })
	return top
}
