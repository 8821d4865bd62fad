package api_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/api"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
)

const chatPath = "/api/v1/chat"

// madeContext holds the fields that tests read of an assembled context.
type madeContext struct {
	Ledger   struct{ Max, Trigger, Used, System, Tools, Summary, History, Recall, Current, Messages, Dropped int }
	Model    string
	Counter  struct{ Name string }
	Recalled []struct {
		Corpus, Path, Citation, Text, Scope string
		StartLine, EndLine, Tokens          int
		Score                               float64
	}
	Skipped   string
	Injection uuid.UUID
	Summary   *struct {
		Compaction, Model string
		To                int64
		Tokens            int
	}
	Unsent   int64
	Flushing bool
}

// turn holds the fields that tests read of an answer.
type turn struct {
	ConversationID, MessageID, AnswerID, Answer, Model, Finish string
	Rounds                                                     int
	Usage                                                      memory.Usage
	Replayed                                                   bool
	Remembered                                                 *remembered
	ToolCalls                                                  []struct {
		ID, Name, Arguments, Content string
		IsError                      bool
		Found                        []struct{ Path string }
	}
	Context madeContext
	Quoted  []struct {
		Path, Text         string
		StartLine, EndLine int
	}
	LastSeq int64
	Token   string
}

type remembered struct {
	Kind, Line, Old, Path string
	Receipt               struct {
		Key, Token string
		Changes    []memory.ChangeReceipt
		Replayed   bool
	}
}

// asks returns a message of api:42 to ada.
func asks(conversation, id, message string) map[string]any {
	return map[string]any{"agentId": "ada", "endUserId": "42", "conversationId": conversation, "messageId": id, "message": message}
}

// withModel returns an option that lets the server answer with llmtest's model.
func withModel(t *testing.T, played *llmtest.Server) func(*api.Options) {
	t.Helper()
	model, err := llm.Open(llm.Config{Provider: "openai-compatible", Model: "test", BaseURL: played.URL + "/v1", Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *api.Options) {
		o.Chat.Model, o.Chat.MaxTokens = model, 500
		o.Chat.Settings = setting.DefaultWindowSettings()
		o.Chat.Settings.Paid, o.Chat.Settings.Model = true, "test"
	}
}

// Without a model, the answer quotes memory and is stored like any other.
func TestChatFromMemoryAlone(t *testing.T) {
	h := start(t)
	said(h)
	got := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("c2", "m1", "Which way does the balcony face?")), 200))
	if got.Model != "builtin/recall" || !strings.Contains(got.Answer, "“The balcony faces south.” (notes.md:3") || got.ConversationID != "c2" ||
		got.MessageID != "m1" ||
		got.AnswerID == "" || got.Finish != "stop" || got.Rounds != 0 || got.LastSeq != 2 ||
		got.Token == "" ||
		got.Replayed {
		t.Errorf("%+v", got)
	}
	if len(got.Quoted) == 0 || got.Quoted[0].Path != "notes.md" || got.Quoted[0].StartLine != 3 || got.Quoted[0].EndLine != 3 ||
		got.Quoted[0].Text != "The balcony faces south." {
		t.Errorf("%+v", got.Quoted)
	}
	if got.Context.Ledger.Max != 128_000 || got.Context.Ledger.Used == 0 || got.Context.Ledger.System == 0 ||
		got.Context.Counter.Name == "" {
		t.Errorf("%+v", got.Context)
	}
	stored := h.want(h.get("/api/v1/agents/ada/conversations/c2/messages?endUserId=42"), 200)
	for _, want := range []string{`"role":"user"`, `"role":"assistant"`, "faces south", got.AnswerID} {
		if !strings.Contains(string(stored.body), want) {
			t.Errorf("%q is missing in %s", want, stored.body)
		}
	}
	again := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("c2", "m1", "Which way does the balcony face?")), 200))
	if !again.Replayed || again.Answer != got.Answer || again.AnswerID != got.AnswerID {
		t.Errorf("%+v", again)
	}
	h.wantError(h.postTo(h.admin, chatPath, asks("c2", "m1", "Other words.")), 409, "message_id_reused")
	if named := as[turn](h,
		h.want(h.postTo(h.admin, chatPath, asks("", "", "Which way does the balcony face?")), 200)); named.ConversationID == "" ||
		named.MessageID == "" {
		t.Errorf("%+v", named)
	}
	if log := h.log.String(); strings.Contains(log, "balcony") {
		t.Error("the log has contents")
	}
}

// A request to remember is saved without a model, and answered with the receipt.
func TestChatRemembers(t *testing.T) {
	h := start(t)
	h.agent("ada")
	got := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", "Please remember that my flight is on Friday at 8.")), 200))
	if got.Model != "builtin/remember" || got.Remembered == nil || got.Remembered.Kind != "saved" || got.Remembered.Path != "MEMORY.md" ||
		got.Remembered.Receipt.Token == "" ||
		len(got.Remembered.Receipt.Changes) != 1 {
		t.Fatalf("%+v %+v", got, got.Remembered)
	}
	if text := h.memoryOf("42"); !strings.Contains(text, "## Remembered") || !strings.Contains(text, "flight is on Friday at 8") {
		t.Errorf("MEMORY.md:\n%s", text)
	}
	known := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("c1", "m2", "Please remember that my flight is on Friday at 8.")), 200))
	if known.Remembered == nil || known.Remembered.Kind != "known" || known.Remembered.Receipt.Token != got.Remembered.Receipt.Token {
		t.Errorf("%+v", known.Remembered)
	}
}

// A model answers, with what memory recalls in front of it and the memory tools at hand.
func TestChatWithAModel(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
		if last := r.Messages[len(r.Messages)-1]; last.Role == memory.RoleOfTool {
			return llmtest.Say("You moved to Bern.")
		}
		return llmtest.Use(llmtest.Call("memory_search", map[string]any{"query": "moved"}))
	}})
	h := start(t, withModel(t, played))
	said(h)
	got := as[turn](
		h,
		h.want(h.postTo(h.admin, chatPath, asks("c2", "m1", "Where did I move to, and which way does the balcony face?")), 200),
	)
	if got.Answer != "You moved to Bern." || !strings.HasSuffix(got.Model, "/test") || got.Rounds != 2 || got.Usage.Calls != 2 ||
		len(got.ToolCalls) != 1 {
		t.Fatalf("%+v", got)
	}
	if call := got.ToolCalls[0]; call.Name != "memory_search" || call.IsError || len(call.Found) == 0 ||
		!strings.Contains(call.Content, "Bern") {
		t.Errorf("%+v", call)
	}
	if got.Context.Ledger.Tools == 0 || len(got.Context.Recalled) == 0 || got.Context.Recalled[0].Text == "" ||
		got.Context.Recalled[0].Tokens == 0 {
		t.Errorf("%+v", got.Context)
	}
	// Tool calls and results are stored in order.
	type stored struct {
		Items []struct{ Role, Content, ToolCallID string }
	}
	var roles []string
	for _, m := range as[stored](h, h.want(h.get("/api/v1/agents/ada/conversations/c2/messages?endUserId=42"), 200)).Items {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "user assistant tool assistant" {
		t.Errorf("%v", roles)
	}
}

// A model's failures have stable names, the message stays, and the same message may be sent again.
func TestChatWhenTheModelFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		reply  llmtest.Reply
		status int
		error  string
		wait   string
	}{
		{"busy", llmtest.Status(429, 7*time.Second), 429, "model_rate_limited", "7"},
		{"away", llmtest.HangUpBeforeAnswer(), 503, "model_unavailable", "5"},
		{"overloaded", llmtest.Status(503), 503, "model_unavailable", "5"},
		{"wrong key", llmtest.Unauthorized(), 502, "model_failed", ""},
		{"no money", llmtest.Quota(), 502, "model_failed", ""},
		{"declines", llmtest.Refusal(), 502, "model_failed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			fails := true
			played := llmtest.New(
				t,
				llmtest.Options{
					Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("Yes.") },
					Script: func(llmtest.Request) llmtest.Reply {
						if fails {
							return c.reply
						}
						return llmtest.Honest()
					},
				},
			)
			h := start(t, withModel(t, played))
			h.agent("ada")
			got := h.wantError(h.postTo(h.admin, chatPath, asks("c1", "m1", "Is MARKER there?")), c.status, c.error)
			if got.header.Get("Retry-After") != c.wait {
				t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
			}
			events, _ := h.listen(t.Context(), asks("c1", "m1", "Is MARKER there?"))
			if names, _, last := heard(t, events); names[len(names)-1] != "error" ||
				!strings.Contains(string(last), `"error":"`+c.error+`"`) {
				t.Errorf("%v, %s", names, last)
			}
			fails = false
			if again := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", "Is MARKER there?")), 200)); again.Answer != "Yes." ||
				again.LastSeq != 2 {
				t.Errorf("%+v", again)
			}
			if strings.Contains(h.log.String(), "MARKER") {
				t.Error("the log has contents")
			}
		})
	}
}

// A workspace that has spent its budget gets an error with the time it resets; the message stays stored.
func TestChatWithoutABudget(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("Yes.") }})
	h := start(t, withModel(t, played), func(o *api.Options) { o.Chat.Budget = memory.Budget{Tokens: 1} })
	h.agent("ada")
	h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", "Is anybody there?")), 200)
	got := h.wantError(h.postTo(h.admin, chatPath, asks("c1", "m2", "Still there?")), 429, "budget_spent")
	if seconds, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 24*60*60 {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
	h.wantError(h.postTo(h.admin, chatPath+"/stream", asks("c1", "m2", "Still there?")), 429, "budget_spent")
	if n := len(played.Requests()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// The status names budgets that are spent, and those that limit nothing because the model has no price.
func TestTheStatusNamesBudgets(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("Yes.") }})
	h := start(t, withModel(t, played), func(o *api.Options) {
		o.Model = api.Model{Name: "test", Free: true}
		o.Chat.Budget = memory.Budget{Tokens: 1, CostMicros: 1}
	})
	h.agent("ada")
	h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{
		"settings": map[string]any{"budgetTokens": 1, "budgetCost": 2},
	}}), 200)
	degraded := func() string {
		return strings.Join(as[api.StatusView](h, h.want(h.get("/api/v1/status"), 200)).Degraded, "\n")
	}
	for _, of := range []string{"the workspace", "the agent ada"} {
		if before := degraded(); strings.Contains(before, "is spent") || !strings.Contains(before, "budget of costs of "+of+" limits no call") {
			t.Errorf("%s", before)
		}
	}
	h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", "Is anybody there?")), 200)
	after := degraded()
	for _, want := range []string{
		"model: the workspace's model budget of today is spent; it renews at ", " 00:00 UTC",
		"model: of the agent ada, the agent's model budget of today is spent; it renews at ",
	} {
		if !strings.Contains(after, want) {
			t.Errorf("%q is missing in\n%s", want, after)
		}
	}
}

// An administrator pauses the models of one agent: its chats are refused, the status and its budget say so, and others are answered.
func TestChatOfAPausedAgent(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("Yes.") }})
	h := start(t, withModel(t, played), func(o *api.Options) { o.Model = api.Model{Name: "test"} })
	h.agent("ada")
	pause := func(paused bool) {
		h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{
			"settings": map[string]any{"modelPaused": paused, "budgetTokens": 100_000},
		}}), 200)
	}
	type budget struct {
		Paused bool
		Halted string
		Agent  struct {
			Tokens int64
			Today  memory.Usage
		}
	}
	read := func() budget {
		return as[budget](h, h.want(h.do(request{method: "GET", path: "/api/v1/agents/ada/budget", key: h.admin}), 200))
	}
	pause(true)
	got := h.wantError(h.postTo(h.admin, chatPath, asks("c1", "m1", "Is anybody there?")), 429, "budget_spent")
	if got.header.Get("Retry-After") != "" {
		t.Errorf("Retry-After %q: nobody knows when the pause ends", got.header.Get("Retry-After"))
	}
	if b := read(); !b.Paused || b.Halted == "" || b.Agent.Tokens != 100_000 || b.Agent.Today.Calls != 0 {
		t.Errorf("%+v", b)
	}
	if status := h.want(h.do(request{method: "GET", path: "/api/v1/status", key: h.admin}), 200); !strings.Contains(string(status.body), "paused for the agent ada") {
		t.Errorf("%s", status.body)
	}
	pause(false)
	h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", "Is anybody there?")), 200)
	if b := read(); b.Paused || b.Halted != "" || b.Agent.Today.Calls != 1 || len(played.Requests()) != 1 {
		t.Errorf("%+v after %d calls", b, len(played.Requests()))
	}
}
