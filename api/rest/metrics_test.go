package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
)

func TestWhoReadsMetricsOfAWorker(t *testing.T) {
	keys := map[string]gate.Key{
		"admin": {Role: memory.RoleAdmin}, "limited": {Role: memory.RoleAdmin, Agents: []string{"ada"}}, "member": {Role: memory.RoleMember},
	}
	guarded := GuardMetrics(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }),
		func(_ context.Context, secret string) (gate.Key, error) {
			key, found := keys[secret]
			switch {
			case secret == "broken":
				return key, errors.New("the database is away")
			case !found:
				return key, store.ErrUnauthorized
			}
			return key, nil
		}, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	)
	for name, c := range map[string]struct {
		peer, header, key string
		want              int
	}{
		"this machine":               {peer: "127.0.0.1:1", want: 200},
		"this machine, version 6":    {peer: "[::1]:1", want: 200},
		"mapped":                     {peer: "[::ffff:127.0.0.1]:1", want: 200},
		"a proxy on this machine":    {peer: "127.0.0.1:1", header: "X-Forwarded-For", want: 401},
		"one that only names a host": {peer: "127.0.0.1:1", header: "X-Forwarded-Host", want: 401},
		"a standard proxy":           {peer: "127.0.0.1:1", header: "Forwarded", want: 401},
		"an allowed network":         {peer: "10.1.2.3:1", want: 200},
		"through a proxy there":      {peer: "10.1.2.3:1", header: "Via", want: 401},
		"elsewhere":                  {peer: "192.0.2.1:1", want: 401},
		"nonsense":                   {peer: "here", want: 401},
		"an admin key":               {peer: "192.0.2.1:1", key: "admin", want: 200},
		"a limited key":              {peer: "192.0.2.1:1", key: "limited", want: 403},
		"a member key":               {peer: "192.0.2.1:1", key: "member", want: 403},
		"a wrong key":                {peer: "192.0.2.1:1", key: "guessed", want: 401},
		"without a database":         {peer: "192.0.2.1:1", key: "broken", want: 503},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		r.RemoteAddr = c.peer
		if c.header != "" {
			r.Header.Set(c.header, "192.0.2.1")
		}
		if c.key != "" {
			r.Header.Set("Authorization", "Bearer "+c.key)
		}
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
	}
	trusted := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	trusted.RemoteAddr = "127.0.0.1:1"
	if MetricsAreOpen(trusted, nil, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}) {
		t.Error("a trusted proxy on this machine reads metrics without a key")
	}
}

// An address that tries many wrong keys of a worker is slowed down, and costs one query at a time. A valid key at the same address works.
func TestGuessingKeysOfAWorkerIsSlow(t *testing.T) {
	guarded := GuardMetrics(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }),
		func(_ context.Context, secret string) (gate.Key, error) {
			if secret != "admin" {
				return gate.Key{}, store.ErrUnauthorized
			}
			return gate.Key{Role: memory.RoleAdmin}, nil
		}, nil,
	)
	read := func(peer, key string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		r.RemoteAddr = peer
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		guarded.ServeHTTP(w, r)
		return w.Code
	}
	statuses := map[int]int{}
	for i := range 3 * failureBurst {
		statuses[read("192.0.2.1:1", fmt.Sprint("guess ", i))]++
	}
	if statuses[401] < failureBurst || statuses[429] < failureBurst || statuses[401]+statuses[429] != 3*failureBurst {
		t.Errorf("answers to wrong keys: %v", statuses)
	}
	if code := read("192.0.2.1:2", "admin"); code != 200 {
		t.Errorf("a valid key at the same address: %d", code)
	}
	if code := read("192.0.2.2:1", "guess"); code != 401 {
		t.Errorf("a wrong key at another address: %d", code)
	}
}
