package workflows

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/devenv/devtest"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
)

func TestDreamGoesThroughItsPhases(t *testing.T) {
	t.Run("by rules", func(t *testing.T) {
		e := newDreamEnv(t)
		out, err := e.run(t, dreamInput())
		if err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open", "light", "rem", "deep", "commit")
	})
	t.Run("with a model", func(t *testing.T) {
		e := newDreamEnv(t)
		e.deep = func(int) (activities.DeepSleepResult, error) {
			return activities.DeepSleepResult{DreamState: e.running(), AskModel: true}, nil
		}
		if _, err := e.run(t, dreamInput()); err != nil {
			t.Error(err)
		}
		e.wantSteps(t, "open", "light", "rem", "deep", "model", "commit")
	})
}

func TestDreamEndsWhereThereIsNothingToDo(t *testing.T) {
	ended := func(e *dreamEnv, outcome memory.Outcome, reason memory.ReasonCode) activities.DreamState {
		return activities.DreamState{Dream: e.dream, Outcome: outcome, ReasonCode: reason}
	}
	t.Run("dreaming is off", func(t *testing.T) {
		e := newDreamEnv(t)
		e.open = func(activities.OpenDreamInput) (activities.OpenDreamResult, error) {
			return activities.OpenDreamResult{DreamState: ended(e, memory.OutcomeSkipped, setting.ReasonDreamingOff)}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out.Outcome != memory.OutcomeSkipped {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open")
	})
	t.Run("no news", func(t *testing.T) {
		e := newDreamEnv(t)
		e.light = func(int) (activities.LightSleepResult, error) {
			return activities.LightSleepResult{DreamState: ended(e, memory.OutcomeNothing, activities.ReasonNoNews)}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out.ReasonCode != activities.ReasonNoNews {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open", "light")
	})
	t.Run("dreamed before", func(t *testing.T) {
		e := newDreamEnv(t)
		e.open = func(activities.OpenDreamInput) (activities.OpenDreamResult, error) {
			return activities.OpenDreamResult{DreamState: e.written()}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open")
	})
}

func TestDreamDraftsAnewOnAStaleBase(t *testing.T) {
	stale := func(e *dreamEnv) (activities.CommitDreamResult, error) {
		return activities.CommitDreamResult{DreamState: e.running(), Stale: true}, nil
	}
	t.Run("once", func(t *testing.T) {
		e := newDreamEnv(t)
		e.commit = func(n int) (activities.CommitDreamResult, error) {
			if n == 0 {
				return stale(e)
			}
			return activities.CommitDreamResult{DreamState: e.written()}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open", "light", "rem", "deep", "commit", "deep", "commit")
	})
	t.Run("always", func(t *testing.T) {
		e := newDreamEnv(t)
		e.commit = func(int) (activities.CommitDreamResult, error) { return stale(e) }
		_, err := e.run(t, dreamInput())
		e.wantDreamFailed(t, err, ReasonKeepsChanging)
		e.wantSteps(t, "open", "light", "rem", "deep", "commit", "deep", "commit", "deep", "commit", "end")
	})
}

// asksModel has deep sleep leave the writing to the model.
func (e *dreamEnv) asksModel() {
	e.deep = func(int) (activities.DeepSleepResult, error) {
		return activities.DeepSleepResult{DreamState: e.running(), AskModel: true}, nil
	}
}

func TestDreamWaitsForTheBudget(t *testing.T) {
	const renewal = 3*budgetRecheck + time.Minute
	e := newDreamEnv(t)
	e.asksModel()
	e.consolidate = func(int, activities.ConsolidateInput) (activities.DeepSleepResult, error) {
		out := activities.DeepSleepResult{DreamState: e.running()}
		if e.Now().Sub(e.start) < renewal {
			out.WaitUntil = e.start.Add(renewal)
		}
		return out, nil
	}
	out, err := e.run(t, dreamInput())
	if err != nil || out != e.written() {
		t.Fatalf("result %+v, error %v", out, err)
	}
	if len(e.shown) != 5 { // at once, three rechecks, at the renewal
		t.Errorf("it looked %d times", len(e.shown))
	}
	if took := e.Now().Sub(e.start).Round(time.Second); took != renewal {
		t.Errorf("it went on after %s", took)
	}
}

func TestDreamShowsAModelLessUntilItFits(t *testing.T) {
	t.Run("it fits", func(t *testing.T) {
		e := newDreamEnv(t)
		e.asksModel()
		e.consolidate = func(_ int, in activities.ConsolidateInput) (activities.DeepSleepResult, error) {
			return activities.DeepSleepResult{DreamState: e.running(), TooLong: in.NotesMaxChars > 7000}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
		if want := []int{24_000, 12_000, 6000}; !cmp.Equal(e.shown, want) {
			t.Errorf("it was shown %v characters, want %v", e.shown, want)
		}
	})
	t.Run("it never fits", func(t *testing.T) {
		e := newDreamEnv(t)
		e.asksModel()
		e.consolidate = func(int, activities.ConsolidateInput) (activities.DeepSleepResult, error) {
			return activities.DeepSleepResult{DreamState: e.running(), TooLong: true}, nil
		}
		_, err := e.run(t, dreamInput())
		e.wantDreamFailed(t, err, ReasonContextTooLong)
		if last := e.shown[len(e.shown)-1]; last < setting.MinNotesChars || last/2 >= setting.MinNotesChars {
			t.Errorf("it gave up at %d characters", last)
		}
	})
}

func TestDreamRetriesABusyModelAfterItsOwnDelay(t *testing.T) {
	e := newDreamEnv(t)
	e.asksModel()
	e.consolidate = func(n int, _ activities.ConsolidateInput) (activities.DeepSleepResult, error) {
		if n < 2 {
			return activities.DeepSleepResult{}, temporal.NewApplicationErrorWithOptions("rate_limited", activities.TypeUnavailable,
				temporal.ApplicationErrorOptions{NextRetryDelay: 7 * time.Second})
		}
		return activities.DeepSleepResult{DreamState: e.running()}, nil
	}
	out, err := e.run(t, dreamInput())
	if err != nil || out != e.written() || len(e.shown) != 3 {
		t.Fatalf("result %+v after %d requests, error %v", out, len(e.shown), err)
	}
	if took := e.Now().Sub(e.start).Round(time.Second); took != 14*time.Second {
		t.Errorf("two delays of 7 s took %s", took)
	}
}

func TestDreamRecordsAFailureWhenTheModelStaysAway(t *testing.T) {
	e := newDreamEnv(t)
	e.asksModel()
	e.consolidate = func(int, activities.ConsolidateInput) (activities.DeepSleepResult, error) {
		return activities.DeepSleepResult{}, temporal.NewApplicationError("unavailable", activities.TypeUnavailable)
	}
	_, err := e.run(t, dreamInput())
	e.wantDreamFailed(t, err, ReasonModelUnavailable)
	if e.did[len(e.did)-1] != "end" || e.note("commit") != 0 {
		t.Errorf("steps were %v", e.did)
	}
	// The options contain the real retry limit; the test environment ends the attempts earlier than a server does.
	o := consolidateStep(setting.DefaultDreamSettings())
	if o.ScheduleToCloseTimeout != dreamPatience || o.RetryPolicy.MaximumAttempts != 0 || o.TaskQueue != ModelQueue {
		t.Errorf("it tries for %s, %d times, on %s", o.ScheduleToCloseTimeout, o.RetryPolicy.MaximumAttempts, o.TaskQueue)
	}
}

func TestDreamRecordsWhatTheModelEndedAs(t *testing.T) {
	e := newDreamEnv(t)
	e.asksModel()
	refused := activities.DreamState{Outcome: memory.OutcomeFailed, ReasonCode: "unauthorized"}
	e.consolidate = func(int, activities.ConsolidateInput) (activities.DeepSleepResult, error) {
		refused.Dream = e.dream
		return activities.DeepSleepResult{DreamState: refused}, nil
	}
	_, err := e.run(t, dreamInput())
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	var out DreamResult
	if !ok || app.Details(&out) != nil || out != refused {
		t.Errorf("result %+v, error %v", out, err)
	}
	e.wantSteps(t, "open", "light", "rem", "deep", "model")
}

func TestDreamThatIsCancelledIsRecorded(t *testing.T) {
	waiting := func(e *dreamEnv) {
		e.asksModel()
		e.consolidate = func(int, activities.ConsolidateInput) (activities.DeepSleepResult, error) {
			return activities.DeepSleepResult{DreamState: e.running(), WaitUntil: e.start.Add(time.Hour)}, nil
		}
		e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute)
	}
	t.Run("while it waits", func(t *testing.T) {
		e := newDreamEnv(t)
		waiting(e)
		_, err := e.run(t, dreamInput())
		if !temporal.IsCanceledError(err) {
			t.Errorf("error %v", err)
		}
		if len(e.ended) != 1 || e.ended[0].ReasonCode != ReasonCancelled || e.ended[0].Outcome != memory.OutcomeFailed {
			t.Errorf("recorded %+v", e.ended)
		}
	})
	t.Run("after its end", func(t *testing.T) {
		e := newDreamEnv(t)
		waiting(e)
		e.end = func(activities.EndDreamInput) (activities.DreamState, error) { return e.written(), nil }
		if out, err := e.run(t, dreamInput()); err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
	})
	t.Run("before it began", func(t *testing.T) {
		e := newDreamEnv(t)
		opens := e.open
		e.open = func(in activities.OpenDreamInput) (activities.OpenDreamResult, error) {
			if len(e.did) == 1 {
				e.CancelWorkflow()
				return activities.OpenDreamResult{}, errors.New("the database is away")
			}
			return opens(in)
		}
		_, err := e.run(t, dreamInput())
		if !temporal.IsCanceledError(err) {
			t.Errorf("error %v", err)
		}
		if len(e.ended) != 1 || e.ended[0].Dream != e.dream {
			t.Errorf("recorded %+v", e.ended)
		}
	})
}

func TestDreamWhoseStepFailsIsRecorded(t *testing.T) {
	e := newDreamEnv(t)
	e.light = func(int) (activities.LightSleepResult, error) {
		return activities.LightSleepResult{}, temporal.NewNonRetryableApplicationError("invalid topic", activities.TypeInvalid, nil)
	}
	_, err := e.run(t, dreamInput())
	if app, ok := errors.AsType[*temporal.ApplicationError](err); !ok || app.Type() != activities.TypeInvalid {
		t.Errorf("error %v", err)
	}
	if len(e.ended) != 1 || e.ended[0].ReasonCode != ReasonStepFailed {
		t.Errorf("recorded %+v", e.ended)
	}
}

func TestAResetDreamTakesOver(t *testing.T) {
	superseded := temporal.NewNonRetryableApplicationError("another execution has this dream", activities.TypeSuperseded, nil)
	t.Run("and goes on", func(t *testing.T) {
		e := newDreamEnv(t)
		e.deep = func(n int) (activities.DeepSleepResult, error) {
			if n == 0 {
				return activities.DeepSleepResult{}, superseded
			}
			return activities.DeepSleepResult{DreamState: e.running()}, nil
		}
		var opened []uuid.UUID
		e.open = func(in activities.OpenDreamInput) (activities.OpenDreamResult, error) {
			opened = append(opened, in.Dream)
			return activities.OpenDreamResult{DreamState: e.running(), Settings: setting.DefaultDreamSettings()}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open", "light", "rem", "deep", "open", "deep", "commit")
		if want := []uuid.UUID{uuid.Nil, e.dream}; !cmp.Equal(opened, want) {
			t.Errorf("opened %v, want %v", opened, want)
		}
	})
	t.Run("and finds that it has ended", func(t *testing.T) {
		e := newDreamEnv(t)
		e.deep = func(int) (activities.DeepSleepResult, error) { return activities.DeepSleepResult{}, superseded }
		e.open = func(in activities.OpenDreamInput) (activities.OpenDreamResult, error) {
			state := e.running()
			if in.Dream != uuid.Nil {
				state = e.written()
			}
			return activities.OpenDreamResult{DreamState: state}, nil
		}
		if out, err := e.run(t, dreamInput()); err != nil || out != e.written() {
			t.Errorf("result %+v, error %v", out, err)
		}
		e.wantSteps(t, "open", "light", "rem", "deep", "open")
	})
	t.Run("and leaves it to who takes it back", func(t *testing.T) {
		e := newDreamEnv(t)
		e.deep = func(int) (activities.DeepSleepResult, error) { return activities.DeepSleepResult{}, superseded }
		out, err := e.run(t, dreamInput())
		if err != nil || out.ReasonCode != ReasonSuperseded || len(e.ended) != 0 {
			t.Errorf("result %+v, error %v, recorded %+v", out, err, e.ended)
		}
	})
}

// detailsOf returns the current details of a workflow, as shown in Temporal's UI.
func detailsOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
	t.Helper()
	value, err := env.QueryWorkflow("__temporal_workflow_metadata")
	if err != nil {
		t.Fatal(err)
	}
	var metadata sdkpb.WorkflowMetadata
	if err := value.Get(&metadata); err != nil {
		t.Fatal(err)
	}
	return metadata.GetCurrentDetails()
}

// The details contain counts and ids known so far, and say of a dream that writes nothing that nothing was written.
func TestWhatIsShownOfADream(t *testing.T) {
	w := newDreamWorld(t)
	w.has(t, llmtest.Always(llmtest.Status(503, 0)))
	var during string
	queued, err := w.BeginDream(t.Context(), w.owner, dreams.NewDream{
		Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, AsOf: w.asOf, DryRun: true, Settings: w.options.DreamDefaults,
	})
	if err != nil {
		t.Fatal(err)
	}
	in := w.nightly()
	in.Dream, in.Night, in.DryRun = queued.ID, "", true
	links := "\n- dream `" + queued.ID.String() + "`\n- report: `GET /api/v1/memory/" + w.ref(t).Agent + "/dream/reports/…`"
	_, err = w.run(t, in, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() { during = detailsOf(t, env) }, 10*time.Second)
	})
	if err == nil {
		t.Fatal("it needs a model that is away")
	}
	looked := "\n- looked at: 3 notes, 0 messages of 0 conversations, 6 statements\n- found: 0 themes, 1 likely truths"
	if d := cmp.Diff("Phase: **deep sleep**.\n"+looked+links, during); d != "" {
		t.Errorf("while the model is away (-want +got):\n%s", d)
	}
	ended := "Phase: **ended**; outcome: **failed** (model_unavailable).\n" + looked +
		"\n- of 4 candidates: 0 would be promoted, 0 kept, 0 rejected; nothing was written" + links
	if d := cmp.Diff(ended, detailsOf(t, w.env)); d != "" {
		t.Errorf("in the end (-want +got):\n%s", d)
	}
}

func TestAnOwnerDreamsOneDreamAtATime(t *testing.T) {
	c := dialTemporal(t, devtest.Temporal(t).Address)
	ref := testOwner
	ref.Owner = uuid.New()
	start := func(in DreamInput) (DreamRun, error) {
		in.OwnerRef = ref
		return StartDream(t.Context(), c, in)
	}
	night := DreamInput{Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00"}
	first, err := start(night)
	if err != nil || first.Found {
		t.Fatalf("started %+v, error %v", first, err)
	}
	defer func() { _ = c.TerminateWorkflow(t.Context(), first.GetID(), "", "the test is over") }()
	again, err := start(night)
	if err != nil || !again.Found || again.GetRunID() != first.GetRunID() {
		t.Errorf("the same night is %+v (%v), not %s", again, err, first.GetRunID())
	}
	night.Night = "2026-02-01T02:00"
	if _, err := start(night); !errors.Is(err, ErrDreaming) {
		t.Errorf("another night meanwhile: error %v", err)
	}
	asked := DreamInput{Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, Dream: uuid.New()}
	if _, err := start(asked); !errors.Is(err, ErrDreaming) {
		t.Errorf("another dream meanwhile: error %v", err)
	}
	asked.DryRun = true
	dry, err := start(asked)
	if err != nil || dry.Found || dry.GetID() == first.GetID() {
		t.Fatalf("a dry run meanwhile: %+v, error %v", dry, err)
	}
	defer func() { _ = c.TerminateWorkflow(t.Context(), dry.GetID(), "", "the test is over") }()
	if again, err := start(asked); err != nil || !again.Found {
		t.Errorf("the same dry run: %+v, error %v", again, err)
	}
	if _, err := start(DreamInput{Mode: memory.DreamREM, DryRun: true}); err == nil {
		t.Error("a dry run without a record was started")
	}
}

func TestTheEndOfADreamIsAResult(t *testing.T) {
	c := dialTemporal(t, devtest.Temporal(t).Address)
	ended := map[memory.DreamMode]func(ctx workflow.Context) (DreamResult, error){
		memory.DreamNightly: func(workflow.Context) (DreamResult, error) { return DreamResult{Outcome: memory.OutcomeWritten}, nil },
		memory.DreamFocused: func(workflow.Context) (DreamResult, error) {
			return DreamResult{}, temporal.NewApplicationErrorWithOptions("failed", DreamFailedType, temporal.ApplicationErrorOptions{
				NonRetryable: true, Details: []any{DreamResult{Outcome: memory.OutcomeFailed, ReasonCode: ReasonModelUnavailable}},
			})
		},
		memory.DreamPromote: func(workflow.Context) (DreamResult, error) {
			return DreamResult{}, temporal.NewNonRetryableApplicationError("broken", "Broken", nil)
		},
		memory.DreamREM: func(ctx workflow.Context) (DreamResult, error) { return DreamResult{}, temporal.NewCanceledError() },
	}
	w := sdkworker.New(c, TaskQueue, sdkworker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, in DreamInput) (DreamResult, error) { return ended[in.Mode](ctx) },
		workflow.RegisterOptions{Name: DreamName})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for mode, want := range map[memory.DreamMode]DreamResult{
		memory.DreamNightly: {Outcome: memory.OutcomeWritten},
		memory.DreamFocused: {Outcome: memory.OutcomeFailed, ReasonCode: ReasonModelUnavailable},
		memory.DreamPromote: {Outcome: memory.OutcomeFailed, ReasonCode: ReasonStepFailed},
		memory.DreamREM:     {Outcome: memory.OutcomeFailed, ReasonCode: ReasonCancelled},
	} {
		in := DreamInput{OwnerRef: testOwner, Dream: uuid.New(), Mode: mode, Trigger: memory.DreamByRequest}
		in.Owner = uuid.New()
		run, err := StartDream(t.Context(), c, in)
		if err != nil {
			t.Fatal(err)
		}
		if mode == memory.DreamPromote || mode == memory.DreamREM {
			want.Dream = in.Dream
		}
		if out, err := run.Result(t.Context()); err != nil || out != want {
			t.Errorf("%s ended as %+v (%v), want %+v", mode, out, err, want)
		}
	}
}

// A dream's statement that is corrected later moves from MEMORY.md to the archive, the diary names it, and undoing
// the dream restores it.
func TestALaterStatementRetiresALineOfADream(t *testing.T) {
	w := newDreamWorld(t)
	for _, day := range []string{"2026-01-28", "2026-01-29", "2026-01-30"} {
		w.note(t, day, "Boris lives in Rome.")
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Promoted != 1 {
		t.Fatalf("the first night ended as %+v (%v)", out, err)
	}
	before := w.read(t, memory.MemoryPath)
	w.asOf = w.asOf.AddDate(0, 0, 4)
	for _, day := range []string{"2026-02-01", "2026-02-02", "2026-02-03"} {
		w.note(t, day, "Boris no longer lives in Rome, he moved to Oslo.")
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeWritten || out.Promoted != 1 {
		t.Fatalf("the second night ended as %+v (%v)", out, err)
	}
	after := w.read(t, memory.MemoryPath)
	if strings.Contains(after, "- Boris lives in Rome.") || !strings.Contains(after, "moved to Oslo") ||
		!strings.HasPrefix(after, itsMemory) || strings.Contains(after, "(2026-01-31)") {
		t.Errorf("MEMORY.md became:\n%s", after)
	}
	archive := w.read(t, "memory/archive/2026-02.md")
	if !strings.Contains(archive, "## Replaced on 2026-02-04\n\n- Boris lives in Rome. <!-- ") ||
		!strings.Contains(archive, "\n\n### Replaced by\n\n- Boris no longer lives in Rome, he moved to Oslo. <!-- ") {
		t.Errorf("the archive says:\n%s", archive)
	}
	if diary := w.read(t, "DREAMS.md"); !strings.Contains(diary, "Retired to memory/archive/2026-02.md") {
		t.Errorf("the diary says:\n%s", diary)
	}
	report := w.report(t)
	if len(report.Contradictions) != 1 || !report.Contradictions[0].Settled || !strings.Contains(report.Contradictions[0].Why, "archive") ||
		!strings.Contains(report.Diff, "\n-- Boris lives in Rome.") {
		t.Errorf("the report says %+v\n%s", report.Contradictions, report.Diff)
	}

	w.asOf = w.asOf.AddDate(0, 0, 1)
	if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeNothing || w.read(t, memory.MemoryPath) != after {
		t.Errorf("the next night ended as %+v (%v)\n%s", out, err, w.read(t, memory.MemoryPath))
	}
	undone, err := w.RevertDream(t.Context(), w.owner, report.ID, "undo")
	if err != nil || len(undone.Conflicts) > 0 {
		t.Fatalf("undoing it: %v, %+v", err, undone.Conflicts)
	}
	if diff := cmp.Diff(before, w.read(t, memory.MemoryPath)); diff != "" {
		t.Errorf("undone, MEMORY.md is (-want +got):\n%s", diff)
	}
	if archive := w.read(t, "memory/archive/2026-02.md"); archive != "" {
		t.Errorf("undone, the archive says:\n%s", archive)
	}
}

// A person's statement stays beside its correction, and the report says so.
func TestALaterStatementRetiresNoLineOfAPerson(t *testing.T) {
	w := newDreamWorld(t)
	w.write(t, memory.MemoryPath, itsMemory+"\n## Friends\n\n- Carla lives in Rome.\n")
	for _, day := range []string{"2026-01-28", "2026-01-29", "2026-01-30"} {
		w.note(t, day, "Carla no longer lives in Rome, she moved to Oslo.")
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Promoted != 1 {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	if got := w.read(t, memory.MemoryPath); !strings.Contains(got, "- Carla lives in Rome.\n") || !strings.Contains(got, "moved to Oslo") {
		t.Errorf("MEMORY.md became:\n%s", got)
	}
	if report := w.report(t); len(report.Contradictions) != 1 || report.Contradictions[0].Settled ||
		!strings.Contains(report.Contradictions[0].Why, "a person wrote it") {
		t.Errorf("the report says %+v", report.Contradictions)
	}
	if diary := w.read(t, "DREAMS.md"); !strings.Contains(diary, "Contradictions, left open:\n\n- Carla lives in Rome.") {
		t.Errorf("the diary says:\n%s", diary)
	}
}
