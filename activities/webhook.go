package activities

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"golang.org/x/time/rate"

	"reverie/hooks"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/gate"
	"reverie/store/webhooks"
)

// WebhookSettings configure deliveries. The worker's apply from the next attempt on.
type WebhookSettings struct {
	// Retries are the pauses after the failed attempts at one event, with a tenth of jitter. When they are used up, it is given up.
	Retries []time.Duration
	// PauseAfter is the time for which an endpoint fails until it is paused.
	PauseAfter time.Duration
	// Rate bounds the events per second of one endpoint.
	Rate float64
}

// WebhookInput identifies an endpoint.
type WebhookInput struct {
	AgentRef

	Webhook uuid.UUID `json:"webhook"`
}

// WebhookResult reports what a delivery has done and what is left.
type WebhookResult struct {
	Delivered int          `json:"delivered,omitempty"`
	Failed    int          `json:"failed,omitempty"` // events that were given up
	Status    int          `json:"status,omitempty"` // of the last attempt, if it failed
	Reason    hooks.Reason `json:"reason,omitempty"` // why the last attempt failed
	// More reports that it ran out of time: call again.
	More bool `json:"more,omitempty"`
	// Next is the time of the next attempt.
	Next time.Time `json:"next,omitzero"`
	// Paused reports that the endpoint gets nothing now, Gone that it was deleted.
	Paused bool `json:"paused,omitempty"`
	Gone   bool `json:"gone,omitempty"`
}

// PingWebhookInput identifies a test event.
type PingWebhookInput struct {
	WebhookInput

	ID uuid.UUID `json:"id"`
}

// PingWebhookResult is the outcome of one attempt.
type PingWebhookResult struct {
	Status int          `json:"status,omitempty"` // of HTTP; 0: there was no answer
	Reason hooks.Reason `json:"reason,omitempty"` // empty: the endpoint accepted it
	Millis int64        `json:"millis"`
}

const (
	// webhookPage bounds the events of one look at the journal.
	webhookPage = 50
	// webhookBudget bounds one run of DeliverWebhook, apart from its last attempt.
	webhookBudget = 20 * time.Second
)

// KindPing is the type of a test event.
const KindPing = "webhook.ping"

// webhookEvent is the body of a message, in the form of Standard Webhooks.
type webhookEvent struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// eventData is an event as in lists of events: references, never contents.
type eventData struct {
	ID       string          `json:"id"`
	Agent    string          `json:"agent"`
	Kind     gate.EventKind  `json:"kind"`
	Scope    memory.Scope    `json:"scope,omitempty"`
	Owner    memory.Owner    `json:"owner,omitempty"`
	Document *uuid.UUID      `json:"document,omitempty"`
	Path     string          `json:"path,omitempty"`
	Version  int             `json:"version,omitempty"`
	Author   eventAuthor     `json:"author"`
	Detail   json.RawMessage `json:"detail"`
	At       time.Time       `json:"at"`
}

type eventAuthor struct {
	Kind       memory.AuthorKind `json:"kind"`
	ID         string            `json:"id,omitempty"`
	WorkflowID string            `json:"workflowId,omitempty"`
	RunID      string            `json:"runId,omitempty"`
}

// messageOf returns the message about an event. Its id is the same in every attempt.
func messageOf(agent string, e gate.Event) (hooks.Message, error) {
	data := eventData{
		ID: e.Cursor().String(), Agent: agent, Kind: e.Kind, Scope: e.Scope, Owner: e.Owner, Path: e.Path, Version: e.Version,
		Author: eventAuthor{e.Author.Kind, e.Author.ID, e.Author.WorkflowID, e.Author.RunID}, Detail: e.Detail, At: e.At,
	}
	if e.Document != uuid.Nil {
		data.Document = &e.Document
	}
	body, err := json.Marshal(webhookEvent{string(e.Kind), e.At, data})
	return hooks.Message{ID: "evt_" + data.ID, Body: body}, err
}

// timeOf returns a time that may be missing, zero for none.
func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// webhookIdentity returns the identity under which progress is recorded. What an endpoint gets is read with the rights of its key.
func webhookIdentity(ref AgentRef) memory.Identity {
	return memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin}
}

// WebhookDue reports whether there is something to deliver to an endpoint. When the journal has only events that the endpoint does
// not get, it passes over them. The sweep calls it; it is not a step. program is that of the endpoint; one that is no longer configured
// gets nothing.
func WebhookDue(ctx context.Context, a *Activities, in WebhookInput, program string) (bool, error) {
	if program != "" && !a.Providers.HasFollower(program, in.Agent) {
		return false, nil
	}
	d, err := a.Store.OpenWebhook(ctx, webhookIdentity(in.AgentRef), in.Webhook)
	if errors.Is(err, store.ErrNotFound) || isKeyEnded(err) || err == nil && d.State != webhooks.Active {
		return false, nil
	}
	if err != nil || len(d.Waiting) > 0 {
		return err == nil, err
	}
	for {
		page, err := a.webhookEvents(ctx, d, 1)
		if err != nil || len(page.Events) > 0 {
			return err == nil, err
		}
		if page.Next == d.Cursor {
			return false, nil
		}
		move := webhooks.WebhookMove{To: page.Next, Next: timeOf(d.NextAttemptAt), Attempts: d.Attempts}
		if d.Webhook, err = a.Store.MoveWebhook(ctx, webhookIdentity(in.AgentRef), d.Webhook, move); err != nil || !page.More {
			return false, ignoreMissing(err)
		}
	}
}

// isKeyEnded reports whether the key that made a webhook has ended.
func isKeyEnded(err error) bool {
	conflict, is := errors.AsType[*store.ConflictError](err)
	return is && conflict.Code == store.CodeKeyEnded
}

// ignoreMissing drops the error of a webhook that somebody has changed concurrently.
func ignoreMissing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

func (a *Activities) webhookEvents(ctx context.Context, d webhooks.Delivery, limit int) (gate.JournalPage, error) {
	kinds := make([]gate.EventKind, len(d.Kinds))
	for i, kind := range d.Kinds {
		kinds[i] = gate.EventKind(kind)
	}
	if d.Program != "" {
		kinds = a.Providers.Follows(d.Program, d.Sees.Agent, setting.AgentSettings{})
	}
	return a.Store.Journal(ctx, d.Sees, gate.JournalFilter{After: d.Cursor, Kinds: kinds, Limit: limit})
}

// DeliverWebhook delivers events to an endpoint in their order: first those that are to be delivered again, then those after its
// cursor, until none is left, one is not accepted, or time is up. Each is recorded before the next one is sent, so that a repeated
// step sends one twice at most.
func (a *Activities) DeliverWebhook(ctx context.Context, in WebhookInput) (out WebhookResult, err error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	x := delivering{
		Activities: a, id: webhookIdentity(in.AgentRef), until: a.Now().Add(webhookBudget),
		limit: rate.NewLimiter(rate.Limit(a.Webhooks.Rate), 1),
	}
	x.Delivery, err = a.Store.OpenWebhook(ctx, x.id, in.Webhook)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return WebhookResult{Gone: true}, nil
	case err != nil && !isKeyEnded(err):
		return out, storeError(err)
	case err != nil, x.State != webhooks.Active, x.Program != "" && !a.Providers.HasFollower(x.Program, in.Agent):
		return WebhookResult{Paused: true}, nil
	}
	err = x.run(ctx)
	if errors.Is(err, store.ErrNotFound) { // it was changed concurrently: look again
		x.out.More, err = true, nil
	}
	return x.out, storeError(err)
}

// delivering is one run of DeliverWebhook.
type delivering struct {
	*Activities
	webhooks.Delivery

	id    memory.Identity
	until time.Time
	limit *rate.Limiter
	out   WebhookResult
}

func (x *delivering) run(ctx context.Context) error {
	for _, f := range x.Waiting {
		if err := x.again(ctx, f); err != nil {
			return err
		}
	}
	if next := timeOf(x.NextAttemptAt); next.After(x.Now()) {
		x.out.Next = next
		return nil
	}
	for {
		page, err := x.webhookEvents(ctx, x.Delivery, webhookPage)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if x.Now().After(x.until) || stopping(ctx) {
				x.out.More = true
				return nil
			}
			goesOn, err := x.deliver(ctx, e)
			if err != nil || !goesOn {
				return err
			}
		}
		if page.Next != x.Cursor {
			move := webhooks.WebhookMove{To: page.Next}
			if x.Webhook, err = x.Store.MoveWebhook(ctx, x.id, x.Webhook, move); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
	}
}

// send sends an event, at the endpoint's rate.
func (x *delivering) send(ctx context.Context, e gate.Event) (hooks.Outcome, error) {
	if err := x.limit.Wait(ctx); err != nil {
		return hooks.Outcome{}, err
	}
	if x.Program != "" {
		return x.follow(ctx, e)
	}
	m, err := messageOf(x.id.Agent, e)
	if err != nil {
		return hooks.Outcome{}, err
	}
	return x.Hooks.Send(ctx, x.URL, x.Secrets, m)
}

// deliver sends the event after the cursor, records the outcome, and reports whether the next one can follow.
func (x *delivering) deliver(ctx context.Context, e gate.Event) (goesOn bool, err error) {
	sent, err := x.send(ctx, e)
	if err != nil {
		return false, err
	}
	move := x.decide(e, sent)
	if x.Webhook, err = x.Store.MoveWebhook(ctx, x.id, x.Webhook, move); err != nil {
		return false, err
	}
	x.out.Status, x.out.Reason = 0, ""
	switch {
	case move.Delivered:
		x.out.Delivered++
		return true, nil
	case move.Fail != "":
		x.out.Failed++
	}
	x.out.Status, x.out.Reason, x.out.Next, x.out.Paused = sent.Status, sent.Reason, move.Next, move.Pause != ""
	x.out.More = move.Fail != ""
	return false, nil
}

// statusGone is the answer of an endpoint that wants no more events.
const statusGone = 410

// decide returns what becomes of an endpoint and of the event after its cursor after an attempt.
func (x *delivering) decide(e gate.Event, sent hooks.Outcome) webhooks.WebhookMove {
	now := x.Now()
	move := webhooks.WebhookMove{To: x.Cursor, Attempted: true, Status: sent.Status, Reason: string(sent.Reason), Attempts: x.Attempts + 1}
	switch failing := x.FailingSince; {
	case sent.Delivered():
		move.To, move.Delivered, move.Attempts = e.Cursor(), true, 0
	case sent.Status == statusGone && x.Program == "":
		move.Pause = webhooks.PausedGone
	case failing != nil && now.Sub(*failing) >= x.Webhooks.PauseAfter:
		move.Pause = webhooks.PausedFailing
	case move.Attempts > x.attempts(sent):
		move.To, move.Fail, move.Tried, move.Attempts = e.Cursor(), string(e.Kind), move.Attempts, 0
	default:
		pause := x.Webhooks.Retries[move.Attempts-1]
		pause += time.Duration(rand.Float64() * float64(pause) / 10) //nolint:gosec // jitter is not a secret
		move.Next = now.Add(max(pause, sent.RetryAfter))
	}
	return move
}

// again delivers an event once more that was given up. One that is no longer in the journal, or that the endpoint may no longer
// get, is dropped.
func (x *delivering) again(ctx context.Context, f webhooks.Failure) error {
	before := gate.JournalCursor{Transaction: f.Event.Transaction, Event: f.Event.Event - 1}
	page, err := x.Store.Journal(ctx, x.Sees, gate.JournalFilter{After: before, Limit: 1})
	if err != nil {
		return err
	}
	sent := hooks.Outcome{}
	if len(page.Events) > 0 && page.Events[0].Cursor() == f.Event {
		if sent, err = x.send(ctx, page.Events[0]); err != nil {
			return err
		}
		if sent.Delivered() {
			x.out.Delivered++
		}
	}
	return x.Store.EndRedelivery(ctx, x.id, x.Webhook, f, sent.Delivered(), sent.Status, string(sent.Reason))
}

// PingWebhook sends a test event to an endpoint, once, also to a paused one.
func (a *Activities) PingWebhook(ctx context.Context, in PingWebhookInput) (PingWebhookResult, error) {
	d, err := a.Store.OpenWebhook(ctx, webhookIdentity(in.AgentRef), in.Webhook)
	if err == nil && d.Program != "" {
		return PingWebhookResult{}, temporal.NewNonRetryableApplicationError(store.CodeOfProgram, TypeInvalid, nil)
	}
	if isKeyEnded(err) {
		return PingWebhookResult{}, temporal.NewNonRetryableApplicationError(store.CodeKeyEnded, TypeForbidden, nil)
	}
	if err != nil {
		return PingWebhookResult{}, storeError(err)
	}
	now := a.Now().UTC()
	body, err := json.Marshal(webhookEvent{KindPing, now, struct {
		Agent   string    `json:"agent"`
		Webhook uuid.UUID `json:"webhook"`
	}{in.Agent, in.Webhook}})
	if err != nil {
		return PingWebhookResult{}, err
	}
	sent, err := a.Hooks.Send(ctx, d.URL, d.Secrets, hooks.Message{ID: "ping_" + in.ID.String(), Body: body})
	return PingWebhookResult{Status: sent.Status, Reason: sent.Reason, Millis: sent.Took.Milliseconds()}, err
}
