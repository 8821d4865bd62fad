package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// ExtractionLoad is what one step of an extraction needs.
type ExtractionLoad struct {
	Agent        Agent
	Conversation Conversation
	// Today is now, and for a conversation that was moved in the day of the last message of the step, in the agent's time zone.
	Today    time.Time
	Scope    memory.Scope     // of the documents to write: PERSONAL, or TEAM without isolation and for SystemOwner
	Messages []memory.Message // From..To of this step, every role; what tools and the system said is left out
	// Latest are the last user message and the last assistant message of the whole range, for the gates.
	Latest []memory.Message
	// ConversationMessages counts the user and assistant messages of the conversation up to the end of the whole range.
	ConversationMessages int
	// Profile, Memory and Note (today's) are of Scope; Version is 0 when there is none, and Content is empty when it is deleted.
	Profile, Memory, Note memory.Document
	Shared                string   // content of the TEAM MEMORY.md when Scope is PERSONAL
	Protected             []string // lines of Profile and Memory that a person wrote
	// Noted is the step of a flush that has noted these messages; nil: none has. A step of an extraction is noted as a whole or
	// not at all.
	Noted *Noted
	To    int64 // end of this step
	Last  bool  // the step ends where the range ends
}

// Noted is what a flush wrote of messages that an extraction comes to later.
type Noted struct {
	Flush    uuid.UUID
	Fallback bool            // rules wrote it in place of a model
	Note     memory.Document // that it was written to, as it is now
	// Entries are what it appended, step by step; of a step of the flush that is not wholly in this step of the extraction, nothing.
	Entries []string
}

// stepWindow bounds how many messages of a range are looked at to find the end of a step. Of a longer range the rest comes
// with later steps.
const stepWindow = 5000

const (
	// Which messages count for a transcript, without their contents. A long one is taken to be not blank unread.
	sqlStepMessages = `
select seq, role, case when octet_length(content) > 500 or content ~ '\S' then 'x' else '' end, said_at
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
	sqlExtractionDocument = documentColumns + `octet_length(v.content), v.content, d.person_lines
from documents d ` + currentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and d.path = @path`
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
		l.Scope = scopeOf(id, settings)
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

// scopeOf is the scope of the documents that are written of an owner's conversations.
func scopeOf(id memory.Identity, settings memory.ExtractSettings) memory.Scope {
	if !settings.OwnerIsolation || id.Owner == memory.SystemOwner {
		return memory.ScopeTeam
	}
	return memory.ScopePersonal
}

// loading is an ExtractionLoad on its way.
type loading struct {
	ExtractionLoad
	t      *tx
	r      Range
	window []memory.Message // roles and whether something was said, no contents
	parts  []notedPart      // what flushes have written of the range
	noted  *notedAs         // of the step; nil: no flush has
}

func (l *loading) args(to int64) pgx.NamedArgs {
	return l.t.args(pgx.NamedArgs{"uid": l.r.ConversationUID, "from": l.r.From, "to": to, "window": stepWindow})
}

// first reads everything that does not depend on where the step ends.
func (l *loading) first(ctx context.Context) error {
	var agent, conversation bool
	var profile, notes, shared person
	args := l.args(l.r.To)
	b := &pgx.Batch{}
	one(b.Queue(sqlAgent, args), &agent, func(row pgx.CollectableRow) (err error) { l.Agent, err = scanAgent(row); return err })
	one(b.Queue(sqlConversationByUID, args), &conversation, func(row pgx.CollectableRow) (err error) {
		l.Conversation, err = scanConversation(row)
		return err
	})
	all(b.Queue(sqlStepMessages, args), &l.window, func(row pgx.CollectableRow) (m memory.Message, err error) {
		err = row.Scan(&m.Seq, &m.Role, &m.Content, &m.CreatedAt)
		return m, err
	})
	all(b.Queue(sqlNotedParts, args), &l.parts, scanNotedPart)
	b.Queue(sqlSpokenCount, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.ConversationMessages) })
	all(b.Queue(sqlLatestMessages, args), &l.Latest, scanMessage)
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
	l.Protected = append(profile, notes...)
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
	if l.Conversation.Trigger == memory.TriggerImport {
		l.window = firstDay(l.window, zone)
	}
	l.To, l.noted = stepEnd(l.window, l.parts, settings)
	if l.Conversation.Trigger == memory.TriggerImport {
		l.Today = lastSaid(upTo(l.window, l.To), l.Today)
	}
	l.Last = l.To >= l.r.To
	return nil
}

// second reads the messages of the step, today's note, and what a flush has noted.
func (l *loading) second(ctx context.Context) error {
	var note, noted person
	b := &pgx.Batch{}
	all(b.Queue(sqlRangeMessages, l.args(l.To)), &l.Messages, scanMessage)
	if l.noted != nil {
		l.Noted = &Noted{Flush: l.noted.flush, Fallback: l.noted.fallback}
		all(b.Queue(sqlNotedEntries, l.args(l.To)), &l.Noted.Entries, pgx.RowTo[string])
		queueDocument(b, l.t, l.noted.note.Scope, l.noted.note.Path, &l.Noted.Note, &noted)
	}
	queueDocument(b, l.t, l.Scope, memory.DailyNotePath(l.Today), &l.Note, &note)
	return l.t.finish(ctx, b)
}

// person are the lines of a document that a person wrote.
type person []string

// queueDocument queues reading a document, deleted or not, with the lines that a person wrote.
func queueDocument(b *pgx.Batch, t *tx, scope memory.Scope, path string, to *memory.Document, lines *person) {
	found := false
	args := t.args(pgx.NamedArgs{"scope": scope, "whose": rowOwner(t.id, scope), "path": path})
	one(b.Queue(sqlExtractionDocument, args), &found,
		func(row pgx.CollectableRow) error {
			e, err := scanDocumentAnd(row, (*[]string)(lines))
			if e.Deleted {
				*lines = nil // there is nothing left to protect
			}
			*to = e.Document
			return err
		})
}
