package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// front is an address with an API process behind it that can be stopped and started. It knows which requests were made.
type front struct {
	*testing.T
	api     func() http.Handler
	address string
	server  *http.Server

	mu       sync.Mutex
	requests map[string]int                                // by the short name of what was asked for
	before   func(what string, w http.ResponseWriter) bool // answers a request in the API's place
	// news makes a list that no event preceded return the result of the previous list.
	news    bool
	event   bool // one has come since the latest list
	listed  []byte
	streams chan struct{} // while it is there nobody gets a stream
}

func newFront(t *testing.T, api func() http.Handler) *front {
	t.Helper()
	f := &front{T: t, api: api, address: "127.0.0.1:0", requests: map[string]int{}}
	f.start()
	t.Cleanup(f.stop)
	return f
}

func (f *front) url() string { return "http://" + f.address }

func (f *front) start() {
	f.Helper()
	var listening net.Listener
	var err error
	for limit := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if listening, err = net.Listen("tcp", f.address); err == nil || time.Now().After(limit) {
			break
		}
	}
	if err != nil {
		f.Fatal(err)
	}
	f.address = listening.Addr().String()
	api := f.api()
	f.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.serve(api, w, r) })}
	go func(s *http.Server) { _ = s.Serve(listening) }(f.server)
}

// stop cuts all connections.
func (f *front) stop() { _ = f.server.Close() }

// what a request asks for: list, stream, read, write, delete, agent.
func what(r *http.Request) string {
	switch {
	case strings.HasSuffix(r.URL.Path, "/events/stream"):
		return "stream"
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/workspace/files"):
		return "list"
	case r.Method == http.MethodPut:
		return "write"
	case r.Method == http.MethodDelete:
		return "delete"
	case strings.Contains(r.URL.Path, "/workspace/files/"):
		return "read"
	}
	return "agent"
}

func (f *front) serve(api http.Handler, w http.ResponseWriter, r *http.Request) {
	name := what(r)
	f.mu.Lock()
	f.requests[name]++
	before, gate := f.before, f.streams
	old := name == "list" && f.news && !f.event && f.listed != nil
	listed := f.listed
	if name == "list" && !old {
		f.event = false
	}
	f.mu.Unlock()
	if before != nil && before(name, w) {
		return
	}
	switch {
	case old:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(listed)
	case name == "list":
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, r)
		f.mu.Lock()
		f.listed = bytes.Clone(answer.Body.Bytes())
		f.mu.Unlock()
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	case name == "stream":
		if gate != nil {
			select {
			case <-gate:
			case <-r.Context().Done():
				return
			}
		}
		api.ServeHTTP(&watched{w, f}, r)
	default:
		api.ServeHTTP(w, r)
	}
}

// watched notes the events that pass.
type watched struct {
	http.ResponseWriter
	front *front
}

func (w *watched) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("data: ")) {
		w.front.mu.Lock()
		w.front.event = true
		w.front.mu.Unlock()
	}
	return w.ResponseWriter.Write(p)
}

func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (f *front) asked(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[name]
}

func (f *front) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// until waits for something with a generous deadline.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.Now().Add(3 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("it does not happen: %s", what)
		}
	}
}
