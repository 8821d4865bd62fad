package activities

import (
	"fmt"
	"testing"

	"reverie/store"

	"reverie/llm/llmtest"
	"reverie/memory"
)

func TestTendIndexMergesAndIndexesAnew(t *testing.T) {
	w := newWorld(t)
	for i, text := range sentences(70) {
		w.write(t, member("ada", "user:1"), memory.ScopePersonal, fmt.Sprintf("memory/note-%d.md", i), text)
	}
	out := must(t, w, w.TendIndex, TendIndexInput{ada})
	if out.Packed < 70 || out.Stale != 0 || out.More || out.Spaces != nil {
		t.Errorf("%+v", out)
	}
	if n := w.count(t, `select count(*) from index_fresh where agent_id = 'ada' and scope = 'PERSONAL'`); n != 0 {
		t.Errorf("%d writes were not merged", n)
	}
	units := w.count(t, `select sum(units) from index_sources where agent_id = 'ada'`)

	stale := must(t, w, w.StaleIndex, IndexInput{ada})
	if left := must(t, w, w.StaleLeft, IndexInput{ada}); stale.Sources < 70 || left != stale {
		t.Errorf("%d sources are marked, %d left", stale.Sources, left.Sources)
	}
	if out := must(t, w, w.TendIndex, TendIndexInput{ada}); out.Stale != 0 || out.More {
		t.Errorf("%+v", out)
	}
	if left := must(t, w, w.StaleLeft, IndexInput{ada}); left.Sources != 0 {
		t.Errorf("%d sources are left", left.Sources)
	}
	if n := w.count(t, `select sum(units) from index_sources where agent_id = 'ada'`); n != units {
		t.Errorf("%d units became %d", units, n)
	}
}

func TestASweepFindsWhatIsDue(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	w := newWorld(t, modelAt(t, server, "small"))
	w.talk(t, member("ada", "user:1"), "talk", sentences(10)...)
	due := func() map[AgentRef]bool {
		agents, err := w.Store.DueAgents(t.Context(), store.Lease{Limit: 10}, len(w.Embedders) > 0, AgentRef{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[AgentRef]bool{}
		for _, agent := range agents {
			out[agent.AgentRef] = agent.Due
		}
		return out
	}
	if !due()[ada] {
		t.Error("what was written is not due")
	}
	w.embedAll(t, EmbedInput{AgentRef: ada})
	must(t, w, w.TendIndex, TendIndexInput{ada}) // derives facts of the documents that an agent begins with
	if due()[ada] {
		t.Error("what is done is due again")
	}
	models := w.Embedders
	w.use(t, Options{Store: w.Store})
	w.talk(t, member("ada", "user:1"), "another talk", sentences(10)...)
	if due()[ada] {
		t.Error("vectors are due without anybody to make them")
	}
	w.use(t, Options{Store: w.Store, Embedders: models})
	if !due()[ada] {
		t.Error("what was written without a model is not due with one")
	}
}
