package workflows

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/writereq"
)

// runWrite runs a WriteMemory in virtual time, whose step answers by how often it was tried before; it returns how often that was,
// and how long all of it took.
func runWrite(t *testing.T, step func(n int) (writereq.WriteReceipt, error)) (out writereq.WriteReceipt, tried int, took time.Duration,
	err error,
) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkflowRunTimeout(30 * 24 * time.Hour)
	env.RegisterActivity(&activities.Activities{})
	in := activities.WriteRef{Workspace: "acme", Agent: "ada", Write: uuid.New(), RequestID: "case-41"}
	env.OnActivity(steps.CommitWrite, mock.Anything, mock.Anything).
		Return(func(_ context.Context, got activities.WriteRef) (writereq.WriteReceipt, error) {
			if got != in {
				t.Errorf("the step is asked for %+v, want %+v", got, in)
			}
			tried++
			return step(tried - 1)
		})
	start := env.Now()
	env.ExecuteWorkflow(WriteMemory, in)
	took = env.Now().Sub(start)
	if !env.IsWorkflowCompleted() {
		t.Fatal("it did not end")
	}
	if err := env.GetWorkflowError(); err != nil {
		return out, tried, took, err
	}
	return out, tried, took, env.GetWorkflowResult(&out)
}

// TestWriteWaitsForTheStore: a database that is unavailable for a day only costs attempts.
func TestWriteWaitsForTheStore(t *testing.T) {
	t.Parallel()
	want := writereq.WriteReceipt{
		Write: uuid.New(), RequestID: "case-41", Outcome: memory.OutcomeWritten, Document: uuid.New(), Version: 3,
		Bytes: 12,
	}
	const away = 24 * 60 * 2 // attempts; they come every half a minute at most
	out, tried, took, err := runWrite(t, func(n int) (writereq.WriteReceipt, error) {
		if n < away {
			return writereq.WriteReceipt{}, errors.New("the database is away")
		}
		return want, nil
	})
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("the receipt (-want +got):\n%s%v", diff, err)
	}
	if tried != away+1 || took < 23*time.Hour || took > 25*time.Hour {
		t.Errorf("tried %d times in %s, want %d in a day", tried, took, away+1)
	}
}

// TestRefusedWriteIsAResult: a refusal completes the workflow, and is not retried.
func TestRefusedWriteIsAResult(t *testing.T) {
	t.Parallel()
	for _, code := range []memory.ReasonCode{writereq.RefusedTarget, writereq.RefusedTeam, writereq.RefusedMemoryOff, writereq.RefusedQuarantined} {
		out, tried, _, err := runWrite(t, func(int) (writereq.WriteReceipt, error) {
			return writereq.WriteReceipt{RequestID: "case-41", Outcome: writereq.OutcomeRefused, ReasonCode: code}, nil
		})
		if err != nil || tried != 1 || out.Outcome != writereq.OutcomeRefused || out.ReasonCode != code {
			t.Errorf("%s: %+v after %d attempts, %v", code, out, tried, err)
		}
	}
}

// TestWriteThatIsNotThere: a write that was removed with its agent fails at once, and an unavailable store fails it
// after a week.
func TestWriteThatIsNotThere(t *testing.T) {
	t.Parallel()
	_, tried, _, err := runWrite(t, func(int) (writereq.WriteReceipt, error) {
		return writereq.WriteReceipt{}, temporal.NewNonRetryableApplicationError("not found", activities.TypeNotFound, nil)
	})
	if app, is := errors.AsType[*temporal.ApplicationError](err); tried != 1 || !is || app.Type() != activities.TypeNotFound {
		t.Errorf("tried %d times: %v", tried, err)
	}
	_, _, took, err := runWrite(t, func(int) (writereq.WriteReceipt, error) {
		return writereq.WriteReceipt{}, errors.New("the database is away")
	})
	if week := 7 * 24 * time.Hour; err == nil || took < week-time.Hour || took > week+time.Hour {
		t.Errorf("given up after %s: %v", took, err)
	}
}
