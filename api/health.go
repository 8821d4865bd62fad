package api

import (
	"context"
	"net/http"
)

func (s *Server) healthRoutes() {
	register(s.kernel, route{
		id: "health", method: http.MethodGet, path: "/healthz", tag: "operation",
		summary: "Tell whether the process is alive", errors: []int{http.StatusUnprocessableEntity},
	}, s.health)
	register(s.kernel, route{
		id: "ready", method: http.MethodGet, path: "/readyz", tag: "operation",
		summary: "Tell whether requests can be served", errors: []int{http.StatusUnprocessableEntity, http.StatusServiceUnavailable},
		doc: "Needs the database. Temporal is reported and not needed: messages are stored without it.",
	}, s.ready)
}

type aliveView struct {
	State string `json:"state" example:"ok"`
}

func (s *Server) health(context.Context, *struct{}) (*reply[aliveView], error) {
	return ok(aliveView{stateOK}), nil
}

type readyView struct {
	Database string `json:"database" enum:"ok,down"`
	Temporal string `json:"temporal" enum:"ok,down"`
}

func (s *Server) ready(ctx context.Context, _ *struct{}) (*reply[readyView], error) {
	view := readyView{Database: s.probes.askDatabase(ctx).State}
	if view.Database != stateOK {
		return nil, problem(nameNotReady, "the database does not answer").with("Retry-After", "2")
	}
	view.Temporal = s.probes.askTemporal(ctx).State
	return ok(view), nil
}
