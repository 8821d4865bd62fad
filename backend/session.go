package backend

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxAnswer bounds the body of one answer, in bytes: some hundred statements of the longest kind.
	maxAnswer  = 1 << 20
	maxHeaders = 64 << 10
	// idleFor is the time after which a session without calls is closed.
	idleFor = 5 * time.Minute
	// Sessions of a server, each of one owner. A session of stdio is a process.
	maxSessions  = 1024
	maxProcesses = 16
	// stopTime bounds how long a process may take to end after its input has.
	stopTime = 2 * time.Second
)

// session is the connection of one owner. Owners share none, since a server may keep state in it.
type session struct {
	who   Owner
	ready chan struct{} // closed when client and err are set
	// client is the connection; err says why there is none.
	client *mcp.ClientSession
	err    error
	end    context.CancelFunc

	// Guarded by the pool.
	busy int
	used time.Time
	idle *time.Timer
	gone bool // it is closed as soon as nobody uses it
}

// pool holds the sessions of a server.
type pool struct {
	Server
	version string // of the protocol; empty: the latest
	client  *mcp.Client
	http    *http.Transport

	mu       sync.Mutex
	sessions map[Owner]*session
	closed   bool
	closing  sync.WaitGroup
}

func newPool(s Server, version string) *pool {
	p := &pool{
		Server: s, version: version, sessions: map[Owner]*session{},
		// The server may ask this client for nothing.
		client: mcp.NewClient(&mcp.Implementation{Name: "reverie", Title: "Reverie memory"}, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		}),
	}
	p.http = &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: s.timeout(), MaxResponseHeaderBytes: maxHeaders,
		MaxIdleConnsPerHost: 16, IdleConnTimeout: idleFor,
	}
	return p
}

func (s Server) timeout() time.Duration { return cmp.Or(s.Timeout, defaultTimeout) }

// enter returns the session of an owner, which is connected. leave must be called after its use, with whether it still works.
func (p *pool) enter(ctx context.Context, who Owner) (*session, error) {
	s, err := p.reserve(who)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		p.leave(s, true)
		return nil, ctx.Err()
	}
	if s.err != nil {
		p.leave(s, false)
		return nil, s.err
	}
	return s, nil
}

// reserve finds or makes a session.
func (p *pool) reserve(who Owner) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, failed(Absent)
	}
	if s := p.sessions[who]; s != nil {
		s.busy++
		s.idle.Stop()
		return s, nil
	}
	if !p.makeRoom() {
		return nil, failed(Busy)
	}
	life, end := context.WithCancel(context.Background())
	s := &session{who: who, ready: make(chan struct{}), end: end, busy: 1}
	s.idle = time.AfterFunc(idleFor, func() { p.expire(s) })
	s.idle.Stop()
	p.sessions[who] = s
	go func() {
		defer close(s.ready)
		s.client, s.err = p.connect(life, who)
	}()
	return s, nil
}

// makeRoom closes the session that was not used for longest if there are too many.
func (p *pool) makeRoom() bool {
	most := maxSessions
	if p.Transport == Stdio {
		most = maxProcesses
	}
	if len(p.sessions) < most {
		return true
	}
	var oldest *session
	for _, s := range p.sessions {
		if s.busy == 0 && (oldest == nil || s.used.Before(oldest.used)) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	p.remove(oldest)
	return true
}

// leave ends a use of a session.
func (p *pool) leave(s *session, works bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.busy--
	if !works {
		p.remove(s)
	}
	switch {
	case s.busy > 0:
	case s.gone:
		p.shut(s)
	default:
		s.used = time.Now()
		s.idle.Reset(idleFor)
	}
}

func (p *pool) expire(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.busy == 0 {
		p.remove(s)
	}
}

// remove takes a session out, and closes it unless somebody uses it.
func (p *pool) remove(s *session) {
	if s.gone {
		return
	}
	s.gone = true
	s.idle.Stop()
	if p.sessions[s.who] == s {
		delete(p.sessions, s.who)
	}
	if s.busy == 0 {
		p.shut(s)
	}
}

// shut closes a session in the background: a server may take its time.
func (p *pool) shut(s *session) {
	p.closing.Go(func() {
		<-s.ready
		defer s.end()
		if s.client != nil {
			_ = s.client.Close() // nothing can be done about it
		}
	})
}

// close closes all sessions.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, s := range p.sessions {
		p.remove(s)
		s.end()
	}
	p.mu.Unlock()
	p.closing.Wait()
	p.http.CloseIdleConnections()
}

// connect opens a session, and checks that the server has both tools.
func (p *pool) connect(life context.Context, who Owner) (*mcp.ClientSession, error) {
	seen := &wire{}
	ctx, cancel := context.WithTimeout(context.WithValue(life, wireKey{}, seen), p.timeout())
	defer cancel()
	client, err := p.client.Connect(ctx, p.transport(life, who), &mcp.ClientSessionOptions{ProtocolVersion: p.version})
	if err != nil {
		return nil, failureOf(ctx, err, seen)
	}
	offered, err := tools(ctx, client)
	if err == nil && !(slices.Contains(offered, queryTool) && slices.Contains(offered, upsertTool)) {
		err = errLacksTools
	}
	if err != nil {
		_ = client.Close() // it is of no use
		return nil, failureOf(ctx, err, seen)
	}
	return client, nil
}

// errLacksTools means that a server has not both of the tools.
var errLacksTools = &Failure{Kind: Unsupported}

// maxPages bounds how many pages of tools are read.
const maxPages = 10

// tools returns the names of a server's tools.
func tools(ctx context.Context, client *mcp.ClientSession) (names []string, err error) {
	cursor := ""
	for range maxPages {
		page, err := client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			if t != nil {
				names = append(names, t.Name)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	return names, nil
}

func (p *pool) transport(life context.Context, who Owner) mcp.Transport {
	if p.Transport == Stdio {
		//nolint:gosec // operators name the program
		command := exec.CommandContext(life, p.Command, p.Args...)
		command.Env = p.environment(who)
		return &mcp.CommandTransport{Command: command, TerminateDuration: stopTime}
	}
	headers := make(map[string]string, len(p.Headers))
	for name, value := range p.Headers {
		headers[name] = marks(value, who, url.PathEscape)
	}
	return &mcp.StreamableClientTransport{
		Endpoint: marks(p.Endpoint, who, url.QueryEscape), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxAnswer,
		HTTPClient: &http.Client{
			Transport: &requests{base: p.http, headers: headers},
			// Headers of this server are for nobody else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// inherited are the variables of this process that a program gets. Its secrets are not among them.
var inherited = []string{"PATH", "HOME", "LANG", "TMPDIR", "TZ", "SystemRoot"}

func (p *pool) environment(who Owner) (env []string) {
	for _, name := range inherited {
		if value, found := os.LookupEnv(name); found && p.Env[name] == "" {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range p.Env {
		env = append(env, name+"="+marks(value, who, func(s string) string { return s }))
	}
	return env
}

// requests sends HTTP requests with the headers of the configuration.
type requests struct {
	base    http.RoundTripper
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (t *requests) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range t.headers {
		r.Header.Set(name, value)
	}
	seen, _ := r.Context().Value(wireKey{}).(*wire)
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		seen.answered(0)
		seen.ended(false)
		return nil, err
	}
	seen.answered(answer.StatusCode)
	answer.Body = &body{ReadCloser: answer.Body, left: maxAnswer, seen: seen}
	return answer, nil
}

// wire records what the HTTP requests of one call met with. A nil wire records nothing.
type wire struct {
	mu       sync.Mutex
	status   int // of the last answer
	tooLarge bool
	broken   bool // there was no answer, or the connection ended within it
}

type wireKey struct{}

func (w *wire) answered(status int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status, w.broken = status, false
}

func (w *wire) ended(tooLarge bool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tooLarge, w.broken = w.tooLarge || tooLarge, !tooLarge
}

func (w *wire) result() (status int, tooLarge, broken bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, w.tooLarge, w.broken
}

// body is the bounded body of an answer.
type body struct {
	io.ReadCloser

	left int
	seen *wire
}

var errTooLarge = errors.New("the answer is too large")

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.seen.ended(true)
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.seen.ended(false)
	}
	return n, err
}
