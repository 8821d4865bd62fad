package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// ExtractionLoad is what one step of an extraction needs.
type ExtractionLoad struct {
	Agent        Agent
	Conversation Conversation
	Today        time.Time        // now, in the agent's time zone
	Scope        memory.Scope     // of the documents to write: PERSONAL, or TEAM without isolation and for SystemOwner
	Messages     []memory.Message // From..To of this step, every role; what tools and the system said is left out
	// Latest are the last user message and the last assistant message of the whole range, for the gates.
	Latest []memory.Message
	// ConversationMessages counts the user and assistant messages of the conversation up to the end of the whole range.
	ConversationMessages int
	// Profile, Memory and Note (today's) are of Scope; Version is 0 when there is none, and Content is empty when it is deleted.
	Profile, Memory, Note memory.Document
	Shared                string   // content of the TEAM MEMORY.md when Scope is PERSONAL
	Protected             []string // lines of Profile and Memory that a person wrote
	To                    int64    // end of this step
	Last                  bool     // the step ends where the range ends
}

// stepWindow bounds how many messages of a range are looked at to find the end of a step. Of a longer range the rest comes
// with later steps.
const stepWindow = 5000

const (
	// Which messages count for a transcript, without their contents. A long one is taken to be not blank unread.
	sqlStepMessages = `
select seq, role, case when octet_length(content) > 500 or content ~ '\S' then 'x' else '' end
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq between @from and @to
order by seq
limit @window`

	sqlSpokenCount = `
select count(*)
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq <= @to and role in ('user', 'assistant')`

	sqlLatestMessages = `
select l.seq, l.message_id, l.role, l.name, l.content, l.finish_reason, l.said_at
from unnest(array['user', 'assistant']) r (role)
cross join lateral (
    select *
    from messages m
    where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = @uid and m.owner_key = @owner
        and m.seq between @from and @to and m.role = r.role
    order by m.seq desc
    limit 1
) l
order by l.seq`

	sqlRangeMessages = `
select seq, message_id, role, name, case when role in ('user', 'assistant') then content else '' end, finish_reason, said_at
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq between @from and @to
order by seq`

	// Documents that an extraction reads, deleted ones included: it may write them again.
	sqlExtractionDocuments = documentColumns + `octet_length(v.content), v.content, d.person_lines` + documentRows + `
    and (d.scope = @scope and d.owner_key = @whose and d.path = any (@paths) or d.scope = 'TEAM' and d.path = any (@shared_paths))`
)

// LoadExtraction reads what the first step of r needs: as many messages from r.From on as fit one transcript
// (memory.Steps), and the documents as they are now. It costs two round trips, since where the step ends and which daily
// note is today's depend on what the first one finds.
func (s *Store) LoadExtraction(ctx context.Context, id memory.Identity, r Range, settings memory.ExtractSettings) (ExtractionLoad, error) {
	if err := requireOwner(id); err != nil {
		return ExtractionLoad{}, err
	}
	return read(ctx, s, id, func(t *tx) (ExtractionLoad, error) {
		l := loading{t: t, r: r}
		l.Scope = memory.ScopePersonal
		if !settings.OwnerIsolation || id.Owner == memory.SystemOwner {
			l.Scope = memory.ScopeTeam
		}
		if err := l.first(ctx); err != nil {
			return ExtractionLoad{}, err
		}
		if err := l.plan(settings); err != nil {
			return ExtractionLoad{}, err
		}
		err := l.second(ctx)
		return l.ExtractionLoad, err
	})
}

// loading is an ExtractionLoad on its way.
type loading struct {
	ExtractionLoad
	t      *tx
	r      Range
	window []memory.Message // roles and whether something was said, no contents
}

func (l *loading) args(more pgx.NamedArgs) pgx.NamedArgs {
	args := l.t.args(more)
	args["uid"], args["from"], args["scope"], args["whose"] = l.r.ConversationUID, l.r.From, l.Scope, memory.NoOwner
	if l.Scope == memory.ScopePersonal {
		args["whose"] = l.t.id.Owner
	}
	return args
}

// first reads everything that does not depend on where the step ends.
func (l *loading) first(ctx context.Context) error {
	var agent, conversation bool
	args := l.args(pgx.NamedArgs{
		"to": l.r.To, "window": stepWindow,
		"paths": []string{memory.ProfilePath, memory.MemoryPath}, "shared_paths": []string{memory.MemoryPath},
	})
	b := &pgx.Batch{}
	one(b.Queue(sqlAgent, args), &agent, func(row pgx.CollectableRow) (err error) { l.Agent, err = scanAgent(row); return err })
	one(b.Queue(sqlConversationByUID, args), &conversation, func(row pgx.CollectableRow) (err error) {
		l.Conversation, err = scanConversation(row)
		return err
	})
	all(b.Queue(sqlStepMessages, args), &l.window, func(row pgx.CollectableRow) (m memory.Message, err error) {
		err = row.Scan(&m.Seq, &m.Role, &m.Content)
		return m, err
	})
	b.Queue(sqlSpokenCount, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.ConversationMessages) })
	all(b.Queue(sqlLatestMessages, args), &l.Latest, scanMessage)
	l.queueDocuments(b, args)
	if err := l.t.send(ctx, b); err != nil {
		return err
	}
	switch {
	case !agent:
		return fmt.Errorf("agent %s: %w", l.t.id.Agent, ErrNotFound)
	case !conversation || len(l.window) == 0:
		return fmt.Errorf("messages %d to %d of conversation %s: %w", l.r.From, l.r.To, l.r.ConversationUID, ErrNotFound)
	}
	return nil
}

// plan finds out which day it is for the agent, and where the step ends.
func (l *loading) plan(settings memory.ExtractSettings) error {
	zone, err := l.Agent.Location()
	if err != nil {
		return fmt.Errorf("agent %s: %w", l.t.id.Agent, err)
	}
	l.Today = l.t.now.In(zone)
	l.To = memory.Steps(l.window, settings)[0][1]
	l.Last = l.To >= l.r.To
	return nil
}

// second reads the messages of the step and today's note.
func (l *loading) second(ctx context.Context) error {
	args := l.args(pgx.NamedArgs{
		"to": l.To, "paths": []string{memory.DailyNotePath(l.Today)}, "shared_paths": []string{},
	})
	b := &pgx.Batch{}
	all(b.Queue(sqlRangeMessages, args), &l.Messages, scanMessage)
	l.queueDocuments(b, args)
	return l.t.finish(ctx, b)
}

// queueDocuments queues reading documents into the fields that they belong to.
func (l *loading) queueDocuments(b *pgx.Batch, args pgx.NamedArgs) {
	found := false
	one(b.Queue(sqlExtractionDocuments, args), &found, func(row pgx.CollectableRow) error {
		var person []string
		e, err := scanDocumentAnd(row, &person)
		if err != nil {
			return err
		}
		d := e.Document
		if d.Deleted {
			person = nil // there is nothing left to protect
		}
		switch {
		case d.Scope != l.Scope:
			l.Shared = d.Content
		case d.Path == memory.ProfilePath:
			l.Profile = d
			l.Protected = append(l.Protected, person...)
		case d.Path == memory.MemoryPath:
			l.Memory = d
			l.Protected = append(l.Protected, person...)
		default:
			l.Note = d
		}
		return nil
	})
}
