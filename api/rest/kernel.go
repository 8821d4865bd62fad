package rest

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace/noop"

	"reverie/memory"
	"reverie/recall"
	"reverie/store"
)

// Server is what the rooms of the API share: the options, the router, and who may call. It answers HTTP requests.
type Server struct {
	Options
	Echo      *echo.Echo
	handler   http.Handler // echo within telemetry
	API       huma.API
	Keys      *keyCache
	limits    *limiter // of keys
	failures  *limiter // of addresses that try wrong keys
	Workflows *Starter
	Probes    *probes
	changes   *Announcer    // of indexes
	Heartbeat time.Duration // of streams
	Turning   chan struct{} // holds one value for each turn in progress
	// stopping ends when the server shuts down: requests that wait for a workflow are then answered at once.
	Stopping context.Context
	stop     context.CancelFunc
}

// maxTurns bounds the turns in progress: each holds a connection, and a window of messages.
const maxTurns = 256

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
	if o.Dreams == (memory.DreamSettings{}) {
		o.Dreams = memory.DefaultDreamSettings()
	}
	if o.DreamSchedule == (memory.DreamSchedule{}) {
		o.DreamSchedule = memory.DefaultDreamSchedule()
	}
	if o.Search == nil {
		o.Search = &recall.Searcher{
			Store: o.Store, Defaults: recall.DefaultSettings(), Recorder: recall.NewRecorder(o.Store, o.Log), Now: o.Now, Log: o.Log,
		}
	}
	s := &Server{Options: o, Echo: echo.New(), Heartbeat: heartbeat, Turning: make(chan struct{}, maxTurns)}
	s.Stopping, s.stop = context.WithCancel(context.Background())
	s.Keys = newKeyCache(o.Now)
	s.limits = newLimiter(o.RateLimit, int(math.Ceil(2*o.RateLimit)), o.Now)
	s.failures = newLimiter(failureRate, failureBurst, o.Now)
	s.Workflows = newStarter(o)
	s.changes = s.NewAnnouncer(s.Workflows.indexChanged)
	s.Probes = &probes{server: s}
	s.useMiddleware()
	s.API = huma.NewAPI(document(), adapter{s.Echo})
	s.API.UseMiddleware(s.authenticate)
	return s
}

// NewAnnouncer makes an announcer that stops with the server.
func (s *Server) NewAnnouncer(tell func(store.AgentRef)) *Announcer {
	return &Announcer{tell: tell, stop: s.Stopping.Done(), changed: map[store.AgentRef]bool{}}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
