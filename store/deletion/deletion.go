// Package deletion deletes conversations, owners and agents, with everything that is stored of them.
package deletion

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// Deleting deletes conversations, owners and agents.
type Deleting struct{ db *pg.DB }

// New returns the deletions of a database.
func New(db *pg.DB) *Deleting { return &Deleting{db} }

// Kind is a kind of target.
type Kind string

// Kinds of targets.
const (
	Conversation Kind = "conversation"
	Owner        Kind = "owner"
	Agent        Kind = "agent"
)

// State is the progress of a deletion.
type State string

// States of a deletion.
const (
	Waiting   State = "waiting"  // until Due; it can be cancelled
	Started   State = "deleting" // nothing is written about the target any more
	Done      State = "done"
	Cancelled State = "cancelled"
)

// Target names what is deleted: a conversation of the identity's owner, that owner, or the identity's agent.
type Target struct {
	Kind         Kind
	Conversation string        // the client's id
	Keeps        bool          // what was learned from the conversation stays
	Grace        time.Duration // until it starts
}

// Deletion is a request to delete, and its receipt.
type Deletion struct {
	ID           uuid.UUID
	Kind         Kind
	Owner        memory.Owner // empty for an agent; a hash once an owner is deleted
	OwnerID      uuid.UUID    // opaque
	Conversation string       // empty once it is deleted
	UID          uuid.UUID    // of the conversation
	Keeps        bool
	ByOwner      bool   // requested with a key that is pinned to the owner
	Author       string // the key
	State        State
	Counts       map[string]int64 // rows by table: deleted so far, of a preview those that there are
	Revoked      int              // statements that were learned from the conversation only
	Histories    int              // of workflows
	Tables       int              // scanned at the end, without a row
	// Outside are the programs that have something of the target, with the outcome for each.
	Outside     []Outside
	RequestedAt time.Time
	Due         time.Time
	StartedAt   *time.Time
	FinishedAt  *time.Time
}

// NotReached lists what the deletion leaves.
func (d Deletion) NotReached() []string {
	left := []string{
		"backups and replicas of the database, of Temporal and of their disks: they keep it until they expire",
		"the history of the deletion's workflow, which has opaque ids only, until Temporal's retention ends",
		"archives and exports that were taken, folders in sync, and what other programs and models have read",
		"logs and traces, which have ids and no words",
	}
	switch d.Kind {
	case Conversation:
		left = append(left, "shared documents (TEAM), from any source: forget statements there",
			"histories of the owner's Inbox and dreams, which have opaque ids only",
			"the conversation's id, without words, in records of dreams, versions and imports",
			"hashes of words in segments of the index, until these are merged")
	case Owner:
		left = append(left, "shared documents (TEAM), from any source: forget statements there",
			"API keys that are pinned to the owner: revoke them")
	case Agent:
		left = append(left,
			"GLOBAL documents, entries of the audit log without persons and targets, and what the agent has cost, in the workspace's budget")
	}
	for _, o := range d.Outside {
		if !o.Deleted {
			left = append(left, "what the program "+o.Place+" has: "+o.Reason)
		}
	}
	return left
}

// Outside is a program that has something of a deletion's target.
type Outside struct {
	Place   string `json:"place"` // the id of a provider
	Deleted bool   `json:"deleted"`
	Reason  string `json:"reason,omitempty"` // why not
}

const (
	columns = `deletion_id, kind, owner_key, owner_id, conversation_id, conversation_uid, keeps, by_owner, author_id, state, counts, revoked,
    histories, tables, outside, requested_at, due_at, started_at, finished_at`

	sqlTargetOwner = `
select owner_id
from owners
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

	sqlTargetConversation = `
select conversation_uid
from conversations
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and conversation_id = @conversation`

	sqlTargetAgent = `
select true
from agents
where workspace_id = @workspace and agent_id = @agent`

	sqlTargetLeads = `
select true
from agents
where workspace_id = @workspace and settings ->> 'leader' = @agent
limit 1`

	sqlDeletionInsert = `
insert into deletions (workspace_id, agent_id, deletion_id, kind, owner_key, owner_id, conversation_id, conversation_uid, keeps, by_owner,
    author_id, state, requested_at, due_at)
values (@workspace, @agent, @deletion, @kind, @target_owner, @owner_id, @conversation, @uid, @keeps, @by_owner,
    @author, 'waiting', @now, @due)
on conflict do nothing`

	sqlDeletionOpen = `
select ` + columns + `
from deletions
where workspace_id = @workspace and agent_id = @agent and kind = @kind and owner_key = @target_owner
    and conversation_uid = @uid and state in ('waiting', 'deleting')`

	sqlDeletionCount = `select counts from reverie_deletion_count(@deletion)`

	sqlDeletionByID = `
select ` + columns + `
from deletions
where workspace_id = @workspace and agent_id = @agent and deletion_id = @deletion`

	sqlDeletions = `
select ` + columns + `
from deletions
where workspace_id = @workspace and agent_id = @agent and (kind <> 'agent' or @admin)
    and deletion_id < @uid
order by deletion_id desc
limit @limit`

	sqlDeletionCancel = `
update deletions set state = 'cancelled', finished_at = @now
where workspace_id = @workspace and agent_id = @agent and deletion_id = @deletion and state = 'waiting'
returning ` + columns

	sqlDeletionsDue = `
update deletions d set leased_until = @until
where (d.workspace_id, d.agent_id, d.deletion_id) in (
    select workspace_id, agent_id, deletion_id
    from deletions
    where state in ('waiting', 'deleting') and greatest(requested_at, leased_until) < @before
    order by greatest(requested_at, leased_until)
    limit @limit
    for no key update skip locked)
returning d.workspace_id, d.agent_id, d.deletion_id, d.kind, d.due_at`
)

func scan(row pgx.CollectableRow) (d Deletion, err error) {
	var owner uuid.NullUUID
	err = row.Scan(&d.ID, &d.Kind, &d.Owner, &owner, &d.Conversation, &d.UID, &d.Keeps, &d.ByOwner, &d.Author, &d.State, &d.Counts, &d.Revoked,
		&d.Histories, &d.Tables, &d.Outside, &d.RequestedAt, &d.Due, &d.StartedAt, &d.FinishedAt)
	d.OwnerID = owner.UUID
	return d, err
}

// allowed refuses who may not delete a target: a key that is pinned to an owner deletes that owner and their conversations, an admin
// everything of the agents that it may use.
func allowed(id memory.Identity, kind Kind) error {
	if err := pg.RequireAgentWrite(id); err != nil {
		return err
	}
	switch kind {
	case Conversation, Owner:
		if err := pg.RequireOwner(id); err != nil {
			return err
		}
		if id.Pinned {
			return nil
		}
	case Agent:
	default:
		return &pg.InvalidError{Field: "kind", Problem: "give conversation, owner or agent"}
	}
	if err := pg.RequireAdmin(id); err != nil {
		return fmt.Errorf("%w, or for conversations and owners a key that is pinned to the owner", err)
	}
	return nil
}

// RequestDeletion records a deletion that starts after the target's grace period. One of the same target that is open already is
// returned as it is. It returns ErrNotFound when there is no such target, ErrForbidden for an identity that may not delete it, and *ConflictError with
// CodeLeads for an agent that leads others.
func (s *Deleting) RequestDeletion(ctx context.Context, id memory.Identity, of Target) (Deletion, error) {
	return s.request(ctx, id, of, func(t *pg.Tx, args pgx.NamedArgs) (d Deletion, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlDeletionOpen, args), &found, &d, scan)
		return d, t.Finish(ctx, b)
	})
}

// PreviewDeletion counts what a deletion would delete, by table, and changes nothing.
func (s *Deleting) PreviewDeletion(ctx context.Context, id memory.Identity, of Target) (Deletion, error) {
	d, err := s.request(ctx, id, of, func(t *pg.Tx, args pgx.NamedArgs) (d Deletion, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlDeletionOpen, args), &found, &d, scan)
		if err := t.Send(ctx, b); err != nil {
			return d, err
		}
		b = &pgx.Batch{}
		b.Queue(sqlDeletionCount, pgx.NamedArgs{"deletion": d.ID}).QueryRow(func(row pgx.Row) error { return row.Scan(&d.Counts) })
		if err := t.Send(ctx, b); err != nil {
			return d, err
		}
		return d, &previewed{d}
	})
	if p, is := err.(*previewed); is { //nolint:errorlint // the transaction returns it as it is
		return p.Deletion, nil
	}
	return d, err
}

// previewed rolls a transaction back, with its result.
type previewed struct{ Deletion }

func (*previewed) Error() string { return "previewed" }

func (s *Deleting) request(
	ctx context.Context, id memory.Identity, of Target, then func(*pg.Tx, pgx.NamedArgs) (Deletion, error),
) (Deletion, error) {
	if err := allowed(id, of.Kind); err != nil {
		return Deletion{}, err
	}
	if of.Kind != Conversation {
		of.Conversation, of.Keeps = "", false
	}
	id.AnyOwner = false
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Deletion, error) {
		t.Deletes = true
		target := t.ID.Owner
		if of.Kind == Agent {
			target = memory.NoOwner
		}
		args := t.Args(pgx.NamedArgs{
			"deletion": pg.NewID(), "kind": of.Kind, "target_owner": target, "conversation": of.Conversation, "keeps": of.Keeps,
			"by_owner": id.Pinned, "author": id.Author.ID, "due": t.Now.Add(of.Grace),
		})
		var ownerID, uid uuid.UUID
		var known, hasConversation, exists, leads bool
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlTargetOwner, args), &known, &ownerID)
		pg.Columns(b.Queue(sqlTargetConversation, args), &hasConversation, &uid)
		pg.Columns(b.Queue(sqlTargetAgent, args), &exists, &exists)
		pg.Columns(b.Queue(sqlTargetLeads, args), &leads, &leads)
		if err := t.Send(ctx, b); err != nil {
			return Deletion{}, err
		}
		switch {
		case of.Kind == Agent && !exists, of.Kind == Owner && !known, of.Kind == Conversation && !hasConversation:
			return Deletion{}, fmt.Errorf("%s: %w", of.Kind, pg.ErrNotFound)
		case of.Kind == Agent && leads:
			return Deletion{}, &pg.ConflictError{
				Code:    pg.CodeLeads,
				Message: "other agents have this one as their leader: change their settings first",
			}
		case of.Kind == Agent:
			ownerID, uid = uuid.Nil, uuid.Nil
		case of.Kind == Owner:
			uid = uuid.Nil
		}
		args["owner_id"], args["uid"] = pg.IDOrNull(ownerID), uid
		t.Queued.Queue(sqlDeletionInsert, args)
		return then(t, args)
	})
}

// Deletion returns a deletion. Those of agents are for admins.
func (s *Deleting) Deletion(ctx context.Context, id memory.Identity, deletion uuid.UUID) (Deletion, error) {
	missing := fmt.Errorf("deletion: %w", pg.ErrNotFound)
	d, err := pg.ReadOne(ctx, s.db, id, sqlDeletionByID, pgx.NamedArgs{"deletion": deletion}, scan, missing)
	if err == nil && d.Kind == Agent && pg.RequireAdmin(id) != nil {
		return Deletion{}, missing
	}
	return d, err
}

// Deletions lists the deletions that concern the identity's owner, with AnyOwner all of the agent, the latest first. Those of
// agents are for admins.
func (s *Deleting) Deletions(ctx context.Context, id memory.Identity, p pg.Page) (pg.Listed[Deletion], error) {
	isAdmin := pg.RequireAdmin(id) == nil
	return pg.ReadPage(ctx, s.db, id, p, func(_ *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlDeletions, pgx.NamedArgs{"uid": from.ID, "admin": isAdmin}
	}, scan, func(d Deletion) pg.Cursor { return pg.Cursor{At: d.RequestedAt, ID: d.ID} })
}

// CancelDeletion cancels a deletion that has not started. A person cancels what was requested with one of their keys, an admin everything.
// It returns *ConflictError with CodeDeletionStarted for one that has started or ended; one that was cancelled before is returned.
func (s *Deleting) CancelDeletion(ctx context.Context, id memory.Identity, deletion uuid.UUID) (Deletion, error) {
	d, err := s.Deletion(ctx, id, deletion)
	if err != nil {
		return d, err
	}
	if !(id.Pinned && d.ByOwner && pg.RequireOwnerWrite(id) == nil) {
		if err := pg.RequireAdmin(id); err != nil {
			return Deletion{}, fmt.Errorf("%w, or the key of the person who requested it", err)
		}
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Deletion, error) {
		t.Deletes = true
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlDeletionCancel, t.Args(pgx.NamedArgs{"deletion": deletion})), &found, &d, scan)
		if err := t.Finish(ctx, b); err != nil {
			return d, err
		}
		if found || d.State == Cancelled {
			return d, nil
		}
		return Deletion{}, &pg.ConflictError{Code: pg.CodeDeletionStarted, Message: "the deletion has started: it cannot be cancelled any more"}
	})
}

// Due refers to a deletion that has not ended.
type Due struct {
	indexes.AgentRef

	ID   uuid.UUID
	Kind Kind
	Due  time.Time
}

// DueDeletions takes deletions of all workspaces that have not ended. It takes no identity because the sweep works for the deployment.
func (s *Deleting) DueDeletions(ctx context.Context, l pg.Lease) ([]Due, error) {
	return pg.LeaseAll(ctx, s.db, l, pgx.RowToStructByPos[Due], sqlDeletionsDue)
}
