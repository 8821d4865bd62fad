package store

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// sqlStanding is what an agent's settings say about writing its memory. It is read by the write's own transaction, so that a
// change of the settings holds from the next write on.
const sqlStanding = `
select coalesce(settings ->> 'leader', ''), (settings -> 'memoryEnabled')::boolean
from agents
where workspace_id = @workspace and agent_id = @agent`

// standing says who may write an agent's own memory, PERSONAL and TEAM. GLOBAL documents are the workspace's.
type standing struct {
	leader string // the agent whose team it is in; empty: none
	off    bool   // memory is switched off, by the agent or by the server
}

// queueStanding queues looking it up.
func queueStanding(b *pgx.Batch, t *tx, to *standing) {
	found := false
	one(b.Queue(sqlStanding, t.args(nil)), &found, func(row pgx.CollectableRow) error {
		var leader string
		var enabled *bool
		if err := row.Scan(&leader, &enabled); err != nil {
			return err
		}
		*to = standing{leader: leader, off: t.memoryOff}
		if leader == t.agent {
			to.leader = ""
		}
		if enabled != nil {
			to.off = !*enabled
		}
		return nil
	})
}

// machinery are the authors that memory.enabled stops. A person keeps the hand on what is stored, and seeds are a part of making
// the agent.
var machinery = map[memory.AuthorKind]bool{
	memory.AuthorTool: true, memory.AuthorWorkflow: true, memory.AuthorImport: true, memory.AuthorDream: true,
}

// allows returns ErrReadOnlyTeam for a member of another agent's team, whoever writes, and ErrMemoryOff for machinery while
// memory is switched off.
func (s standing) allows(author memory.Author) error {
	switch {
	case author.Kind == memory.AuthorSeed:
		return nil
	case s.leader != "":
		return fmt.Errorf("%w: write the memory of agent %s", ErrReadOnlyTeam, s.leader)
	case s.off && machinery[author.Kind]:
		return ErrMemoryOff
	}
	return nil
}
