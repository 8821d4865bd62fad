package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/activities"
	"reverie/memory"
)

// DreamRun is a dream that was started.
type DreamRun struct {
	client.WorkflowRun
	// Found is true when the same dream was running already.
	Found bool

	dream uuid.UUID
}

// Result waits until the dream has ended or ctx is done. A dream that failed, was cancelled or was terminated is a result; an
// error means that it is not known how it ended.
func (r DreamRun) Result(ctx context.Context) (DreamResult, error) {
	var out DreamResult
	err := r.Get(ctx, &out)
	if _, ended := errors.AsType[*temporal.WorkflowExecutionError](err); !ended {
		return out, err
	}
	failed := DreamResult{Dream: r.dream, Outcome: memory.OutcomeFailed, ReasonCode: ReasonStepFailed}
	var cancelled *temporal.CanceledError
	switch app, ok := errors.AsType[*temporal.ApplicationError](err); {
	case ok && app.Type() == DreamFailedType:
		err := app.Details(&out)
		return out, err
	case errors.As(err, &cancelled):
		failed.ReasonCode = ReasonCancelled
	}
	return failed, nil
}

// ErrDreaming is returned by StartDream when the owner is dreaming another dream already.
var ErrDreaming = errors.New("a dream of this owner is under way")

// errNoRecord is returned by StartDream for a dry run or a replay without a record, after which its id is named.
var errNoRecord = errors.New("a dry run needs a record")

// StartDream starts a dream. Dry runs and replays run beside other dreams; of the others an owner dreams one at a time. A
// dream that is running already, by its record or its night, is found.
func StartDream(ctx context.Context, c client.Client, in DreamInput) (DreamRun, error) {
	id := DreamID(in.OwnerRef)
	if in.DryRun || in.Trigger == memory.DreamByReplay {
		if in.Dream == uuid.Nil {
			return DreamRun{}, errNoRecord
		}
		id = DryDreamID(in.OwnerRef, in.Dream)
	}
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                                       id,
		TaskQueue:                                TaskQueue,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, // the store dreams a night once
		WorkflowIDConflictPolicy:                 enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    attributes(in.OwnerRef),
		StaticSummary:                            dreamSummary(in),
		StaticDetails:                            dreamDetails(in),
		Priority:                                 dreamPriority(in.OwnerRef),
	}, DreamName, in)
	started := new(serviceerror.WorkflowExecutionAlreadyStarted)
	if !errors.As(err, &started) {
		return DreamRun{WorkflowRun: run, dream: in.Dream}, err
	}
	same, err := isSameDream(ctx, c, id, started.RunId, in)
	if err != nil {
		return DreamRun{}, err
	}
	if !same {
		return DreamRun{}, ErrDreaming
	}
	return DreamRun{WorkflowRun: c.GetWorkflow(ctx, id, started.RunId), Found: true, dream: in.Dream}, nil
}

// dreamPriority lets dreams wait behind everything that somebody waits for, and agents take turns.
func dreamPriority(ref memory.OwnerRef) temporal.Priority {
	return temporal.Priority{PriorityKey: 5, FairnessKey: agentRef(ref.Workspace, ref.Agent)}
}

// dreamSummary says what kind of dream it is.
func dreamSummary(in DreamInput) string {
	kind := string(in.Mode)
	switch {
	case in.Trigger == memory.DreamByReplay:
		kind += ", replay"
	case in.DryRun:
		kind += ", dry run"
	}
	return fmt.Sprintf("Dream of one owner of agent %s (%s)", in.Agent, kind)
}

// dreamDetails name a dream by its record or its night, and nothing else does: two starts with the same details mean the same.
func dreamDetails(in DreamInput) string {
	switch {
	case in.Dream != uuid.Nil:
		return fmt.Sprintf("Report: `GET %s/%s`", reportsPath(in.Agent), in.Dream)
	case in.Night != "":
		return fmt.Sprintf("Night %s. Reports: `GET %s`", in.Night, reportsPath(in.Agent))
	}
	return ""
}

// isSameDream reports whether a running execution dreams what in asks for.
func isSameDream(ctx context.Context, c client.Client, id, run string, in DreamInput) (bool, error) {
	want := dreamDetails(in)
	if want == "" {
		return false, nil
	}
	running, err := c.DescribeWorkflow(ctx, id, run)
	if err != nil {
		return false, err
	}
	details, err := running.GetStaticDetails()
	return details == want, err
}

// Dreams are the dreams of nights, as steps start them.
type Dreams struct{ Client client.Client }

// Dream starts a dream and waits until it has ended or ctx is done. An owner who is dreaming another dream does so first.
func (d Dreams) Dream(ctx context.Context, o activities.DreamOrder) (memory.Outcome, error) {
	in := DreamInput{OwnerRef: o.OwnerRef, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: o.Night, AsOf: o.AsOf}
	for {
		run, err := StartDream(ctx, d.Client, in)
		switch {
		case errors.Is(err, ErrDreaming):
			// How that one ends is of no interest here.
			if err := d.Client.GetWorkflow(ctx, DreamID(o.OwnerRef), "").Get(ctx, nil); ctx.Err() != nil {
				return "", err
			}
		case err != nil:
			return "", err
		default:
			out, err := run.Result(ctx)
			return out.Outcome, err
		}
	}
}
