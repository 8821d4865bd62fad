package api

import (
	"context"
	"net/http"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
)

func (s *Server) budgetRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "agent-budget", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/budget", Tag: "agents", Need: memory.RoleViewer,
		Summary: "Read what an agent may spend on models today, and has spent",
		Doc: "Change the agent's settings modelPaused, budgetTokens and budgetCost to pause and resume its use of models, or to give it a " +
			"budget. Work that waits notices it within ten minutes.",
	}, s.agentBudget)
}

// BudgetView is a budget of a day with what is spent of it.
type BudgetView struct {
	Tokens     int64        `json:"tokens" doc:"Input and output; 0: no limit."`
	CostMicros int64        `json:"costMicros" doc:"Millionths of a US dollar; 0: no limit."`
	Today      memory.Usage `json:"today"`
}

// AgentBudgetView holds the budgets of an agent and of its workspace, and the usage of today.
type AgentBudgetView struct {
	Paused    bool       `json:"paused" doc:"The agent's use of models is paused."`
	Halted    string     `json:"halted,omitempty" doc:"Why no model is asked now; missing: models are asked."`
	Agent     BudgetView `json:"agent"`
	Workspace BudgetView `json:"workspace"`
	RenewsAt  time.Time  `json:"renewsAt" doc:"When budgets renew."`
}

func (s *Server) agentBudget(ctx context.Context, in *agentInput) (*rest.Reply[AgentBudgetView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "Budgets are of the whole agent: a key pinned to an owner does not see them")
	}
	now := s.Now()
	use, err := s.Store.ModelUse(ctx, id, now)
	if err != nil {
		return nil, err
	}
	models := s.Chat.Models.With(agent.Settings)
	own := models.Budget()
	return rest.OK(AgentBudgetView{
		Paused: models.Paused, Halted: models.Halt(s.Chat.Budget, use.Workspace, use.Agent, now).Reason, RenewsAt: memory.BudgetRenewal(now),
		Agent:     BudgetView{own.Tokens, own.CostMicros, use.Agent},
		Workspace: BudgetView{s.Chat.Budget.Tokens, s.Chat.Budget.CostMicros, use.Workspace},
	}), nil
}

// ChangeSettings changes the settings of an agent.
func (s *Server) ChangeSettings(ctx context.Context, agent string, change func(*setting.AgentSettings)) error {
	id, found, err := s.Enter(ctx, agent, rest.Person{})
	if err != nil {
		return err
	}
	if id.Pinned {
		return fault.New(fault.Forbidden, "A key pinned to an owner cannot manage agents")
	}
	change(&found.Settings)
	_, err = s.Store.UpdateAgent(ctx, id, admin.AgentPatch{Settings: &found.Settings})
	return err
}
