package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Server answers HTTP requests. It is made by New and safe for concurrent use.
type Server struct {
	*kernel
	dreams *dreamRoom
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
	s := &Server{kernel: newKernel(o)}
	s.routes()
	if err := s.measureBacklog(); err != nil {
		return nil, err
	}
	return s, nil
}

// routes registers every route, one line for each room.
func (s *Server) routes() {
	s.healthRoutes()
	s.documentationRoutes()
	s.metricsRoutes()
	s.statusRoutes()
	s.keyRoutes()
	s.agentRoutes()
	registerTalk(s.kernel)
	registerFiles(s.kernel)
	registerRecall(s.kernel)
	s.dreams = registerDreams(s.kernel)
	registerTransfer(s.kernel)
	registerDoctor(s.kernel)
	s.finishDocument()
}
