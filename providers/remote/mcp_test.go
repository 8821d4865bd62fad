package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reverie/providers"
)

// A tool of an MCP server can fail in every way: each has its reason, and none its words. The next question opens another session.
func TestMCPFails(t *testing.T) {
	var how atomic.Value
	how.Store("")
	var sessions atomic.Int32
	notes := mcp.NewServer(&mcp.Implementation{Name: "notes"}, nil)
	mcp.AddTool(notes, &mcp.Tool{Name: "find"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, any, error) {
		text := func(s string) *mcp.CallToolResult {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
		}
		switch how.Load() {
		case "error":
			return nil, nil, errors.New("the tool's own words")
		case "hanging":
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return text(""), nil, nil
		case "giant":
			return text(strings.Repeat("x", 2*maxAnswer)), nil, nil
		case "malformed":
			return text(`{"passages":"none"}`), nil, nil
		case "structured":
			return nil, map[string]any{"block": []any{map[string]any{"text": "one"}}, "passages": []any{map[string]any{"text": "two"}}}, nil
		}
		return text("a plain text"), nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return notes }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") == "" {
			sessions.Add(1)
		}
		if how.Load() == "down" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p, err := MCP(Config{
		ID: "notes", URL: server.URL,
		Tools: map[string]string{providers.OpRecall: "find", providers.OpSearch: "find"},
	})
	if err != nil {
		t.Fatal(err)
	}
	recaller, is := p.(providers.Recaller)
	if !is {
		t.Fatal("it does not recall")
	}
	ask := func(owner string, patience time.Duration) (providers.Recollection, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return recaller.Recall(ctx, providers.Turn{Who: providers.Who{Workspace: "acme", Agent: "ada", Owner: owner}, Message: "x", Limit: 5})
	}
	if r, err := ask("1", time.Minute); err != nil || len(r.Passages) != 1 || r.Passages[0].Text != "a plain text" {
		t.Errorf("%+v, %v", r, err)
	}
	opened := sessions.Load()
	how.Store("structured")
	if r, err := ask("1", time.Minute); err != nil || len(r.Passages) != 1 || len(r.Block) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := sessions.Load(); n != opened {
		t.Errorf("the same owner opens %d more", n-opened)
	}
	for _, c := range []struct {
		how      string
		patience time.Duration
		want     providers.Failure
	}{
		{"error", time.Minute, providers.FailedStatus},
		{"giant", time.Minute, providers.FailedConnection},
		{"malformed", time.Minute, providers.FailedMalformed},
		{"down", time.Minute, providers.FailedConnection},
		{"hanging", 500 * time.Millisecond, ""},
	} {
		how.Store(c.how)
		r, err := ask("1", c.patience)
		failed, is := errors.AsType[*providers.Error](err)
		switch {
		case c.want == "" && !errors.Is(err, context.DeadlineExceeded), c.want != "" && (!is || failed.Failure != c.want):
			t.Errorf("%s: %v", c.how, err)
		case len(r.Passages) > 0 || strings.Contains(err.Error(), "words"):
			t.Errorf("%s: %+v, %v", c.how, r, err)
		}
		how.Store("")
		if _, err := ask("1", time.Minute); err != nil {
			t.Errorf("after %s: %v", c.how, err)
		}
	}
	before := sessions.Load()
	if _, err := ask("2", time.Minute); err != nil || sessions.Load() == before {
		t.Errorf("two owners share a session: %v", err)
	}
}
