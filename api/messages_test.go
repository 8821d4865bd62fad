package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"reverie/store"
)

type added struct {
	Conversation string
	Stored       int
	Duplicates   int
	LastSeq      int64
	TurnComplete bool
	Extraction   struct{ Status, WorkflowID, Outcomes string }
}

type messagePage struct {
	Items []struct {
		Seq       int64
		ID        string
		Role      string
		Content   string
		CreatedAt time.Time
	}
	Next int64
}

func TestMessagesAreStoredOnceAndInOrder(t *testing.T) {
	h := start(t)
	h.agent("ada")
	at := "2026-11-21T09:30:00+01:00"
	body := map[string]any{"endUserId": "42", "triggerSource": "api", "messages": []map[string]any{
		{"id": "m1", "role": "user", "content": "My cat is called Büsi.", "createdAt": at},
		{"id": "m2", "role": "assistant", "content": "What a name!", "finishReason": "stop"},
	}}
	first := as[added](h, h.want(h.post("c1", body), 202))
	if first.Stored != 2 || first.Duplicates != 0 || first.LastSeq != 2 || first.TurnComplete || first.Extraction.Status != "none" {
		t.Errorf("first: %+v", first)
	}
	again := as[added](h, h.want(h.post("c1", body), 202))
	if again.Stored != 0 || again.Duplicates != 2 || again.LastSeq != 2 {
		t.Errorf("again: %+v", again)
	}
	h.wantError(h.post("c1", map[string]any{"endUserId": "42", "messages": []map[string]any{
		{"id": "m3", "role": "user", "content": "new"}, {"id": "m2", "role": "assistant", "content": "other words"},
	}}), 409, "message_id_reused")
	if other := as[added](h, h.want(h.post("c1", batch("43", false, "hello")), 202)); other.Stored != 1 || other.LastSeq != 1 {
		t.Errorf("a conversation of the same name of another owner: %+v", other)
	}

	got := as[messagePage](h, h.want(h.get("/api/v1/agents/ada/conversations/c1/messages?endUserId=42"), 200))
	if len(got.Items) != 2 || got.Items[0].ID != "m1" || got.Items[1].Seq != 2 || got.Next != 0 {
		t.Fatalf("%+v", got)
	}
	if said, _ := time.Parse(time.RFC3339, at); !got.Items[0].CreatedAt.Equal(said) || got.Items[0].Content != "My cat is called Büsi." {
		t.Errorf("%+v", got.Items[0])
	}
}

func TestMessagesArePaged(t *testing.T) {
	h := start(t)
	h.agent("ada")
	var contents []string
	for i := range 5 {
		contents = append(contents, fmt.Sprint("message ", i))
	}
	h.want(h.post("c1", batch("42", false, contents...)), 202)
	var seen []int64
	after := int64(0)
	for {
		p := as[messagePage](
			h,
			h.want(h.get(fmt.Sprintf("/api/v1/agents/ada/conversations/c1/messages?endUserId=42&limit=2&after=%d", after)), 200),
		)
		for _, m := range p.Items {
			seen = append(seen, m.Seq)
		}
		if after = p.Next; after == 0 {
			break
		}
	}
	if fmt.Sprint(seen) != "[1 2 3 4 5]" {
		t.Errorf("paged through %v", seen)
	}
	h.wantError(h.get("/api/v1/agents/ada/conversations/other/messages?endUserId=42"), 404, "not_found")
}

func TestTheThreeWaysToNameAnOwner(t *testing.T) {
	h := start(t)
	h.agent("ada")
	message := []map[string]any{{"id": "m1", "role": "user", "content": "hello"}}
	for conversation, who := range map[string]map[string]any{
		"a": {"owner": "api:7"}, "b": {"endUserId": "7"}, "c": {"channel": "api", "sender": "7"}, "d": {"endUserId": "7", "owner": "api:7"},
	} {
		who["messages"] = message
		h.want(h.post(conversation, who), 202)
		h.want(h.get("/api/v1/agents/ada/conversations/"+conversation+"/messages?owner=api:7"), 200)
	}
	for name, who := range map[string]map[string]any{
		"two people": {"owner": "user:1", "endUserId": "7"}, "half": {"channel": "telegram"}, "no prefix": {"owner": "seven"},
	} {
		who["messages"] = message
		if a := h.post("e", who); a.status != 422 || a.Error != "invalid_request" {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	missing := h.wantError(h.post("e", map[string]any{"messages": message}), 422, "owner_required")
	for _, way := range []string{"owner", "channel", "sender", "endUserId"} {
		if !strings.Contains(missing.Msg, way) {
			t.Errorf("%q does not tell of %s", missing.Msg, way)
		}
	}
	h.want(h.post("system", map[string]any{"owner": "system", "triggerSource": "cron", "messages": message}), 202)
}

// Limits hold exactly: what is at the limit passes, what is beyond is refused and named.
func TestLimitsOfABatch(t *testing.T) {
	h := start(t)
	h.agent("ada")
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":"m%d","role":"user","content":"x"}`, i)
		}
		return `{"endUserId":"42","messages":[` + b.String() + `]}`
	}
	one := func(id, content string) map[string]any {
		return map[string]any{"endUserId": "42", "messages": []map[string]any{{"id": id, "role": "user", "content": content}}}
	}
	const kib256 = 256 << 10
	for _, c := range []struct {
		name  string
		body  any
		path  string
		fault string // location; empty: accepted
	}{
		{"no message", many(0), "a", "body.messages"},
		{"1,000 messages", many(1000), "b", ""},
		{"1,001 messages", many(1001), "c", "body.messages"},
		{"256 KiB", one("m", strings.Repeat("x", kib256)), "d", ""},
		{"a byte more", one("m", strings.Repeat("x", kib256+1)), "e", "body.messages[0].content"},
		{"256 KiB of two bytes each", one("m", strings.Repeat("ü", kib256/2)), "f", ""},
		{"two bytes more", one("m", strings.Repeat("ü", kib256/2+1)), "g", "body.messages[0].content"},
		{"id of 128 bytes", one(strings.Repeat("i", 128), "x"), "h", ""},
		{"id of 129 bytes", one(strings.Repeat("i", 129), "x"), "i", "body.messages[0].id"},
		{"id of 130 bytes in 65 characters", one(strings.Repeat("é", 65), "x"), "j", "body.messages[0].id"},
		{"no id", one("", "x"), "k", "body.messages[0].id"},
		{"empty content", one("m", ""), "l", ""},
		{"a NUL", one("m", "a\x00b"), "m", "body.messages[0].content"},
		{"conversation of 255 bytes", one("m", "x"), strings.Repeat("c", 255), ""},
		{"conversation of 256 bytes", one("m", "x"), strings.Repeat("c", 256), "path.conversation"},
	} {
		a := h.post(c.path, c.body)
		if c.fault == "" {
			if a.status != 202 {
				t.Errorf("%s: %s", c.name, a.body)
			}
			continue
		}
		if a.status != 422 || a.Error != "invalid_request" || !strings.Contains(string(a.Data), `"location":"`+c.fault+`"`) {
			t.Errorf("%s: status %d, %s", c.name, a.status, a.body)
		}
	}
}

func TestLimitOfABody(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const limit = 32 << 20
	// Blanks pad a batch to an exact length.
	padded := func(n int) []byte {
		body, err := json.Marshal(batch("42", false, "hello"))
		if err != nil {
			t.Fatal(err)
		}
		return append(body, []byte(strings.Repeat(" ", n-len(body)))...)
	}
	h.want(h.post("c1", padded(limit)), 202)
	beyond := h.wantError(h.post("c1", padded(limit+1)), 413, "body_too_large")
	if !strings.Contains(beyond.Msg, fmt.Sprintf("%d MiB", limit>>20)) {
		t.Errorf("%q does not tell the limit", beyond.Msg)
	}
	// The same without a Content-Length.
	req, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/api/v1/agents/ada/conversations/c1/messages",
		struct{ *strings.Reader }{strings.NewReader(string(padded(limit + 1)))})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = -1
	req.Header.Set("Authorization", "Bearer "+h.admin)
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != 413 {
		t.Errorf("chunked: status %d", response.StatusCode)
	}
}

func TestAllFaultsAreNamedAtOnce(t *testing.T) {
	h := start(t)
	h.agent("ada")
	a := h.wantError(h.post("c1", `{"endUserId":"42","triggerSource":"dream","turnComplet":true,"messages":[
		{"id":"m1","role":"robot","content":"SECRETMARKER"},{"role":"user","content":7},{"id":"m3","role":"user","content":"x","createdAt":"yesterday"}]}`),
		422, "invalid_request")
	for _, location := range []string{
		"body.triggerSource", "body.turnComplet", "body.messages[0].role", "body.messages[1]", "body.messages[1].content",
		"body.messages[2].createdAt",
	} {
		if !strings.Contains(string(a.Data), `"location":"`+location+`"`) {
			t.Errorf("%s is not named in %s", location, a.Data)
		}
	}
	if strings.Contains(string(a.body), "SECRETMARKER") {
		t.Errorf("a value is quoted: %s", a.body)
	}
	h.wantError(h.post("c1", `{"endUserId":`), 400, "invalid_body")
	h.wantError(h.post("c1", ``), 400, "invalid_body")
	h.wantError(
		h.post("c1", "{\"endUserId\":\"42\",\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"\xff\"}]}"),
		400,
		"invalid_body",
	)
	typed := func(contentType, body string) answered {
		return h.do(request{
			method: "POST", path: "/api/v1/agents/ada/conversations/c1/messages", key: h.admin, body: body,
			header: map[string]string{"Content-Type": contentType},
		})
	}
	h.wantError(typed("text/xml", "<a/>"), 415, "unsupported_media_type")
	h.wantError(typed("application/x-www-form-urlencoded", "a=b"), 400, "invalid_body")
	h.want(
		typed(
			"application/x-www-form-urlencoded",
			`{"endUserId":"42","messages":[{"id":"m","role":"user","content":"as curl -d sends it"}]}`,
		),
		202,
	)
	h.wantError(h.get("/api/v1/agents/ada/conversations?limi=3"), 422, "invalid_request")
}

// While Temporal is away messages are stored and answered as such, quickly even when many come.
func TestWithoutTemporalMessagesWait(t *testing.T) {
	h := start(t)
	h.agent("ada")
	begun := time.Now()
	for i := range 8 {
		got := as[added](h, h.want(h.post(fmt.Sprint("c", i), batch("42", true, "I live in Bern.", "Noted.")), 202))
		if got.Stored != 2 || !got.TurnComplete || got.Extraction.Status != "pending" || got.Extraction.WorkflowID == "" {
			t.Fatalf("%+v", got)
		}
	}
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("8 turns took %s", took)
	}
	waiting, err := h.store.Unsignalled(t.Context(), store.Lease{Before: time.Now().Add(time.Minute)})
	if err != nil || len(waiting) != 1 || waiting[0].Turn != 8 {
		t.Errorf("the sweep finds %+v, %v", waiting, err)
	}
	begun = time.Now()
	h.wantError(h.do(request{method: "POST", path: "/api/v1/memory/ada/summarize/c1", key: h.admin}), 503, "workflows_unavailable")
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("to say that workflows are away took %s", took)
	}
	// Sent again, the same turn is not another one.
	if again := as[added](h, h.want(h.post("c1", batch("42", true, "I live in Bern.", "Noted.")), 202)); again.Extraction.Status != "none" {
		t.Errorf("again: %+v", again)
	}
}
