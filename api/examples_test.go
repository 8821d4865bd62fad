package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"reverie/api"
)

// TestExamplesAreAccepted sends every request body that the OpenAPI document gives as an example.
func TestExamplesAreAccepted(t *testing.T) {
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	h := start(t)
	h.agent("ada")
	h.want(h.post("support-1", map[string]any{ // an example revokes what was learned from it
		"owner": "user:7", "messages": []any{map[string]any{"id": "m1", "role": "user", "content": "My order is late."}},
	}), 202)
	fill := strings.NewReplacer("{agent}", "ada", "{conversation}", "c1")
	sent := 0
	for path, item := range document.Paths {
		if item.Post == nil || item.Post.RequestBody == nil || item.Post.RequestBody.Content["application/json"] == nil {
			continue
		}
		example := item.Post.RequestBody.Content["application/json"].Example
		if example == nil {
			continue
		}
		body, err := json.Marshal(example)
		if err != nil {
			t.Fatal(err)
		}
		got := h.do(request{method: http.MethodPost, path: fill.Replace(path), key: h.admin, body: body})
		if got.status/100 != 2 {
			t.Errorf("%s: %d %s", item.Post.OperationID, got.status, got.body)
		}
		sent++
	}
	if sent < 5 { // as many as the document has
		t.Errorf("only %d examples", sent)
	}
}

// TestWhatRequestsMayLeaveOut holds what test/contract/testdata/usage.ts expects of the server.
func TestWhatRequestsMayLeaveOut(t *testing.T) {
	h := start(t)
	h.agent("ada")
	message := map[string]any{"role": "user", "content": "I moved to Bern."}
	body := map[string]any{"endUserId": "42", "messages": []any{message}}
	h.wantError(h.post("c1", body), 422, "invalid_request")
	message["id"] = "m1"
	h.want(h.post("c1", body), 202)
	h.want(h.do(request{method: "POST", path: searchPath, key: h.admin, body: map[string]any{"query": "Where do I live?"}}), 200)
}

// TestPagesOfEveryList reads lists page by page with limit and cursor, whatever they answered before there was one form.
func TestPagesOfEveryList(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.want(h.post("c1", batch("42", true, "One.", "Two.", "Three.")), 202)
	first := h.want(h.put("a.md", "1\n", nil), 201)
	second := h.want(h.put("a.md", "2\n", map[string]string{"If-Match": first.header.Get("ETag")}), 200)
	h.want(h.put("a.md", "3\n", map[string]string{"If-Match": second.header.Get("ETag")}), 200)
	for path, old := range map[string]string{
		"/api/v1/agents/ada/conversations/c1/messages?endUserId=42": "",
		workspaceFiles + "history/a.md?scope=TEAM":                  "versions",
		"/api/v1/agents/ada/events?kind=document.written":           "events",
	} {
		read, seen := 0, map[string]bool{}
		for cursor := ""; read < 3; {
			answer := as[map[string]json.RawMessage](h, h.want(h.get(path+"&limit=1"+after(cursor)), 200))
			var items []json.RawMessage
			if err := json.Unmarshal(answer["items"], &items); err != nil || len(items) != 1 {
				t.Fatalf("%s: %v in %s", path, err, answer["items"])
			}
			if seen[string(items[0])] {
				t.Fatalf("%s answers %s again", path, items[0])
			}
			if old != "" && string(answer[old]) != string(answer["items"]) {
				t.Errorf("%s: %s is %s, items are %s", path, old, answer[old], answer["items"])
			}
			seen[string(items[0])] = true
			read++
			cursor = strings.Trim(string(answer["next"]), `"`)
		}
	}
}

func after(cursor string) string {
	if cursor == "" {
		return ""
	}
	return "&cursor=" + cursor
}
