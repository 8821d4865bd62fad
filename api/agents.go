package api

import (
	"context"
	"net/http"
	"time"

	"reverie/memory"
	"reverie/store"
)

func (s *Server) agentRoutes() {
	register(s.kernel, route{
		id: "create-agent", method: http.MethodPost, path: "/api/v1/agents", tag: "agents", need: memory.RoleAdmin,
		summary: "Create an agent", status: http.StatusCreated, body: maxSmallBody, errors: []int{http.StatusConflict},
		doc: "Makes an agent with its first shared documents: AGENTS.md, SOUL.md, PROFILE.md and MEMORY.md.",
	}, s.createAgent)
	register(s.kernel, route{
		id: "list-agents", method: http.MethodGet, path: "/api/v1/agents", tag: "agents", need: memory.RoleViewer,
		summary: "List the agents that the key may use",
	}, s.listAgents)
	register(s.kernel, route{
		id: "get-agent", method: http.MethodGet, path: "/api/v1/agents/{agent}", tag: "agents", need: memory.RoleViewer,
		summary: "Read an agent",
	}, s.getAgent)
	register(s.kernel, route{
		id: "update-agent", method: http.MethodPatch, path: "/api/v1/agents/{agent}", tag: "agents", need: memory.RoleAdmin,
		summary: "Change an agent", body: maxSmallBody,
		doc: "Changes what is given and leaves the rest. A setting that is null goes back to the server's default.",
	}, s.updateAgent)
}

type agentView struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	TimeZone  string        `json:"timeZone"`
	Settings  agentSettings `json:"settings"`
	CreatedAt time.Time     `json:"createdAt"`
	UpdatedAt time.Time     `json:"updatedAt"`
}

func viewAgent(a store.Agent) agentView {
	return agentView{a.ID, a.Name, a.TimeZone, agentSettings(a.Settings), a.CreatedAt, a.UpdatedAt}
}

type newAgentInput struct {
	Body struct {
		ID       string        `json:"id,omitempty" pattern:"^[a-z0-9][a-z0-9_-]{0,62}$" patternDescription:"1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit" doc:"Empty: one is made." example:"ada"`
		Name     string        `json:"name,omitempty" maxLength:"200" doc:"Empty: the id." example:"Ada"`
		TimeZone string        `json:"timeZone,omitempty" maxLength:"64" doc:"IANA name; what is today follows from it. Empty: UTC." example:"Europe/Berlin"`
		Settings agentSettings `json:"settings,omitzero"`
	}
}

func (s *Server) createAgent(ctx context.Context, in *newAgentInput) (*reply[agentView], error) {
	b := in.Body
	if err := checkTimeZone(b.TimeZone); err != nil {
		return nil, err
	}
	if err := checkDreamCron(b.Settings.DreamCron); err != nil {
		return nil, err
	}
	id := callerOf(ctx).Identity()
	if id.Pinned {
		return nil, problem(nameForbidden, "a key that is pinned to an owner manages no agents")
	}
	made, err := s.Store.CreateAgent(ctx, id.For(b.ID, memory.NoOwner), store.NewAgent{
		ID: b.ID, Name: b.Name, TimeZone: b.TimeZone, Settings: memory.AgentSettings(b.Settings),
	})
	if err != nil {
		return nil, err
	}
	s.dreams.nightsChanged(id, made.ID)
	return created(viewAgent(made)), nil
}

// checkTimeZone accepts what the time zone database knows; empty is for the store to decide.
func checkTimeZone(name string) error {
	if name == "" {
		return nil
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return invalidAt("body.timeZone", "%q is not known: use an IANA name such as Europe/Berlin", name)
	}
	return nil
}

// checkDreamCron accepts what a schedule can follow; empty: the server's.
func checkDreamCron(expression string) error {
	if expression == "" {
		return nil
	}
	if _, err := memory.ParseCron(expression); err != nil {
		return invalidAt("body.settings.dreamCron", "%v", err)
	}
	return nil
}

func (s *Server) listAgents(ctx context.Context, _ *struct{}) (*reply[page[agentView]], error) {
	agents, err := s.Store.Agents(ctx, callerOf(ctx).Identity())
	if err != nil {
		return nil, err
	}
	return ok(page[agentView]{Items: views(agents, viewAgent)}), nil
}

type agentInput struct {
	AgentParam
}

func (s *Server) getAgent(ctx context.Context, in *agentInput) (*reply[agentView], error) {
	_, agent, err := s.enter(ctx, in.Agent, person{})
	if err != nil {
		return nil, err
	}
	return ok(viewAgent(agent)), nil
}

type agentPatchInput struct {
	AgentParam
	Body struct {
		Name     *string         `json:"name,omitempty" minLength:"1" maxLength:"200"`
		TimeZone *string         `json:"timeZone,omitempty" minLength:"1" maxLength:"64"`
		Settings settingsChanges `json:"settings,omitzero"`
	}
}

func (s *Server) updateAgent(ctx context.Context, in *agentPatchInput) (*reply[agentView], error) {
	patch := store.AgentPatch{Name: in.Body.Name, TimeZone: in.Body.TimeZone}
	if patch.TimeZone != nil {
		if err := checkTimeZone(*patch.TimeZone); err != nil {
			return nil, err
		}
	}
	if err := checkDreamCron(in.Body.Settings.DreamCron.value); err != nil {
		return nil, err
	}
	id, agent, err := s.enter(ctx, in.Agent, person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, problem(nameForbidden, "a key that is pinned to an owner manages no agents")
	}
	if settings, changed := in.Body.Settings.apply(agent.Settings); changed {
		patch.Settings = &settings
	}
	updated, err := s.Store.UpdateAgent(ctx, id, patch)
	if err != nil {
		return nil, err
	}
	s.dreams.nightsChanged(id, updated.ID)
	return ok(viewAgent(updated)), nil
}
