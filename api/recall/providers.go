package recall

import (
	"time"

	"reverie/api/rest"
	"reverie/providers"
	"reverie/store/gate"
)

// providerView is the state of a provider of memory.
type providerView struct {
	ID      string            `json:"id" example:"files"`
	Order   int               `json:"order" doc:"Its place among others, smallest first."`
	BuiltIn bool              `json:"builtIn" doc:"It is a source of this server, not another program."`
	Enabled bool              `json:"enabled" doc:"The agent uses it."`
	State   string            `json:"state" enum:"ready,failing,cooling" doc:"failing: its last answer failed; cooling: it has failed several times and is not asked for a while."`
	Failed  providers.Failure `json:"failed,omitempty" enum:"timeout,connection,status,malformed,too_large,cooling" doc:"Why its last answer failed."`
	At      *time.Time        `json:"at,omitempty" doc:"When this server last asked it."`
	Corpus  bool              `json:"corpus" doc:"Searches may name it as corpus."`
}

// backendView is the state of the search backend.
type backendView struct {
	ID      string     `json:"id"`
	Enabled bool       `json:"enabled" doc:"The agent uses it."`
	State   string     `json:"state" enum:"ready,idle,cooling" doc:"idle: its program starts with the next search; cooling: it has failed and is left alone until then; the built-in index answers."`
	Until   *time.Time `json:"until,omitempty" doc:"When it is started again at the earliest."`
	Reason  string     `json:"reason,omitempty" doc:"Why it last failed, for people."`
	Spaces  int        `json:"spaces" doc:"Memories that it holds, of all agents and owners."`
}

// addProviders adds the state of providers and of the search backend. It asks none of them.
func (v *recallStatusView) addProviders(s *recallHandlers, agent gate.Agent) {
	v.Providers = rest.Views(s.Providers.Status(agent.ID, agent.Settings), func(p providers.Status) providerView {
		out := providerView{p.ID, p.Order, p.Builtin, p.Enabled, "ready", p.Failed, nil, p.Corpus}
		if !p.At.IsZero() {
			out.At = &p.At
		}
		switch {
		case p.Cooling:
			out.State = "cooling"
		case p.Failed != "":
			out.State = "failing"
		}
		return out
	})
	if s.SearchBackend == nil {
		return
	}
	b := s.SearchBackend.Status()
	v.Backend = &backendView{
		ID: b.ID, Enabled: !s.SearchBackend.Off(agent.ID, agent.Settings.DisabledProviders), State: "idle", Reason: b.Reason, Spaces: b.Spaces,
	}
	switch {
	case b.Running:
		v.Backend.State = "ready"
	case b.Until.After(s.Now()):
		v.Backend.State, v.Backend.Until = "cooling", &b.Until
	}
}
