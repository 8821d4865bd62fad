package wire

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Another client that retries a call gets the first failure, and nothing is sent twice.
func TestACallThatFailedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	d := NewClient("", Bearer("key"), readCompletion)
	ctx := context.WithValue(context.Background(), callKey{}, &Call{Key: "key"})
	var errs []error
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := d.Do(req)
		if err == nil {
			_ = response.Body.Close()
		}
		errs = append(errs, err)
	}
	if sent != 1 || errs[0] == nil || !errors.Is(errs[1], errs[0]) || !errors.Is(errs[2], errs[0]) {
		t.Errorf("%d sent, errors %v", sent, errs)
	}
}
