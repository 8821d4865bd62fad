package session

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"reverie/cli/clitest"

	"github.com/google/go-cmp/cmp"
)

func TestABusyServerIsAskedAgain(t *testing.T) {
	var asked int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		switch asked {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"code":429,"msg":"too fast","error":"rate_limited","data":null}`))
		case 2, 3:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"code":503,"msg":"the database cannot be reached","error":"store_unavailable","data":null}`))
		default:
			_, _ = w.Write([]byte(`{"code":200,"msg":"success","data":{"items":[]}}`))
		}
	}))
	t.Cleanup(server.Close)
	c, err := newClient(server.URL, "k", "--key", "test")
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	c.sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	if _, err := c.Call(t.Context(), Request{Method: "GET", Path: "/api/v1/agents"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second, time.Second, 2 * time.Second}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}

	// It gives up in the end, and at once when it is told to stop.
	c.base = clitest.Answering(t, 503, `{"code":503,"msg":"away","error":"store_unavailable","data":null}`)
	waits = nil
	var refused *Error
	if _, err := c.Call(t.Context(), Request{Method: "GET", Path: "/api/v1/agents"}); !errors.As(err, &refused) || refused.Name != "store_unavailable" {
		t.Errorf("the error is %v", err)
	}
	if len(waits) != busyAttempts-1 {
		t.Errorf("it waited %d times, want %d", len(waits), busyAttempts-1)
	}
	c.sleep = Sleep
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Call(ctx, Request{Method: "GET", Path: "/api/v1/agents"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestPathsAreEscaped(t *testing.T) {
	if got, want := Path("a/b", "c d"), "/a%2Fb/c%20d"; got != want {
		t.Errorf("Path gives %s, want %s", got, want)
	}
}
