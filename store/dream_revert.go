package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// RevertedDream tells how a dream was undone.
type RevertedDream struct {
	Dream   Dream
	Receipt memory.Receipt // the new versions
	// Conflicts are documents that were changed on the same lines since, by path; nothing was undone then.
	Conflicts map[string][]memory.Conflict
}

const (
	// Who undoes a dream at the same time waits here.
	sqlDreamRevertLock = `
select x.reverted_at is not null
from dreams x
where x.workspace_id = @workspace and x.agent_id = @agent and x.dream_id = @dream and x.owner_key = @owner
for no key update`

	sqlDreamReverted = `
update dreams set reverted_by = @by, reverted_at = @now, changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

	// Who changes several statements locks them in this order.
	sqlEntriesUndoneLock = `
select entry_id
from dream_entries
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and dream_id = @dream and status = 'promoted'
order by entry_id
for no key update`

	// What people have decided about since stays decided.
	sqlEntriesUndone = `
update dream_entries set status = 'rejected', reason_code = 'undone', changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and dream_id = @dream and status = 'promoted'`
)

// RevertDream undoes what a dream wrote into MEMORY.md and its archives, as new versions by the identity: changes that others
// made since stay. A document that the dream made and nobody changed since is deleted. With conflicts nothing is written. The
// diary and the reports of phases, which tell what happened, stay; the diary says that the dream was undone. What the dream
// had promoted is rejected (reason undone), so that the next night does not bring it back, unless a person has decided about it
// since.
//
// A dream that was undone before is returned as it is, with the first receipt. It returns *ConflictError with CodeNotEnded for
// a dream that goes on, and with CodeNotWritten for one that changed nothing: a dry run, a replay, or another outcome.
func (s *Store) RevertDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, key string) (RevertedDream, error) {
	if err := requireWrite(id); err != nil {
		return RevertedDream{}, err
	}
	if err := validText("idempotency key", key, maxKey); err != nil {
		return RevertedDream{}, err
	}
	x, err := s.Dream(ctx, id, dreamID)
	if err != nil {
		return RevertedDream{}, err
	}
	if id, err = asOwnerOf(id, x); err != nil {
		return RevertedDream{}, err
	}
	if err := revertible(x); err != nil {
		return RevertedDream{}, err
	}
	result, err := contended(ctx, s, id, func(t *tx) (RevertedDream, error) {
		u := &undoing{t: t, dream: x}
		return u.run(ctx)
	})
	result.Receipt.Key = key
	return result, s.refused(ctx, id, err)
}

// asOwnerOf is the identity as the owner of a dream. Who may write what is shared acts for the owner of the shared memory.
func asOwnerOf(id memory.Identity, x Dream) (memory.Identity, error) {
	if err := mayWrite(id, x.Scope); err != nil {
		return id, err
	}
	if x.Owner == memory.SystemOwner {
		id.Owner = memory.SystemOwner
	}
	if x.Owner != id.Owner { // it is seen by who reads every owner
		return id, fmt.Errorf("%w: it is another owner's dream", ErrForbidden)
	}
	return id, nil
}

// revertible says why a dream cannot be undone.
func revertible(x Dream) error {
	switch {
	case x.Open():
		return &ConflictError{Code: CodeNotEnded, Message: fmt.Sprintf("dream %s has not ended: wait for it, or cancel its workflow", x.ID)}
	case x.DryRun || x.ReplayOf != uuid.Nil || x.Outcome != memory.OutcomeWritten:
		return &ConflictError{Code: CodeNotWritten, Message: fmt.Sprintf("dream %s changed nothing that could be undone", x.ID)}
	}
	return nil
}

// undoing is the way back of one dream.
type undoing struct {
	t         *tx
	dream     Dream
	documents []*undoneDocument
	diary     memory.Document
	agent     Agent
	receipt   *memory.Receipt // of an earlier time
}

// ledgerKey is under which key the receipt is kept: a dream is undone once, whoever asks with whatever key.
func (u *undoing) ledgerKey() string { return "undo/dream/" + u.dream.ID.String() }

func (u *undoing) run(ctx context.Context) (RevertedDream, error) {
	seen, already, err := u.look(ctx)
	switch {
	case err != nil:
		return RevertedDream{}, err
	case !seen:
		return RevertedDream{}, noDream(u.dream.ID)
	case already:
		if u.receipt == nil {
			u.receipt = &memory.Receipt{Replayed: true}
		}
		return u.finish(ctx, &pgx.Batch{}, u.receipt)
	}
	var changes []memory.Change
	conflicts := map[string][]memory.Conflict{}
	for _, d := range u.documents {
		change, clash := d.undo()
		if len(clash) > 0 {
			conflicts[d.path] = clash
		}
		if change != nil {
			changes = append(changes, *change)
		}
	}
	if len(conflicts) > 0 {
		return RevertedDream{Dream: u.dream, Conflicts: conflicts}, nil
	}
	return u.commit(ctx, append(changes, u.note()))
}

// look locks the dream and reads what it wrote.
func (u *undoing) look(ctx context.Context) (seen, already bool, err error) {
	t := u.t
	b := &pgx.Batch{}
	one(b.Queue(sqlDreamRevertLock, t.args(pgx.NamedArgs{"dream": u.dream.ID})), &seen, func(row pgx.CollectableRow) error { return row.Scan(&already) })
	queueLedger(b, t, u.ledgerKey(), &u.receipt)
	agent, diary := false, false
	one(b.Queue(sqlAgent, t.args(nil)), &agent, func(row pgx.CollectableRow) (err error) { u.agent, err = scanAgent(row); return err })
	one(b.Queue(sqlDocument, u.args(memory.DreamsPath)), &diary, func(row pgx.CollectableRow) (err error) { u.diary, err = scanContent(row); return err })
	u.documents = undoneDocuments(u.dream)
	for _, d := range u.documents {
		d.queue(b, u.args(d.path))
	}
	err = t.send(ctx, b)
	return seen, already, err
}

// args find a document of the dream.
func (u *undoing) args(path string) pgx.NamedArgs {
	return u.t.args(pgx.NamedArgs{
		"scope": u.dream.Scope, "path": path, "whose": rowOwner(u.t.id, u.dream.Scope), "row_agent": u.t.id.Agent,
	})
}

// commit sends the changes through the gate, together with what becomes of the dream and of what it promoted.
func (u *undoing) commit(ctx context.Context, changes []memory.Change) (RevertedDream, error) {
	t := u.t
	w, err := applyChanges(ctx, t, changeSet{key: u.ledgerKey(), changes: changes})
	if err != nil {
		return RevertedDream{}, err
	}
	act := &pgx.Batch{}
	args := t.args(pgx.NamedArgs{"dream": u.dream.ID, "by": t.id.Author.ID})
	act.Queue(sqlDreamReverted, args)
	act.Queue(sqlEntriesUndoneLock, args)
	act.Queue(sqlEntriesUndone, args)
	return u.finish(ctx, act, &w.receipt)
}

// finish ends the transaction and reads the dream as it is then.
func (u *undoing) finish(ctx context.Context, b *pgx.Batch, receipt *memory.Receipt) (RevertedDream, error) {
	result := RevertedDream{}
	found := false
	queueReport(b, u.t, u.dream.ID, &result.Dream, &found)
	if err := u.t.finish(ctx, b); err != nil {
		return RevertedDream{}, err
	}
	result.Receipt = *receipt
	return result, nil
}

// note is what the diary says about it: at the end of the dream's entry, or by itself when that has been folded away.
func (u *undoing) note() memory.Change {
	now := u.t.now
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
	change.Content = fmt.Sprintf("## %s Undone\n\nThe dream of %s.\n\n%s\n", at, u.dream.StartedAt.In(now.Location()).Format("2006-01-02 15:04"), report)
	return change
}
