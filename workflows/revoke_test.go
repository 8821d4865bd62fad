package workflows

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store/dreams"
)

// A dream that rested on what was revoked is undone with it, and dreamed again without it: what else it promoted is promoted again.
func TestWhatRestedOnASourceIsDreamedAgain(t *testing.T) {
	w := newDreamWorld(t)
	connector := w.owner
	connector.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "key", WorkflowID: "write-memory/acme.ada/crm-1/x"}
	for _, day := range []string{"2026-01-28", "2026-01-29", "2026-01-30"} {
		change := memory.Change{
			Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/" + day + ".md"}, Op: memory.OpAppend, Content: "- Ada collects stamps from Peru.\n",
		}
		if _, err := w.Apply(t.Context(), connector, uuid.NewString(), []memory.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := w.run(t, w.nightly())
	if err != nil || first.Outcome != memory.OutcomeWritten {
		t.Fatalf("%+v (%v)", first, err)
	}
	if got := w.read(t, memory.MemoryPath); !strings.Contains(got, "Peru") || !strings.Contains(got, "Rex") {
		t.Fatalf("promoted:\n%s", got)
	}
	record := uuid.New()
	request := dreams.RevokeRequest{
		Origin: dreams.Origin{Workflows: map[string]bool{connector.Author.WorkflowID: true}}, Revocation: record, Again: true,
	}
	request.Preview = true
	shown, err := w.Revoke(t.Context(), w.owner, request)
	if err != nil || shown.Dreams != 1 || shown.Statements != 1 {
		t.Fatalf("the preview: %+v (%v)", shown, err)
	}
	request.Preview = false
	done, err := w.Revoke(t.Context(), w.owner, request)
	if err != nil || done.Dreams != 1 || done.Statements != 1 {
		t.Fatalf("%+v (%v)", done, err)
	}
	if got := w.read(t, memory.MemoryPath); got != itsMemory {
		t.Errorf("the dream was not undone:\n%s", got)
	}
	tender := w.everybody()
	tender.Role = memory.RoleAdmin
	undone, err := w.UndoneDreams(t.Context(), tender, record)
	if err != nil || len(undone) != 1 || undone[0].Dream != first.Dream {
		t.Fatalf("%+v (%v)", undone, err)
	}
	second, err := w.run(t, DreamInput{Dream: undone[0].Dream, Mode: undone[0].Mode, Trigger: memory.DreamByRequest, Again: true})
	if err != nil || second.Outcome != memory.OutcomeWritten || second.Repeats != first.Dream {
		t.Fatalf("%+v (%v)", second, err)
	}
	if got := w.read(t, memory.MemoryPath); strings.Contains(got, "Peru") || !strings.Contains(got, "Rex") {
		t.Errorf("dreamed again:\n%s", got)
	}
	if undone, err = w.UndoneDreams(t.Context(), tender, record); err != nil || len(undone) > 0 {
		t.Errorf("to be dreamed again: %+v (%v)", undone, err)
	}
}
