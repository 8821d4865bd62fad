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

// Types of the errors that steps return; they are wire format (workflows/names_test.go holds them).
const (
	TypeNotFound    = "NotFound"
	TypeForbidden   = "Forbidden"
	TypeInvalid     = "Invalid"
	TypeUnavailable = "Unavailable" // the store or the model is away or busy; the step is tried again
	TypeSuperseded  = "Superseded"  // another execution has taken over what the step works on
	TypeUnusable    = "Unusable"    // a model that cannot be used until a person changes something
)

// storeError says of a store's error whether trying again can help. The messages of these errors name ids and rules,
// never contents.
func storeError(err error) error {
	var invalid *store.InvalidError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return temporal.NewNonRetryableApplicationError("not found", TypeNotFound, nil)
	case errors.Is(err, store.ErrForbidden):
		return temporal.NewNonRetryableApplicationError("forbidden", TypeForbidden, nil)
	case errors.As(err, &invalid):
		return temporal.NewNonRetryableApplicationError("invalid "+invalid.Field, TypeInvalid, nil)
	}
	return err
}

// recordError is storeError for steps that work on an open record, which another execution may have taken over. what names it.
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

// refusedByGate is why the gate refuses every write of an agent's memory, which may have begun while the write was under way; empty
// for any other error.
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

// modelFailure is how a call of the model failed, which is reported as its state. Any other error is returned as it is: the
// step was cancelled, or the model was not what failed.
func (a *Activities) modelFailure(ctx context.Context, err error) (*llm.Error, error) {
	failure, ok := errors.AsType[*llm.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ok:
		return nil, err
	}
	a.modelState(ctx, string(failure.Kind), failure.Message)
	return failure, nil
}

// modelError makes the next attempt wait for as long as the provider asks.
func modelError(err *llm.Error) error {
	return temporal.NewApplicationErrorWithOptions(string(err.Kind), TypeUnavailable, temporal.ApplicationErrorOptions{
		NextRetryDelay: min(err.RetryAfter, maxRetryAfter),
	})
}

// maxRetryAfter bounds what a provider may ask for: it is asked again after an hour in any case.
const maxRetryAfter = time.Hour
