package session

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/clitest"
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
	var waits []time.Duration
	sleep := wire.Sleep(func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
	client := func(url string, options ...wire.Option) *wire.Client {
		c, err := (&Session{URL: url, Key: "k"}).Client(options...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if _, err := client(server.URL, sleep).ListAgents(t.Context(), wire.ListAgentsParams{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second, time.Second, 2 * time.Second}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}

	// It gives up after the last attempt, and at once when the context ends.
	away := clitest.Answering(t, 503, `{"code":503,"msg":"away","error":"store_unavailable","data":null}`)
	waits = nil
	var refused *wire.Error
	if _, err := client(away, sleep).ListAgents(t.Context(), wire.ListAgentsParams{}); !errors.As(err, &refused) || refused.Name != "store_unavailable" {
		t.Errorf("the error is %v", err)
	}
	if len(waits) != busyRetries {
		t.Errorf("it waited %d times, want %d", len(waits), busyRetries)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(away).ListAgents(ctx, wire.ListAgentsParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
