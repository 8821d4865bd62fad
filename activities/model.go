package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/setting"
)

// ModelComponent is the model's name on the status page.
const ModelComponent = "model"

// lastState remembers the last reported state, so that only changes are written.
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

// modelState reports a change of the model's state. A failure to report it is only logged: the state is information for people.
func (a *Activities) modelState(ctx context.Context, state, detail string) {
	if !a.Paid || !a.model.changes(state) {
		return
	}
	if err := a.Store.ReportComponent(ctx, ModelComponent, state, detail); err != nil {
		a.model.changes("")
		a.Log.Warn("the model's state could not be reported", "state", state, "error", err)
	}
}

// ReasonModelAway means that the model has not answered for a while, so an interactive step does not call it.
const ReasonModelAway memory.ReasonCode = "model_away"

const (
	// awayAfter is the time of failures or silence after which a model counts as unavailable.
	awayAfter = 20 * time.Second
	// restFor is the time during which it is then not called: otherwise every turn would wait for it again.
	restFor = time.Minute
)

// modelRest keeps steps that people wait for from asking a model that is away. It holds for this process, and for flushes and
// summaries only: rules can do their work, while nobody waits for an extraction, which keeps asking.
type modelRest struct {
	mu      sync.Mutex
	failing time.Time // start of the first of the unanswered calls; zero: the last call was answered
	asked   time.Time // end of the last unanswered call
}

// away reports whether the model should not be asked.
func (r *modelRest) away(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.failing.IsZero() && now.Sub(r.failing) >= awayAfter && now.Sub(r.asked) < restFor
}

// unanswered records a call without an answer.
func (r *modelRest) unanswered(began, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failing.IsZero() {
		r.failing = began
	}
	r.asked = now
}

// answered records a call with an answer, of whatever kind.
func (r *modelRest) answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing = time.Time{}
}

// noteAnswer records how a call of a flush or a summary ended. A retryable failure and a timeout count as unanswered; the stop of
// the worker does not count.
func (a *Activities) noteAnswer(ctx context.Context, began time.Time, err error) {
	if stopping(ctx) {
		return
	}
	failure, failed := errors.AsType[*llm.Error](err)
	if ctx.Err() != nil || failed && failure.Kind.Retryable() {
		a.rest.unanswered(began, a.Now())
	} else {
		a.rest.answered()
	}
}

// halted says why no model may be asked for the identity's agent now, by its settings and the budget of the workspace.
func (a *Activities) halted(ctx context.Context, id memory.Identity, b memory.Budget) (setting.Halt, error) {
	now := a.Now()
	use, err := a.Store.ModelUse(ctx, id, now)
	if err != nil {
		return setting.Halt{}, storeError(err)
	}
	return a.Models.With(use.Settings).Halt(b, use.Workspace, use.Agent, now), nil
}
