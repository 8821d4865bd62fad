package chat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/tokencount"
	"reverie/window"
)

// samples are texts in many languages and notations.
func samples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../llm/testdata/tokens/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	all := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txt")] = string(b)
	}
	return all
}

// fullWindow fits far more turns of a text than fit, using estimates.
func fullWindow(t *testing.T, text string) window.Result {
	t.Helper()
	s := setting.DefaultWindowSettings()
	s.MaxTokens, s.KeepTurns = 32_768, 1000
	in := window.Input{
		System: text, Current: memory.Message{Role: memory.RoleOfUser, Content: text}, Settings: s,
		Count: tokencount.Estimate, Estimated: true,
	}
	for seq := int64(1); seq <= 600; seq++ {
		in.History = append(in.History, memory.Message{Seq: seq, Role: []string{memory.RoleOfAssistant, memory.RoleOfUser}[seq%2], Content: text})
	}
	got, err := window.Fit(in)
	if err != nil || got.Unsent == 0 {
		t.Fatalf("%v, without messages up to %d", err, got.Unsent)
	}
	return got
}

// countedBy returns the tokens of a window for a model whose vocabulary is known.
func countedBy(c llm.TokenCounter, r window.Result) (n int) {
	for _, m := range r.Messages {
		n += c.Count(m.Content) + 4
	}
	return n
}

// A window that was filled by estimates fits what is counted. Models whose vocabularies are not at hand are of today, as o200k_base
// is, which every sample fits. cl100k_base, of 2022, represents those that know fewer scripts: emoji and five scripts go beyond
// it, Hindi by two fifths; there the model refuses, and is sent less.
func TestEstimatedWindowsFitWhatIsCounted(t *testing.T) {
	texts := samples(t)
	var mixed strings.Builder
	for _, text := range texts {
		mixed.WriteString(text)
	}
	texts["all"] = mixed.String()
	beyond := map[string]bool{"hindi": true, "vietnamese": true, "emoji": true, "russian": true, "arabic": true, "thai": true}
	for name, text := range texts {
		r := fullWindow(t, text)
		newer, older := countedBy(llm.CounterFor("gpt-4o"), r), countedBy(llm.CounterFor("gpt-4"), r)
		t.Logf("%-11s estimated %6d, o200k %6d, cl100k %6d", name, r.Ledger.Used, newer, older)
		if newer > r.Ledger.Max {
			t.Errorf("%s: %d tokens in a window of %d", name, newer, r.Ledger.Max)
		}
		if older > r.Ledger.Max && !beyond[name] {
			t.Errorf("%s: %d older tokens in a window of %d", name, older, r.Ledger.Max)
		}
	}
}

// Tokens are counted with the model's vocabulary if known, and otherwise estimated with a margin.
func TestContextsAreCountedAsTheModelCounts(t *testing.T) {
	w := open(t)
	w.said(grace, "c1", strings.Repeat("Die Straße ist heute gesperrt. ", 40), strings.Repeat("Nehmen Sie die Brücke. ", 40))
	for model, want := range map[string]llm.TokenCounter{
		"gpt-4o": llm.CounterFor("gpt-4o"), "openai/gpt-4": llm.CounterFor("gpt-4"),
		"anthropic/claude-opus-4-1": {Name: "estimate", Count: tokencount.Estimate},
	} {
		c := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "Und morgen?", Model: model})
		if c.Counter.Name != want.Name || c.Counter.Exact != want.Exact || c.Model != model {
			t.Errorf("%s is counted by %s", model, c.Counter.Name)
		}
		if got := countedBy(want, c.Result); c.Ledger.Used != got {
			t.Errorf("%s: %d tokens, want %d", model, c.Ledger.Used, got)
		}
	}
}

// Tool results of a turn have the margin, too.
func TestToolResultsOfEstimatedWindows(t *testing.T) {
	w := open(t)
	w.Settings.MaxTokens = 8000
	for _, file := range []string{"a", "b", "c"} {
		w.write(grace, "notes/"+file+".md", strings.Repeat("Sandy beaches and "+file+" dunes.\n", 200))
	}
	w.long(grace, "c1", 10)
	w.model.will(
		call(memory.ToolCall{ID: "a", Name: "read_workspace_memory_file", Arguments: `{"filename":"notes/a.md"}`}),
		call(memory.ToolCall{ID: "b", Name: "read_workspace_memory_file", Arguments: `{"filename":"notes/b.md"}`}),
		call(memory.ToolCall{ID: "c", Name: "read_workspace_memory_file", Arguments: `{"filename":"notes/c.md"}`}),
		say("Dunes."),
	)
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "What do my notes say about dunes?"})
	for _, used := range turn.Calls {
		if used.Result.IsError || len(used.Result.Content) < 4000 {
			t.Errorf("%s says %.200s", used.Call.ID, used.Result.Content)
		}
	}
	asked := w.model.asked()
	for i, r := range asked {
		n := 0
		for _, tool := range r.Tools {
			n += tokencount.Estimate(tool.Name+tool.Description+string(tool.Parameters)) + 12
		}
		for _, m := range r.Messages {
			n += tokencount.Estimate(m.Content) + 4
			for _, c := range m.ToolCalls {
				n += tokencount.Estimate(c.Name) + tokencount.Estimate(c.Arguments)
			}
		}
		if limit := int(8000 * window.EstimateShare); n > limit {
			t.Errorf("call %d has %d tokens of %d", i, n, limit)
		}
	}
	if len(asked) != 4 {
		t.Errorf("%d calls", len(asked))
	}
}
