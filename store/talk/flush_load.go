package talk

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/pg"
)

const (
	sqlFlushConversationRow = conversationRows + `
    and c.conversation_uid = (
        select f.conversation_uid
        from flushes f
        where f.workspace_id = @workspace and f.agent_id = @agent and f.flush_id = @flush and f.owner_key = @owner)`

	// Reads the draft if the run made it, and the end of an open extraction's range: a step must end there, so that the extraction
	// can later replace an entry of the built-in rules for its messages.
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

	// Like sqlStepMessages, after the steps that are done.
	sqlFlushMessages = `
select seq, role, case when revoked_at is null and (octet_length(content) > 500 or content ~ '\S') then 'x' else '' end, said_at
from messages
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
    and conversation_uid = (
        select conversation_uid from flushes where workspace_id = @workspace and agent_id = @agent and flush_id = @flush)
    and seq > (select done_seq from flushes where workspace_id = @workspace and agent_id = @agent and flush_id = @flush)
    and seq <= (select to_seq from flushes where workspace_id = @workspace and agent_id = @agent and flush_id = @flush)
order by seq
limit @window`
)

// LoadFlush reads the input of the next step of an open flush: as many messages as fit one transcript (memory.Steps), after those
// that are done. Messages in front of the extraction's cursor make their own step (Extracted), without contents. Of an acknowledged
// flush it returns the record only. It costs two round trips, as LoadExtraction does.
func (s *Talk) LoadFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, settings setting.ExtractSettings) (FlushLoad, error) {
	if err := pg.RequireOwner(id); err != nil {
		return FlushLoad{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (FlushLoad, error) {
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

// loadingFlush builds a FlushLoad.
type loadingFlush struct {
	FlushLoad
	t      *pg.Tx
	id     uuid.UUID
	window []memory.Message // roles and whether something was said, no contents
	drafts *FlushDraft      // of the run, for whichever step
	open   int64            // where the range of an open extraction ends; 0: none is open
}

// first reads everything that does not depend on the end of the step.
func (l *loadingFlush) first(ctx context.Context) error {
	var agent, conversation, draft bool
	var flush reading
	args := l.t.Args(pgx.NamedArgs{
		"flush": l.id, "window": stepWindow, "workflow": l.t.ID.Author.WorkflowID, "run": l.t.ID.Author.RunID,
	})
	b := &pgx.Batch{}
	flush.queue(b, l.t, l.id)
	pg.One(b.Queue(gate.SQLAgent, args), &agent, &l.Agent, gate.ScanAgent)
	pg.One(b.Queue(sqlFlushConversationRow, args), &conversation, &l.Conversation, scanConversation)
	pg.Columns(b.Queue(sqlFlushDraft, args), &draft, &l.drafts, &l.open)
	pg.All(b.Queue(sqlFlushMessages, args), &l.window, func(row pgx.CollectableRow) (m memory.Message, err error) {
		err = row.Scan(&m.Seq, &m.Role, &m.Content, &m.CreatedAt)
		return m, err
	})
	gate.QueueDocument(b, l.t, l.Scope, memory.ProfilePath, &l.Profile, nil)
	gate.QueueDocument(b, l.t, l.Scope, memory.MemoryPath, &l.Memory, nil)
	var err error
	if l.Shared, err = sendShared(ctx, l.t, b, l.Scope); err != nil {
		return err
	}
	if l.Flush, err = flush.result(l.id); err != nil {
		return err
	}
	switch {
	case !agent:
		return fmt.Errorf("agent %s: %w", l.t.ID.Agent, pg.ErrNotFound)
	case !conversation || !draft: // of another owner
		return noFlush(l.id)
	}
	return nil
}

// plan determines the agent's date and the end of the step.
func (l *loadingFlush) plan(settings setting.ExtractSettings) error {
	zone, err := zoneOf(l.t, l.Agent)
	if err != nil {
		return err
	}
	l.Today = l.t.Now.In(zone)
	l.From = l.Flush.Done + 1
	switch {
	case l.Conversation.Cursor >= l.From:
		l.To, l.Extracted = min(l.Conversation.Cursor, l.Flush.To), true
	case l.drafts != nil && l.drafts.From == l.From:
		l.Draft, l.To = l.drafts, l.drafts.To
	default:
		l.window = firstDay(l.window, zone)
		end := l.window[len(l.window)-1].Seq
		if l.open >= l.From {
			end = min(end, l.open)
		}
		l.To = transcripts.Steps(upTo(l.window, end), settings)[0][1]
	}
	l.Today = lastSaid(upTo(l.window, l.To), l.Today)
	return nil
}

// second reads the messages of the step and today's note.
func (l *loadingFlush) second(ctx context.Context) error {
	b := &pgx.Batch{}
	if !l.Extracted {
		queueMessages(b, l.t, l.Conversation.UID, l.From, l.To, &l.Before, &l.Messages)
		args := l.t.Args(pgx.NamedArgs{"uid": l.Conversation.UID, "from": l.From, "to": l.To})
		b.Queue(sqlRangeRevoked, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.Revoked) })
	}
	gate.QueueDocument(b, l.t, l.Scope, memory.DailyNotePath(l.Today), &l.Note, nil)
	facts.QueueDisagreements(b, l.t, &l.Disagreements)
	return l.t.Finish(ctx, b)
}

// upTo returns the messages up to and including a sequence number.
func upTo(messages []memory.Message, seq int64) []memory.Message {
	for i, m := range messages {
		if m.Seq > seq {
			return messages[:i]
		}
	}
	return messages
}
