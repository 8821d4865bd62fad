package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
)

// IndexInput names the agent whose index is maintained.
type IndexInput struct {
	activities.AgentRef
}

// IndexChange is the signal that something was written. Postgres holds what it was.
type IndexChange struct {
	// Retry asks for an immediate new attempt where a model could not be used: its settings may have changed.
	Retry bool `json:"retry,omitempty"`
}

// Index maintains the index of one agent: it merges recent writes, rebuilds outdated parts, and embeds the units of
// the live space and of one under construction. It ends when nothing is left to do and nothing new has arrived for a
// while.
//
// Lexical search does not depend on it to find committed text, and an unavailable model does not delay it: each space
// is filled, and waits, independently.
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
	changed  bool       // there may be work
	leaving  bool       // about to continue as new
	fillings []*filling // one per space
}

// filling is the embedding of one space.
type filling struct {
	space    int64 // 0: the live one
	busy     bool  // a coroutine is running for it
	again    bool  // new units may have arrived
	retry    bool  // stop waiting and retry
	failures int   // consecutive failures
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
			more, err := await(ctx, indexLinger, "is there more?", func() bool { return x.changes.Len() > 0 })
			if err != nil || !more && x.changes.Len() == 0 {
				return err
			}
		}
	}
}

// drain receives every signal that has arrived.
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

// tend does the lexical work and finds the spaces that lack vectors.
func (x *index) tend(ctx workflow.Context) error {
	for {
		out, err := step(ctx, indexStep, "merge and reindex", steps.TendIndex, activities.TendIndexInput{AgentRef: x.AgentRef})
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

// fill starts filling a space concurrently.
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

// embed runs one step of filling a space, and waits after it when the model cannot be used.
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

// wait pauses a space, visibly, for d or until a retry is requested.
func (x *index) wait(ctx workflow.Context, f *filling, reason string, d time.Duration) {
	x.log.Warn("Embedding postponed", "space", f.name(), "reason", reason)
	f.waiting = fmt.Sprintf("%s; next attempt at %s", reason, workflow.Now(ctx).Add(d).UTC().Format(time.RFC3339))
	f.retry = false
	x.describe(ctx)
	// The error can only be a cancelled context, which the caller checks.
	_, _ = await(ctx, d, f.name()+": "+reason, func() bool { return f.retry || x.leaving })
	f.waiting, f.again = "", true
	x.changed = true // changes may have gone unreported since then
	x.describe(ctx)
}

func (f *filling) name() string {
	if f.space == 0 {
		return "the live space"
	}
	return fmt.Sprintf("space %d", f.space)
}

// describe shows operators the state of the spaces in Markdown.
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

// reasonOf returns the reason code in a step's error.
func reasonOf(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return string(ReasonModelUnavailable)
}

// retryDelayOf returns the delay that a step's error asks for; it may be longer than the step's own timeout.
func retryDelayOf(err error) time.Duration {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.NextRetryDelay()
	}
	return 0
}

// IndexChanged signals an agent's Index that something was written, and starts it if it is not running. It is best
// effort: the sweep finds what it misses.
func IndexChanged(ctx context.Context, c client.Client, ref activities.AgentRef, change IndexChange) error {
	_, err := c.SignalWithStartWorkflow(ctx, IndexID(ref), IndexChangedSignal, change, indexOptions(ref), Index, IndexInput{AgentRef: ref})
	return err
}

// EnsureIndex starts an agent's Index if it is not running. A running one is left alone, even while it waits.
func EnsureIndex(ctx context.Context, c client.Client, ref activities.AgentRef) error {
	_, err := start(ctx, c, indexOptions(ref), IndexName, IndexInput{AgentRef: ref})
	return err
}

func indexOptions(ref activities.AgentRef) client.StartWorkflowOptions {
	return startOptions(IndexID(ref), indexSummary(ref), agentAttributes(ref), fair(turnPriority, ref.Workspace))
}

func indexSummary(ref activities.AgentRef) string {
	if ref.Agent == "" {
		return "Index of the workspace"
	}
	return "Index of agent " + ref.Agent
}
