package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
)

// Agent is an assistant with a memory.
type Agent struct {
	ID        string // slug
	Name      string
	TimeZone  string // IANA name, such as Europe/Berlin
	Settings  setting.AgentSettings
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Location returns the agent's time zone.
func (a Agent) Location() (*time.Location, error) { return time.LoadLocation(a.TimeZone) }

// AgentColumns are the columns of an Agent, in the order of ScanAgent.
const AgentColumns = `agent_id, name, time_zone, settings, created_at, updated_at`

// ScanAgent scans a row of AgentColumns.
func ScanAgent(row pgx.CollectableRow) (Agent, error) { return pgx.RowToStructByPos[Agent](row) }

// SQLAgent selects the identity's agent.
const SQLAgent = `select ` + AgentColumns + ` from agents where workspace_id = @workspace and agent_id = @agent`

// Agent returns the identity's agent.
func (s *Gate) Agent(ctx context.Context, id memory.Identity) (Agent, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Agent{}, err
	}
	return pg.ReadOne(ctx, s.db, id, SQLAgent, nil, ScanAgent, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound))
}

// Entrance holds the agent, the owner and the end of the journal of a memory that a page shows.
type Entrance struct {
	Agent Agent
	Owner memory.Owner // with the id that was asked for; NoOwner: none was
	// End is the cursor after all events that the journal showed; zero: it was not requested.
	End JournalCursor
}

const sqlOwnerOfID = `select owner_key from owners where workspace_id = @workspace and agent_id = @agent and owner_id = @owner_id`

// Entrance returns the identity's agent, the owner with an opaque id (uuid.Nil: none), and with end the end of the journal, in one
// round trip. It returns ErrNotFound when there is no such agent, or no such owner that the identity may see.
func (s *Gate) Entrance(ctx context.Context, id memory.Identity, owner uuid.UUID, end bool) (Entrance, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Entrance{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (e Entrance, err error) {
		var agent, known, ended bool
		var ahead int64
		b := &pgx.Batch{}
		pg.One(b.Queue(SQLAgent, t.Args(nil)), &agent, &e.Agent, ScanAgent)
		if owner != uuid.Nil {
			pg.Columns(b.Queue(sqlOwnerOfID, t.Args(pgx.NamedArgs{"owner_id": owner})), &known, &e.Owner)
		}
		if end {
			pg.Columns(b.Queue(sqlJournalComplete), &ended, &e.End.Transaction, &ahead)
		}
		if err := t.Finish(ctx, b); err != nil {
			return e, err
		}
		switch {
		case !agent:
			return e, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound)
		case owner != uuid.Nil && !known:
			return e, fmt.Errorf("owner %s: %w", owner, pg.ErrNotFound)
		}
		return e, nil
	})
}

// sqlStanding reads the settings that decide who may write an agent's memory. The write's own transaction reads it, so that a
// change of settings applies from the next write on.
const sqlStanding = `
select coalesce(settings ->> 'leader', ''), (settings -> 'memoryEnabled')::boolean,
    coalesce(settings ->> 'approvals', ''), (settings ->> 'approvalDays')::int, coalesce(settings ->> 'approvalExpiry', '')
from agents
where workspace_id = @workspace and agent_id = @agent`

// Standing decides who may write an agent's own memory, PERSONAL and TEAM. GLOBAL documents belong to the workspace.
type Standing struct {
	known  bool   // the agent exists
	leader string // the agent whose team it is in; empty: none
	off    bool   // memory is switched off, by the agent or by the server
	// approvals say which automatic changes wait for a person.
	approvals setting.ApprovalSettings
}

// QueueStanding queues reading an agent's standing.
func QueueStanding(b *pgx.Batch, t *pg.Tx, to *Standing) {
	found := false
	pg.WithRow(b.Queue(sqlStanding, t.Args(nil)), &found, func(row pgx.CollectableRow) error {
		var leader string
		var enabled *bool
		var own setting.AgentSettings
		if err := row.Scan(&leader, &enabled, &own.Approvals, &own.ApprovalDays, &own.ApprovalExpiry); err != nil {
			return err
		}
		approvals := t.Approvals
		if approvals == (setting.ApprovalSettings{}) {
			approvals = setting.DefaultSettings().Approval()
		}
		*to = Standing{known: true, leader: leader, off: t.MemoryOff, approvals: approvals.With(own)}
		if leader == t.Agent {
			to.leader = ""
		}
		if enabled != nil {
			to.off = !*enabled
		}
		return nil
	})
}

// machinery are the authors that memory.enabled stops. People can still edit what is stored, and seeds belong to creating the
// agent.
var machinery = map[memory.AuthorKind]bool{
	memory.AuthorTool: true, memory.AuthorWorkflow: true, memory.AuthorImport: true, memory.AuthorDream: true,
}

// Allows returns ErrReadOnlyTeam for every author while the agent is a member of another agent's team, and ErrMemoryOff for
// automatic authors while memory is switched off.
func (s Standing) Allows(author memory.Author) error {
	switch {
	case author.Kind == memory.AuthorSeed:
		return nil
	case s.leader != "":
		return fmt.Errorf("%w: write the memory of agent %s", pg.ErrReadOnlyTeam, s.leader)
	case s.off && machinery[author.Kind]:
		return pg.ErrMemoryOff
	}
	return nil
}

// sqlLeader reads an agent's leader, unless the leader does not exist or its own memory is switched off.
const sqlLeader = `
select l.agent_id
from agents l
where l.workspace_id = @workspace and l.agent_id <> @agent and coalesce((l.settings -> 'memoryEnabled')::boolean, not @off)
    and l.agent_id = (select m.settings ->> 'leader' from agents m where m.workspace_id = @workspace and m.agent_id = @agent)`

// Leader returns the identity with which a member of a team reads its leader's memory: the same owner, read-only. It reports false
// for an agent without a leader. The identity's credential need not include the leader: naming one is an admin's decision. Use it
// to read documents only, and no GLOBAL ones, which the member sees itself.
func (s *Gate) Leader(ctx context.Context, id memory.Identity) (memory.Identity, bool, error) {
	if err := pg.RequireAgent(id); err != nil {
		return memory.Identity{}, false, err
	}
	set, err := pg.SettingsOf(id)
	if err != nil {
		return memory.Identity{}, false, err
	}
	set.Purpose = pg.PurposeSweep // the credential may not be for the leader
	leader, err := pg.Run(ctx, s.db, &pg.Tx{Settings: set, ID: id, Mode: pg.SQLBeginRead}, func(t *pg.Tx) (leader string, err error) {
		found := false
		b := &pgx.Batch{}
		pg.Columns(b.Queue(sqlLeader, t.Args(pgx.NamedArgs{"off": t.MemoryOff})), &found, &leader)
		err = t.Finish(ctx, b)
		return leader, err
	})
	if err != nil || leader == "" {
		return memory.Identity{}, false, err
	}
	id.Agent, id.Agents, id.AnyOwner, id.Role = leader, []string{leader}, false, memory.RoleViewer
	return id, true, nil
}

// persona are the documents that define an agent. They are not memory: each member of a team has its own, and they stay when memory
// is switched off.
var persona = map[string]bool{memory.AgentsPath: true, memory.SoulPath: true}

// ofLeader reports whether members read a document of their leader.
func ofLeader(d memory.Document) bool { return d.Scope != memory.ScopeGlobal && !persona[d.Path] }

// isSeed reports whether a document is an unchanged seed, which must not hide a document of the leader.
func isSeed(d memory.Document) bool {
	return d.Version == 1 && d.UpdatedBy.Kind == memory.AuthorSeed && !persona[d.Path]
}

// ReadableDocument is VisibleDocument with the documents of a team's leader. The order is: the owner's own, the agent's, the
// leader's of the same owner, the leader's shared one, the workspace's.
func (s *Gate) ReadableDocument(ctx context.Context, id memory.Identity, path string) (memory.Document, error) {
	own, err := s.VisibleDocument(ctx, id, path)
	if err != nil && !errors.Is(err, pg.ErrNotFound) {
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
		case failed != nil && !errors.Is(failed, pg.ErrNotFound):
			return memory.Document{}, failed
		}
	}
	return own, err
}

// ReadableDocuments is Documents followed by the documents of a team's leader, without deleted ones.
func (s *Gate) ReadableDocuments(ctx context.Context, id memory.Identity, f DocumentFilter) ([]DocumentEntry, error) {
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

// PromptOf completes the documents of a system prompt: it adds those of the leader for a member of a team, and removes memory for
// an agent whose memory is switched off. asOf is as in PromptDocuments.
func PromptOf(
	ctx context.Context, db *pg.DB, id memory.Identity, agent Standing, own []memory.Document, asOf time.Time,
) ([]memory.Document, error) {
	if agent.off {
		return slices.DeleteFunc(own, func(d memory.Document) bool { return d.Scope != memory.ScopeGlobal && !persona[d.Path] }), nil
	}
	if agent.leader == "" {
		return own, nil
	}
	leader, member, err := (&Gate{db}).Leader(ctx, id)
	if err != nil || !member {
		return own, err
	}
	theirs, err := pg.Read(ctx, db, leader, func(t *pg.Tx) (documents []memory.Document, err error) {
		b := &pgx.Batch{}
		queuePrompt(b, t, asOf, &documents)
		err = t.Finish(ctx, b)
		return documents, err
	})
	theirs = slices.DeleteFunc(theirs, func(d memory.Document) bool { return !ofLeader(d) })
	return append(own, theirs...), err
}
