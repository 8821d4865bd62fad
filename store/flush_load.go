package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	sqlFlushConversationRow = conversationRows + `
    and c.conversation_uid = (
        select f.conversation_uid
        from flushes f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.flush_id = @flush and f.owner_key = @owner)`

	// The draft, as far as the run made it, and where a step has to end so that an extraction that is open can take the place of
	// what rules note: with the messages that it is about.
	sqlFlushDraft = `
select case when f.workflow_id = @workflow and f.run_id = @run then f.draft end, coalesce((
        select x.range_to
        from extractions x
        where x.workspace_id = @workspace and x.agent_id = @agent and x.conversation_uid = f.conversation_uid
            and x.from_seq <= f.to_seq and x.outcome in ('running', 'waiting') and x.retry_of is null
        order by x.from_seq desc
        limit 1), 0)
from flushes f
where f.workspace_id = @workspace and f.agent_id = @agent and f.flush_id = @flush and f.owner_key = @owner`

	// As sqlStepMessages, behind what is done.
	sqlFlushMessages = `
select seq, role, case when octet_length(content) > 500 or content ~ '\S' then 'x' else '' end
from messages
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
    and conversation_uid = (
        select conversation_uid from flushes where workspace_id = @workspace and agent_id = @agent and flush_id = @flush)
    and seq > (select done_seq from flushes where workspace_id = @workspace and agent_id = @agent and flush_id = @flush)
    and seq <= (select to_seq from flushes where workspace_id = @workspace and agent_id = @agent and flush_id = @flush)
order by seq
limit @window`
)

// LoadFlush reads what the next step of an open flush needs: as many messages as fit one transcript (memory.Steps), behind those
// that are done. Messages in front of the extraction's cursor make a step of their own (Extracted), without their words. Of an
// acknowledged flush there is the record only. It costs two round trips, as LoadExtraction does.
func (s *Store) LoadFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, settings memory.ExtractSettings) (FlushLoad, error) {
	if err := requireOwner(id); err != nil {
		return FlushLoad{}, err
	}
	return snapshot(ctx, s, id, func(t *tx) (FlushLoad, error) {
		l := loadingFlush{t: t, id: flush}
		l.Scope = scopeOf(id, settings)
		if err := l.first(ctx); err != nil {
			return FlushLoad{}, err
		}
		if l.Flush.Acknowledged() {
			return FlushLoad{Flush: l.Flush}, nil
		}
		if err := l.plan(settings); err != nil {
			return FlushLoad{}, err
		}
		err := l.second(ctx)
		return l.FlushLoad, err
	})
}

// loadingFlush is a FlushLoad on its way.
type loadingFlush struct {
	FlushLoad
	t      *tx
	id     uuid.UUID
	window []memory.Message // roles and whether something was said, no contents
	drafts *FlushDraft      // of the run, for whichever step
	open   int64            // where the range of an open extraction ends; 0: none is open
}

// first reads everything that does not depend on where the step ends.
func (l *loadingFlush) first(ctx context.Context) error {
	var agent, conversation, draft bool
	var profile, notes, shared person
	var flush reading
	args := l.t.args(pgx.NamedArgs{
		"flush": l.id, "window": stepWindow, "workflow": l.t.id.Author.WorkflowID, "run": l.t.id.Author.RunID,
	})
	b := &pgx.Batch{}
	flush.queue(b, l.t, l.id)
	one(b.Queue(sqlAgent, args), &agent, func(row pgx.CollectableRow) (err error) { l.Agent, err = scanAgent(row); return err })
	one(b.Queue(sqlFlushConversationRow, args), &conversation, func(row pgx.CollectableRow) (err error) {
		l.Conversation, err = scanConversation(row)
		return err
	})
	one(b.Queue(sqlFlushDraft, args), &draft, func(row pgx.CollectableRow) error { return row.Scan(&l.drafts, &l.open) })
	all(b.Queue(sqlFlushMessages, args), &l.window, func(row pgx.CollectableRow) (m memory.Message, err error) {
		err = row.Scan(&m.Seq, &m.Role, &m.Content)
		return m, err
	})
	queueDocument(b, l.t, l.Scope, memory.ProfilePath, &l.Profile, &profile)
	queueDocument(b, l.t, l.Scope, memory.MemoryPath, &l.Memory, &notes)
	var team memory.Document
	if l.Scope == memory.ScopePersonal {
		queueDocument(b, l.t, memory.ScopeTeam, memory.MemoryPath, &team, &shared)
	}
	if err := l.t.send(ctx, b); err != nil {
		return err
	}
	l.Shared = team.Content
	var err error
	if l.Flush, err = flush.result(l.id); err != nil {
		return err
	}
	switch {
	case !agent:
		return fmt.Errorf("agent %s: %w", l.t.id.Agent, ErrNotFound)
	case !conversation || !draft: // of another owner
		return noFlush(l.id)
	}
	return nil
}

// plan finds out which day it is for the agent, and where the step ends.
func (l *loadingFlush) plan(settings memory.ExtractSettings) error {
	zone, err := l.Agent.Location()
	if err != nil {
		return fmt.Errorf("agent %s: %w", l.t.id.Agent, err)
	}
	l.Today = l.t.now.In(zone)
	l.From = l.Flush.Done + 1
	switch {
	case l.Conversation.Cursor >= l.From:
		l.To, l.Extracted = min(l.Conversation.Cursor, l.Flush.To), true
	case l.drafts != nil && l.drafts.From == l.From:
		l.Draft, l.To = l.drafts, l.drafts.To
	default:
		end := l.window[len(l.window)-1].Seq
		if l.open >= l.From {
			end = min(end, l.open)
		}
		l.To = memory.Steps(upTo(l.window, end), settings)[0][1]
	}
	return nil
}

// second reads the messages of the step and today's note.
func (l *loadingFlush) second(ctx context.Context) error {
	var note person
	b := &pgx.Batch{}
	if !l.Extracted {
		all(b.Queue(sqlRangeMessages, l.t.args(pgx.NamedArgs{"uid": l.Conversation.UID, "from": l.From, "to": l.To})), &l.Messages, scanMessage)
	}
	queueDocument(b, l.t, l.Scope, memory.DailyNotePath(l.Today), &l.Note, &note)
	return l.t.finish(ctx, b)
}

// upTo are the messages up to a sequence number, which is included.
func upTo(messages []memory.Message, seq int64) []memory.Message {
	for i, m := range messages {
		if m.Seq > seq {
			return messages[:i]
		}
	}
	return messages
}
