package facts

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/pg"
)

// maxAsOf is the maximum number of facts of a past time that are weighed.
const maxAsOf = 5000

// Mentions of the same words, feedback and confirmations count up to that time. As in weights, copies of the same words are weighed
// together. Therefore facts that the query does not select are read too, after the selected ones.
const sqlFactsAsOf = `
select f.fact_id, f.document_id, f.agent_id, f.scope, f.owner_key, f.entry_id, f.version, f.at, f.ended, f.ended_at, f.text, f.heading,
    f.category, f.kind, f.subject, f.attribute, f.value, f.single, f.confidence, f.valid_from, f.valid_to, f.half_life, f.source,
    coalesce(felt.helpful, 0), coalesce(felt.unhelpful, 0), 1, greatest(f.day - date '1970-01-01', felt.seen)::float8, 0::float8, f.archived,
    f.day, felt.heard, f.selected, d.path
from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
cross join lateral (
    select f.*, (@text = '' or strpos(lower(f.text), @text) > 0 or strpos(lower(f.subject), @text) > 0 or strpos(lower(f.value), @text) > 0)
        and (@category = '' or f.category = @category)
        and (@kind = '' or f.kind = @kind)
        and (@attribute = '' or f.attribute = @attribute)
        and (@archived or not f.archived) as selected
    from facts f
    where f.workspace_id = @workspace and f.agent_id = p.agent and f.scope = p.scope and f.owner_key = p.owner
        and f.at <= @as_of and (f.ended_at is null or f.ended_at > @as_of)
    order by selected desc, f.at desc
    limit @limit
) f` + pathOf + `
cross join lateral (
    select sum(weight) filter (where kind = 'HELPFUL') as helpful, sum(weight) filter (where kind = 'UNHELPFUL') as unhelpful,
        extract(epoch from max(at) filter (where kind in ('HELPFUL', 'HEARD')))::float8 / 86400 as seen,
        array_agg((at at time zone 'UTC')::date) filter (where kind = 'HEARD') as heard
    from fact_events e
    where e.workspace_id = @workspace and e.agent_id = f.agent_id and e.fact_id = f.fact_id and e.at <= @as_of
        and (e.undone_at is null or e.undone_at > @as_of)
) felt`

// past is a fact of a past time with the days on which it was noted and heard again.
type past struct {
	Fact
	day      time.Time
	heard    []time.Time
	selected bool // the query selects it, whatever its path and trust are
}

// ByTrustAsOf lists the facts that the identity sees and that were current at a time, with the trust that they had then, the most
// trusted first. Of more than 5,000 of one scope it lists those that were noted last. Lines are not set. It is ByTrust for the past.
func (s *Facts) ByTrustAsOf(ctx context.Context, id memory.Identity, q Query, at time.Time) (Listed, error) {
	if err := pg.RequireAgent(id); err != nil {
		return Listed{}, err
	}
	for field, text := range map[string]string{"keyword": q.Text, "attribute": q.Attribute, "path": q.Path} {
		if err := memory.ValidText(field, text, maxQuery); err != nil {
			return Listed{}, err
		}
	}
	from, err := strconv.Atoi(cmp.Or(q.Cursor, "0"))
	if err != nil || from < 0 {
		return Listed{}, &pg.InvalidError{Field: "cursor", Problem: "use the cursor from the previous page"}
	}
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (Listed, error) {
		var rows []past
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlFactsAsOf, t.Args(pgx.NamedArgs{
			"text": strings.ToLower(q.Text), "category": q.Category, "kind": q.Kind, "attribute": q.Attribute, "archived": q.Archived, "as_of": at,
			"limit": maxAsOf,
		})), &rows, func(row pgx.CollectableRow) (p past, err error) {
			p.Fact, err = scan(row, &p.day, &p.heard, &p.selected)
			return p, err
		})
		queueBehind(b, t, late)
		if err := t.Finish(ctx, b); err != nil {
			return Listed{}, err
		}
		limit := pg.LimitOf(q.Limit)
		all := once(rows, q, at)
		out := Listed{Behind: len(*late) > 0}
		out.Items = all[min(from, len(all)):min(from+limit, len(all))]
		if from+limit < len(all) {
			out.Next = strconv.Itoa(from + limit)
		}
		return out, nil
	})
}

// once returns the facts that a query selects, the most trusted first. Words that occur in several documents of the same people are
// returned once: as the fact of the first document, in the order of weights, with the days of all.
func once(rows []past, q Query, at time.Time) (all []Fact) {
	type words struct {
		scope memory.Scope
		entry markdown.EntryID
	}
	same := map[words][]past{}
	for _, r := range rows {
		key := words{r.Scope, r.Entry}
		same[key] = append(same[key], r)
	}
	for _, copies := range same {
		f := slices.MinFunc(copies, compareCopies)
		if !f.selected || q.Path != "" && q.Path != f.Path {
			continue
		}
		days := map[string]bool{}
		for _, day := range f.heard {
			days[day.Format(time.DateOnly)] = true
		}
		for _, c := range copies {
			days[c.day.Format(time.DateOnly)] = true
			if c.day.After(f.Evidence.Seen) {
				f.Evidence.Seen = c.day
			}
		}
		if f.Evidence.Days = len(days); q.admits(f.Evidence.Trust(at)) {
			all = append(all, f.Fact)
		}
	}
	slices.SortFunc(all, func(a, b Fact) int {
		return cmp.Or(
			cmp.Compare(b.Evidence.Trust(at), a.Evidence.Trust(at)), cmp.Compare(a.HalfLife, b.HalfLife), bytes.Compare(a.ID[:], b.ID[:]),
		)
	})
	return all
}

// compareCopies orders the same words in several documents as weights does: the first one is shown.
func compareCopies(a, b past) int {
	aNote, bNote := facts.Rank(a.Path) == facts.NotesRank, facts.Rank(b.Path) == facts.NotesRank
	if aNote != bNote {
		if aNote {
			return 1
		}
		return -1
	}
	if a.Archived != b.Archived {
		if a.Archived {
			return 1
		}
		return -1
	}
	return cmp.Or(facts.Rank(a.Path)-facts.Rank(b.Path), a.day.Compare(b.day), bytes.Compare(a.Document[:], b.Document[:]))
}
