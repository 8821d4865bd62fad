package talk

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	statements "reverie/facts"
	"reverie/language/script"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/pg"
)

// ExtractionLoad is the input of one step of an extraction.
type ExtractionLoad struct {
	Agent        gate.Agent
	Conversation Conversation
	// Today is the time of the last message of the step in the agent's time zone: a step lies within one day. It is never after
	// the current time.
	Today    time.Time
	Scope    memory.Scope     // of the documents to write: PERSONAL, or TEAM without isolation and for SystemOwner
	Messages []memory.Message // From..To of this step, of every role, without contents of tools, the system and revoked sources
	// Before are the transcripts.ContextMessages messages before those of the step, in the same form.
	Before []memory.Message
	// Latest are the last assistant message of the whole range and the last user message in it that has MinUserChars characters, which
	// open the gate: "thanks!" at the end must not hide what was said before it.
	Latest []memory.Message
	// ConversationMessages counts the user and assistant messages of the conversation up to the end of the whole range.
	ConversationMessages int
	// Profile, Memory and Note (today's) are of Scope. Version is 0 when there is none, and Content is empty when it is deleted.
	Profile, Memory, Note memory.Document
	Shared                string   // content of the TEAM MEMORY.md when Scope is PERSONAL
	Protected             []string // lines of Profile and Memory that a person wrote
	// Noted is the step of a flush that has noted these messages; nil: none has. A step of an extraction is noted as a whole or
	// not at all.
	Noted *Noted
	// Disagreements are statements of memory that cannot both hold, shown or not.
	Disagreements statements.Disagreements

	To   int64 // end of this step
	Last bool  // the step ends where the range ends
}

// Noted is the text that a flush wrote of messages before an extraction comes to them.
type Noted struct {
	Flush    uuid.UUID
	Fallback bool            // rules wrote it in place of a model
	Note     memory.Document // that it was written to, as it is now
	// Entries are the texts that it appended, one for each step of the flush that lies wholly in this step of the extraction.
	Entries []string
}

// stepWindow bounds the messages that are read to find the end of a step. The rest of a longer range comes with later steps.
const stepWindow = 5000

const (
	// Reads which messages count for a transcript, without their contents. A long message is assumed not to be blank.
	sqlStepMessages = `
select seq, role, case when revoked_at is null and (octet_length(content) > 500 or content ~ '\S') then 'x' else '' end, said_at
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq between @from and @to
order by seq
limit @window`

	sqlSpokenCount = `
select count(*)
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq <= @to and role in ('user', 'assistant') and revoked_at is null`

	// The length of a user's message is transcripts.Length, counted here so that only one content is read, and no further than to the
	// first message that is long enough. The number of bytes is an upper bound, the number of characters a lower one, so that a pattern
	// is rarely needed.
	sqlLatestMessages = `
(
    select seq, message_id, role, name, content, finish_reason, said_at
    from messages
    where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
        and seq between @from and @to and role = 'user' and revoked_at is null
        and octet_length(content) >= @length
        and case
            when char_length(btrim(content, @blank)) >= @length then true
            else char_length(btrim(content, @blank)) + 2 * char_length(regexp_replace(content, @narrow, '', 'g')) >= @length
        end
    order by seq desc
    limit 1
) union all (
    select seq, message_id, role, name, content, finish_reason, said_at
    from messages
    where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
        and seq between @from and @to and role = 'assistant' and revoked_at is null
    order by seq desc
    limit 1
)
order by seq`

	// Of messages whose source was revoked there are no contents.
	sqlRangeMessages = `
select seq, message_id, role, name, case when role in ('user', 'assistant') and revoked_at is null then content else '' end, finish_reason,
    said_at
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq between @from and @to
order by seq`

	sqlRangeRevoked = `
select count(*)
from messages
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and seq between @from and @to and revoked_at is not null`
)

// Characters as transcripts.Length distinguishes them.
var (
	blank  = characters("", unicode.White_Space)
	narrow = "[^" + characters("-", script.EastAsian...) + "]+" // a pattern of PostgreSQL
)

// characters returns the first and the last character of each range of tables, or with an empty mark all characters.
func characters(mark string, tables ...*unicode.RangeTable) string {
	var b strings.Builder
	add := func(lo, hi, stride rune) {
		if mark != "" && stride == 1 && lo < hi {
			b.WriteString(string(lo) + mark + string(hi))
			return
		}
		for r := lo; r <= hi; r += stride {
			b.WriteRune(r)
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return b.String()
}

// LoadExtraction reads the input of the first step of r: as many messages from r.From on as fit one transcript (memory.Steps), and
// the current documents. It costs two round trips, because the end of the step and the date of the daily note depend on the first
// one.
func (s *Talk) LoadExtraction(ctx context.Context, id memory.Identity, r Range, settings setting.ExtractSettings) (ExtractionLoad, error) {
	if err := pg.RequireOwner(id); err != nil {
		return ExtractionLoad{}, err
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) (ExtractionLoad, error) {
		l := loading{t: t, r: r}
		l.Scope = scopeOf(id, settings)
		if err := l.first(ctx, settings); err != nil {
			return ExtractionLoad{}, err
		}
		if err := l.plan(settings); err != nil {
			return ExtractionLoad{}, err
		}
		err := l.second(ctx)
		return l.ExtractionLoad, err
	})
}

// scopeOf returns the scope of the documents that an owner's conversations are written to.
func scopeOf(id memory.Identity, settings setting.ExtractSettings) memory.Scope {
	if !settings.OwnerIsolation || id.Owner == memory.SystemOwner {
		return memory.ScopeTeam
	}
	return memory.ScopePersonal
}

// loading builds an ExtractionLoad.
type loading struct {
	ExtractionLoad
	t      *pg.Tx
	r      Range
	window []memory.Message // roles and whether something was said, no contents
	parts  []notedPart      // steps of flushes that wrote parts of the range
	noted  *notedAs         // of the step; nil: no flush has
}

func (l *loading) args(to int64) pgx.NamedArgs {
	return l.t.Args(pgx.NamedArgs{"uid": l.r.ConversationUID, "from": l.r.From, "to": to, "window": stepWindow})
}

// first reads everything that does not depend on the end of the step.
func (l *loading) first(ctx context.Context, settings setting.ExtractSettings) error {
	var agent, conversation bool
	var profile, notes []string
	args := l.args(l.r.To)
	b := &pgx.Batch{}
	pg.One(b.Queue(gate.SQLAgent, args), &agent, &l.Agent, gate.ScanAgent)
	pg.One(b.Queue(sqlConversationByUID, args), &conversation, &l.Conversation, scanConversation)
	pg.All(b.Queue(sqlStepMessages, args), &l.window, func(row pgx.CollectableRow) (m memory.Message, err error) {
		err = row.Scan(&m.Seq, &m.Role, &m.Content, &m.CreatedAt)
		return m, err
	})
	pg.All(b.Queue(sqlNotedParts, args), &l.parts, scanNotedPart)
	b.Queue(sqlSpokenCount, args).QueryRow(func(row pgx.Row) error { return row.Scan(&l.ConversationMessages) })
	latest := l.args(l.r.To)
	latest["length"], latest["blank"], latest["narrow"] = settings.MinUserChars, blank, narrow
	pg.All(b.Queue(sqlLatestMessages, latest), &l.Latest, pg.ScanMessage)
	gate.QueueDocument(b, l.t, l.Scope, memory.ProfilePath, &l.Profile, &profile)
	gate.QueueDocument(b, l.t, l.Scope, memory.MemoryPath, &l.Memory, &notes)
	var err error
	if l.Shared, err = sendShared(ctx, l.t, b, l.Scope); err != nil {
		return err
	}
	l.Protected = append(profile, notes...)
	switch {
	case !agent:
		return fmt.Errorf("agent %s: %w", l.t.ID.Agent, pg.ErrNotFound)
	case !conversation || len(l.window) == 0:
		return fmt.Errorf("messages %d to %d of conversation %s: %w", l.r.From, l.r.To, l.r.ConversationUID, pg.ErrNotFound)
	}
	return nil
}

// sendShared sends a batch, which reads the team's MEMORY.md too if documents are of one person, and returns its contents.
func sendShared(ctx context.Context, t *pg.Tx, b *pgx.Batch, scope memory.Scope) (shared string, err error) {
	var team memory.Document
	if scope == memory.ScopePersonal {
		gate.QueueDocument(b, t, memory.ScopeTeam, memory.MemoryPath, &team, nil)
	}
	err = t.Send(ctx, b)
	return team.Content, err
}

// zoneOf returns the time zone of an agent.
func zoneOf(t *pg.Tx, agent gate.Agent) (*time.Location, error) {
	zone, err := agent.Location()
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", t.ID.Agent, err)
	}
	return zone, nil
}

// plan determines the agent's date and the end of the step.
func (l *loading) plan(settings setting.ExtractSettings) error {
	zone, err := zoneOf(l.t, l.Agent)
	if err != nil {
		return err
	}
	l.Today = l.t.Now.In(zone)
	l.window = firstDay(l.window, zone)
	l.To, l.noted = stepEnd(l.window, l.parts, settings)
	l.Today = lastSaid(upTo(l.window, l.To), l.Today)
	l.Last = l.To >= l.r.To
	return nil
}

// second reads the messages of the step, today's note, and the entries of a flush.
func (l *loading) second(ctx context.Context) error {
	b := &pgx.Batch{}
	queueMessages(b, l.t, l.r.ConversationUID, l.r.From, l.To, &l.Before, &l.Messages)
	if l.noted != nil {
		l.Noted = &Noted{Flush: l.noted.flush, Fallback: l.noted.fallback}
		pg.All(b.Queue(sqlNotedEntries, l.args(l.To)), &l.Noted.Entries, pgx.RowTo[string])
		gate.QueueDocument(b, l.t, l.noted.note.Scope, l.noted.note.Path, &l.Noted.Note, nil)
	}
	gate.QueueDocument(b, l.t, l.Scope, memory.DailyNotePath(l.Today), &l.Note, nil)
	facts.QueueDisagreements(b, l.t, &l.Disagreements)
	return l.t.Finish(ctx, b)
}

// queueMessages reads the messages of a step and those before it.
func queueMessages(b *pgx.Batch, t *pg.Tx, conversation uuid.UUID, from, to int64, before, step *[]memory.Message) {
	args := func(from, to int64) pgx.NamedArgs {
		return t.Args(pgx.NamedArgs{"uid": conversation, "from": from, "to": to})
	}
	if from > 1 {
		pg.All(b.Queue(sqlRangeMessages, args(from-transcripts.ContextMessages, from-1)), before, pg.ScanMessage)
	}
	pg.All(b.Queue(sqlRangeMessages, args(from, to)), step, pg.ScanMessage)
}

const (
	// Steps of flushes that overlap a range, oldest first, without their entries.
	sqlNotedParts = `
select flush_id, from_seq, to_seq, fallback, scope, path
from flush_steps
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and from_seq <= @to and to_seq >= @from and outcome = 'written'
order by from_seq
limit @window`

	sqlNotedEntries = `
select entry
from flush_steps
where workspace_id = @workspace and agent_id = @agent and conversation_uid = @uid and owner_key = @owner
    and from_seq >= @from and to_seq <= @to and outcome = 'written'
order by from_seq`
)

// notedPart is a step of a flush that has written to a note.
type notedPart struct {
	from, to int64
	notedAs
}

// notedAs is common to the parts of one Noted.
type notedAs struct {
	flush    uuid.UUID
	fallback bool
	note     memory.Ref
}

func scanNotedPart(row pgx.CollectableRow) (p notedPart, err error) {
	err = row.Scan(&p.flush, &p.from, &p.to, &p.fallback, &p.note.Scope, &p.note.Path)
	return p, err
}

// stepEnd returns the end of the step that begins with the first message of a window, and the flush that noted it; nil: none did. A
// step lies wholly within one noted part, or wholly outside. Within one, it takes whole steps of the flush, as many as fit one
// transcript, if one fits and begins there: entries of the built-in rules are replaced as a whole or not at all.
func stepEnd(window []memory.Message, parts []notedPart, settings setting.ExtractSettings) (int64, *notedAs) {
	first := window[0].Seq
	if len(parts) == 0 || first < parts[0].from {
		if len(parts) > 0 {
			window = upTo(window, parts[0].from-1)
		}
		return transcripts.Steps(window, settings)[0][1], nil
	}
	as := parts[0].notedAs
	alike := 1
	for alike < len(parts) && parts[alike].notedAs == as && parts[alike].from == parts[alike-1].to+1 {
		alike++
	}
	if parts[0].from == first {
		if to := wholeParts(window, parts[:alike], settings); to > 0 {
			return to, &as
		}
	}
	return transcripts.Steps(upTo(window, parts[0].to), settings)[0][1], &as // a piece of a part
}

// wholeParts returns the end of the last part that fits a transcript together with those before it; 0: none does.
func wholeParts(window []memory.Message, parts []notedPart, settings setting.ExtractSettings) int64 {
	var fits int64
	for _, p := range parts {
		taken := upTo(window, p.to)
		if taken[len(taken)-1].Seq != p.to || len(transcripts.Steps(taken, settings)) != 1 {
			break
		}
		fits = p.to
	}
	return fits
}

// firstDay returns the first messages, as long as they are of one day, so that messages are written to the note of their day,
// however late they are stored: an imported conversation may span months.
func firstDay(messages []memory.Message, zone *time.Location) []memory.Message {
	day := messages[0].CreatedAt.In(zone).Format(time.DateOnly)
	for i, m := range messages {
		if m.CreatedAt.In(zone).Format(time.DateOnly) != day {
			return messages[:i]
		}
	}
	return messages
}

// lastSaid returns the time of the last message in the zone of now. It is never after now, so that no note of a future day is
// written.
func lastSaid(messages []memory.Message, now time.Time) time.Time {
	said := messages[len(messages)-1].CreatedAt.In(now.Location())
	if said.After(now) {
		return now
	}
	return said
}
