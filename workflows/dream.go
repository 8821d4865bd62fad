package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
)

// DreamFailedType is the type of the error of a Dream that recorded the outcome "failed"; its details are the
// DreamResult.
const DreamFailedType = "DreamFailed"

// Reasons why a dream ended that the workflow gives, in addition to those of Extract.
const (
	ReasonCancelled  memory.ReasonCode = "cancelled"
	ReasonStepFailed memory.ReasonCode = "step_failed" // a step failed at every attempt
	ReasonSuperseded memory.ReasonCode = "superseded"  // another execution has taken over this dream
)

// DreamInput identifies one dream of one owner. Topic and settings are stored in its record.
type DreamInput struct {
	memory.OwnerRef
	// Dream is the record that the API created; zero: the workflow creates one.
	Dream   uuid.UUID           `json:"dream,omitzero"`
	Mode    memory.DreamMode    `json:"mode"`
	Trigger memory.DreamTrigger `json:"trigger"`
	// Night names the night of a scheduled dream, such as 2026-01-31T02:00. An owner dreams once per night.
	Night string `json:"night,omitempty"`
	// AsOf is the end of the period that the dream looks at; zero: now.
	AsOf   time.Time `json:"asOf,omitzero"`
	DryRun bool      `json:"dryRun,omitempty"`
	// Again asks to undo the dream of this record or night, if another execution has ended it, and to dream it again.
	Again bool `json:"again,omitempty"`
}

// DreamResult is the final state of a dream.
type DreamResult = activities.DreamState

// Dream consolidates an owner's news in five phases: light, REM, deep, commit, tidy. Each step is saved, the last one in
// one transaction with its effects, so the workflow can be reset to any of them. A dream that has ended is repeated
// only when a person asks for it, by the input (Again) or with the reason of a reset (activities.AskAgain): it is
// undone, and the same night is dreamed with a new report.
func Dream(ctx workflow.Context, in DreamInput) (DreamResult, error) {
	d := dreaming{
		DreamInput: in, log: workflow.GetLogger(ctx),
		folded: workflow.GetVersion(ctx, dreamSteps, workflow.DefaultVersion, 1) == workflow.DefaultVersion,
	}
	d.state.Dream = in.Dream
	if !d.folded {
		d.run = d.runNow(ctx)
	}
	err := d.sleep(ctx)
	if err != nil {
		err = d.wake(ctx, err)
	}
	if err != nil {
		return DreamResult{}, err
	}
	if err := showOutcome(ctx, string(d.state.Outcome)); err != nil {
		return DreamResult{}, err
	}
	d.describe(ctx, "ended")
	if d.state.Outcome == memory.OutcomeFailed {
		return DreamResult{}, failure("the dream failed: "+string(d.state.ReasonCode), DreamFailedType, d.state)
	}
	return d.state, nil
}

type dreaming struct {
	DreamInput
	settings  setting.DreamSettings
	state     activities.DreamState
	light     activities.LightSleepResult
	rem       activities.REMSleepResult
	tidied    activities.TidyResult
	takenOver bool
	run       string // the run that began, which a reset continues
	folded    bool   // the steps that use only the store are local activities, as in histories without dreamSteps
	log       log.Logger
}

// dreamSteps names the change that made every step of a dream a regular activity: a point to reset to, with attempts
// and failures that Temporal's UI shows while it is pending.
const dreamSteps = "dream-steps"

// sleep runs the phases until one of them ends the dream. When it had ended before and is to be repeated, sleep opens
// the next one and runs the phases again.
func (d *dreaming) sleep(ctx workflow.Context) error {
	err := d.open(ctx)
	for err == nil {
		if err = d.phases(ctx); err != nil {
			return err
		}
		d.tidy(ctx)
		if !d.folded && !d.state.Before && d.runNow(ctx) != d.run { // a reset, perhaps to a point after the commit
			if err = d.open(ctx); err != nil {
				return err
			}
		}
		if d.state.Again == uuid.Nil {
			return nil
		}
		err = d.repeat(ctx)
	}
	return err
}

// runNow returns the id of the current run. Recorded only when it changes, it distinguishes a run that was reset from the one
// that began.
func (d *dreaming) runNow(ctx workflow.Context) string {
	var run string
	value := workflow.MutableSideEffect(ctx, "run", func(ctx workflow.Context) any {
		return workflow.GetInfo(ctx).WorkflowExecution.RunID
	}, func(a, b any) bool { return a == b })
	if err := value.Get(&run); err != nil {
		d.log.Warn("No run id", "error", err)
	}
	return run
}

// phases runs what follows open.
func (d *dreaming) phases(ctx workflow.Context) error {
	for _, phase := range []func(workflow.Context) error{d.lightSleep, d.remSleep, d.deepSleep} {
		if d.state.Ended() {
			return nil
		}
		if err := phase(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open finds or creates the record and assigns it to this execution.
func (d *dreaming) open(ctx workflow.Context) error {
	return d.opened(dreamStep(ctx, d, openStep, "open the record", steps.OpenDream, activities.OpenDreamInput{
		OwnerRef: d.OwnerRef, Dream: d.state.Dream, Mode: d.Mode, Trigger: d.Trigger, Night: d.Night, AsOf: d.AsOf, DryRun: d.DryRun,
		Again: d.Again,
	}))
}

// repeat undoes the ended dream and opens its repetition.
func (d *dreaming) repeat(ctx workflow.Context) error {
	d.light, d.rem, d.takenOver = activities.LightSleepResult{}, activities.REMSleepResult{}, false
	return d.opened(dreamStep(ctx, d, openStep, "dream again: undo and open a new record", steps.OpenDream, activities.OpenDreamInput{
		OwnerRef: d.OwnerRef, Mode: d.Mode, Trigger: d.Trigger, Repeat: d.state.Again,
	}))
}

// opened stores the state of a record that was opened.
func (d *dreaming) opened(out activities.OpenDreamResult, err error) error {
	if err == nil {
		d.state, d.settings = out.DreamState, out.Settings
	}
	return err
}

// lightSleep stages recent notes and messages.
func (d *dreaming) lightSleep(ctx workflow.Context) error {
	d.describe(ctx, "light sleep")
	return d.attempt(ctx, func() (err error) {
		d.light, err = step(ctx, lightStep, "light sleep: stage notes and messages", steps.LightSleep, d.ref())
		return d.moved(d.light.DreamState, err)
	})
}

// remSleep finds themes among the staged statements.
func (d *dreaming) remSleep(ctx workflow.Context) error {
	d.describe(ctx, "REM sleep")
	return d.attempt(ctx, func() (err error) {
		d.rem, err = dreamStep(ctx, d, weighStep, "REM sleep: themes and likely truths", steps.REMSleep, d.ref())
		return d.moved(d.rem.DreamState, err)
	})
}

// deepSleep ranks the candidates and writes. When the same lines were edited concurrently, it starts again from the new
// text.
func (d *dreaming) deepSleep(ctx workflow.Context) error {
	for round := range staleRounds {
		d.describe(ctx, "deep sleep")
		if err := d.draft(ctx); err != nil || d.state.Ended() {
			return err
		}
		d.describe(ctx, "writing")
		stale := false
		if err := d.attempt(ctx, func() error {
			in := d.ref()
			in.Last = round == staleRounds-1
			out, err := dreamStep(ctx, d, commitStep, "commit: write documents and report", steps.CommitDream, in)
			stale = out.Stale
			return d.moved(out.DreamState, err)
		}); err != nil || !stale {
			return err
		}
	}
	return d.end(ctx, ReasonKeepsChanging)
}

// draft ranks the candidates by rules. If a model is configured and a candidate passed, the model writes the text.
func (d *dreaming) draft(ctx workflow.Context) error {
	askModel := false
	if err := d.attempt(ctx, func() error {
		out, err := dreamStep(ctx, d, weighStep, "deep sleep: rank candidates", steps.DeepSleep, d.ref())
		askModel = out.AskModel
		return d.moved(out.DreamState, err)
	}); err != nil || d.state.Ended() || !askModel {
		return err
	}
	return d.consolidate(ctx)
}

// consolidate asks the model until there is a draft. It waits for the budget and shows the model less when its
// context is too small.
func (d *dreaming) consolidate(ctx workflow.Context) error {
	settings := d.settings
	for !d.state.Ended() {
		d.describe(ctx, "deep sleep")
		var out activities.DeepSleepResult
		err := d.attempt(ctx, func() (err error) {
			in := activities.ConsolidateInput{DreamInput: d.ref(), NotesMaxChars: settings.NotesMaxChars}
			out, err = step(ctx, consolidateStep(d.settings), "deep sleep: the model writes", steps.Consolidate, in)
			return d.moved(out.DreamState, err)
		})
		switch {
		case err != nil && (ctx.Err() != nil || isSuperseded(err)):
			return err
		case err != nil: // the model failed for the whole night
			d.log.Warn("No consolidation", "error", err)
			return d.end(ctx, ReasonModelUnavailable)
		case out.TooLong:
			shorter, possible := settings.Shorter()
			if !possible {
				return d.end(ctx, ReasonContextTooLong)
			}
			settings = shorter
		case !out.WaitUntil.IsZero():
			if err := waitForBudget(ctx, out.WaitUntil); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// end records that the dream failed. MEMORY.md is unchanged, and the next dream sees the same news.
func (d *dreaming) end(ctx workflow.Context, reason memory.ReasonCode) error {
	return d.attempt(ctx, func() error {
		out, err := dreamStep(ctx, d, openStep, "record the failure", steps.EndDream, activities.EndDreamInput{
			DreamInput: d.ref(), Outcome: memory.OutcomeFailed, ReasonCode: reason,
		})
		return d.moved(out, err)
	})
}

// wake ends a dream after an error or a cancellation and returns the workflow's error; nil when the dream ended with
// an outcome after all.
func (d *dreaming) wake(ctx workflow.Context, cause error) error {
	if isSuperseded(cause) { // another execution owns the record
		d.state = activities.DreamState{Dream: d.state.Dream, Outcome: memory.OutcomeNothing, ReasonCode: ReasonSuperseded}
		return nil
	}
	apart, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	if d.state.Dream == uuid.Nil { // interrupted while opening the record
		if err := d.open(apart); err != nil {
			return errors.Join(cause, err)
		}
	}
	if err := d.end(apart, interruption(ctx)); err != nil {
		return errors.Join(cause, err)
	}
	if d.state.Outcome != memory.OutcomeFailed { // the dream had ended before the error
		return nil
	}
	d.describe(apart, "ended")
	if err := showOutcome(apart, string(d.state.Outcome)); err != nil {
		return err
	}
	return cause
}

// dreamTidy names the change that added the last phase, which archives and consolidates.
const dreamTidy = "dream-tidy"

// tidy archives facts that are no longer trusted, consolidates structured documents and rewrites SOUL.md if that is due, when a dream of
// this run has ended well. The dream's own effects are committed before: if tidying fails, the next night does it.
func (d *dreaming) tidy(ctx workflow.Context) {
	dreamt := d.state.Outcome == memory.OutcomeWritten || d.state.Outcome == memory.OutcomeNothing
	if !dreamt || d.DryRun || d.Trigger == memory.DreamByReplay || d.state.Before || d.state.ReasonCode == ReasonSuperseded ||
		workflow.GetVersion(ctx, dreamTidy, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	out, err := step(ctx, tidyStep(d.settings), "tidy: archive and consolidate", steps.Tidy,
		activities.TidyInput{OwnerRef: d.OwnerRef, Settings: d.settings})
	if err != nil {
		d.log.Warn("Not tidied", "error", err)
		return
	}
	d.tidied = out
}

// attempt runs a step of the open dream. When an earlier execution still owns the dream, because this one was reset
// to a point after open, it takes over, at most once.
func (d *dreaming) attempt(ctx workflow.Context, do func() error) error {
	err := do()
	if !isSuperseded(err) || d.takenOver {
		return err
	}
	d.takenOver = true
	if err := d.open(ctx); err != nil || d.state.Ended() {
		return err
	}
	return do()
}

// moved stores the dream's state after a step.
func (d *dreaming) moved(s activities.DreamState, err error) error {
	if err == nil {
		d.state = s
	}
	return err
}

func (d *dreaming) ref() activities.DreamInput {
	return activities.DreamInput{OwnerRef: d.OwnerRef, Dream: d.state.Dream}
}

// dreamStep runs a step that uses only the store.
func dreamStep[In, Out any](ctx workflow.Context, d *dreaming, options dreamOptions, summary string,
	run func(context.Context, In) (Out, error), in In,
) (Out, error) {
	if d.folded {
		return local(ctx, options.folded, summary, run, in)
	}
	return step(ctx, options.regular, summary, run, in)
}

// reportsPath returns the API path of an agent's dream reports.
func reportsPath(agent string) string { return "/api/v1/memory/" + agent + "/dream/reports" }

// describe shows operators the progress and where to read more, in Markdown, without a memory's content.
func (d *dreaming) describe(ctx workflow.Context, phase string) {
	var b strings.Builder
	fmt.Fprintf(&b, "Phase: **%s**", phase)
	if d.state.Ended() {
		b.WriteString("; outcome: " + inWords(d.state.Outcome, d.state.ReasonCode))
	}
	b.WriteString(".\n")
	switch {
	case d.state.Repeats != uuid.Nil:
		fmt.Fprintf(&b, "\nIt repeats dream `%s`, which was undone.\n", d.state.Repeats)
	case d.state.Before:
		b.WriteString("\nThis run did nothing: another one had ended the dream before.\n\n- again: " + againHint(d.state.Dream.String(), d.Agent) + "\n")
	}
	if d.light.Dream != uuid.Nil {
		fmt.Fprintf(&b, "\n- looked at: %d notes, %d messages of %d conversations, %d statements",
			d.light.Notes, d.light.Messages, d.light.Conversations, d.light.Statements)
	}
	if d.rem.Dream != uuid.Nil {
		fmt.Fprintf(&b, "\n- found: %d themes, %d likely truths", d.rem.Themes, d.rem.Truths)
	}
	switch s := d.state; {
	case !s.Ended():
	case d.DryRun || d.Trigger == memory.DreamByReplay:
		fmt.Fprintf(&b, "\n- of %d candidates: %d would be promoted, %d kept, %d rejected; nothing was written", s.Candidates, s.Promoted,
			s.Kept, s.Rejected)
	default:
		fmt.Fprintf(&b, "\n- of %d candidates: %d promoted, %d kept, %d rejected; %d documents changed", s.Candidates, s.Promoted, s.Kept,
			s.Rejected, s.Documents)
	}
	if t := d.tidied; t.Archived+t.Merged > 0 {
		fmt.Fprintf(&b, "\n- tidied: %d facts archived, %d structured entries merged", t.Archived, t.Merged)
	}
	if d.tidied.Soul != "" {
		fmt.Fprintf(&b, "\n- SOUL.md: %s", inWords(d.tidied.Soul, ""))
	}
	if d.state.Dream != uuid.Nil { // on two lines: the UI truncates long ones
		fmt.Fprintf(&b, "\n- dream `%s`\n- report: `GET %s/…`", d.state.Dream, reportsPath(d.Agent))
	}
	workflow.SetCurrentDetails(ctx, b.String())
}

// DreamRun is a dream that was started.
type DreamRun struct {
	client.WorkflowRun
	// Found is true when the same dream was already running.
	Found bool

	dream uuid.UUID
}

// Result waits until the dream has ended or ctx is done. A dream that failed, was cancelled or was terminated is a
// result; an error means that its end is unknown.
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

// ErrDreaming is returned by StartDream when another dream of the owner is running.
var ErrDreaming = errors.New("another dream of this owner is running")

// errNoRecord is returned by StartDream for a dry run or a replay without a record: its workflow id contains the
// record's id.
var errNoRecord = errors.New("a dry run needs a record")

// StartDream starts a dream. An owner has one dream at a time, except for dry runs and replays.
// A running dream with the same record or night is reused.
func StartDream(ctx context.Context, c client.Client, in DreamInput) (DreamRun, error) {
	id := DreamID(in.OwnerRef)
	if in.DryRun || in.Trigger == memory.DreamByReplay {
		if in.Dream == uuid.Nil {
			return DreamRun{}, errNoRecord
		}
		id = DryDreamID(in.OwnerRef, in.Dream)
	}
	options := startOptions(id, dreamSummary(in), attributes(in.OwnerRef), fair(dreamPriority, in.Workspace))
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	options.WorkflowExecutionErrorWhenAlreadyStarted = true
	options.StaticDetails = dreamDetails(in)
	run, err := c.ExecuteWorkflow(ctx, options, DreamName, in)
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

// dreamSummary describes the kind of dream.
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

// dreamTitle identifies a dream by its record or its night. Two starts with the same title ask for the same dream.
func dreamTitle(in DreamInput) string {
	switch {
	case in.Dream != uuid.Nil:
		return fmt.Sprintf("Report: `GET %s/%s`", reportsPath(in.Agent), in.Dream)
	case in.Night != "":
		return fmt.Sprintf("Night %s. Reports: `GET %s`", in.Night, reportsPath(in.Agent))
	}
	return ""
}

// dreamDetails returns the title of a dream and the commands with which an operator inspects and repeats it.
func dreamDetails(in DreamInput) string {
	dream := "<dream>" // its id is in the current details
	if in.Dream != uuid.Nil {
		dream = in.Dream.String()
	}
	var b strings.Builder
	// Commands are on separate lines, since the UI makes room for as many lines as the Markdown has.
	fmt.Fprintf(&b, "%s\n\n- show:\n  `reverie memory dreams %s --agent %s`", dreamTitle(in), dream, in.Agent)
	if !in.DryRun && in.Trigger != memory.DreamByReplay {
		fmt.Fprintf(&b, "\n- undo:\n  `reverie memory revert %s --agent %s`\n- again:\n  %s", dream, in.Agent, againHint(dream, in.Agent))
	}
	fmt.Fprintf(&b, "\n- owner:\n  `reverie memory owner %s --agent %s`", in.Owner, in.Agent)
	return b.String()
}

// againHint returns the ways to dream again.
func againHint(dream, agent string) string {
	return fmt.Sprintf("`reverie memory dream again %s --agent %s`,\n  or reset this workflow with the reason `%s`",
		dream, agent, activities.AskAgain)
}

// isSameDream reports whether a running execution is the dream that in asks for.
func isSameDream(ctx context.Context, c client.Client, id, run string, in DreamInput) (bool, error) {
	want := dreamTitle(in)
	if want == "" {
		return false, nil
	}
	running, err := c.DescribeWorkflow(ctx, id, run)
	if err != nil {
		return false, err
	}
	details, err := running.GetStaticDetails()
	title, _, _ := strings.Cut(details, "\n")
	return title == want, err
}

// Dreams implements activities.Dreamer with Dream workflows.
type Dreams struct{ Client client.Client }

// Dream starts a dream and waits until it has ended or ctx is done. If another dream of the owner is running, it
// waits for that one first.
func (d Dreams) Dream(ctx context.Context, o activities.DreamOrder) (memory.Outcome, error) {
	in := DreamInput{OwnerRef: o.OwnerRef, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: o.Night, AsOf: o.AsOf}
	if o.Again != uuid.Nil {
		in = DreamInput{OwnerRef: o.OwnerRef, Dream: o.Again, Mode: o.Mode, Trigger: memory.DreamByRequest, Again: true}
	}
	for {
		run, err := StartDream(ctx, d.Client, in)
		switch {
		case errors.Is(err, ErrDreaming):
			// The outcome of the other dream does not matter here.
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
