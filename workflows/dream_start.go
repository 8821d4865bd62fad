package workflows

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"
)

// DreamRun is a dream that was started.
type DreamRun struct {
	client.WorkflowRun
}

// ErrDreaming is returned by StartDream when the owner is dreaming another dream already.
var ErrDreaming = errors.New("a dream of this owner is under way")

// StartDream starts a dream. Dry runs and replays run beside other dreams; of the others an owner dreams one at a time.
func StartDream(_ context.Context, _ client.Client, _ DreamInput) (DreamRun, error) {
	return DreamRun{}, errors.ErrUnsupported
}
