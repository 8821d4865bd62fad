package activities

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/memory/structured"
)

// merger answers with what it is given, in turn.
type merger struct {
	answers []string
	asked   []proposals.MergeInput
}

func (m *merger) MergeEntries(_ context.Context, in proposals.MergeInput) (proposals.Answer, error) {
	m.asked = append(m.asked, in)
	return proposals.Answer{Raw: m.answers[(len(m.asked)-1)%len(m.answers)], Model: "scripted", Usage: memory.Usage{Calls: 1}}, nil
}

// At night a model merges entries about the same thing; what nobody said is refused, and without a model nothing is asked.
func TestEntriesAreMergedAtNight(t *testing.T) {
	const good = `{"merged": [{"entries": [1, 2], "key": "tea", "content": "Likes green tea in the morning."}]}`
	const invented = `{"merged": [{"entries": [1, 2], "key": "tea", "content": "Likes green tea from Kyoto in the morning."}]}`
	document := "## tea\n\nLikes green tea.\n\n> Source: tool | Updated: 2026-11-01\n\n## drinks\n\nLikes tea in the morning.\n\n> Source: tool | Updated: 2026-11-02\n\n"
	for i := range 6 {
		document += fmt.Sprintf("## lamp %d\n\nHas %d lamps in room %d.\n\n> Source: tool | Updated: 2026-11-03\n\n", i, i+2, i+2)
	}
	for name, c := range map[string]struct {
		answers []string
		merged  int
		asked   int
	}{
		"merged":          {[]string{good}, 1, 1},
		"repaired":        {[]string{invented, good}, 1, 2},
		"refused":         {[]string{invented}, 0, 4}, // in either night
		"nothing":         {[]string{`{"merged": []}`}, 0, 2},
		"without a model": {nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, id := newWorld(t), member("ada", "user:1")
			model := &merger{answers: c.answers}
			o := Options{Store: w.Store}
			settings := setting.DefaultDreamSettings()
			if settings.Paid = c.answers != nil; settings.Paid {
				o.Merger = model
			}
			w.use(t, o)
			w.talk(t, id, "c", "Hello.", "Hello.")
			tool := id
			tool.Author = memory.Author{Kind: memory.AuthorTool, ID: "remember_structured"}
			w.write(t, tool, memory.ScopePersonal, structured.User.Path(), document)
			owner, err := w.Store.OwnerID(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			in := TidyInput{OwnerRef: memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: owner}, Settings: settings}
			out := must(t, w, w.Tidy, in)
			again := must(t, w, w.Tidy, in)
			d, err := w.Store.Document(t.Context(), id, memory.Ref{Scope: memory.ScopePersonal, Path: structured.User.Path()})
			if err != nil {
				t.Fatal(err)
			}
			entries := structured.Parse(d.Content)
			if out.Merged != c.merged || again.Merged != 0 || len(model.asked) != c.asked || len(entries) != 8-c.merged {
				t.Errorf("merged %d and %d, asked %d, %d entries", out.Merged, again.Merged, len(model.asked), len(entries))
			}
			if strings.Contains(d.Content, "Kyoto") || c.merged > 0 != strings.Contains(d.Content, "Likes green tea in the morning.") {
				t.Error(d.Content)
			}
		})
	}
}

// A line that is new in its words is heard by its vector, where the agent has vectors.
func TestWhatIsKnownIsHeardByVectors(t *testing.T) {
	const entry = `## 10:00 Garden\n\n- The user puts an oak into the garden.\n- Waters the tulips at night.`
	same := func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Name: "same", Vectors: func(all []llmtest.Vector) []llmtest.Vector {
			for i := range all {
				all[i].Numbers = all[0].Numbers
			}
			return all
		}}
	}
	for name, c := range map[string]struct {
		script llmtest.Script
		heard  int
	}{"same": {same, 1}, "apart": {nil, 0}} {
		t.Run(name, func(t *testing.T) {
			w := newFlushWorld(t, llmtest.Always(llmtest.Answer(`{"should_update":true,"reason":"a garden","daily_entry":"`+entry+`"}`)))
			w.options.Embedders = append(w.options.Embedders, modelAt(t, llmtest.New(t, llmtest.Options{Script: c.script}), "small"))
			w.use(t, w.options)
			w.write(t, w.id, memory.ScopePersonal, memory.MemoryPath, "- The user plants an oak in the garden.\n")
			must(t, w.world, w.TendIndex, TendIndexInput{ada})
			w.embedAll(t, EmbedInput{AgentRef: ada})
			in := w.plan(t)
			if out := must(t, w.world, w.ProposeFlush, in); !out.HasDraft {
				t.Fatalf("%+v", out)
			}
			w.commit(t, in, false)
			if note := w.note(t); strings.Contains(note, "oak") != (c.heard == 0) || !strings.Contains(note, "tulips") {
				t.Errorf("noted %q", note)
			}
			if n := w.count(t, `select count(*) from fact_events where kind = 'HEARD'`); n != c.heard {
				t.Errorf("%d facts were heard", n)
			}
		})
	}
}
