package activities

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
	"reverie/store/dreams"
)

// AskAgain is the reason with which a person resets a dream that has ended, so that it is dreamed again. Any other reset finds that
// it has ended and does nothing.
const AskAgain = "dream again"

// ReasonRevertConflict ends a dream that was to be repeated, but cannot be undone: its lines were changed since.
const ReasonRevertConflict memory.ReasonCode = "revert_conflict"

// endedState returns the state of a dream that has ended. When another execution ended it, the state says so, and names the dream
// to repeat if this execution was asked for that: by its input (again), or as a reset by its reason.
func (a *Activities) endedState(ctx context.Context, id memory.Identity, d dreams.Dream, again bool) (DreamState, error) {
	state := stateOf(d)
	if d.Open() || d.WorkflowID == id.Author.WorkflowID && d.RunID == id.Author.RunID {
		return state, nil
	}
	state.Before = true
	if d.DryRun || d.ReplayOf != uuid.Nil {
		return state, nil
	}
	if a.ResetReason != nil {
		reason, isReset, err := a.ResetReason(ctx, id.Author.WorkflowID, id.Author.RunID)
		if err != nil {
			return DreamState{}, err
		}
		if isReset {
			again = strings.Contains(strings.ToLower(reason), AskAgain)
		}
	}
	for again && d.AgainAs != uuid.Nil { // the night belongs to the last one
		var err error
		if d, err = a.Store.Dream(ctx, id, d.AgainAs); err != nil {
			return DreamState{}, dreamError(err)
		}
	}
	if again {
		state.Again = d.ID
	}
	return state, nil
}

// dreamAgain undoes a dream and begins the one that repeats it, for this execution. A dream that cannot be undone, or is not
// wanted any more, stays as it is.
func (a *Activities) dreamAgain(ctx context.Context, id memory.Identity, in OpenDreamInput) (OpenDreamResult, error) {
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return OpenDreamResult{}, storeError(err)
	}
	refused := func(outcome memory.Outcome, reason memory.ReasonCode) (OpenDreamResult, error) {
		return OpenDreamResult{DreamState: DreamState{Dream: in.Repeat, Outcome: outcome, ReasonCode: reason}}, nil
	}
	settings := a.DreamDefaults.With(agent.Settings)
	if reason := settings.Unwanted(id.Owner); reason != "" {
		return refused(memory.OutcomeSkipped, reason)
	}
	again, err := a.Store.DreamAgain(ctx, id, in.Repeat, dreams.Again{Settings: settings})
	conflict, isConflict := errors.AsType[*store.ConflictError](err)
	switch {
	case len(again.Conflicts) > 0:
		return refused(memory.OutcomeFailed, ReasonRevertConflict)
	case isConflict:
		return refused(memory.OutcomeFailed, memory.ReasonCode(conflict.Code))
	case errors.As(err, new(*store.QuarantineError)):
		return refused(memory.OutcomeFailed, ReasonScan)
	case refusedByGate(err) != "":
		return refused(memory.OutcomeSkipped, refusedByGate(err))
	case err != nil:
		return OpenDreamResult{}, dreamError(err)
	}
	if len(again.Receipt.Changes) > 0 && !again.Receipt.Replayed {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return OpenDreamResult{DreamState: stateOf(again.Dream), Settings: again.Dream.Settings}, nil
}
