package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// MemoryWrite is the record of what a business process asked to have written. Its content is not shown: it goes through the gate
// and stays in the document.
type MemoryWrite struct {
	ID         uuid.UUID
	RequestID  string
	Key        uuid.UUID    // the credential that asked
	Owner      memory.Owner // NoOwner unless PERSONAL
	Scope      memory.Scope
	Path       string
	Strategy   memory.Strategy
	Outcome    memory.Outcome    // staged, written, unchanged or refused
	ReasonCode memory.ReasonCode // of refused
	Problem    string            // of refused: in words, with rules and lines but nothing of the text
	Receipt    *memory.Receipt   // of the gate, once it is written or unchanged
	WorkflowID string
	RunID      string
	StagedAt   time.Time
	EndedAt    *time.Time
}

// Ended reports whether it is known what became of it.
func (w MemoryWrite) Ended() bool { return w.EndedAt != nil }

// Answer is what the one who asked is told.
func (w MemoryWrite) Answer() memory.WriteReceipt {
	out := memory.WriteReceipt{Write: w.ID, RequestID: w.RequestID, Outcome: w.Outcome, ReasonCode: w.ReasonCode}
	if w.Receipt != nil && len(w.Receipt.Changes) > 0 {
		c := w.Receipt.Changes[0]
		out.Document, out.Version, out.Created, out.Added, out.Removed = c.Document, c.Version, c.Created && c.Changed, c.Added, c.Removed
		out.Bytes, out.SHA256, out.Token = c.Bytes, c.SHA256, w.Receipt.Token
	}
	return out
}

// WriteRef names a write by references only.
type WriteRef struct {
	Workspace string    `json:"workspace"`
	Agent     string    `json:"agent"`
	Write     uuid.UUID `json:"write"`
	// RequestID is whoever asked's own name for it.
	RequestID string `json:"requestId"`
}

// startGrace leaves a write to the request that staged it before the sweep starts it.
const startGrace = 10 * time.Second

const (
	// columns of a MemoryWrite, in the order of scanWrite.
	writeColumns = `write_id, request_id, key_id, owner_key, scope, path, strategy, outcome, reason_code, problem, receipt, workflow_id, run_id,
    staged_at, ended_at`

	sqlWriteStage = `
insert into memory_writes (workspace_id, agent_id, write_id, request_id, request_hash, key_id, owner_key, scope, path, strategy, content,
    reason, outcome, staged_at, due_at)
select @workspace, @agent, @write, @request, @hash, @key, @row_owner, @scope, @path, @strategy, @content, @reason, 'staged', @now, @due
on conflict (request_id, workspace_id, agent_id) do nothing`

	sqlWriteByRequest = `
select ` + writeColumns + `, request_hash
from memory_writes
where workspace_id = @workspace and agent_id = @agent and request_id = @request`
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

// StageWrite accepts what a business process asks to have written, on behalf of key, whose identity id is: from then on it will be
// written or refused, once, by CommitWrite. The same request again gives its record as it is then; the same id with another request
// is a *ConflictError (CodeKeyReused).
//
// It returns *InvalidError for what can never be written (with the field), ErrForbidden for a scope that id does not write, and
// ErrNotFound when there is no such agent. What the agent's settings, the scan and the document say about it is for CommitWrite.
func (s *Store) StageWrite(ctx context.Context, id memory.Identity, key uuid.UUID, r memory.WriteRequest) (MemoryWrite, error) {
	row, err := stage(id, r)
	if err != nil {
		return MemoryWrite{}, err
	}
	hash := r.Hash()
	return inTx(ctx, s, id, func(t *tx) (MemoryWrite, error) {
		var w MemoryWrite
		var first []byte
		found := false
		b := &pgx.Batch{}
		b.Queue(sqlWriteStage, t.args(pgx.NamedArgs{
			"write": newID(), "request": r.RequestID, "hash": hash[:], "key": key, "row_owner": rowOwner(id, row.Scope), "scope": row.Scope,
			"path": row.Path, "strategy": r.Strategy, "content": row.Content, "reason": r.Reason, "due": t.now.Add(startGrace),
		}))
		one(b.Queue(sqlWriteByRequest, t.args(pgx.NamedArgs{"request": r.RequestID})), &found, func(row pgx.CollectableRow) error {
			return row.Scan(append(w.fields(), &first)...)
		})
		if err := t.finish(ctx, b); err != nil {
			return MemoryWrite{}, err
		}
		if !found || [32]byte(first) != hash { // the one that is not visible is another owner's
			return MemoryWrite{}, &ConflictError{Code: CodeKeyReused, Message: "this request id was used for another write: choose a new one"}
		}
		return w, nil
	})
}

// stage applies the rules that need no database.
func stage(id memory.Identity, r memory.WriteRequest) (memory.Change, error) {
	rendered, err := r.Render()
	if bad, is := errors.AsType[*memory.WriteError](err); is {
		return memory.Change{}, &InvalidError{Field: bad.Field, Problem: bad.Problem, cause: bad}
	}
	c := memory.Change{Op: memory.OpMerge, Strategy: r.Strategy, Content: rendered.Content, Reason: r.Reason}
	c.Scope, c.Path = r.Scope, rendered.Target
	if c.Scope == "" {
		c.Scope = memory.ScopeTeam
		if id.Owner != memory.NoOwner && id.Owner != memory.SystemOwner {
			c.Scope = memory.ScopePersonal
		}
	}
	if c.Path, err = checkRef(id, "", c.Ref); err != nil {
		if bad, is := errors.AsType[*InvalidError](err); is && bad.Field == "path" {
			return c, &InvalidError{Field: "target", Problem: bad.Problem, cause: bad.cause}
		}
		return c, err
	}
	if err := requireAgent(id); err != nil {
		return c, err
	}
	if err := mayWrite(id, c.Scope); err != nil {
		return c, err
	}
	if err := validText("reason", c.Reason, maxReason); err != nil {
		return c, err
	}
	return c, validContent("content", c.Content)
}

func noWrite(request string) error { return fmt.Errorf("write %s: %w", request, ErrNotFound) }
