package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/doctor"
	"reverie/api/dreams"
	"reverie/api/facts"
	"reverie/api/files"
	"reverie/api/mcp"
	"reverie/api/proxy"
	"reverie/api/recall"
	"reverie/api/rest"
	"reverie/api/talk"
	"reverie/api/transfer"
)

// Options are the parts and settings of a Server.
type Options = rest.Options

// Model describes the engine that extracts.
type Model = rest.Model

// Server answers HTTP requests. It is made by New and safe for concurrent use.
type Server struct {
	*rest.Server
	DreamHandlers  *dreams.Handlers
	TalkHandlers   *talk.Handlers
	DoctorHandlers *doctor.Handlers
	FactHandlers   *facts.Handlers
	FileHandlers   *files.Handlers
	Transfers      *transfer.Handlers
}

// New makes a server with all its routes.
func New(o Options) (*Server, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return build(o)
}

// Document returns the OpenAPI document of the server, which needs nothing to run on.
func Document() (*huma.OpenAPI, error) {
	s, err := build(Options{Metrics: http.NotFoundHandler()})
	if err != nil {
		return nil, err
	}
	return s.API.OpenAPI(), nil
}

func build(o Options) (*Server, error) {
	s := &Server{Server: rest.NewServer(o)}
	s.routes()
	if err := s.measureBacklog(); err != nil {
		return nil, err
	}
	return s, nil
}

// routes registers every route, one line for each package.
func (s *Server) routes() {
	s.healthRoutes()
	s.documentationRoutes()
	s.metricsRoutes()
	s.statusRoutes()
	s.queueRoutes()
	s.keyRoutes()
	s.ownerRoutes()
	s.auditRoutes()
	s.agentRoutes()
	s.budgetRoutes()
	s.deletionRoutes()
	s.webhookRoutes()
	s.revocationRoutes()
	s.approvalRoutes()
	s.TalkHandlers = talk.Register(s.Server)
	s.FileHandlers = files.Register(s.Server)
	recall.Register(s.Server)
	s.DreamHandlers = dreams.Register(s.Server)
	s.FactHandlers = facts.Register(s.Server)
	s.Transfers = transfer.Register(s.Server)
	s.DoctorHandlers = doctor.Register(s.Server)
	mcp.Register(s.Server)
	proxy.Register(s.Server, s.TalkHandlers.Turns())
	s.FinishDocument()
}
