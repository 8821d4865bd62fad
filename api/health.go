package api

import (
	"context"
	"net/http"

	"reverie/api/fault"
	"reverie/api/rest"
)

func (s *Server) healthRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "health", Method: http.MethodGet, Path: "/healthz", Tag: "operation",
		Summary: "Tell whether the process is alive", Errors: []int{http.StatusUnprocessableEntity},
	}, s.health)
	rest.Register(s.Server, rest.Route{
		ID: "ready", Method: http.MethodGet, Path: "/readyz", Tag: "operation",
		Summary: "Tell whether requests can be served", Errors: []int{http.StatusUnprocessableEntity, http.StatusServiceUnavailable},
		Doc: "Needs the database. Temporal is reported and not needed: messages are stored without it.",
	}, s.ready)
}

type aliveView struct {
	State string `json:"state" example:"ok"`
}

func (s *Server) health(context.Context, *struct{}) (*rest.Reply[aliveView], error) {
	return rest.OK(aliveView{rest.StateOK}), nil
}

type readyView struct {
	Database string `json:"database" enum:"ok,down"`
	Temporal string `json:"temporal" enum:"ok,down"`
}

func (s *Server) ready(ctx context.Context, _ *struct{}) (*rest.Reply[readyView], error) {
	view := readyView{Database: s.Probes.AskDatabase(ctx).State}
	if view.Database != rest.StateOK {
		return nil, fault.New(fault.NotReady, "the database does not answer").With("Retry-After", "2")
	}
	view.Temporal = s.Probes.AskTemporal(ctx).State
	return rest.OK(view), nil
}
