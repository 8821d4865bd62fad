package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// Who names leaders in a workspace waits for who does already: what one of them checks is not undone by the other.
	sqlLeadersLock = `select pg_advisory_xact_lock(hashtextextended('reverie.leaders/' || @workspace, 0))`

	sqlLeaderCheck = `
select
    coalesce((select settings ->> 'leader' from agents where workspace_id = @workspace and agent_id = @agent), ''),
    exists (select from agents where workspace_id = @workspace and agent_id = @leader),
    coalesce((select settings ->> 'leader' from agents where workspace_id = @workspace and agent_id = @leader), ''),
    exists (select from agents where workspace_id = @workspace and agent_id <> @agent and settings ->> 'leader' = @agent)`
)

// ledBy returns settings without a leader that is the agent itself.
func ledBy(agent string, settings *memory.AgentSettings) *memory.AgentSettings {
	if settings == nil || settings.Leader != agent {
		return settings
	}
	own := *settings
	own.Leader = ""
	return &own
}

// leading runs fn as a transaction that may look at all agents of the workspace, which checking a leader takes: the credential may
// be limited to some.
func leading[T any](ctx context.Context, s *Store, id memory.Identity, fn func(*tx) (T, error)) (T, error) {
	set, err := settingsOf(id)
	if err != nil {
		var none T
		return none, err
	}
	set.purpose = purposeSweep
	return run(ctx, s, &tx{settings: set, id: id, mode: sqlBegin}, fn)
}

// leadership is what naming a leader is checked against.
type leadership struct {
	named     string // the leader that is to be
	current   string
	exists    bool
	of        string // the leader's own leader
	hasMember bool   // other agents name this one
}

// queueLeadership queues looking it up, in front of the change. It does nothing without a leader: taking one away is always
// possible.
func queueLeadership(b *pgx.Batch, t *tx, settings *memory.AgentSettings) *leadership {
	if settings == nil || settings.Leader == "" {
		return &leadership{}
	}
	l := &leadership{named: settings.Leader}
	args := t.args(pgx.NamedArgs{"leader": l.named})
	b.Queue(sqlLeadersLock, args)
	b.Queue(sqlLeaderCheck, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.current, &l.exists, &l.of, &l.hasMember) })
	return l
}

// allowed refuses a leader that is none: an agent that does not exist in the workspace or that the credential may not use, a
// member of another team, and any leader for an agent that leads others. Leaders are not followed from one to the next.
func (l *leadership) allowed(id memory.Identity) error {
	const field = "settings.leader"
	switch {
	case l.named == "" || l.named == l.current:
		return nil
	case !l.exists || !id.MayUseAgent(l.named):
		return &InvalidError{Field: field, Problem: fmt.Sprintf("there is no agent %s in this workspace", l.named)}
	case l.of != "" && l.of != l.named:
		return &InvalidError{Field: field, Problem: fmt.Sprintf("agent %s is a member of a team itself: name an agent that leads itself", l.named)}
	case l.hasMember:
		return &InvalidError{Field: field, Problem: "this agent leads others: take it out of their settings first"}
	}
	return nil
}
