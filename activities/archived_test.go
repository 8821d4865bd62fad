package activities

import (
	"strings"
	"testing"

	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// What is archived is not known: a person who says it again in another conversation makes it current again.
func TestArchivedIsLearnedAgain(t *testing.T) {
	const said = "Please remember that our canoe is in the shed."
	w := newFlushWorld(t, nil)
	o := w.options
	o.Proposer, o.Paid = extractive.New(), false
	w.use(t, o)
	learn := func() (memory.Outcome, string) {
		t.Helper()
		w.say(t, memory.TriggerAPI, said, "Noted.", "Thank you.", "You are welcome.")
		out := must(t, w.world, w.Propose, ProposeInput{
			OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, Settings: setting.DefaultExtractSettings(),
		})
		outcome := out.Outcome
		if out.HasDraft {
			outcome = must(t, w.world, w.Apply, ApplyInput{OwnerRef: w.ref, Extraction: out.Extraction}).Outcome
		}
		d, err := w.Store.Document(t.Context(), w.id, memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
		if err != nil {
			t.Fatal(err)
		}
		return outcome, d.Content
	}
	first, content := learn()
	if first != memory.OutcomeWritten || strings.Count(content, "canoe is in the shed") != 1 {
		t.Fatalf("%s\n%s", first, content)
	}
	must(t, w.world, w.TendIndex, TendIndexInput{AgentRef{Workspace: w.id.Workspace, Agent: w.id.Agent}})
	line := ""
	for l := range strings.Lines(content) {
		if strings.Contains(l, "canoe") {
			line = l
		}
	}
	w.write(t, w.id, memory.ScopePersonal, memory.MemoryPath, "# Memory\n\n- Has a dog.\n\n## Archived\n\n"+line+"- Sings in a choir.\n")
	must(t, w.world, w.TendIndex, TendIndexInput{AgentRef{Workspace: w.id.Workspace, Agent: w.id.Agent}})
	again, content := learn()
	current, archive := markdown.CutArchive(content)
	if again != memory.OutcomeWritten || !strings.Contains(current, "canoe") || !strings.Contains(current, "dog") ||
		strings.TrimSpace(archive) != "- Sings in a choir." {
		t.Errorf("%s\n%s", again, content)
	}
}
