package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

// DreamFilter limits a list of dreams; zero fields do not.
type DreamFilter struct {
	Mode    memory.DreamMode
	Outcome memory.Outcome
	// Real leaves out dry runs and replays.
	Real bool
}

// ChangedDream is a dream with the moment of its last change.
type ChangedDream struct {
	Dream
	ChangedAt time.Time
}

const (
	sqlDream = dreamColumns + `x.diff, x.raw` + dreamFrom + `
    and x.dream_id = @dream`

	sqlDreams      = dreamColumns + `'', ''` + dreamFrom + `and x.owner_key = @owner` + dreamList
	sqlDreamsOfAll = dreamColumns + `'', ''` + dreamFrom + dreamList

	dreamList = `
    and x.dream_id < @before
    and (@mode = '' or x.mode = @mode)
    and (@outcome = '' or x.outcome = @outcome)
    and (not @real or not x.dry_run and x.replay_of is null)
order by x.dream_id desc
limit @limit`

	sqlDreamsSince = dreamColumns + `'', '', x.changed_at` + dreamFrom + `
    and x.changed_at > @since
    and (@every or x.owner_key = @owner)
order by x.changed_at, x.dream_id
limit @limit`

	sqlDreamCandidates = `
select rank, body
from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and rank > @after
    and (@verdict = '' or verdict = @verdict)
order by rank
limit @limit`
)

func scanChangedDream(row pgx.CollectableRow) (x ChangedDream, err error) {
	x.Dream, err = scanDreamAnd(row, &x.ChangedAt)
	return x, err
}

// queueReport queues reading a dream of anybody that the identity sees.
func queueReport(b *pgx.Batch, t *tx, dreamID uuid.UUID, to *Dream, found *bool) {
	one(b.Queue(sqlDream, t.args(pgx.NamedArgs{"dream": dreamID})), found,
		func(row pgx.CollectableRow) (err error) { *to, err = scanDream(row); return err })
}

// Dream returns one report, with Raw and Diff, without candidates.
func (s *Store) Dream(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (Dream, error) {
	if err := requireAgent(id); err != nil {
		return Dream{}, err
	}
	return read(ctx, s, id, func(t *tx) (x Dream, err error) {
		found := false
		b := &pgx.Batch{}
		queueReport(b, t, dreamID, &x, &found)
		if err := t.finish(ctx, b); err != nil {
			return Dream{}, err
		}
		if !found {
			return Dream{}, noDream(dreamID)
		}
		return x, nil
	})
}

// everybody reports whether an identity that names nobody reads what is everybody's.
func (t *tx) everybody() bool { return t.anyOwner && t.owner == "" }

// Dreams lists reports of the identity's owner (with AnyOwner and without an owner: of all), newest first, without Raw and Diff.
func (s *Store) Dreams(ctx context.Context, id memory.Identity, f DreamFilter, p Page) (Listed[Dream], error) {
	if err := requireAgent(id); err != nil {
		return Listed[Dream]{}, err
	}
	from, err := parseCursor(p.Cursor)
	if err != nil {
		return Listed[Dream]{}, err
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[Dream], error) {
		sql := sqlDreams
		if t.everybody() {
			sql = sqlDreamsOfAll
		}
		var found []Dream
		b := &pgx.Batch{}
		all(b.Queue(sql, t.args(pgx.NamedArgs{
			"before": from.id, "mode": f.Mode, "outcome": f.Outcome, "real": f.Real, "limit": limit + 1,
		})), &found, scanDream)
		if err := t.finish(ctx, b); err != nil {
			return Listed[Dream]{}, err
		}
		return listed(found, limit, func(x Dream) cursor { return cursor{at: x.StartedAt, id: x.ID} }), nil
	})
}

// DreamsSince lists dreams of the identity's owner (with AnyOwner and without an owner: of all) that changed (phase or
// outcome) after a moment, oldest change first, for who follows them. A change whose transaction took longer may appear later
// with an earlier moment: who must not miss one asks again from a few seconds before.
func (s *Store) DreamsSince(ctx context.Context, id memory.Identity, since time.Time, limit int) ([]ChangedDream, error) {
	if err := requireAgent(id); err != nil {
		return nil, err
	}
	return read(ctx, s, id, func(t *tx) (changed []ChangedDream, err error) {
		b := &pgx.Batch{}
		all(b.Queue(sqlDreamsSince, t.args(pgx.NamedArgs{"since": since, "every": t.everybody(), "limit": limitOf(limit)})),
			&changed, scanChangedDream)
		err = t.finish(ctx, b)
		return changed, err
	})
}

// rankedCandidate is a candidate with its place in the list.
type rankedCandidate struct {
	rank int
	dream.Candidate
}

func scanRanked(row pgx.CollectableRow) (c rankedCandidate, err error) {
	err = row.Scan(&c.rank, &c.Candidate)
	return c, err
}

// DreamCandidates are the candidates of one dream, best first. verdict "" means all.
func (s *Store) DreamCandidates(ctx context.Context, id memory.Identity, dreamID uuid.UUID, verdict dream.Verdict, p Page) (Listed[dream.Candidate], error) {
	if err := requireAgent(id); err != nil {
		return Listed[dream.Candidate]{}, err
	}
	after := int64(0) // the cursor of this list has a rank for its time
	if p.Cursor != "" {
		from, err := parseCursor(p.Cursor)
		if err != nil {
			return Listed[dream.Candidate]{}, err
		}
		after = from.at.UnixMicro()
	}
	limit := limitOf(p.Limit)
	return read(ctx, s, id, func(t *tx) (Listed[dream.Candidate], error) {
		var x Dream
		var found []rankedCandidate
		known := false
		b := &pgx.Batch{}
		queueReport(b, t, dreamID, &x, &known)
		all(b.Queue(sqlDreamCandidates, t.args(pgx.NamedArgs{
			"dream": dreamID, "after": after, "verdict": verdict, "limit": limit + 1,
		})), &found, scanRanked)
		if err := t.finish(ctx, b); err != nil {
			return Listed[dream.Candidate]{}, err
		}
		if !known {
			return Listed[dream.Candidate]{}, noDream(dreamID)
		}
		page := listed(found, limit, func(c rankedCandidate) cursor { return cursor{at: time.UnixMicro(int64(c.rank)), id: dreamID} })
		out := Listed[dream.Candidate]{Next: page.Next}
		for _, c := range page.Items {
			out.Items = append(out.Items, c.Candidate)
		}
		return out, nil
	})
}
