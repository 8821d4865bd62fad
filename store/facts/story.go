package facts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// EventKind is the kind of an event of a statement.
type EventKind string

// Kinds of events.
const (
	Said      EventKind = "said"      // in a message
	Noted     EventKind = "noted"     // in a daily note
	Promoted  EventKind = "promoted"  // into another document, by a machine, after it was noted
	Written   EventKind = "written"   // into another document
	Reworded  EventKind = "reworded"  // a small edit
	Corrected EventKind = "corrected" // another value took its place
	Removed   EventKind = "removed"
	Approved  EventKind = "helpful"
	Confirmed EventKind = "confirmed" // by a person, in the report of a dream
	Doubted   EventKind = "unhelpful"
	Repeated  EventKind = "heard"  // in other words
	Undone    EventKind = "undone" // feedback was undone
)

// Event is one step of the story of a statement.
type Event struct {
	Kind    EventKind
	At      time.Time
	Fact    uuid.UUID // the same words in another document are another fact
	Text    string    // of the statement; of a correction, the new one
	Path    string
	Version int           // of the document
	Author  memory.Author // of a correction or a removal, who wrote the version without it
	Reason  string
	Messages
}

// maxStory is the number of wordings that a story is made from.
const maxStory = 200

const (
	// The same words in all documents of the same people.
	sqlSameWords = selectOrigin + `
where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = @scope and f.owner_key = @owner and f.ended is null
    and f.entry_id = any (@entries::text[]) and f.fact_id <> @fact
limit @limit`

	// Documents of the same people, at their paths.
	sqlOrigins = `
select d.path, v.content
from unnest(@paths::text[]) p (path)
cross join lateral (
    select document_id, path
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = p.path
    limit 1
) d
cross join lateral (
    select content
    from document_versions v
    where v.workspace_id = @workspace and v.agent_id = @agent and v.document_id = d.document_id
    order by version desc
    limit 1
) v`

	// What was added to a document in the version that removed a statement, about the same attribute.
	sqlInstead = `
select fact_id, text
from facts
where workspace_id = @workspace and agent_id = @agent and document_id = @document and version = @version
    and subject = @subject and attribute = @attribute and attribute <> '' and fact_id <> @fact
limit 1`

	sqlSaid = `
select w.n, min(m.said_at)
from unnest(@numbers::int[], @conversations::text[], @seqs::bigint[]) w (n, conversation_id, seq)
cross join lateral (
    select conversation_uid
    from conversations c
    where c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_id = w.conversation_id
    limit 1
) c
cross join lateral (
    select said_at
    from messages m
    where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = c.conversation_uid and m.seq = w.seq
    limit 1
) m
group by w.n`
)

// promotedFrom matches the line of a note that a dream has promoted, in the comment that it leaves.
var promotedFrom = lazyregexp.New(`<!-- (memory/[^\s:<>]+\.md):(\d+) `)

// namesOf returns the ids of the words that a statement has now and, if a dream has reworded it, of those that it had in the notes that
// the dream names.
func namesOf(ctx context.Context, t *pg.Tx, doc Document, wordings []Wording) ([]string, error) {
	last := wordings[len(wordings)-1]
	names := []string{string(last.Entry)}
	lines := map[string]int{} // by path
	for _, w := range wordings {
		if m := promotedFrom.FindStringSubmatch(w.Text); m != nil {
			lines[m[1]], _ = strconv.Atoi(m[2]) // too many digits are not a line number
		}
	}
	if len(lines) == 0 {
		return names, nil
	}
	found := false
	b := &pgx.Batch{}
	pg.WithRow(b.Queue(sqlOrigins, doc.args(t, pgx.NamedArgs{"paths": slices.Sorted(maps.Keys(lines))})), &found, func(row pgx.CollectableRow) error {
		var path, content string
		err := row.Scan(&path, &content)
		for _, e := range markdown.EntriesOf(content) { // lines may have moved since
			if e.FromLine <= lines[path] && e.ToLine >= lines[path] && facts.Alike(e.Text, last.Text) {
				names = append(names, string(e.ID))
			}
		}
		return err
	})
	return names, t.Send(ctx, b)
}

// Story returns the events of a statement in the order of time: where it was said, noted and promoted, how it changed, and what was
// thought of it. It contains the same words in other documents of the same people. The error may be ErrNotFound.
func (s *Facts) Story(ctx context.Context, id memory.Identity, fact uuid.UUID) ([]Event, error) {
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) ([]Event, error) {
		var h History
		args := t.Args(pgx.NamedArgs{"fact": fact})
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlFact, args), &h.Wordings, scanWording)
		pg.All(b.Queue(sqlGiven, args), &h.Feedback, scanGiven)
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		if len(h.Wordings) == 0 {
			return nil, fmt.Errorf("fact %s: %w", fact, pg.ErrNotFound)
		}
		last := h.Now()
		doc := Document{ID: last.Document, Agent: last.Agent, Scope: last.Scope, Owner: last.Owner}
		var instead successor
		found := false
		names, err := namesOf(ctx, t, doc, h.Wordings)
		if err != nil {
			return nil, err
		}
		b = &pgx.Batch{}
		pg.All(b.Queue(sqlSameWords, doc.args(t, pgx.NamedArgs{"fact": fact, "entries": names, "limit": maxStory})), &h.Wordings, scanWording)
		pg.Columns(b.Queue(sqlInstead, doc.args(t, pgx.NamedArgs{
			"fact": fact, "version": last.ended, "subject": last.Subject, "attribute": last.Attribute,
		})), &found, &instead.id, &instead.text)
		if err := t.Send(ctx, b); err != nil {
			return nil, err
		}
		slices.SortStableFunc(h.Wordings, func(a, b Wording) int { return a.At.Compare(b.At) })
		return order(ctx, t, fact, h, instead)
	})
}

// successor is the fact that replaced another one. The zero value means none.
type successor struct {
	id   uuid.UUID
	text string
}

// order sorts the events, and ends the transaction.
func order(ctx context.Context, t *pg.Tx, fact uuid.UUID, h History, instead successor) ([]Event, error) {
	events := eventsOf(h.Wordings, fact, instead)
	for _, g := range h.Feedback {
		e := Event{Kind: Approved, At: g.At, Fact: fact, Author: g.Author, Reason: g.Reason}
		switch {
		case g.Opinion == Unhelpful:
			e.Kind = Doubted
		case g.Opinion == Heard:
			e.Kind = Repeated
		case g.Reason == ReasonConfirmed:
			e.Kind = Confirmed
		}
		events = append(events, e)
		if !g.Undone.IsZero() {
			events = append(events, Event{Kind: Undone, At: g.Undone, Fact: fact, Reason: g.Reason})
		}
	}
	said, err := saidOf(ctx, t, h.Wordings)
	events = append(said, events...)
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	return events, err
}

// eventsOf returns what happened to wordings, each with the versions of its document.
func eventsOf(wordings []Wording, fact uuid.UUID, instead successor) (events []Event) {
	noted := false // earlier
	for i, w := range wordings {
		same := func(x Wording) bool { return x.ID == w.ID && x.ended == w.Version }
		e := Event{Kind: Written, At: w.At, Fact: w.ID, Text: w.Text, Path: w.Path, Version: w.Version, Author: w.Author, Reason: w.Reason}
		_, isNote := facts.DayOf(w.Path)
		switch {
		case slices.ContainsFunc(wordings[:i], same):
			e.Kind = Reworded
		case isNote:
			e.Kind, noted = Noted, true
		case noted && w.Author.Kind != memory.AuthorUser:
			e.Kind = Promoted
		}
		e.Messages = w.Sources
		events = append(events, e)
		if w.ended == 0 || slices.ContainsFunc(wordings, func(x Wording) bool { return x.ID == w.ID && x.Version == w.ended }) {
			continue
		}
		gone := Event{Kind: Removed, At: w.Ended, Fact: w.ID, Text: w.Text, Path: w.Path, Version: w.ended, Author: w.gone, Reason: w.why}
		if w.ID == fact && instead.id != uuid.Nil {
			gone.Kind, gone.Fact, gone.Text = Corrected, instead.id, instead.text
		}
		events = append(events, gone)
	}
	return events
}

// saidOf returns when the messages were said that wordings came from, as far as the identity may read them, and ends the transaction.
func saidOf(ctx context.Context, t *pg.Tx, wordings []Wording) (events []Event, err error) {
	var numbers []int
	var conversations []string
	var seqs []int64
	for n, w := range wordings {
		known := slices.ContainsFunc(wordings[:n], func(x Wording) bool {
			return x.Sources.Conversation == w.Sources.Conversation && slices.Equal(x.Sources.Seqs, w.Sources.Seqs)
		})
		for _, seq := range w.Sources.Seqs {
			if !known {
				numbers, conversations, seqs = append(numbers, n), append(conversations, w.Sources.Conversation), append(seqs, seq)
			}
		}
	}
	found := false
	b := &pgx.Batch{}
	pg.WithRow(
		b.Queue(sqlSaid, t.Args(pgx.NamedArgs{"numbers": numbers, "conversations": conversations, "seqs": seqs})), &found,
		func(row pgx.CollectableRow) error {
			var n int
			var at time.Time
			err := row.Scan(&n, &at)
			w := wordings[n]
			events = append(events, Event{Kind: Said, At: at, Fact: w.ID, Text: w.Text, Messages: w.Sources})
			return err
		},
	)
	err = t.Finish(ctx, b)
	slices.SortFunc(events, func(a, b Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Text, b.Text)) })
	return events, err
}
