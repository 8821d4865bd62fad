package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/memory"
)

// DreamStatus is how the dreaming of an owner stands.
type DreamStatus struct {
	Last     *Dream                 // the last one that ended and was no dry run; nil: none
	Running  *Dream                 // open, and no dry run; nil: none
	News     bool                   // something was written or said since
	NewsAt   time.Time              // when, first; zero without news
	Statuses map[dream.Status]int   // statements by status
	Diary    string                 // the latest entry of DREAMS.md
	Outcomes map[memory.Outcome]int // of the dreams of the last 30 days, without dry runs
}

// statusWindow is how far back DreamStatus counts outcomes.
const statusWindow = 30 * 24 * time.Hour

const (
	sqlDreamLast = dreamColumns + `'', ''` + dreamFrom + `and x.owner_key = @owner
    and x.finished_at is not null and not x.dry_run and x.replay_of is null
order by x.dream_id desc
limit 1`

	sqlDreamRunning = dreamColumns + `'', ''` + dreamFrom + `and x.owner_key = @owner
    and x.finished_at is null and not x.dry_run and x.replay_of is null
order by x.dream_id desc
limit 1`

	sqlDreamNewsOf = `
select since
from dream_news
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner`

	sqlEntryCounts = `
select status, count(*)
from dream_entries
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
group by status`

	sqlDreamOutcomes = `
select outcome, count(*)
from dreams
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner
    and started_at >= @since and not dry_run and replay_of is null
group by outcome`
)

// DreamStatus tells how the dreaming of the identity's owner stands; for the shared memory: of the owner system.
func (s *Store) DreamStatus(ctx context.Context, id memory.Identity) (DreamStatus, error) {
	if err := requireOwner(id); err != nil {
		return DreamStatus{}, err
	}
	return read(ctx, s, id, func(t *tx) (DreamStatus, error) {
		status := DreamStatus{}
		var last, running Dream
		var diary memory.Document
		var ended, open, written bool
		scope := dreamScope(id.Owner)
		args := t.args(pgx.NamedArgs{
			"since": t.now.Add(-statusWindow), "scope": scope, "whose": rowOwner(id, scope), "row_agent": id.Agent, "path": memory.DreamsPath,
		})
		b := &pgx.Batch{}
		one(b.Queue(sqlDreamLast, args), &ended, func(row pgx.CollectableRow) (err error) { last, err = scanDream(row); return err })
		one(b.Queue(sqlDreamRunning, args), &open, func(row pgx.CollectableRow) (err error) { running, err = scanDream(row); return err })
		one(b.Queue(sqlDreamNewsOf, args), &status.News, func(row pgx.CollectableRow) error { return row.Scan(&status.NewsAt) })
		status.Statuses = counted[dream.Status](b.Queue(sqlEntryCounts, args))
		status.Outcomes = counted[memory.Outcome](b.Queue(sqlDreamOutcomes, args))
		one(b.Queue(sqlDocument, args), &written, func(row pgx.CollectableRow) (err error) { diary, err = scanContent(row); return err })
		if err := t.finish(ctx, b); err != nil {
			return DreamStatus{}, err
		}
		if ended {
			status.Last = &last
		}
		if open {
			status.Running = &running
		}
		status.Diary = compose.LatestEntry(diary.Content)
		return status, nil
	})
}

// counted is what a statement counts, by name; it is filled when the batch is sent.
func counted[K ~string](q *pgx.QueuedQuery) map[K]int {
	counts := map[K]int{}
	q.Query(func(rows pgx.Rows) error {
		var key K
		var n int
		_, err := pgx.ForEachRow(rows, []any{&key, &n}, func() error { counts[key] = n; return nil })
		return err
	})
	return counts
}

// dreamScope is the scope of what is dreamed about an owner: what is shared belongs to the owner system.
func dreamScope(owner memory.Owner) memory.Scope {
	if owner == memory.SystemOwner {
		return memory.ScopeTeam
	}
	return memory.ScopePersonal
}
