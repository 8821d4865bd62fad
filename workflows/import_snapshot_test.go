package workflows

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/memory"
	"reverie/store/transfer"
)

// snapshotEnv runs an ImportSnapshot in virtual time.
type snapshotEnv struct {
	*testsuite.TestWorkflowEnvironment
	in        ImportSnapshotInput
	committed int
	ended     int // times that it was ended without writing
	cancelled activities.CommitSnapshotResult
	// commit answers in place of the store, by how often it was asked before.
	commit func(n int) (activities.CommitSnapshotResult, error)
}

func newSnapshotEnv(read func(n int) error) *snapshotEnv {
	var suite testsuite.WorkflowTestSuite
	e := &snapshotEnv{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	e.SetWorkflowRunTimeout(7 * 24 * time.Hour)
	e.RegisterActivity(&activities.Activities{})
	e.in = ImportSnapshotInput{
		AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Import: uuid.New(), Archive: strings.Repeat("ab", 32),
	}
	reads := 0
	e.OnActivity(steps.ReadSnapshot, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.SnapshotInput) (activities.ReadSnapshotResult, error) {
			reads++
			return activities.ReadSnapshotResult{Documents: 3, Skipped: 1, Bytes: 2048}, read(reads - 1)
		}).Maybe()
	e.OnActivity(steps.CommitSnapshot, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.SnapshotInput) (activities.CommitSnapshotResult, error) {
			e.committed++
			return e.commit(e.committed - 1)
		}).Maybe()
	e.OnActivity(steps.CancelSnapshot, mock.Anything, mock.Anything).
		Return(func(context.Context, activities.SnapshotInput) (activities.CommitSnapshotResult, error) {
			e.ended++
			return e.cancelled, nil
		}).Maybe()
	return e
}

func (e *snapshotEnv) run(t *testing.T) (ImportSnapshotResult, error) {
	t.Helper()
	return runToEnd[ImportSnapshotResult](t, e.TestWorkflowEnvironment, ImportSnapshot, e.in)
}

func readable(int) error { return nil }

// Both steps wait for an unavailable database; the import is then done once.
func TestAnImportOfASnapshotWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	away := errors.New("the database is away")
	e := newSnapshotEnv(func(n int) error {
		if n < 3 {
			return away
		}
		return nil
	})
	e.commit = func(n int) (activities.CommitSnapshotResult, error) {
		if n < 8 { // the test environment tries ten times at most
			return activities.CommitSnapshotResult{}, away
		}
		return activities.CommitSnapshotResult{Outcome: memory.OutcomeWritten, Created: 2, Updated: 1, Skipped: 1}, nil
	}
	start := e.Now()
	out, err := e.run(t)
	want := ImportSnapshotResult{Import: e.in.Import, Outcome: memory.OutcomeWritten, Created: 2, Updated: 1, Skipped: 1}
	if diff := cmp.Diff(want, out); diff != "" || err != nil || e.committed != 9 {
		t.Errorf("after %d attempts: %v\n%s", e.committed, err, diff)
	}
	if took := e.Now().Sub(start); took < 3*time.Minute || took > 5*time.Minute {
		t.Errorf("it took %s", took)
	}
}

// An error that no retry can fix stops the workflow: nothing is written, and the worker's sweep starts it again.
func TestAnImportOfASnapshotStops(t *testing.T) {
	t.Parallel()
	e := newSnapshotEnv(readable)
	e.commit = func(int) (activities.CommitSnapshotResult, error) {
		return activities.CommitSnapshotResult{}, temporal.NewNonRetryableApplicationError("no such import", activities.TypeNotFound, nil)
	}
	_, err := e.run(t)
	if failed, is := errors.AsType[*temporal.ApplicationError](err); !is || failed.Type() != activities.TypeNotFound || e.committed != 1 {
		t.Errorf("%v after %d attempts", err, e.committed)
	}
}

// A refusal is a result with its reason, not a failure, and is not retried.
func TestAnImportOfASnapshotThatIsRefused(t *testing.T) {
	t.Parallel()
	for _, reason := range []memory.ReasonCode{
		activities.ReasonChangedSincePreview, activities.ReasonTeamMember,
		activities.ReasonMemoryOff, activities.ReasonForbidden,
	} {
		e := newSnapshotEnv(readable)
		e.commit = func(int) (activities.CommitSnapshotResult, error) {
			return activities.CommitSnapshotResult{Outcome: transfer.OutcomeRefused, ReasonCode: reason}, nil
		}
		out, err := e.run(t)
		if want := (ImportSnapshotResult{Import: e.in.Import, Outcome: transfer.OutcomeRefused, ReasonCode: reason}); err != nil ||
			out != want || e.committed != 1 {
			t.Errorf("%s: %+v (%v) after %d attempts", reason, out, err, e.committed)
		}
	}
}

// An import that is cancelled while it waits for the database ends without having written, and its record says so.
func TestAnImportOfASnapshotThatIsCancelled(t *testing.T) {
	t.Parallel()
	e := newSnapshotEnv(func(int) error { return errors.New("the database is away") })
	e.cancelled = activities.CommitSnapshotResult{Outcome: transfer.OutcomeRefused, ReasonCode: activities.ReasonCancelled}
	e.RegisterDelayedCallback(e.CancelWorkflow, 2*time.Minute)
	if _, err := e.run(t); !temporal.IsCanceledError(err) || e.committed != 0 || e.ended != 1 {
		t.Errorf("%v after %d attempts to write, ended %d times", err, e.committed, e.ended)
	}
}

// One that has written before the cancellation gets to it has written, and says so.
func TestAnImportOfASnapshotThatIsCancelledTooLate(t *testing.T) {
	t.Parallel()
	e := newSnapshotEnv(readable)
	e.commit = func(int) (activities.CommitSnapshotResult, error) {
		return activities.CommitSnapshotResult{}, errors.New("the answer of the database got lost")
	}
	e.cancelled = activities.CommitSnapshotResult{Outcome: memory.OutcomeWritten, Created: 2}
	e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute)
	out, err := e.run(t)
	if want := (ImportSnapshotResult{Import: e.in.Import, Outcome: memory.OutcomeWritten, Created: 2}); out != want || err != nil ||
		e.ended != 1 {
		t.Errorf("%+v (%v), ended %d times", out, err, e.ended)
	}
}
