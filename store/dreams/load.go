package dreams

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// DreamLoad is the input of light sleep.
type DreamLoad struct {
	Dream    Dream
	AsOf     time.Time // the end of the window, in the agent's time zone
	From     dream.Day // the first day of the window
	Scope    memory.Scope
	Notes    []DreamNote
	Sessions []DreamSession
	Recalls  []Recalled
	States   []dream.State
	News     int64 // the mark of the owner's news, read before anything else; 0: there may be later news
}

// DreamNote is a daily note of the window with the origin of its lines.
type DreamNote struct {
	memory.Document
	Day   dream.Day
	Lines []memory.BlameLine // one for each line of Content
}

// DreamSession are the messages of one conversation within the window, oldest first.
type DreamSession struct {
	Conversation    string
	ConversationUID uuid.UUID
	Messages        []memory.Message
}

// Limits of the input of one dream; the newest rows are taken.
const (
	MaxDreamNotes    = 100  // daily notes
	MaxDreamMessages = 2000 // messages of the user and the assistant
	MaxDreamRecalls  = 5000 // search results that were used
	MaxDreamStates   = 2000 // statements of earlier dreams
	// dreamConversations bounds the conversations of the window, and dreamWindow the messages read of each.
	dreamConversations = 500
	dreamWindow        = 5000 // messages, of every role
	// DreamVersions and dreamHistoryBytes bound the histories that show the origin of lines. The origin of an older line is
	// unknown.
	DreamVersions     = 200
	dreamHistoryBytes = 32 << 20
	DreamMessageBytes = 8 << 20
	// recallDays is the age up to which recalls count, and StatesDays the age up to which an open statement is remembered without
	// being seen again.
	recallDays = 30
	StatesDays = 90
)

// LoadDream reads the input of a dream: the daily notes (memory/YYYY-MM-DD*.md) and messages of the days of its settings, organic
// recalls of 30 days with the older daily notes that they found, and states. A replay reads what its original had pinned, at those
// versions, with the states of then. Conversations caused by the system (cron, dream) are left out. The window begins Days before the
// dream's date, so that a night at 02:00 covers that many whole days.
//
// It reads one snapshot, in two round trips. A dream that has ended is returned without input.
func (s *Dreaming) LoadDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (DreamLoad, error) {
	if err := pg.RequireOwner(id); err != nil {
		return DreamLoad{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (DreamLoad, error) {
		l := dreamLoading{dreamBase: dreamBase{t: t}}
		if err := l.first(ctx, dreamID); err != nil {
			return DreamLoad{}, err
		}
		if !l.Dream.Open() {
			return DreamLoad{Dream: l.Dream, Scope: l.Dream.Scope}, nil
		}
		return l.second(ctx)
	})
}

// dreamBase is common to reads for a dream.
type dreamBase struct {
	t        *pg.Tx
	Dream    Dream
	Agent    gate.Agent
	now      time.Time // in the agent's time zone
	mark     int64
	saved    []dream.State // with which the dream was staged, or its original
	original *Dream        // of a replay
}

const (
	sqlDreamSaved = `
select x.states
from dreams x
where x.workspace_id = @workspace and x.agent_id = @agent and x.dream_id = @dream and x.owner_key = @owner`

	// The dream that this one repeats, if it is a replay.
	sqlDreamOriginal = dreamColumns + `'', '', x.states` + dreamFrom + `
    and x.owner_key = @owner and x.dream_id = (
        select r.replay_of
        from dreams r
        where r.workspace_id = @workspace and r.agent_id = @agent and r.dream_id = @dream)`
)

// first reads the dream, its agent, and its original if it is a replay.
func (l *dreamBase) first(ctx context.Context, dreamID uuid.UUID) error {
	var agent, found, marked, repeats bool
	var original Dream
	var states []dream.State
	args := l.t.Args(pgx.NamedArgs{"dream": dreamID})
	b := &pgx.Batch{}
	pg.Columns(b.Queue(sqlNewsMark, args), &marked, &l.mark)
	pg.One(b.Queue(gate.SQLAgent, args), &agent, &l.Agent, gate.ScanAgent)
	queueDream(b, l.t, dreamID, &l.Dream, &found)
	pg.Columns(b.Queue(sqlDreamSaved, args), &found, &l.saved)
	pg.WithRow(b.Queue(sqlDreamOriginal, args), &repeats, func(row pgx.CollectableRow) (err error) {
		original, err = scanDreamAnd(row, &states)
		return err
	})
	if err := l.t.Send(ctx, b); err != nil {
		return err
	}
	switch {
	case !found:
		return noDream(dreamID)
	case !agent:
		return fmt.Errorf("agent %s: %w", l.t.ID.Agent, pg.ErrNotFound)
	case l.Dream.ReplayOf != uuid.Nil && !repeats:
		return noDream(l.Dream.ReplayOf)
	case repeats:
		l.original, l.saved = &original, states
	}
	zone, err := l.Agent.Location()
	if err != nil {
		return fmt.Errorf("agent %s: %w", l.t.ID.Agent, err)
	}
	l.now = l.t.Now.In(zone)
	return nil
}

// asOf returns the time of the dream, in the agent's time zone.
func (l *dreamBase) asOf() time.Time {
	if l.Dream.AsOf.IsZero() {
		return l.now
	}
	return l.Dream.AsOf.In(l.now.Location())
}

// news returns the mark of the news that the dream covers. A dream of a past time does not see what came later, and does not clear
// news. One that has read its input before keeps the mark of then.
func (l *dreamBase) news() int64 {
	if l.asOf().Before(l.now) {
		return l.Dream.Pins.News
	}
	return l.mark
}

// pins returns the references to the dream's input; for a replay, those of its original.
func (l *dreamBase) pins() dream.Pins {
	if l.original != nil {
		return l.original.Pins
	}
	return l.Dream.Pins
}

// recallsUntil returns the time up to which recalls count.
func (l *dreamBase) recallsUntil() time.Time {
	if until := l.pins().RecallsUntil; !until.IsZero() {
		return until
	}
	return l.asOf()
}

// queueRecalls queues reading recalls: for personal memory, those of its owner there and in conversations; for shared memory, those
// of everybody there.
func (l *dreamBase) queueRecalls(b *pgx.Batch, to *[]Recalled) {
	until := l.recallsUntil()
	sql := sqlDreamRecalls
	if l.Dream.Scope == memory.ScopeTeam {
		sql = sqlDreamRecallsShared
	}
	pg.All(b.Queue(sql, l.t.Args(pgx.NamedArgs{
		"since": until.AddDate(0, 0, -recallDays), "until": until, "limit": MaxDreamRecalls,
	})), to, scanRecalled)
}

// queueStates queues reading the current states that matter.
func (l *dreamBase) queueStates(b *pgx.Batch, to *[]dream.State) {
	pg.All(b.Queue(sqlDreamStates, l.t.Args(pgx.NamedArgs{
		"seen_since": l.asOf().AddDate(0, 0, -StatesDays), "limit": MaxDreamStates,
	})), to, gate.ScanState)
}

// dreamLoading builds a DreamLoad.
type dreamLoading struct{ dreamBase }

// second reads the window, or what was pinned.
func (l *dreamLoading) second(ctx context.Context) (DreamLoad, error) {
	load := DreamLoad{
		Dream: l.Dream, AsOf: l.asOf(), From: l.Dream.From, Scope: l.Dream.Scope, News: l.news(),
	}
	days := l.days()
	if load.From == "" {
		load.From = days[0]
	}
	start, err := time.ParseInLocation(time.DateOnly, string(load.From), l.now.Location())
	if err != nil {
		return DreamLoad{}, fmt.Errorf("dream %s: %w", l.Dream.ID, err)
	}
	var notes []noteVersion
	var said []saidMessage
	var recalls []Recalled
	args := l.t.Args(pgx.NamedArgs{
		"scope": l.Dream.Scope, "whose": gate.RowOwner(l.t.ID, l.Dream.Scope), "notes": MaxDreamNotes,
		"versions": DreamVersions, "bytes": dreamHistoryBytes, "from": start, "until": load.AsOf,
		"conversations": dreamConversations, "window": dreamWindow, "messages": MaxDreamMessages, "message_bytes": DreamMessageBytes,
	})
	b := &pgx.Batch{}
	if l.original != nil {
		l.pinned(args)
		pg.All(b.Queue(sqlDreamPinned, args), &notes, scanNoteVersion)
		pg.All(b.Queue(sqlDreamPinnedMessages, args), &said, scanSaid)
	} else {
		args["day_paths"] = dayPaths(days)
		args["recalled_since"], args["recalled_until"] = l.recallsUntil().AddDate(0, 0, -recallDays), l.recallsUntil()
		pg.All(b.Queue(sqlDreamNotes, args), &notes, scanNoteVersion)
		pg.All(b.Queue(sqlDreamMessages, args), &said, scanSaid)
		l.queueStates(b, &load.States)
	}
	l.queueRecalls(b, &recalls)
	if err := l.t.Finish(ctx, b); err != nil {
		return DreamLoad{}, err
	}
	if l.original != nil {
		load.States = l.saved
	}
	load.Notes, load.Sessions, load.Recalls = notesOf(notes), sessionsOf(said), oldestFirst(recalls)
	return load, nil
}

// pinned adds the references of the original to args.
func (l *dreamLoading) pinned(args pgx.NamedArgs) {
	pins := l.pins()
	documents, versions := pinnedNotes(pins)
	n := len(pins.Sessions)
	uids, first, last := make([]uuid.UUID, n), make([]int64, n), make([]int64, n)
	for i, p := range pins.Sessions {
		uids[i], first[i], last[i] = p.ConversationUID, p.From, p.To
	}
	args["documents"], args["document_versions"] = documents, versions
	args["uids"], args["first"], args["last"] = uids, first, last
}

// days returns the days of the window, ascending.
func (l *dreamLoading) days() []dream.Day {
	end := l.asOf()
	n := max(1, l.Dream.Settings.Days)
	days := make([]dream.Day, 0, n+1)
	for i := n; i >= 0; i-- {
		days = append(days, dream.DayOf(time.Date(end.Year(), end.Month(), end.Day()-i, 12, 0, 0, 0, end.Location())))
	}
	return days
}

// noteVersion is one version of a document, up to the wanted one.
type noteVersion struct {
	document memory.Document // without the fields of its version
	wanted   int
	version  memory.Version
}

func scanNoteVersion(row pgx.CollectableRow) (n noteVersion, err error) {
	var sha []byte
	d, v := &n.document, &n.version
	err = row.Scan(&d.ID, &d.Scope, &d.Owner, &d.Path, &d.Enabled, &d.SortOrder, &n.wanted, &v.Number, &v.BaseVersion, &v.Merged,
		&v.Deleted, &sha, &v.Author.Kind, &v.Author.ID, &v.Author.WorkflowID, &v.Author.RunID, &v.Reason, &v.Sources,
		&v.Added, &v.Removed, &v.CreatedAt, &v.Content)
	copy(v.SHA256[:], sha)
	return n, err
}

// documentHistory is a document at a version, with the known part of its history.
type documentHistory struct {
	memory.Document
	history []memory.Version // oldest first
}

// historiesOf groups versions, which are sorted by path and number.
func historiesOf(rows []noteVersion) []documentHistory {
	var out []documentHistory
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].ID != row.document.ID {
			out = append(out, documentHistory{Document: row.document})
		}
		h := &out[len(out)-1]
		v := row.version
		h.history = append(h.history, v)
		if v.Number == row.wanted {
			h.Version, h.Deleted, h.Content, h.SHA256 = v.Number, v.Deleted, v.Content, v.SHA256
			h.UpdatedAt, h.UpdatedBy = v.CreatedAt, v.Author
		}
	}
	return out
}

// blame returns the origin of the lines. Lines older than the known history have no author.
func (h documentHistory) blame() []memory.BlameLine {
	live := slices.DeleteFunc(slices.Clone(h.history), func(v memory.Version) bool { return v.Deleted })
	if len(live) > 0 && h.history[0].Number > 1 {
		live[0].Author, live[0].Reason, live[0].Sources = memory.Author{}, "", memory.Sources{}
	}
	return memory.Blame(live)
}

// notesOf returns the daily notes among documents, each with its lines.
func notesOf(rows []noteVersion) []DreamNote {
	var notes []DreamNote
	for _, h := range historiesOf(rows) {
		if day, ok := noteDay(h.Path); ok && !h.Deleted {
			notes = append(notes, DreamNote{Document: h.Document, Day: day, Lines: h.blame()})
		}
	}
	return notes
}

var notePath = regexp.MustCompile(`^memory/(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md$`)

// noteDay returns the day of a daily note.
func noteDay(path string) (dream.Day, bool) {
	m := notePath.FindStringSubmatch(path)
	if m == nil {
		return "", false
	}
	return dream.Day(m[1]), true
}

// dayPaths returns the path prefixes of the daily notes of days.
func dayPaths(days []dream.Day) []string {
	paths := make([]string, len(days))
	for i, day := range days {
		paths[i] = "memory/" + string(day)
	}
	return paths
}

// pinnedNotes returns the daily notes among the pins.
func pinnedNotes(pins dream.Pins) (documents []uuid.UUID, versions []int) {
	return pinnedAt(pins, func(path string) bool { _, ok := noteDay(path); return ok })
}

// pinnedAt returns the pinned documents at some paths, with their versions.
func pinnedAt(pins dream.Pins, isWanted func(path string) bool) (documents []uuid.UUID, versions []int) {
	for _, p := range pins.Documents {
		if p.Version > 0 && isWanted(p.Path) {
			documents, versions = append(documents, p.Document), append(versions, p.Version)
		}
	}
	return documents, versions
}

// saidMessage is a message with its conversation.
type saidMessage struct {
	DreamSession
	message memory.Message
}

func scanSaid(row pgx.CollectableRow) (s saidMessage, err error) {
	m := &s.message
	err = row.Scan(&s.Conversation, &s.ConversationUID, &m.Seq, &m.ID, &m.Role, &m.Name, &m.Content, &m.FinishReason, &m.CreatedAt)
	return s, err
}

// sessionsOf groups messages, which are sorted by conversation and number.
func sessionsOf(rows []saidMessage) []DreamSession {
	var out []DreamSession
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].ConversationUID != row.ConversationUID {
			out = append(out, row.DreamSession)
		}
		s := &out[len(out)-1]
		s.Messages = append(s.Messages, row.message)
	}
	return out
}

// oldestFirst reverses recalls that were read newest first.
func oldestFirst(recalls []Recalled) []Recalled {
	slices.Reverse(recalls)
	return recalls
}

const (
	// Daily notes of the days, and older ones that recalls found, each with its history. The limits cut off the oldest notes and
	// versions, never the current one of a note. All paths of a day's notes share a prefix.
	sqlDreamNotes = noteVersions + `
    from (
        select d.*, d.version as wanted
        from documents d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose
            and not d.deleted and (
                left(d.path, 17) = any (@day_paths::text[])
                or d.path < @day_paths[1] and d.document_id in (
                    select r.source_uid
                    from recalls r
                    where r.workspace_id = @workspace and r.agent_id = @agent and (r.owner_key = @owner or @scope = 'TEAM')
                        and r.at >= @recalled_since and r.at <= @recalled_until and not r.synthetic
                        and r.corpus = 'memory' and r.scope = @scope and starts_with(r.path, 'memory/')))
        order by d.path desc
        limit @notes
    ) d` + noteHistory

	// Documents as they are now, if they are.
	sqlDreamLive = noteVersions + `
    from unnest(@documents::uuid[]) p (document_id)
    cross join lateral (
        select d.*, d.version as wanted
        from documents d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.document_id = p.document_id and not d.deleted
            and (d.scope = 'TEAM' or d.owner_key = @owner)
        limit 1
    ) d` + noteHistory

	// Documents at versions, with their histories up to then.
	sqlDreamPinned = noteVersions + `
    from unnest(@documents::uuid[], @document_versions::int[]) p (document_id, version)
    cross join lateral (
        select d.*, p.version as wanted
        from documents d
        where d.workspace_id = @workspace and d.agent_id = @agent and d.document_id = p.document_id
            and (d.scope = 'TEAM' or d.owner_key = @owner)
        limit 1
    ) d` + noteHistory

	// The newest messages of the window. Of a long conversation, its end.
	sqlDreamMessages = saidColumns + `
    from (
        select *
        from conversations
        where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and updated_at >= @from
            and trigger_source not in ('cron', 'dream')
        order by updated_at desc
        limit @conversations
    ) c
    cross join lateral (
        select *
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = c.conversation_uid
            and m.owner_key = @owner and m.seq > c.complete_seq - @window::bigint and m.seq <= c.complete_seq
            and m.revoked_at is null` + saidInWindow

	// Messages of given ranges.
	sqlDreamPinnedMessages = saidColumns + `
    from unnest(@uids::uuid[], @first::bigint[], @last::bigint[]) p (conversation_uid, first, last)
    cross join lateral (
        select *
        from conversations
        where workspace_id = @workspace and agent_id = @agent and conversation_uid = p.conversation_uid and owner_key = @owner
        limit 1
    ) c
    cross join lateral (
        select *
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = p.conversation_uid
            and m.owner_key = @owner and m.seq >= p.first and m.seq <= p.last and m.revoked_at is null` + saidInWindow

	sqlDreamRecalls = recalledColumns + `
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and at >= @since and at <= @until
    and not synthetic and (scope = 'PERSONAL' or corpus = 'sessions')` + recalledLatest

	sqlDreamRecallsShared = recalledColumns + `
where workspace_id = @workspace and agent_id = @agent and at >= @since and at <= @until
    and not synthetic and scope = 'TEAM'` + recalledLatest
)

// noteVersions and noteHistory read versions of documents d up to the version d.wanted, in the order of scanNoteVersion.
const noteVersions = `
select n.document_id, n.scope, n.owner_key, n.path, n.enabled, n.sort_order, n.wanted, n.version, n.base_version, n.merged, n.deleted,
    n.sha256, n.author_kind, n.author_id, n.workflow_id, n.run_id, n.reason, n.sources, n.added, n.removed, n.created_at, n.content
from (
    select d.document_id, d.scope, d.owner_key, d.path, d.enabled, d.sort_order, d.wanted, v.version, v.base_version, v.merged,
        v.deleted, v.sha256, v.author_kind, v.author_id, v.workflow_id, v.run_id, v.reason, v.sources, v.added, v.removed,
        v.created_at, v.content,
        sum(octet_length(v.content)) over (order by v.version = d.wanted desc, d.path desc, v.version desc) as size`

const noteHistory = `
    cross join lateral (
        select *
        from document_versions v
        where v.workspace_id = @workspace and v.agent_id = @agent and v.document_id = d.document_id and v.version <= d.wanted
        order by v.version desc
        limit @versions
    ) v
) n
where n.size <= @bytes or n.version = n.wanted
order by n.path collate "C", n.document_id, n.version`

// saidColumns and saidInWindow read messages of conversations c, in the order of scanSaid.
const saidColumns = `
select s.conversation_id, s.conversation_uid, s.seq, s.message_id, s.role, s.name, s.content, s.finish_reason, s.said_at
from (
    select c.conversation_id, c.conversation_uid, m.seq, m.message_id, m.role, m.name, m.content, m.finish_reason,
        m.said_at, row_number() over newest as place, sum(octet_length(m.content)) over newest as size`

const saidInWindow = `
            and m.role in ('user', 'assistant') and m.said_at >= @from and m.said_at <= @until
        order by m.seq desc
        limit @messages
    ) m
    window newest as (order by m.said_at desc, c.conversation_uid desc, m.seq desc)
) s
where s.place <= @messages and s.size <= @message_bytes
order by s.conversation_uid, s.seq`

const recalledColumns = `
select recall_id, owner_key, query_hash, day, synthetic, corpus, scope, source_uid, path, from_line, to_line,
    chunk_hash, entries, score, rank, at
from recalls`

const recalledLatest = `
order by at desc, recall_id desc, rank desc
limit @limit`
