// Package rest is the shared kernel of the API's packages: it registers operations, authenticates callers, maps errors to HTTP, and holds
// the envelope, paging, streams and the connection to workflows.
//
// A handler gets a context with the caller's key and a typed input, and returns a typed answer or an error. Types of requests and
// answers that others embed are exported, because huma skips unexported embedded types.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.temporal.io/sdk/client"

	"reverie/api/fault"
	"reverie/backend"
	"reverie/chat"
	"reverie/memory/setting"
	"reverie/providers"
	"reverie/providers/process"
	"reverie/recall"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/toolbox"
)

// Server is shared by the packages of the API: it holds the options, the router and authentication, and answers HTTP requests.
type Server struct {
	Options
	Echo    *echo.Echo
	handler http.Handler // echo within telemetry
	API     huma.API
	Tools   *toolbox.Box
	pages   []Route
	formats []errorFormat // of errors
	// ErrorPage answers what no operation answers when a browser asks for a page; nil: with JSON.
	ErrorPage func(http.ResponseWriter, *http.Request, *fault.Problem)
	Keys      *keyCache
	limits    *limiter // of keys
	failures  *limiter // of addresses that try wrong keys
	// guessedKeys and guessedSessions find the valid secrets among those that come from such addresses.
	guessedKeys, guessedSessions lookup
	bodies                       memoryBudget
	auditor                      auditor
	Workflows                    *Starter
	Probes                       *probes
	holders                      holders
	changes                      *Announcer    // of indexes
	Events                       *Followers    // of the journal
	Heartbeat                    time.Duration // of streams
	Turning                      chan struct{} // holds one value for each turn in progress
	// stopping ends when the server shuts down: requests that wait for a workflow are then answered at once.
	Stopping context.Context
	stop     context.CancelFunc
}

// maxTurns bounds the turns in progress: each holds a connection, and a window of messages.
const maxTurns = 256

// TakeTurn reserves a place for a turn until release is called.
func (s *Server) TakeTurn() (release func(), err error) {
	select {
	case s.Turning <- struct{}{}:
		return func() { <-s.Turning }, nil
	default:
		return nil, TooMany(ReconnectAfter)
	}
}

// NewServer makes a kernel without operations.
func NewServer(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tracers == nil {
		o.Tracers = noop.NewTracerProvider()
	}
	if o.Meters == nil {
		o.Meters = metricnoop.NewMeterProvider()
	}
	if o.Dreams == (setting.DreamSettings{}) {
		o.Dreams = setting.DefaultDreamSettings()
	}
	if o.DreamSchedule == (setting.DreamSchedule{}) {
		o.DreamSchedule = setting.DefaultDreamSchedule()
	}
	if o.Search == nil {
		o.Search = &recall.Searcher{
			Store: o.Store, Defaults: recall.DefaultSettings(), Recorder: recall.NewRecorder(o.Store, o.Log), Now: o.Now, Log: o.Log,
		}
	}
	if o.Providers != nil {
		o.Search.Outside, o.Chat.Providers = o.Providers, o.Providers
	}
	if o.SearchBackend != nil {
		o.Search.Backend = o.SearchBackend
	}
	s := &Server{Options: o, Echo: echo.New(), Heartbeat: heartbeat, Turning: make(chan struct{}, maxTurns)}
	s.Stopping, s.stop = context.WithCancel(context.Background())
	s.bodies.keys = map[uuid.UUID]int64{}
	s.auditor.store, s.auditor.log = o.Store, o.Log
	s.Keys = newKeyCache(o.Now)
	s.limits = newLimiter(o.RateLimit, int(math.Ceil(2*o.RateLimit)), o.Now)
	s.failures = newLimiter(failureRate, failureBurst, o.Now)
	s.guessedKeys.query = func(ctx context.Context, secrets []string) (map[string]bool, error) {
		return o.Store.KnownKeys(ctx, secrets)
	}
	s.guessedSessions.query = func(ctx context.Context, tokens []string) (map[string]bool, error) {
		return o.Store.KnownSessions(ctx, tokens)
	}
	s.Workflows = newStarter(o)
	s.changes = s.NewAnnouncer(s.Workflows.indexChanged)
	s.Tools = &toolbox.Box{Store: o.Store, Search: o.Search, Extract: o.Chat.Extract, Approvals: o.Approvals, Backend: o.Backend}
	s.Events = NewFollowers(s, "events", s.lookForEvents)
	s.Probes = &probes{server: s}
	s.useMiddleware()
	s.API = huma.NewAPI(document(), adapter{s.Echo})
	s.API.UseMiddleware(s.authenticate, s.audit, s.limitBody)
	return s
}

// NewAnnouncer makes an announcer that stops with the server.
func (s *Server) NewAnnouncer(notify func(indexes.AgentRef)) *Announcer {
	return &Announcer{notify: notify, stop: s.Stopping.Done(), changed: map[indexes.AgentRef]bool{}}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Options configure a Server. Store, Temporal and Log are required.
type Options struct {
	Store *store.Store
	// Temporal may be a lazy client: the server starts and stores messages while Temporal is away.
	Temporal client.Client
	// PrepareTemporal checks that the namespace has what workflows need, and creates what is missing; nil: it is not checked. The status
	// shows its error.
	PrepareTemporal func(context.Context) error
	// Timing applies to agents that set none.
	Timing setting.Timing
	Model  Model
	// Dreams and DreamSchedule are the defaults of agents' settings of dreams. Zero values:
	// as documented.
	Dreams        setting.DreamSettings
	DreamSchedule setting.DreamSchedule
	// Search searches memory; nil: by words only, with the documented settings. The server closes its Recorder and its Reputations.
	Search *recall.Searcher
	// Providers are sources of memory that other programs keep, and SearchBackend a program that ranks documents; nil: there are none. The
	// server adds them to Search and Chat, and closes SearchBackend.
	Providers     *providers.Set
	SearchBackend *process.Backend
	// Approvals are the default settings of what a person must approve.
	Approvals setting.ApprovalSettings
	// Backend keeps statements on external MCP servers; nil: none is configured. The server closes it.
	Backend *backend.Backend
	// Chat configures turns: the model, the length of an answer, and the default settings of context windows and extractions of
	// agents. The server fills in the rest. Zero: no model, and the documented defaults.
	Chat chat.Options
	// Workspace selects the backlog that the metrics show; empty: none.
	Workspace string
	Log       *slog.Logger
	Tracers   trace.TracerProvider // nil: no traces
	Meters    metric.MeterProvider // nil: no metrics
	// Metrics serves what Meters collect, at /metrics; nil: there is no such route.
	Metrics http.Handler
	// DeletionGrace is the time until a requested deletion starts.
	DeletionGrace time.Duration
	// RateLimit bounds the requests a second of one key, with bursts of twice as many; 0: no limit.
	RateLimit float64
	// MetricsNetworks are the networks that may read Metrics without a key. This machine always may.
	MetricsNetworks []netip.Prefix
	// WebhookNetworks are those besides the public internet to which the worker sends webhooks, also by http.
	WebhookNetworks []netip.Prefix
	// AuditAdmins limits the audit log to administrators; false: it has every key that is not pinned to an owner.
	AuditAdmins bool
	// CardsOff switches morning cards off.
	CardsOff bool
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed. It decides which address is slowed down after
	// wrong keys.
	TrustedProxies []netip.Prefix
	// OAuthIssuer is the authorization server whose access tokens are keys of this server, and PublicURL the address at which clients
	// reach it. With an issuer, MCP clients learn from both where to sign in.
	OAuthIssuer, PublicURL string
	Version                string // of this program, shown in the status
	// WorkflowURL is the address of a workflow in Temporal's Web UI without the workflow id, such as
	// http://127.0.0.1:8233/namespaces/default/workflows/; empty: answers have no link to it.
	WorkflowURL string
	Now         func() time.Time // the clock; nil: time.Now
}

// Model describes the engine that extracts, for the status.
type Model struct {
	Name    string // provider/model, or builtin/extractive
	BuiltIn bool   // no model is configured: rules extract
	Free    bool   // its calls have no price, so that budgets of costs do not limit them
}

// Check names what is missing.
func (o Options) Check() error {
	var errs []error
	if o.Store == nil {
		errs = append(errs, errors.New("api: Options.Store is missing"))
	}
	if o.Temporal == nil {
		errs = append(errs, errors.New("api: Options.Temporal is missing"))
	}
	if o.Log == nil {
		errs = append(errs, errors.New("api: Options.Log is missing"))
	}
	return errors.Join(errs...)
}

// Limits of requests. The OpenAPI document has the limits of single values.
const (
	// MaxBodyBytes bounds a request's body. A batch may hold 1,000 messages of 256 KiB each, but not all at once: what a
	// server holds in memory for one request is about four times its body.
	MaxBodyBytes = 32 << 20
	// MaxDocumentBody holds a document of 1 MiB with most of its characters escaped.
	MaxDocumentBody = 8 << 20
	// MaxSearchBody holds a question that is much too long, so that it is refused as one.
	MaxSearchBody = 8 << 20
	// MaxSmallBody is for requests that carry no contents.
	MaxSmallBody = 256 << 10
	// maxHeaderBytes bounds a request's headers.
	maxHeaderBytes = 64 << 10

	// RequestTimeout bounds a request that waits for nothing but the store. Its body has to arrive within bodyTimeout.
	RequestTimeout = 30 * time.Second
	bodyTimeout    = time.Minute
	// MaxWait is the longest ?wait=, and defaultWait the default.
	MaxWait     = 5 * time.Minute
	defaultWait = time.Minute
)

// shutdownGrace bounds how long requests in progress may take when the server stops.
const shutdownGrace = 20 * time.Second

// Serve answers requests on l until ctx ends; it closes l. Then it takes no new ones, answers those who wait for a
// workflow at once with 202, and lets the others end within 20 seconds. It returns nil after an orderly end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      MaxWait + time.Minute, // the longest wait, and time to write the answer
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // faults of clients, such as TLS to a plain port
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.stop()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.Log.Warn("Requests were cut off at the end of the shutdown grace", "grace", shutdownGrace)
		err = errors.Join(err, server.Close())
	}
	if s.SearchBackend != nil {
		s.SearchBackend.Close()
	}
	if s.Backend != nil {
		s.Backend.Close()
	}
	return errors.Join(err, s.auditor.Close(grace), s.Search.Recorder.Close(grace), s.Search.Reputations.Close(grace))
}
