package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
	"reverie/store/approvals"
)

// ApprovalInput identifies a proposal that waits for a person.
type ApprovalInput struct {
	AgentRef

	Approval uuid.UUID `json:"approval"`
}

// ApprovalState is the state of a proposal: numbers of lines, times, and opaque ids.
type ApprovalState struct {
	Found     bool         `json:"found"`               // false: it was deleted with what it is about
	Waiting   int          `json:"waiting"`             // lines
	Approved  int          `json:"approved,omitempty"`  // as they were proposed
	Edited    int          `json:"edited,omitempty"`    // in a person's words
	Refused   int          `json:"refused,omitempty"`   // or not decided in time
	Expired   bool         `json:"expired,omitempty"`   // nobody decided about all lines in time
	Scope     memory.Scope `json:"scope,omitempty"`     // of the document
	Owner     uuid.UUID    `json:"owner,omitzero"`      // of a PERSONAL document
	Workflow  string       `json:"workflow,omitempty"`  // that proposed it
	Applies   bool         `json:"applies,omitempty"`   // what is not decided in time is applied
	Reminders int          `json:"reminders,omitempty"` // so far
	Expires   time.Time    `json:"expires,omitzero"`    // when it expires
	RemindAt  time.Time    `json:"remindAt,omitzero"`   // of the next reminder
}

// remindEvery is the time between two reminders of a proposal.
const remindEvery = 24 * time.Hour

// LookAtApproval reads the state of a proposal.
func (a *Activities) LookAtApproval(ctx context.Context, in ApprovalInput) (ApprovalState, error) {
	state, _, err := a.approval(ctx, in)
	return state, err
}

// approval returns the state of a proposal, and an identity that may apply it.
func (a *Activities) approval(ctx context.Context, in ApprovalInput) (ApprovalState, memory.Identity, error) {
	id := agentIdentity(ctx, in.AgentRef, memory.AuthorWorkflow)
	w, err := a.Store.WaitingApproval(ctx, id, in.Approval)
	if errors.Is(err, store.ErrNotFound) {
		return ApprovalState{}, id, nil
	}
	if err != nil {
		return ApprovalState{}, id, storeError(err)
	}
	id = id.For(in.Agent, w.Owner)
	id.AnyOwner = false
	if w.Ref.Scope == memory.ScopeGlobal {
		id.Role = memory.RoleAdmin
	}
	state := approvalState(w.Approval)
	state.Owner = w.OwnerID
	return state, id, nil
}

func approvalState(x approvals.Approval) ApprovalState {
	n := x.Detail()
	return ApprovalState{
		Found: true, Waiting: n.Waiting, Approved: n.Approved, Edited: n.Edited, Refused: n.Refused, Expired: x.Expired, Scope: x.Ref.Scope,
		Workflow: x.Author.WorkflowID, Applies: x.Expiry == approvals.Applies, Reminders: x.Reminders, Expires: x.ExpiresAt,
		RemindAt: x.CreatedAt.Add(time.Duration(x.Reminders+1) * remindEvery),
	}
}

// RemindApproval records in the journal that a proposal still waits, once for each time.
func (a *Activities) RemindApproval(ctx context.Context, in ApprovalInput) (ApprovalState, error) {
	state, id, err := a.approval(ctx, in)
	if err != nil || !state.Found || state.Waiting == 0 || a.Now().Before(state.RemindAt) {
		return state, err
	}
	if err := a.Store.Remind(ctx, id, in.Approval, state.Reminders); err != nil {
		return state, storeError(err)
	}
	a.Log.WarnContext(ctx, "a change of memory waits for approval", "agent", in.Agent, "approval", in.Approval, "lines", state.Waiting,
		"expires", state.Expires)
	return a.LookAtApproval(ctx, in)
}

// ExpireApproval ends a proposal whose time has expired, as its policy says: what is not decided is refused, or applied.
func (a *Activities) ExpireApproval(ctx context.Context, in ApprovalInput) (ApprovalState, error) {
	state, id, err := a.approval(ctx, in)
	if err != nil || !state.Found || state.Waiting == 0 {
		return state, err
	}
	owner := state.Owner
	done, err := a.Store.Expire(ctx, id, in.Approval)
	if err != nil {
		return state, storeError(err)
	}
	if done.Expired && state.Applies {
		a.indexChanged(in.AgentRef)
	}
	state = approvalState(done)
	state.Owner = owner
	return state, nil
}
