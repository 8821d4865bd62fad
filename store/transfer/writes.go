package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/writereq"
	"reverie/store/gate"
	"reverie/store/pg"
)

// MemoryWrite is the record of a write that a business process requested. It does not show the content.
type MemoryWrite struct {
	ID         uuid.UUID
	RequestID  string
	Key        uuid.UUID    // the credential that asked
	Owner      memory.Owner // NoOwner unless PERSONAL
	Scope      memory.Scope
	Path       string
	Strategy   markdown.Strategy
	Outcome    memory.Outcome    // staged, written, unchanged or refused
	ReasonCode memory.ReasonCode // of refused
	Problem    string            // of refused: rules and lines, without the text
	Receipt    *memory.Receipt   // of the gate, once it is written or unchanged
	WorkflowID string
	RunID      string
	StagedAt   time.Time
	EndedAt    *time.Time
}

// Ended reports whether the write was written or refused.
func (w MemoryWrite) Ended() bool { return w.EndedAt != nil }

// Answer returns the receipt for the requester.
func (w MemoryWrite) Answer() writereq.WriteReceipt {
	out := writereq.WriteReceipt{Write: w.ID, RequestID: w.RequestID, Outcome: w.Outcome, ReasonCode: w.ReasonCode}
	if w.Receipt != nil && len(w.Receipt.Changes) > 0 {
		c := w.Receipt.Changes[0]
		out.Document, out.Version, out.Created, out.Added, out.Removed = c.Document, c.Version, c.Created && c.Changed, c.Added, c.Removed
		out.Bytes, out.SHA256, out.Token = c.Bytes, c.SHA256, w.Receipt.Token
	}
	return out
}

// WriteRef refers to a write.
type WriteRef struct {
	Workspace string    `json:"workspace"`
	Agent     string    `json:"agent"`
	Write     uuid.UUID `json:"write"`
	// RequestID is the requester's name for it.
	RequestID string `json:"requestId"`
}

// StartGrace is the time that the request which staged a write has to start it, before the sweep does.
const StartGrace = 10 * time.Second

const (
	// writeColumns are the columns of a MemoryWrite, in the order of scanWrite.
	writeColumns = `write_id, requested_id, key_id, owner_key, scope, path, strategy, outcome, reason_code, problem, receipt,
    workflow_id, run_id, staged_at, ended_at`

	// Stages a write, unless the owner has one with this id, or somebody has one with this request_id.
	sqlWriteStage = `
insert into memory_writes (workspace_id, agent_id, write_id, request_id, own_id, request_hash, key_id, owner_key, scope, path,
    strategy, content, reason, outcome, staged_at, due_at)
select @workspace, @agent, @write, @request, @own, @hash, @key, @row_owner, @scope, @path, @strategy, @content, @reason, 'staged', @now,
    @due
on conflict do nothing`

	sqlWriteOfRequest = `
select ` + writeColumns + `, request_hash
from memory_writes
where workspace_id = @workspace and agent_id = @agent and requested_id = @request and owner_key = @row_owner`

	// The owner's write, else the shared one, else those of others.
	sqlWritesByRequest = `
select ` + writeColumns + `
from memory_writes
where workspace_id = @workspace and agent_id = @agent and requested_id = @request
    and (owner_key in (@owner, '') or @any)
order by owner_key = @owner desc, owner_key = '' desc
limit 2`
)

func scanWrite(row pgx.CollectableRow) (w MemoryWrite, err error) {
	err = row.Scan(w.fields()...)
	return w, err
}

func (w *MemoryWrite) fields() []any {
	return []any{
		&w.ID, &w.RequestID, &w.Key, &w.Owner, &w.Scope, &w.Path, &w.Strategy, &w.Outcome, &w.ReasonCode, &w.Problem, &w.Receipt,
		&w.WorkflowID, &w.RunID, &w.StagedAt, &w.EndedAt,
	}
}

// StageWrite accepts a write of a business process on behalf of key, whose identity is id. From then on CommitWrite writes or
// refuses it, once. A repeated request returns its record; the same id with another request for the same owner, or for shared memory,
// is a *ConflictError (CodeKeyReused).
//
// It returns *InvalidError for a write that can never succeed (with the field), ErrForbidden for a scope that id may not write, and
// ErrNotFound when there is no such agent. CommitWrite checks the agent's settings, the scan and the document.
func (s *Transfer) StageWrite(ctx context.Context, id memory.Identity, key uuid.UUID, r writereq.Request) (MemoryWrite, error) {
	row, err := stage(id, r)
	if err != nil {
		return MemoryWrite{}, err
	}
	hash := r.Hash()
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (MemoryWrite, error) {
		var w MemoryWrite
		var first []byte
		found := false
		b := &pgx.Batch{}
		owner := gate.RowOwner(id, row.Scope)
		write := pg.NewID()
		args := t.Args(pgx.NamedArgs{
			"write": write, "request": r.RequestID, "own": nil, "hash": hash[:], "key": key, "row_owner": owner, "scope": row.Scope,
			"path": row.Path, "strategy": r.Strategy, "content": row.Content, "reason": r.Reason, "due": t.Now.Add(StartGrace),
		})
		b.Queue(sqlWriteStage, args)
		// Does nothing, unless the id is in request_id of another owner's write.
		other := maps.Clone(args)
		other["request"], other["own"] = write.String(), r.RequestID
		b.Queue(sqlWriteStage, other)
		pg.Columns(b.Queue(sqlWriteOfRequest, t.Args(pgx.NamedArgs{"request": r.RequestID, "row_owner": owner})), &found,
			append(w.fields(), &first)...)
		if err := t.Finish(ctx, b); err != nil {
			return MemoryWrite{}, err
		}
		if !found || [32]byte(first) != hash {
			return MemoryWrite{}, &pg.ConflictError{
				Code: pg.CodeKeyReused, Message: "request id already used for another write: choose a new one",
			}
		}
		return w, nil
	})
}

// stage applies the rules that need no database.
func stage(id memory.Identity, r writereq.Request) (memory.Change, error) {
	rendered, err := r.Render()
	if bad, is := errors.AsType[*writereq.Error](err); is {
		return memory.Change{}, &pg.InvalidError{Field: bad.Field, Problem: bad.Problem, Cause: bad}
	}
	c := memory.Change{Op: memory.OpMerge, Strategy: r.Strategy, Content: rendered.Content, Reason: r.Reason}
	c.Scope, c.Path = r.Scope, rendered.Target
	if c.Scope == "" {
		c.Scope = memory.ScopeTeam
		if id.Owner != memory.NoOwner && id.Owner != memory.SystemOwner {
			c.Scope = memory.ScopePersonal
		}
	}
	if c.Path, err = gate.CheckRef(id, "", c.Ref); err != nil {
		if bad, is := errors.AsType[*pg.InvalidError](err); is && bad.Field == "path" {
			return c, &pg.InvalidError{Field: "target", Problem: bad.Problem, Cause: bad.Cause}
		}
		return c, err
	}
	if err := pg.RequireAgent(id); err != nil {
		return c, err
	}
	if err := gate.MayWrite(id, c.Scope); err != nil {
		return c, err
	}
	if err := memory.ValidText("reason", c.Reason, gate.MaxReason); err != nil {
		return c, err
	}
	return c, gate.ValidContent("content", c.Content)
}

func noWrite(request string) error { return fmt.Errorf("write %s: %w", request, pg.ErrNotFound) }

const (
	sqlWriteOpen = `
select ` + writeColumns + `, content, reason, (
    select settings from agents a where a.workspace_id = w.workspace_id and a.agent_id = w.agent_id)
from memory_writes w
where workspace_id = @workspace and agent_id = @agent and write_id = @write`

	// Concurrent commits of the same write wait here, and see that it has ended.
	sqlWriteLock = `
select outcome
from memory_writes
where workspace_id = @workspace and agent_id = @agent and write_id = @write
for no key update`

	// Stores the receipt of the ledger, with its token.
	sqlWriteEnd = `
update memory_writes set
    content = '', reason = '',
    outcome = @outcome,
    reason_code = @code,
    problem = @problem,
    receipt = (
        select l.receipt
        from write_ledger l
        where @outcome in ('written', 'unchanged')
            and l.workspace_id = @workspace and l.agent_id = @agent and l.owner_key = @owner and l.key = @key),
    workflow_id = @workflow,
    run_id = @run,
    ended_at = @now
where workspace_id = @workspace and agent_id = @agent and write_id = @write and outcome = 'staged'`
)

// openWrite is a staged write with its content.
type openWrite struct {
	MemoryWrite
	content, reason string
	agent           *setting.AgentSettings
}

// writeKey returns the idempotency key of a write. Keys of requests have other prefixes.
func writeKey(w MemoryWrite) string { return "write-memory/" + w.RequestID }

// CommitWrite writes or refuses a staged write on behalf of the credential that requested it, and returns the record; by names the
// workflow that does. For a write that has ended it returns the record. The write and its record are one transaction.
//
// It takes no identity: the credential was checked when the write was staged, and its current rights are looked up again. It
// returns ErrNotFound when there is no such write. Any other error means that it can be retried: a refusal is a result.
func (s *Transfer) CommitWrite(ctx context.Context, ref WriteRef, by memory.Author) (MemoryWrite, error) {
	worker := memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleMember, Author: by}
	w, err := s.openWrite(ctx, worker, ref.Write)
	if err != nil || w.Ended() {
		return w.MemoryWrite, err
	}
	worker.AnyOwner, worker.Owner = false, w.Owner
	refused := s.commitWrite(ctx, worker, w)
	if code := refusal(refused); code != "" {
		err = s.refuseWrite(ctx, worker, w, code, refused)
	} else {
		err = refused
	}
	if err != nil {
		return MemoryWrite{}, err
	}
	worker.AnyOwner = true
	done, err := s.openWrite(ctx, worker, ref.Write)
	return done.MemoryWrite, err
}

func (s *Transfer) openWrite(ctx context.Context, id memory.Identity, write uuid.UUID) (openWrite, error) {
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (w openWrite, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(
			b.Queue(sqlWriteOpen, t.Args(pgx.NamedArgs{"write": write})), &found, append(w.fields(), &w.content, &w.reason, &w.agent)...,
		)
		if err := t.Finish(ctx, b); err != nil {
			return openWrite{}, err
		}
		if !found {
			return openWrite{}, noWrite(write.String())
		}
		return w, nil
	})
}

// Refusals without another error.
var (
	errTargetNotAllowed = errors.New("the agent's writeTargets do not allow this document")
	errKeyRevoked       = errors.New("the requesting key was revoked or has expired")
	// errWriteEnded is not a refusal: another transaction committed the same write.
	errWriteEnded = errors.New("the write has ended")
)

// commitWrite sends a write through the gate. It also returns nil when another transaction did.
func (s *Transfer) commitWrite(ctx context.Context, worker memory.Identity, w openWrite) error {
	if w.agent == nil || !memory.WriteAllowed(w.agent.WriteTargets, w.Path) {
		return errTargetNotAllowed
	}
	key, _, err := gate.KeyByID(ctx, s.db, w.Key)
	switch {
	case errors.Is(err, pg.ErrUnauthorized), err == nil && key.Check(s.db.Now()) != nil:
		return errKeyRevoked
	case err != nil:
		return err
	}
	id := key.Identity().For(worker.Agent, w.Owner)
	id.Author = worker.Author
	id.Author.Kind, id.Author.ID = memory.AuthorWorkflow, key.ID.String()
	change := memory.Change{
		Ref: memory.Ref{Scope: w.Scope, Path: w.Path}, Op: memory.OpMerge, Strategy: w.Strategy, Content: w.content, Reason: w.reason,
	}
	_, err = pg.InTx(ctx, s.db, id, func(t *pg.Tx) (struct{}, error) { return struct{}{}, s.writeAndEnd(ctx, t, w, change) })
	if errors.Is(err, errWriteEnded) {
		return nil
	}
	return err
}

// writeAndEnd makes the change and ends the write, in one transaction.
func (s *Transfer) writeAndEnd(ctx context.Context, t *pg.Tx, w openWrite, change memory.Change) error {
	var outcome memory.Outcome
	found := false
	look := &pgx.Batch{}
	pg.Columns(look.Queue(sqlWriteLock, t.Args(pgx.NamedArgs{"write": w.ID})), &found, &outcome)
	gate, err := gate.ApplyChanges(ctx, t, gate.ChangeSet{
		Key: writeKey(w.MemoryWrite), Changes: []memory.Change{change}, Reads: look,
		Ready: func() error {
			if !found || outcome != writereq.OutcomeStaged {
				return errWriteEnded
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	act := &pgx.Batch{}
	outcome = memory.OutcomeUnchanged
	if gate.Receipt.Changes[0].Changed {
		outcome = memory.OutcomeWritten
	}
	var code memory.ReasonCode
	if gate.Receipt.Changes[0].Waiting > 0 {
		code = memory.ReasonApproval
	}
	queueWriteEnd(act, t, w, outcome, code, "")
	return t.Finish(ctx, act)
}

func queueWriteEnd(b *pgx.Batch, t *pg.Tx, w openWrite, outcome memory.Outcome, code memory.ReasonCode, problem string) {
	b.Queue(sqlWriteEnd, t.Args(pgx.NamedArgs{
		"write": w.ID, "key": writeKey(w.MemoryWrite), "outcome": outcome, "code": code, "problem": problem,
		"workflow": t.ID.Author.WorkflowID, "run": t.ID.Author.RunID,
	}))
}

// refuseWrite ends a write as refused. Findings of the scan are recorded in the journal.
func (s *Transfer) refuseWrite(ctx context.Context, worker memory.Identity, w openWrite, code memory.ReasonCode, why error) error {
	if w.Scope == memory.ScopeGlobal { // whose rows are admins' alone
		worker.Role = memory.RoleAdmin
	}
	_, err := pg.InTx(ctx, s.db, worker, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		if quarantine, is := errors.AsType[*pg.QuarantineError](why); is {
			if err := gate.QueueEvent(b, t, gate.QuarantineEvent(worker, quarantine)); err != nil {
				return struct{}{}, err
			}
		}
		queueWriteEnd(b, t, w, writereq.OutcomeRefused, code, why.Error())
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// refusal returns the reason why the gate refuses a write permanently; empty for no error, and for one that can be retried.
func refusal(err error) memory.ReasonCode {
	var (
		quarantined *pg.QuarantineError
		invalid     *pg.InvalidError
		conflict    *pg.ConflictError
	)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errTargetNotAllowed):
		return writereq.RefusedTarget
	case errors.Is(err, errKeyRevoked):
		return writereq.RefusedKeyRevoked
	case errors.Is(err, pg.ErrReadOnlyTeam):
		return writereq.RefusedTeam
	case errors.Is(err, pg.ErrMemoryOff):
		return writereq.RefusedMemoryOff
	case errors.As(err, &quarantined):
		return writereq.RefusedQuarantined
	case errors.Is(err, memory.ErrContentTooLarge):
		return writereq.RefusedTooLarge
	case errors.As(err, &invalid):
		return writereq.RefusedInvalid
	case errors.As(err, &conflict):
		return memory.ReasonCode(conflict.Code)
	case errors.Is(err, pg.ErrForbidden):
		return writereq.RefusedForbidden
	}
	return ""
}

const sqlWrites = `
select ` + writeColumns + `
from memory_writes
where workspace_id = @workspace and agent_id = @agent and write_id < @before and (@outcome::text = '' or outcome = @outcome)
order by write_id desc
limit @limit`

// MemoryWrite returns the record of a request: of the identity's owner, else of shared memory. An identity that names nobody and reads
// every owner gets the only other one with that id, and ErrSeveralOwners when there are several.
func (s *Transfer) MemoryWrite(ctx context.Context, id memory.Identity, request string) (MemoryWrite, error) {
	if err := pg.RequireAgent(id); err != nil {
		return MemoryWrite{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (w MemoryWrite, err error) {
		var found []MemoryWrite
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlWritesByRequest, t.Args(pgx.NamedArgs{"request": request, "any": t.Everybody()})), &found, scanWrite)
		if err := t.Finish(ctx, b); err != nil {
			return MemoryWrite{}, err
		}
		switch {
		case len(found) == 0:
			return MemoryWrite{}, noWrite(request)
		case len(found) > 1 && found[0].Owner != id.Owner:
			return MemoryWrite{}, fmt.Errorf("write %s: %w", request, pg.ErrSeveralOwners)
		}
		return found[0], nil
	})
}

// StagedWrite returns the record of a write that StageWrite returned.
func (s *Transfer) StagedWrite(ctx context.Context, id memory.Identity, write uuid.UUID) (MemoryWrite, error) {
	w, err := s.openWrite(ctx, id, write)
	return w.MemoryWrite, err
}

// MemoryWrites lists the writes of an agent that id may see, newest first; an empty outcome means all.
func (s *Transfer) MemoryWrites(ctx context.Context, id memory.Identity, outcome memory.Outcome, p pg.Page) (pg.Listed[MemoryWrite], error) {
	return pg.ReadPage(ctx, s.db, id, p, func(t *pg.Tx, from pg.Cursor) (string, pgx.NamedArgs) {
		return sqlWrites, pgx.NamedArgs{"outcome": outcome, "before": from.ID}
	}, scanWrite, func(w MemoryWrite) pg.Cursor { return pg.Cursor{At: w.StagedAt, ID: w.ID} })
}

const sqlWritesDue = `
update memory_writes set due_at = coalesce(@until, due_at)
where (workspace_id, agent_id, write_id) in (
    select workspace_id, agent_id, write_id
    from memory_writes
    where outcome = 'staged' and due_at <= @before
    order by due_at
    limit @limit
    for update skip locked)
returning workspace_id, agent_id, write_id, requested_id`

// StartAgain is the time after which a write is started again, unless it has ended.
const StartAgain = time.Minute

// DueWrites takes writes of all workspaces that have waited long enough to be started. Starting one twice must be harmless. It
// returns references only, and takes no identity because the sweep works for the deployment.
func (s *Transfer) DueWrites(ctx context.Context, l pg.Lease) ([]WriteRef, error) {
	return pg.LeaseAll(ctx, s.db, l, pgx.RowToStructByPos[WriteRef], sqlWritesDue)
}
