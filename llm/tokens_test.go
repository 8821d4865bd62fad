package llm_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"reverie/llm"
	"reverie/memory/tokencount"
)

func TestCountersOfModels(t *testing.T) {
	t.Parallel()
	for name, models := range map[string]string{
		"o200k_base": `gpt-4o openai/gpt-4o gpt-4o-mini-2024-07-18 GPT-4.1-nano gpt-4.5-preview gpt-5 gpt-5.1 gpt-5-mini-2025-08-07 gpt-6
			chatgpt-4o-latest o1 o1-preview o3-mini o4-mini-2025-04-16 openrouter/openai/gpt-4o:extended azure/gpt-4o-prod codex-mini-latest
			ft:gpt-4o-mini-2024-07-18:acme::9abc ollama/gpt-oss:20b openai.gpt-oss-120b-1:0 groq/openai/gpt-oss-20b`,
		"cl100k_base": `gpt-4 openai/gpt-4-turbo gpt-4-0613 gpt-4-32k gpt-3.5-turbo gpt-3.5-turbo-instruct azure/gpt-35-turbo-16k
			text-embedding-3-small openai/text-embedding-3-large text-embedding-ada-002 ft:gpt-3.5-turbo-0125:acme::9abc davinci-002`,
		"estimate": `claude-sonnet-4-5 anthropic/claude-opus-4-1 gemini-2.5-pro llama3.3 mistral-large-latest deepseek-chat qwen3 gpt2 gpt-j-6b
			gpt4all-falcon opus o200 gpt-neox text-davinci-003 azure/my-deployment`,
	} {
		for model := range strings.FieldsSeq(models) {
			c := llm.CounterFor(model)
			if c.Name != name || c.Exact != (name != "estimate") || c.Count("Where did I park?") < 4 {
				t.Errorf("%s: %s, exact %t, %d tokens", model, c.Name, c.Exact, c.Count("Where did I park?"))
			}
		}
	}
	if c := llm.CounterFor(""); c.Name != "estimate" {
		t.Errorf("no name: %s", c.Name)
	}
}

// Counts that OpenAI publishes with its tokenizer.
func TestExactCounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]int{
		"":                             {"gpt-4o": 0, "gpt-4": 0},
		"tiktoken is great!":           {"gpt-4o": 6, "gpt-4": 6},
		"antidisestablishmentarianism": {"gpt-4o": 6, "gpt-4": 6},
		"2 + 2 = 4":                    {"gpt-4o": 7, "gpt-4": 7},
		"お誕生日おめでとう":                    {"gpt-4o": 8, "gpt-4": 9},
	} {
		for model, want := range want {
			if got := llm.CounterFor(model).Count(text); got != want {
				t.Errorf("%s: %q has %d tokens, want %d", model, text, got, want)
			}
		}
	}
}

// A count that is kept is the count.
func TestCountsThatAreKept(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The quick brown fox. ", 40)
	for _, model := range []string{"gpt-4o", "gpt-4"} {
		count := llm.CounterFor(model).Count
		first, other := count(long), count(strings.ToUpper(long))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if again := llm.CounterFor(model).Count(long); again != first {
					t.Errorf("%s: %d tokens, then %d", model, first, again)
				}
			})
		}
		wg.Wait()
		if other == first {
			t.Errorf("%s: both texts have %d tokens", model, first)
		}
	}
}

// tolerance bounds how far the estimate may be outside the counts of OpenAI's two vocabularies; other makers' are close to them.
const tolerance = 0.20

// The estimate against the exact counts, on texts of many kinds. docs/context.md quotes the table: go test ./llm/ -run
// TestTheEstimate -v
func TestTheEstimateIsNearToTheCounts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/tokens/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	t.Logf("%-11s %6s %7s %7s %9s %14s %14s", "text", "bytes", "o200k", "cl100k", "estimate", "against o200k", "against cl100k")
	check := func(name string, size, newer, older, estimate int) {
		t.Logf("%-11s %6d %7d %7d %9d %+13.0f%% %+13.0f%%", name, size, newer, older, estimate, off(estimate, newer), off(estimate, older))
		if low, high := float64(min(newer, older))*(1-tolerance), float64(max(newer, older))*(1+tolerance); float64(estimate) < low ||
			float64(estimate) > high {
			t.Errorf("%s: estimated at %d tokens, counted %d and %d", name, estimate, newer, older)
		}
	}
	var size, newer, older, estimate int
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		o, c, e := llm.CounterFor("gpt-4o").Count(text), llm.CounterFor("gpt-4").Count(text), tokencount.Estimate(text)
		check(strings.TrimSuffix(filepath.Base(file), ".txt"), len(text), o, c, e)
		size, newer, older, estimate = size+len(text), newer+o, older+c, estimate+e
	}
	check("all", size, newer, older, estimate)
}

func off(estimate, exact int) float64 { return 100 * float64(estimate-exact) / float64(exact) }
