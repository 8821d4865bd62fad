package api_test

import (
	"strings"
	"testing"

	"reverie/api"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
)

// In each language a request is saved at once, without the model that is there, and answered in that language with the receipt;
// an exact repeat is recognised, and what says otherwise takes the place of the old line, which stays in the history.
func TestChatRemembersInSixLanguages(t *testing.T) {
	played := llmtest.New(t, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("From the model.") }})
	h := start(t, withModel(t, played))
	h.agent("ada")
	for language, c := range map[string]struct {
		asks, kept, saved, known string
		other, newer             string
	}{
		"english": {
			"Remember that my boat is called Heron.", "My boat is called Heron", "Saved", "already", "Remember that my boat is called Egret.",
			"Egret",
		},
		"chinese": {"请记住：我的船叫白鹭。", "我的船叫白鹭", "已保存", "已经", "请记住：我的船叫海燕。", "海燕"},
		"vietnamese": {
			"Hãy nhớ rằng sinh nhật tôi là ngày 5 tháng 5.", "Sinh nhật tôi là ngày 5 tháng 5", "Đã lưu", "đã",
			"Hãy nhớ rằng sinh nhật tôi là ngày 6 tháng 5.", "ngày 6",
		},
		"spanish": {
			"Recuerda que mi cumpleaños es el 5 de mayo.", "Mi cumpleaños es el 5 de mayo", "Guardado", "ya",
			"Recuerda que mi cumpleaños es el 6 de mayo.", "6 de mayo",
		},
		"german": {
			"Merk dir: mein Geburtstag ist am 5. Mai.", "Mein Geburtstag ist am 5. Mai", "Gespeichert", "schon",
			"Merk dir: mein Geburtstag ist am 6. Mai.", "6. Mai",
		},
		"japanese": {"覚えておいて：私の船の名前はサギです。", "私の船の名前はサギです", "保存", "すでに", "覚えておいて：私の船の名前はツルです。", "ツル"},
	} {
		t.Run(language, func(t *testing.T) {
			h := *h
			h.t = t
			say := func(id, message string) turn {
				t.Helper()
				body := asks("c-"+language, id, message)
				body["endUserId"] = language
				return as[turn](&h, h.want(h.postTo(h.admin, chatPath, body), 200))
			}
			saved := say("m1", c.asks)
			if saved.Model != "builtin/remember" || saved.Remembered == nil || saved.Remembered.Kind != "saved" ||
				!strings.HasPrefix(saved.Remembered.Line, c.kept) {
				t.Fatalf("%+v %+v", saved, saved.Remembered)
			}
			receipt := saved.Remembered.Receipt.Token
			if receipt == "" || !strings.Contains(saved.Answer, receipt) || !strings.Contains(saved.Answer, c.saved) ||
				!strings.Contains(saved.Answer, c.kept) {
				t.Errorf("%q, receipt %q", saved.Answer, receipt)
			}
			known := say("m2", c.asks)
			if known.Remembered == nil || known.Remembered.Kind != "known" || known.Remembered.Receipt.Token != receipt ||
				!strings.Contains(strings.ToLower(known.Answer), c.known) {
				t.Errorf("%q %+v", known.Answer, known.Remembered)
			}
			corrected := say("m3", c.other)
			if corrected.Remembered == nil || corrected.Remembered.Kind != "corrected" || !strings.Contains(corrected.Answer, c.newer) ||
				!strings.HasPrefix(corrected.Remembered.Old, c.kept) {
				t.Errorf("%q %+v", corrected.Answer, corrected.Remembered)
			}
			if text := h.memoryOf(language); !strings.Contains(text, c.newer) || strings.Contains(text, c.kept) {
				t.Errorf("MEMORY.md:\n%s", text)
			}
			versions := h.want(h.get("/api/v1/agents/ada/workspace/history/MEMORY.md?owner=api:"+language), 200)
			if !strings.Contains(string(versions.body), `"version":2`) {
				t.Errorf("%s", versions.body)
			}
		})
	}
	if n := len(played.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A key that is pinned to an owner need not name them and can name nobody else; viewers ask nothing that is stored.
func TestWhoMayChat(t *testing.T) {
	h := start(t)
	said(h)
	pinned, viewer := h.key("pinned", memory.RoleMember, "api:42"), h.key("viewer", memory.RoleViewer, "api:42")
	mine := map[string]any{"agentId": "ada", "conversationId": "p1", "messageId": "m1", "message": "Which way does the balcony face?"}
	if got := as[turn](h, h.want(h.postTo(pinned, chatPath, mine), 200)); !strings.Contains(got.Answer, "The balcony faces south.") {
		t.Errorf("%+v", got)
	}
	if got := as[assembled](h, h.want(h.postTo(pinned, contextPath, map[string]any{"conversation": "p1", "message": "And the flat?"}),
		200)); got.Ledger.Messages != 2 {
		t.Errorf("%+v", got.Ledger)
	}
	others := map[string]any{"agentId": "ada", "endUserId": "43", "conversationId": "p2", "message": "Which way does the balcony face?"}
	for _, path := range []string{chatPath, chatPath + "/stream"} {
		h.wantError(h.postTo(pinned, path, others), 403, "owner_not_allowed")
		h.wantError(h.postTo(viewer, path, mine), 403, "forbidden")
	}
	h.wantError(h.postTo(pinned, contextPath, map[string]any{"endUserId": "43", "message": "a"}), 403, "owner_not_allowed")
	h.wantError(h.postTo(viewer, contextPath, map[string]any{"message": "a"}), 403, "forbidden")
	// A context of another owner's conversation shows nothing of it.
	if got := h.assemble(map[string]any{
		"endUserId": "43", "conversation": "p1", "message": "Which way does the balcony face?",
	}); got.Ledger.Messages != 0 ||
		len(got.Recalled) != 0 {
		t.Errorf("%+v %+v", got.Ledger, got.Recalled)
	}
	answer := h.want(h.postTo(h.admin, chatPath, map[string]any{
		"agentId": "ada", "endUserId": "43", "conversationId": "p1", "message": "Which way does the balcony face?",
	}), 200)
	if strings.Contains(string(answer.body), "south") {
		t.Errorf("the answer in a conversation of the same name quotes another owner: %s", answer.body)
	}
}

// An agent's settings of recall, of the model whose tokens are counted, and of memory itself act on the next context.
func TestSettingsOfContexts(t *testing.T) {
	h := start(t)
	said(h)
	for i, line := range []string{
		"The stove of the flat in Bern is green.", "The door of the flat in Bern is red.", "The floor of the flat in Bern is oak.",
	} {
		h.want(h.put("notes"+string(rune('a'+i))+".md?owner=api:42", "# Flat\n\n"+line+"\n", nil), 201)
	}
	ask := map[string]any{
		"endUserId":    "42",
		"conversation": "new",
		"message":      "Which floor has the flat, and does anybody know how tall the lighthouse of Alexandria was?",
	}
	with := func(settings map[string]any) assembled {
		t.Helper()
		h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": settings}}), 200)
		return h.assemble(ask)
	}
	all := with(map[string]any{})
	if len(all.Recalled) < 3 || all.Ledger.Recall > 204 || all.Counter.Name != "estimate" {
		t.Fatalf("%+v %+v %+v", all.Ledger, all.Recalled, all.Counter)
	}
	for _, r := range all.Recalled {
		if r.Score < .25 { // the default
			t.Errorf("below the threshold: %+v", r)
		}
	}
	if few := with(map[string]any{"autoInjectMaxTokens": 80}); len(few.Recalled) == 0 || len(few.Recalled) >= len(all.Recalled) ||
		few.Ledger.Recall > 84 {
		t.Errorf("%+v %+v", few.Ledger, few.Recalled)
	}
	if none := with(map[string]any{"autoInjectMaxTokens": 0}); none.Skipped != "disabled" || none.Ledger.Recall != 0 {
		t.Errorf("%q %+v", none.Skipped, none.Ledger)
	}
	if strict := with(map[string]any{"autoInjectThreshold": 1, "autoInjectMaxTokens": 200}); len(strict.Recalled) >= len(all.Recalled) {
		t.Errorf("%+v", strict.Recalled)
	}
	if off := with(map[string]any{"autoInject": false}); off.Skipped != "disabled" || off.Ledger.Recall != 0 {
		t.Errorf("%q %+v", off.Skipped, off.Ledger)
	}
	if exact := with(map[string]any{"autoInject": true, "model": "openai/gpt-4o"}); exact.Counter.Name != "o200k_base" ||
		exact.Model != "openai/gpt-4o" {
		t.Errorf("%+v", exact.madeContext)
	}
	ask["model"] = "claude-opus-4-1"
	if other := h.assemble(ask); other.Counter.Name != "estimate" {
		t.Errorf("%+v", other.madeContext)
	}
	if off := with(map[string]any{"memoryEnabled": false}); off.Skipped != "off" || off.Ledger.Recall != 0 {
		t.Errorf("%q %+v", off.Skipped, off.Ledger)
	}
}

// The largest message is answered, and a longer one refused; the largest window of the default size has room for it.
func TestTheLargestMessage(t *testing.T) {
	h := start(t, func(o *api.Options) { o.Chat.Settings = setting.DefaultWindowSettings() })
	h.agent("ada")
	message := strings.Repeat("Where does the ferry land? ", memory.MaxMessageBytes/27+1)[:memory.MaxMessageBytes]
	if got := as[turn](h, h.want(h.postTo(h.admin, chatPath, asks("c1", "m1", message)), 200)); got.LastSeq != 2 {
		t.Errorf("%+v", got)
	}
	if got := h.assemble(map[string]any{"endUserId": "42", "conversation": "c2", "message": message}); got.Messages[len(
		got.Messages)-1].Content != message {
		t.Errorf("%+v", got.Ledger)
	}
	for _, path := range []string{chatPath, chatPath + "/stream"} {
		h.wantError(h.postTo(h.admin, path, asks("c1", "m2", message+"x")), 422, "invalid_request")
	}
	// The same limit applies to tool messages that a client stores.
	h.wantError(h.post("c3", map[string]any{"endUserId": "42", "messages": []map[string]any{
		{"id": "t", "role": "tool", "toolCallId": "x", "content": strings.Repeat("a", 1<<20)},
	}}), 422, "invalid_request")
}
