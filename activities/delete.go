package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
	"reverie/providers"
	"reverie/store"
	"reverie/store/deletion"
	"reverie/store/dreams"
)

// DeletionKind is a kind of target.
type DeletionKind = deletion.Kind

// Kinds and states of deletions, described in package deletion.
const (
	DeletesConversation = deletion.Conversation
	DeletesOwner        = deletion.Owner
	DeletesAgent        = deletion.Agent
	DeletionStarted     = deletion.Started
	DeletionDone        = deletion.Done
	DeletionCancelled   = deletion.Cancelled
)

// DeletionInput identifies a deletion.
type DeletionInput struct {
	AgentRef

	Deletion uuid.UUID `json:"deletion"`
}

// DeletionState is the state of a deletion, with opaque ids of its target.
type DeletionState struct {
	State        deletion.State `json:"state"`
	Kind         deletion.Kind  `json:"kind"`
	Owner        uuid.UUID      `json:"owner,omitzero"`
	Conversation uuid.UUID      `json:"conversation,omitzero"`
	Keeps        bool           `json:"keeps,omitempty"`
}

// DeleteHistoriesInput selects the workflows of a deletion's target.
type DeleteHistoriesInput struct {
	DeletionInput
	DeletionState
}

// DeleteHistoriesResult counts deleted executions of workflows.
type DeleteHistoriesResult struct {
	Deleted int `json:"deleted"`
}

// DeleteRowsResult counts deleted rows.
type DeleteRowsResult struct {
	Rows int64 `json:"rows"`
}

// EndDeletionInput ends a deletion with the counts of its other steps.
type EndDeletionInput struct {
	DeletionInput

	Histories int `json:"histories"`
}

// EndDeletionResult is the result of the scan at the end: done unless tables still have rows.
type EndDeletionResult struct {
	Left    int64 `json:"left"`
	Tables  int   `json:"tables"`
	Rows    int64 `json:"rows"`
	Revoked int   `json:"revoked"`
}

// DeleteOutsideResult counts programs.
type DeleteOutsideResult struct {
	Asked   int `json:"asked"`
	Deleted int `json:"deleted"`
}

// Histories deletes executions of workflows in Temporal.
type Histories interface {
	// Delete deletes executions of the target's workflows, running ones included, and the schedule of an agent. It reports its
	// progress at short intervals.
	Delete(ctx context.Context, in DeleteHistoriesInput, more []string, progress func(deleted int)) error
}

// deletionState returns the state of a deletion.
func deletionState(d deletion.Deletion) DeletionState {
	return DeletionState{State: d.State, Kind: d.Kind, Owner: d.OwnerID, Conversation: d.UID, Keeps: d.Keeps}
}

// BeginDeletion starts a deletion whose time has come, unless it was cancelled: from now on nothing is written about its target.
func (a *Activities) BeginDeletion(ctx context.Context, in DeletionInput) (DeletionState, error) {
	d, err := a.Store.StartDeletion(ctx, tender(ctx, in.AgentRef), in.Deletion)
	if errors.Is(err, store.ErrNotFound) { // what it is about was deleted with something else
		return DeletionState{State: deletion.Cancelled}, nil
	}
	return deletionState(d), storeError(err)
}

// CancelDeletion cancels a deletion that has not started.
func (a *Activities) CancelDeletion(ctx context.Context, in DeletionInput) (DeletionState, error) {
	d, err := a.Store.CancelDeletion(ctx, tender(ctx, in.AgentRef), in.Deletion)
	if conflict, is := errors.AsType[*store.ConflictError](err); is && conflict.Code == store.CodeDeletionStarted {
		d, err = a.Store.Deletion(ctx, tender(ctx, in.AgentRef), in.Deletion)
	}
	if errors.Is(err, store.ErrNotFound) {
		return DeletionState{State: deletion.Cancelled}, nil
	}
	return deletionState(d), storeError(err)
}

// DeleteHistories stops the workflows of a deletion's target and deletes their histories. Each attempt continues the count of the last one.
func (a *Activities) DeleteHistories(ctx context.Context, in DeleteHistoriesInput) (DeleteHistoriesResult, error) {
	var out DeleteHistoriesResult
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &out); err != nil {
			return out, err
		}
	}
	more, err := a.Store.DeletionWorkflows(ctx, tender(ctx, in.AgentRef), in.Deletion)
	if err != nil {
		return out, storeError(err)
	}
	err = a.Histories.Delete(ctx, in, more, func(deleted int) {
		out.Deleted += deleted
		activity.RecordHeartbeat(ctx, out)
	})
	return out, err
}

// DeleteOutside asks programs to delete their data about a deletion's target, and records their answers. It fails while one that could
// cannot be reached.
func (a *Activities) DeleteOutside(ctx context.Context, in DeleteHistoriesInput) (out DeleteOutsideResult, err error) {
	d, err := a.Store.Deletion(ctx, tender(ctx, in.AgentRef), in.Deletion)
	if err != nil {
		return out, storeError(err)
	}
	who := providers.Who{Workspace: in.Workspace, Agent: in.Agent}
	if in.Kind != DeletesAgent {
		who.Owner, who.Key = in.Owner.String(), d.Owner
	}
	var answers []deletion.Outside
	if in.Kind == DeletesConversation {
		answers, err = a.Providers.ForgetConversation(ctx, providers.Conversation{Who: who, ID: d.Conversation, KeepLearned: d.Keeps})
	} else {
		answers, err = a.Providers.Forget(ctx, who)
	}
	if err != nil || len(answers) == 0 {
		return out, err
	}
	if err := a.Store.NoteOutside(ctx, tender(ctx, in.AgentRef), in.Deletion, answers); err != nil {
		return out, storeError(err)
	}
	out.Asked = len(answers)
	for _, o := range answers {
		if o.Deleted {
			out.Deleted++
		} else if o.Reason != string(providers.CannotForget) && o.Reason != string(providers.OnlyArchived) {
			return out, temporal.NewApplicationError("a program did not delete what it has: "+o.Place, TypeUnavailable)
		}
	}
	return out, nil
}

// deleteRowsFor bounds one attempt at deleting rows, which a next one continues.
const deleteRowsFor = 5 * time.Minute

// DeleteRows deletes the rows of a deletion in batches.
func (a *Activities) DeleteRows(ctx context.Context, in DeletionInput) (DeleteRowsResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	var out DeleteRowsResult
	for began := a.Now(); a.Now().Sub(began) < deleteRowsFor; {
		n, err := a.Store.DeleteRows(ctx, tender(ctx, in.AgentRef), in.Deletion)
		if err != nil || n == 0 {
			return out, storeError(err)
		}
		out.Rows += n
	}
	return out, temporal.NewApplicationErrorWithOptions("more rows are to be deleted", TypeUnavailable,
		temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
}

// RevokeLearnedResult counts the statements that were learned from a conversation only.
type RevokeLearnedResult struct {
	Statements int `json:"statements"`
	Dreams     int `json:"dreams,omitempty"` // that were undone, to be dreamed again
}

// RevokeLearned removes statements that were learned only from the conversation of a deletion, on behalf of the requester.
func (a *Activities) RevokeLearned(ctx context.Context, in DeletionInput) (RevokeLearnedResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	id := tender(ctx, in.AgentRef)
	d, err := a.Store.Deletion(ctx, id, in.Deletion)
	if err != nil || d.State != deletion.Started {
		return RevokeLearnedResult{}, storeError(err)
	}
	id = id.For(in.Agent, d.Owner)
	id.Author.Kind, id.Author.ID = memory.AuthorUser, d.Author
	again, err := a.dreamsOf(ctx, id)
	if err != nil {
		return RevokeLearnedResult{}, err
	}
	r, err := a.Store.Revoke(ctx, id, dreams.RevokeRequest{
		Origin: dreams.Origin{Conversations: map[string]bool{d.Conversation: true}}, Deletion: d.ID, Again: again,
	})
	if err != nil {
		return RevokeLearnedResult{}, storeError(err)
	}
	undone, err := a.Store.UndoneDreams(ctx, tender(ctx, in.AgentRef), d.ID) // by an earlier attempt as well
	return RevokeLearnedResult{r.Statements, len(undone)}, storeError(err)
}

// EndDeletion ends a deletion when a scan of all tables finds no rows of its target.
func (a *Activities) EndDeletion(ctx context.Context, in EndDeletionInput) (EndDeletionResult, error) {
	id := tender(ctx, in.AgentRef)
	d, left, err := a.Store.EndDeletion(ctx, id, in.Deletion, in.Histories)
	if err != nil {
		return EndDeletionResult{}, storeError(err)
	}
	out := EndDeletionResult{Tables: d.Tables, Revoked: d.Revoked}
	for _, n := range left {
		out.Left += n
	}
	for _, n := range d.Counts {
		out.Rows += n
	}
	if out.Left == 0 && d.Kind == deletion.Owner {
		a.owners.Remove(memory.OwnerRef{Workspace: in.Workspace, Agent: in.Agent, Owner: d.OwnerID})
	}
	return out, nil
}
