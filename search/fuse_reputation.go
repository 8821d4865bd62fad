package search

// Reputation is what earlier questions told of an embedding model: whether its rankings have more in common with those by
// words than chance. One question tells a model that knows the answer where the words do not from one that knows nothing
// only in part; some dozens tell them apart. It is kept for each space of vectors, and may be lost at any time.
type Reputation struct {
	// Evidence is the logarithm of how much likelier the agreements seen are for a model that is informed. It stays within
	// certain, so that a model that changes its ways is found out soon.
	Evidence float64 `json:"evidence"`
}

const (
	// certain bounds Evidence, and settled how much of it counts for one question, which thus can still be judged otherwise.
	certain = 20
	settled = 3
)

// After is the reputation after one more question. A question that the words found nothing for, or the vectors, tells
// nothing.
func (r Reputation) After(v Votes) Reputation {
	if v.Text == 0 || v.Noise == 0 {
		return r
	}
	// The agreement of a model that knows nothing is normal around 0, that of one that knows something around 1 or more.
	told := min(max(v.Agreement, -1), 3) - 0.5
	return Reputation{Evidence: min(max(r.Evidence+told, -certain), certain)}
}

// odds are the logarithm of the odds that a list of the model is informed.
func (r Reputation) odds() float64 { return min(max(r.Evidence/2, -settled), settled) }
