package activities

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"reverie/client"
	"reverie/memory"
	"reverie/store"
)

// CommitWrite takes a staged write through the gate and tells how it ended: a refusal is a result. A write that has ended is told
// again.
func (a *Activities) CommitWrite(ctx context.Context, in WriteRef) (memory.WriteReceipt, error) {
	done, err := a.Store.CommitWrite(ctx, in, author(ctx, ""))
	if err != nil {
		return memory.WriteReceipt{}, storeError(err)
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

// WriteMemory is the activity that business workflows of the same namespace call by its name: it stages what they ask for, has its
// workflow write it, and answers with the receipt. The request stands in the caller's history; the workflow's has a reference to it.
func (a *Activities) WriteMemory(ctx context.Context, in client.SignedRequest) (memory.WriteReceipt, error) {
	defer beat(ctx, cmp.Or(activity.GetInfo(ctx).HeartbeatTimeout, HeartbeatTimeout)/heartbeatsInTime)()
	staged, err := WriteStage{a.Store}.Stage(ctx, in)
	if err != nil {
		return memory.WriteReceipt{}, err
	}
	if staged.Receipt.Outcome != memory.OutcomeStaged {
		return staged.Receipt, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopping := activity.GetWorkerStopChannel(ctx)
	go func() {
		select {
		case <-stopping: // the next attempt waits for it
			cancel()
		case <-ctx.Done():
		}
	}()
	return a.Writer.Write(ctx, staged.Ref)
}

// WriteStage accepts requests to write that come through Temporal.
type WriteStage struct{ Store *store.Store }

// StagedWrite is a write that is accepted.
type StagedWrite struct {
	Ref     WriteRef
	Receipt memory.WriteReceipt
}

// Stage accepts a request that came through Temporal, on behalf of the key that its proof was made with. What can never be written is
// an error that is not to be retried, with one of the types that package client names; its text stands in the caller's history.
func (s WriteStage) Stage(ctx context.Context, in client.SignedRequest) (StagedWrite, error) {
	key, id, err := s.identify(ctx, in)
	if err != nil {
		return StagedWrite{}, writeError(err)
	}
	staged, err := s.Store.StageWrite(ctx, id, key, memory.WriteRequest{
		RequestID: in.RequestID, Scope: memory.Scope(in.Scope), Target: in.Target, Strategy: memory.Strategy(in.Strategy),
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

// errNoSuchAgent hides agents that a key is not for.
var errNoSuchAgent = errors.Join(errors.New("agent"), store.ErrNotFound)

// identify finds the key that a request was signed with, and on whose behalf it may act.
func (s WriteStage) identify(ctx context.Context, in client.SignedRequest) (uuid.UUID, memory.Identity, error) {
	var none memory.Identity
	keyID, err := uuid.Parse(in.KeyID)
	if err != nil {
		return uuid.Nil, none, store.ErrUnauthorized
	}
	canonical, err := in.Canonical()
	if err != nil {
		return uuid.Nil, none, &store.InvalidError{Field: "data", Problem: "give a JSON object"}
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

// writeError says of a request's refusal whether sending it again can help.
func writeError(err error) error {
	var invalid *store.InvalidError
	var conflict *store.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return temporal.NewNonRetryableApplicationError(strings.TrimSpace(invalid.Error()), client.TypeInvalid, nil)
	case errors.As(err, &conflict):
		return temporal.NewNonRetryableApplicationError(conflict.Message, client.TypeKeyReused, nil)
	case errors.Is(err, store.ErrUnauthorized):
		return temporal.NewNonRetryableApplicationError("there is no such key, or the proof was not made with its secret", client.TypeUnauthorized, nil)
	case errors.Is(err, store.ErrForbidden):
		return temporal.NewNonRetryableApplicationError("the key does not allow it", client.TypeForbidden, nil)
	case errors.Is(err, store.ErrNotFound):
		return temporal.NewNonRetryableApplicationError("there is no such agent that this key may use", client.TypeNotFound, nil)
	}
	return err
}

// WriteRef names a write that is staged, by references only.
type WriteRef = store.WriteRef

// Writer has a staged write made by its workflow, and waits for it.
type Writer interface {
	Write(ctx context.Context, ref WriteRef) (memory.WriteReceipt, error)
}
