package workflows

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
)

// A night that was dreamed is dreamed again when a person asks for it, by the input or by the reason of a reset: the first dream is
// undone, and the second has a report that names it.
func TestADreamIsDreamedAgain(t *testing.T) {
	for name, ask := range map[string]func(*dreamWorld, *DreamInput){
		"by the input": func(_ *dreamWorld, in *DreamInput) { in.Again = true },
		"by the reason of a reset": func(w *dreamWorld, _ *DreamInput) {
			w.options.ResetReason = func(context.Context, string, string) (string, bool, error) {
				return "operator: Dream again, please", true, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDreamWorld(t)
			first, err := w.run(t, w.nightly())
			if err != nil || first.Outcome != memory.OutcomeWritten {
				t.Fatalf("the first dream ended as %+v (%v)", first, err)
			}
			written := w.read(t, memory.MemoryPath)
			// The person corrects a note of that day, so that the night is to be dreamed again.
			w.note(t, "2026-01-30", "The dog of Ada is called Rex.", "The lift was repaired by Schindler.", "The lift was repaired by Schindler.")
			in := w.nightly()
			ask(w, &in)
			second, err := w.run(t, in)
			if err != nil || second.Outcome != memory.OutcomeWritten || second.Dream == first.Dream || second.Repeats != first.Dream || second.Before {
				t.Fatalf("the second dream ended as %+v (%v)", second, err)
			}
			if got := w.read(t, memory.MemoryPath); strings.Count(got, "Rex") != 1 || !strings.HasPrefix(got, itsMemory) {
				t.Errorf("MEMORY.md was\n%s\nand became\n%s", written, got)
			}
			report := w.report(t)
			if report.AgainOf != first.Dream || report.Night != in.Night || report.ID != second.Dream {
				t.Errorf("the report is %+v", report)
			}
			if diary := w.read(t, "DREAMS.md"); strings.Count(diary, "Undone at") != 1 || !strings.Contains(diary, second.Dream.String()) {
				t.Errorf("the diary says:\n%s", diary)
			}
			if shown := detailsOf(t, w.env); !strings.Contains(shown, "repeats dream `"+first.Dream.String()+"`") {
				t.Errorf("shown:\n%s", shown)
			}
		})
	}
}

// A dream that has ended is not repeated by a reset for another reason, nor by a second start. The run says that it did nothing.
func TestADreamIsNotRepeatedUnasked(t *testing.T) {
	for name, reset := range map[string]bool{"a reset": true, "a second start": false} {
		t.Run(name, func(t *testing.T) {
			w := newDreamWorld(t)
			first, err := w.run(t, w.nightly())
			if err != nil {
				t.Fatal(err)
			}
			written := w.read(t, memory.MemoryPath)
			w.options.ResetReason = func(context.Context, string, string) (string, bool, error) { return "a bad deploy", reset, nil }
			in := w.nightly()
			in.Again = reset // the input of the run that is reset: it was carried out
			out, err := w.run(t, in)
			if err != nil || !out.Before || out.Dream != first.Dream || w.read(t, memory.MemoryPath) != written || w.report(t).ID != first.Dream {
				t.Errorf("it ended as %+v (%v)", out, err)
			}
			shown := detailsOf(t, w.env)
			for _, want := range []string{"This run did nothing", "reverie memory dream again " + first.Dream.String(), "reason `dream again`"} {
				if !strings.Contains(shown, want) {
					t.Errorf("%q is missing in\n%s", want, shown)
				}
			}
		})
	}
}

// A dream that cannot be undone stays, and the run that was to repeat it fails with the reason.
func TestADreamThatCannotBeUndoneIsNotRepeated(t *testing.T) {
	w := newDreamWorld(t)
	first, err := w.run(t, w.nightly())
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(w.read(t, memory.MemoryPath), "Rex", "Rexy", 1)
	w.write(t, memory.MemoryPath, edited)
	in := w.nightly()
	in.Again = true
	if _, err := w.run(t, in); err == nil || !strings.Contains(err.Error(), string(activities.ReasonRevertConflict)) {
		t.Errorf("error %v", err)
	}
	if w.read(t, memory.MemoryPath) != edited || w.report(t).ID != first.Dream {
		t.Error("something was written")
	}
	all, err := w.Dreams(t.Context(), w.owner, dreams.DreamFilter{}, store.Page{Limit: 10})
	if err != nil || len(all.Items) != 1 {
		t.Errorf("%d dreams (%v)", len(all.Items), err)
	}
}

// A run that was reset to a later step, of a dream that has ended, begins the new dream with light sleep.
func TestADreamIsDreamedAgainFromALaterStep(t *testing.T) {
	e := newDreamEnv(t)
	old := uuid.New()
	e.deep = func(n int) (activities.DeepSleepResult, error) {
		if n == 0 {
			state := activities.DreamState{Dream: old, Outcome: memory.OutcomeWritten, Before: true, Again: old}
			return activities.DeepSleepResult{DreamState: state}, nil
		}
		return activities.DeepSleepResult{DreamState: e.running()}, nil
	}
	var repeated uuid.UUID
	e.open = func(in activities.OpenDreamInput) (activities.OpenDreamResult, error) {
		repeated = in.Repeat
		return activities.OpenDreamResult{DreamState: e.running(), Settings: setting.DefaultDreamSettings()}, nil
	}
	out, err := e.run(t, dreamInput())
	if err != nil || out != e.written() || repeated != old {
		t.Errorf("it ended as %+v (%v), repeating %s", out, err, repeated)
	}
	e.wantSteps(t, "open", "light", "rem", "deep", "open", "light", "rem", "deep", "commit")
}

// Each step of a dream is a regular activity.
func TestStepsOfADreamAreRegular(t *testing.T) {
	e := newDreamEnv(t)
	local := 0
	e.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) { local++ })
	if _, err := e.run(t, dreamInput()); err != nil {
		t.Fatal(err)
	}
	if local != 0 {
		t.Errorf("%d steps are local activities", local)
	}
}

// Static details carry the commands for an operator, without contents; two starts of one dream have the same title.
func TestStaticDetailsOfADream(t *testing.T) {
	in := dreamInput()
	in.Dream = uuid.New()
	got := dreamDetails(in)
	for _, want := range []string{
		"reverie memory dreams " + in.Dream.String(), "reverie memory revert " + in.Dream.String(),
		"reverie memory dream again " + in.Dream.String(), "reverie memory owner " + in.Owner.String(), "--agent " + in.Agent,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if title, _, _ := strings.Cut(got, "\n"); title != dreamTitle(in) {
		t.Errorf("title %q", title)
	}
	in.DryRun = true
	if got := dreamDetails(in); strings.Contains(got, "again") {
		t.Errorf("of a dry run:\n%s", got)
	}
}
