// Package webhooks keeps the endpoints that receive events of an agent: what they get, how far they got, and what they refused. The
// journal is their outbox: nothing is stored for an event until an endpoint has refused it.
package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Notifying keeps endpoints and what they have refused.
type Notifying struct{ db *pg.DB }

// New returns the endpoints of a database.
func New(db *pg.DB) *Notifying { return &Notifying{db} }

// State says whether an endpoint gets events.
type State string

// States of an endpoint. Events of a paused one wait in the journal.
const (
	Active State = "active"
	Paused State = "paused"
)

// Reasons for which an endpoint is paused.
const (
	PausedByPerson = "by_person"
	PausedFailing  = "failing"   // for days
	PausedGone     = "gone"      // it answered 410
	PausedKeyEnded = "key_ended" // the key that made it was revoked or has expired
)

// Limits of endpoints.
const (
	MaxPerAgent = 100 // endpoints
	MaxURL      = 2000
	MaxKinds    = 30
	// SecretBytes are the random bytes of a secret, as many as SHA-256 gives.
	SecretBytes = 32
)

// Webhook is an endpoint.
type Webhook struct {
	ID            uuid.UUID
	Owner         memory.Owner // whose events, besides shared ones, it gets; NoOwner: those of everybody
	Key           uuid.UUID    // that made it, and whose rights it has; uuid.Nil for a program
	Program       string       // of the operator, which gets the events instead of an address; empty: it has an address
	URL           string
	Kinds         []string // of events; empty: all
	State         State
	Reason        string             // why it is paused
	Cursor        gate.JournalCursor // after which events are to be delivered
	Delivered     int64
	Attempts      int // at the event after the cursor
	LastStatus    int // of HTTP; 0: there was no answer
	LastReason    string
	LastAt        *time.Time // when the latest attempt ended
	FailingSince  *time.Time
	NextAttemptAt *time.Time // nil: at once
	CreatedAt     time.Time
	Failures      int // events that it has not accepted in all attempts
}

const (
	columns = `webhook_id, owner_key, key_id, program, url, kinds, state, reason_code, cursor_transaction, cursor_event, delivered, attempts,
    last_status, last_reason, last_at, failing_since, next_attempt_at, created_at, (
        select count(*)::int
        from webhook_failures f
        where f.workspace_id = webhooks.workspace_id and f.agent_id = webhooks.agent_id and f.webhook_id = webhooks.webhook_id)`

	sqlWebhookInsert = `
insert into webhooks (workspace_id, agent_id, webhook_id, owner_key, key_id, program, url, kinds, state, reason_code, cursor_transaction,
    cursor_event, created_at)
values (@workspace, @agent, @webhook, @owner, @key, @program, @url, @kinds, 'active', '', @transaction, @event, @now)
on conflict (workspace_id, agent_id, program) where program <> '' do nothing
returning ` + columns

	sqlWebhookSecret = `
insert into webhook_secrets (workspace_id, agent_id, webhook_id, owner_key, secret)
values (@workspace, @agent, @webhook, @owner, @secret)`

	sqlWebhookCount = `
select count(*)
from webhooks
where workspace_id = @workspace and agent_id = @agent and program = ''`

	sqlWebhook = `
select ` + columns + `
from webhooks
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook`

	sqlWebhooks = `
select ` + columns + `
from webhooks
where workspace_id = @workspace and agent_id = @agent and webhook_id < @before
order by webhook_id desc
limit @limit`

	sqlWebhookUpdate = `
update webhooks set url = @url, kinds = @kinds, state = @state, reason_code = @reason, attempts = 0, failing_since = null,
    next_attempt_at = null
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook
returning ` + columns

	sqlWebhookDelete = `
delete from webhooks
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook
returning webhook_id`

	sqlWebhookRotate = `
update webhook_secrets set previous = secret, previous_until = @until, secret = @secret
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook
returning webhook_id`
)

func scan(row pgx.CollectableRow) (w Webhook, err error) {
	err = row.Scan(&w.ID, &w.Owner, &w.Key, &w.Program, &w.URL, &w.Kinds, &w.State, &w.Reason, &w.Cursor.Transaction, &w.Cursor.Event,
		&w.Delivered, &w.Attempts, &w.LastStatus, &w.LastReason, &w.LastAt, &w.FailingSince, &w.NextAttemptAt, &w.CreatedAt, &w.Failures)
	return w, err
}

// NewWebhook describes an endpoint to add.
type NewWebhook struct {
	URL   string
	Kinds []string // of events; empty: all
}

// CreateWebhook adds an endpoint that gets events from now on: those that the identity's key sees of the identity's owner and of what is
// shared, and for an admin without an owner those of everybody. It returns the secret, which is not shown again.
func (s *Notifying) CreateWebhook(ctx context.Context, id memory.Identity, n NewWebhook) (secret []byte, _ Webhook, _ error) {
	id, err := managing(id)
	if err != nil {
		return nil, Webhook{}, err
	}
	key, err := uuid.Parse(id.Author.ID)
	if err != nil {
		return nil, Webhook{}, fmt.Errorf("%w: a webhook needs a key whose rights it has", pg.ErrForbidden)
	}
	if err := n.validate(); err != nil {
		return nil, Webhook{}, err
	}
	secret, sealed, err := s.newSecret()
	if err != nil {
		return nil, Webhook{}, err
	}
	end, err := gate.New(s.db).JournalEnd(ctx, id)
	if err != nil {
		return nil, Webhook{}, err
	}
	made, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (w Webhook, err error) {
		var there int
		var found bool
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlWebhookCount, t.Args(nil)), &found, &there)
		if err := t.Send(ctx, b); err != nil {
			return w, err
		}
		if there >= MaxPerAgent {
			return w, &pg.ConflictError{
				Code: pg.CodeTooManyWebhooks, Message: fmt.Sprintf("the agent has %d webhooks: delete one first", there),
			}
		}
		args := t.Args(pgx.NamedArgs{
			"webhook": pg.NewID(), "key": key, "program": "", "url": n.URL, "kinds": pg.TextsOf(n.Kinds), "transaction": end.Transaction,
			"event": end.Event, "secret": sealed,
		})
		b = &pgx.Batch{}
		pg.One(b.Queue(sqlWebhookInsert, args), &found, &w, scan)
		b.Queue(sqlWebhookSecret, args)
		return w, t.Finish(ctx, b)
	})
	return secret, made, err
}

// managing returns the identity that manages endpoints of the identity's owner, or of everybody.
func managing(id memory.Identity) (memory.Identity, error) {
	if err := pg.RequireAgentWrite(id); err != nil {
		return id, err
	}
	id.AnyOwner = false
	if id.Owner == memory.NoOwner && pg.RequireAdmin(id) != nil {
		return id, fmt.Errorf("%w: name an owner, or use an admin key for the events of everybody", pg.ErrForbidden)
	}
	return id, nil
}

func (n NewWebhook) validate() error {
	u, err := url.Parse(n.URL)
	switch {
	case len(n.URL) > MaxURL:
		return &pg.InvalidError{Field: "url", Problem: fmt.Sprintf("it has %d bytes, at most %d are allowed", len(n.URL), MaxURL)}
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return &pg.InvalidError{Field: "url", Problem: "write an absolute address that begins with https://"}
	case u.User != nil:
		return &pg.InvalidError{Field: "url", Problem: "remove the user and password: check the signature instead"}
	case u.Fragment != "":
		return &pg.InvalidError{Field: "url", Problem: "remove the part after #, which is not sent"}
	case len(n.Kinds) > MaxKinds:
		return &pg.InvalidError{Field: "kinds", Problem: fmt.Sprintf("name at most %d, or none for all", MaxKinds)}
	}
	return gate.CheckKinds("kinds", n.Kinds)
}

// newSecret returns a secret, and as it is stored.
func (s *Notifying) newSecret() (secret, sealed []byte, err error) {
	secret = make([]byte, SecretBytes)
	_, _ = rand.Read(secret) // it never fails
	sealed, err = s.db.Seal(secret)
	return secret, sealed, err
}

var errMissing = fmt.Errorf("webhook: %w", pg.ErrNotFound)

// Webhook returns an endpoint.
func (s *Notifying) Webhook(ctx context.Context, id memory.Identity, webhook uuid.UUID) (Webhook, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Webhook{}, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlWebhook, pgx.NamedArgs{"webhook": webhook}, scan, errMissing)
}

// Webhooks lists the endpoints of the identity's owner, with AnyOwner those of all owners, and for admins those that get the events of
// everybody; the latest first.
func (s *Notifying) Webhooks(ctx context.Context, id memory.Identity, p pg.Page) (pg.Listed[Webhook], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(_ *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlWebhooks, pgx.NamedArgs{"before": from.ID}
	}, scan, func(w Webhook) pg.Cursor { return pg.Cursor{At: w.CreatedAt, ID: w.ID} })
}

// WebhookChange changes an endpoint; nil leaves a part as it is.
type WebhookChange struct {
	URL   *string
	Kinds *[]string
	State *State // Active also ends the wait for the next attempt
}

// ChangeWebhook changes an endpoint. It continues at the place where it was. It returns *ConflictError with CodeKeyEnded when a
// resumed endpoint's key has ended.
func (s *Notifying) ChangeWebhook(ctx context.Context, id memory.Identity, webhook uuid.UUID, c WebhookChange) (Webhook, error) {
	w, err := s.managed(ctx, id, webhook)
	if err != nil {
		return w, err
	}
	next := NewWebhook{URL: w.URL, Kinds: w.Kinds}
	if c.URL != nil {
		next.URL = *c.URL
	}
	if c.Kinds != nil {
		next.Kinds = *c.Kinds
	}
	if w.Program != "" && (c.URL != nil || c.Kinds != nil) {
		return w, ofProgram(w)
	}
	if err := next.validate(); w.Program == "" && err != nil {
		return w, err
	}
	state, reason := w.State, w.Reason
	if c.State != nil {
		switch *c.State {
		case Active:
			if _, err := s.reach(ctx, id, w); err != nil {
				return w, err
			}
			state, reason = Active, ""
		case Paused:
			if w.State != Paused {
				state, reason = Paused, PausedByPerson
			}
		default:
			return w, &pg.InvalidError{Field: "state", Problem: "use active or paused"}
		}
	}
	return changed(ctx, s.db, as(id, w), sqlWebhookUpdate, pgx.NamedArgs{
		"webhook": webhook, "url": next.URL, "kinds": pg.TextsOf(next.Kinds), "state": state, "reason": reason,
	}, scan)
}

// managed returns an endpoint that the identity may change.
func (s *Notifying) managed(ctx context.Context, id memory.Identity, webhook uuid.UUID) (Webhook, error) {
	if err := pg.RequireAgentWrite(id); err != nil {
		return Webhook{}, err
	}
	w, err := s.Webhook(ctx, id, webhook)
	if err == nil {
		_, err = managing(as(id, w))
	}
	return w, err
}

// as returns the identity for the owner of an endpoint, which it sees.
func as(id memory.Identity, w Webhook) memory.Identity {
	if pg.RequireAdmin(id) == nil {
		id = id.For(id.Agent, w.Owner)
	}
	id.AnyOwner = false
	return id
}

// changed runs a statement that changes one row and returns it. Without a row it returns ErrNotFound.
func changed[T any](ctx context.Context, db *pg.DB, id memory.Identity, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T]) (T, error) {
	return pg.InTx(ctx, db, id, func(t *pg.Tx) (row T, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sql, t.Args(args)), &found, &row, scan)
		if err := t.Finish(ctx, b); err != nil {
			return row, err
		}
		if !found {
			return row, errMissing
		}
		return row, nil
	})
}

// DeleteWebhook deletes an endpoint with its secret and what it has refused.
func (s *Notifying) DeleteWebhook(ctx context.Context, id memory.Identity, webhook uuid.UUID) error {
	w, err := s.managed(ctx, id, webhook)
	if err == nil && w.Program != "" {
		err = ofProgram(w)
	}
	if err != nil {
		return err
	}
	_, err = changed(ctx, s.db, as(id, w), sqlWebhookDelete, pgx.NamedArgs{"webhook": webhook}, pgx.RowTo[uuid.UUID])
	return err
}

// MaxOverlap is the longest time for which a rotated secret still signs.
const MaxOverlap = 30 * 24 * time.Hour

// RotateWebhookSecret gives an endpoint another secret and returns it. The one before signs as well for overlap; one that still did from
// an earlier rotation does not any more.
func (s *Notifying) RotateWebhookSecret(
	ctx context.Context, id memory.Identity, webhook uuid.UUID, overlap time.Duration,
) (secret []byte, until time.Time, _ error) {
	if overlap < 0 || overlap > MaxOverlap {
		return nil, until, &pg.InvalidError{Field: "overlapSeconds", Problem: fmt.Sprintf("use 0 to %.0f", MaxOverlap.Seconds())}
	}
	w, err := s.managed(ctx, id, webhook)
	if err == nil && w.Program != "" {
		err = ofProgram(w)
	}
	if err != nil {
		return nil, until, err
	}
	secret, sealed, err := s.newSecret()
	if err != nil {
		return nil, until, err
	}
	until = s.db.Now().Add(overlap).UTC()
	_, err = delivering(ctx, s.db, as(id, w), pg.SQLBegin, sqlWebhookRotate, pgx.NamedArgs{
		"webhook": webhook, "until": until, "secret": sealed,
	}, pgx.RowTo[uuid.UUID])
	return secret, until, err
}

// delivering runs a statement about secrets, which only that purpose sees.
func delivering[T any](
	ctx context.Context, db *pg.DB, id memory.Identity, mode, sql string, args pgx.NamedArgs, scan pgx.RowToFunc[T],
) (T, error) {
	var none T
	set, err := pg.SettingsOf(id)
	if err != nil {
		return none, err
	}
	set.Purpose = pg.PurposeDelivery
	return pg.Run(ctx, db, &pg.Tx{Settings: set, ID: id, Mode: mode}, func(t *pg.Tx) (row T, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sql, t.Args(args)), &found, &row, scan)
		if err := t.Finish(ctx, b); err != nil {
			return row, err
		}
		if !found {
			return row, errMissing
		}
		return row, nil
	})
}

// reach returns the identity that sees what an endpoint gets: that of its key, or of those to which it was rotated. It returns
// *ConflictError with CodeKeyEnded when there is no such key any more.
func (s *Notifying) reach(ctx context.Context, id memory.Identity, w Webhook) (memory.Identity, error) {
	if w.Program != "" {
		return memory.Identity{Workspace: id.Workspace, Agent: id.Agent, AnyOwner: true, Role: memory.RoleAdmin}, nil
	}
	for next, left := w.Key, maxRotations; left > 0; left-- {
		key, _, err := gate.KeyByID(ctx, s.db, next)
		if errors.Is(err, pg.ErrUnauthorized) {
			break
		}
		if err != nil {
			return memory.Identity{}, err
		}
		if key.Check(s.db.Now()) == nil {
			sees := key.Identity().For(id.Agent, w.Owner)
			sees.AnyOwner = w.Owner == memory.NoOwner
			if key.Workspace != id.Workspace || !sees.MayUseAgent(id.Agent) || sees.Pinned && key.Owner != w.Owner ||
				sees.AnyOwner && pg.RequireAdmin(sees) != nil {
				break
			}
			return sees, nil
		}
		if key.ReplacedBy == nil {
			break
		}
		next = *key.ReplacedBy
	}
	return memory.Identity{}, &pg.ConflictError{
		Code:    pg.CodeKeyEnded,
		Message: "the key that made the webhook was revoked or has expired: make another webhook, and delete this one",
	}
}

// maxRotations bounds the rotated keys that are followed.
const maxRotations = 100
