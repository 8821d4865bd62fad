package dreams

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

// errNeverStarted means that Temporal did not take a dream.
var errNeverStarted = errors.New("the dream was not started")

// startDream starts the dream of a record, or finds it running, and waits for its end, at most for wait and until stop ends. It
// starts the dream even if the client does not wait or disconnects.
func (s *Room) startDream(ctx, stop context.Context, in workflows.DreamInput, wait time.Duration) (workflows.DreamResult, error) {
	var none workflows.DreamResult
	started, accepted := context.WithTimeout(context.WithoutCancel(ctx), rest.AcceptTimeout)
	run, err := workflows.StartDream(started, s.Temporal, in)
	accepted()
	switch {
	case errors.Is(err, workflows.ErrDreaming):
		return none, err
	case err != nil:
		s.Log.WarnContext(ctx, "A dream could not be started", "error", err, "dream", in.Dream)
		return none, fmt.Errorf("%w: %w", errNeverStarted, err)
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(stop, cancel)()
	result, err := run.Result(waited)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return none, ctx.Err()
	case waited.Err() != nil, rest.TemporalAway(err):
		return none, rest.ErrStillRunning
	}
	s.Log.WarnContext(ctx, "A dream that a request waited for ended in nobody knows what", "error", err, "workflow", run.GetID())
	return none, fault.New(fault.WorkflowFailed, "the dream failed; the history of its workflow %s tells more", run.GetID())
}

// isDreaming reports whether an owner's dream is under way.
func (s *Room) isDreaming(ctx context.Context, ref memory.OwnerRef) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, rest.ReachTimeout)
	defer cancel()
	described, err := s.Temporal.DescribeWorkflowExecution(ctx, workflows.DreamID(ref), "")
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return described.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// dreamKey makes a request that is repeated with the client's key one request of one caller; without a key, each is its own.
func dreamKey(ctx context.Context, client string, d store.NewDream) string {
	if client == "" {
		return ""
	}
	asOf := ""
	if !d.AsOf.IsZero() {
		asOf = d.AsOf.UTC().Format(time.RFC3339Nano)
	}
	settings := fmt.Sprintf("%+v", d.Settings)
	return rest.RequestLedgerKey(ctx, client, string(d.Mode), d.Topic, asOf, d.Night, strconv.FormatBool(d.DryRun), d.ReplayOf.String(), settings)
}
