package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"reverie/api"
	"reverie/memory"
)

const eventsOfAda = "/api/v1/agents/ada/events"

// getEvents requests events and returns the answer while it is still open.
func (h *harness) getEvents(path, key, last string) *http.Response {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	h.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+eventsOfAda+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// Events are listed, downloaded and followed, and each operation continues where another one ended.
func TestEvents(t *testing.T) {
	h := start(t)
	h.agent("ada")
	put := func(path string) {
		t.Helper()
		h.want(h.do(request{
			method: "PUT", path: "/api/v1/agents/ada/workspace/files/" + path + "?owner=api:42&scope=PERSONAL", key: h.admin,
			body: map[string]any{"content": "x\n"}, header: map[string]string{"If-None-Match": "*"},
		}), 201)
	}
	put("one.md")
	follow := h.getEvents("/stream?owner=api:42&path=two.md&after=0-0", h.admin, "")
	put("two.md")
	var id string
	for lines := bufio.NewScanner(follow.Body); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), "id: "); found {
			id = text
		}
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
			var e struct{ ID, Kind, Path, Owner string }
			if err := json.Unmarshal([]byte(data), &e); err != nil || e.ID != id || e.Kind != "document.written" || e.Path != "two.md" ||
				e.Owner != "api:42" {
				t.Fatalf("event %s: %v", data, err)
			}
			break
		}
	}
	if id == "" {
		t.Fatal("nothing was told")
	}
	asLines, err := http.NewRequestWithContext(
		t.Context(),
		http.MethodGet,
		h.url+eventsOfAda+"?owner=api:42&kind=document.written&path=two.md",
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	asLines.Header.Set("Authorization", "Bearer "+h.admin)
	asLines.Header.Set("Accept", "application/x-ndjson, application/json;q=0.5")
	lines, err := http.DefaultClient.Do(asLines)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lines.Body.Close() }()
	if body, err := io.ReadAll(lines.Body); err != nil || lines.Header.Get("Content-Type") != "application/x-ndjson" ||
		strings.Count(string(body), "\n") != 1 || !strings.Contains(string(body), `"path":"two.md"`) {
		t.Errorf("by its Accept header: %s, %v", body, err)
	}
	download := h.getEvents(".jsonl?owner=api:42&kind=document.written", h.admin, "")
	var paths []string
	for lines := bufio.NewScanner(download.Body); lines.Scan(); {
		var e struct{ ID, Path, Scope string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Scope == "PERSONAL" {
			paths = append(paths, e.Path)
		}
	}
	if strings.Join(paths, " ") != "one.md two.md" || download.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("downloaded %q as %s", paths, download.Header.Get("Content-Type"))
	}
	list := h.want(h.do(request{method: "GET", path: eventsOfAda + "?owner=api:42&after=" + id, key: h.admin}), 200)
	if strings.Contains(string(list.body), "one.md") || strings.Contains(string(list.body), "two.md") ||
		!strings.Contains(string(list.body), `"next"`) {
		t.Errorf("behind the last one: %s", list.body)
	}
	for _, after := range []string{"x", "1152921504606846976-0"} {
		h.want(h.do(request{method: "GET", path: eventsOfAda + "?after=" + after, key: h.admin}), 422)
	}
}

// The number of followers of events is limited; a follower that leaves frees a place.
func TestEventFollowersAreBounded(t *testing.T) {
	h := start(t)
	h.agent("ada")
	key := h.admin
	followers := make([]*http.Response, api.MaxFollowers)
	for i := range followers {
		if i > 0 && i%api.MaxFollowersOfKey == 0 {
			key = h.key(fmt.Sprint("follower ", i), memory.RoleMember, "")
		}
		if followers[i] = h.getEvents("/stream", key, ""); followers[i].StatusCode != 200 {
			t.Fatalf("follower %d: %d", i, followers[i].StatusCode)
		}
		if i+1 == api.MaxFollowersOfKey {
			if more := h.getEvents("/stream", h.admin, ""); more.StatusCode != 429 {
				t.Errorf("one more with the same key: %d", more.StatusCode)
			}
		}
	}
	refused := h.getEvents("/stream", h.key("another", memory.RoleMember, ""), "")
	if refused.StatusCode != 429 || refused.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %d", refused.StatusCode)
	}
	_ = followers[0].Body.Close()
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if again := h.getEvents("/stream", h.admin, ""); again.StatusCode == 200 {
			return
		}
		if time.Now().After(until) {
			t.Fatal("who leaves makes no room")
		}
	}
}

// A follower gets its cursor at once: one that reconnects before the first event misses nothing.
func TestAFollowerKnowsItsPlaceAtOnce(t *testing.T) {
	h := start(t)
	h.agent("ada")
	placeOf := func(r *http.Response) string {
		t.Helper()
		for lines := bufio.NewScanner(r.Body); lines.Scan(); {
			if id, found := strings.CutPrefix(lines.Text(), "id: "); found {
				return id
			}
		}
		t.Fatal("no place was told")
		return ""
	}
	first := h.getEvents("/stream?owner=api:42", h.admin, "")
	place := placeOf(first)
	_ = first.Body.Close()
	h.want(h.do(request{
		method: "PUT", path: "/api/v1/agents/ada/workspace/files/between.md?owner=api:42&scope=PERSONAL", key: h.admin,
		body: map[string]any{"content": "x\n"}, header: map[string]string{"If-None-Match": "*"},
	}), 201)
	second := h.getEvents("/stream?owner=api:42", h.admin, place)
	for lines := bufio.NewScanner(second.Body); lines.Scan(); {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
			if !strings.Contains(data, `"path":"between.md"`) {
				t.Errorf("told %s", data)
			}
			return
		}
	}
	t.Error("nothing was told")
}

// What cannot be asked for is refused, and the error names the parameter that was sent.
func TestEventsRefuseWhatIsUnknown(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for query, wants := range map[string][]string{
		"?kind=document.writen":               {"query.kind", "document.writen", "document.written", "turn.completed"},
		"?kind=document.written,document.new": {"query.kind", "document.new"},
		"?cursor=x":                           {`"query.cursor"`},
		"?after=x":                            {`"query.after"`},
		"?cursor=1152921504606846976-1":       {`"query.cursor"`, "start without one"}, // of another database
	} {
		for _, form := range []string{"", ".jsonl", "/stream"} {
			body := string(h.wantError(h.get(eventsOfAda+form+query), 422, "invalid_request").body)
			for _, want := range wants {
				if !strings.Contains(body, want) {
					t.Errorf("%s%s: %s does not say %q", form, query, body, want)
				}
			}
		}
	}
	if r := h.getEvents("/stream", h.admin, "x"); r.StatusCode != 422 {
		t.Errorf("status %d", r.StatusCode)
	} else if body, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(body), "header.Last-Event-ID") {
		t.Errorf("%s, %v", body, err)
	}
}
