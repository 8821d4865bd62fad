package store

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// sqlLeader is an agent's leader, unless there is none that its members read: one that does not exist, or whose own memory is
// switched off.
const sqlLeader = `
select l.agent_id
from agents l
where l.workspace_id = @workspace and l.agent_id <> @agent and coalesce((l.settings -> 'memoryEnabled')::boolean, not @off)
    and l.agent_id = (select m.settings ->> 'leader' from agents m where m.workspace_id = @workspace and m.agent_id = @agent)`

// Leader returns on whose behalf a member of a team reads its leader's memory: as the same owner, and nobody else, with a credential
// that only reads. It reports false for an agent that has no leader. The identity's credential need not be for the leader: naming
// one is an admin's decision. Whoever uses it reads documents only, and of these not the GLOBAL ones, which the member sees itself.
func (s *Store) Leader(ctx context.Context, id memory.Identity) (memory.Identity, bool, error) {
	if err := requireAgent(id); err != nil {
		return memory.Identity{}, false, err
	}
	set, err := settingsOf(id)
	if err != nil {
		return memory.Identity{}, false, err
	}
	set.purpose = purposeSweep // the credential may not be for the leader
	leader, err := run(ctx, s, &tx{settings: set, id: id, mode: sqlBeginRead}, func(t *tx) (leader string, err error) {
		found := false
		b := &pgx.Batch{}
		one(b.Queue(sqlLeader, t.args(pgx.NamedArgs{"off": t.memoryOff})), &found, func(row pgx.CollectableRow) error { return row.Scan(&leader) })
		err = t.finish(ctx, b)
		return leader, err
	})
	if err != nil || leader == "" {
		return memory.Identity{}, false, err
	}
	id.Agent, id.Agents, id.AnyOwner, id.Role = leader, []string{leader}, false, memory.RoleViewer
	return id, true, nil
}

// persona are the documents that say who an agent is. They are no memory: they are its own in a team, and stay when memory is off.
var persona = map[string]bool{memory.AgentsPath: true, memory.SoulPath: true}

// ofLeader reports whether members read a document that their leader sees.
func ofLeader(d memory.Document) bool { return d.Scope != memory.ScopeGlobal && !persona[d.Path] }

// isSeed reports whether a document is as every new agent begins with it. It hides nothing that a leader knows.
func isSeed(d memory.Document) bool {
	return d.Version == 1 && d.UpdatedBy.Kind == memory.AuthorSeed && !persona[d.Path]
}

// ReadableDocument is VisibleDocument for readers, who may be members of a team: the owner's own, the agent's, the leader's of the same
// owner, the leader's shared one, the workspace's, in this order.
func (s *Store) ReadableDocument(ctx context.Context, id memory.Identity, path string) (memory.Document, error) {
	own, err := s.VisibleDocument(ctx, id, path)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return memory.Document{}, err
	}
	if err == nil && own.Scope != memory.ScopeGlobal && !isSeed(own) {
		return own, nil
	}
	leader, member, failed := s.Leader(ctx, id)
	if failed != nil {
		return memory.Document{}, failed
	}
	if member {
		theirs, failed := s.VisibleDocument(ctx, leader, path)
		switch {
		case failed == nil && ofLeader(theirs) && !(isSeed(theirs) && err == nil):
			return theirs, nil
		case failed != nil && !errors.Is(failed, ErrNotFound):
			return memory.Document{}, failed
		}
	}
	return own, err
}

// ReadableDocuments is Documents for readers, who may be members of a team: their own, and behind them the leader's, of which nothing
// is shown that is deleted.
func (s *Store) ReadableDocuments(ctx context.Context, id memory.Identity, f DocumentFilter) ([]DocumentEntry, error) {
	documents, err := s.Documents(ctx, id, f)
	if err != nil || id.Agent == "" {
		return documents, err
	}
	leader, member, err := s.Leader(ctx, id)
	if err != nil || !member {
		return documents, err
	}
	f.IncludeDeleted = false
	theirs, err := s.Documents(ctx, leader, f)
	theirs = slices.DeleteFunc(theirs, func(e DocumentEntry) bool { return !ofLeader(e.Document) })
	return append(documents, theirs...), err
}

// promptOf completes the documents of a system prompt: with those of the leader for a member of a team, and without memory for an
// agent whose memory is switched off.
func (s *Store) promptOf(ctx context.Context, id memory.Identity, agent standing, own []memory.Document) ([]memory.Document, error) {
	if agent.off {
		return slices.DeleteFunc(own, func(d memory.Document) bool { return d.Scope != memory.ScopeGlobal && !persona[d.Path] }), nil
	}
	if agent.leader == "" {
		return own, nil
	}
	leader, member, err := s.Leader(ctx, id)
	if err != nil || !member {
		return own, err
	}
	theirs, err := read(ctx, s, leader, func(t *tx) (documents []memory.Document, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlDocumentsOfPrompt, t.args(nil)), &documents, scanContent)
		err = t.finish(ctx, b)
		return documents, err
	})
	theirs = slices.DeleteFunc(theirs, func(d memory.Document) bool { return !ofLeader(d) })
	return append(own, theirs...), err
}
