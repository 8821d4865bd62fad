// Package llmtest is a model server for tests. It serves OpenAI's chat completions and embeddings, Anthropic's messages and
// Cohere's embed on loopback, checks requests as strictly as the providers do, and fails as they do, controlled by a script. Its
// vectors of texts that share words are near (HashVector).
//
// In a test:
//
//	server := llmtest.New(t, llmtest.Options{
//		Answer: func(prompt string) string { return `{"should_update": false, "reason": "nothing new"}` },
//		Script: llmtest.Sequence(llmtest.Status(429, 2*time.Second), llmtest.HangUpMidBody()),
//	})
//	model, err := llm.Open(llm.Config{Provider: "openai", Model: "test", APIKey: "key", BaseURL: server.URL})
//
// Serve runs it as a separate process.
package llmtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Options configure a server. With zero Options every request gets the valid answer Nothing.
type Options struct {
	// Answer returns the valid answer to a user text. nil: always Nothing. It must be safe for concurrent use.
	Answer func(prompt string) string
	// Respond returns the valid answer to a whole request, which may call tools. nil: Answer is used. It must be safe for concurrent use.
	Respond func(Request) Turn
	// Pace is the pause between two events of a streamed answer; 0: none.
	Pace time.Duration
	// Script chooses the reply to each request. nil: always a valid answer. It must be safe for concurrent use.
	Script Script
	// Key extracts Request.Key from a user text, for scripts that treat each conversation separately (see KeyPattern). nil: all requests
	// have the key "".
	Key func(prompt string) string
	// APIKey is the required key; empty: any or none.
	APIKey string
	// ContextWindow is the maximum input in tokens; a longer request, or one with a longer text to embed, is declined as the provider
	// would. 0: no limit.
	ContextWindow int
	// Declines names the features that this server declines: json_schema, json_object, output_config, temperature, max_tokens,
	// max_completion_tokens, stream, stream_options, tools, cache_control, rows (several messages of the user in a row), and any
	// field of a request for embeddings.
	Declines []string
	// Vector returns the valid vector of a text. nil: HashVector. It must be safe for concurrent use.
	Vector func(text string, dimensions int) []float32
	// Dimensions is the length of a vector if the request does not set it; 0: DefaultDimensions.
	Dimensions int
	// MaxTexts is the maximum number of texts in one request for embeddings; 0: no limit.
	MaxTexts int
	// Keep is the number of last requests that Requests returns; 0: 1,024.
	Keep int
}

// Nothing is the answer of a server without Options.Answer: a proposal that keeps nothing.
const Nothing = `{"should_update":false,"reason":"nothing worth keeping"}`

const (
	defaultKeep  = 1024
	maxBodyBytes = 32 << 20 // of a request; Anthropic's limit
)

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	// URL is its base URL without a path, for all protocols.
	URL string

	options Options
	http    *http.Server
	closed  chan struct{}
	close   sync.Once

	mu       sync.Mutex
	stats    Stats
	requests []Request // the last ones, oldest first
}

// New starts a server on loopback that is closed when the test ends.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Listen("127.0.0.1:0", o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// Listen starts a server on an address, such as 127.0.0.1:0 for any free port.
func Listen(addr string, o Options) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	if o.Keep == 0 {
		o.Keep = defaultKeep
	}
	s := &Server{
		URL: "http://" + listener.Addr().String(), options: o, closed: make(chan struct{}),
		stats: Stats{Replies: map[string]int{}, Keys: map[string]int{}},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, openAI{}) })
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, anthropic{}) })
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, embeddings{}) })
	mux.HandleFunc("POST /v2/embed", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, embed{}) })
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.Stats()) // the client may have gone away
	})
	s.http = &http.Server{Handler: mux, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(listener) }() // it ends with http.ErrServerClosed, in Close
	return s, nil
}

// Serve runs a server on addr until ctx ends, in a separate process. It calls ready, if not nil, with the running server; other
// processes read its Stats at GET /stats.
func Serve(ctx context.Context, addr string, o Options, ready func(*Server)) error {
	s, err := Listen(addr, o)
	if err != nil {
		return err
	}
	defer s.Close()
	if ready != nil {
		ready(s)
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// Close stops the server and breaks off open requests.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closed)
		_ = s.http.Close() // the connections are dropped in any case
	})
}

// protocol implements one of the protocols.
type protocol interface {
	// read checks a request's credentials and body as the provider does, and fills in r.
	read(h http.Header, body []byte, o Options, r *Request) *problem
	// answer returns the body of a successful answer.
	answer(r Request, t Turn, end End, output int) any
	// fault returns status, headers and body of an error.
	fault(p problem) (int, http.Header, any)
	// empty returns a successful answer without content.
	empty(r Request) any
}

// vectorProtocol is a protocol whose successful answers are vectors.
type vectorProtocol interface {
	protocol
	vectorBody(r Request, vectors []Vector) []byte
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, p protocol) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		tooLarge := new(http.MaxBytesError)
		if errors.As(err, &tooLarge) {
			write(w, p, problem{status: http.StatusRequestEntityTooLarge})
		}
		return
	}
	request := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, At: time.Now()}
	invalid := p.read(r.Header, body, s.options, &request)
	if request.Texts == nil {
		request.longest = request.InputTokens
	}
	if s.options.Key != nil && invalid == nil {
		request.Key = s.options.Key(request.User)
	}
	done := s.record(&request)
	reply := s.decide(request, invalid)
	defer func() { done(reply) }()
	if !s.wait(r.Context(), reply.Delay) {
		panic(http.ErrAbortHandler)
	}
	s.send(w, r, p, request, &reply)
}

// decide returns the reply to a request: its error, else the script's reply.
func (s *Server) decide(r Request, invalid *problem) Reply {
	switch {
	case invalid != nil:
		return Reply{Name: "declined", problem: invalid}
	case s.options.ContextWindow > 0 && r.longest > s.options.ContextWindow:
		return ContextTooLong()
	case s.options.Script == nil:
		return Honest()
	}
	return s.options.Script(r)
}

// wait waits for d and reports whether the client is still connected.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.closed:
	}
	return false
}

// send writes the reply, and records in it the tokens of the answer.
func (s *Server) send(w http.ResponseWriter, in *http.Request, p protocol, r Request, reply *Reply) {
	switch {
	case reply.HangUp == BeforeAnswer:
		panic(http.ErrAbortHandler)
	case reply.problem != nil:
		write(w, p, *reply.problem)
		return
	case reply.Raw != nil:
		w.Header().Set("Content-Type", reply.ContentType)
		w.WriteHeader(cmp.Or(reply.RawStatus, http.StatusOK))
		_, _ = w.Write(reply.Raw) //nolint:gosec // scripted by the test; a reader that went away wants no answer
		return
	case reply.Empty:
		send(w, http.StatusOK, p.empty(r), reply.HangUp)
		return
	}
	if v, ok := p.(vectorProtocol); ok {
		body := string(v.vectorBody(r, s.options.vectors(r, *reply)))
		if reply.Text != nil {
			body = reply.Text(body)
		}
		sendBody(w, http.StatusOK, []byte(body), reply.HangUp)
		return
	}
	turn := s.options.turn(r, *reply)
	reply.outputTokens = turn.tokens()
	if v, ok := p.(streamProtocol); ok && r.Stream {
		s.stream(w, in, v, r, turn, *reply)
		return
	}
	send(w, http.StatusOK, p.answer(r, turn, reply.End, reply.outputTokens), reply.HangUp)
}

// turn returns the model's answer to a request.
func (o Options) turn(r Request, reply Reply) Turn {
	turn := Turn{Text: Nothing}
	switch {
	case o.Respond != nil:
		turn = o.Respond(r)
	case o.Answer != nil:
		turn.Text = o.Answer(r.User)
	}
	if reply.Text != nil {
		turn = Turn{Text: reply.Text(turn.Text)}
	}
	return turn.named("call_", r)
}

// write sends an error.
func write(w http.ResponseWriter, p protocol, fault problem) {
	status, header, body := p.fault(fault)
	maps.Copy(w.Header(), header)
	send(w, status, body, Never)
}

// send writes a JSON body, or half of it.
func send(w http.ResponseWriter, status int, body any, hangUp HangUp) {
	b, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sendBody(w, status, b, hangUp)
}

// sendBody writes a body, or half of it.
func sendBody(w http.ResponseWriter, status int, b []byte, hangUp HangUp) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", itoa(len(b)))
	w.WriteHeader(status)
	if hangUp == MidBody {
		b = b[:len(b)/2]
	}
	_, _ = w.Write(b) //nolint:gosec // scripted by the test; a reader that went away wants no answer
	if hangUp == MidBody {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Stats count what a server has received.
type Stats struct {
	Requests     int            `json:"requests"`
	Replies      map[string]int `json:"replies"` // finished ones by Reply.Name; valid answers are "honest"
	Keys         map[string]int `json:"keys"`    // requests by key
	InFlight     int            `json:"inFlight"`
	MaxInFlight  int            `json:"maxInFlight"`
	InputTokens  int            `json:"inputTokens"` // of all requests
	OutputTokens int            `json:"outputTokens"`
	Texts        int            `json:"texts"` // to embed, of all requests
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Replies, stats.Keys = maps.Clone(stats.Replies), maps.Clone(stats.Keys)
	return stats
}

// Count returns the number of requests.
func (s *Server) Count() int { return s.Stats().Requests }

// Requests returns the last requests, oldest first, at most Options.Keep.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// record counts and numbers a request. The returned function counts its reply.
func (s *Server) record(r *Request) func(Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Requests++
	s.stats.Keys[r.Key]++
	s.stats.InputTokens += r.InputTokens
	s.stats.Texts += len(r.Texts)
	s.stats.InFlight++
	s.stats.MaxInFlight = max(s.stats.MaxInFlight, s.stats.InFlight)
	r.Number, r.Attempt = s.stats.Requests, s.stats.Keys[r.Key]
	if len(s.requests) >= s.options.Keep {
		s.requests = slices.Delete(s.requests, 0, len(s.requests)-s.options.Keep+1)
	}
	s.requests = append(s.requests, *r)
	return s.finish
}

func (s *Server) finish(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := reply.Name
	if name == "" {
		name = "honest"
	}
	s.stats.Replies[name]++
	s.stats.OutputTokens += reply.outputTokens
	s.stats.InFlight--
}
