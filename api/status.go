package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/backend"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/store/admin"
	"reverie/store/gate"
)

func (s *Server) statusRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "status", Method: http.MethodGet, Path: "/api/v1/status", Tag: "operation", Need: memory.RoleViewer,
		Summary: "Read the status of the deployment",
	}, s.status)
}

type modelView struct {
	Name    string `json:"name"`
	BuiltIn bool   `json:"builtIn" doc:"No model is configured: the built-in engine extracts by rules."`
}

type backlogView struct {
	PendingConversations int `json:"pendingConversations" doc:"With completed messages that have not been extracted yet, or whose extraction failed."`
	PendingMessages      int `json:"pendingMessages"`
	UnsignalledTurns     int `json:"unsignalledTurns" doc:"Completed turns that Temporal has not accepted."`
	Waiting              int `json:"waiting" doc:"Extractions that continue automatically later."`
	Quarantined          int `json:"quarantined" doc:"Quarantined extractions that wait for review."`
	StagedWrites         int `json:"stagedWrites" doc:"Writes of business processes that have not ended."`
}

// StatusView is the status of a deployment.
type StatusView struct {
	Version  string          `json:"version"`
	State    string          `json:"state" enum:"ok,degraded,down"`
	Parts    []rest.PartView `json:"parts"`
	Model    modelView       `json:"model"`
	Degraded []string        `json:"degraded" doc:"Features that are missing or limited in this installation, one sentence each."`
	Backlog  *backlogView    `json:"backlog,omitempty" doc:"Open work of the workspace, over the agents that the key may use; missing for keys that are pinned to an owner."`
	Today    *memory.Usage   `json:"today,omitempty" doc:"What models have cost the workspace today (UTC); as backlog."`
	Time     time.Time       `json:"time"`
}

// Under which names workers report how the models are.
const (
	modelComponent          = "model"
	embeddingsComponent     = "embeddings"
	nextEmbeddingsComponent = "embeddings-next"
)

// stale reports whether a component is about a provider that is no longer configured.
func (s *Server) stale(component string) bool {
	switch component {
	case modelComponent:
		return s.Model.BuiltIn
	case embeddingsComponent:
		return len(s.Search.Embedders) == 0
	case nextEmbeddingsComponent:
		return len(s.Search.Embedders) < 2
	}
	return false
}

func (s *Server) status(ctx context.Context, _ *struct{}) (*rest.Reply[StatusView], error) {
	view := StatusView{
		Version: s.Version, State: rest.StateOK, Degraded: []string{}, Time: s.Now(),
		Model: modelView{Name: s.Model.Name, BuiltIn: s.Model.BuiltIn},
	}
	view.Parts = []rest.PartView{s.Probes.AskDatabase(ctx), s.Probes.AskTemporal(ctx), s.Probes.AskWorkers(ctx)}
	journal, err := s.AskJournal(ctx)
	if err != nil {
		return nil, err
	}
	view.Parts = append(view.Parts, journal)
	reported, err := s.Store.Components(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range reported {
		if s.stale(c.Name) {
			continue
		}
		view.Parts = append(
			view.Parts,
			rest.PartView{Name: c.Name, State: c.State, Detail: detailOf(c, rest.CallerOf(ctx).Identity()), Since: &c.ChangedAt, SeenAt: &c.SeenAt},
		)
	}
	view.Parts = append(view.Parts, backendParts(s.Backend.Status(), rest.CallerOf(ctx).Identity().Workspace)...)
	if s.Model.BuiltIn {
		view.Degraded = append(
			view.Degraded,
			"model: none is configured, the built-in engine extracts by rules, and chats only quote memory: set REVERIE_LLM_PROVIDER for better "+
				"memories and for answers",
		)
	}
	view.judge()
	if len(s.Search.Embedders) == 0 {
		view.Parts = append(
			view.Parts,
			rest.PartView{
				Name:   embeddingsComponent,
				State:  "none",
				Detail: "no embedding provider is configured: memory is searched by words",
			},
		)
	}
	if err := s.count(ctx, &view); err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// detailOf returns what a provider said about a failure, which may have words of somebody's messages: a key that is pinned to an owner sees
// the kind of failure only.
func detailOf(c admin.Component, id memory.Identity) string {
	switch {
	case id.Pinned:
		return c.State
	case c.State == string(llm.Unauthorized) && c.Name == modelComponent:
		return c.Detail + " (check REVERIE_LLM_API_KEY)"
	case c.State == string(llm.Unauthorized):
		return c.Detail + " (check REVERIE_EMBEDDING_API_KEY)"
	}
	return c.Detail
}

// backendParts describes the memory backends of a workspace.
func backendParts(servers []backend.Status, workspace string) (parts []rest.PartView) {
	for _, b := range servers {
		if b.Workspace != workspace {
			continue
		}
		part := rest.PartView{Name: "memory-backend/" + b.Name, State: rest.StateOK, Detail: string(b.State)}
		if b.Failures > 0 {
			part.State, part.Since = rest.StateDegraded, &b.FailedAt
			part.Detail = fmt.Sprintf("%s: %s, %d failures in a row; the built-in memory is used instead", b.State, b.Last.Kind, b.Failures)
			if b.Last.Status != 0 {
				part.Detail += fmt.Sprintf(" (HTTP %d)", b.Last.Status)
			}
			if b.State == backend.Lacking {
				part.Detail = "lacking: it has not both of memory_query and memory_upsert"
			}
			if !b.RetryAt.IsZero() {
				part.Detail += "; it is asked again from " + b.RetryAt.UTC().Format(time.RFC3339)
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// count adds what waits and what was spent, which is the business of those who run the workspace: a key that is pinned to
// a person does not see it.
func (s *Server) count(ctx context.Context, view *StatusView) error {
	id := rest.CallerOf(ctx).Identity()
	if id.Pinned {
		return nil
	}
	waiting, err := s.Store.Backlog(ctx, id)
	if err != nil {
		return err
	}
	spent, err := s.Store.SpentToday(ctx, id, s.Now())
	if err != nil {
		return err
	}
	if err := s.noteHalts(ctx, spent, view); err != nil {
		return err
	}
	backlog := backlogView(waiting)
	view.Backlog, view.Today = &backlog, &spent
	return nil
}

// noteHalts names what keeps models from being asked: budgets that are spent, pauses, and vectors of a model that is not configured.
func (s *Server) noteHalts(ctx context.Context, spent memory.Usage, view *StatusView) error {
	if s.Model.BuiltIn && len(s.Search.Embedders) == 0 {
		return nil
	}
	now, budget := s.Now(), s.Chat.Budget
	if s.Model.BuiltIn {
		budget.Tokens = 0 // of vectors only the costs count
	}
	note := func(format string, args ...any) { view.Degraded = append(view.Degraded, fmt.Sprintf(format, args...)) }
	if halt := (setting.ModelSettings{}).Halt(budget, spent, memory.Usage{}, now); halt != (setting.Halt{}) {
		note("model: %s", halt.Explained())
	}
	const unpriced = "model: the budget of costs of %s limits no call, because the model has no price: set REVERIE_LLM_INPUT_PRICE and " +
		"REVERIE_LLM_OUTPUT_PRICE, or a budget of tokens"
	if s.Model.Free && budget.CostMicros > 0 {
		note(unpriced, "the workspace")
	}
	agents, err := s.Agents(ctx)
	if err != nil {
		return err
	}
	used, err := s.Store.UsageByAgent(ctx, rest.CallerOf(ctx).Identity(), now)
	if err != nil {
		return err
	}
	today := map[string]memory.Usage{}
	for _, u := range used {
		today[u.Agent] = u.Usage
	}
	for _, a := range agents {
		models := s.Chat.Models.With(a.Settings)
		switch halt := models.Halt(memory.Budget{}, memory.Usage{}, today[a.ID], now); halt.Code {
		case setting.HaltPaused:
			note("model: paused for the agent %s by its setting modelPaused", a.ID)
		case setting.HaltBudget:
			note("model: of the agent %s, %s", a.ID, halt.Explained())
		}
		if s.Model.Free && models.Cost > 0 {
			note(unpriced, "the agent "+a.ID)
		}
	}
	return s.noteOtherModels(ctx, agents, view)
}

// agentsCompared bounds the agents whose vectors are compared with the configuration. A change of the configuration is about all of them.
const agentsCompared = 100

// noteOtherModels names agents whose vectors were made with a model that is not configured.
func (s *Server) noteOtherModels(ctx context.Context, agents []gate.Agent, view *StatusView) error {
	found := map[memory.EmbeddingIdentity][]string{}
	id := rest.CallerOf(ctx).Identity()
	for _, a := range agents[:min(len(agents), agentsCompared)] {
		id.Agent = a.ID
		made, err := s.Search.OtherModel(ctx, id)
		if err != nil {
			return err
		}
		if made != (memory.EmbeddingIdentity{}) {
			found[made] = append(found[made], a.ID)
		}
	}
	for made, of := range found {
		whose := "the agent " + of[0]
		if more := len(of) - 1; more > 0 {
			whose += fmt.Sprintf(" and %d more", more)
		}
		view.Degraded = append(view.Degraded, fmt.Sprintf("embeddings: the vectors of %s %s", whose, recall.AdviceFor(made)))
		view.State = rest.StateDegraded
	}
	return nil
}

// judge sums the parts up.
func (v *StatusView) judge() {
	for _, part := range v.Parts {
		if part.State == rest.StateOK {
			continue
		}
		if part.Detail != "" {
			v.Degraded = append(v.Degraded, part.Name+": "+part.Detail)
		} else {
			v.Degraded = append(v.Degraded, part.Name+": "+part.State)
		}
		v.State = rest.StateDegraded
	}
}

func (s *Server) healthRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "health", Method: http.MethodGet, Path: "/healthz", Tag: "operation",
		Summary: "Liveness", Errors: []int{http.StatusUnprocessableEntity},
	}, s.health)
	rest.Register(s.Server, rest.Route{
		ID: "ready", Method: http.MethodGet, Path: "/readyz", Tag: "operation",
		Summary: "Readiness", Errors: []int{http.StatusUnprocessableEntity, http.StatusServiceUnavailable},
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
	database := s.Probes.AskDatabase(ctx)
	if database.State != rest.StateOK {
		return nil, fault.New(fault.NotReady, "%s", database.Detail).With("Retry-After", "2")
	}
	view := readyView{Database: database.State}
	view.Temporal = s.Probes.AskTemporal(ctx).State
	return rest.OK(view), nil
}

func (s *Server) metricsRoutes() {
	if s.Metrics == nil {
		return
	}
	rest.RegisterRaw(s.Server, rest.Route{
		ID: "metrics", Method: http.MethodGet, Path: "/metrics", Tag: "operation",
		Summary: "Metrics in Prometheus' format",
		Doc: "For requests from this machine itself or from REVERIE_METRICS_NETWORKS (not through a proxy), and with an admin key that is " +
			"not limited to agents or an owner.",
	}, "text/plain", s.serveMetrics)
}

func (s *Server) serveMetrics(ctx huma.Context, w http.ResponseWriter, r *http.Request) {
	if !rest.MetricsAreOpen(r, s.MetricsNetworks, s.TrustedProxies) {
		key, err := s.KeyOf(ctx)
		if err == nil && !rest.MayReadMetrics(key) {
			err = fault.New(fault.Forbidden, "Metrics need an admin key that is not limited")
		}
		if err != nil {
			s.Refuse(ctx, err)
			return
		}
	}
	s.Metrics.ServeHTTP(w, r)
}

// backlogTTL bounds the age of the backlog in the metrics: counting it takes a query.
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
	conversations := gauge("reverie.backlog.conversations", "Conversations with completed messages that have not been extracted yet.")
	messages := gauge("reverie.backlog.messages", "Completed messages that have not been extracted yet.")
	turns := gauge("reverie.backlog.unsignalled_turns", "Completed turns that Temporal has not accepted.")
	waiting := gauge("reverie.backlog.waiting", "Extractions that continue automatically later.")
	quarantined := gauge("reverie.backlog.quarantined", "Quarantined extractions that wait for review.")
	writes := gauge("reverie.backlog.staged_writes", "Writes of business processes that have not ended.")
	tasks := gauge("reverie.queue.depth", "Tasks that waited in a task queue of Temporal at the last sample of the worker, by queue.")
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
		o.ObserveInt64(writes, int64(b.StagedWrites))
		for queue, depth := range counter.tasks {
			o.ObserveInt64(tasks, depth, metric.WithAttributes(attribute.String("queue", queue)))
		}
		return nil
	}, conversations, messages, turns, waiting, quarantined, writes, tasks)
	return errors.Join(append(errs, err)...)
}

// backlogCounter counts the backlog at most once per backlogTTL.
type backlogCounter struct {
	server *Server
	mu     sync.Mutex
	at     time.Time
	last   admin.Backlog
	tasks  map[string]int64 // by task queue
}

func (c *backlogCounter) count(ctx context.Context) (admin.Backlog, error) {
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
	if err != nil {
		return b, err
	}
	const sampled = 15 * time.Minute // an older sample says nothing about now
	depths, err := c.server.Store.Depths(ctx, id, now.Add(-sampled), time.Minute)
	if err != nil {
		return b, err
	}
	c.last, c.at, c.tasks = b, now, map[string]int64{}
	for _, d := range depths { // the latest of a queue comes last
		if d.Tasks {
			c.tasks[d.Queue] = d.Depth
		}
	}
	return b, nil
}

// Status returns what the operation status answers.
func (s *Server) Status(ctx context.Context) (StatusView, error) {
	out, err := s.status(ctx, nil)
	if err != nil {
		return StatusView{}, err
	}
	return out.Body.Data, nil
}
