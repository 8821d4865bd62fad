package api

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/trace/noop"

	metricnoop "go.opentelemetry.io/otel/metric/noop"

	"reverie/chat"
	"reverie/memory"
	"reverie/recall"
	"reverie/store"
)

// Server answers HTTP requests. It is made by New and safe for concurrent use.
type Server struct {
	Options
	echo           *echo.Echo
	handler        http.Handler // echo within telemetry
	api            huma.API
	keys           *keyCache
	limits         *limiter // of keys
	failures       *limiter // of addresses that try wrong keys
	workflows      *starter
	probes         *probes
	changes        *announcer // of indexes
	nights         *announcer // of when agents dream
	followers      *followers // of dreams
	eventFollowers *followers
	turns          *chat.Service
	turning        chan struct{} // holds one for each turn that is being made
	// stopping ends when the server shuts down: who waits for a workflow is answered at once.
	stopping context.Context
	stop     context.CancelFunc
}

// New makes a server with all its routes.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return build(o)
}

// Document is the OpenAPI document of the server, which needs nothing to run on.
func Document() (*huma.OpenAPI, error) {
	s, err := build(Options{Metrics: http.NotFoundHandler()})
	if err != nil {
		return nil, err
	}
	return s.api.OpenAPI(), nil
}

func build(o Options) (*Server, error) {
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
	s := &Server{Options: o, echo: echo.New()}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.keys = newKeyCache(o.Now)
	s.limits = newLimiter(o.RateLimit, int(math.Ceil(2*o.RateLimit)), o.Now)
	s.failures = newLimiter(failureRate, failureBurst, o.Now)
	s.workflows = newStarter(o)
	s.changes = &announcer{tell: s.workflows.indexChanged, stop: s.stopping.Done(), changed: map[store.AgentRef]bool{}}
	s.nights = &announcer{tell: s.ensureNights, stop: s.stopping.Done(), changed: map[store.AgentRef]bool{}}
	s.probes = &probes{server: s}
	s.followers = newFollowers(s, "dreams", s.lookForDreams)
	s.eventFollowers = newFollowers(s, "events", s.lookForEvents)
	if s.Search == nil {
		s.Search = &recall.Searcher{Store: o.Store, Defaults: recall.DefaultSettings(), Recorder: recall.NewRecorder(o.Store, o.Log), Now: o.Now, Log: o.Log}
	}
	s.turns, s.turning = s.chatService(), make(chan struct{}, maxTurns)
	s.useMiddleware()
	s.api = huma.NewAPI(document(), adapter{s.echo})
	s.api.UseMiddleware(s.authenticate)
	s.routes()
	if err := s.measureBacklog(); err != nil {
		return nil, err
	}
	return s, nil
}

// routes registers every route, one line for each resource.
func (s *Server) routes() {
	s.healthRoutes()
	s.documentationRoutes()
	s.metricsRoutes()
	s.statusRoutes()
	s.keyRoutes()
	s.agentRoutes()
	s.conversationRoutes()
	s.messageRoutes()
	s.summarizeRoutes()
	s.extractionRoutes()
	s.fileRoutes()
	s.doctorRoutes()
	s.fileWriteRoutes()
	s.snapshotRoutes()
	s.historyRoutes()
	s.promptRoutes()
	s.recallRoutes()
	s.dreamRoutes()
	s.chatRoutes()
	s.contextRoutes()
	s.compactionRoutes()
	s.rememberRoutes()
	s.importRoutes()
	s.toolRoutes()
	s.artifactRoutes()
	s.writeRoutes()
	s.eventRoutes()
	finish(s.api.OpenAPI())
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
