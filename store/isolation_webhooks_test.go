package store

import (
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/webhooks"
)

func init() { maps.Copy(calls, webhookCalls) }

// withHookKey returns an identity with a key that the test never revokes.
func (w *world) withHookKey(id memory.Identity) memory.Identity {
	id.Author = memory.Author{Kind: memory.AuthorUser, ID: w.hookKeys[id.Workspace].String()}
	return id
}

// addHookKey adds the key of a workspace's webhooks.
func (w *world) addHookKey(t *testing.T, workspace string) {
	t.Helper()
	_, key, err := w.CreateKey(t.Context(), adminOf(workspace), admin.NewKey{Name: tag{workspace, "", "KEY"}.String(), Role: memory.RoleAdmin})
	if err != nil {
		t.Fatal(err)
	}
	if w.hookKeys == nil {
		w.hookKeys = map[string]uuid.UUID{}
	}
	w.hookKeys[workspace] = key.ID
}

// addWebhook adds an endpoint with an event that it has refused.
func (w *world) addWebhook(t *testing.T, id memory.Identity) uuid.UUID {
	t.Helper()
	_, made, err := w.CreateWebhook(t.Context(), w.withHookKey(id), webhooks.NewWebhook{URL: "https://example.com/hook"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.root.Exec(t.Context(), `
insert into webhook_failures (workspace_id, agent_id, webhook_id, failure_id, owner_key, transaction_id, event_id, kind, attempts, last_status,
    last_reason, failed_at)
values ($1, $2, $3, gen_random_uuid(), $4, 1, 1, 'document.written', 1, 500, 'status', now())`,
		id.Workspace, id.Agent, made.ID, id.Owner); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// tagsOfWebhooks returns whose the endpoints of some owner are.
func tagsOfWebhooks(id memory.Identity, listed ...webhooks.Webhook) (tags []tag) {
	for _, x := range listed {
		if x.Owner != memory.NoOwner {
			tags = append(tags, tag{id.Workspace, id.Agent, string(x.Owner)})
		} else if id.Role != memory.RoleAdmin || id.Pinned {
			tags = append(tags, tag{"nowhere", "", ""})
		}
	}
	return tags
}

// webhookBy tries a call about an endpoint of the world.
func webhookBy(try func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := rapid.SampledFrom(w.places).Draw(t, "webhook of")
		answer, err := try(t, w, id, p.webhook)
		return answer, &p.tag, err
	}
}

// opened tries a call of a delivery, which begins with opening the endpoint.
func opened(try func(t *rapid.T, w *world, id memory.Identity, d webhooks.Delivery) error) call {
	return webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		d, err := w.OpenWebhook(t.Context(), id, webhook)
		if err != nil { // whoever may not open one says that it is of another
			d.Webhook = webhooks.Webhook{ID: webhook, Owner: id.Owner, State: webhooks.Active}
		}
		return nil, try(t, w, id, d)
	})
}

var webhookCalls = map[string]call{
	"CreateWebhook": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, x, err := w.CreateWebhook(t.Context(), w.withHookKey(id), webhooks.NewWebhook{URL: "https://example.com/new"})
		return tagsOfWebhooks(id, x), nil, err
	},
	"Webhook": webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		x, err := w.Webhook(t.Context(), id, webhook)
		return x, err
	}),
	"Webhooks": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Webhooks(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return tagsOfWebhooks(id, listed.Items...), nil, err
	},
	"ChangeWebhook": webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		state := webhooks.Active
		x, err := w.ChangeWebhook(t.Context(), id, webhook, webhooks.WebhookChange{State: &state})
		return x, err
	}),
	"DeleteWebhook": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		if rapid.Bool().Draw(t, "a new one") { // those of the world stay
			_, made, err := w.CreateWebhook(t.Context(), w.withHookKey(id), webhooks.NewWebhook{URL: "https://example.com/new"})
			if err != nil {
				return nil, nil, err
			}
			return nil, nil, w.DeleteWebhook(t.Context(), id, made.ID)
		}
		p := rapid.SampledFrom(w.places).Draw(t, "webhook of")
		if sees(id, p.tag) {
			return nil, nil, pg.ErrForbidden
		}
		return nil, &p.tag, w.DeleteWebhook(t.Context(), id, p.webhook)
	},
	"RotateWebhookSecret": webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		_, until, err := w.RotateWebhookSecret(t.Context(), id, webhook, time.Hour)
		return until, err
	}),
	"WebhookFailures": webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		listed, err := w.WebhookFailures(t.Context(), id, webhook, pg.Page{})
		return listed, err
	}),
	"RedeliverWebhook": webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		marked, err := w.RedeliverWebhook(t.Context(), id, webhook, nil)
		return marked, err
	}),
	"OpenWebhook": webhookBy(func(t *rapid.T, w *world, id memory.Identity, webhook uuid.UUID) (any, error) {
		d, err := w.OpenWebhook(t.Context(), id, webhook)
		return d.Webhook, err
	}),
	"MoveWebhook": opened(func(t *rapid.T, w *world, id memory.Identity, d webhooks.Delivery) error {
		m := webhooks.WebhookMove{To: gate.JournalCursor{Transaction: d.Cursor.Transaction, Event: d.Cursor.Event + 1}, Attempted: true}
		if rapid.Bool().Draw(t, "given up") {
			m.Fail = "document.written"
		}
		_, err := w.MoveWebhook(t.Context(), id, d.Webhook, m)
		return err
	}),
	"EndRedelivery": opened(func(t *rapid.T, w *world, id memory.Identity, d webhooks.Delivery) error {
		f := webhooks.Failure{ID: uuid.New()}
		if marked, err := w.RedeliverWebhook(t.Context(), id, d.ID, nil); err == nil && len(marked) > 0 {
			f = marked[0]
		}
		return w.EndRedelivery(t.Context(), id, d.Webhook, f, false, 500, "status")
	}),
	"AddProgram": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.AddProgram(t.Context(), id, webhooks.MissingProgram{Program: "wiki", CreatedAt: w.db.Now()})
	},
	"MissingPrograms": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) { // references alone, for the sweep
		_, err := w.MissingPrograms(t.Context(), "wiki", nil, 10)
		return nil, nil, err
	},
	"DueWebhooks": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) { // references alone, for the sweep
		_, err := w.DueWebhooks(t.Context(), uuid.Nil, 10)
		return nil, nil, err
	},
}
