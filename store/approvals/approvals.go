// Package approvals lists changes that wait for a person, and applies what people decide about them, line by line.
package approvals

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// Approving keeps changes that wait for a person.
type Approving struct{ db *pg.DB }

// New returns the approvals of a database.
func New(db *pg.DB) *Approving { return &Approving{db} }

// Approval is an automatic change of one document that waits for a person, or did.
type Approval struct {
	ID      uuid.UUID
	Ref     memory.Ref
	Owner   memory.Owner // of the document; empty unless PERSONAL
	Base    int          // version that the lines were compared with
	Lines   []gate.ApprovalLine
	Waiting int    // lines that are not decided
	Reason  string // of the change
	Sources memory.Sources
	Author  memory.Author // of the proposal
	// StagedBy is the key whose request proposed it; empty: none did. A pinned key does not approve what it has proposed.
	StagedBy   string
	Expiry     setting.ApprovalExpiry
	Reminders  int
	CreatedAt  time.Time
	ExpiresAt  time.Time
	FinishedAt *time.Time
	Expired    bool // nobody decided about all lines in time
}

// Numbers of lines by what was decided.
func (a Approval) count(d gate.Decision) (n int) {
	for _, line := range a.Lines {
		if !line.IsFrame() && line.Decision == d {
			n++
		}
	}
	return n
}

// HeadingsOf returns the new headings that come with a line, in one text: they are written with the first line under them that is approved.
func (a Approval) HeadingsOf(line int) string {
	var headings []string
	for _, l := range a.Lines {
		if slices.Contains(l.With, line) && slices.ContainsFunc(l.Added, markdown.HasText) {
			headings = append(headings, l.Added...)
		}
	}
	return strings.Join(headings, "\n")
}

// Made reports whether the document existed before, or does since a line was approved.
func (a Approval) Made() bool { return a.Base > 0 || a.count(gate.Approve)+a.count(gate.EditLine) > 0 }

// Detail returns the numbers of lines.
func (a Approval) Detail() gate.ApprovalDetail {
	return gate.ApprovalDetail{
		Approval: a.ID, Waiting: a.Waiting, Approved: a.count(gate.Approve), Edited: a.count(gate.EditLine), Refused: a.count(gate.Refuse),
	}
}

const (
	columns = `approval_id, scope, owner_key, path, base_version, lines, waiting, reason, sources, author_kind, author_id, workflow_id, run_id,
    staged_by, expiry, reminders, created_at, expires_at, finished_at, expired`

	sqlApprovalByID = `
select ` + columns + `
from approvals
where workspace_id = @workspace and agent_id = @agent and approval_id = @approval`

	sqlApprovalLock = sqlApprovalByID + `
for no key update`

	sqlApprovals = `
select ` + columns + `
from approvals
where workspace_id = @workspace and agent_id = @agent and approval_id < @before
    and (@every or owner_key = @whose)
    and (not @open or finished_at is null)
order by approval_id desc
limit @limit`

	sqlApprovalsWaiting = `
select coalesce(sum(waiting), 0)::int
from approvals
where workspace_id = @workspace and agent_id = @agent and finished_at is null
    and (@every or owner_key = @whose)`

	sqlApprovalDecided = `
update approvals set
    lines = @lines,
    waiting = @waiting,
    expired = @expired,
    finished_at = case when @waiting = 0 then @now::timestamptz end
where workspace_id = @workspace and agent_id = @agent and approval_id = @approval`

	sqlApprovalReminded = `
update approvals set reminders = reminders + 1
where workspace_id = @workspace and agent_id = @agent and approval_id = @approval and finished_at is null and reminders = @reminders`

	sqlApprovalsDue = `
update approvals a set leased_until = @until
where (a.workspace_id, a.agent_id, a.approval_id) in (
    select workspace_id, agent_id, approval_id
    from approvals
    where finished_at is null and greatest(created_at, leased_until) < @before
    order by greatest(created_at, leased_until)
    limit @limit
    for no key update skip locked)
returning a.workspace_id, a.agent_id, a.approval_id`

	sqlApprovalBase = `
select v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id)
where d.workspace_id = @workspace and d.agent_id = @row_agent and d.scope = @scope and d.owner_key = @whose and d.path = @path
    and v.version = @base`

	// The gate locks it again; so nobody changes it between the merge and the write.
	sqlApprovalDocument = `
select version, deleted
from documents
where workspace_id = @workspace and agent_id = @row_agent and scope = @scope and owner_key = @whose and path = @path
for no key update`

	sqlApprovalText = `
select v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.workspace_id = @workspace and d.agent_id = @row_agent and d.scope = @scope and d.owner_key = @whose and d.path = @path`

	sqlApprovalOwner = `
select owner_id
from owners
where workspace_id = @workspace and agent_id = @agent and owner_key = @whose`
)

func scan(row pgx.CollectableRow) (a Approval, err error) {
	var sources json.RawMessage
	err = row.Scan(&a.ID, &a.Ref.Scope, &a.Owner, &a.Ref.Path, &a.Base, &a.Lines, &a.Waiting, &a.Reason, &sources,
		&a.Author.Kind, &a.Author.ID, &a.Author.WorkflowID, &a.Author.RunID, &a.StagedBy, &a.Expiry, &a.Reminders,
		&a.CreatedAt, &a.ExpiresAt, &a.FinishedAt, &a.Expired)
	if err == nil {
		err = json.Unmarshal(sources, &a.Sources)
	}
	return a, err
}

func missing(id uuid.UUID) error { return fmt.Errorf("approval %s: %w", id, pg.ErrNotFound) }

// MayApprove refuses who may not decide: about the documents of a person, all but admins and keys that are pinned to that person; about
// shared documents, all but admins.
func MayApprove(id memory.Identity) error {
	if err := pg.RequireAgentWrite(id); err != nil {
		return err
	}
	if id.Pinned && id.Owner != memory.NoOwner {
		return nil
	}
	if err := pg.RequireAdmin(id); err != nil {
		return fmt.Errorf("%w, or for a person's documents a key that is pinned to that person", err)
	}
	return nil
}

// of returns the arguments that select the proposals of an identity. What waits for the shared memory is the system's.
func of(id memory.Identity) pgx.NamedArgs {
	whose := id.Owner
	if whose == memory.SystemOwner {
		whose = memory.NoOwner
	}
	return pgx.NamedArgs{"every": id.AnyOwner && id.Owner == memory.NoOwner, "whose": whose}
}

// Approval returns a proposal. What concerns documents that the identity may not decide about looks as if it did not exist.
func (s *Approving) Approval(ctx context.Context, id memory.Identity, approval uuid.UUID) (Approval, error) {
	if err := MayApprove(id); err != nil {
		return Approval{}, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlApprovalByID, pgx.NamedArgs{"approval": approval}, scan, missing(approval))
}

// Filter selects proposals.
type Filter struct {
	Open bool // only those with lines that wait
	pg.Page
}

// Approvals lists proposals about documents of the identity's owner, without an owner those about shared documents, and with AnyOwner all of
// the agent, the latest first.
func (s *Approving) Approvals(ctx context.Context, id memory.Identity, f Filter) (pg.Listed[Approval], error) {
	if err := MayApprove(id); err != nil {
		return pg.Listed[Approval]{}, err
	}
	return pg.ReadPage(ctx, s.db, id, f.Page, func(_ *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		args := of(id)
		args["before"], args["open"] = from.ID, f.Open
		return sqlApprovals, args
	}, scan, func(a Approval) pg.Cursor { return pg.Cursor{At: a.CreatedAt, ID: a.ID} })
}

// WaitingLines returns the number of lines that wait for the identity, as Approvals lists them.
func (s *Approving) WaitingLines(ctx context.Context, id memory.Identity) (int, error) {
	if err := MayApprove(id); err != nil {
		return 0, err
	}
	return pg.ReadOne(ctx, s.db, id, sqlApprovalsWaiting, of(id), pgx.RowTo[int], nil)
}

// Due refers to a proposal with lines that wait.
type Due struct {
	indexes.AgentRef

	ID uuid.UUID
}

// DueApprovals takes proposals of all workspaces with lines that wait. It takes no identity because the sweep works for the deployment.
func (s *Approving) DueApprovals(ctx context.Context, l pg.Lease) ([]Due, error) {
	return pg.LeaseAll(ctx, s.db, l, pgx.RowToStructByPos[Due], sqlApprovalsDue)
}

// Waiting is the state of a proposal for its workflow, without its words.
type Waiting struct {
	Approval
	OwnerID uuid.UUID // opaque; zero: a shared document
}

// WaitingApproval returns the state of a proposal for its workflow; id reads every owner.
func (s *Approving) WaitingApproval(ctx context.Context, id memory.Identity, approval uuid.UUID) (Waiting, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (w Waiting, err error) {
		found, owned := false, false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlApprovalByID, t.Args(pgx.NamedArgs{"approval": approval})), &found, &w.Approval, scan)
		if err := t.Send(ctx, b); err != nil {
			return w, err
		}
		if !found {
			return w, missing(approval)
		}
		b = &pgx.Batch{}
		pg.Columns(b.Queue(sqlApprovalOwner, t.Args(pgx.NamedArgs{"whose": w.Owner})), &owned, &w.OwnerID)
		return w, t.Finish(ctx, b)
	})
}

// Remind records that a person was reminded of a proposal for the time after so many reminders. Called again, it changes nothing.
func (s *Approving) Remind(ctx context.Context, id memory.Identity, approval uuid.UUID, reminders int) error {
	return s.change(ctx, id, approval, func(t *pg.Tx, a *Approval) (gate.EventKind, error) {
		if a.FinishedAt != nil || a.Reminders != reminders {
			return "", nil
		}
		t.Queued.Queue(sqlApprovalReminded, t.Args(pgx.NamedArgs{"approval": approval, "reminders": reminders}))
		return gate.EventApprovalReminded, nil
	})
}

// Applies is the policy by which lines are applied that nobody has decided about in time.
const Applies = setting.ApprovalApply
