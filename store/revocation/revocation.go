// Package revocation removes what was learned from a source: a conversation, an import, a business process or a key in a period.
package revocation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// Revoking removes what was learned from sources.
type Revoking struct {
	db    *pg.DB
	dream *dreams.Dreaming
}

// New returns the revocations of a database.
func New(db *pg.DB, dream *dreams.Dreaming) *Revoking { return &Revoking{db, dream} }

// Kind is a kind of source.
type Kind string

// Kinds of sources.
const (
	Conversation Kind = "conversation" // the client's id
	Import       Kind = "import"       // id of an import of another system or of an archive
	Connector    Kind = "connector"    // request or workflow id of writes of business processes; ending in *: all that begin with it
	Key          Kind = "key"          // id of an API key, in a period
)

// State is the progress of a revocation.
type State string

// States of a revocation.
const (
	Waiting   State = "waiting"
	Done      State = "done"
	Cancelled State = "cancelled" // its key was revoked before
)

// Source names where statements came from.
type Source struct {
	Kind         Kind
	ID           string
	Since, Until time.Time // of a connector or a key, from Since to before Until; zero: unbounded
}

// MaxSource is the longest id of a source, in bytes.
const MaxSource = 400

func (s Source) validate() error {
	invalid := func(field, problem string) error { return &pg.InvalidError{Field: field, Problem: problem} }
	if err := memory.ValidText("source", s.ID, MaxSource); err != nil {
		return err
	}
	switch s.Kind {
	case Conversation, Import, Connector, Key:
	default:
		return invalid("kind", "give conversation, import, connector or key")
	}
	_, err := uuid.Parse(s.ID)
	switch {
	case s.ID == "" || s.ID == "*":
		return invalid("source", "name the source")
	case err != nil && (s.Kind == Import || s.Kind == Key):
		return invalid("source", "give the id of the "+string(s.Kind))
	case (s.Kind == Conversation || s.Kind == Import) && !(s.Since.IsZero() && s.Until.IsZero()):
		return invalid("since", "only connectors and keys have a period")
	case !s.Since.IsZero() && !s.Until.IsZero() && !s.Since.Before(s.Until):
		return invalid("until", "must be after since")
	}
	return nil
}

// Part is a revocation of one owner, and its receipt.
type Part struct {
	ID    uuid.UUID
	Owner memory.Owner // SystemOwner for shared memory
	Source
	ByOwner     bool   // requested with a key that is pinned to the owner
	Author      string // the key
	State       State
	Statements  int // that were removed
	Documents   int // that changed
	Kept        int // statements that stay, because they have another source
	Dreams      int // that were undone, to be dreamed again
	RequestedAt time.Time
	FinishedAt  *time.Time
}

const (
	columns = `revocation_id, owner_key, kind, source, since, until, by_owner, author_id, state, statements, documents, kept, dreams,
    requested_at, finished_at`

	sqlRevocationInsert = `
insert into revocations (workspace_id, agent_id, revocation_id, owner_key, kind, source, since, until, by_owner, author_id, state,
    requested_at)
select @workspace, @agent, @revocation, o, @kind, @source, @since, @until, @by_owner, @author, 'waiting', @now
from unnest(@owners::text[]) o`

	sqlRevocation = `
select ` + columns + `
from revocations
where workspace_id = @workspace and agent_id = @agent and revocation_id = @revocation
order by owner_key collate "C"`

	// Each with all of its owners that the identity sees.
	sqlRevocations = `
select ` + columns + `
from revocations
where workspace_id = @workspace and agent_id = @agent and (owner_key = @owner or @any) and revocation_id in (
    select distinct revocation_id
    from revocations
    where workspace_id = @workspace and agent_id = @agent and (owner_key = @owner or @any) and revocation_id < @before
    order by revocation_id desc
    limit @limit)
order by revocation_id desc, owner_key collate "C"`

	sqlRevocationsDue = `
update revocations r set leased_until = @until
where (r.workspace_id, r.agent_id, r.revocation_id, r.owner_key) in (
    select workspace_id, agent_id, revocation_id, owner_key
    from revocations
    where state = 'waiting' and greatest(requested_at, leased_until) < @before
    order by greatest(requested_at, leased_until)
    limit @limit
    for no key update skip locked)
returning r.workspace_id, r.agent_id, r.revocation_id`

	// A key that was revoked in the meantime has no say any more, unless it was rotated.
	sqlRequesterRevoked = `
select true
from api_keys
where workspace_id = @workspace and key_id::text = @author and revoked_at is not null and replaced_by is null`

	sqlRevocationCancel = `
update revocations set state = 'cancelled', finished_at = @now
where workspace_id = @workspace and agent_id = @agent and revocation_id = @revocation and owner_key = @owner and state = 'waiting'`
)

func scan(row pgx.CollectableRow) (p Part, err error) {
	var since, until *time.Time
	err = row.Scan(&p.ID, &p.Owner, &p.Kind, &p.Source.ID, &since, &until, &p.ByOwner, &p.Author, &p.State, &p.Statements, &p.Documents,
		&p.Kept, &p.Dreams, &p.RequestedAt, &p.FinishedAt)
	p.Since, p.Until = pg.TimeOf(since), pg.TimeOf(until)
	return p, err
}

// allowed refuses callers who may not revoke a source: a key that is pinned to an owner revokes for that owner only, an admin for all.
// It returns the identity that sees all of it.
func allowed(id memory.Identity) (memory.Identity, error) {
	if err := pg.RequireAgentWrite(id); err != nil {
		return id, err
	}
	if id.Pinned {
		id.AnyOwner = false
		return id, pg.RequireOwner(id)
	}
	if err := pg.RequireAdmin(id); err != nil {
		return id, fmt.Errorf("%w, or a key that is pinned to the owner", err)
	}
	id.AnyOwner = true
	return id, nil
}

// owned returns the identity that revokes a source for one owner.
func owned(id memory.Identity, p Part) memory.Identity {
	id = id.For(id.Agent, p.Owner)
	id.Author = memory.Author{Kind: memory.AuthorUser, ID: p.Author}
	return id
}

// RequestRevocation records a revocation of all that rests only on a source, of the identity's owner or, for an admin that names nobody, of
// everybody. It returns ErrNotFound for a source that has taught nobody, *ConflictError with CodeNotEnded for an import that runs, and
// ErrForbidden for an identity that may not revoke it. A person does not revoke what others have staged.
func (s *Revoking) RequestRevocation(ctx context.Context, id memory.Identity, of Source) ([]Part, error) {
	id, err := allowed(id)
	if err != nil {
		return nil, err
	}
	o, err := s.origin(ctx, id, asked(id, of))
	if err != nil {
		return nil, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (parts []Part, err error) {
		b := &pgx.Batch{}
		args := t.Args(pgx.NamedArgs{
			"revocation": pg.NewID(), "owners": pg.TextsOf(o.owners), "kind": of.Kind, "source": of.ID, "since": pg.TimeOrNull(of.Since),
			"until": pg.TimeOrNull(of.Until), "by_owner": id.Pinned, "author": id.Author.ID,
		})
		b.Queue(sqlRevocationInsert, args)
		pg.All(b.Queue(sqlRevocation, args), &parts, scan)
		return parts, t.Finish(ctx, b)
	})
}

// asked is a source as an identity names it.
func asked(id memory.Identity, of Source) Part {
	return Part{Owner: id.Owner, Source: of, ByOwner: id.Pinned, Author: id.Author.ID}
}

// Preview lists the statements of one owner that a revocation would remove.
type Preview struct {
	Owner memory.Owner
	dreams.Revoked
}

// PreviewOwners is the number of owners in one preview.
const PreviewOwners = 20

// PreviewRevocation returns what RequestRevocation would remove, for up to PreviewOwners owners after one, and whether there are more.
// again says whether the dreams based on it are repeated. It changes nothing.
func (s *Revoking) PreviewRevocation(
	ctx context.Context, id memory.Identity, of Source, after memory.Owner, again func(memory.Owner) bool,
) (found []Preview, more bool, err error) {
	id, err = allowed(id)
	if err != nil {
		return nil, false, err
	}
	o, err := s.origin(ctx, id, asked(id, of))
	if err != nil {
		return nil, false, err
	}
	for _, owner := range o.owners { // sorted
		switch {
		case owner <= after:
			continue
		case len(found) == PreviewOwners:
			return found, true, nil
		}
		r, err := s.dream.Revoke(ctx, owned(id, Part{Owner: owner, Author: id.Author.ID}), dreams.RevokeRequest{
			Origin: o.Origin, Again: again(owner), Preview: true,
		})
		if err != nil {
			return nil, false, err
		}
		found = append(found, Preview{owner, r})
	}
	return found, false, nil
}

// RevokePart removes what was learned from a source for one owner, in one transaction, once, on behalf of the requester. The identity reads
// every owner. A revocation whose key was revoked before is cancelled. again says that dreams that rested on it are dreamed again.
func (s *Revoking) RevokePart(ctx context.Context, id memory.Identity, p Part, again bool) (dreams.Revoked, error) {
	if err := pg.RequireTender(id); err != nil {
		return dreams.Revoked{}, err
	}
	find := func() (origin, error) {
		o, err := s.origin(ctx, id.For(id.Agent, memory.NoOwner), p)
		if errors.Is(err, pg.ErrNotFound) { // it may have been removed
			err = nil
		}
		return o, err
	}
	o, err := find()
	if err != nil {
		return dreams.Revoked{}, err
	}
	who := owned(id, p)
	who.AnyOwner = false
	cancelled, err := pg.InTx(ctx, s.db, who, func(t *pg.Tx) (bool, error) {
		revoked := false
		args := t.Args(pgx.NamedArgs{
			"author": p.Author, "revocation": p.ID, "staged": o.staged, "whose": gate.RowOwner(who, dreams.DreamScope(p.Owner)),
		})
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlRequesterRevoked, args), &revoked, &revoked)
		if err := t.Send(ctx, b); err != nil {
			return false, err
		}
		b = &pgx.Batch{}
		if revoked {
			b.Queue(sqlRevocationCancel, args)
		} else {
			b.Queue(sqlStagedRefused, args)
		}
		return revoked, t.Finish(ctx, b)
	})
	if err != nil || cancelled {
		return dreams.Revoked{}, err
	}
	if len(o.staged) > 0 { // some of them may have been written concurrently
		if o, err = find(); err != nil {
			return dreams.Revoked{}, err
		}
	}
	return s.dream.Revoke(ctx, who, dreams.RevokeRequest{Origin: o.Origin, Revocation: p.ID, Again: again})
}

// Revocation returns a revocation, by owner, or ErrNotFound.
func (s *Revoking) Revocation(ctx context.Context, id memory.Identity, revocation uuid.UUID) ([]Part, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	parts, err := pg.ReadAll(ctx, s.db, id, sqlRevocation, pgx.NamedArgs{"revocation": revocation}, scan)
	if err == nil && len(parts) == 0 {
		err = fmt.Errorf("revocation: %w", pg.ErrNotFound)
	}
	return parts, err
}

// Revocations lists revocations of the identity's owner, with AnyOwner of all, the latest first: the parts of each, one after the other.
func (s *Revoking) Revocations(ctx context.Context, id memory.Identity, p pg.Page) (pg.Listed[[]Part], error) {
	if err := pg.RequireAgent(id); err != nil {
		return pg.Listed[[]Part]{}, err
	}
	from, err := pg.ParseCursor(p.Cursor)
	if err != nil {
		return pg.Listed[[]Part]{}, err
	}
	limit := pg.LimitOf(p.Limit)
	parts, err := pg.ReadAll(ctx, s.db, id, sqlRevocations, pgx.NamedArgs{
		"before": from.ID, "any": id.AnyOwner && id.Owner == memory.NoOwner, "limit": limit + 1,
	}, scan)
	var all [][]Part
	for _, x := range parts {
		if n := len(all); n == 0 || all[n-1][0].ID != x.ID {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], x)
	}
	return pg.NewListed(all, limit, func(x []Part) pg.Cursor { return pg.Cursor{At: x[0].RequestedAt, ID: x[0].ID} }), err
}

// Due refers to a revocation that has not ended.
type Due struct {
	indexes.AgentRef

	ID uuid.UUID
}

// DueRevocations takes revocations of all workspaces that have not ended. It takes no identity because the sweep works for the deployment.
func (s *Revoking) DueRevocations(ctx context.Context, l pg.Lease) ([]Due, error) {
	return pg.LeaseAll(ctx, s.db, l, pgx.RowToStructByPos[Due], sqlRevocationsDue)
}
