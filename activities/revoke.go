package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
	"reverie/store"
	"reverie/store/revocation"
)

// RevocationInput identifies a revocation.
type RevocationInput struct {
	AgentRef

	Revocation uuid.UUID `json:"revocation"`
}

// RevokeSourceResult counts what a revocation has removed so far.
type RevokeSourceResult struct {
	Owners     int `json:"owners"`
	Statements int `json:"statements"`
	Kept       int `json:"kept"`
	Documents  int `json:"documents"`
	Dreams     int `json:"dreams,omitempty"` // that were undone, to be dreamed again
}

// revokeFor bounds one attempt at the owners of a revocation, which a next one continues.
const revokeFor = 5 * time.Minute

// RevokeSource removes what was learned only from the source of a revocation, in one transaction for each owner.
func (a *Activities) RevokeSource(ctx context.Context, in RevocationInput) (RevokeSourceResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	id := tender(ctx, in.AgentRef)
	parts, err := a.Store.Revocation(ctx, id, in.Revocation)
	if errors.Is(err, store.ErrNotFound) { // its owners were deleted
		return RevokeSourceResult{}, nil
	}
	if err != nil {
		return RevokeSourceResult{}, storeError(err)
	}
	for began := a.Now(); ; {
		at := slices.IndexFunc(parts, func(p revocation.Part) bool { return p.State == revocation.Waiting })
		if at < 0 {
			break
		}
		if a.Now().Sub(began) > revokeFor {
			return RevokeSourceResult{}, temporal.NewApplicationErrorWithOptions("more owners are to be looked at", TypeUnavailable,
				temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
		}
		again, err := a.dreamsOf(ctx, id.For(in.Agent, parts[at].Owner))
		if err != nil {
			return RevokeSourceResult{}, err
		}
		done, err := a.Store.RevokePart(ctx, id, parts[at], again)
		if conflict, is := errors.AsType[*store.ConflictError](err); is && conflict.Code == store.CodeBeingDeleted {
			parts[at].State = revocation.Cancelled // it is deleted with the owner
			continue
		}
		if err != nil {
			return RevokeSourceResult{}, storeError(err)
		}
		if len(done.Receipt.Changes) > 0 {
			a.indexChanged(in.AgentRef)
		}
		parts[at].State = revocation.Done
	}
	parts, err = a.Store.Revocation(ctx, id, in.Revocation)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return RevokeSourceResult{}, storeError(err)
	}
	out := RevokeSourceResult{Owners: len(parts)}
	for _, p := range parts {
		out.Statements, out.Kept = out.Statements+p.Statements, out.Kept+p.Kept
		out.Documents, out.Dreams = out.Documents+p.Documents, out.Dreams+p.Dreams
	}
	return out, nil
}

// dreamsOf reports whether the identity's owner dreams.
func (a *Activities) dreamsOf(ctx context.Context, id memory.Identity) (bool, error) {
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return false, storeError(err)
	}
	return a.DreamDefaults.With(agent.Settings).Unwanted(id.Owner) == "", nil
}

// DreamAgainInput identifies the revocation or the deletion whose dreams are repeated.
type DreamAgainInput struct {
	AgentRef

	Record   uuid.UUID     `json:"record"`
	Patience time.Duration `json:"patience"` // for each dream
}

// DreamAgainResult counts the dreams that were repeated.
type DreamAgainResult struct {
	Dreams int `json:"dreams"`
}

// DreamAgain repeats the dreams that a revocation or a deletion has undone, one after the other in the order of time. One that does not end
// within the patience continues automatically.
func (a *Activities) DreamAgain(ctx context.Context, in DreamAgainInput) (out DreamAgainResult, err error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	ctx, cancel := untilStopped(ctx)
	defer cancel()
	undone, err := a.Store.UndoneDreams(ctx, tender(ctx, in.AgentRef), in.Record)
	if err != nil {
		return out, storeError(err)
	}
	for _, x := range undone {
		bounded, cancel := context.WithTimeout(ctx, in.Patience)
		_, err := a.Dreamer.Dream(bounded, DreamOrder{
			OwnerRef: memory.OwnerRef{Workspace: in.Workspace, Agent: in.Agent, Owner: x.Owner}, Again: x.Dream, Mode: x.Mode,
		})
		late := bounded.Err() != nil && ctx.Err() == nil
		cancel()
		if err != nil && !late {
			return out, err
		}
		out.Dreams++
	}
	return out, nil
}
