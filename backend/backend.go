// Package backend keeps statements on an external MCP server, by MicroClaw's two tools memory_query and memory_upsert. Operators
// configure the server in files; nothing that callers of the API say chooses it.
//
// Whose statements are meant comes from the identity of the caller alone. Each owner has a separate connection. A server whose
// configuration does not name the owner (see Server) separates owners by chat_id; its answers are then checked, and an owner sees and
// changes no row of another chat.
//
// What the server answers is foreign text: bounded here, and scanned by those who show it.
package backend

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sony/gobreaker/v2"
)

const (
	queryTool  = "memory_query"
	upsertTool = "memory_upsert"
	// idempotencyKey names the key of a write in the metadata of a call. Reverie's server makes such a call once.
	idempotencyKey = "reverie/idempotencyKey"
)

// Circuit breaker, for each server.
const (
	// breakAfter is the number of consecutive failures after which a server is not asked for a while.
	breakAfter = 3
	// DefaultPause limits how long it is not asked; then a single call tests whether it is back.
	DefaultPause = 30 * time.Second
	// lackFor is the time for which a server without the tools is passed over.
	lackFor = 5 * time.Minute
)

// Owner is the person or group whose statements are meant.
type Owner struct {
	Workspace, Agent, Key string
	// Number identifies owners on servers that know chats only. It is random and never reused. 0: the owner has none yet.
	Number int64
}

// Options configure a Backend.
type Options struct {
	Log   *slog.Logger
	Pause time.Duration // see DefaultPause, which is the default
	Now   func() time.Time
}

// Backend asks the configured servers. It is made by Open and safe for concurrent use.
type Backend struct {
	servers []*server
	log     *slog.Logger
}

// server is one server, its circuit breaker and its record.
type server struct {
	*pool
	breaker *gobreaker.CircuitBreaker[*mcp.CallToolResult]
	pause   time.Duration
	now     func() time.Time
	log     *slog.Logger

	mu     sync.Mutex
	record record
}

// Open makes a backend. It connects when it is first asked, or by Probe.
func Open(c Config, o Options) *Backend {
	b := &Backend{log: o.Log}
	if o.Pause == 0 {
		o.Pause = DefaultPause
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, configured := range c.Servers {
		s := &server{pool: newPool(configured, c.Version), pause: o.Pause, now: o.Now, log: o.Log}
		s.breaker = gobreaker.NewCircuitBreaker[*mcp.CallToolResult](gobreaker.Settings{
			Timeout:      o.Pause,
			ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
			IsSuccessful: func(err error) bool { return !away(err) },
			// A caller that stopped waiting proves nothing.
			IsExcluded: func(err error) bool { return err == context.Canceled }, //nolint:errorlint // exactly what ask returns
		})
		b.servers = append(b.servers, s)
	}
	return b
}

// Close ends all connections and processes.
func (b *Backend) Close() {
	for _, s := range b.servers {
		s.close()
	}
}

// Probe connects to the servers that need no owner for it, so that the status shows them. It returns when all have answered or failed.
func (b *Backend) Probe(ctx context.Context) {
	var probing sync.WaitGroup
	for _, s := range b.servers {
		if s.mentions(ownerMark) || s.mentions(agentMark) {
			continue
		}
		probing.Go(func() { _, _ = s.ask(ctx, Owner{}, "", nil, "") }) // its outcome is recorded
	}
	probing.Wait()
}

// Serves reports whether a server may keep an owner's statements, and whether it is told whose they are: if not, the owner needs a
// Number, and chats of the owner cannot be told apart.
func (b *Backend) Serves(who Owner) (serves, named bool) {
	if b == nil {
		return false, false
	}
	for _, s := range b.servers {
		if s.serves(who) && !s.lacksTools() {
			return true, s.named()
		}
	}
	return false, false
}

// first does something with the first server, by name, that has both tools and keeps this owner's statements, and returns its name. A
// server that was not reached yet is waited for and not passed over: the next one would get statements that are later looked for here.
func (b *Backend) first(who Owner, do func(*server) error) (string, error) {
	for _, s := range b.servers {
		if !s.serves(who) || s.lacksTools() {
			continue
		}
		if !s.named() && who.Number == 0 {
			return s.Name, failed(Absent)
		}
		if err := do(s); !errors.Is(err, errLacksTools) {
			return s.Name, err
		}
	}
	return "", failed(Absent)
}

// call calls a tool and returns the JSON of its answer. No server is told more of the owner than it needs.
func (s *server) call(ctx context.Context, who Owner, tool string, args map[string]any, key string) (json.RawMessage, error) {
	if s.named() {
		who.Number = 0
	}
	result, err := s.ask(ctx, who, tool, args, key)
	if err != nil {
		return nil, err
	}
	payload, err := payloadOf(result)
	if err != nil {
		s.failed(ctx, err)
	}
	return payload, err
}

// ask calls a tool of the server within its time; an empty name only connects.
func (s *server) ask(ctx context.Context, who Owner, tool string, args map[string]any, key string) (*mcp.CallToolResult, error) {
	seen := &wire{}
	within, cancel := context.WithTimeout(context.WithValue(ctx, wireKey{}, seen), s.patience(ctx))
	defer cancel()
	result, err := s.breaker.Execute(func() (*mcp.CallToolResult, error) {
		result, err := s.once(within, who, tool, args, key)
		if err != nil && ctx.Err() == context.Canceled {
			return nil, context.Canceled
		}
		if err != nil {
			err = failureOf(within, err, seen)
		}
		return result, err
	})
	if err == nil {
		s.worked()
		return result, nil
	}
	if ctx.Err() == context.Canceled {
		return nil, ctx.Err()
	}
	err = failureOf(within, err, seen)
	s.failed(ctx, err)
	return nil, err
}

// patience leaves time for the built-in memory after a failure.
func (s *server) patience(ctx context.Context) time.Duration {
	patience := s.timeout()
	if deadline, bounded := ctx.Deadline(); bounded {
		patience = min(patience, time.Until(deadline)/2)
	}
	return patience
}

// once is one attempt. A session that failed is not used again; a tool's own error leaves it as it is.
func (s *server) once(ctx context.Context, who Owner, tool string, args map[string]any, key string) (*mcp.CallToolResult, error) {
	session, err := s.enter(ctx, who)
	if err != nil || tool == "" {
		if err == nil {
			s.leave(session, true)
		}
		return nil, err
	}
	works := false
	defer func() { s.leave(session, works) }()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	if key != "" {
		params.Meta = mcp.Meta{idempotencyKey: key}
	}
	result, err := session.client.CallTool(ctx, params)
	works = err == nil
	return result, err
}
