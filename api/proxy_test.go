package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/api"
	"reverie/cli/clitest"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

const completionsPath = "/v1/chat/completions"

// wireError returns the name and the message of an error in the form of OpenAI's protocol; empty for a success.
func wireError(t *testing.T, a answered) (name, message string) {
	t.Helper()
	var fault struct {
		Error *struct{ Message, Type, Code string }
	}
	if a.status < 400 {
		return "", ""
	}
	if err := json.Unmarshal(a.body, &fault); err != nil || fault.Error == nil || fault.Error.Message == "" || fault.Error.Type == "" {
		t.Fatalf("%d %v %s", a.status, err, a.body)
	}
	names := map[string]string{
		"invalid_api_key": "unauthorized", "model_not_found": "not_found", "rate_limit_exceeded": "rate_limited", "insufficient_quota": "budget_spent",
	}
	if name, known := names[fault.Error.Code]; known {
		return name, fault.Error.Message
	}
	return fault.Error.Code, fault.Error.Message
}

// completionOf returns a request whose messages are of the user, the assistant, the user and so on.
func completionOf(model, user string, texts ...string) map[string]any {
	r := map[string]any{"model": model, "messages": exchange(texts...)}
	if user != "" {
		r["user"] = user
	}
	return r
}

func exchange(texts ...string) []map[string]any {
	var messages []map[string]any
	for i, text := range texts {
		messages = append(messages, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	return messages
}

func with(r map[string]any, name string, value any) map[string]any {
	r[name] = value
	return r
}

// completed holds the fields that tests read of an answer.
type completed struct {
	ID, Object, Model string
	Choices           []struct {
		Message struct {
			Role, Content string
			ToolCalls     []struct{ ID string } `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage   struct{ TotalTokens int }
	Reverie *struct {
		Conversation, Skipped string
		Documents             []struct{ Path string }
		Passages              []struct{ Citation, Text string }
	}
}

func (c completed) text() string {
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Message.Content
}

// complete makes a request that succeeds.
func (h *harness) complete(body any, header ...string) (completed, http.Header) {
	h.t.Helper()
	r := request{method: "POST", path: completionsPath, key: h.admin, body: body, header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		r.header[header[i]] = header[i+1]
	}
	a := h.want(h.do(r), 200)
	var c completed
	if err := json.Unmarshal(a.body, &c); err != nil {
		h.t.Fatalf("%v in %s", err, a.body)
	}
	return c, a.header
}

// kept returns the messages of a conversation of api:42, as role: content.
func (h *harness) kept(conversation string) (kept []string) {
	h.t.Helper()
	a := h.get("/api/v1/agents/ada/conversations/" + conversation + "/messages?endUserId=42&limit=500")
	list := as[struct {
		Items []struct{ Role, Content string }
	}](h, h.want(a, 200))
	for _, m := range list.Items {
		kept = append(kept, m.Role+": "+m.Content)
	}
	return kept
}

func (h *harness) wantKept(conversation string, want ...string) {
	h.t.Helper()
	if got := h.kept(conversation); !slices.Equal(got, want) {
		h.t.Errorf("%s holds\n%q, want\n%q", conversation, got, want)
	}
}

// streamed reads a stream: its text, the data of its events, and the headers.
func (h *harness) streamed(ctx context.Context, body any, header ...string) (text string, events []string, _ http.Header) {
	h.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, "POST", h.url+completionsPath, bytes.NewReader(encoded))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.admin)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != 200 || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		h.t.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		events = append(events, data)
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
			text += chunk.Choices[0].Delta.Content
		}
	}
	return text, events, answer.Header
}

// echoing is a model that answers with what it was asked last.
func echoing(t *testing.T, script llmtest.Script) *llmtest.Server {
	t.Helper()
	return llmtest.New(t, llmtest.Options{Script: script, Respond: func(r llmtest.Request) llmtest.Turn {
		last := r.Messages[len(r.Messages)-1].Content
		return llmtest.Say("You said: " + last[strings.LastIndex(last, "\n")+1:])
	}})
}

// What the client wrote passes through, memory is added, and the turn is stored.
func TestCompletion(t *testing.T) {
	played := echoing(t, nil)
	h := start(t, withModel(t, played))
	said(h)
	body := `{"model":"ada/other-model", "temperature" : 0.25,"seed":7,"metadata":{"a":[1, 2.50]},"user":"42",` +
		`"messages":[{"role":"system","content":"You are terse."},{"role":"user","content":[{"type":"text","text":"Which way does the balcony face?"}]}]}`
	got, header := h.complete(body, "X-Reverie-Include", "memory")
	if got.text() != "You said: Which way does the balcony face?" || got.Object != "chat.completion" || got.Model != "other-model" {
		t.Errorf("%+v", got)
	}
	conversation := header.Get("X-Reverie-Conversation")
	if !strings.HasPrefix(conversation, "chat-") || !strings.Contains(header.Get("X-Reverie-Memory"), "passages=") || got.Reverie == nil ||
		len(got.Reverie.Documents) == 0 || !strings.Contains(fmt.Sprint(got.Reverie.Passages), "notes.md#L3 The balcony faces south.") {
		t.Errorf("%v %+v", header, got.Reverie)
	}
	h.wantKept(conversation, "user: Which way does the balcony face?", "assistant: You said: Which way does the balcony face?")
	sent := played.Requests()[0]
	for _, want := range []string{`"temperature":0.25`, `"seed":7`, `"metadata":{"a":[1, 2.50]}`, `"model":"other-model"`} {
		if !strings.Contains(string(sent.Body), want) {
			t.Errorf("%s is missing in %s", want, sent.Body)
		}
	}
	if strings.Contains(string(sent.Body), `"user":"42"`) {
		t.Error("the person is named to the provider")
	}
	system, asked := sent.Messages[0], sent.Messages[1]
	if !strings.HasPrefix(system.Content, "You are terse.\n\n") || !strings.Contains(system.Content, "AGENTS.md") ||
		strings.Contains(system.Content, "faces south") {
		t.Errorf("system: %s", system.Content)
	}
	if len(sent.Messages) != 2 || !strings.Contains(asked.Content, "faces south") || !strings.HasSuffix(asked.Content, "Which way does the balcony face?") {
		t.Errorf("%d messages; user: %s", len(sent.Messages), asked.Content)
	}
	if log := h.log.String(); strings.Contains(log, "balcony") {
		t.Error("the log has contents")
	}
	// Usage counts against the budget.
	used, err := h.store.SpentToday(t.Context(), memory.Identity{Workspace: workspace, Role: memory.RoleAdmin}, time.Now())
	if err != nil || used.Calls != 1 || used.InputTokens == 0 || used.OutputTokens == 0 {
		t.Errorf("%+v %v", used, err)
	}
}

// A stream arrives event by event, without the counts that only the proxy asked for.
func TestCompletionStream(t *testing.T) {
	h := start(t, withModel(t, echoing(t, nil)))
	h.agent("ada")
	ask := func() map[string]any {
		return with(completionOf("ada", "42", "Good evening to all of you"), "stream", true)
	}
	text, events, header := h.streamed(t.Context(), ask())
	if text != "You said: Good evening to all of you" || events[len(events)-1] != "[DONE]" || strings.Contains(strings.Join(events, ""), "prompt_tokens") {
		t.Errorf("%q %q", text, events)
	}
	h.wantKept(header.Get("X-Reverie-Conversation"), "user: Good evening to all of you", "assistant: "+text)
	_, events, _ = h.streamed(t.Context(), with(ask(), "stream_options", map[string]any{"include_usage": true}), "X-Reverie-Include", "memory")
	if !strings.Contains(events[0], `"reverie":{"conversation":"chat-`) || !strings.Contains(events[len(events)-2], `"prompt_tokens"`) {
		t.Errorf("%q", events)
	}
	h.wantKept(header.Get("X-Reverie-Conversation"), "user: Good evening to all of you", "assistant: "+text) // nothing twice
}

// What asks memory to remember or to forget is done at once, and answered with the receipt instead of the model.
func TestCompletionsThatAskMemory(t *testing.T) {
	played := echoing(t, nil)
	h := start(t, withModel(t, played))
	h.agent("ada")
	const asked = "Please remember that my boat is called Heron."
	got, header := h.complete(completionOf("ada", "42", asked))
	if !strings.Contains(got.text(), "MEMORY.md") || !strings.Contains(h.memoryOf("42"), "boat is called Heron") || len(played.Requests()) != 0 {
		t.Errorf("%q, %d requests: %s", got.text(), len(played.Requests()), h.memoryOf("42"))
	}
	h.wantKept(header.Get("X-Reverie-Conversation"), "user: "+asked, "assistant: "+got.text())
	again, _ := h.complete(completionOf("ada", "42", asked)) // sent again
	if strings.Count(h.memoryOf("42"), "Heron") != 1 {
		t.Errorf("%q: %s", again.text(), h.memoryOf("42"))
	}
	text, _, _ := h.streamed(t.Context(), with(completionOf("ada", "42", asked, got.text(), "Forget that my boat is called Heron."), "stream", true))
	if !strings.Contains(text, "Forgotten") || strings.Contains(h.memoryOf("42"), "Heron") || len(played.Requests()) != 0 {
		t.Errorf("%q: %s", text, h.memoryOf("42"))
	}
	// What is shown first is forgotten when the message is sent again.
	first, _ := h.complete(completionOf("ada", "42", "Please remember that my canoe is called Otter."))
	const all = "Forget everything about Otter."
	shown, _ := h.complete(completionOf("ada", "42", "Please remember that my canoe is called Otter.", first.text(), all))
	if !strings.Contains(shown.text(), "Nothing was changed yet") || !strings.Contains(h.memoryOf("42"), "Otter") {
		t.Errorf("%q: %s", shown.text(), h.memoryOf("42"))
	}
	done, _ := h.complete(completionOf("ada", "42", "Please remember that my canoe is called Otter.", first.text(), all, shown.text(), all))
	if !strings.Contains(done.text(), "Forgotten") || strings.Contains(h.memoryOf("42"), "Otter") || len(played.Requests()) != 0 {
		t.Errorf("%q: %s", done.text(), h.memoryOf("42"))
	}
	for name, body := range map[string]map[string]any{
		"an answer in JSON": with(completionOf("ada", "42", "Remember that I like JSON."), "response_format", map[string]any{"type": "json_object"}),
		"a certain tool": with(with(completionOf("ada", "42", "Remember that I like rain."), "tool_choice", "required"), "tools", []any{
			map[string]any{"type": "function", "function": map[string]any{"name": "weather", "parameters": map[string]any{"type": "object"}}},
		}),
		"another message": completionOf("ada", "42", "Do you remember my boat?"),
	} {
		before := len(played.Requests())
		if got, _ := h.complete(body); !strings.HasPrefix(got.text(), "You said: ") || len(played.Requests()) != before+1 {
			t.Errorf("%s: %q", name, got.text())
		}
	}
}

// Without a model the answer quotes memory and says how to set one.
func TestCompletionWithoutAModel(t *testing.T) {
	h := start(t)
	said(h)
	got, header := h.complete(completionOf("ada", "42", "Which way does the balcony face?"))
	if !strings.Contains(got.text(), "faces south") || !strings.Contains(got.text(), "REVERIE_LLM_PROVIDER") || got.Choices[0].FinishReason != "stop" {
		t.Errorf("%+v", got)
	}
	conversation := header.Get("X-Reverie-Conversation")
	h.wantKept(conversation, "user: Which way does the balcony face?", "assistant: "+got.text())
	text, events, again := h.streamed(t.Context(), with(completionOf("ada", "42", "Which way does the balcony face?", got.text(),
		"Please remember that my flight is on Friday at 8."), "stream", true))
	if !strings.Contains(text, "MEMORY.md") || events[len(events)-1] != "[DONE]" || again.Get("X-Reverie-Conversation") != conversation {
		t.Errorf("%q %v", events, again)
	}
	if kept := h.kept(conversation); len(kept) != 4 || !strings.Contains(h.memoryOf("42"), "flight is on Friday") {
		t.Errorf("%q", kept)
	}
}

// A page that answers at the model's address is an error, and not an answer that clients cannot read.
func TestCompletionFromNoModel(t *testing.T) {
	h := start(t, func(o *api.Options) {
		model, err := llm.Open(llm.Config{
			Provider: "openai-compatible", Model: "test", BaseURL: clitest.Answering(t, 200, "<html>sign in</html>"), Timeout: 20 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Chat.Model = model
	})
	h.agent("ada")
	for _, streamed := range []bool{false, true} {
		body := with(completionOf("ada", "42", "Hi there, everybody"), "stream", streamed)
		a := h.wantError(h.do(request{method: "POST", path: completionsPath, key: h.admin, body: body}), 502, "model_failed")
		if !strings.Contains(string(a.body), "REVERIE_LLM_BASE_URL") || a.header.Get("X-Should-Retry") != "false" {
			t.Errorf("%v %s", a.header, a.body)
		}
	}
}

// Errors have the protocol's form and say what to do.
func TestCompletionErrors(t *testing.T) {
	h := start(t, withModel(t, echoing(t, nil)), func(o *api.Options) { o.Chat.Budget = memory.Budget{Tokens: 1} })
	h.agent("ada")
	pinned := h.key("pinned", memory.RoleMember, "api:42", "ada")
	for name, c := range map[string]struct {
		key    string
		body   any
		status int
		code   string
		says   string
		param  any
	}{
		"agent":      {h.admin, completionOf("gpt-4o", "42", "Hi"), 404, "model_not_found", "ada", nil},
		"owner":      {h.admin, completionOf("ada", "", "Hi"), 400, "owner_required", "pinned", "user"},
		"bad owner":  {h.admin, completionOf("ada", ":", "Hi"), 400, "invalid_request", "owner", "user"},
		"not theirs": {pinned, completionOf("ada", "43", "Hi"), 403, "owner_not_allowed", "pinned", nil},
		"key":        {"rv_wrong", completionOf("ada", "42", "Hi"), 401, "invalid_api_key", "Bearer", nil},
		"no model":   {h.admin, completionOf("", "42", "Hi"), 400, "invalid_request", "agent", "model"},
		"nothing":    {h.admin, completionOf("ada", "42"), 400, "invalid_request", "message", "messages"},
		"role":       {h.admin, with(completionOf("ada", "42", "Hi"), "messages", []any{map[string]any{"role": "x"}}), 400, "invalid_request", "role", "messages[0].role"},
		"NUL":        {h.admin, completionOf("ada", "42", "a\x00b"), 400, "invalid_request", "U+0000", "messages[0]"},
		"twice":      {h.admin, `{"model":"ada","model":"bob","user":"42","messages":[]}`, 400, "invalid_body", "twice", nil},
		"no JSON":    {h.admin, `{"model":`, 400, "invalid_body", "JSON", nil},
		"no UTF-8":   {h.admin, "{\"model\":\"\xff\"}", 400, "invalid_body", "UTF-8", nil},
		"too large":  {h.admin, completionOf("ada", "42", strings.Repeat("x", 33<<20)), 413, "body_too_large", "MiB", nil},
	} {
		a := h.do(request{method: "POST", path: completionsPath, key: c.key, body: c.body})
		var got struct {
			Error struct {
				Message, Code string
				Param         any
			}
		}
		if err := json.Unmarshal(a.body, &got); err != nil || a.status != c.status || got.Error.Code != c.code ||
			!strings.Contains(got.Error.Message, c.says) || got.Error.Param != c.param {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if got, _ := h.complete(completionOf("ada", "42", "Hi there, everybody")); got.text() == "" {
		t.Error("no answer")
	}
	a := h.wantError(h.do(request{method: "POST", path: completionsPath, key: pinned, body: completionOf("ada", "", "Hi again")}), 429, "budget_spent")
	if a.header.Get("Retry-After") == "" || a.header.Get("X-Should-Retry") != "false" {
		t.Errorf("%v", a.header)
	}
	h.wantError(h.do(request{method: "GET", path: completionsPath, key: pinned}), 405, "method_not_allowed")
	h.wantError(h.do(request{method: "POST", path: "/v1/embeddings", key: pinned}), 404, "unknown_url")
	var list struct{ Data []struct{ ID, Object string } }
	h.agent("bob")
	for key, want := range map[string]string{pinned: "[{ada model}]", h.admin: "[{ada model} {bob model}]"} {
		a := h.want(h.do(request{method: "GET", path: "/v1/models", key: key}), 200)
		if err := json.Unmarshal(a.body, &list); err != nil || fmt.Sprint(list.Data) != want {
			t.Errorf("%s", a.body)
		}
	}
}
