package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// ReindexInput selects the index to rebuild. Use DefaultReindex to fill it.
type ReindexInput struct {
	activities.AgentRef
	// Identity is the new embedding model. The zero value rebuilds the lexical index and leaves vectors alone.
	Identity memory.EmbeddingIdentity `json:"identity,omitzero"`
	// Samples is the number of questions for comparing the two spaces.
	Samples int `json:"samples,omitempty"`
	// Tolerance is the allowed decrease of the share of sampled units that find themselves.
	Tolerance float64 `json:"tolerance,omitempty"`
	// DecideWithin bounds the wait for a person's decision about a space that finds less; then it is abandoned.
	DecideWithin time.Duration `json:"decideWithin,omitempty"`
	// Retention is the time for which the old space is kept and can be switched back to.
	Retention time.Duration `json:"retention,omitempty"`
	// Grace is the time for which a retired space keeps its vectors, until no step fills it any more.
	Grace time.Duration `json:"grace,omitempty"`

	// Carried is the progress when it continues as new.
	Carried *ReindexProgress `json:"carried,omitempty"`
}

// DefaultReindex returns the input for changing an agent to an embedding model, or with a zero identity for
// rebuilding its lexical index.
func DefaultReindex(ref activities.AgentRef, to memory.EmbeddingIdentity) ReindexInput {
	in := ReindexInput{AgentRef: ref, Identity: to}
	if !in.isLexical() {
		in.Samples, in.Tolerance, in.DecideWithin, in.Retention, in.Grace = 50, 0.1, 7*24*time.Hour, 7*24*time.Hour, embedTimeout
	}
	return in
}

func (in ReindexInput) isLexical() bool { return in.Identity == memory.EmbeddingIdentity{} }

// ID returns the workflow id.
func (in ReindexInput) ID() string {
	if in.isLexical() {
		return LexicalReindexID(in.AgentRef)
	}
	return ReindexID(in.AgentRef, in.Identity)
}

// ReindexPhase is the current phase of a Reindex.
type ReindexPhase string

// Phases, in order. A lexical Reindex is always building.
const (
	PhaseBuilding  ReindexPhase = "building"
	PhaseComparing ReindexPhase = "comparing"
	PhaseDeciding  ReindexPhase = "deciding" // waits for DecideUpdate
	PhaseRetaining ReindexPhase = "retaining"
	PhaseDropping  ReindexPhase = "dropping"
	PhaseDone      ReindexPhase = "done"
)

// ReindexOutcome is the outcome of a Reindex.
type ReindexOutcome string

// Outcomes.
const (
	ReindexRebuilt      ReindexOutcome = "rebuilt"       // the lexical index was rebuilt
	ReindexNothing      ReindexOutcome = "nothing"       // the model's vectors were already live
	ReindexSwitched     ReindexOutcome = "switched"      // the old space is dropped
	ReindexSwitchedBack ReindexOutcome = "switched_back" // the new space is kept, retired
	ReindexAbandoned    ReindexOutcome = "abandoned"     // the new space is dropped
)

// ReindexProgress is the answer to ProgressQuery, and the result.
type ReindexProgress struct {
	Phase ReindexPhase `json:"phase"`
	// Done of Total units have their vector; for a lexical Reindex, Done of Total sources are indexed. Total is an
	// estimate.
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
	// Until is the time at which a waiting phase ends automatically.
	Until      time.Time              `json:"until,omitzero"`
	Space      int64                  `json:"space,omitempty"` // the space being built
	Live       int64                  `json:"live,omitempty"`  // the space that is live during the rebuild
	Comparison *activities.Comparison `json:"comparison,omitempty"`
	Outcome    ReindexOutcome         `json:"outcome,omitempty"`
}

// Decision is a person's decision about a space that finds less than the live one.
type Decision string

// Decisions.
const (
	DecisionSwitch  Decision = "switch"
	DecisionAbandon Decision = "abandon"
)

// DecideInput is the argument of DecideUpdate.
type DecideInput struct {
	Decision Decision `json:"decision"`
}

// Reindex rebuilds an index while searches continue.
//
// For vectors, it builds a space for another model beside the live one, compares their results, and switches all
// searches over at once, unless the new space finds clearly less: then it waits for a decision. The old space is kept
// for a while, can be switched back to, and is then dropped. In the lexical index, each source switches over
// individually.
//
// The agent's Index does the embedding and indexing; Reindex only follows it. Cancelled before the switch, it drops
// the new space.
func Reindex(ctx workflow.Context, in ReindexInput) (ReindexProgress, error) {
	r := reindex{ReindexInput: in, log: workflow.GetLogger(ctx), ReindexProgress: ReindexProgress{Phase: PhaseBuilding}}
	if in.Carried != nil {
		r.ReindexProgress = *in.Carried
	}
	if err := r.handle(ctx); err != nil {
		return ReindexProgress{}, err
	}
	work := r.vectors
	if in.isLexical() {
		work = r.lexical
	}
	outcome, err := work(ctx)
	if ctx.Err() != nil && r.isBeside() {
		ctx, _ = workflow.NewDisconnectedContext(ctx)
		outcome, err = ReindexAbandoned, r.drop(ctx, r.Space)
	}
	if err != nil {
		return ReindexProgress{}, err
	}
	r.Outcome = outcome
	r.enter(ctx, PhaseDone)
	if err := showOutcome(ctx, string(outcome)); err != nil {
		return ReindexProgress{}, err
	}
	// A handler that has its result must still return it before the workflow may end.
	err = workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
	return r.ReindexProgress, err
}

type reindex struct {
	ReindexInput
	ReindexProgress
	log      log.Logger
	decision Decision
	back     bool // switching back was requested
	isBack   bool // switching back is done
}

// isBeside reports whether the new space is not in use yet, so cancelling abandons it.
func (r *reindex) isBeside() bool {
	return r.Live != 0 && (r.Phase == PhaseBuilding || r.Phase == PhaseComparing || r.Phase == PhaseDeciding)
}

// handle registers the query and the updates.
func (r *reindex) handle(ctx workflow.Context) error {
	if err := workflow.SetQueryHandler(ctx, ProgressQuery, func() (ReindexProgress, error) { return r.ReindexProgress, nil }); err != nil {
		return err
	}
	decide := workflow.UpdateHandlerOptions{Validator: func(in DecideInput) error {
		switch {
		case in.Decision != DecisionSwitch && in.Decision != DecisionAbandon:
			return fmt.Errorf("invalid decision %q: use %s or %s", in.Decision, DecisionSwitch, DecisionAbandon)
		case r.Phase != PhaseDeciding || r.decision != "":
			return errors.New("this reindex is not waiting for a decision")
		}
		return nil
	}}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, DecideUpdate, func(_ workflow.Context, in DecideInput) error {
		r.decision = in.Decision
		return nil
	}, decide); err != nil {
		return err
	}
	back := workflow.UpdateHandlerOptions{Validator: func() error {
		if r.Phase != PhaseRetaining {
			return errors.New("no old space to switch back to")
		}
		return nil
	}}
	return workflow.SetUpdateHandlerWithOptions(ctx, SwitchBackUpdate, func(ctx workflow.Context) error {
		r.back = true
		err := workflow.Await(ctx, func() bool { return r.isBack || r.Phase != PhaseRetaining })
		if err == nil && !r.isBack { // the request came at the very end
			err = temporal.NewApplicationError("the old space is being dropped", activities.TypeInvalid)
		}
		return err
	}, back)
}

// enter sets the current phase.
func (r *reindex) enter(ctx workflow.Context, p ReindexPhase) {
	r.Phase, r.Until = p, time.Time{}
	r.describe(ctx)
}

// enterUntil sets the current phase and when it ends automatically.
func (r *reindex) enterUntil(ctx workflow.Context, p ReindexPhase, d time.Duration) {
	r.enter(ctx, p)
	r.Until = workflow.Now(ctx).Add(d).UTC()
	r.describe(ctx)
}

// describe shows operators the progress in Markdown.
func (r *reindex) describe(ctx workflow.Context) {
	text := fmt.Sprintf("**%s**: %d of about %d", r.Phase, r.Done, r.Total)
	if !r.Until.IsZero() {
		text += ", until " + r.Until.Format(time.RFC3339)
	}
	if c := r.Comparison; c != nil {
		text += fmt.Sprintf("\n\nOf %d sampled questions the live space finds %.0f %%, the new one %.0f %%; "+
			"both share %.0f %% of the live one's results.",
			c.Questions, 100*c.LiveFound, 100*c.NextFound, 100*c.Overlap)
	}
	if r.Outcome != "" {
		text += fmt.Sprintf("\n\nOutcome: **%s**", r.Outcome)
	}
	workflow.SetCurrentDetails(ctx, text)
}

// lexical rebuilds the lexical index.
func (r *reindex) lexical(ctx workflow.Context) (ReindexOutcome, error) {
	in := activities.IndexInput{AgentRef: r.AgentRef}
	if r.Carried == nil {
		stale, err := localStep(ctx, "mark everything stale", steps.StaleIndex, in)
		if err != nil {
			return "", err
		}
		r.Total = int64(stale.Sources)
		r.wake(ctx)
	}
	err := r.follow(ctx, func() (bool, error) {
		left, err := localStep(ctx, "count stale sources", steps.StaleLeft, in)
		r.Done = max(r.Total-int64(left.Sources), 0)
		return left.Sources == 0, err
	})
	return ReindexRebuilt, err
}

// vectors builds a space, and switches to it unless it finds less.
func (r *reindex) vectors(ctx workflow.Context) (ReindexOutcome, error) {
	if r.Carried == nil {
		space, err := localStep(ctx, "open a space", steps.OpenSpace, activities.OpenSpaceInput{AgentRef: r.AgentRef, Identity: r.Identity})
		if err != nil {
			return "", err
		}
		r.Space, r.Live = space.Space, space.Live
	}
	if r.Live == 0 { // it is the first one or already live
		return ReindexNothing, nil
	}
	if err := r.build(ctx); err != nil {
		return "", err
	}
	if err := r.compare(ctx); err != nil {
		return "", err
	}
	if r.Comparison.Worse(r.Tolerance) {
		if err := r.decide(ctx); err != nil {
			return "", err
		}
		if r.decision != DecisionSwitch {
			return ReindexAbandoned, r.drop(ctx, r.Space)
		}
		if err := r.build(ctx); err != nil { // written concurrently
			return "", err
		}
	}
	if err := r.switchTo(ctx, r.Space); err != nil {
		return "", err
	}
	return r.retain(ctx)
}

// build waits until every unit has its vector in the new space.
func (r *reindex) build(ctx workflow.Context) error {
	r.enter(ctx, PhaseBuilding)
	r.wake(ctx)
	return r.follow(ctx, func() (bool, error) {
		p, err := localStep(ctx, "check progress", steps.FollowSpace, activities.SpaceInput{AgentRef: r.AgentRef, Space: r.Space})
		if err == nil && !p.Found {
			err = temporal.NewApplicationError("the space no longer exists", activities.TypeNotFound)
		}
		r.Done, r.Total = p.Done, max(p.Done, p.Total)
		return p.Due == 0, err
	})
}

// follow polls until look reports that it is done, at growing intervals.
func (r *reindex) follow(ctx workflow.Context, look func() (done bool, err error)) error {
	for wait := followFirst; ; wait = min(2*wait, followLast) {
		done, err := look()
		if err != nil || done {
			return err
		}
		r.describe(ctx)
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx) && r.decision == "" {
			in := r.ReindexInput
			in.Carried = &r.ReindexProgress
			return workflow.NewContinueAsNewError(ctx, Reindex, in)
		}
		if err := pause(ctx, wait, "next progress check"); err != nil {
			return err
		}
	}
}

// wake asks the agent's Index to start at once. Otherwise the sweep would start it later.
func (r *reindex) wake(ctx workflow.Context) {
	options := childOptions(IndexID(r.AgentRef), indexSummary(r.AgentRef), agentAttributes(r.AgentRef), fair(turnPriority, r.Workspace))
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), Index, IndexInput{AgentRef: r.AgentRef}).
		GetChildWorkflowExecution().Get(ctx, nil)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		err = workflow.SignalExternalWorkflow(ctx, IndexID(r.AgentRef), "", IndexChangedSignal, IndexChange{}).Get(ctx, nil)
	}
	if err != nil {
		r.log.Warn("Could not wake the Index", "error", err)
	}
}

// compare asks both spaces the same questions, and waits while their models are unavailable.
func (r *reindex) compare(ctx workflow.Context) error {
	r.enter(ctx, PhaseComparing)
	in := activities.CompareSpacesInput{AgentRef: r.AgentRef, Space: r.Space, Samples: r.Samples}
	for failures := 1; ; failures++ {
		c, err := step(ctx, embedStep, "ask both spaces", steps.CompareSpaces, in)
		if err == nil {
			r.Comparison = &c
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		r.log.Warn("Comparison postponed", "reason", reasonOf(err))
		wait := max(retryDelayOf(err), embedBackoff(failures))
		if err := pause(ctx, wait, "comparison postponed: "+reasonOf(err)); err != nil {
			return err
		}
	}
}

// decide waits for a person's decision.
func (r *reindex) decide(ctx workflow.Context) error {
	r.enterUntil(ctx, PhaseDeciding, r.DecideWithin)
	_, err := await(ctx, r.DecideWithin, "the new space finds less: switch or abandon?", func() bool { return r.decision != "" })
	return err
}

// switchTo makes a space the live one.
func (r *reindex) switchTo(ctx workflow.Context, space int64) error {
	_, err := localStep(ctx, fmt.Sprintf("make space %d live", space), steps.SwitchSpace,
		activities.SpaceInput{AgentRef: r.AgentRef, Space: space})
	if err == nil {
		r.wake(ctx) // something may have been written in between
	}
	return err
}

// retain keeps the old space for a while, and then drops it.
func (r *reindex) retain(ctx workflow.Context) (ReindexOutcome, error) {
	r.enterUntil(ctx, PhaseRetaining, r.Retention)
	back, err := await(ctx, r.Retention, "the old space can be switched back to", func() bool { return r.back })
	if err != nil {
		return "", err
	}
	if !back {
		return ReindexSwitched, r.drop(ctx, r.Live)
	}
	// The old space lacks recent writes; they are embedded at once, and lexical search finds them until then. The new
	// space stays, retired, so that the agent is not changed to it again automatically.
	if err := r.switchTo(ctx, r.Live); err != nil {
		return "", err
	}
	r.isBack = true
	return ReindexSwitchedBack, nil
}

// drop removes a space that is not live. Steps that still fill it end before its last vectors are deleted.
func (r *reindex) drop(ctx workflow.Context, space int64) error {
	r.enter(ctx, PhaseDropping)
	in := activities.DropSpaceInput{AgentRef: r.AgentRef, Space: space}
	if _, err := localStep(ctx, "take the space out of use", steps.DropSpace, in); err != nil {
		return err
	}
	if err := pause(ctx, r.Grace, "wait for running embed steps"); err != nil {
		return err
	}
	in.Limit = dropVectors
	for more := true; more; {
		out, err := localStep(ctx, "drop vectors", steps.DropSpace, in)
		if err != nil {
			return err
		}
		more = out.More
	}
	return nil
}

// StartReindex starts a Reindex and returns its id. A running one is reused; one that has ended runs again.
func StartReindex(ctx context.Context, c client.Client, in ReindexInput) (string, error) {
	return in.ID(), startReindex(ctx, c, in, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
}

// OfferReindex starts a Reindex unless the same one is running or has completed before, even as abandoned.
func OfferReindex(ctx context.Context, c client.Client, in ReindexInput) error {
	return startReindex(ctx, c, in, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
}

func startReindex(ctx context.Context, c client.Client, in ReindexInput, reuse enumspb.WorkflowIdReusePolicy) error {
	summary := "Rebuild the lexical index"
	if !in.isLexical() {
		summary = "Change embeddings to " + in.Identity.String()
	}
	options := startOptions(in.ID(), summary, agentAttributes(in.AgentRef), fair(importPriority, in.Workspace))
	options.WorkflowIDReusePolicy = reuse
	_, err := start(ctx, c, options, ReindexName, in)
	return err
}

// ReindexProgressOf queries the progress of a Reindex by its id. It needs a running worker. It returns a
// *serviceerror.NotFound if there is no such Reindex.
func ReindexProgressOf(ctx context.Context, c client.Client, id string) (ReindexProgress, error) {
	var out ReindexProgress
	value, err := c.QueryWorkflow(ctx, id, "", ProgressQuery)
	if err != nil {
		return out, err
	}
	return out, value.Get(&out)
}

// DecideReindex sends a decision to a Reindex that waits for one.
func DecideReindex(ctx context.Context, c client.Client, id string, d Decision) error {
	return updateReindex(ctx, c, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: DecideUpdate, Args: []any{DecideInput{Decision: d}}})
}

// SwitchBack makes the old space of a Reindex live again while it is kept, and waits until it is.
func SwitchBack(ctx context.Context, c client.Client, id string) error {
	return updateReindex(ctx, c, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: SwitchBackUpdate})
}

// updateReindex sends an update and waits for its result. A refusal, such as one at the wrong time, is its error.
func updateReindex(ctx context.Context, c client.Client, o client.UpdateWorkflowOptions) error {
	o.WaitForStage = client.WorkflowUpdateStageCompleted
	handle, err := c.UpdateWorkflow(ctx, o)
	if err != nil {
		return err
	}
	return handle.Get(ctx, nil)
}
