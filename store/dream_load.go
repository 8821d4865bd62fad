package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

// DreamLoad is what light sleep looks at.
type DreamLoad struct {
	Dream    Dream
	AsOf     time.Time // the end of the window, in the agent's time zone
	From     dream.Day // the first day of the window
	Scope    memory.Scope
	Notes    []DreamNote
	Sessions []DreamSession
	Recalls  []Recalled
	States   []dream.State
	News     int64 // the mark of the owner's news, taken before anything was read; 0: there may be news behind the moment
}

// DreamNote is a daily note of the window with what is known about its lines.
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

// What one dream looks at is bounded: of more than this, the newest.
const (
	MaxDreamNotes    = 100  // daily notes
	MaxDreamMessages = 2000 // messages of the user and the assistant
	MaxDreamRecalls  = 5000 // search results that were used
	MaxDreamStates   = 2000 // statements of earlier dreams
	// dreamConversations bounds the conversations of the window, and dreamWindow how far back in one of them is looked.
	dreamConversations = 500
	dreamWindow        = 5000 // messages, of every role
	// dreamVersions and dreamHistoryBytes bound the histories that tell where the lines of notes come from. A line that is
	// older than what they show is of unknown origin.
	dreamVersions     = 200
	dreamHistoryBytes = 32 << 20
	dreamMessageBytes = 8 << 20
	// recallDays is how far back recalls count, and statesDays how long an open statement is remembered that is not seen again.
	recallDays = 30
	statesDays = 90
)

// LoadDream reads what a dream looks at: the daily notes (memory/YYYY-MM-DD*.md) and the messages of the days of its
// settings up to its moment, organic recalls of 30 days and states. A replay reads what its original had pinned, at those
// versions, with the states of then. Conversations that the system itself caused (cron, dream) are left out. The window begins
// with the day that is Days before the moment's, so that a night at 02:00 has that many whole days behind it.
//
// It is one snapshot, and costs two round trips. A dream that has ended is returned with nothing to look at.
func (s *Store) LoadDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (DreamLoad, error) {
	if err := requireOwner(id); err != nil {
		return DreamLoad{}, err
	}
	return snapshot(ctx, s, id, func(t *tx) (DreamLoad, error) {
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

// dreamBase is what every look at a dream begins with.
type dreamBase struct {
	t        *tx
	Dream    Dream
	Agent    Agent
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

// first reads the dream, its agent, and what it repeats.
func (l *dreamBase) first(ctx context.Context, dreamID uuid.UUID) error {
	var agent, found, marked, repeats bool
	var original Dream
	var states []dream.State
	args := l.t.args(pgx.NamedArgs{"dream": dreamID})
	b := &pgx.Batch{}
	one(b.Queue(sqlNewsMark, args), &marked, func(row pgx.CollectableRow) error { return row.Scan(&l.mark) })
	one(b.Queue(sqlAgent, args), &agent, func(row pgx.CollectableRow) (err error) { l.Agent, err = scanAgent(row); return err })
	queueDream(b, l.t, dreamID, &l.Dream, &found)
	one(b.Queue(sqlDreamSaved, args), &found, func(row pgx.CollectableRow) error { return row.Scan(&l.saved) })
	one(b.Queue(sqlDreamOriginal, args), &repeats, func(row pgx.CollectableRow) (err error) {
		original, err = scanDreamAnd(row, &states)
		return err
	})
	if err := l.t.send(ctx, b); err != nil {
		return err
	}
	switch {
	case !found:
		return noDream(dreamID)
	case !agent:
		return fmt.Errorf("agent %s: %w", l.t.id.Agent, ErrNotFound)
	case l.Dream.ReplayOf != uuid.Nil && !repeats:
		return noDream(l.Dream.ReplayOf)
	case repeats:
		l.original, l.saved = &original, states
	}
	zone, err := l.Agent.Location()
	if err != nil {
		return fmt.Errorf("agent %s: %w", l.t.id.Agent, err)
	}
	l.now = l.t.now.In(zone)
	return nil
}

// asOf is the moment of the dream, in the agent's time zone.
func (l *dreamBase) asOf() time.Time {
	if l.Dream.AsOf.IsZero() {
		return l.now
	}
	return l.Dream.AsOf.In(l.now.Location())
}

// news is the mark of the news that the dream looks at. One of a past moment does not see what was said since, and takes no
// news away. One that has looked before keeps the moment and the mark of then.
func (l *dreamBase) news() int64 {
	if l.asOf().Before(l.now) {
		return l.Dream.Pins.News
	}
	return l.mark
}

// pins are what is looked at by reference: of a replay what its original had looked at.
func (l *dreamBase) pins() dream.Pins {
	if l.original != nil {
		return l.original.Pins
	}
	return l.Dream.Pins
}

// recallsUntil is the moment up to which recalls count.
func (l *dreamBase) recallsUntil() time.Time {
	if until := l.pins().RecallsUntil; !until.IsZero() {
		return until
	}
	return l.asOf()
}

// queueRecalls queues reading what was used: of a personal memory what its owner found there and in what was said, of the
// shared one what anybody found there.
func (l *dreamBase) queueRecalls(b *pgx.Batch, to *[]Recalled) {
	until := l.recallsUntil()
	sql := sqlDreamRecalls
	if l.Dream.Scope == memory.ScopeTeam {
		sql = sqlDreamRecallsShared
	}
	all(b.Queue(sql, l.t.args(pgx.NamedArgs{
		"since": until.AddDate(0, 0, -recallDays), "until": until, "limit": MaxDreamRecalls,
	})), to, scanRecalled)
}

// queueStates queues reading the states that matter as they are now.
func (l *dreamBase) queueStates(b *pgx.Batch, to *[]dream.State) {
	all(b.Queue(sqlDreamStates, l.t.args(pgx.NamedArgs{
		"seen_since": l.asOf().AddDate(0, 0, -statesDays), "limit": MaxDreamStates,
	})), to, scanState)
}

// dreamLoading is a DreamLoad on its way.
type dreamLoading struct{ dreamBase }

// second reads what is in the window, or what was pinned.
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
	args := l.t.args(pgx.NamedArgs{
		"scope": l.Dream.Scope, "whose": rowOwner(l.t.id, l.Dream.Scope), "notes": MaxDreamNotes,
		"versions": dreamVersions, "bytes": dreamHistoryBytes, "from": start, "until": load.AsOf,
		"conversations": dreamConversations, "window": dreamWindow, "messages": MaxDreamMessages, "message_bytes": dreamMessageBytes,
	})
	b := &pgx.Batch{}
	if l.original != nil {
		l.pinned(args)
		all(b.Queue(sqlDreamPinned, args), &notes, scanNoteVersion)
		all(b.Queue(sqlDreamPinnedMessages, args), &said, scanSaid)
	} else {
		args["day_paths"] = dayPaths(days)
		all(b.Queue(sqlDreamNotes, args), &notes, scanNoteVersion)
		all(b.Queue(sqlDreamMessages, args), &said, scanSaid)
		l.queueStates(b, &load.States)
	}
	l.queueRecalls(b, &recalls)
	if err := l.t.finish(ctx, b); err != nil {
		return DreamLoad{}, err
	}
	if l.original != nil {
		load.States = l.saved
	}
	load.Notes, load.Sessions, load.Recalls = notesOf(notes), sessionsOf(said), oldestFirst(recalls)
	return load, nil
}

// pinned adds what the original had looked at to args.
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

// days are those of the window, ascending.
func (l *dreamLoading) days() []dream.Day {
	end := l.asOf()
	n := max(1, l.Dream.Settings.Days)
	days := make([]dream.Day, 0, n+1)
	for i := n; i >= 0; i-- {
		days = append(days, dream.DayOf(time.Date(end.Year(), end.Month(), end.Day()-i, 12, 0, 0, 0, end.Location())))
	}
	return days
}
