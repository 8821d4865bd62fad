package workflows

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/testsuite"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/store"
)

// detailsOf are the current details of a workflow, as Temporal's UI shows them.
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

// Temporal's UI shows what is known by now, in counts and ids, and of a dream that writes nothing that it has written nothing.
func TestWhatIsShownOfADream(t *testing.T) {
	w := newDreamWorld(t)
	w.has(t, llmtest.Always(llmtest.Status(503, 0)))
	var during string
	queued, err := w.BeginDream(t.Context(), w.owner, store.NewDream{
		Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, AsOf: w.asOf, DryRun: true, Settings: w.options.DreamDefaults,
	})
	if err != nil {
		t.Fatal(err)
	}
	in := w.nightly()
	in.Dream, in.Night, in.DryRun = queued.ID, "", true
	links := "\n- dream `" + queued.ID.String() + "`\n- its report: `GET /api/v1/memory/" + w.ref(t).Agent + "/dream/reports/…`"
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
	ended := "Phase: **ended**; outcome: **failed** (model_unavailable).\n" + looked + "\n- of 4 candidates: 0 would be promoted, 0 kept, 0 rejected; nothing was written" + links
	if d := cmp.Diff(ended, detailsOf(t, w.env)); d != "" {
		t.Errorf("in the end (-want +got):\n%s", d)
	}
}
