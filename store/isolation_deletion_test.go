package store

import (
	"maps"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store/deletion"
	"reverie/store/dreams"
	"reverie/store/pg"
)

func init() { maps.Copy(calls, deletionCalls) }

// anyDeletion draws a deletion of the world and returns its owner.
func (w *world) anyDeletion(t *rapid.T) (uuid.UUID, *tag) {
	p := rapid.SampledFrom(w.places).Draw(t, "deletion of")
	return p.deletion, &p.tag
}

// anyTarget draws what is deleted.
func (w *world) anyTarget(t *rapid.T) deletion.Target {
	return deletion.Target{
		Kind:         rapid.SampledFrom([]deletion.Kind{deletion.Conversation, deletion.Owner, deletion.Agent}).Draw(t, "kind"),
		Conversation: rapid.SampledFrom(w.places).Draw(t, "conversation of").conversation, Grace: time.Hour,
	}
}

// deletionsBy tries a step of a deletion of the world that has not started: it never deletes anything.
func deletionsBy(step func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, of := w.anyDeletion(t)
		answer, err := step(t, w, id, d)
		return answer, of, err
	}
}

// ownDeletion tries a step that deletes: for who may carry it out with the deletion of a new conversation, for others with one of the world.
func ownDeletion(step func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, _ := w.anyDeletion(t)
		if pg.RequireTender(id) == nil && id.Agent != "" && id.MayUseAgent(id.Agent) {
			own := id.For(id.Agent, "user:new")
			if _, err := w.AppendMessages(t.Context(), own, turn("c", uuid.NewString(), 1)); err != nil {
				return nil, nil, err
			}
			made, err := w.RequestDeletion(t.Context(), own, deletion.Target{Kind: deletion.Conversation, Conversation: "c"})
			if err != nil {
				return nil, nil, err
			}
			d = made.ID
		}
		answer, err := step(t, w, id, d)
		return answer, nil, err
	}
}

// carriesOut reports whether an identity may carry out deletions that change a group. It is written independently of the policies.
func carriesOut(id memory.Identity, g group) bool {
	return g.workspace == id.Workspace && g.agent == id.Agent && id.Agent != "" && id.MayUseAgent(id.Agent) && id.Role == memory.RoleAdmin &&
		!id.Pinned && id.AnyOwner
}

var deletionCalls = map[string]call{
	"RequestDeletion": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, err := w.RequestDeletion(t.Context(), id, w.anyTarget(t))
		return d, nil, err
	},
	"PreviewDeletion": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, err := w.PreviewDeletion(t.Context(), id, w.anyTarget(t))
		return d, nil, err
	},
	"Deletion": deletionsBy(func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error) {
		return w.Deletion(t.Context(), id, of)
	}),
	"Deletions": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Deletions(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return listed, nil, err
	},
	"CancelDeletion": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		if rapid.Bool().Draw(t, "a new one") { // the world has few
			d, err := w.RequestDeletion(t.Context(), id, deletion.Target{Kind: deletion.Owner, Grace: time.Hour})
			if err != nil {
				return nil, nil, err
			}
			d, err = w.CancelDeletion(t.Context(), id, d.ID)
			return d, nil, err
		}
		d, of := w.anyDeletion(t)
		answer, err := w.CancelDeletion(t.Context(), id, d)
		return answer, of, err
	},
	"DueDeletions": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.DueDeletions(t.Context(), pg.Lease{Before: w.db.Now().Add(time.Minute), Until: w.db.Now(), Limit: 10})
		return nil, nil, err // references only, for the deployment
	},
	"DeletionWorkflows": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, _ := w.anyDeletion(t) // of others: none
		workflows, err := w.DeletionWorkflows(t.Context(), id, d)
		return workflows, nil, err
	},
	"StartDeletion": ownDeletion(func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error) {
		return w.StartDeletion(t.Context(), id, of)
	}),
	"DeleteRows": ownDeletion(func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error) {
		if _, err := w.StartDeletion(t.Context(), id, of); err != nil {
			return nil, err
		}
		return w.DeleteRows(t.Context(), id, of)
	}),
	"NoteOutside": ownDeletion(func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error) {
		if _, err := w.StartDeletion(t.Context(), id, of); err != nil {
			return nil, err
		}
		return nil, w.NoteOutside(t.Context(), id, of, []deletion.Outside{{Place: "wiki", Reason: "timeout"}})
	}),
	"EndDeletion": ownDeletion(func(t *rapid.T, w *world, id memory.Identity, of uuid.UUID) (any, error) {
		if _, err := w.StartDeletion(t.Context(), id, of); err != nil {
			return nil, err
		}
		d, _, err := w.EndDeletion(t.Context(), id, of, 1)
		return d, err
	}),
	"Revoke": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := rapid.SampledFrom(w.places).Draw(t, "learned of")
		r, err := w.Revoke(t.Context(), id, dreams.RevokeRequest{
			Deletion: p.deletion, Origin: dreams.Origin{Conversations: map[string]bool{p.conversation: true}},
			Again: rapid.Bool().Draw(t, "again"), Preview: rapid.Bool().Draw(t, "preview"),
		})
		return r, nil, err
	},
}
