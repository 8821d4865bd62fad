package activities

import (
	"context"
	"sync"
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
