package dreams

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/gate"
	"reverie/store/pg"
)

// RevertedDream is the result of undoing a dream.
type RevertedDream struct {
	Dream   Dream          // the undone one; of DreamAgain: the one that repeats it
	Receipt memory.Receipt // the new versions
	// Conflicts are documents that were changed on the same lines since, by path. Nothing was undone then.
	Conflicts map[string][]markdown.Conflict
}

const (
	// Concurrent requests to undo a dream wait here.
	sqlDreamRevertLock = `
select x.reverted_at is not null
from dreams x
where x.workspace_id = @workspace and x.agent_id = @agent and x.dream_id = @dream and x.owner_key = @owner
for no key update`

	sqlDreamReverted = `
update dreams set reverted_by = @by, reverted_at = @now, changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

	// Writers of several states lock them in this order.
	sqlEntriesUndoneLock = `
select entry_id
from dream_entries
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and dream_id = @dream and status = 'promoted'
order by entry_id
for no key update`

	// Keeps what people have decided since.
	sqlEntriesUndone = `
update dream_entries set status = 'rejected', reason_code = 'undone', changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and dream_id = @dream and status = 'promoted'`
)

// RevertDream undoes what a dream wrote into MEMORY.md and its archives, as new versions by the identity; later changes of others
// stay. A document that the dream created and nobody changed since is deleted. With conflicts nothing is written. The diary and the
// reports of phases stay; the diary notes that the dream was undone. What the dream promoted becomes rejected (reason undone), so
// that the next night does not promote it again, unless a person has decided about it since.
//
// A dream that was undone before is returned as it is, with the first receipt. It returns *ConflictError with CodeNotEnded for an
// open dream, and with CodeNotWritten for one that changed nothing: a dry run, a replay, or another outcome.
func (s *Dreaming) RevertDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (RevertedDream, error) {
	result, err := s.undo(ctx, id, dreamID, "idempotency key", key, nil)
	result.Receipt.Key = key
	return result, err
}

// undo undoes a dream for RevertDream, or for DreamAgain, which repeats it. key is the key of the request, in this field.
func (s *Dreaming) undo(
	ctx context.Context, id memory.Identity, dreamID uuid.UUID, field, key string, again *repeating,
) (RevertedDream, error) {
	if err := pg.RequireWrite(id); err != nil {
		return RevertedDream{}, err
	}
	if err := memory.ValidText(field, key, gate.MaxKey); err != nil {
		return RevertedDream{}, err
	}
	x, err := s.Dream(ctx, id, dreamID)
	if err != nil {
		return RevertedDream{}, err
	}
	if id, err = asOwnerOf(id, x); err != nil {
		return RevertedDream{}, err
	}
	if err := undoable(x, again != nil); err != nil {
		return RevertedDream{}, err
	}
	result, err := gate.Contended(ctx, s.db, id, func(t *pg.Tx) (RevertedDream, error) {
		u := &undoing{t: t, dream: x, again: again}
		return u.run(ctx)
	})
	return result, gate.Refused(ctx, s.db, id, err)
}

// asOwnerOf returns the identity as the owner of a dream. Who may write shared documents acts for the owner system.
func asOwnerOf(id memory.Identity, x Dream) (memory.Identity, error) {
	if err := gate.MayWrite(id, x.Scope); err != nil {
		return id, err
	}
	if x.Owner == memory.SystemOwner {
		id.Owner = memory.SystemOwner
	}
	if x.Owner != id.Owner { // visible because the identity reads every owner
		return id, fmt.Errorf("%w: it is another owner's dream", pg.ErrForbidden)
	}
	return id, nil
}

// undoable returns an error for a dream that cannot be undone, or dreamed again.
func undoable(x Dream, again bool) error {
	rehearsed := x.DryRun || x.ReplayOf != uuid.Nil
	switch {
	case x.Open():
		return &pg.ConflictError{Code: pg.CodeNotEnded, Message: fmt.Sprintf("dream %s has not ended: wait for it, or cancel its workflow", x.ID)}
	case again && rehearsed:
		return &pg.ConflictError{Code: pg.CodeNotWritten, Message: fmt.Sprintf("dream %s is a dry run or a replay: make another one", x.ID)}
	case !again && (rehearsed || x.Outcome != memory.OutcomeWritten):
		return &pg.ConflictError{Code: pg.CodeNotWritten, Message: fmt.Sprintf("dream %s changed nothing that can be undone", x.ID)}
	}
	return nil
}

// undoing is the undoing of one dream in progress.
type undoing struct {
	t         *pg.Tx
	dream     Dream
	documents []*undoneDocument
	diary     memory.Document
	agent     gate.Agent
	receipt   *memory.Receipt // of an earlier time
	again     *repeating      // the dream that follows; nil: none
}

// ledgerKey is the key of the receipt: a dream is undone once, whatever keys requests have.
func (u *undoing) ledgerKey() string { return "undo/dream/" + u.dream.ID.String() }

func (u *undoing) run(ctx context.Context) (RevertedDream, error) {
	seen, already, err := u.look(ctx)
	switch {
	case err != nil:
		return RevertedDream{}, err
	case !seen:
		return RevertedDream{}, noDream(u.dream.ID)
	case u.again != nil && u.again.found:
		return RevertedDream{Dream: u.again.known, Receipt: memory.Receipt{Replayed: true}}, u.again.refused(u.dream)
	case u.dream.Outcome != memory.OutcomeWritten: // nothing to undo before it is repeated
		return u.finish(ctx, &pgx.Batch{}, &memory.Receipt{})
	case already:
		if u.receipt == nil {
			u.receipt = &memory.Receipt{Replayed: true}
		}
		return u.finish(ctx, &pgx.Batch{}, u.receipt)
	}
	changes, conflicts := u.changes()
	if len(conflicts) > 0 {
		return RevertedDream{Dream: u.dream, Conflicts: conflicts}, nil
	}
	return u.commit(ctx, append(changes, u.note()))
}

// changes returns what undoes the dream, or the conflicts with later changes by path.
func (u *undoing) changes() (changes []memory.Change, conflicts map[string][]markdown.Conflict) {
	conflicts = map[string][]markdown.Conflict{}
	for _, d := range u.documents {
		change, clash := d.undo()
		if len(clash) > 0 {
			conflicts[d.path] = clash
		}
		if change != nil {
			changes = append(changes, *change)
		}
	}
	return changes, conflicts
}

// look locks the dream and reads what it wrote.
func (u *undoing) look(ctx context.Context) (seen, already bool, err error) {
	t := u.t
	b := &pgx.Batch{}
	pg.Columns(b.Queue(sqlDreamRevertLock, t.Args(pgx.NamedArgs{"dream": u.dream.ID})), &seen, &already)
	gate.QueueLedger(b, t, u.ledgerKey(), &u.receipt)
	if u.again != nil {
		u.again.queueKnown(b, t, u.dream)
	}
	agent, diary := false, false
	pg.One(b.Queue(gate.SQLAgent, t.Args(nil)), &agent, &u.agent, gate.ScanAgent)
	pg.One(b.Queue(gate.SQLDocument, u.args(memory.DreamsPath)), &diary, &u.diary, gate.ScanContent)
	u.documents = undoneDocuments(u.dream)
	for _, d := range u.documents {
		d.queue(b, u.args(d.path))
	}
	err = t.Send(ctx, b)
	return seen, already, err
}

// args returns the arguments that find a document of the dream.
func (u *undoing) args(path string) pgx.NamedArgs {
	return u.t.Args(pgx.NamedArgs{
		"scope": u.dream.Scope, "path": path, "whose": gate.RowOwner(u.t.ID, u.dream.Scope), "row_agent": u.t.ID.Agent,
	})
}

// commit sends the changes through the gate, with the new states of the dream and of its statements.
func (u *undoing) commit(ctx context.Context, changes []memory.Change) (RevertedDream, error) {
	t := u.t
	w, err := gate.ApplyChanges(ctx, t, gate.ChangeSet{Key: u.ledgerKey(), Changes: changes, OwnStates: true})
	if err != nil {
		return RevertedDream{}, err
	}
	act := &pgx.Batch{}
	args := t.Args(pgx.NamedArgs{"dream": u.dream.ID, "by": t.ID.Author.ID})
	act.Queue(sqlDreamReverted, args)
	act.Queue(sqlEntriesUndoneLock, args)
	act.Queue(sqlEntriesUndone, args)
	return u.finish(ctx, act, &w.Receipt)
}

// finish commits and returns the dream as stored.
func (u *undoing) finish(ctx context.Context, b *pgx.Batch, receipt *memory.Receipt) (RevertedDream, error) {
	result := RevertedDream{}
	found := false
	report := u.dream.ID
	if u.again != nil {
		report = u.again.queue(b, u.t, u.dream)
	}
	queueReport(b, u.t, report, &result.Dream, &found)
	if err := u.t.Finish(ctx, b); err != nil {
		return RevertedDream{}, err
	}
	result.Receipt = *receipt
	return result, nil
}

// note returns the change of the diary: at the end of the dream's entry, or a new entry when that was moved to a monthly file.
func (u *undoing) note() memory.Change {
	now := u.t.Now
	if zone, err := u.agent.Location(); err == nil {
		now = now.In(zone)
	}
	change := memory.Change{Ref: memory.Ref{Scope: u.dream.Scope, Path: memory.DreamsPath}, Reason: "a dream was undone"}
	at := now.Format("2006-01-02 15:04")
	report := fmt.Sprintf("Report %s.", u.dream.ID)
	lines := slices.Collect(strings.Lines(u.diary.Content))
	for i, line := range lines {
		if strings.TrimSpace(line) != report {
			continue
		}
		if !strings.HasSuffix(line, "\n") {
			lines[i] += "\n"
		}
		change.Op, change.Base = memory.OpReplace, u.diary.Version
		change.Content = strings.Join(slices.Insert(lines, i+1, "\n*Undone at "+at+".*\n"), "")
		return change
	}
	change.Op, change.Create = memory.OpAppend, "# Dreams\n"
	change.Content = fmt.Sprintf(
		"## %s Undone\n\nThe dream of %s.\n\n%s\n", at, u.dream.StartedAt.In(now.Location()).Format("2006-01-02 15:04"), report,
	)
	return change
}

// undoneDocument is a document from which a dream's changes are removed.
type undoneDocument struct {
	dream         Dream
	path          string
	first, last   int // versions that the dream made
	before, after memory.Version
	existed       bool // there was a document before
	found         bool
	now           memory.Document
}

// undoneDocuments returns the documents that a dream changed, except the diary and reports.
func undoneDocuments(x Dream) []*undoneDocument {
	var out []*undoneDocument
	for _, change := range x.Changes {
		if !change.Changed || change.Path == memory.DreamsPath || strings.HasPrefix(change.Path, memory.DreamingFolder) {
			continue
		}
		at := slices.IndexFunc(out, func(d *undoneDocument) bool { return d.path == change.Path })
		if at < 0 {
			out = append(out, &undoneDocument{dream: x, path: change.Path, first: change.Version, last: change.Version})
			continue
		}
		out[at].first, out[at].last = min(out[at].first, change.Version), max(out[at].last, change.Version)
	}
	return out
}

// queue queues reading the document as of before the dream, after the dream, and now.
func (d *undoneDocument) queue(b *pgx.Batch, args pgx.NamedArgs) {
	version := func(number int, to *memory.Version, found *bool) {
		at := maps.Clone(args)
		at["version"] = number
		pg.One(b.Queue(gate.SQLVersion, at), found, to, gate.ScanVersion)
	}
	var written bool
	version(d.first-1, &d.before, &d.existed)
	version(d.last, &d.after, &written)
	pg.One(b.Queue(gate.SQLDocumentWritten, args), &d.found, &d.now, func(row pgx.CollectableRow) (memory.Document, error) {
		w, err := gate.ScanWritten(row)
		return w.Document, err
	})
}

// undo returns the change that removes the dream's changes, or the conflicts with later ones. For a deleted document it returns
// nil.
func (d *undoneDocument) undo() (*memory.Change, []markdown.Conflict) {
	if !d.found || d.now.Deleted {
		return nil, nil
	}
	change := &memory.Change{
		Ref: memory.Ref{Scope: d.dream.Scope, Path: d.path}, Base: d.now.Version, Reason: fmt.Sprintf("dream %s undone", d.dream.ID),
	}
	content, conflicts := d.before.Content, []markdown.Conflict(nil)
	if d.now.Version != d.last {
		content, conflicts = rewrite.Undo(d.before.Content, d.after.Content, d.now.Content)
	}
	existed := d.existed && !d.before.Deleted
	if !existed {
		content = strings.TrimLeft(content, "\r\n") // the text before it is gone
	}
	switch {
	case len(conflicts) > 0:
		return nil, conflicts
	case !existed && strings.TrimSpace(content) == "":
		change.Op = memory.OpDelete
	default:
		change.Op, change.Content = memory.OpReplace, content
	}
	return change, nil
}
