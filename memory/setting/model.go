package setting

import (
	"time"

	"reverie/memory"
)

// ModelSettings are the resolved settings of an agent's use of models.
type ModelSettings struct {
	Paused bool    `from:"ModelPaused"`
	Tokens int     `from:"AgentBudgetTokens"` // of a day; 0: no limit
	Cost   float64 `from:"AgentBudgetCost"`   // of a day, in US dollars; 0: no limit
}

// Models returns the settings of the use of models.
func (s Settings) Models() ModelSettings {
	var out ModelSettings
	s.Resolve(&out)
	return out
}

// With returns s with the agent's overrides.
func (s ModelSettings) With(a AgentSettings) ModelSettings {
	a.Override(&s)
	return s
}

// Budget returns the agent's budget of a day.
func (s ModelSettings) Budget() memory.Budget {
	return memory.Budget{Tokens: int64(s.Tokens), CostMicros: int64(s.Cost * 1e6)}
}

// Why no model is asked.
const (
	HaltPaused memory.ReasonCode = "paused"
	HaltBudget memory.ReasonCode = "budget"
)

// Halt says why no model is asked for an agent. The zero value: one may be asked.
type Halt struct {
	Code   memory.ReasonCode
	Reason string
	Until  time.Time // when budgets renew; a pause may end earlier or later
}

// Explained returns the reason, with the time at which a budget renews.
func (h Halt) Explained() string {
	if h.Code != HaltBudget {
		return h.Reason
	}
	return h.Reason + "; it renews at " + h.Until.UTC().Format("2006-01-02 15:04 MST")
}

// Halt decides whether a model may be asked, by the budget of the workspace and what it and the agent have used today.
func (s ModelSettings) Halt(workspace memory.Budget, used, ofAgent memory.Usage, now time.Time) Halt {
	h := Halt{Code: HaltBudget, Until: memory.BudgetRenewal(now)}
	switch {
	case s.Paused:
		h.Code, h.Reason = HaltPaused, "the agent's use of models is paused"
	case workspace.Spent(used):
		h.Reason = "the workspace's model budget of today is spent"
	case s.Budget().Spent(ofAgent):
		h.Reason = "the agent's model budget of today is spent"
	default:
		return Halt{}
	}
	return h
}
