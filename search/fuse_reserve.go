package search

import "slices"

const (
	// textShare and vectorShare are the parts of every beginning of the fused ranking that are reserved for the top of each
	// list, for a vote of 1.
	textShare   = 0.4
	vectorShare = 0.2
)

// reserve reorders a fused ranking as little as is needed for this: of its first k units, however great k is, the first
// ⌊k·share⌋ of each list are among them. A list with a vote is thus never shut out by the scores of the other, however
// sure that is of itself.
func reserve(fused []Fused, v Votes) []Fused {
	text := topOf(fused, func(f Fused) int { return f.TextRank })
	vector := topOf(fused, func(f Fused) int { return f.VectorRank })
	shareOfText, shareOfVector := textShare*v.Text, vectorShare*v.Vector
	if v.VectorWeight == 0 {
		shareOfVector = 0
	}
	if v.TextWeight == 0 {
		shareOfText = 0
	}
	placed := make(map[UnitKey]bool, len(fused))
	out := make([]Fused, 0, len(fused))
	place := func(f Fused, reserved bool) {
		f.Reserved = reserved
		placed[f.Unit] = true
		out = append(out, f)
	}
	missing := func(top []Fused, share float64) (Fused, bool) {
		top = top[:min(int(share*float64(len(out)+1)), len(top))]
		i := slices.IndexFunc(top, func(f Fused) bool { return !placed[f.Unit] })
		if i < 0 {
			return Fused{}, false
		}
		return top[i], true
	}
	for _, f := range fused {
		for {
			if owed, ok := missing(text, shareOfText); ok && owed.Unit != f.Unit {
				place(owed, true)
			} else if owed, ok := missing(vector, shareOfVector); ok && owed.Unit != f.Unit {
				place(owed, true)
			} else {
				break
			}
		}
		if !placed[f.Unit] {
			place(f, false)
		}
	}
	return out
}

// topOf has the units of one list in its order.
func topOf(fused []Fused, rank func(Fused) int) []Fused {
	top := slices.DeleteFunc(slices.Clone(fused), func(f Fused) bool { return rank(f) == 0 })
	slices.SortFunc(top, func(a, b Fused) int { return rank(a) - rank(b) })
	return top
}
