package facts

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// sqlArchived reads statements in archives, the latest first. Each scope has its own part of the index.
const sqlArchived = `
select f.*, v.author_kind, v.author_id, v.workflow_id, v.run_id, v.reason, v.sources, '', '', '', '', '', d.path
from (
    select t.*
    from (values ('PERSONAL', @agent, @owner), ('TEAM', @agent, ''), ('GLOBAL', '', '')) p (scope, agent, owner)
    cross join lateral (` + selectFact + `
        from facts f
        where f.workspace_id = @workspace and f.agent_id = p.agent and f.scope = p.scope and f.owner_key = p.owner
            and f.ended is null and f.archived and (f.at, f.fact_id) < (@before::timestamptz, @before_fact::uuid)
            and (@text = '' or strpos(lower(f.text), @text) > 0 or strpos(lower(f.subject), @text) > 0 or strpos(lower(f.value), @text) > 0)
        order by f.at desc, f.fact_id desc
        limit @limit
    ) t
    order by t.at desc, t.fact_id desc
    limit @limit
) f
cross join lateral (
    select author_kind, author_id, workflow_id, run_id, reason, sources
    from document_versions v
    where v.workspace_id = @workspace and v.agent_id = f.agent_id and v.document_id = f.document_id and v.version = f.version
    limit 1
) v` + pathOf + `
order by f.at desc, f.fact_id desc`

// Archived lists the statements in the archives of documents that the identity sees, the latest first, with the versions that put them
// there. text is a part of the statement, or of its subject or value, in any case; empty: all.
func (s *Facts) Archived(ctx context.Context, id memory.Identity, text string, p pg.Page) (out pg.Listed[Wording], err error) {
	if err := pg.RequireAgent(id); err != nil {
		return out, err
	}
	if err := memory.ValidText("keyword", text, maxQuery); err != nil {
		return out, err
	}
	from, err := pg.ParseCursor(p.Cursor)
	if err != nil {
		return out, err
	}
	limit := pg.LimitOf(p.Limit)
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) (out pg.Listed[Wording], err error) {
		var rows []Wording
		b := &pgx.Batch{}
		pg.All(b.Queue(sqlArchived, t.Args(pgx.NamedArgs{
			"text": strings.ToLower(text), "limit": limit + 1, "before": from.At, "before_fact": from.ID,
		})), &rows, scanWording)
		queueBehind(b, t, late)
		if err := t.Send(ctx, b); err != nil {
			return out, err
		}
		out = pg.NewListed(rows, limit, func(w Wording) pg.Cursor { return pg.Cursor{At: w.At, ID: w.ID} })
		found := make([]Fact, len(out.Items))
		for i, w := range out.Items {
			found[i] = w.Fact
		}
		err = locate(ctx, t, found)
		for i, f := range found {
			out.Items[i].Fact = f
		}
		return out, err
	})
}
