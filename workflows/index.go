package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

// IndexInput names whose index is tended.
type IndexInput struct {
	activities.AgentRef
}

// IndexChange is the signal that something was written. What it was is asked of Postgres.
type IndexChange struct {
	// Retry asks for another attempt at once where a model could not be used: its settings may have changed.
	Retry bool `json:"retry,omitempty"`
}

// Index tends the index of one agent: it merges what was written lately, indexes anew what is out of date, and gives the
// units of the live space, and of one that is built beside it, their vectors. It ends when nothing is left to do and nothing
// new has come for a while.
//
// Lexical search needs none of this to find what is committed, and is not held up by a model that is away: each space is
// filled by itself, and waits by itself.
func Index(ctx workflow.Context, in IndexInput) error {
	x := index{
		IndexInput: in, log: workflow.GetLogger(ctx), changed: true,
		changes: workflow.GetSignalChannel(ctx, IndexChangedSignal),
	}
	return x.run(ctx)
}

type index struct {
	IndexInput
	log      log.Logger
	changes  workflow.ReceiveChannel
	changed  bool       // something may have to be done
	leaving  bool       // to continue as new
	fillings []*filling // one for each space
}

// filling is the embedding of one space.
type filling struct {
	space    int64 // 0: the live one
	busy     bool  // it has a coroutine
	again    bool  // something may be missing that it has not looked at
	retry    bool  // it is not to wait any longer
	failures int   // in a row
	waiting  string

	embedded, refused int
}

func (x *index) run(ctx workflow.Context) error {
	for {
		x.drain()
		switch {
		case workflow.GetInfo(ctx).GetContinueAsNewSuggested():
			x.leaving = true
			if err := workflow.Await(ctx, func() bool { return !x.busy() }); err != nil {
				return err
			}
			return workflow.NewContinueAsNewError(ctx, Index, x.IndexInput)
		case x.changed:
			x.changed = false
			if err := x.tend(ctx); err != nil {
				return err
			}
		case x.busy():
			if err := workflow.Await(ctx, func() bool {
				return x.changed || x.changes.Len() > 0 || !x.busy() || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
			}); err != nil {
				return err
			}
		default:
			more, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: indexLinger, TimerOptions: workflow.TimerOptions{Summary: "is there more?"}},
				func() bool { return x.changes.Len() > 0 })
			if err != nil || !more && x.changes.Len() == 0 {
				return err
			}
		}
	}
}

// drain takes every signal that has arrived.
func (x *index) drain() {
	var change IndexChange
	for x.changes.ReceiveAsync(&change) {
		x.changed = true
		if change.Retry {
			for _, f := range x.fillings {
				f.retry = true
			}
		}
		change = IndexChange{}
	}
}

func (x *index) busy() bool {
	return slices.ContainsFunc(x.fillings, func(f *filling) bool { return f.busy })
}

// tend does the lexical work and finds out which spaces lack vectors.
func (x *index) tend(ctx workflow.Context) error {
	for {
		out, err := step(ctx, indexStep, "merge, and index anew", steps.TendIndex, activities.TendIndexInput{AgentRef: x.AgentRef})
		if err != nil {
			return err
		}
		for _, s := range out.Spaces {
			x.fill(ctx, s.Space)
		}
		if !out.More {
			return nil
		}
	}
}

// fill has a space filled, beside whatever else goes on.
func (x *index) fill(ctx workflow.Context, space int64) {
	f := x.filling(space)
	f.again = true
	if f.busy {
		return
	}
	f.busy = true
	workflow.Go(ctx, func(ctx workflow.Context) {
		defer func() { f.busy = false }()
		for f.again && !x.leaving && ctx.Err() == nil {
			f.again = false
			x.embed(ctx, f)
		}
	})
}

func (x *index) filling(space int64) *filling {
	for _, f := range x.fillings {
		if f.space == space {
			return f
		}
	}
	f := &filling{space: space}
	x.fillings = append(x.fillings, f)
	return f
}

// embed is one step of filling a space, and the wait behind it when the model cannot be used.
func (x *index) embed(ctx workflow.Context, f *filling) {
	out, err := step(ctx, embedStep, "embed "+f.name(), steps.Embed, activities.EmbedInput{AgentRef: x.AgentRef, Space: f.space})
	f.embedded += out.Embedded
	f.refused += out.Refused
	switch {
	case ctx.Err() != nil:
	case err != nil:
		f.failures++
		x.wait(ctx, f, reasonOf(err), max(retryDelayOf(err), embedBackoff(f.failures)))
	case !out.WaitUntil.IsZero():
		x.wait(ctx, f, string(activities.ReasonBudget), max(min(out.WaitUntil.Sub(workflow.Now(ctx)), budgetRecheck), time.Second))
	default:
		f.failures = 0
		f.again = f.again || out.More
	}
}

// wait keeps a space waiting, visibly, until its time has come or somebody asks for another attempt.
func (x *index) wait(ctx workflow.Context, f *filling, reason string, d time.Duration) {
	x.log.Warn("Vectors wait", "space", f.name(), "reason", reason)
	f.waiting = fmt.Sprintf("%s; tried again at %s", reason, workflow.Now(ctx).Add(d).UTC().Format(time.RFC3339))
	f.retry = false
	x.describe(ctx)
	options := workflow.AwaitOptions{Timeout: d, TimerOptions: workflow.TimerOptions{Summary: f.name() + ": " + reason}}
	// Its error is that of a cancelled context, which the caller looks at.
	_, _ = workflow.AwaitWithOptions(ctx, options, func() bool { return f.retry || x.leaving })
	f.waiting, f.again = "", true
	x.changed = true // what nobody has told of meanwhile
	x.describe(ctx)
}

func (f *filling) name() string {
	if f.space == 0 {
		return "the live space"
	}
	return fmt.Sprintf("space %d", f.space)
}

// describe tells an operator how the spaces do, in Markdown.
func (x *index) describe(ctx workflow.Context) {
	var b strings.Builder
	for _, f := range x.fillings {
		fmt.Fprintf(&b, "- %s: %d units embedded", f.name(), f.embedded)
		if f.refused > 0 {
			fmt.Fprintf(&b, ", %d refused by the model", f.refused)
		}
		if f.waiting != "" {
			fmt.Fprintf(&b, "; **waiting**: %s", f.waiting)
		}
		b.WriteString("\n")
	}
	workflow.SetCurrentDetails(ctx, b.String())
}

// reasonOf is the reason code in a step's error.
func reasonOf(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return string(ReasonModelUnavailable)
}

// retryDelayOf is for how long a step's error asks; a provider may ask for longer than the step may take.
func retryDelayOf(err error) time.Duration {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.NextRetryDelay()
	}
	return 0
}

// IndexChanged tells an agent's Index that something was written, starting it when it is not running. It is best effort:
// what it fails to tell is found by the sweep.
func IndexChanged(ctx context.Context, c client.Client, ref activities.AgentRef, change IndexChange) error {
	_, err := c.SignalWithStartWorkflow(ctx, IndexID(ref), IndexChangedSignal, change, indexOptions(ref), Index, IndexInput{AgentRef: ref})
	return err
}

// EnsureIndex starts an agent's Index when it is not running. One that runs is left alone, also while it waits.
func EnsureIndex(ctx context.Context, c client.Client, ref activities.AgentRef) error {
	options := indexOptions(ref)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	_, err := c.ExecuteWorkflow(ctx, options, Index, IndexInput{AgentRef: ref})
	return err
}

func indexOptions(ref activities.AgentRef) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    IndexID(ref),
		TaskQueue:             TaskQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: agentAttributes(ref),
		StaticSummary:         indexSummary(ref),
	}
}

func indexSummary(ref activities.AgentRef) string {
	if ref.Agent == "" {
		return "Index of what belongs to the workspace"
	}
	return "Index of agent " + ref.Agent
}

func agentAttributes(ref activities.AgentRef) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(AgentAttribute.ValueSet(agentRef(ref.Workspace, ref.Agent)))
}
