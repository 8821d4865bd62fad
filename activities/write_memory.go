package activities

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/writereq"
	"reverie/store"
	"reverie/store/transfer"
)

// CommitWrite passes a staged write through the gate and returns its result, which may be a refusal. A write that has
// ended returns its result again.
func (a *Activities) CommitWrite(ctx context.Context, in WriteRef) (writereq.WriteReceipt, error) {
	done, err := a.Store.CommitWrite(ctx, in, author(ctx, ""))
	if err != nil {
		return writereq.WriteReceipt{}, storeError(err)
	}
	if done.Outcome == memory.OutcomeWritten {
		ref := AgentRef{Workspace: in.Workspace, Agent: in.Agent}
		if done.Scope == memory.ScopeGlobal {
			ref.Agent = ""
		}
		a.indexChanged(ref)
	}
	return done.Answer(), nil
}

// WriteMemory is the activity that business workflows of the same namespace call by name: it stages the request, has
// its workflow write it, and returns the receipt. The request is in the caller's history; the workflow's history has
// only a reference.
func (a *Activities) WriteMemory(ctx context.Context, in client.SignedRequest) (writereq.WriteReceipt, error) {
	defer beat(ctx, cmp.Or(activity.GetInfo(ctx).HeartbeatTimeout, HeartbeatTimeout)/heartbeatsInTime)()
	staged, err := WriteStage{a.Store}.Stage(ctx, in)
	if err != nil {
		return writereq.WriteReceipt{}, err
	}
	if staged.Receipt.Outcome != writereq.OutcomeStaged {
		return staged.Receipt, nil
	}
	ctx, cancel := untilStopped(ctx) // the next attempt waits for it
	defer cancel()
	return a.Writer.Write(ctx, staged.Ref)
}

// WriteStage accepts write requests that arrive through Temporal.
type WriteStage struct{ Store *store.Store }

// StagedWrite is an accepted write.
type StagedWrite struct {
	Ref     WriteRef
	Receipt writereq.WriteReceipt
}

// Stage accepts a request on behalf of the key that signed it. A request that can never be written gives a
// non-retryable error of one of the types that package client names; its text is in the caller's history.
func (s WriteStage) Stage(ctx context.Context, in client.SignedRequest) (StagedWrite, error) {
	key, id, err := s.identify(ctx, in)
	if err != nil {
		return StagedWrite{}, writeError(err)
	}
	staged, err := s.Store.StageWrite(ctx, id, key, writereq.Request{
		RequestID: in.RequestID, Scope: memory.Scope(in.Scope), Target: in.Target, Strategy: markdown.Strategy(in.Strategy),
		Content: in.Content, Data: in.Data, Reason: in.Reason,
	})
	if err != nil {
		return StagedWrite{}, writeError(err)
	}
	return StagedWrite{
		Ref:     WriteRef{Workspace: id.Workspace, Agent: id.Agent, Write: staged.ID, RequestID: staged.RequestID},
		Receipt: staged.Answer(),
	}, nil
}

// errNoSuchAgent hides agents that a key has no access to.
var errNoSuchAgent = errors.Join(errors.New("agent"), store.ErrNotFound)

// identify returns the key that signed a request, and the identity it may act as.
func (s WriteStage) identify(ctx context.Context, in client.SignedRequest) (uuid.UUID, memory.Identity, error) {
	var none memory.Identity
	keyID, err := uuid.Parse(in.KeyID)
	if err != nil {
		return uuid.Nil, none, store.ErrUnauthorized
	}
	canonical, err := in.Canonical()
	if err != nil {
		return uuid.Nil, none, &store.InvalidError{Field: "data", Problem: "must be a JSON object"}
	}
	key, err := s.Store.AuthenticateProof(ctx, keyID, canonical, in.Proof)
	if err != nil {
		return uuid.Nil, none, err
	}
	id := key.Identity()
	owner, err := memory.OwnerOf(in.Owner, "", "", "")
	switch {
	case err != nil:
		return uuid.Nil, none, &store.InvalidError{Field: "owner", Problem: err.Error()}
	case !id.MayUseAgent(in.Agent):
		return uuid.Nil, none, errNoSuchAgent
	case id.Pinned && owner != memory.NoOwner && owner != id.Owner,
		owner == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin):
		return uuid.Nil, none, store.ErrForbidden
	case id.Pinned:
		owner = id.Owner
	}
	return key.ID, id.For(in.Agent, owner), nil
}

// writeError converts a refusal into an error that reports whether a retry can succeed.
func writeError(err error) error {
	var invalid *store.InvalidError
	var conflict *store.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return temporal.NewNonRetryableApplicationError(strings.TrimSpace(invalid.Error()), durable.TypeInvalid, nil)
	case errors.As(err, &conflict):
		return temporal.NewNonRetryableApplicationError(conflict.Message, durable.TypeKeyReused, nil)
	case errors.Is(err, store.ErrUnauthorized):
		return temporal.NewNonRetryableApplicationError("unknown key, or the signature does not match its secret", durable.TypeUnauthorized, nil)
	case errors.Is(err, store.ErrForbidden):
		return temporal.NewNonRetryableApplicationError("the key does not permit this write", durable.TypeForbidden, nil)
	case errors.Is(err, store.ErrNotFound):
		return temporal.NewNonRetryableApplicationError("agent not found, or the key has no access to it", durable.TypeNotFound, nil)
	}
	return err
}

// WriteRef identifies a staged write, by references only.
type WriteRef = transfer.WriteRef

// Writer runs the workflow of a staged write and waits for it.
type Writer interface {
	Write(ctx context.Context, ref WriteRef) (writereq.WriteReceipt, error)
}
