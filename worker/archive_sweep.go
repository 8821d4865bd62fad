package worker

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
)

const (
	// archiveInterval is the time between two rounds of archiving, and archivePause that between two parts of a round.
	archiveInterval, archivePause = 24 * time.Hour, 10 * time.Minute
	// archiveOwners is the number of owners that are looked at at once.
	archiveOwners = 50
)

// archiveSweep archives, once a day, the facts that are no longer trusted of agents that do not dream. For those that dream, a dream does
// it.
type archiveSweep struct {
	store    *store.Store
	defaults setting.DreamSettings
	now      func() time.Time

	began time.Time           // of the round
	agent activities.AgentRef // the last agent of this round that is done
	owner uuid.UUID           // the last owner of the next one that is done
	ended bool                // the round is over
}

// look archives the facts of some owners, or of none before the next round is due, and returns how many facts.
func (s *archiveSweep) look(ctx context.Context) (done int, err error) {
	if s.ended && s.now().Sub(s.began) < archiveInterval {
		return 0, nil
	}
	if s.ended || s.began.IsZero() {
		s.began, s.agent, s.owner, s.ended = s.now(), activities.AgentRef{}, uuid.Nil, false
	}
	var failed error // of the last agent that had an error: it does not stop the others
	for ctx.Err() == nil {
		agents, err := s.store.DreamingAgents(ctx, s.agent, sweepAgents)
		if err != nil {
			return done, errors.Join(failed, err)
		}
		if len(agents) == 0 {
			s.ended = true
			return done, failed
		}
		for _, a := range agents {
			n, err := s.archive(ctx, a)
			if done += n; ctx.Err() != nil { // the next part of the round goes on with this agent
				return done, failed
			}
			if err != nil {
				failed = err
			}
			s.agent, s.owner = a.AgentRef, uuid.Nil
		}
	}
	return done, failed
}

// archive archives the facts of the owners of an agent that does not dream.
func (s *archiveSweep) archive(ctx context.Context, a dreams.DreamingAgent) (done int, err error) {
	if settings := s.defaults.With(a.Settings); settings.Enabled || !settings.MemoryEnabled || settings.TeamMember {
		return 0, nil
	}
	id := memory.Identity{Workspace: a.Workspace, Agent: a.Agent, AnyOwner: true, Role: memory.RoleAdmin}
	agent, err := s.store.Agent(ctx, id)
	if err != nil {
		return 0, err
	}
	settings := s.defaults.With(agent.Settings)
	var failed error // of the last owner that had an error
	for ctx.Err() == nil {
		owners, err := s.store.News(ctx, id, s.owner, archiveOwners)
		if err != nil || len(owners) == 0 {
			return done, errors.Join(failed, err)
		}
		for _, ref := range owners {
			n, err := activities.Retire(ctx, s.store, ref, settings, s.now())
			if ctx.Err() != nil {
				return done, failed
			}
			if err != nil {
				failed = err
			}
			done, s.owner = done+n, ref.Owner
		}
	}
	return done, failed
}
