package dreams

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/gate"
	"reverie/store/pg"
)

// ForgetRequest names a passage of a document that a person wants forgotten.
type ForgetRequest struct {
	memory.Ref

	FromLine, ToLine int              // of the document, 1-based, inclusive; 0: anywhere
	Entry            markdown.EntryID // one statement; empty: all on the lines
	Shown            string           // the text that was shown; empty: unknown. Only statements in it are forgotten.
	Key              string           // idempotency key
	Instead          string           // takes the place of the statement in the document that was shown; empty: nothing
	Reason           string           // of the new versions; empty: forgotten on request
}

// ForgetReceipt is the result of forgetting.
type ForgetReceipt struct {
	States  []dream.State // of the statements; on a replay empty
	Receipt memory.Receipt
}

const (
	// Locks the documents that may contain the statements, in the order of all writers, so that none brings them back meanwhile.
	sqlForgetLocked = `
select d.path
from documents d` + forgettable + `
for no key update`

	sqlForgetDocuments = gate.DocumentColumns + `octet_length(v.content), v.content
from documents d ` + gate.CurrentVersion + forgettable

	// Given documents, archives and daily notes.
	forgettable = `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and not d.deleted
    and (d.path = any (@paths::text[]) or d.path ~ '^memory/(archive/.*|[0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*)\.md$')
order by d.path collate "C"`

	sqlForgetStates = gate.StateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner
    and (e.entry_id = any (@entries::text[]) or e.aliases && @entries::text[])`
)

// Forget removes the statements of a passage from the document that was shown, and from MEMORY.md, PROFILE.md, the archives and the
// daily notes beside it, wherever they occur in the same or similar words, with everything nested under them. It makes new
// versions; earlier ones, reports and the diary stay. Dreams, extractions and flushes do not bring the statements back; a person
// who writes them again does.
//
// It returns *InvalidError for a passage that cannot contain a statement, ErrNotFound when the document does not exist or does not
// contain it (any more), and ErrForbidden when the identity may not write documents of that scope.
func (s *Dreaming) Forget(ctx context.Context, id memory.Identity, p ForgetRequest) (ForgetReceipt, error) {
	path, err := gate.CheckRef(id, "", p.Ref)
	if err != nil {
		return ForgetReceipt{}, err
	}
	p.Path = path
	switch {
	case p.Scope == memory.ScopeGlobal:
		return ForgetReceipt{}, &pg.InvalidError{Field: "scope", Problem: "change GLOBAL documents by writing them"}
	case p.Entry == "" && p.FromLine < 1 && strings.TrimSpace(p.Shown) == "":
		return ForgetReceipt{}, &pg.InvalidError{Field: "fromLine", Problem: "name the lines, or the statement"}
	case p.ToLine < p.FromLine:
		return ForgetReceipt{}, &pg.InvalidError{Field: "toLine", Problem: "must not be before fromLine"}
	}
	if err := pg.ValidText("idempotency key", p.Key, gate.MaxKey); err != nil {
		return ForgetReceipt{}, err
	}
	if err := gate.MayWrite(id, p.Scope); err != nil {
		return ForgetReceipt{}, err
	}
	if p.Scope == memory.ScopeTeam { // states of shared memory belong to owner system
		id = id.For(id.Agent, memory.SystemOwner)
	}
	return gate.Contended(ctx, s.db, id, func(t *pg.Tx) (ForgetReceipt, error) {
		f := forgetting{t: t, passage: p}
		return f.run(ctx)
	})
}

// forgetting is the forgetting of one passage in progress.
type forgetting struct {
	t       *pg.Tx
	passage ForgetRequest

	recorded   *memory.Receipt
	documents  []memory.Document
	statements []markdown.Entry
	known      []dream.State // of them and of their other wordings
	names      memory.EntrySet
}

func (f *forgetting) args(more pgx.NamedArgs) pgx.NamedArgs {
	args := pgx.NamedArgs{
		"scope": f.passage.Scope, "whose": gate.RowOwner(f.t.ID, f.passage.Scope),
		"paths": []string{f.passage.Path, memory.MemoryPath, memory.ProfilePath},
	}
	maps.Copy(args, more)
	return f.t.Args(args)
}

func (f *forgetting) run(ctx context.Context) (ForgetReceipt, error) {
	look := &pgx.Batch{}
	look.Queue(sqlForgetLocked, f.args(nil))
	if f.passage.Key != "" {
		gate.QueueLedger(look, f.t, f.passage.Key, &f.recorded)
	}
	pg.All(look.Queue(sqlForgetDocuments, f.args(nil)), &f.documents, gate.ScanContent)
	if err := f.t.Send(ctx, look); err != nil {
		return ForgetReceipt{}, err
	}
	if f.recorded != nil {
		return ForgetReceipt{Receipt: *f.recorded}, nil
	}
	if err := f.find(); err != nil {
		return ForgetReceipt{}, err
	}
	f.names = memory.EntrySet{}
	for _, e := range f.statements {
		f.names.Add(e.ID, nil, e.Text)
	}
	look = &pgx.Batch{}
	entries := make([]string, 0, len(f.names))
	for entry := range f.names {
		entries = append(entries, string(entry))
	}
	pg.All(look.Queue(sqlForgetStates, f.args(pgx.NamedArgs{"entries": entries})), &f.known, gate.ScanState)
	if err := f.t.Send(ctx, look); err != nil {
		return ForgetReceipt{}, err
	}
	for _, state := range f.known {
		f.names.Add(state.ID, state.Aliases, state.Text)
	}
	return f.commit(ctx, f.changes())
}

// find finds the statements of the passage.
func (f *forgetting) find() error {
	p := f.passage
	at := slices.IndexFunc(f.documents, func(d memory.Document) bool { return d.Path == p.Path })
	if at < 0 {
		return fmt.Errorf("document %s: %w", p.Path, pg.ErrNotFound)
	}
	entries := markdown.EntriesOf(f.documents[at].Content)
	shown := joinedWords(p.Shown)
	meant := func(e markdown.Entry) bool {
		return (p.Entry == "" || e.ID == p.Entry) && (shown == "" || strings.Contains(shown, joinedWords(e.Text)))
	}
	on := func(e markdown.Entry) bool {
		return p.FromLine < 1 || e.FromLine <= p.ToLine && e.ToLine >= p.FromLine
	}
	f.statements = matching(entries, func(e markdown.Entry) bool { return on(e) && meant(e) })
	if len(f.statements) == 0 && shown != "" { // they have moved
		f.statements = matching(entries, meant)
	}
	if len(f.statements) == 0 {
		return fmt.Errorf("statement in document %s: %w", p.Path, pg.ErrNotFound)
	}
	return nil
}

func matching(entries []markdown.Entry, is func(markdown.Entry) bool) (out []markdown.Entry) {
	for _, e := range entries {
		if is(e) {
			out = append(out, e)
		}
	}
	return out
}

// joinedWords collapses white space.
func joinedWords(s string) string { return strings.Join(strings.Fields(s), " ") }

// changes removes the statements from every document that contains them.
func (f *forgetting) changes() []memory.Change {
	var changes []memory.Change
	for _, d := range f.documents {
		here := memory.EntrySet{}
		for _, e := range markdown.EntriesOf(d.Content) {
			said := rewrite.WithoutComments(e.Text)
			if f.names[e.ID] ||
				slices.ContainsFunc(f.statements,
					func(s markdown.Entry) bool { return judge.Alike(rewrite.WithoutComments(s.Text), said) }) {
				here[e.ID] = true
				f.names[e.ID] = true
			}
		}
		_, _, gone := here.Find(d.Content)
		if len(gone) == 0 {
			continue
		}
		content := memory.WithoutLines(d.Content, gone)
		if f.passage.Instead != "" && d.Path == f.passage.Path {
			content = memory.WithLineAt(d.Content, gone, f.passage.Instead)
		}
		changes = append(changes, memory.Change{
			Ref: memory.Ref{Scope: f.passage.Scope, Path: d.Path}, Op: memory.OpReplace, Base: d.Version,
			Reason: cmp.Or(f.passage.Reason, "forgotten on request"), Content: rewrite.WithoutEmptySections(content),
		})
	}
	return changes
}

// commit sends the changes through the gate, and the new states with them.
func (f *forgetting) commit(ctx context.Context, changes []memory.Change) (ForgetReceipt, error) {
	w, err := gate.ApplyChanges(ctx, f.t, gate.ChangeSet{Key: f.passage.Key, Changes: changes})
	if err != nil {
		return ForgetReceipt{}, err
	}
	act := &pgx.Batch{}
	states := f.queueStates(act)
	if err := f.t.Finish(ctx, act); err != nil {
		return ForgetReceipt{}, err
	}
	return ForgetReceipt{States: states, Receipt: w.Receipt}, nil
}

// queueStates queues the states of the forgotten statements, in all their wordings.
func (f *forgetting) queueStates(b *pgx.Batch) []dream.State {
	b.Queue(gate.SQLOwnerEnsure, f.t.Args(pgx.NamedArgs{"owner_id": pg.NewID()}))
	aliases := make([]string, 0, len(f.names))
	for entry := range f.names {
		aliases = append(aliases, string(entry))
	}
	slices.Sort(aliases)
	b.Queue(gate.SQLDreamEntriesLock, f.t.Args(pgx.NamedArgs{"entries": aliases}))
	byID := slices.SortedFunc(slices.Values(f.statements), func(a, b markdown.Entry) int {
		return strings.Compare(string(a.ID), string(b.ID))
	})
	byID = slices.CompactFunc(byID, func(a, b markdown.Entry) bool { return a.ID == b.ID })
	var states []dream.State
	for _, e := range byID {
		text := pg.Storable(strings.TrimSpace(rewrite.WithoutComments(e.Text)))
		others := []string{}
		if len(byID) == 1 { // with several, it is unknown which wording belongs to which
			others = slices.DeleteFunc(slices.Clone(aliases), func(id string) bool { return id == string(e.ID) })
		} else if id := memory.ItemID(e.Text); id != e.ID {
			others = append(others, string(id))
		}
		b.Queue(sqlEntrySettle, f.t.Args(pgx.NamedArgs{
			"entry": e.ID, "status": dream.Forgotten, "text": text, "aliases": others, "mention_days": []string{}, "asked": false,
			"last_seen": f.t.Now,
		}))
		states = append(states, dream.State{ID: e.ID, Text: text, Status: dream.Forgotten, LastSeen: f.t.Now})
	}
	b.Queue(sqlEntrySettleOthers, f.t.Args(pgx.NamedArgs{"status": dream.Forgotten, "others": aliases}))
	return states
}
