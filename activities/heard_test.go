package activities

import (
	"strings"
	"testing"
	"time"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
)

// Statements that memory has already, in whatever words, are noted as said again, not added.
func TestWhatIsKnownIsHeardAgain(t *testing.T) {
	const entry = `## 10:00 Garden\n\n- The user plants an oak in the garden.\n- Waters the tulips at night.`
	heard := func(t *testing.T, w *flushWorld) {
		t.Helper()
		if n := w.count(t, `select count(*) from fact_events where kind = 'HEARD' and reason = 'heard'`); n != 1 {
			t.Errorf("%d facts were heard again", n)
		}
	}
	for known, left := range map[string]string{
		"- Plants an oak in the garden.\n":                               "Waters the tulips",
		"- Plants an oak in the garden.\n- Waters the tulips at noon.\n": "Waters the tulips",
	} {
		w := newFlushWorld(t, llmtest.Always(llmtest.Answer(`{"should_update":true,"reason":"a garden","daily_entry":"`+entry+`"}`)))
		w.write(t, w.id, memory.ScopePersonal, memory.MemoryPath, known)
		must(t, w.world, w.TendIndex, TendIndexInput{AgentRef{Workspace: w.id.Workspace, Agent: w.id.Agent}})
		in := w.plan(t)
		if out := must(t, w.world, w.ProposeFlush, in); !out.HasDraft {
			t.Fatalf("%+v", out)
		}
		w.commit(t, in, false)
		if note := w.note(t); strings.Contains(note, "oak") || !strings.Contains(note, left) {
			t.Errorf("noted %q", note)
		}
		heard(t, w)
	}

	w := newFlushWorld(t, llmtest.Always(llmtest.Answer(`{"should_update":true,"reason":"a garden","daily_entry":"## 10:00 Garden\n\n`+
		`- The user plants an oak in the garden.","memory_update":"- Plants an oak in the garden.\n- The user plants an oak in the garden.\n",`+
		`"profile_update":"","retired":[]}`)))
	w.write(t, w.id, memory.ScopePersonal, memory.MemoryPath, "- Plants an oak in the garden.\n")
	must(t, w.world, w.TendIndex, TendIndexInput{AgentRef{Workspace: w.id.Workspace, Agent: w.id.Agent}})
	out := must(t, w.world, w.Propose, ProposeInput{
		OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, First: true, Settings: setting.DefaultExtractSettings(),
	})
	if out.Outcome != memory.OutcomeNothing || out.ReasonCode != ReasonNoted || out.HasDraft {
		t.Errorf("%+v", out)
	}
	heard(t, w)

	// A line in other words does not replace the one that says the same, also if the day's note has it.
	w = newFlushWorld(t, llmtest.Always(llmtest.Answer(`{"should_update":true,"reason":"a garden","daily_entry":"",`+
		`"memory_update":"- The user plants an oak in the garden.\n","profile_update":"","retired":[]}`)))
	engine := w.id
	engine.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "extract", WorkflowID: "w", RunID: "r"}
	w.write(t, engine, memory.ScopePersonal, memory.MemoryPath, "- Plants an oak in the garden.\n")
	w.write(t, w.id, memory.ScopePersonal, memory.DailyNotePath(time.Now().UTC()), "- The user plants an oak in the garden.\n")
	must(t, w.world, w.TendIndex, TendIndexInput{AgentRef{Workspace: w.id.Workspace, Agent: w.id.Agent}})
	out = must(t, w.world, w.Propose, ProposeInput{
		OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, First: true, Settings: setting.DefaultExtractSettings(),
	})
	if out.Outcome != memory.OutcomeNothing || out.ReasonCode != ReasonNoted || out.HasDraft {
		t.Errorf("%+v", out)
	}
	heard(t, w)

	// What is only noted may become lasting.
	w = newFlushWorld(t, llmtest.Always(llmtest.Answer(`{"should_update":true,"reason":"a garden","daily_entry":"",`+
		`"memory_update":"- Keeps bees.\n- The user plants an oak in the garden.\n","profile_update":"","retired":[]}`)))
	w.write(t, w.id, memory.ScopePersonal, memory.MemoryPath, "- Keeps bees.\n")
	w.write(t, w.id, memory.ScopePersonal, memory.DailyNotePath(time.Now().UTC()), "- Plants an oak in the garden.\n")
	must(t, w.world, w.TendIndex, TendIndexInput{AgentRef{Workspace: w.id.Workspace, Agent: w.id.Agent}})
	if out := must(t, w.world, w.Propose, ProposeInput{
		OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, First: true, Settings: setting.DefaultExtractSettings(),
	}); !out.HasDraft {
		t.Errorf("%+v", out)
	}
}
