package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oapi-codegen/nullable"
)

// answering returns a client of a server with the given handler.
func answering(t *testing.T, handler http.HandlerFunc, options ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(server.URL+"/", "rv_secret", nil, options...)
}

func TestRequestIsEncoded(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, body = r, string(raw)
		w.Header().Set("ETag", `"P2.0"`)
		_, _ = io.WriteString(w, `{"code":200,"msg":"success","data":{"path":"memory/a.md","items":[]}}`)
	}, UserAgent("test/1"))
	answer, err := c.WriteFile(t.Context(), "a/b", "memory/a b?.md", WriteFileParams{
		Person: Person{Owner: "user:7"}, Scope: "PERSONAL", IfMatch: `"P1.0"`, IdempotencyKey: "k",
	}, WriteFileBody{Content: "# x\n"})
	if err != nil || answer.Status != 200 || answer.Header.Get("ETag") != `"P2.0"` {
		t.Fatalf("%+v, %v", answer, err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"method", got.Method, "PUT"},
		{"path", got.URL.EscapedPath(), "/api/v1/agents/a%2Fb/workspace/files/memory/a%20b%3F.md"},
		{"query", got.URL.RawQuery, "owner=user%3A7&scope=PERSONAL"},
		{"key", got.Header.Get("Authorization"), "Bearer rv_secret"},
		{"precondition", got.Header.Get("If-Match"), `"P1.0"`},
		{"idempotency key", got.Header.Get("Idempotency-Key"), "k"},
		{"user agent", got.Header.Get("User-Agent"), "test/1"},
		{"type", got.Header.Get("Content-Type"), "application/json"},
		{"body", body, `{"content":"# x\n"}`},
	} {
		if c.got != c.want {
			t.Errorf("%s is %s, want %s", c.name, c.got, c.want)
		}
	}
	zero := 0
	if _, err := c.GetDream(t.Context(), "ada", "r", GetDreamParams{Candidates: &zero}); err != nil || got.URL.RawQuery != "candidates=0" {
		t.Errorf("a zero that differs from nothing: %s, %v", got.URL.RawQuery, err)
	}
	if _, err := c.Events(t.Context(), "ada", EventsParams{Kind: []string{"a", "b"}}); err != nil || got.URL.RawQuery != "kind=a%2Cb" {
		t.Errorf("a list: %s, %v", got.URL.RawQuery, err)
	}
	if _, err := c.CallTool(t.Context(), "ada", "t", CallToolParams{}, nil); err != nil || body != "" || got.Header.Get("Content-Type") != "" {
		t.Errorf("no body: %q, %v", body, err)
	}
	changes := SettingsChanges{Decay: nullable.NewNullNullable[bool](), QuietSeconds: nullable.NewNullableWithValue(0)}
	if _, err := c.UpdateAgent(t.Context(), "ada", AgentPatchBody{Settings: changes}); err != nil {
		t.Error(err)
	} else if want := `{"settings":{"decay":null,"quietSeconds":0}}`; body != want {
		t.Errorf("settings: %s, want %s", body, want)
	}
	if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, "rv_secret") {
		t.Errorf("the key is shown: %s", text)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		status     int
		want       *Error // nil: ErrForeign only
	}{
		{
			"with details", `{"code":422,"error":"invalid_request","msg":"why","data":{"faults":[]}}`, 422,
			&Error{Status: 422, Name: "invalid_request", Message: "why", Data: json.RawMessage(`{"faults":[]}`)},
		},
		{"of a proxy", "<html>", 502, &Error{Status: 502, Message: "Bad Gateway"}},
		{"another server's page", "<html>", 200, nil},
		{"another server's JSON", `{"ok":true}`, 200, nil},
	} {
		client := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		_, err := client.GetAgent(t.Context(), "ada")
		refused, _ := errors.AsType[*Error](err)
		if diff := cmp.Diff(c.want, refused); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if foreign := c.want == nil || c.want.Name == ""; errors.Is(err, ErrForeign) != foreign {
			t.Errorf("%s: foreign is not %v: %v", c.name, foreign, err)
		}
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	calls := 0
	var pauses []time.Duration
	sleep := Sleep(func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil })
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		} else if calls < 4 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, `{"code":200,"msg":"m","error":"rate_limited","data":{"items":[]}}`)
	}, sleep, Retries(3))
	if _, err := c.ListAgents(t.Context(), ListAgentsParams{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second, time.Second, 2 * time.Second}, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	calls = -10
	if _, err := c.ListAgents(t.Context(), ListAgentsParams{}); err == nil || calls != -6 {
		t.Errorf("%d calls, %v", calls+10, err)
	}
}

// What cannot succeed in a moment is not repeated: its error is seen at once, by streams as well.
func TestLongWaitsAreNotRepeated(t *testing.T) {
	t.Parallel()
	for _, refusal := range []struct{ name, retryAfter string }{
		{"budget_spent", ""}, {"budget_spent", "3"}, {"budget_spent", "6645"}, {"rate_limited", "31"},
	} {
		calls := 0
		sleep := Sleep(func(context.Context, time.Duration) error { return nil })
		c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			calls++
			if refusal.retryAfter != "" {
				w.Header().Set("Retry-After", refusal.retryAfter)
			}
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"code":429,"msg":"m","error":"`+refusal.name+`","data":null}`)
		}, sleep, Retries(3))
		_, err := c.GetAgent(t.Context(), "ada")
		_, streamed := c.ChatStream(t.Context(), ChatBody{})
		for _, err := range []error{err, streamed} {
			if refused, is := errors.AsType[*Error](err); !is || refused.Name != refusal.name {
				t.Errorf("%v: %v", refusal, err)
			}
		}
		if calls != 2 {
			t.Errorf("%v: %d calls for two requests", refusal, calls)
		}
	}
}

func TestTimeoutOfAnAttempt(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	c := answering(t, func(http.ResponseWriter, *http.Request) { <-over }, Timeout(20*time.Millisecond))
	defer close(over)
	if _, err := c.GetAgent(t.Context(), "ada"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v", err)
	}
	for wait, want := range map[string]time.Duration{"": time.Minute, "90s": 90 * time.Second, "0s": 0} {
		if got := waitOf(SummarizeConversationParams{Wait: wait}); got != want {
			t.Errorf("wait %q adds %s, want %s", wait, got, want)
		}
	}
}

func TestItemsOfAllPages(t *testing.T) {
	t.Parallel()
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("cursor") {
		case "":
			_, _ = io.WriteString(w, `{"data":{"items":[{"id":"1"},{"id":"2"}],"next":"c"}}`)
		case "c":
			_, _ = io.WriteString(w, `{"data":{"items":[{"id":"3"}]}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	list := func(first string) (ids string, failed error) {
		for e, err := range Items(func(cursor string) (Answer[Page[Extraction]], error) {
			if cursor == "" {
				cursor = first
			}
			return c.ListExtractions(t.Context(), "ada", ListExtractionsParams{Cursor: cursor})
		}) {
			if err != nil {
				return ids, err
			}
			ids += e.ID
		}
		return ids, nil
	}
	if ids, err := list(""); err != nil || ids != "123" {
		t.Errorf("%s, %v", ids, err)
	}
	if ids, err := list("other"); err == nil || ids != "" {
		t.Errorf("%s, %v", ids, err)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	body := ": hello\n\nid: 1\nevent: token\ndata: {\"text\":\"a\"}\n\nid: 2\n\nevent: done\ndata: {}\n\nevent: late\ndata: {}\n\n"
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		if body == "" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":"forbidden","msg":"no","data":null}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	})
	read := func() (names string, failed error) {
		s, err := c.ChatStream(t.Context(), ChatBody{AgentID: "ada", Message: "Hi"})
		if err != nil {
			return "", err
		}
		for e, err := range s.Events() {
			if err != nil {
				return names, err
			}
			names += e.Name + e.ID + string(e.Data) + " "
		}
		return names, nil
	}
	if names, err := read(); err != nil || names != `token1{"text":"a"} done{} ` {
		t.Errorf("%q, %v", names, err)
	}
	body = "event: token\ndata: {}\n\n"
	if names, err := read(); !errors.Is(err, io.ErrUnexpectedEOF) || names != "token{} " {
		t.Errorf("broken off: %q, %v", names, err)
	}
	body = "event: error\ndata: {\"code\":502,\"error\":\"model_failed\",\"msg\":\"m\"}\n\n"
	var refused *Error
	if _, err := read(); !errors.As(err, &refused) || refused.Name != "model_failed" || refused.Status != 502 {
		t.Errorf("an error in the stream: %v", err)
	}
	body = ""
	if _, err := read(); !errors.As(err, &refused) || refused.Name != "forbidden" {
		t.Errorf("a refusal: %v", err)
	}
}
