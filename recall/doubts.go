package recall

import (
	"strings"

	"github.com/google/uuid"

	"reverie/search"
	"reverie/search/rank"
	"reverie/store/facts"
	"reverie/store/indexes"
)

const (
	// lowTrust is the trust below which a statement ranks lower, in proportion. Age does not count here: a search has decay for it.
	lowTrust = .4
	// minBelieved is the part of its score that a statement without any trust keeps, so that it is still found.
	minBelieved = .5
)

// doubts are statements with low trust, by document.
type doubts map[uuid.UUID][]facts.Doubt

// doubtsOf selects the doubts that matter.
func doubtsOf(all []facts.Doubt) doubts {
	found := doubts{}
	for _, d := range all {
		if d.Trust < lowTrust {
			found[d.Document] = append(found[d.Document], d)
		}
	}
	return found
}

// believed returns the part of its score that a passage keeps: less than 1 if it has words of the question only in statements with low
// trust.
func (v *view) believed(p indexes.Passage) float64 {
	if v.Corpus != search.Memory {
		return 1
	}
	rest, least := p.Text, 1.0
	for _, d := range v.doubts[p.Source.Document] {
		if without := strings.ReplaceAll(rest, d.Text, ""); without != rest {
			rest, least = without, min(least, minBelieved+(1-minBelieved)*d.Trust/lowTrust)
		}
	}
	if least == 1 || len(rank.Matches(v.query, rest)) >= len(rank.Matches(v.query, p.Text)) {
		return 1
	}
	return least
}
