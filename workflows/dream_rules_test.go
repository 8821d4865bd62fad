package workflows

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/dream"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
)

func TestADreamByRules(t *testing.T) {
	w := newDreamWorld(t)
	out, err := w.run(t, w.nightly())
	if err != nil || out.Outcome != memory.OutcomeWritten || out.Promoted != 1 {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	written := w.read(t, memory.MemoryPath)
	if !strings.HasPrefix(written, itsMemory) || strings.Count(written, "The dog of Ada is called Rex.") != 1 {
		t.Errorf("MEMORY.md became:\n%s", written)
	}
	for words, want := range map[string]string{
		"Rex": dream.ReasonPassed, "opera": dream.ReasonOneOff, "Schindler": dream.ReasonOneOff,
	} {
		if _, reason := w.verdictOn(t, words); reason != want {
			t.Errorf("about %s: %s, want %s", words, reason, want)
		}
	}
	if w.read(t, "DREAMS.md") == "" || w.read(t, "memory/dreaming/deep/2026-01-31.md") == "" || w.hasNews(t) {
		t.Error("it left no diary and reports, or news")
	}
	if len(w.told) != 1 || w.told[0].Promoted != 1 || w.told[0].Mode != memory.DreamNightly {
		t.Errorf("told %+v", w.told)
	}

	diary := w.read(t, "DREAMS.md")
	out.Before = true // the first run ended it
	again, err := w.run(t, w.nightly())
	if err != nil || again != out || w.read(t, memory.MemoryPath) != written || w.read(t, "DREAMS.md") != diary || len(w.told) != 1 {
		t.Errorf("the same night again: %+v (%v), told %+v", again, err, w.told)
	}
	w.asOf = w.asOf.AddDate(0, 0, 1)
	next, err := w.run(t, w.nightly())
	if err != nil || next.Outcome != memory.OutcomeNothing || w.read(t, memory.MemoryPath) != written {
		t.Errorf("the next night: %+v (%v)\n%s", next, err, w.read(t, memory.MemoryPath))
	}
	if _, reason := w.verdictOn(t, "Rex"); reason != dream.ReasonKnown {
		t.Errorf("what was promoted is %s in the next night", reason)
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	w := newDreamWorld(t)
	queued, err := w.BeginDream(t.Context(), w.owner, dreams.NewDream{
		Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, AsOf: w.asOf, DryRun: true, Settings: w.options.DreamDefaults,
	})
	if err != nil {
		t.Fatal(err)
	}
	in := w.nightly()
	in.Dream, in.Night, in.DryRun = queued.ID, "", true
	out, err := w.run(t, in)
	if err != nil || out.Outcome != memory.OutcomeWritten || out.Dream != queued.ID || out.Documents != 0 {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	if diff := w.report(t).Diff; !strings.Contains(diff, "+- The dog of Ada is called Rex.") {
		t.Errorf("the report has the diff:\n%s", diff)
	}
	if w.read(t, memory.MemoryPath) != itsMemory || w.read(t, "DREAMS.md") != "" || !w.hasNews(t) {
		t.Error("something was written or heard")
	}

	wet, err := w.run(t, w.nightly())
	if err != nil || wet.Outcome != memory.OutcomeWritten || wet.Promoted != out.Promoted {
		t.Fatalf("after the dry run: %+v (%v)", wet, err)
	}
	w.write(t, memory.MemoryPath, "# Memory\n\n- All is new.\n")
	replay, err := w.BeginDream(t.Context(), w.owner, dreams.NewDream{
		Mode: memory.DreamNightly, Trigger: memory.DreamByReplay, ReplayOf: wet.Dream, Settings: w.options.DreamDefaults,
	})
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := w.run(t, DreamInput{Mode: memory.DreamNightly, Trigger: memory.DreamByReplay, Dream: replay.ID})
	if err != nil || replayed.Outcome != wet.Outcome || replayed.Promoted != wet.Promoted || replayed.Kept != wet.Kept {
		t.Errorf("the replay ended as %+v (%v), the original as %+v", replayed, err, wet)
	}
	original, err := w.Dream(t.Context(), w.owner, wet.Dream)
	if err != nil {
		t.Fatal(err)
	}
	if again := w.report(t); again.ID != replay.ID || again.Pins.Material != original.Pins.Material ||
		again.Pins.Candidates != original.Pins.Candidates || again.Diff != original.Diff {
		t.Errorf("the replay saw %+v\n%s\nthe original %+v\n%s", again.Pins, again.Diff, original.Pins, original.Diff)
	}
	if got := w.read(t, memory.MemoryPath); got != "# Memory\n\n- All is new.\n" {
		t.Errorf("the replay wrote MEMORY.md:\n%s", got)
	}
}

func TestModesOfDreams(t *testing.T) {
	t.Run("rem", func(t *testing.T) {
		w := newDreamWorld(t)
		w.has(t, llmtest.Always(llmtest.Unauthorized())) // it is not asked
		in := w.nightly()
		in.Mode = memory.DreamREM
		out, err := w.run(t, in)
		if err != nil || out.Outcome != memory.OutcomeNothing || out.ReasonCode != dream.ReasonModeREM ||
			w.read(t, memory.MemoryPath) != itsMemory {
			t.Errorf("it ended as %+v (%v)", out, err)
		}
		if w.read(t, "DREAMS.md") == "" {
			t.Error("it left no diary")
		}
	})
	t.Run("promote", func(t *testing.T) {
		w := newDreamWorld(t)
		w.has(t, llmtest.Always(llmtest.Unauthorized())) // it is not asked
		in := w.nightly()
		in.Mode = memory.DreamPromote
		if out, err := w.run(t, in); err != nil || out.Outcome != memory.OutcomeWritten || out.Promoted != 1 {
			t.Errorf("it ended as %+v (%v)", out, err)
		}
	})
	t.Run("off", func(t *testing.T) {
		w := newDreamWorld(t)
		w.options.DreamDefaults.Enabled = false
		if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeSkipped ||
			out.ReasonCode != setting.ReasonDreamingOff || !w.hasNews(t) {
			t.Errorf("it ended as %+v (%v)", out, err)
		}
	})
	t.Run("shared only", func(t *testing.T) {
		w := newDreamWorld(t)
		w.options.DreamDefaults.OwnerIsolation = false
		if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeSkipped ||
			out.ReasonCode != setting.ReasonSharedOnly {
			t.Errorf("it ended as %+v (%v)", out, err)
		}
	})
	t.Run("no news", func(t *testing.T) {
		w := newDreamWorld(t)
		w.asOf = w.asOf.AddDate(0, 1, 0)
		if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeNothing ||
			out.ReasonCode != activities.ReasonNoNews || w.hasNews(t) {
			t.Errorf("it ended as %+v (%v)", out, err)
		}
		if w.read(t, "DREAMS.md") != "" {
			t.Error("a dream of nothing is in the diary")
		}
	})
}

// A person who edits MEMORY.md while a dream writes loses nothing, and neither does the dream.
func TestADreamOnWhatAPersonJustEdited(t *testing.T) {
	w := newDreamWorld(t)
	edited := strings.Replace(itsMemory, "on Mondays", "on Tuesdays", 1)
	var asked atomic.Int32
	w.has(t, func(llmtest.Request) llmtest.Reply {
		if asked.Add(1) == 1 {
			w.write(t, memory.MemoryPath, edited)
			return llmtest.Honest()
		}
		return said(true, edited+"\n## Pets\n\n- The dog of Ada is called Rex.\n")
	})
	out, err := w.run(t, w.nightly())
	if err != nil || out.Outcome != memory.OutcomeWritten || asked.Load() != 2 {
		t.Fatalf("it ended as %+v (%v) after %d requests", out, err, asked.Load())
	}
	if got := w.read(t, memory.MemoryPath); !strings.HasPrefix(got, edited) || !strings.Contains(got, "Rex") {
		t.Errorf("MEMORY.md became:\n%s", got)
	}
	if usage := w.report(t).Usage; usage.Calls != 2 {
		t.Errorf("%d calls are accounted for", usage.Calls)
	}
}

// A person edits MEMORY.md at every answer of the model: the last one is applied to the text as it is, or rules write.
func TestMemoryThatKeepsChanging(t *testing.T) {
	const rex = "- The dog of Ada is called Rex."
	for name, edit := range map[string]func(string) string{
		"elsewhere": func(text string) string {
			return strings.Replace(text, "- Anna", "- Id "+uuid.NewString()+".\n- Anna", 1)
		},
		"at its line": func(text string) string { return text + "- Another line of " + uuid.NewString() + ".\n" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newDreamWorld(t)
			current, asked := itsMemory, 0
			w.has(t, func(llmtest.Request) llmtest.Reply {
				reply := said(true, current+"\n## Pets\n\n"+rex+"\n")
				current = edit(current)
				asked++
				w.write(t, memory.MemoryPath, current)
				return reply
			})
			out, err := w.run(t, w.nightly())
			if err != nil || out.Outcome != memory.OutcomeWritten || asked != staleRounds {
				t.Errorf("it ended as %+v (%v) after %d requests", out, err, asked)
			}
			got := w.read(t, memory.MemoryPath)
			if !strings.HasPrefix(got, current) || strings.Count(got, rex) != 1 {
				t.Errorf("MEMORY.md became:\n%s", got)
			}
			if model := w.report(t).Model; (model == "builtin/rules") != (name == "at its line") {
				t.Errorf("%s wrote it", model)
			}
		})
	}
}

func TestADreamThatIsCancelledWhileItWaits(t *testing.T) {
	w := newDreamWorld(t)
	w.has(t, nil)
	w.options.Budget = memory.Budget{Tokens: 10}
	if err := w.AddUsage(t.Context(), w.owner, "scripted", memory.Usage{Calls: 1, InputTokens: 100}); err != nil {
		t.Fatal(err)
	}
	_, err := w.run(t, w.nightly(), func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(env.CancelWorkflow, budgetRecheck/2)
	})
	if !temporal.IsCanceledError(err) {
		t.Errorf("error %v", err)
	}
	report := w.report(t)
	if report.Outcome != memory.OutcomeFailed || report.ReasonCode != ReasonCancelled || w.read(t, memory.MemoryPath) != itsMemory ||
		!w.hasNews(t) {
		t.Errorf("it ended as %s (%s)", report.Outcome, report.ReasonCode)
	}
}
