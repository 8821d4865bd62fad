package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel/metric"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
)

func (s *Server) metricsRoutes() {
	if s.Metrics == nil {
		return
	}
	rest.RegisterRaw(s.Server, rest.Route{
		ID: "metrics", Method: http.MethodGet, Path: "/metrics", Tag: "operation",
		Summary: "Metrics in Prometheus' format",
		Doc:     "For requests from this machine itself (not through a proxy), and with an admin key that is not limited to agents or an owner.",
	}, "text/plain", s.serveMetrics)
}

func (s *Server) serveMetrics(ctx huma.Context, w http.ResponseWriter, r *http.Request) {
	if !rest.IsLocal(r) {
		key, err := s.KeyOf(ctx)
		if err == nil && (key.Role != memory.RoleAdmin || key.Agents != nil || key.Owner != memory.NoOwner) {
			err = fault.New(fault.Forbidden, "metrics of the whole deployment need an admin key that is not limited")
		}
		if err != nil {
			s.Refuse(ctx, err)
			return
		}
	}
	s.Metrics.ServeHTTP(w, r)
}

// backlogTTL is how old the backlog in the metrics may be: counting it is a query.
const backlogTTL = 15 * time.Second

// measureBacklog adds what waits in Options.Workspace to the metrics.
func (s *Server) measureBacklog() error {
	if s.Workspace == "" || s.Store == nil {
		return nil
	}
	meter := s.Meters.Meter("reverie")
	var errs []error
	gauge := func(name, description string) metric.Int64ObservableGauge {
		g, err := meter.Int64ObservableGauge(name, metric.WithDescription(description))
		errs = append(errs, err)
		return g
	}
	conversations := gauge("reverie.backlog.conversations", "Conversations with completed messages that were not looked at.")
	messages := gauge("reverie.backlog.messages", "Completed messages that were not looked at.")
	turns := gauge("reverie.backlog.unsignalled_turns", "Completed turns that Temporal has not accepted.")
	waiting := gauge("reverie.backlog.waiting", "Extractions that go on by themselves later.")
	quarantined := gauge("reverie.backlog.quarantined", "Refused extractions that wait for somebody to look at them.")
	counter := backlogCounter{server: s}
	_, err := meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		b, err := counter.count(ctx)
		if err != nil {
			return err
		}
		o.ObserveInt64(conversations, int64(b.PendingConversations))
		o.ObserveInt64(messages, int64(b.PendingMessages))
		o.ObserveInt64(turns, int64(b.UnsignalledTurns))
		o.ObserveInt64(waiting, int64(b.Waiting))
		o.ObserveInt64(quarantined, int64(b.Quarantined))
		return nil
	}, conversations, messages, turns, waiting, quarantined)
	return errors.Join(append(errs, err)...)
}

// backlogCounter counts the backlog at most once per backlogTTL.
type backlogCounter struct {
	server *Server
	mu     sync.Mutex
	at     time.Time
	last   store.Backlog
}

func (c *backlogCounter) count(ctx context.Context) (store.Backlog, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.server.Now()
	if !c.at.IsZero() && now.Sub(c.at) < backlogTTL {
		return c.last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, rest.ProbeTimeout)
	defer cancel()
	id := memory.Identity{Workspace: c.server.Workspace, AnyOwner: true, Role: memory.RoleViewer}
	b, err := c.server.Store.Backlog(ctx, id)
	if err == nil {
		c.last, c.at = b, now
	}
	return b, err
}
