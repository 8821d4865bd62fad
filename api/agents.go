package api

import (
	"context"
	"net/http"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/crontab"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/gate"
)

func (s *Server) agentRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "create-agent", Method: http.MethodPost, Act: rest.Changes, Path: "/api/v1/agents", Tag: "agents", Need: memory.RoleAdmin,
		Summary: "Create an agent", Status: http.StatusCreated, Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Makes an agent with its first shared documents: AGENTS.md, SOUL.md, PROFILE.md and MEMORY.md.",
	}, s.createAgent)
	rest.Register(s.Server, rest.Route{
		ID: "list-agents", Method: http.MethodGet, Path: "/api/v1/agents", Tag: "agents", Need: memory.RoleViewer,
		Summary: "List the agents that the key may use",
	}, s.listAgents)
	rest.Register(s.Server, rest.Route{
		ID: "get-agent", Method: http.MethodGet, Path: "/api/v1/agents/{agent}", Tag: "agents", Need: memory.RoleViewer,
		Summary: "Read an agent",
	}, s.getAgent)
	rest.Register(s.Server, rest.Route{
		ID: "update-agent", Method: http.MethodPatch, Path: "/api/v1/agents/{agent}", Tag: "agents", Need: memory.RoleAdmin,
		Summary: "Change an agent", Body: rest.MaxSmallBody,
		Doc: "Changes what is given and leaves the rest. A setting that is null goes back to the server's default.",
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

func viewAgent(a gate.Agent) agentView {
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

func (s *Server) createAgent(ctx context.Context, in *newAgentInput) (*rest.Reply[agentView], error) {
	b := in.Body
	if err := checkTimeZone(b.TimeZone); err != nil {
		return nil, err
	}
	if err := checkDreamCron(b.Settings.DreamCron); err != nil {
		return nil, err
	}
	if settings := setting.AgentSettings(b.Settings); settings.InjectIdentityShare != nil || settings.InjectTrustedShare != nil {
		if err := s.checkShares(settings); err != nil {
			return nil, err
		}
	}
	id := rest.CallerOf(ctx).Identity()
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot manage agents")
	}
	made, err := s.Store.CreateAgent(ctx, id.For(b.ID, memory.NoOwner), admin.NewAgent{
		ID: b.ID, Name: b.Name, TimeZone: b.TimeZone, Settings: setting.AgentSettings(b.Settings),
	})
	if err != nil {
		return nil, err
	}
	s.DreamHandlers.NightsChanged(id, made.ID)
	return rest.Created(viewAgent(made)), nil
}

// checkTimeZone accepts what the time zone database knows; empty is for the store to decide.
func checkTimeZone(name string) error {
	if name == "" {
		return nil
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return fault.InvalidAt("body.timeZone", "%q is not known: use an IANA name such as Europe/Berlin", name)
	}
	return nil
}

// checkDreamCron accepts what a schedule can follow; empty: the server's.
func checkDreamCron(expression string) error {
	if expression == "" {
		return nil
	}
	if _, err := crontab.Parse(expression); err != nil {
		return fault.InvalidAt("body.settings.dreamCron", "%v", err)
	}
	return nil
}

// checkShares refuses shares of the layers of contexts that are more than 1 together, with the server's for what the agent has not set.
func (s *Server) checkShares(own setting.AgentSettings) error {
	shares := s.TalkHandlers.Turns().Settings.With(own).InjectShares
	if shares.TooLarge() {
		return fault.InvalidAt("body.settings.injectTrustedShare",
			"injectIdentityShare and injectTrustedShare are %v and %v, more than 1 together: lower one of them", shares.Identity, shares.Trusted)
	}
	return nil
}

func (s *Server) listAgents(ctx context.Context, in *rest.ListParams) (*rest.Reply[rest.Page[agentView]], error) {
	agents, err := s.Agents(ctx)
	if err != nil {
		return nil, err
	}
	return rest.Part(agents, *in, viewAgent)
}

type agentInput struct {
	rest.AgentParam
}

func (s *Server) getAgent(ctx context.Context, in *agentInput) (*rest.Reply[agentView], error) {
	_, agent, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	return rest.OK(viewAgent(agent)), nil
}

type agentPatchInput struct {
	rest.AgentParam
	Body struct {
		Name     *string         `json:"name,omitempty" minLength:"1" maxLength:"200"`
		TimeZone *string         `json:"timeZone,omitempty" minLength:"1" maxLength:"64"`
		Settings settingsChanges `json:"settings,omitzero"`
	}
}

func (s *Server) updateAgent(ctx context.Context, in *agentPatchInput) (*rest.Reply[agentView], error) {
	patch := admin.AgentPatch{Name: in.Body.Name, TimeZone: in.Body.TimeZone}
	if patch.TimeZone != nil {
		if err := checkTimeZone(*patch.TimeZone); err != nil {
			return nil, err
		}
	}
	if err := checkDreamCron(in.Body.Settings.dreamCron()); err != nil {
		return nil, err
	}
	id, agent, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot manage agents")
	}
	if settings, changed := in.Body.Settings.apply(agent.Settings); changed {
		if in.Body.Settings.has("injectIdentityShare", "injectTrustedShare") {
			if err := s.checkShares(settings); err != nil {
				return nil, err
			}
		}
		patch.Settings = &settings
	}
	updated, err := s.Store.UpdateAgent(ctx, id, patch)
	if err != nil {
		return nil, err
	}
	s.DreamHandlers.NightsChanged(id, updated.ID)
	return rest.OK(viewAgent(updated)), nil
}
