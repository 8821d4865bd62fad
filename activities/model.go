package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"reverie/llm"
	"reverie/memory"
)

// ModelComponent is the name under which the model's state is reported for the status page.
const ModelComponent = "model"

// lastState remembers what this process reported last, so that only changes are written.
type lastState struct {
	mu    sync.Mutex
	known string
}

func (l *lastState) changes(to string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == to {
		return false
	}
	l.known = to
	return true
}

// modelState reports how the last call of the model went, when that is news. It is for people to see; an extraction does
// not fail because it could not be reported.
func (a *Activities) modelState(ctx context.Context, state, detail string) {
	if !a.Paid || !a.model.changes(state) {
		return
	}
	if err := a.Store.ReportComponent(ctx, ModelComponent, state, detail); err != nil {
		a.model.changes("")
		a.Log.Warn("the model's state could not be reported", "state", state, "error", err)
	}
}

// ReasonModelAway means that the model has not answered for a while, and that somebody who waits should not wait for it again.
const ReasonModelAway memory.ReasonCode = "model_away"

const (
	// awayAfter is how long a model fails, or is silent, until it is taken to be away.
	awayAfter = 20 * time.Second
	// restFor is how long it is then left alone: without this each turn of each conversation would wait for it anew.
	restFor = time.Minute
)

// modelRest spares people who wait a model that is away. It is of this process, and of flushes and summaries alone: rules can do
// their work, while an extraction, for which nobody waits, asks again and again.
type modelRest struct {
	mu      sync.Mutex
	failing time.Time // since when no call has had an answer; zero: the last one had
	asked   time.Time // of the last call without an answer, its end
}

// away reports whether the model is to be left alone.
func (r *modelRest) away(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.failing.IsZero() && now.Sub(r.failing) >= awayAfter && now.Sub(r.asked) < restFor
}

// unanswered notes a call that was begun at a time and had no answer until now.
func (r *modelRest) unanswered(began, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failing.IsZero() {
		r.failing = began
	}
	r.asked = now
}

// answered notes that the model is there, whatever it said.
func (r *modelRest) answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing = time.Time{}
}

// noteAnswer notes how a call of a flush or a summary ended: without an answer when another try might have one, and when the
// time was over. That a worker stops says nothing about the model.
func (a *Activities) noteAnswer(ctx context.Context, began time.Time, err error) {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return
	default:
	}
	failure, failed := errors.AsType[*llm.Error](err)
	if ctx.Err() != nil || failed && failure.Kind.Retryable() {
		a.rest.unanswered(began, a.Now())
	} else {
		a.rest.answered()
	}
}

// spentUntil reports until when the identity's workspace has spent a budget; zero: it has not.
func (a *Activities) spentUntil(ctx context.Context, id memory.Identity, b memory.Budget) (time.Time, error) {
	if b == (memory.Budget{}) {
		return time.Time{}, nil
	}
	now := a.Now()
	used, err := a.Store.SpentToday(ctx, id, now)
	if err != nil || !b.Spent(used) {
		return time.Time{}, storeError(err)
	}
	return memory.BudgetRenewal(now), nil
}
