package api

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

// kernel is what the rooms of the API share: the options, the router, and who may call. It answers HTTP requests.
type kernel struct {
	Options
	echo      *echo.Echo
	handler   http.Handler // echo within telemetry
	api       huma.API
	keys      *keyCache
	limits    *limiter // of keys
	failures  *limiter // of addresses that try wrong keys
	workflows *starter
	probes    *probes
	changes   *announcer    // of indexes
	heartbeat time.Duration // of streams
	turning   chan struct{} // holds one value for each turn in progress
	// stopping ends when the server shuts down: requests that wait for a workflow are then answered at once.
	stopping context.Context
	stop     context.CancelFunc
}

// maxTurns bounds the turns in progress: each holds a connection, and a window of messages.
const maxTurns = 256

// newKernel makes a kernel without operations.
func newKernel(o Options) *kernel {
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
	s := &kernel{Options: o, echo: echo.New(), heartbeat: heartbeat, turning: make(chan struct{}, maxTurns)}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.keys = newKeyCache(o.Now)
	s.limits = newLimiter(o.RateLimit, int(math.Ceil(2*o.RateLimit)), o.Now)
	s.failures = newLimiter(failureRate, failureBurst, o.Now)
	s.workflows = newStarter(o)
	s.changes = s.newAnnouncer(s.workflows.indexChanged)
	s.probes = &probes{server: s}
	s.useMiddleware()
	s.api = huma.NewAPI(document(), adapter{s.echo})
	s.api.UseMiddleware(s.authenticate)
	return s
}

// newAnnouncer makes an announcer that stops with the server.
func (s *kernel) newAnnouncer(tell func(store.AgentRef)) *announcer {
	return &announcer{tell: tell, stop: s.stopping.Done(), changed: map[store.AgentRef]bool{}}
}

// ServeHTTP answers one request.
func (s *kernel) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
