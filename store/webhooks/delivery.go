package webhooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Failure is an event that an endpoint has not accepted in all attempts.
type Failure struct {
	ID         uuid.UUID
	Event      gate.JournalCursor
	Kind       string
	Attempts   int
	LastStatus int // of HTTP; 0: there was no answer
	LastReason string
	FailedAt   time.Time
	Redeliver  bool // it waits to be delivered again
}

const (
	failureColumns = `failure_id, transaction_id, event_id, kind, attempts, last_status, last_reason, failed_at, redeliver`

	sqlWebhookFailures = `
select ` + failureColumns + `
from webhook_failures
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook and failure_id < @before
order by failure_id desc
limit @limit`

	sqlWebhookRedeliver = `
update webhook_failures set redeliver = true
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook
    and (cardinality(@failures::uuid[]) = 0 or failure_id = any (@failures))
returning ` + failureColumns

	sqlWebhookWaiting = `
select ` + failureColumns + `
from webhook_failures
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook and redeliver
order by failure_id
limit @limit`

	sqlWebhookRedelivered = `
delete from webhook_failures
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook and failure_id = @failure
returning failure_id`

	sqlWebhookRefusedAgain = `
update webhook_failures set redeliver = false, attempts = attempts + 1, last_status = @status, last_reason = @reason, failed_at = @now
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook and failure_id = @failure
returning failure_id`

	sqlWebhookSecrets = `
select secret, previous, previous_until
from webhook_secrets
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook`

	// The cursor is where this delivery has found it: another one may have gone on.
	sqlWebhookMove = `
update webhooks set cursor_transaction = @to_transaction, cursor_event = @to_event, delivered = delivered + @delivered, attempts = @attempts,
    last_status = case when @attempted then @status else last_status end,
    last_reason = case when @attempted then @reason else last_reason end,
    last_at = case when @attempted then @now else last_at end,
    failing_since = @failing, next_attempt_at = @next, state = @state, reason_code = @why
where workspace_id = @workspace and agent_id = @agent and webhook_id = @webhook and state = 'active'
    and cursor_transaction = @from_transaction and cursor_event = @from_event
returning ` + columns

	sqlWebhookFail = `
insert into webhook_failures (workspace_id, agent_id, webhook_id, failure_id, owner_key, transaction_id, event_id, kind, attempts, last_status,
    last_reason, failed_at)
values (@workspace, @agent, @webhook, @failure, @owner, @to_transaction, @to_event, @kind, @tried, @status, @reason, @now)`

	sqlWebhooksDue = `
select w.workspace_id, w.agent_id, w.webhook_id, w.program
from webhooks w
where w.state = 'active' and w.webhook_id > @after and ((w.next_attempt_at is null or w.next_attempt_at <= @now) and exists (
        select from (select w.agent_id as agent_id union select '') a
        cross join lateral (
            select from journal j
            where j.workspace_id = w.workspace_id and j.agent_id = a.agent_id
                and (j.transaction_id, j.event_id) > (w.cursor_transaction, w.cursor_event)
            limit 1) j)
    or exists (
        select from webhook_failures f
        where f.workspace_id = w.workspace_id and f.agent_id = w.agent_id and f.webhook_id = w.webhook_id and f.redeliver))
order by w.webhook_id
limit @limit`
)

func scanFailure(row pgx.CollectableRow) (f Failure, err error) {
	err = row.Scan(&f.ID, &f.Event.Transaction, &f.Event.Event, &f.Kind, &f.Attempts, &f.LastStatus, &f.LastReason, &f.FailedAt, &f.Redeliver)
	return f, err
}

// WebhookFailures lists the events that an endpoint has not accepted, the latest first.
func (s *Notifying) WebhookFailures(ctx context.Context, id memory.Identity, webhook uuid.UUID, p pg.Page) (pg.Listed[Failure], error) {
	if _, err := s.Webhook(ctx, id, webhook); err != nil {
		return pg.Listed[Failure]{}, err
	}
	return pg.ReadPage(ctx, s.db, id, p, func(_ *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlWebhookFailures, pgx.NamedArgs{"webhook": webhook, "before": from.ID}
	}, scanFailure, func(f Failure) pg.Cursor { return pg.Cursor{At: f.FailedAt, ID: f.ID} })
}

// RedeliverWebhook marks events that an endpoint has not accepted, or all of them, to be delivered again, once. It returns them, or
// *ConflictError with CodeWebhookPaused for an endpoint that gets no events now.
func (s *Notifying) RedeliverWebhook(ctx context.Context, id memory.Identity, webhook uuid.UUID, failures []uuid.UUID) ([]Failure, error) {
	w, err := s.managed(ctx, id, webhook)
	if err != nil {
		return nil, err
	}
	if w.State != Active {
		return nil, &pg.ConflictError{Code: pg.CodeWebhookPaused, Message: "the webhook is paused: resume it first"}
	}
	if failures == nil {
		failures = []uuid.UUID{}
	}
	return pg.InTx(ctx, s.db, as(id, w), func(t *pg.Tx) (marked []Failure, err error) {
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlWebhookRedeliver, t.Args(pgx.NamedArgs{"webhook": webhook, "failures": failures})), &marked, scanFailure)
		if err := t.Finish(ctx, b); err != nil {
			return nil, err
		}
		if len(marked) < len(failures) {
			return nil, fmt.Errorf("failure: %w", pg.ErrNotFound)
		}
		return marked, nil
	})
}

// Delivery is an endpoint with what a delivery to it needs.
type Delivery struct {
	Webhook

	// Sees reads what the endpoint gets.
	Sees memory.Identity
	// Secrets sign what is sent: the current one, and during a rotation the one before.
	Secrets [][]byte
	// Waiting are events that are to be delivered again, the oldest first.
	Waiting []Failure
}

// redeliveries bounds the events that are delivered again in one delivery.
const redeliveries = 20

// OpenWebhook returns an endpoint to deliver to. It needs an admin that reads every owner, as workflows are. It pauses an endpoint
// whose key has ended and returns *ConflictError with CodeKeyEnded.
func (s *Notifying) OpenWebhook(ctx context.Context, id memory.Identity, webhook uuid.UUID) (d Delivery, err error) {
	if err := pg.RequireTender(id); err != nil {
		return d, err
	}
	if d.Webhook, err = s.Webhook(ctx, id, webhook); err != nil {
		return d, err
	}
	own := as(id, d.Webhook)
	if d.Sees, err = s.reach(ctx, id, d.Webhook); err != nil {
		if ended, is := errors.AsType[*pg.ConflictError](err); is && ended.Code == pg.CodeKeyEnded && d.State == Active {
			_, failed := s.MoveWebhook(ctx, id, d.Webhook, WebhookMove{To: d.Cursor, Pause: PausedKeyEnded})
			return d, cmp.Or(failed, err)
		}
		return d, err
	}
	if d.Program == "" {
		if d.Secrets, err = s.secrets(ctx, own, webhook); err != nil {
			return d, err
		}
	}
	d.Waiting, err = pg.ReadAll(ctx, s.db, own, sqlWebhookWaiting, pgx.NamedArgs{"webhook": webhook, "limit": redeliveries}, scanFailure)
	return d, err
}

func (s *Notifying) secrets(ctx context.Context, id memory.Identity, webhook uuid.UUID) ([][]byte, error) {
	now := s.db.Now()
	sealed, err := delivering(ctx, s.db, id, pg.SQLBeginRead, sqlWebhookSecrets, pgx.NamedArgs{"webhook": webhook},
		func(row pgx.CollectableRow) (valid [][]byte, err error) {
			var secret, previous []byte
			var until *time.Time
			if err := row.Scan(&secret, &previous, &until); err != nil {
				return nil, err
			}
			valid = [][]byte{secret}
			if until != nil && now.Before(*until) {
				valid = append(valid, previous)
			}
			return valid, nil
		})
	if err != nil {
		return nil, err
	}
	secrets := make([][]byte, len(sealed))
	for i, text := range sealed {
		if secrets[i], err = s.db.Open(text); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// WebhookMove is the outcome of an attempt at an event, or skips events that an endpoint does not get.
type WebhookMove struct {
	To        gate.JournalCursor // the next event is after it
	Attempted bool               // the event at To was sent
	Delivered bool
	Status    int    // of HTTP; 0: there was no answer
	Reason    string // why it was not delivered
	Next      time.Time
	Attempts  int    // at the event after To
	Fail      string // kind of the event at To, which is given up; empty: it is not
	Tried     int    // attempts at the event that is given up
	Pause     string // why the endpoint is paused; empty: it is not
}

// MoveWebhook records the progress of a delivery, unless another one has gone on from the same place, or somebody has paused the
// endpoint: then it returns ErrNotFound. The identity is that of OpenWebhook.
func (s *Notifying) MoveWebhook(ctx context.Context, id memory.Identity, w Webhook, m WebhookMove) (Webhook, error) {
	if err := pg.RequireTender(id); err != nil {
		return w, err
	}
	return pg.InTx(ctx, s.db, as(id, w), func(t *pg.Tx) (next Webhook, err error) {
		failing := w.FailingSince
		switch {
		case m.Delivered:
			failing = nil
		case m.Attempted && failing == nil:
			failing = &t.Now
		}
		state, delivered := Active, 0
		if m.Pause != "" {
			state = Paused
		}
		if m.Delivered {
			delivered = 1
		}
		args := t.Args(pgx.NamedArgs{
			"webhook": w.ID, "from_transaction": w.Cursor.Transaction, "from_event": w.Cursor.Event, "to_transaction": m.To.Transaction,
			"to_event": m.To.Event, "delivered": delivered, "attempts": m.Attempts, "attempted": m.Attempted, "status": m.Status,
			"reason": m.Reason, "failing": failing, "next": pg.TimeOrNull(m.Next), "state": state, "why": m.Pause,
			"failure": pg.NewID(), "kind": m.Fail, "tried": m.Tried,
		})
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlWebhookMove, args), &found, &next, scan)
		if m.Fail == "" {
			err = t.Finish(ctx, b)
		} else {
			err = t.Send(ctx, b)
		}
		switch {
		case err != nil:
			return next, err
		case !found:
			return next, errMissing
		case m.Fail == "":
			return next, nil
		}
		b = &pgx.Batch{}
		b.Queue(sqlWebhookFail, args)
		return next, t.Finish(ctx, b)
	})
}

// EndRedelivery records that an event was delivered again, or was not. It returns ErrNotFound when it has left the list since then. The
// identity is that of OpenWebhook.
func (s *Notifying) EndRedelivery(
	ctx context.Context, id memory.Identity, w Webhook, f Failure, delivered bool, status int, reason string,
) error {
	if err := pg.RequireTender(id); err != nil {
		return err
	}
	sql := sqlWebhookRefusedAgain
	if delivered {
		sql = sqlWebhookRedelivered
	}
	_, err := changed(ctx, s.db, as(id, w), sql, pgx.NamedArgs{
		"webhook": w.ID, "failure": f.ID, "status": status, "reason": reason,
	}, pgx.RowTo[uuid.UUID])
	return err
}

// DueWebhook refers to an endpoint with something to deliver.
type DueWebhook struct {
	Workspace, Agent string
	ID               uuid.UUID
	Program          string
}

// DueWebhooks lists endpoints of all workspaces after one, by id, for which there may be an event. It takes no identity because the sweep
// works for the deployment.
func (s *Notifying) DueWebhooks(ctx context.Context, after uuid.UUID, limit int) ([]DueWebhook, error) {
	return pg.SweepAll(ctx, s.db, sqlWebhooksDue, pgx.NamedArgs{"after": after, "now": s.db.Now(), "limit": pg.LimitOf(limit)},
		pgx.RowToStructByPos[DueWebhook])
}
