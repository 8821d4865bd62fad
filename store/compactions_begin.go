package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const (
	// What a summary of messages up to one would be made of: the latest summary before it that serves the window, and which
	// messages are behind that. further is a summary that stands for more already, or for the same and was made alike of another one.
	sqlCompactionContents = `
with c as materialized (
    select conversation_uid, flushed_seq
    from conversations
    where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
), previous as materialized (
    select x.compaction_id, x.to_seq, x.content_key
    from compactions x
    where x.workspace_id = @workspace and x.agent_id = @agent and x.conversation_uid = @uid
        and x.outcome = 'written' and x.to_seq < @to and x.window_tokens >= @window
    order by x.to_seq desc, x.compaction_id desc
    limit 1
)
select c.flushed_seq, (select compaction_id from previous), coalesce((select to_seq from previous), 0),
    coalesce((select content_key from previous), ''),
    (
        select sha256(convert_to(string_agg(m.seq || ':' || octet_length(m.message_id) || ':' || m.message_id, ' ' order by m.seq), 'UTF8'))
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = @uid
            and m.seq > coalesce((select to_seq from previous), 0) and m.seq <= @to
    ),
    (
        select x.compaction_id
        from compactions x
        where x.workspace_id = @workspace and x.agent_id = @agent and x.conversation_uid = @uid
            and x.outcome = 'written' and (x.to_seq > @to or x.to_seq = @to and x.maker = @maker) and x.window_tokens >= @window
        order by x.to_seq desc, x.compaction_id desc
        limit 1
    )
from c`

	// Two that ask at once for the same contents have one record. It serves the largest window that it was asked for, and whoever
	// asked last has it in hand until it is finished.
	sqlCompactionInsert = `
insert into compactions (workspace_id, agent_id, compaction_id, owner_key, conversation_id, conversation_uid, content_key, window_tokens,
    previous_id, from_seq, to_seq, done_seq, summary, summary_tokens, trigger_source, outcome, maker, workflow_id, run_id, started_at)
select @workspace, @agent, @compaction, c.owner_key, c.conversation_id, c.conversation_uid, @content_key, @window,
    @previous, @from::bigint, @to::bigint, @from::bigint - 1,
    coalesce((
        select p.summary
        from compactions p
        where p.workspace_id = @workspace and p.agent_id = @agent and p.compaction_id = @previous), ''),
    coalesce((
        select p.summary_tokens
        from compactions p
        where p.workspace_id = @workspace and p.agent_id = @agent and p.compaction_id = @previous), 0),
    @trigger, 'running', @maker, @workflow, @run, @now
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = @uid and c.owner_key = @owner
    and c.flushed_seq >= @to
on conflict (content_key, conversation_uid, workspace_id, agent_id) do update set
    window_tokens = greatest(compactions.window_tokens, excluded.window_tokens),
    workflow_id = case when compactions.finished_at is null then excluded.workflow_id else compactions.workflow_id end,
    run_id = case when compactions.finished_at is null then excluded.run_id else compactions.run_id end`

	sqlCompactionOfContent = compactionRows + `and x.conversation_uid = @uid and x.content_key = @content_key`
)

// BeginCompaction opens a compaction, or finds the one that was made or is being made of the same contents: the same messages
// behind the same previous summary, by the same maker, as long. One that stands for more and serves the window is found as well.
// What is found serves the window of r from then on. One that is open is in the hands of the identity's workflow and run
// afterwards; a run that had it before may go on, since whatever it saves is a summary of the same messages.
//
// It returns *ConflictError with CodeNotFlushed when messages up to r.To are not flushed. It costs three round trips.
func (s *Store) BeginCompaction(ctx context.Context, id memory.Identity, r CompactionRequest) (Compaction, error) {
	if err := requireOwner(id); err != nil {
		return Compaction{}, err
	}
	if err := requireWrite(id); err != nil {
		return Compaction{}, err
	}
	if err := r.validate(); err != nil {
		return Compaction{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (Compaction, error) {
		contents, err := r.contents(ctx, t)
		if err != nil {
			return Compaction{}, err
		}
		var c Compaction
		var found bool
		b := &pgx.Batch{}
		if contents.further.Valid {
			queueCompaction(b, sqlCompaction, t.args(pgx.NamedArgs{"compaction": contents.further.UUID}), &c, &found)
		} else {
			key := contents.key(r)
			args := t.args(pgx.NamedArgs{
				"uid": r.Conversation, "compaction": newID(), "content_key": key[:], "window": r.Settings.Window,
				"previous": contents.previous, "from": contents.previousTo + 1, "to": r.To, "trigger": r.Trigger, "maker": r.maker(),
				"workflow": id.Author.WorkflowID, "run": id.Author.RunID,
			})
			b.Queue(sqlCompactionInsert, args)
			queueCompaction(b, sqlCompactionOfContent, args, &c, &found)
		}
		if err := t.send(ctx, b); err != nil {
			return Compaction{}, err
		}
		if !found { // flushed_seq never goes back
			return Compaction{}, notFlushed(r.To, contents.flushed)
		}
		return finishCompaction(ctx, t, c)
	})
}

// maker names what writes the summary, and how long it may be.
func (r CompactionRequest) maker() string {
	return fmt.Sprintf("%s, %d tokens", r.Maker, r.Settings.SummaryMaxTokens)
}

// validate checks a request. A maker names words and an engine.
func (r CompactionRequest) validate() error {
	switch {
	case r.To < 1:
		return &InvalidError{Field: "to", Problem: "name the last message to summarise; the first is 1"}
	case !r.Trigger.Valid():
		return &InvalidError{Field: "trigger", Problem: "use turn, overflow or request"}
	case r.Settings.Window < 1:
		return &InvalidError{Field: "window", Problem: "say how many tokens the window has"}
	case r.Settings.SummaryMaxTokens < 1:
		return &InvalidError{Field: "summaryMaxTokens", Problem: "say how many tokens the summary may have"}
	case r.Maker == "":
		return &InvalidError{Field: "maker", Problem: "name what writes the summary"}
	}
	return validText("maker", r.Maker, maxName)
}

// summaryContents is what a summary would be made of.
type summaryContents struct {
	flushed     int64
	previous    uuid.NullUUID
	previousTo  int64
	previousKey []byte // empty: there is no previous one
	messages    []byte // digest of the ids behind it
	further     uuid.NullUUID
}

// contents reads what r would be made of, and checks that all of it is flushed.
func (r CompactionRequest) contents(ctx context.Context, t *tx) (c summaryContents, err error) {
	found := false
	b := &pgx.Batch{}
	args := t.args(pgx.NamedArgs{"uid": r.Conversation, "to": r.To, "window": r.Settings.Window, "maker": r.maker()})
	one(b.Queue(sqlCompactionContents, args), &found, func(row pgx.CollectableRow) error {
		return row.Scan(&c.flushed, &c.previous, &c.previousTo, &c.previousKey, &c.messages, &c.further)
	})
	if err := t.send(ctx, b); err != nil {
		return summaryContents{}, err
	}
	switch {
	case !found:
		return summaryContents{}, fmt.Errorf("conversation %s: %w", r.Conversation, ErrNotFound)
	case c.flushed < r.To:
		return summaryContents{}, notFlushed(r.To, c.flushed)
	}
	return c, nil
}

// key chains the previous summary's key, the messages, and what else decides how the summary turns out.
func (c summaryContents) key(r CompactionRequest) [sha256.Size]byte {
	var chain []byte
	for _, part := range [][]byte{
		c.previousKey, c.messages, []byte(r.Maker), binary.BigEndian.AppendUint64(nil, uint64(r.Settings.SummaryMaxTokens)),
	} {
		chain = binary.BigEndian.AppendUint64(chain, uint64(len(part)))
		chain = append(chain, part...)
	}
	return sha256.Sum256(chain)
}

func notFlushed(to, flushed int64) error {
	return &ConflictError{
		Code:    CodeNotFlushed,
		Message: fmt.Sprintf("messages up to %d cannot be summarised away: they are saved up to %d", to, flushed),
	}
}
