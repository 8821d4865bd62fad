package talk

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	statements "reverie/facts"
	"reverie/memory"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// WindowRequest names the conversation to be sent, and the size of the window.
type WindowRequest struct {
	Conversation string // the client's id; empty: there is none yet
	Window       int    // tokens
	// MaxBytes bounds the contents and tool calls of the messages that are loaded, newest first. The newest one is always loaded.
	MaxBytes int
	Standing []*facts.Standing // are read as well, unless the facts fail: see WindowLoad.FactsErr
}

// WindowLoad is the content of a context window.
type WindowLoad struct {
	Documents []memory.Document // of the system prompt, as PromptDocuments
	// Disagreements are statements of memory that cannot both hold, shown or not.
	Disagreements statements.Disagreements
	// Forgotten are the statements that the owner had forgotten, of a conversation.
	Forgotten []indexes.Forgotten
	// FactsErr is the error that kept the facts of changed documents from being derived; nil: none.
	FactsErr     error
	Found        bool // the conversation exists
	Conversation Conversation
	// Compaction is the latest finished one that was made for this window or a larger one, without receipts. Zero ID: none.
	Compaction Compaction
	Messages   []memory.Message // after Compaction.To, oldest first
	// Older is the last message after Compaction.To that was not loaded because of MaxBytes; 0: all were.
	Older     int64
	Goal      memory.Message // the first user message of the conversation; zero: none
	Unflushed int            // messages that no flush and no extraction has accounted for
	// UnflushedBytes is the size of their contents and tool calls, of the latest unflushedRows of them.
	UnflushedBytes int64
}

// unflushedRows bounds the unflushed messages that are measured.
const unflushedRows = 2000

// ownConversation selects the id of the owner's conversation by the client's id.
const ownConversation = `(
        select conversation_uid
        from conversations
        where workspace_id = @workspace and agent_id = @agent and conversation_id = @conversation and owner_key = @owner)`

const (
	sqlWindowConversation = conversationRows + `and c.conversation_id = @conversation and c.owner_key = @owner`

	sqlWindowCompaction = compactionRows + `and x.conversation_uid = ` + ownConversation + `
    and x.outcome = 'written' and x.window_tokens >= @window
order by x.to_seq desc, x.compaction_id desc
limit 1`

	sqlWindowGoal = `
select ` + wholeMessage + `
from messages m
where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = ` + ownConversation + ` and m.role = 'user'
order by m.seq
limit 1`

	// Sums sizes in chunks, newest first, until no more fits: a conversation may be longer than any window.
	sqlWindowMessages = `
with recursive chunks as (
    select @last::bigint + 1 as edge, 0::bigint as total
    union all
    select k.edge - 500, k.total + coalesce((
        select sum(` + messageBytes + `)
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = @uid
            and m.seq > @after and m.seq >= k.edge - 500 and m.seq < k.edge), 0)::bigint
    from chunks k
    where k.total <= @max and k.edge > @after::bigint + 1
)
select ` + wholeMessage + `
from (
    select m.*, sum(` + messageBytes + `) over (order by m.seq desc rows unbounded preceding) as total
    from messages m
    where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = @uid
        and m.seq > @after and m.seq >= (select min(edge) from chunks)
) m
where m.total <= @max or m.seq = @last
order by m.seq`

	sqlWindowUnflushed = `
select coalesce(sum(` + messageBytes + `), 0)::bigint
from (
    select *
    from messages
    where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and seq > @accounted
    order by seq desc
    limit @rows
) m`
)

// LoadWindow reads the content of a context window at one moment, in two round trips; one when there is no conversation. Facts that
// are older than their documents are derived first, which takes more. It does not find a conversation of another owner.
func (s *Talk) LoadWindow(ctx context.Context, id memory.Identity, r WindowRequest) (WindowLoad, error) {
	if err := pg.RequireAgent(id); err != nil {
		return WindowLoad{}, err
	}
	load, late, err := s.loadWindow(ctx, id, r)
	if err != nil || len(late) == 0 {
		return load, err
	}
	derived, problem := facts.CatchUpSoon(ctx, facts.New(s.db), id, late)
	if problem == nil && derived {
		load, _, err = s.loadWindow(ctx, id, r)
	}
	load.FactsErr = problem
	return load, err
}

func (s *Talk) loadWindow(ctx context.Context, id memory.Identity, r WindowRequest) (WindowLoad, facts.Late, error) {
	var agent gate.Standing
	var late facts.Late
	load, err := pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (l WindowLoad, err error) {
		b := &pgx.Batch{}
		late = nil
		facts.QueueStanding(b, t, r.Standing, &late)
		gate.QueueStanding(b, t, &agent)
		pg.All(b.Queue(gate.SQLDocumentsOfPrompt, t.Args(nil)), &l.Documents, gate.ScanContent)
		facts.QueueDisagreements(b, t, &l.Disagreements)
		if r.Conversation == "" {
			err := t.Finish(ctx, b)
			return l, err
		}
		indexes.QueueForgotten(b, t, &l.Forgotten)
		args := t.Args(pgx.NamedArgs{"conversation": r.Conversation, "window": r.Window})
		pg.One(b.Queue(sqlWindowConversation, args), &l.Found, &l.Conversation, scanConversation)
		var summarised, wanted bool
		queueCompaction(b, sqlWindowCompaction, args, &l.Compaction, &summarised)
		pg.One(b.Queue(sqlWindowGoal, args), &wanted, &l.Goal, scanWhole)
		if err := t.Send(ctx, b); err != nil {
			return WindowLoad{}, err
		}
		err = l.messages(ctx, t, r)
		return l, err
	})
	if err != nil {
		return WindowLoad{}, nil, err
	}
	load.Documents, err = gate.PromptOf(ctx, s.db, id, agent, load.Documents, time.Time{})
	return load, late, err
}

// messages reads the messages, which depend on the state of the conversation, and commits.
func (l *WindowLoad) messages(ctx context.Context, t *pg.Tx, r WindowRequest) error {
	b := &pgx.Batch{}
	c := l.Conversation
	if l.Found && c.Last > l.Compaction.To {
		pg.All(b.Queue(sqlWindowMessages, t.Args(pgx.NamedArgs{
			"uid": c.UID, "after": l.Compaction.To, "last": c.Last, "max": r.MaxBytes,
		})), &l.Messages, scanWhole)
	}
	if accounted := max(c.Flushed, c.Cursor); accounted < c.Last {
		l.Unflushed = int(c.Last - accounted)
		b.Queue(sqlWindowUnflushed, t.Args(pgx.NamedArgs{"uid": c.UID, "accounted": accounted, "rows": unflushedRows})).
			QueryRow(func(row pgx.Row) error { return row.Scan(&l.UnflushedBytes) })
	}
	if err := t.Finish(ctx, b); err != nil {
		return err
	}
	if n := len(l.Messages); n > 0 && l.Messages[0].Seq > l.Compaction.To+1 {
		l.Older = l.Messages[0].Seq - 1
	}
	return nil
}
