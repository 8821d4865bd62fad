package workflows

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"reverie/activities"
	"reverie/memory"
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
			return activities.OpenDreamResult{DreamState: ended(e, memory.OutcomeSkipped, activities.ReasonDreamingOff)}, nil
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
		if last := e.shown[len(e.shown)-1]; last < memory.MinNotesChars || last/2 >= memory.MinNotesChars {
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
	// How long it tries stands in the options; the environment ends the attempts earlier than a server does.
	o := consolidateStep(memory.DefaultDreamSettings())
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

func TestDreamThatWasResetTakesItselfOver(t *testing.T) {
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
			return activities.OpenDreamResult{DreamState: e.running(), Settings: memory.DefaultDreamSettings()}, nil
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
