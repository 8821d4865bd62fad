package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/hooks"
	"reverie/memory"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/store/webhooks"
	"reverie/workflows"
)

const webhooksPath = "/api/v1/agents/{agent}/webhooks"

func (s *Server) webhookRoutes() {
	one := webhooksPath + "/{webhook}"
	rest.Register(s.Server, rest.Route{
		ID: "create-webhook", Method: http.MethodPost, Act: rest.Changes, Path: webhooksPath, Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Have events sent to an address", Status: http.StatusCreated, Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Every event from now on that this key sees of the named owner, and of shared memory, is sent as a signed POST; with an admin key that " +
			"names nobody, those of all owners. The webhook ends with the key. Only this answer contains the secret. See docs/webhooks.md.",
		Example: map[string]any{"url": "https://example.com/reverie", "kinds": []string{"document.written"}},
	}, s.createWebhook)
	rest.Register(s.Server, rest.Route{
		ID: "list-webhooks", Method: http.MethodGet, Path: webhooksPath, Tag: "webhooks", Need: memory.RoleMember,
		Summary: "List webhooks, newest first",
		Doc:     "Lists those of the owner named in the request or pinned to the key; an admin who names no owner lists all of the agent.",
	}, s.listWebhooks)
	rest.Register(s.Server, rest.Route{
		ID: "get-webhook", Method: http.MethodGet, Path: one, Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Read a webhook: what it gets, and the state of its deliveries",
	}, s.getWebhook)
	rest.Register(s.Server, rest.Route{
		ID: "change-webhook", Method: http.MethodPatch, Path: one, Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Change, pause or resume a webhook", Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Events wait while it is paused. A change also ends the wait for the next attempt.",
	}, s.changeWebhook)
	rest.Register(s.Server, rest.Route{
		ID: "delete-webhook", Method: http.MethodDelete, Path: one, Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Delete a webhook with its secret and its list of failures",
	}, s.deleteWebhook)
	rest.Register(s.Server, rest.Route{
		ID: "rotate-webhook-secret", Method: http.MethodPost, Act: rest.Changes, Path: one + "/rotate", Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Replace the secret of a webhook", Status: http.StatusCreated, Body: rest.MaxSmallBody,
		Doc: "During the overlap every request has a signature of each secret. Only this answer contains the new one.",
	}, s.rotateWebhookSecret)
	rest.Register(s.Server, rest.Route{
		ID: "ping-webhook", Method: http.MethodPost, Act: rest.Changes, Path: one + "/ping", Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Send a test event", Timeout: pingTimeout + rest.AcceptTimeout, Errors: []int{http.StatusConflict},
		Doc: "Sends an event of type webhook.ping once, also to a paused webhook, and answers with the outcome.",
	}, s.pingWebhook)
	rest.Register(s.Server, rest.Route{
		ID: "list-webhook-failures", Method: http.MethodGet, Path: one + "/failures", Tag: "webhooks", Need: memory.RoleMember,
		Summary: "List events that a webhook has not accepted in all attempts, newest first",
	}, s.listWebhookFailures)
	rest.Register(s.Server, rest.Route{
		ID: "redeliver-webhook", Method: http.MethodPost, Act: rest.Changes, Path: one + "/redeliver", Tag: "webhooks", Need: memory.RoleMember,
		Summary: "Deliver events again that were given up", Status: http.StatusAccepted, Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Each is sent once more, beside newer events. One that is accepted, or is not in the journal any more, leaves the list.",
	}, s.redeliverWebhook)
}

// pingTimeout bounds the wait for the outcome of a test event.
const pingTimeout = 70 * time.Second

// WebhookView is a webhook without its secret.
type WebhookView struct {
	ID            uuid.UUID      `json:"id"`
	URL           string         `json:"url" doc:"Empty for a program."`
	Program       string         `json:"program,omitempty" doc:"Id of the provider of the operator that gets the events, with their contents, instead of an address. It can be paused, resumed and given events again only."`
	Kinds         []string       `json:"kinds" doc:"Kinds of events; empty: all, or those of the program."`
	Owner         memory.Owner   `json:"owner,omitempty" doc:"Whose events, besides shared ones, it gets; missing: those of everybody."`
	Key           uuid.UUID      `json:"key,omitzero" doc:"The key that made it, whose rights it has."`
	State         webhooks.State `json:"state" enum:"active,paused"`
	Reason        string         `json:"reason,omitempty" doc:"Why it is paused: by_person, failing, gone (it answered 410) or key_ended."`
	Cursor        string         `json:"cursor" doc:"Id of the event after which events are still to be delivered."`
	Delivered     int64          `json:"delivered"`
	Failures      int            `json:"failures" doc:"Events that were given up and can be delivered again."`
	Attempts      int            `json:"attempts" doc:"Failed attempts at the next event."`
	LastStatus    int            `json:"lastStatus,omitempty" doc:"HTTP status of the latest attempt; missing: there was none, or no answer."`
	LastReason    string         `json:"lastReason,omitempty" doc:"Why the latest attempt failed: status, redirect, timeout, address, name, tls or connection; missing: it did not."`
	LastAt        *time.Time     `json:"lastAt,omitempty" doc:"When the latest attempt ended."`
	FailingSince  *time.Time     `json:"failingSince,omitempty"`
	NextAttemptAt *time.Time     `json:"nextAttemptAt,omitempty"`
	CreatedAt     time.Time      `json:"createdAt"`
	WorkflowID    string         `json:"workflowId"`
	Link          string         `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

func (s *Server) viewWebhook(id memory.Identity, w webhooks.Webhook) WebhookView {
	v := WebhookView{
		ID: w.ID, URL: w.URL, Program: w.Program, Kinds: w.Kinds, Owner: w.Owner, Key: w.Key, State: w.State, Reason: w.Reason,
		Cursor:    w.Cursor.String(),
		Delivered: w.Delivered, Failures: w.Failures, Attempts: w.Attempts, LastStatus: w.LastStatus, LastReason: w.LastReason, LastAt: w.LastAt,
		FailingSince: w.FailingSince, NextAttemptAt: w.NextAttemptAt, CreatedAt: w.CreatedAt, WorkflowID: workflows.WebhookID(webhookRef(id, w.ID)),
	}
	v.Link = s.Workflows.Link(v.WorkflowID)
	return v
}

func webhookRef(id memory.Identity, webhook uuid.UUID) workflows.WebhookInput {
	return workflows.WebhookInput{AgentRef: indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, Webhook: webhook}
}

// newWebhookView is the only answer that contains a secret.
type newWebhookView struct {
	WebhookView
	Secret string `json:"secret" doc:"whsec_ and 32 random bytes in base64. It is not shown again."`
}

type newWebhookInput struct {
	rest.AgentParam
	Body struct {
		URL       string   `json:"url" minLength:"1" maxLength:"2000" doc:"Where events are sent: https, at a public address unless REVERIE_WEBHOOK_NETWORKS allows others." example:"https://example.com/reverie"`
		Kinds     []string `json:"kinds,omitempty" maxItems:"30" doc:"Only events of these kinds; missing: all."`
		Owner     string   `json:"owner,omitempty" maxLength:"128" doc:"Whose events, besides shared ones; or give channel and sender, or endUserId. An admin who names no owner: those of everybody." example:"user:7"`
		Channel   string   `json:"channel,omitempty" maxLength:"128"`
		Sender    string   `json:"sender,omitempty" maxLength:"128"`
		EndUserID string   `json:"endUserId,omitempty" maxLength:"128"`
	}
}

func (s *Server) createWebhook(ctx context.Context, in *newWebhookInput) (*rest.Reply[newWebhookView], error) {
	b := in.Body
	who := rest.PersonBody{Owner: b.Owner, Channel: b.Channel, Sender: b.Sender, EndUserID: b.EndUserID}
	id, _, err := s.Enter(ctx, in.Agent, who.Person())
	if err != nil {
		return nil, err
	}
	if id.Owner == memory.NoOwner && !id.Role.Includes(memory.RoleAdmin) {
		return nil, fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the body)")
	}
	secret, made, err := s.CreateWebhook(ctx, id, webhooks.NewWebhook{URL: b.URL, Kinds: b.Kinds})
	if err != nil {
		return nil, inBody(err)
	}
	rest.Touch(ctx, "webhook", made.ID.String())
	return rest.Created(newWebhookView{s.viewWebhook(id, made), hooks.WriteSecret(secret)}), nil
}

// CreateWebhook creates a webhook and returns its secret, which is not shown again.
func (s *Server) CreateWebhook(ctx context.Context, id memory.Identity, n webhooks.NewWebhook) (secret []byte, _ webhooks.Webhook, _ error) {
	if err := s.mayReach(n.URL); err != nil {
		return nil, webhooks.Webhook{}, err
	}
	return s.Store.CreateWebhook(ctx, id, n)
}

// mayReach refuses an address to which nothing would ever be sent. What is not a URL is left to the store.
func (s *Server) mayReach(address string) error {
	if to, err := url.Parse(address); err == nil && !hooks.MayReach(to, s.WebhookNetworks) {
		return &store.InvalidError{
			Field: "url", Problem: "nothing is sent there: use https and a public address, or have its network allowed (REVERIE_WEBHOOK_NETWORKS)",
		}
	}
	return nil
}

// inBody locates an invalid value in the body.
func inBody(err error) error {
	if invalid, is := errors.AsType[*store.InvalidError](err); is {
		return fault.InvalidAt("body."+invalid.Field, "%s", invalid.Problem)
	}
	return err
}

type listWebhooksInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

// webhookIdentity returns the identity of a request about webhooks: the person's, or that of an admin for everybody.
func (s *Server) webhookIdentity(ctx context.Context, agent string, p rest.Person) (memory.Identity, error) {
	id, _, err := s.Enter(ctx, agent, p)
	if err != nil {
		return id, err
	}
	if across, full := rest.AcrossOwners(id); full {
		return across, nil
	}
	return id, fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the query)")
}

func (s *Server) listWebhooks(ctx context.Context, in *listWebhooksInput) (*rest.Reply[rest.Page[WebhookView]], error) {
	id, err := s.webhookIdentity(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.Webhooks(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[WebhookView]{
		Items: rest.Views(listed.Items, func(w webhooks.Webhook) WebhookView { return s.viewWebhook(id, w) }), Next: listed.Next,
	}), nil
}

// WebhookInput names a webhook in the path.
type WebhookInput struct {
	rest.AgentParam
	rest.PersonParams

	Webhook uuid.UUID `path:"webhook" format:"uuid" doc:"Id of the webhook."`
}

func (s *Server) onWebhook(ctx context.Context, in WebhookInput) (memory.Identity, error) {
	rest.Touch(ctx, "webhook", in.Webhook.String())
	return s.webhookIdentity(ctx, in.Agent, in.Person())
}

func (s *Server) getWebhook(ctx context.Context, in *WebhookInput) (*rest.Reply[WebhookView], error) {
	id, err := s.onWebhook(ctx, *in)
	if err != nil {
		return nil, err
	}
	w, err := s.Store.Webhook(ctx, id, in.Webhook)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewWebhook(id, w)), nil
}

type changeWebhookInput struct {
	WebhookInput
	Body struct {
		URL   *string         `json:"url,omitempty" minLength:"1" maxLength:"2000"`
		Kinds *[]string       `json:"kinds,omitempty" maxItems:"30" doc:"Empty: all."`
		State *webhooks.State `json:"state,omitempty" enum:"active,paused"`
	}
}

func (s *Server) changeWebhook(ctx context.Context, in *changeWebhookInput) (*rest.Reply[WebhookView], error) {
	id, err := s.onWebhook(ctx, in.WebhookInput)
	if err != nil {
		return nil, err
	}
	w, err := s.ChangeWebhook(ctx, id, in.Webhook, webhooks.WebhookChange{URL: in.Body.URL, Kinds: in.Body.Kinds, State: in.Body.State})
	if err != nil {
		return nil, inBody(err)
	}
	return rest.OK(s.viewWebhook(id, w)), nil
}

// ChangeWebhook changes a webhook, and wakes its workflow.
func (s *Server) ChangeWebhook(
	ctx context.Context, id memory.Identity, webhook uuid.UUID, c webhooks.WebhookChange,
) (webhooks.Webhook, error) {
	if c.URL != nil {
		if err := s.mayReach(*c.URL); err != nil {
			return webhooks.Webhook{}, err
		}
	}
	w, err := s.Store.ChangeWebhook(ctx, id, webhook, c)
	if err == nil {
		s.Workflows.WebhookChanged(ctx, webhookRef(id, webhook))
	}
	return w, err
}

type deletedWebhookView struct {
	ID      uuid.UUID `json:"id"`
	Deleted bool      `json:"deleted"`
}

func (s *Server) deleteWebhook(ctx context.Context, in *WebhookInput) (*rest.Reply[deletedWebhookView], error) {
	id, err := s.onWebhook(ctx, *in)
	if err != nil {
		return nil, err
	}
	if err := s.DeleteWebhook(ctx, id, in.Webhook); err != nil {
		return nil, err
	}
	return rest.OK(deletedWebhookView{in.Webhook, true}), nil
}

// DeleteWebhook deletes a webhook, and wakes its workflow, which ends.
func (s *Server) DeleteWebhook(ctx context.Context, id memory.Identity, webhook uuid.UUID) error {
	err := s.Store.DeleteWebhook(ctx, id, webhook)
	if err == nil {
		s.Workflows.WebhookChanged(ctx, webhookRef(id, webhook))
	}
	return err
}

type rotateWebhookInput struct {
	WebhookInput
	Body struct {
		OverlapSeconds *int `json:"overlapSeconds,omitempty" minimum:"0" maximum:"2592000" doc:"How long the old secret signs as well, at most 30 days; 0: not at all; missing: a day."`
	}
}

type rotatedWebhookView struct {
	ID            uuid.UUID `json:"id"`
	Secret        string    `json:"secret" doc:"The new one. It is not shown again."`
	PreviousUntil time.Time `json:"previousUntil" doc:"Until then the old one signs as well."`
}

func (s *Server) rotateWebhookSecret(ctx context.Context, in *rotateWebhookInput) (*rest.Reply[rotatedWebhookView], error) {
	id, err := s.onWebhook(ctx, in.WebhookInput)
	if err != nil {
		return nil, err
	}
	overlap := DefaultOverlap
	if in.Body.OverlapSeconds != nil {
		overlap = time.Duration(*in.Body.OverlapSeconds) * time.Second
	}
	secret, until, err := s.Store.RotateWebhookSecret(ctx, id, in.Webhook, overlap)
	if err != nil {
		return nil, inBody(err)
	}
	return rest.Created(rotatedWebhookView{in.Webhook, hooks.WriteSecret(secret), until}), nil
}

type pingView struct {
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status,omitempty" doc:"HTTP status; missing: there was no answer."`
	Reason    string `json:"reason,omitempty" doc:"Why it was not delivered: status, redirect, timeout, address, name, tls or connection."`
	Millis    int64  `json:"millis"`
}

func (s *Server) pingWebhook(ctx context.Context, in *WebhookInput) (*rest.Reply[pingView], error) {
	id, err := s.onWebhook(ctx, *in)
	if err != nil {
		return nil, err
	}
	v, err := s.PingWebhook(ctx, id, in.Webhook)
	if err != nil {
		return nil, err
	}
	return rest.OK(pingView(v)), nil
}

// Ping is the outcome of a test event.
type Ping struct {
	Delivered bool
	Status    int
	Reason    string
	Millis    int64
}

// PingWebhook sends a test event to a webhook that the identity may manage.
func (s *Server) PingWebhook(ctx context.Context, id memory.Identity, webhook uuid.UUID) (Ping, error) {
	w, err := s.Store.Webhook(ctx, id, webhook)
	if err != nil {
		return Ping{}, err
	}
	if w.Program != "" {
		return Ping{}, fault.New(fault.Conflict, "The webhook is of the program %s: it has no address to send a test event to", w.Program)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	out, err := workflows.PingWebhook(ctx, s.Workflows.Client, webhookRef(id, webhook), uuid.New())
	switch {
	case err == nil:
		return Ping{out.Reason == "", out.Status, string(out.Reason), out.Millis}, nil
	case rest.TemporalAway(err) || errors.Is(err, context.DeadlineExceeded):
		return Ping{}, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	s.Log.WarnContext(ctx, "A test event could not be sent", "error", rest.Loggable(err), "webhook", webhook)
	return Ping{}, fault.New(fault.Conflict, "The test event was not sent: the key that made the webhook has ended, or the webhook was deleted")
}

// failureView is an event that was given up.
type failureView struct {
	ID         uuid.UUID `json:"id"`
	Event      string    `json:"event" doc:"Id of the event."`
	Kind       string    `json:"kind"`
	Attempts   int       `json:"attempts"`
	LastStatus int       `json:"lastStatus,omitempty"`
	LastReason string    `json:"lastReason"`
	FailedAt   time.Time `json:"failedAt"`
	Waiting    bool      `json:"waiting" doc:"It is about to be delivered again."`
}

func viewFailure(f webhooks.Failure) failureView {
	return failureView{f.ID, f.Event.String(), f.Kind, f.Attempts, f.LastStatus, f.LastReason, f.FailedAt, f.Redeliver}
}

type listFailuresInput struct {
	WebhookInput
	rest.PageParams
}

func (s *Server) listWebhookFailures(ctx context.Context, in *listFailuresInput) (*rest.Reply[rest.Page[failureView]], error) {
	id, err := s.onWebhook(ctx, in.WebhookInput)
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.WebhookFailures(ctx, id, in.Webhook, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[failureView]{Items: rest.Views(listed.Items, viewFailure), Next: listed.Next}), nil
}

type redeliverInput struct {
	WebhookInput
	Body struct {
		Failures []uuid.UUID `json:"failures,omitempty" maxItems:"500" doc:"Ids of the list of failures; missing: all of it."`
	}
}

type redeliveringView struct {
	Failures []failureView `json:"failures"`
}

func (s *Server) redeliverWebhook(ctx context.Context, in *redeliverInput) (*rest.Reply[redeliveringView], error) {
	id, err := s.onWebhook(ctx, in.WebhookInput)
	if err != nil {
		return nil, err
	}
	marked, err := s.RedeliverWebhook(ctx, id, in.Webhook, in.Body.Failures)
	if err != nil {
		return nil, err
	}
	return rest.Accepted(redeliveringView{rest.Views(marked, viewFailure)}), nil
}

// RedeliverWebhook delivers events again that were given up; if none are named, all of them.
func (s *Server) RedeliverWebhook(
	ctx context.Context, id memory.Identity, webhook uuid.UUID, failures []uuid.UUID,
) ([]webhooks.Failure, error) {
	marked, err := s.Store.RedeliverWebhook(ctx, id, webhook, failures)
	if err == nil {
		s.Workflows.WebhookChanged(ctx, webhookRef(id, webhook))
	}
	return marked, err
}
