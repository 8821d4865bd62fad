package web

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api"
	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/hooks"
	"reverie/memory"
	"reverie/store"
	"reverie/store/webhooks"
	"reverie/web/view"
)

func (b *Browser) webhookRoutes() {
	const path = "/agents/{agent}/webhooks"
	b.page(rest.Route{ID: "page-webhooks", Path: path, Summary: "Webhooks of an agent", Need: memory.RoleAdmin}, (*request).webhooks)
	b.page(rest.Route{
		ID: "page-new-webhook", Method: http.MethodPost, Path: path, Summary: "Add a webhook", Need: memory.RoleAdmin, Act: rest.Changes,
		Body: maxForm,
	}, (*request).newWebhook)
	b.page(rest.Route{
		ID: "page-change-webhook", Method: http.MethodPost, Path: path + "/{webhook}", Summary: "Pause, resume, ping, rotate or delete a webhook",
		Need: memory.RoleAdmin, Act: rest.Changes, Body: maxForm, Timeout: rest.MaxWait,
	}, (*request).changeWebhook)
}

// administration returns the identity of an administrator of the agent, for everybody.
func (q *request) administration() (memory.Identity, error) {
	id, _, err := q.Enter(q.Context, q.r.PathValue("agent"), rest.Person{})
	id, _ = rest.AcrossOwners(id)
	return id, err
}

func (q *request) webhooks() (templ.Component, error) {
	id, err := q.administration()
	if err != nil {
		return nil, err
	}
	return q.webhooksWith(id, view.Webhooks{})
}

// webhooksWith shows the webhooks of an agent, with the result of a form.
func (q *request) webhooksWith(id memory.Identity, page view.Webhooks) (templ.Component, error) {
	page.Agent = id.Agent
	listed, err := q.Store.Webhooks(q.Context, id, store.Page{Limit: webhooks.MaxPerAgent})
	if err != nil {
		return nil, err
	}
	for _, w := range listed.Items {
		x := view.Webhook{
			ID: w.ID.String(), URL: cmp.Or(w.URL, w.Program), Owner: string(w.Owner), Kinds: w.Kinds,
			Paused: w.State == webhooks.Paused, Why: w.Reason,
			Delivered: w.Delivered, Failures: w.Failures, Status: w.LastStatus, Reason: w.LastReason, Created: w.CreatedAt,
		}
		if w.LastAt != nil {
			x.Last = *w.LastAt
		}
		if w.NextAttemptAt != nil {
			x.Next = *w.NextAttemptAt
		}
		page.Items = append(page.Items, x)
	}
	return view.WebhooksPage(q.frame("webhooks", "Webhooks"), page), nil
}

// newWebhook adds a webhook and shows its secret, once.
func (q *request) newWebhook() (templ.Component, error) {
	id, err := q.administration()
	if err != nil {
		return nil, err
	}
	page := view.Webhooks{Form: view.WebhookForm{
		URL: strings.TrimSpace(q.text("url")), Kinds: strings.TrimSpace(q.text("kinds")), Owner: strings.TrimSpace(q.text("owner")),
	}}
	if page.Form.Owner != "" {
		owner, err := memory.ParseOwner(page.Form.Owner)
		if err != nil {
			page.Problem = "Write an owner key such as api:42, or none."
			return q.webhooksWith(id, page)
		}
		id = id.For(id.Agent, owner)
	}
	made := webhooks.NewWebhook{URL: page.Form.URL, Kinds: strings.Fields(strings.ReplaceAll(page.Form.Kinds, ",", " "))}
	secret, w, err := q.CreateWebhook(q.Context, id, made)
	id, _ = rest.AcrossOwners(id.For(id.Agent, memory.NoOwner))
	if invalid, is := asInvalid(err); is {
		page.Problem = invalid
		return q.webhooksWith(id, page)
	}
	if err != nil {
		return nil, err
	}
	return q.webhooksWith(id, view.Webhooks{Secret: hooks.WriteSecret(secret), SecretOf: w.URL})
}

func (q *request) changeWebhook() (templ.Component, error) {
	id, err := q.administration()
	if err != nil {
		return nil, err
	}
	webhook, err := uuid.Parse(q.r.PathValue("webhook"))
	if err != nil {
		return nil, fault.New(fault.NotFound, "There is no such webhook")
	}
	var page view.Webhooks
	switch q.text("do") {
	case "pause", "resume":
		state := map[string]webhooks.State{"pause": webhooks.Paused, "resume": webhooks.Active}[q.text("do")]
		_, err = q.ChangeWebhook(q.Context, id, webhook, webhooks.WebhookChange{State: &state})
	case "redeliver":
		_, err = q.RedeliverWebhook(q.Context, id, webhook, nil)
	case "delete":
		err = q.DeleteWebhook(q.Context, id, webhook)
	case "rotate":
		var secret []byte
		if secret, _, err = q.Store.RotateWebhookSecret(q.Context, id, webhook, api.DefaultOverlap); err == nil {
			page.Secret, page.SecretOf = hooks.WriteSecret(secret), webhook.String()
		}
	case "ping":
		var ping api.Ping
		if ping, err = q.PingWebhook(q.Context, id, webhook); err == nil {
			page.Ping = &view.Ping{Delivered: ping.Delivered, Status: ping.Status, Reason: ping.Reason, Millis: ping.Millis}
		}
	default:
		err = fault.New(fault.InvalidRequest, "Choose what to do with the webhook")
	}
	if err != nil {
		return nil, err
	}
	return q.webhooksWith(id, page)
}
