package facts

import (
	"cmp"
	"slices"

	"reverie/language/claim"
)

// Vectors returns a vector of unit length for each text, or nil if there are none: then words decide alone.
type Vectors func(texts []string) [][]float32

const (
	// nearest is the number of statements whose vectors are compared with that of a text.
	nearest = 3
	// minShared is the share of the words of the shorter one that two statements must have in common for their vectors to be compared.
	minShared = .5
	// minSimilar is the cosine similarity from which two statements say the same.
	minSimilar = .95
)

// Restated returns for each text the index of the statement that says the same, or -1. Words decide first. Of the others, vectors decide,
// as far as there are any, about statements that have the same values, names and sense, and half of the words.
func Restated(statements, texts []string, vectors Vectors) []int {
	out := make([]int, len(texts))
	var asked []string
	place := map[string]int{}
	ask := func(text string) {
		if _, known := place[text]; !known {
			place[text] = len(asked)
			asked = append(asked, text)
		}
	}
	candidates := make([][]int, len(texts))
	for i, text := range texts {
		out[i] = slices.IndexFunc(statements, func(s string) bool { return repeats(s, text) })
		if out[i] >= 0 || vectors == nil {
			continue
		}
		if candidates[i] = alike(statements, text); len(candidates[i]) > 0 {
			ask(text)
		}
		for _, c := range candidates[i] {
			ask(statements[c])
		}
	}
	if len(asked) == 0 {
		return out
	}
	of := vectors(asked)
	if len(of) != len(asked) {
		return out
	}
	for i, text := range texts {
		best := minSimilar
		for _, c := range candidates[i] {
			if similar := product(of[place[text]], of[place[statements[c]]]); similar >= best {
				out[i], best = c, similar
			}
		}
	}
	return out
}

// alike returns the statements that a text may repeat in other words, the likeliest ones first.
func alike(statements []string, text string) (out []int) {
	is := claim.WordsOf(text)
	shares := map[int]float64{}
	for i, s := range statements {
		had := claim.WordsOf(s)
		share := shared(had, is)
		if share < minShared || share == 1 || had.Turns != is.Turns || claim.Opposed(had.Opposites, is.Opposites) || !sameNames(had, is) ||
			!sameValues(s, text) {
			continue
		}
		shares[i] = share
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	return out[:min(len(out), nearest)]
}

// shared returns the share of the words of the shorter of two statements that the other one has as well. With all of them, words have
// decided: only their order may differ.
func shared(a, b claim.Words) float64 {
	has, had := a.Stems(), b.Stems()
	common := 0
	for _, w := range has {
		if _, found := slices.BinarySearch(had, w); found {
			common++
		}
	}
	return float64(common) / float64(max(min(len(has), len(had)), 1))
}

// sameNames reports whether two statements have the same names, numbers and persons. A capital letter at the beginning may be one of a name.
func sameNames(a, b claim.Words) bool {
	within := func(a, b claim.Words) bool {
		return !slices.ContainsFunc(a.Units, func(u claim.Meaning) bool {
			return u.Exact && !slices.ContainsFunc(b.Units, func(o claim.Meaning) bool { return o.Key == u.Key })
		})
	}
	return within(a, b) && within(b, a)
}

// product returns the cosine similarity of two vectors of unit length.
func product(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
