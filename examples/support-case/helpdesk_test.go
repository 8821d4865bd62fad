package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// helpdesk simulates the team's own system. It keeps running while workers are killed.
type helpdesk struct {
	*httptest.Server
	mu     sync.Mutex
	closed map[string]Closed        // by case
	told   map[string]int           // by case: number of messages sent
	calls  map[string]int           // by path: number of calls
	held   map[string]chan struct{} // by path: calls are answered when the channel is closed
}

func newHelpdesk(t *testing.T) *helpdesk {
	t.Helper()
	h := &helpdesk{closed: map[string]Closed{}, told: map[string]int{}, calls: map[string]int{}, held: map[string]chan struct{}{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /cases/{id}/close", func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		id := r.PathValue("id")
		if _, known := h.closed[id]; !known {
			h.closed[id] = Closed{Title: "The oven stays cold", Agent: "Kim", At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Helped: true}
		}
		closed := h.closed[id]
		h.mu.Unlock()
		h.called(r)
		_ = json.NewEncoder(w).Encode(closed)
	})
	mux.HandleFunc("POST /cases/{id}/tell", func(_ http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.told[r.PathValue("id")] = 1
		h.mu.Unlock()
		h.called(r)
	})
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

// called counts a call after its effect and delays its answer while the path is held.
func (h *helpdesk) called(r *http.Request) {
	h.mu.Lock()
	h.calls[r.URL.Path]++
	held := h.held[r.URL.Path]
	h.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}
}

// hold delays the answers of a path until release.
func (h *helpdesk) hold(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[path] = make(chan struct{})
}

func (h *helpdesk) release(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.held[path])
	delete(h.held, path)
}

func (h *helpdesk) count(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[path]
}
