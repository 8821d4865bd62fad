package store

import (
	"maps"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store/pg"
	"reverie/store/revocation"
)

func init() { maps.Copy(calls, revocationCalls) }

// anySource draws a source, of the world or one that there is not.
func (w *world) anySource(t *rapid.T) revocation.Source {
	p := rapid.SampledFrom(w.places).Draw(t, "source of")
	return rapid.SampledFrom([]revocation.Source{
		{Kind: revocation.Conversation, ID: p.conversation},
		{Kind: revocation.Import, ID: uuid.NewString()},
		{Kind: revocation.Connector, ID: "w*"},
		{Kind: revocation.Key, ID: uuid.NewString()},
	}).Draw(t, "source")
}

var revocationCalls = map[string]call{
	"RequestRevocation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		parts, err := w.RequestRevocation(t.Context(), id, w.anySource(t))
		return parts, nil, err
	},
	"PreviewRevocation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, _, err := w.PreviewRevocation(t.Context(), id, w.anySource(t), memory.NoOwner, func(memory.Owner) bool { return true })
		return found, nil, err
	},
	"Revocation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := rapid.SampledFrom(w.places).Draw(t, "revocation of")
		parts, err := w.Revocation(t.Context(), id, p.revocation)
		return parts, &p.tag, err
	},
	"Revocations": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Revocations(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return listed, nil, err
	},
	"RevokePart": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := rapid.SampledFrom(w.places).Draw(t, "part of")
		r, err := w.RevokePart(t.Context(), id, revocation.Part{
			ID: p.revocation, Owner: id.Owner, Source: revocation.Source{Kind: revocation.Conversation, ID: p.conversation}, Author: "test",
		}, false)
		return r, nil, err
	},
	"UndoneDreams": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := rapid.SampledFrom(w.places).Draw(t, "undone by")
		undone, err := w.UndoneDreams(t.Context(), id, p.revocation)
		return undone, nil, err
	},
	"DueRevocations": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.DueRevocations(t.Context(), pg.Lease{Before: w.db.Now().Add(time.Minute), Until: w.db.Now(), Limit: 10})
		return nil, nil, err // references only, for the deployment
	},
}
