package rest

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// A body that does not arrive is given up, through everything that is wrapped around a handler.
func TestASlowBodyIsGivenUp(t *testing.T) {
	s := NewServer(Options{Log: slog.New(slog.DiscardHandler)})
	op := Route{ID: "slow", Method: http.MethodPost, Path: "/slow", Body: 100}.operation()
	op.BodyReadTimeout = 100 * time.Millisecond
	huma.Register(s.API, op, func(context.Context, *struct{ Body map[string]string }) (*struct{}, error) { return &struct{}{}, nil })
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	body, writer := net.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/slow", body)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = writer.Write([]byte(`{"a":`)) }()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(text), `"error":"request_timeout"`) {
		t.Errorf("status %d, %s, %v", response.StatusCode, text, err)
	}
}

// A handler that panics is answered like any failure, without internal details.
func TestAPanicIsAnswered(t *testing.T) {
	var log strings.Builder
	s := NewServer(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	Register(s, Route{ID: "panic", Method: http.MethodGet, Path: "/panic"}, func(context.Context, *struct{}) (*Reply[string], error) {
		panic("INTERNALS")
	})
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/panic", nil))
	if answer.Code != http.StatusInternalServerError || !strings.Contains(answer.Body.String(), `"error":"internal"`) ||
		strings.Contains(answer.Body.String(), "INTERNALS") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if !strings.Contains(log.String(), "A request panicked") || !strings.Contains(log.String(), answer.Header().Get("X-Request-Id")) {
		t.Errorf("the log does not tell:\n%s", log.String())
	}
}

// Only the parameter that is meant to holds slashes.
func TestParametersEndAtASlash(t *testing.T) {
	s := NewServer(Options{Log: slog.New(slog.DiscardHandler)})
	type in struct {
		Name string `path:"name"`
		Path string `path:"path"`
	}
	echoed := func(_ context.Context, i *in) (*Reply[string], error) { return OK(i.Name + "|" + i.Path), nil }
	Register(s, Route{ID: "one", Method: http.MethodGet, Path: "/one/{name}"}, func(ctx context.Context, i *struct {
		Name string `path:"name"`
	},
	) (*Reply[string], error) {
		return echoed(ctx, &in{Name: i.Name})
	})
	Register(s, Route{ID: "rest", Method: http.MethodGet, Path: "/rest/{name}/{path}", Rest: "path"}, echoed)
	for path, want := range map[string]string{
		"/one/a": "a|", "/one/a%2Fb": "a/b|", "/one/a/b": "404", "/one/50%25": "50%|", "/one/50%2525%2F": "50%25/|", "/one/%E6%97%A5": "日|",
		"/rest/n/a/b.md": "n|a/b.md", "/rest/n/a%2Fb.md": "n|a/b.md", "/rest/n%2Fm/a/b.md": "n/m|a/b.md", "/rest/n/a//b.md": "n|a//b.md",
		"/rest/n/%2e%2e/b.md": "n|../b.md",
	} {
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		got := answer.Body.String()
		if want == "404" {
			if answer.Code != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, answer.Code, got)
			}
			continue
		}
		if !strings.Contains(got, `"data":"`+want+`"`) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
