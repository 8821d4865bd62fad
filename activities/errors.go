package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// Types of the errors that steps return. They are wire format (workflows.TestNamesOnTheWire holds them).
const (
	TypeNotFound    = "NotFound"
	TypeForbidden   = "Forbidden"
	TypeInvalid     = "Invalid"
	TypeUnavailable = "Unavailable" // the store or the model is unavailable or busy; the step is retried
	TypeSuperseded  = "Superseded"  // another execution has taken over what the step works on
	TypeUnusable    = "Unusable"    // the model cannot be used until a person changes something
)

// storeError converts a store's error into a retryable or a non-retryable one. Messages of these errors name ids and
// rules, never contents.
func storeError(err error) error {
	var invalid *store.InvalidError
	var conflict *store.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return temporal.NewNonRetryableApplicationError("not found", TypeNotFound, nil)
	case errors.As(err, &conflict) && conflict.Code == store.CodeBeingDeleted:
		return temporal.NewNonRetryableApplicationError("it is being deleted", TypeNotFound, nil)
	case errors.Is(err, store.ErrForbidden):
		return temporal.NewNonRetryableApplicationError("forbidden", TypeForbidden, nil)
	case errors.As(err, &invalid):
		return temporal.NewNonRetryableApplicationError("invalid "+invalid.Field, TypeInvalid, nil)
	}
	return err
}

// isBeingDeleted reports whether a step failed because its target is being deleted.
func isBeingDeleted(err error) bool {
	conflict, is := errors.AsType[*store.ConflictError](err)
	return is && conflict.Code == store.CodeBeingDeleted
}

// recordError is storeError for steps that work on an open record, which another execution may have taken over. what
// names the record.
func recordError(err error, what string) error {
	conflict, ok := errors.AsType[*store.ConflictError](err)
	switch {
	case !ok:
		return storeError(err)
	case conflict.Code == store.CodeSuperseded:
		return errSuperseded(what)
	}
	return temporal.NewNonRetryableApplicationError(conflict.Code, TypeInvalid, nil)
}

// refusedByGate returns why the gate refuses every write of an agent's memory, a state which may have begun during
// the write; empty for any other error.
func refusedByGate(err error) memory.ReasonCode {
	switch {
	case errors.Is(err, store.ErrReadOnlyTeam):
		return memory.GateTeamMember
	case errors.Is(err, store.ErrMemoryOff):
		return memory.GateMemoryOff
	}
	return ""
}

func errSuperseded(what string) error {
	return temporal.NewNonRetryableApplicationError("another execution has this "+what, TypeSuperseded, nil)
}

// modelFailure returns the model's error if err is one, and reports the model's state. Any other error is returned as
// it is: the step was cancelled, or something other than the model failed.
func (a *Activities) modelFailure(ctx context.Context, err error) (*llm.Error, error) {
	failure, ok := errors.AsType[*llm.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ok:
		return nil, err
	}
	switch failure.Kind {
	case llm.Refused, llm.ContextTooLong, llm.Truncated: // it answers, and one request is at fault
		a.modelState(ctx, "ok", "")
	default:
		a.modelState(ctx, string(failure.Kind), failure.Message)
	}
	return failure, nil
}

// modelError delays the next attempt for as long as the provider asks.
func modelError(err *llm.Error) error {
	return temporal.NewApplicationErrorWithOptions(string(err.Kind), TypeUnavailable, temporal.ApplicationErrorOptions{
		NextRetryDelay: min(err.RetryAfter, maxRetryAfter),
	})
}

// maxRetryAfter bounds the delay that a provider may ask for.
const maxRetryAfter = time.Hour
