package chat

import (
	"context"
	"errors"
	"time"

	"reverie/llm"
	"reverie/memory"
	"reverie/window"
)

// TurnOutcome is how a turn ended.
type TurnOutcome string

// Outcomes of turns.
const (
	TurnAnswered  TurnOutcome = "answered"
	TurnReplayed  TurnOutcome = "replayed"  // the answer was stored already
	TurnCancelled TurnOutcome = "cancelled" // the client hung up, or its time was over
	TurnFailed    TurnOutcome = "failed"    // the message stays without an answer
)

// Who answered a turn.
const (
	byModel    = "model"
	byRecall   = "recall"
	byRemember = "remember"
)

// Taken is a turn that ended, for metrics.
type Taken struct {
	Outcome   TurnOutcome
	By        string // of an answered one: model, recall or remember
	Reason    string // of a failed one: the class of the model's error, budget, too_large, flushing or other
	Overflows int    // how often the model said that the context is too long
	Usage     memory.Usage
	Took      time.Duration
}

// observe tells of a turn that began at a time and ended with an error, or without.
func (t *turning) observe(ctx context.Context, began time.Time, failed error) {
	if t.Observe == nil {
		return
	}
	taken := Taken{Outcome: TurnAnswered, By: byModel, Overflows: t.emergency, Usage: t.turn.Usage, Took: t.Service.now().Sub(began)}
	switch {
	case failed != nil && ctx.Err() != nil:
		taken.Outcome, taken.By = TurnCancelled, ""
	case failed != nil:
		taken.Outcome, taken.By, taken.Reason = TurnFailed, "", reasonOf(failed)
	case t.turn.Replayed:
		taken.Outcome, taken.By = TurnReplayed, ""
	case t.turn.Model == builtinRecall:
		taken.By = byRecall
	case t.turn.Model == builtinRemember:
		taken.By = byRemember
	}
	t.Observe(taken)
}

// reasonOf is the class of an error that ended a turn.
func reasonOf(err error) string {
	if failed, is := errors.AsType[*llm.Error](err); is {
		return string(failed.Kind)
	}
	if _, is := errors.AsType[*BudgetError](err); is {
		return "budget"
	}
	if _, is := errors.AsType[*window.TooLargeError](err); is {
		return "too_large"
	}
	if errors.Is(err, ErrUnreachable) || errors.Is(err, ErrStillRunning) {
		return "flushing"
	}
	return "other"
}
