package workflows

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"reverie/devenv/devtest"
	"reverie/memory"
)

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

func TestHowADreamEndedIsAResult(t *testing.T) {
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
