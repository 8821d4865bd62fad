package llmtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/llm/llmtest"
)

func TestSequencesRunPerKeyAndRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{
		Key:    llmtest.KeyPattern(`conversation=(\w+)`),
		Script: llmtest.Sequence(llmtest.Status(500), llmtest.Answer("second")),
		Keep:   3,
	})
	var statuses []int
	for _, user := range []string{"conversation=a one", "conversation=b one", "conversation=a two", "conversation=a three", "none"} {
		status, _, _, err := ask(t, server, "openai", user)
		if err != nil {
			t.Fatal(err)
		}
		statuses = append(statuses, status)
	}
	if diff := cmp.Diff([]int{500, 500, 200, 200, 500}, statuses); diff != "" {
		t.Error(diff)
	}
	stats := server.Stats()
	want := llmtest.Stats{
		Requests: 5, Replies: map[string]int{"500": 3, "answer": 1, "honest": 1}, Keys: map[string]int{"a": 3, "b": 1, "": 1}, MaxInFlight: 1,
		InputTokens:  3*llmtest.Tokens("conversation=a one") + llmtest.Tokens("conversation=a three") + llmtest.Tokens("none"),
		OutputTokens: llmtest.Tokens("second") + llmtest.Tokens(llmtest.Nothing),
	}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Error(diff)
	}
	var kept []string
	for _, r := range server.Requests() {
		kept = append(kept, fmt.Sprintf("%d %s %d %s", r.Number, r.Key, r.Attempt, r.User))
	}
	if diff := cmp.Diff([]string{"3 a 2 conversation=a two", "4 a 3 conversation=a three", "5  1 none"}, kept); diff != "" {
		t.Error(diff)
	}
}

func TestKeyPattern(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pattern, text, want string }{
		{`c-\d+`, "in c-17 and c-18", "c-17"}, {`id=(\w+)`, "id=ada", "ada"}, {`id=(\w+)`, "nobody", ""},
	} {
		if got := llmtest.KeyPattern(test.pattern)(test.text); got != test.want {
			t.Errorf("%s in %q: %q, want %q", test.pattern, test.text, got, test.want)
		}
	}
}

// A mix gives each key at most its share of faults, ends in honest answers, and depends on seed, key and attempt only.
func TestMix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mix := llmtest.Mix{
			Seed: rapid.Uint64().Draw(t, "seed"), MaxPerKey: rapid.IntRange(0, 4).Draw(t, "max"),
			Faults: []llmtest.Chance{{Share: 0.3, Reply: llmtest.Status(500)}, {Share: 0.3, Reply: llmtest.WrongJSON()}},
		}
		key := rapid.String().Draw(t, "key")
		var forward, backward []string
		met := 0
		for attempt := 1; attempt <= 40; attempt++ {
			name := mix.Script()(llmtest.Request{Key: key, Attempt: attempt}).Name
			forward = append(forward, name)
			if name != "" {
				met++
			}
		}
		script := mix.Script()
		for attempt := 40; attempt >= 1; attempt-- {
			backward = append([]string{script(llmtest.Request{Key: key, Attempt: attempt}).Name}, backward...)
		}
		if diff := cmp.Diff(forward, backward); diff != "" {
			t.Fatal(diff)
		}
		if met > mix.MaxPerKey {
			t.Fatalf("%d faults, at most %d", met, mix.MaxPerKey)
		}
	})
}

func TestAMixKeepsItsShares(t *testing.T) {
	t.Parallel()
	script := llmtest.Mix{Seed: 1, MaxPerKey: 1, Faults: []llmtest.Chance{{0.2, llmtest.Status(500)}, {0.1, llmtest.Slow(0)}}}.Script()
	counts := map[string]int{}
	for i := range 10_000 {
		counts[script(llmtest.Request{Key: fmt.Sprint(i), Attempt: 1}).Name]++
	}
	for name, share := range map[string]int{"500": 2000, "slow": 1000, "": 7000} {
		if n := counts[name]; n < share*9/10 || n > share*11/10 {
			t.Errorf("%q: %d of 10,000, want about %d", name, n, share)
		}
	}
}

func TestAReplyAfterAWhile(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Status(500).After(30 * time.Millisecond))})
	began := time.Now()
	if status, _, _, err := ask(t, server, "openai", "hello"); err != nil || status != 500 || time.Since(began) < 30*time.Millisecond {
		t.Errorf("%d after %s, %v", status, time.Since(began), err)
	}
}
