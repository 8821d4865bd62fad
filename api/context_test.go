package api_test

import (
	"fmt"
	"strings"
	"testing"

	"reverie/api"
	"reverie/llm/llmtest"
)

const contextPath = "/api/v1/agents/ada/context"

// assembled holds the fields that tests read of a context.
type assembled struct {
	madeContext
	Messages []struct {
		Kind, Role, Content string
		Seq                 int64
		Tokens              int
	}
}

// kinds returns the kinds of the messages, without repeats.
func (a assembled) kinds() string {
	var kinds []string
	for _, m := range a.Messages {
		if n := len(kinds); n == 0 || kinds[n-1] != m.Kind {
			kinds = append(kinds, m.Kind)
		}
	}
	return strings.Join(kinds, " ")
}

func (h *harness) assemble(body map[string]any) assembled {
	h.t.Helper()
	return as[assembled](h, h.want(h.postTo(h.admin, contextPath, body), 200))
}

func TestContextsAreAssembled(t *testing.T) {
	h := start(t)
	said(h)
	h.want(h.put("MEMORY.md?owner=api:42", "# Memory\n\n- Grace grows tomatoes.\n", nil), 201)
	h.want(h.post("c2", map[string]any{"endUserId": "42", "messages": []map[string]any{
		{"id": "m1", "role": "user", "content": "Good morning."}, {"id": "m2", "role": "assistant", "content": "Good morning, Grace."},
	}}), 202)
	got := h.assemble(map[string]any{"endUserId": "42", "conversation": "c2", "message": "Which way does the balcony face?"})
	if got.kinds() != "system history recall current" {
		t.Errorf("%s", got.kinds())
	}
	if first, last := got.Messages[0], got.Messages[len(got.Messages)-1]; first.Role != "system" ||
		!strings.Contains(first.Content, "Grace grows tomatoes.") ||
		last.Role != "user" ||
		last.Content != "Which way does the balcony face?" {
		t.Errorf("%+v", got.Messages)
	}
	used := 0
	for _, m := range got.Messages {
		if m.Kind != "system" && m.Role == "system" {
			t.Errorf("%+v", m)
		}
		used += m.Tokens
	}
	if got.Ledger.Used != used || got.Ledger.Max != 128_000 || got.Ledger.Trigger != 96_000 || got.Ledger.Messages != 2 ||
		got.Ledger.Recall == 0 {
		t.Errorf("%+v, the messages have %d", got.Ledger, used)
	}
	if len(got.Recalled) == 0 || !strings.Contains(got.Recalled[0].Text, "balcony") || got.Recalled[0].Citation == "" || got.Skipped != "" {
		t.Errorf("%+v %q", got.Recalled, got.Skipped)
	}
	// A message that needs no memory recalls none; tools use tokens of the window; the agent's window is the default.
	h.want(
		h.do(
			request{
				method: "PATCH",
				path:   "/api/v1/agents/ada",
				key:    h.admin,
				body:   map[string]any{"settings": map[string]any{"windowMaxTokens": 40_000}},
			},
		),
		200,
	)
	thanks := h.assemble(map[string]any{"endUserId": "42", "conversation": "c2", "message": "Thanks!", "tools": []map[string]any{
		{"name": "weather", "description": strings.Repeat("Says how the weather is. ", 20), "parameters": map[string]any{"type": "object"}},
	}})
	if thanks.Skipped != "trivial" || len(thanks.Recalled) != 0 || thanks.Ledger.Tools < 50 || thanks.Ledger.Max != 40_000 {
		t.Errorf("%q %+v %+v", thanks.Skipped, thanks.Recalled, thanks.Ledger)
	}
	// Nothing is stored, also of a conversation that does not exist.
	if other := h.assemble(map[string]any{
		"endUserId": "42", "conversation": "new", "message": "Where do I live?", "maxInputTokens": 20_000,
	}); other.Ledger.Max != 20_000 ||
		other.Ledger.Messages != 0 {
		t.Errorf("%+v", other.Ledger)
	}
	h.wantError(h.get("/api/v1/agents/ada/conversations/new/messages?endUserId=42"), 404, "not_found")
	if strings.Contains(h.log.String(), "balcony") {
		t.Error("the log has contents")
	}
}

// A request that does not fit is refused with the numbers.
func TestAWindowThatIsTooSmall(t *testing.T) {
	h := start(t)
	h.agent("ada")
	body := map[string]any{"endUserId": "42", "message": strings.Repeat("word ", 3000), "maxInputTokens": 1024}
	got := as[struct{ Max, System, Tools, Current int }](h, h.wantError(h.postTo(h.admin, contextPath, body), 422, "window_too_large"))
	if got.Max != 1024 || got.Current < 2000 || got.System == 0 {
		t.Errorf("%+v", got)
	}
	for name, body := range map[string]map[string]any{
		"no message": {"endUserId": "42"}, "blank": {"endUserId": "42", "message": " "}, "zero byte": {"endUserId": "42", "message": "a\x00"},
		"tool":   {"endUserId": "42", "message": "a", "tools": []map[string]any{{"name": ""}}},
		"window": {"endUserId": "42", "message": "a", "maxInputTokens": -1},
	} {
		if got := h.postTo(h.admin, contextPath, body); got.status != 422 || got.Error != "invalid_request" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	h.wantError(h.postTo(h.admin, contextPath, map[string]any{"message": "a"}), 422, "owner_required")
	h.wantError(h.postTo(h.admin, contextPath+"?wait=1h", map[string]any{"endUserId": "42", "message": "a"}), 422, "invalid_request")
}

// long stores a conversation of api:42 with the given number of turns of about 100 tokens each.
func (h *harness) long(conversation string, turns int) {
	h.t.Helper()
	var messages []map[string]any
	for i := range turns {
		messages = append(
			messages,
			map[string]any{
				"id":   fmt.Sprint("u", i),
				"role": "user",
				"content": fmt.Sprintf(
					"Order number %d: please remember that shelf %d of the workshop is painted in colour %d. %s",
					i,
					i,
					i*7,
					strings.Repeat("It matters to me. ", 10),
				),
			},
			map[string]any{
				"id":      fmt.Sprint("a", i),
				"role":    "assistant",
				"content": fmt.Sprintf("Shelf %d is noted. %s", i, strings.Repeat("Anything else? ", 10)),
			},
		)
	}
	h.want(h.post(conversation, map[string]any{"endUserId": "42", "turnComplete": true, "messages": messages}), 202)
}

// When the window is full and what has to leave it cannot be saved, nothing is dropped: the client is asked to come back.
func TestAFullWindowWithoutWorkflows(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{})
	h := start(t, withModel(t, played), func(o *api.Options) { o.Chat.Settings.MaxTokens = 6000 })
	h.agent("ada")
	h.long("c1", 60)
	body := map[string]any{"endUserId": "42", "conversation": "c1", "message": "Which colour has shelf 3?"}
	for _, wait := range []string{"", "?wait=0s"} {
		got := h.wantError(h.postTo(h.admin, contextPath+wait, body), 503, "workflows_unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Error("it does not say when to try again")
		}
	}
	h.wantError(h.postTo(h.admin, chatPath, asks("c1", "m1", "Which colour has shelf 3?")), 503, "workflows_unavailable")
	h.wantError(h.postTo(h.admin, chatPath+"/stream", asks("c1", "m1", "Which colour has shelf 3?")), 503, "workflows_unavailable")
	h.wantError(h.postTo(h.admin, "/api/v1/agents/ada/conversations/c1/compact?endUserId=42", nil), 503, "workflows_unavailable")
	if n := len(played.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	// A larger window needs nothing of that.
	body["maxInputTokens"] = 64_000
	if got := h.assemble(body); got.Ledger.Messages != 121 && got.Ledger.Messages != 120 {
		t.Errorf("%+v", got.Ledger)
	}
}
