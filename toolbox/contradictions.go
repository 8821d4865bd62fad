package toolbox

import (
	"context"
	"errors"
	"time"

	statements "reverie/facts"
	"reverie/memory"
	"reverie/scan"
	"reverie/store"
	"reverie/store/facts"
)

// maxContradictions is the largest number of pairs in a result.
const maxContradictions = 50

// contradictions is the result of fact_list_contradictions.
type contradictions struct {
	Contradictions []disagreement `json:"contradictions"`
	Count          int            `json:"count"`
	More           bool           `json:"more,omitempty"`
}

// disagreement is two statements that cannot both hold.
type disagreement struct {
	ID      string `json:"id"`
	Older   side   `json:"older"`
	Newer   side   `json:"newer"`
	FoundAt string `json:"foundAt"`
}

// side is one of them.
type side struct {
	Text  string       `json:"text"`
	Path  string       `json:"path"`
	Line  int          `json:"line,omitempty"`
	Scope memory.Scope `json:"scope"`
	Since string       `json:"since"`
}

// listContradictions implements fact_list_contradictions.
func (k *call) listContradictions(ctx context.Context) (any, error) {
	listed, err := k.Store.Contradictions(ctx, k.Identity, facts.StateOpen, store.Page{Limit: given(k.args, "limit", maxContradictions)})
	if errors.Is(err, store.ErrFactsOff) {
		return nil, faultf("This server finds no contradictions: facts are switched off")
	}
	if err != nil {
		return nil, err
	}
	out := contradictions{Contradictions: []disagreement{}, Count: len(listed.Items), More: listed.Next != ""}
	for _, c := range listed.Items {
		out.Contradictions = append(out.Contradictions, disagreement{
			c.ID.String(), sideOf(c.A), sideOf(c.B), c.FoundAt.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}

func sideOf(f facts.Fact) side {
	return side{scan.Redacted(f.Text), f.Path, f.FromLine, f.Scope, f.From.UTC().Format(time.DateOnly)}
}

// disputed is a pair of statements in results that cannot both hold.
type disputed struct {
	Older string `json:"older"`
	Newer string `json:"newer"`
	Note  string `json:"note"`
}

func disputedOf(all []statements.Disagreement) (out []disputed) {
	for _, d := range all {
		note := "They disagree, and nobody has decided which holds: say so, or ask."
		if d.Superseded {
			note = "The newer one counts."
		}
		out = append(out, disputed{scan.Redacted(d.Older), scan.Redacted(d.Newer), note})
	}
	return out
}

// disputed returns the pairs of statements in texts that cannot both hold.
func (k *call) disputed(ctx context.Context, texts ...string) ([]disputed, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	all, err := k.Store.Disagreements(ctx, k.Identity, texts...)
	return disputedOf(all), err
}
