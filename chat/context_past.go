package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reverie/facts"
	"reverie/memory"
	"reverie/providers"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/store/talk"
)

// reloadPast reads the documents of the system prompt and the standing facts as they were.
func (a *assembly) reloadPast(ctx context.Context, standing []*stored.Standing) error {
	documents, err := a.Store.PromptDocuments(ctx, a.id, a.request.AsOf)
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	a.load = talk.WindowLoad{Documents: a.own(providers.Recollection{Documents: documents}).Documents}
	for _, wanted := range standing {
		q := stored.Query{Page: store.Page{Limit: store.MaxPage}}
		if wanted.AboutPerson {
			q.Kind = facts.Profile
		}
		found, err := a.Store.ByTrustAsOf(ctx, a.id, q, a.request.AsOf)
		if err != nil && !errors.Is(err, store.ErrFactsOff) {
			return fmt.Errorf("context: %w", err)
		}
		wanted.Facts = slices.DeleteFunc(found.Items, func(f stored.Fact) bool {
			return f.Archived || slices.ContainsFunc(documents, func(d memory.Document) bool { return d.ID == f.Document })
		})
		wanted.Facts = wanted.Facts[:min(len(wanted.Facts), wanted.Limit)]
	}
	return nil
}
