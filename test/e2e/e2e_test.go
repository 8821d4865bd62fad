// Package e2e drives the real processes over HTTP, from a conversation to a changed document and its history.
package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"reverie/devenv/devtest"
	"reverie/llm/llmtest"
	"reverie/test/deployment"
)

func TestMain(m *testing.M) { devtest.Main(m) }

const base = "/api/v1/agents/" + deployment.Agent

// extraction is an outcome record in the API.
type extraction struct {
	ID         string `json:"id"`
	From       int64  `json:"from"`
	To         int64  `json:"to"`
	Outcome    string `json:"outcome"`
	ReasonCode string `json:"reasonCode"`
	Raw        string `json:"raw"`
	Model      string `json:"model"`
	Usage      struct {
		Calls       int `json:"calls"`
		InputTokens int `json:"inputTokens"`
	} `json:"usage"`
}

// summary is the response of the summarize endpoint.
type summary struct {
	Status      string       `json:"status"`
	Outcome     string       `json:"outcome"`
	ReasonCode  string       `json:"reasonCode"`
	Extractions []extraction `json:"extractions"`
}

// chat returns a batch of a user's messages, each with an answer.
func chat(owner string, first int, sayings ...string) deployment.Batch {
	b := deployment.Batch{EndUserID: owner, TriggerSource: "api", TurnComplete: true}
	for i, saying := range sayings {
		n := first + 2*i
		b.Messages = append(b.Messages,
			deployment.Message{ID: fmt.Sprintf("m%d", n), Role: "user", Content: saying},
			deployment.Message{ID: fmt.Sprintf("m%d", n+1), Role: "assistant", Content: "I see."})
	}
	return b
}

func post(ctx context.Context, t *testing.T, s *deployment.System, conversation string, b deployment.Batch) {
	t.Helper()
	if err := s.API.Call(ctx, http.MethodPost, base+"/conversations/"+conversation+"/messages", b, nil); err != nil {
		t.Fatalf("post to %s: %v", conversation, err)
	}
}

func summarize(ctx context.Context, t *testing.T, s *deployment.System, conversation string) summary {
	t.Helper()
	var out summary
	if err := s.API.Call(ctx, http.MethodPost, "/api/v1/memory/"+deployment.Agent+"/summarize/"+conversation, nil, &out); err != nil {
		t.Fatalf("summarize %s: %v", conversation, err)
	}
	return out
}

func file(ctx context.Context, t *testing.T, s *deployment.System, owner, path string) string {
	t.Helper()
	var out struct {
		Content string `json:"content"`
	}
	if err := s.API.Call(ctx, http.MethodGet, base+"/workspace/files/"+path+"?scope=PERSONAL&endUserId="+owner, nil, &out); err != nil {
		t.Fatalf("read %s of %s: %v", path, owner, err)
	}
	return out.Content
}

// outcomes lists an owner's extractions of a conversation, newest first.
func outcomes(ctx context.Context, t *testing.T, s *deployment.System, owner, conversation string) []extraction {
	t.Helper()
	var out struct {
		Items []extraction `json:"items"`
	}
	if err := s.API.Call(ctx, http.MethodGet, base+"/extractions?endUserId="+owner+"&conversation="+conversation, nil, &out); err != nil {
		t.Fatal(err)
	}
	return out.Items
}

// until waits for a condition that depends on other processes.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("a minute passed without %s", what)
}

func TestAConversationBecomesMemory(t *testing.T) {
	ctx := context.Background()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_MIN_MESSAGES=4"}})
	post(ctx, t, s, "hello", chat("42", 1, "Hi, I am Grace and I work as a nurse in Hamburg.", "We decided to use Postgres for the rota."))
	until(t, "an extraction", func() bool {
		found := outcomes(ctx, t, s, "42", "hello")
		return len(found) == 1 && found[0].Outcome == "written"
	})
	all := file(ctx, t, s, "42", "PROFILE.md") + file(ctx, t, s, "42", "MEMORY.md")
	for _, fact := range []string{"Grace", "nurse", "Hamburg", "Postgres"} {
		if !strings.Contains(all, fact) {
			t.Errorf("%q was not kept:\n%s", fact, all)
		}
	}

	var blamed struct {
		Lines []struct {
			Line         string  `json:"line"`
			Conversation string  `json:"conversation"`
			Messages     []int64 `json:"messages"`
		} `json:"lines"`
	}
	if err := s.API.Call(ctx, http.MethodGet, base+"/workspace/blame/MEMORY.md?scope=PERSONAL&endUserId=42", nil, &blamed); err != nil {
		t.Fatal(err)
	}
	known := false
	for _, l := range blamed.Lines {
		if strings.Contains(l.Line, "Postgres") {
			known = l.Conversation == "hello" && len(l.Messages) == 1 && l.Messages[0] == 3
		}
	}
	if !known {
		t.Errorf("nobody can say why the agent knows of the decision: %+v", blamed.Lines)
	}

	t.Run("what another owner says stays theirs", func(t *testing.T) {
		post(ctx, t, s, "other", chat("43", 1, "Hello, I am Alan and I live in Manchester.", "I prefer long and detailed answers."))
		if out := summarize(ctx, t, s, "other"); out.Outcome != "written" || out.Status != "completed" {
			t.Fatalf("%+v", out)
		}
		if theirs := file(ctx, t, s, "43", "PROFILE.md"); strings.Contains(theirs, "Grace") || !strings.Contains(theirs, "Alan") {
			t.Errorf("the profile of the second owner is\n%s", theirs)
		}
		if mine := file(ctx, t, s, "42", "PROFILE.md"); strings.Contains(mine, "Alan") {
			t.Errorf("the profile of the first owner is\n%s", mine)
		}
	})
	t.Run("a correction replaces, and the same again adds nothing", func(t *testing.T) {
		post(ctx, t, s, "hello", chat("42", 5, "By the way, I moved: I live in Munich now.", "We decided to use Postgres for the rota."))
		if out := summarize(ctx, t, s, "hello"); out.Outcome != "written" {
			t.Fatalf("%+v", out)
		}
		all := file(ctx, t, s, "42", "PROFILE.md") + file(ctx, t, s, "42", "MEMORY.md")
		if n := strings.Count(all, "Postgres"); n != 1 || !strings.Contains(all, "Munich") {
			t.Errorf("the decision stands there %d times:\n%s", n, all)
		}
		if again := summarize(ctx, t, s, "hello"); again.Outcome != "nothing" || again.ReasonCode != "no_new_messages" {
			t.Errorf("asked again: %+v", again)
		}
	})
	t.Run("what a gate holds back counts next time", func(t *testing.T) {
		post(ctx, t, s, "short", chat("44", 1, "My name is Linus and I live in Portland."))
		if out := summarize(ctx, t, s, "short"); out.Outcome != "skipped" || out.ReasonCode != "few_messages" {
			t.Fatalf("two messages: %+v", out)
		}
		post(ctx, t, s, "short", chat("44", 3, "That was all that I wanted to say about me."))
		until(t, "the held back messages", func() bool {
			found := outcomes(ctx, t, s, "44", "short")
			return len(found) > 1 && found[0].Outcome == "written" && found[0].From == 1 && found[0].To == 4
		})
	})
	t.Run("memory contents stand in no history", func(t *testing.T) {
		if found := s.HistoriesMention(ctx, t, "Postgres", "Grace", "Hamburg", "nurse"); len(found) > 0 {
			t.Errorf("the histories of these workflows hold what was said: %v", found)
		}
	})
}

func TestMessagesAreKeptWhileTemporalIsAway(t *testing.T) {
	ctx := context.Background()
	s := deployment.StartSystem(ctx, t, deployment.Options{})
	if err := s.Temporal.Suspend(); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Stored     int `json:"stored"`
		Extraction struct {
			Status string `json:"status"`
		} `json:"extraction"`
	}
	if err := s.API.Call(ctx, http.MethodPost, base+"/conversations/away/messages",
		chat("42", 1, "My name is Ada and I live in London.", "I prefer tea to coffee, always."), &out); err != nil {
		t.Fatal(err)
	}
	if out.Stored != 4 || out.Extraction.Status != "pending" {
		t.Errorf("the answer was %+v", out)
	}
	if err := s.Temporal.Resume(); err != nil {
		t.Fatal(err)
	}
	until(t, "the sweep to start what was pending", func() bool {
		s.Ensure(t)
		found := outcomes(ctx, t, s, "42", "away")
		return len(found) == 1 && found[0].Outcome == "written"
	})
}

// proposalOf returns a model's answer that appends to the daily note.
func proposalOf(entry string) string {
	raw, err := json.Marshal(map[string]any{"should_update": true, "reason": "it was said", "daily_entry": entry})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestAModelsFaultsEndInARecordedOutcome(t *testing.T) {
	ctx := context.Background()
	key := llmtest.KeyPattern(`case-[a-z-]+`)
	scripts := map[string]llmtest.Script{
		"case-rate-limited": llmtest.Sequence(llmtest.Status(429, 500*time.Millisecond), llmtest.Status(429, 500*time.Millisecond)),
		"case-outage":       llmtest.Sequence(llmtest.Status(500), llmtest.HangUpMidBody(), llmtest.Status(503)),
		"case-repaired":     llmtest.Sequence(llmtest.WrongJSON()),
		"case-quarantined":  llmtest.Sequence(llmtest.WrongJSON(), llmtest.TruncatedJSON()),
		"case-unauthorized": llmtest.Sequence(llmtest.Unauthorized()),
		"case-too-long":     llmtest.Sequence(llmtest.ContextTooLong()),
		"case-refused":      llmtest.Sequence(llmtest.Refusal()),
	}
	s := deployment.StartSystem(ctx, t, deployment.Options{Model: &llmtest.Options{
		Key: key,
		Answer: func(prompt string) string {
			return proposalOf("## 10:00 " + key(prompt) + "\n\n- It was talked about " + key(prompt) + ".")
		},
		Script: func(r llmtest.Request) llmtest.Reply {
			if script := scripts[r.Key]; script != nil {
				return script(r)
			}
			return llmtest.Honest()
		},
	}})
	talkAbout := func(name string) {
		post(ctx, t, s, name, chat(name, 1, "Let us talk about "+name+" today.", "And that is all about "+name+"."))
	}
	for _, c := range []struct {
		name, outcome, reason string
		records               int
	}{
		{"case-rate-limited", "written", "", 1},
		{"case-outage", "written", "", 1},
		{"case-repaired", "written", "", 1},
		{"case-quarantined", "quarantined", "invalid_proposal", 1},
		{"case-unauthorized", "failed", "unauthorized", 1},
		{"case-too-long", "nothing", "noted", 2}, // of two halves; the model says the same of both, which is noted once
		{"case-refused", "quarantined", "refused", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			talkAbout(c.name)
			var found []extraction
			until(t, "an outcome", func() bool {
				found = outcomes(ctx, t, s, c.name, c.name)
				return len(found) == c.records && found[0].Outcome == c.outcome
			})
			if last := found[len(found)-1].Outcome; c.records > 1 && last != "written" {
				t.Errorf("the first half is %s", last)
			}
			if found[0].ReasonCode != c.reason {
				t.Errorf("the reason is %q, want %q", found[0].ReasonCode, c.reason)
			}
		})
	}
	t.Run("a refused one says nothing about the model", func(t *testing.T) {
		var status struct {
			Parts []struct{ Name, State string }
		}
		if err := s.API.Call(ctx, http.MethodGet, "/api/v1/status", nil, &status); err != nil {
			t.Fatal(err)
		}
		for _, part := range status.Parts {
			if part.Name == "model" && part.State != "ok" {
				t.Errorf("the model is %s", part.State)
			}
		}
	})
	t.Run("a quarantined one keeps its raw output and is retried", func(t *testing.T) {
		id := outcomes(ctx, t, s, "case-quarantined", "case-quarantined")[0].ID
		var one extraction
		if err := s.API.Call(ctx, http.MethodGet, base+"/extractions/"+id+"?endUserId=case-quarantined", nil, &one); err != nil {
			t.Fatal(err)
		}
		if one.Raw == "" {
			t.Error("the raw output is gone")
		}
		var retried summary
		if err := s.API.Call(ctx, http.MethodPost, base+"/extractions/"+id+"/retry?endUserId=case-quarantined", nil, &retried); err != nil {
			t.Fatal(err)
		}
		if retried.Outcome != "written" {
			t.Errorf("the retry: %+v", retried)
		}
	})
	t.Run("a failed one is taken with the next turn", func(t *testing.T) {
		post(ctx, t, s, "case-unauthorized", chat("case-unauthorized", 5, "The key of case-unauthorized is right now."))
		until(t, "an outcome", func() bool {
			found := outcomes(ctx, t, s, "case-unauthorized", "case-unauthorized")
			return found[0].Outcome == "written" && found[0].From == 1 && found[0].To == 6
		})
	})
	t.Run("one call for each extraction, with input that does not grow", func(t *testing.T) {
		var sizes []int
		for n := range 8 {
			outcome := "written"
			if n > 0 {
				outcome = "nothing" // the model says the same again, which is noted once
			}
			name := fmt.Sprintf("growth-%d", n)
			post(ctx, t, s, name, chat("growth", 1, "Let us talk about growth for a while.", "And that is all about growth."))
			until(t, "an outcome", func() bool {
				found := outcomes(ctx, t, s, "growth", name)
				if len(found) == 1 && found[0].Outcome == outcome {
					sizes = append(sizes, found[0].Usage.InputTokens)
					if found[0].Usage.Calls != 1 {
						t.Errorf("%s took %d calls", name, found[0].Usage.Calls)
					}
					return true
				}
				return false
			})
		}
		t.Logf("input tokens of eight extractions of one owner: %v", sizes)
		// The day's note is shown up to its limit of 4,000 characters, about 1,000 tokens; nothing else may grow.
		if growth := sizes[len(sizes)-1] - sizes[0]; growth > 1000 {
			t.Errorf("input grew by %d tokens", growth)
		}
	})
}

func TestABudgetMakesExtractionsWait(t *testing.T) {
	ctx := context.Background()
	s := deployment.StartSystem(ctx, t, deployment.Options{
		Model: &llmtest.Options{Answer: func(string) string { return proposalOf("## 10:00 Budget\n\n- It was talked about money.") }},
		Env:   []string{"REVERIE_BUDGET_TOKENS=10"},
	})
	post(ctx, t, s, "first", chat("42", 1, "Let us talk about money for once.", "And that is all about money."))
	until(t, "the first extraction", func() bool {
		found := outcomes(ctx, t, s, "42", "first")
		return len(found) == 1 && found[0].Outcome == "written"
	})
	post(ctx, t, s, "second", chat("42", 1, "Let us talk about money once more.", "And that is all about money."))
	until(t, "the second extraction to wait", func() bool {
		found := outcomes(ctx, t, s, "42", "second")
		return len(found) == 1 && found[0].Outcome == "waiting" && found[0].ReasonCode == "budget"
	})
	if calls := s.Model.Count(); calls != 1 {
		t.Errorf("the model was called %d times", calls)
	}
}
