package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	sqlWriteOpen = `
select ` + writeColumns + `, content, reason, (
    select settings from agents a where a.workspace_id = w.workspace_id and a.agent_id = w.agent_id)
from memory_writes w
where workspace_id = @workspace and agent_id = @agent and write_id = @write`

	// Whoever commits the same write at the same time waits here, and sees that it has ended.
	sqlWriteLock = `
select outcome
from memory_writes
where workspace_id = @workspace and agent_id = @agent and write_id = @write
for no key update`

	// The receipt is the one that the ledger keeps, with its token.
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

// openWrite is a write with what it needs to end.
type openWrite struct {
	MemoryWrite
	content, reason string
	agent           *memory.AgentSettings
}

// writeKey is the idempotency key of a write. Those of requests begin otherwise.
func writeKey(w MemoryWrite) string { return "write-memory/" + w.RequestID }

// CommitWrite has a staged write written or refused, on behalf of the credential that asked, and tells how it ended; by names the
// workflow that does. A write that has ended is told again. Both what it writes and its record are one transaction.
//
// It takes no identity because the credential was checked when the write was staged; its rights are looked up again, so that what
// was taken from it meanwhile counts. It returns ErrNotFound when there is no such write. Any other error means that it can be tried
// again: a refusal is a result.
func (s *Store) CommitWrite(ctx context.Context, ref WriteRef, by memory.Author) (MemoryWrite, error) {
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

func (s *Store) openWrite(ctx context.Context, id memory.Identity, write uuid.UUID) (openWrite, error) {
	return read(ctx, s, id, func(t *tx) (w openWrite, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlWriteOpen, t.args(pgx.NamedArgs{"write": write})), &found, func(row pgx.CollectableRow) error {
			return row.Scan(append(w.fields(), &w.content, &w.reason, &w.agent)...)
		})
		if err := t.finish(ctx, b); err != nil {
			return openWrite{}, err
		}
		if !found {
			return openWrite{}, noWrite(write.String())
		}
		return w, nil
	})
}

// Refusals that no other error says.
var (
	errTargetNotAllowed = errors.New("business processes may not write this document: the agent's writeTargets say which they may")
	errKeyRevoked       = errors.New("the key that asked was revoked meanwhile")
	// errWriteEnded is no refusal: the same write was committed at the same time.
	errWriteEnded = errors.New("the write has ended")
)

// commitWrite takes a write through the gate. It returns nil as well when somebody else did meanwhile.
func (s *Store) commitWrite(ctx context.Context, worker memory.Identity, w openWrite) error {
	if w.agent == nil || !memory.WriteAllowed(w.agent.WriteTargets, w.Path) {
		return errTargetNotAllowed
	}
	key, _, err := s.keyByID(ctx, w.Key)
	switch {
	case errors.Is(err, ErrUnauthorized), err == nil && key.RevokedAt != nil:
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
	_, err = inTx(ctx, s, id, func(t *tx) (struct{}, error) { return struct{}{}, s.writeAndEnd(ctx, t, w, change) })
	if errors.Is(err, errWriteEnded) {
		return nil
	}
	return err
}

// writeAndEnd makes the change and ends the write, in one transaction.
func (s *Store) writeAndEnd(ctx context.Context, t *tx, w openWrite, change memory.Change) error {
	var outcome memory.Outcome
	found := false
	look := &pgx.Batch{}
	one(look.Queue(sqlWriteLock, t.args(pgx.NamedArgs{"write": w.ID})), &found, func(row pgx.CollectableRow) error { return row.Scan(&outcome) })
	gate, err := applyChanges(ctx, t, changeSet{
		key: writeKey(w.MemoryWrite), changes: []memory.Change{change}, reads: look,
		ready: func() error {
			if !found || outcome != memory.OutcomeStaged {
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
	if gate.receipt.Changes[0].Changed {
		outcome = memory.OutcomeWritten
	}
	queueWriteEnd(act, t, w, outcome, "", "")
	return t.finish(ctx, act)
}

func queueWriteEnd(b *pgx.Batch, t *tx, w openWrite, outcome memory.Outcome, code memory.ReasonCode, problem string) {
	b.Queue(sqlWriteEnd, t.args(pgx.NamedArgs{
		"write": w.ID, "key": writeKey(w.MemoryWrite), "outcome": outcome, "code": code, "problem": problem,
		"workflow": t.id.Author.WorkflowID, "run": t.id.Author.RunID,
	}))
}

// refuseWrite ends a write that is not written. What the scan found goes into the journal as well.
func (s *Store) refuseWrite(ctx context.Context, worker memory.Identity, w openWrite, code memory.ReasonCode, why error) error {
	if w.Scope == memory.ScopeGlobal { // whose rows are admins' alone
		worker.Role = memory.RoleAdmin
	}
	_, err := inTx(ctx, s, worker, func(t *tx) (struct{}, error) {
		b := &pgx.Batch{}
		if quarantine, is := errors.AsType[*QuarantineError](why); is {
			if err := queueEvent(b, t, quarantineEvent(worker, quarantine)); err != nil {
				return struct{}{}, err
			}
		}
		queueWriteEnd(b, t, w, memory.OutcomeRefused, code, why.Error())
		return struct{}{}, t.finish(ctx, b)
	})
	return err
}

// refusal is why the gate refuses a write for good; empty for no error, and for one after which it can be tried again.
func refusal(err error) memory.ReasonCode {
	var (
		quarantined *QuarantineError
		invalid     *InvalidError
		conflict    *ConflictError
	)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errTargetNotAllowed):
		return memory.RefusedTarget
	case errors.Is(err, errKeyRevoked):
		return memory.RefusedKeyRevoked
	case errors.Is(err, ErrReadOnlyTeam):
		return memory.RefusedTeam
	case errors.Is(err, ErrMemoryOff):
		return memory.RefusedMemoryOff
	case errors.As(err, &quarantined):
		return memory.RefusedQuarantined
	case errors.Is(err, memory.ErrContentTooLarge):
		return memory.RefusedTooLarge
	case errors.As(err, &invalid):
		return memory.RefusedInvalid
	case errors.As(err, &conflict):
		return memory.ReasonCode(conflict.Code)
	case errors.Is(err, ErrForbidden):
		return memory.RefusedForbidden
	}
	return ""
}
