package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/api"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// told holds one event of a turn.
type told struct {
	name string
	data json.RawMessage
}

// listen sends a message and reads the events of its answer.
func (h *harness) listen(ctx context.Context, body map[string]any) (<-chan told, *http.Response) {
	h.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, "POST", h.url+chatPath+"/stream", strings.NewReader(string(encoded)))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.admin)
	req.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	events := make(chan told, 1000)
	go func() {
		defer close(events)
		defer func() { _ = response.Body.Close() }()
		var e told
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); {
			case name == "event":
				e.name = value
			case name == "data":
				e.data = json.RawMessage(value)
			case lines.Text() != "":
				events <- told{name: "comment"}
			case e.name != "":
				events <- e
				e = told{}
			}
		}
	}()
	return events, response
}

// heard returns all events of an answer: their names without repeats, the text that is left at the end, and the last one's data.
func heard(t *testing.T, events <-chan told) (names []string, text string, last json.RawMessage) {
	t.Helper()
	for timeout := time.After(time.Minute); ; {
		select {
		case e, more := <-events:
			if !more {
				return names, text, last
			}
			if n := len(names); n == 0 || names[n-1] != e.name {
				names = append(names, e.name)
			}
			switch e.name {
			case "text":
				var part struct{ Text string }
				if err := json.Unmarshal(e.data, &part); err != nil {
					t.Fatal(err)
				}
				text += part.Text
			case "reset":
				text = ""
			}
			last = e.data
		case <-timeout:
			t.Fatalf("the stream does not end after %v", names)
		}
	}
}

func TestChatStreams(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		if last := r.Messages[len(r.Messages)-1]; last.Role == memory.RoleOfTool {
			return llmtest.Say("You moved to Bern, as you said in May.")
		}
		return llmtest.Use(llmtest.Call("memory_search", map[string]any{"query": "moved"}))
	}})
	h := start(t, withModel(t, played))
	said(h)
	events, response := h.listen(t.Context(), asks("c2", "m1", "Where did I move to, and which way does the balcony face?"))
	if got := response.Header; response.StatusCode != 200 || got.Get("Content-Type") != "text/event-stream" ||
		got.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", response.StatusCode, got)
	}
	names, text, last := heard(t, events)
	if want := []string{"context", "tool_call", "tool_result", "text", "done"}; !slices.Equal(names, want) &&
		!slices.Equal(names, []string{"context", "tool_call", "tool_result", "context", "text", "done"}) {
		t.Errorf("%v, want %v", names, want)
	}
	var done turn
	if err := json.Unmarshal(last, &done); err != nil {
		t.Fatal(err)
	}
	if text != done.Answer || done.Answer != "You moved to Bern, as you said in May." || done.Rounds != 2 || len(done.ToolCalls) != 1 ||
		done.LastSeq != 4 {
		t.Errorf("%q, then %+v", text, done)
	}
	if strings.Contains(h.log.String(), "balcony") {
		t.Error("the log has contents")
	}
}

// A client that disconnects stops the model; the message stays without an answer, and is answered when it is sent again.
func TestHangingUpStopsTheTurn(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{
		Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say(strings.Repeat("and so on ", 200)) },
		Script: func(r llmtest.Request) llmtest.Reply {
			if r.Number == 1 {
				return llmtest.Paced(50 * time.Millisecond) // half a minute
			}
			return llmtest.Honest()
		},
	})
	h := start(t, withModel(t, played))
	h.agent("ada")
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	events, _ := h.listen(ctx, asks("c1", "m1", "Tell me everything."))
	for e := range events {
		if e.name == "text" {
			break
		}
	}
	hangUp()
	type stored struct {
		Items []struct{ Role string }
	}
	messages := func() int {
		return len(as[stored](h, h.want(h.get("/api/v1/agents/ada/conversations/c1/messages?endUserId=42"), 200)).Items)
	}
	for deadline := time.Now().Add(time.Minute); api.Turns(h.api) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the turn goes on")
		}
	}
	if n := messages(); n != 1 {
		t.Errorf("%d messages are stored", n)
	}
	if again := as[turn](h, h.want(h.postTo(h.admin, chatPath, map[string]any{
		"agentId": "ada", "endUserId": "42", "conversationId": "c1", "messageId": "m2", "message": "Hello?",
	}), 200)); again.LastSeq != 3 {
		t.Errorf("%+v", again)
	}
}

// While the model is silent, comments say that the connection lives; an error after them is an event.
func TestASilentModel(t *testing.T) {
	played := llmtest.New(
		t,
		llmtest.Options{Script: func(llmtest.Request) llmtest.Reply { return llmtest.Unauthorized().After(500 * time.Millisecond) }},
	)
	h := start(t, withModel(t, played))
	api.HurryHeartbeat(h.api, 50*time.Millisecond)
	h.agent("ada")
	events, response := h.listen(t.Context(), asks("c1", "m1", "Are you there?"))
	names, _, last := heard(t, events)
	if response.StatusCode != 200 || !slices.Contains(names, "comment") || names[len(names)-1] != "error" {
		t.Errorf("%d %v", response.StatusCode, names)
	}
	var failed struct {
		Code  int
		Error string
		Msg   string
	}
	if err := json.Unmarshal(last, &failed); err != nil || failed.Code != 502 || failed.Error != "model_failed" || failed.Msg == "" {
		t.Errorf("%s %v", last, err)
	}
}

// The number of concurrent turns is limited; further callers must wait.
func TestTurnsAreBounded(t *testing.T) {
	h := start(t)
	h.agent("ada")
	release := api.TakeTurns(h.api)
	for _, path := range []string{chatPath, chatPath + "/stream"} {
		refused := h.wantError(h.postTo(h.admin, path, asks("c1", "m1", "Hello, are you there?")), 429, "rate_limited")
		if refused.header.Get("Retry-After") == "" {
			t.Error("it does not say when to try again")
		}
	}
	release()
	h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", "Hello, are you there?")), 200)
}

// A message that cannot be answered is refused before anything is stored.
func TestChatRequestsAreChecked(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for name, body := range map[string]map[string]any{
		"nothing": asks("c1", "m1", ""), "blank": asks("c1", "m1", " \n"),
		"too long":  asks("c1", "m1", strings.Repeat("ä", memory.MaxMessageBytes/2+1)),
		"zero byte": asks("c1", "m1", "a\x00b"), "zero byte in an id": asks("c1\x00", "m1", "a"),
		"long id":  asks("c1", strings.Repeat("m", 129), "a"),
		"no agent": {"endUserId": "42", "message": "a"}, "cron": {"agentId": "ada", "endUserId": "42", "message": "a", "triggerSource": "cron"},
	} {
		for _, path := range []string{chatPath, chatPath + "/stream"} {
			if got := h.postTo(h.admin, path, body); got.status != 422 || got.Error != "invalid_request" {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
	}
	h.wantError(h.postTo(h.admin, chatPath, map[string]any{"agentId": "ada", "message": "a"}), 422, "owner_required")
	h.wantError(h.postTo(h.admin, chatPath, map[string]any{"agentId": "eve", "endUserId": "42", "message": "a"}), 404, "not_found")
	h.wantError(h.postTo(h.key("viewer", memory.RoleViewer, "api:42"), chatPath, asks("c1", "m1", "a")), 403, "forbidden")
	type listed struct{ Items []struct{ ID string } }
	if got := as[listed](h, h.get("/api/v1/agents/ada/conversations?endUserId=42")); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
}
