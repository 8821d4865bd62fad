package facts

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// Recalled is a current fact that the contexts of a conversation contained, or results of searches in it.
type Recalled struct {
	Fact

	At     []time.Time // when, in order
	Prompt bool        // it was in the system prompt alone, whatever the conversation was about
}

const (
	// maxRecalled is the number of facts of searches, and of contexts, that Recalled lists.
	maxRecalled = 50
	// maxPrompted is the number of facts of the system prompt that Recalled lists, and maxContexts that of contexts.
	maxPrompted = 1000
	maxContexts = 500
)

const (
	// The facts of statements that searches found in a conversation.
	sqlRecalled = `
select f.*, r.at, d.path
from (
    select e.entry, array_agg(r.at order by r.at) as at
    from recalls r
    cross join lateral unnest(r.entries) e (entry)
    where r.workspace_id = @workspace and r.agent_id = @agent and r.owner_key = @owner and not r.synthetic and r.at between @from and @to
        and r.conversation_id = @conversation
    group by e.entry
    order by max(r.at) desc, e.entry
    limit @limit
) r
cross join lateral (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.scope = @scope and f.owner_key = @of and f.ended is null
        and f.shown and f.entry_id = r.entry
    limit 1
) f` + pathOf

	contextsOf = `
    from injections i
    where i.workspace_id = @workspace and i.agent_id = @agent and i.owner_key = @owner and i.conversation_id = @conversation
        and i.at between @from and @to`

	// The facts that contexts contained, whatever the message was.
	sqlStood = `
select f.*, i.at, d.path
from (
    select c.fact, array_agg(i.at order by i.at) as at
    from (
        select *` + contextsOf + `
        order by i.at desc
        limit @contexts
    ) i
    cross join lateral (
        select (c ->> 'fact')::uuid as fact
        from jsonb_array_elements(case jsonb_typeof(i.choices) when 'array' then i.choices else '[]' end) c
        where jsonb_exists(c, 'fact') and not jsonb_exists(c, 'omitted')
    ) c
    group by c.fact
    order by max(i.at) desc, c.fact
    limit @limit
) i
cross join lateral (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.fact_id = i.fact and f.scope = @scope and f.owner_key = @of
        and f.ended is null
    order by f.version
    limit 1
) f` + pathOf

	// The facts of the documents in the system prompt, and when contexts contained it.
	sqlPrompted = `
select f.*, i.at, d.path
from (
    select array_agg(i.at order by i.at) as at
    from (
        select i.at` + contextsOf + `
        order by i.at desc
        limit @contexts
    ) i
) i
cross join lateral (
    select document_id
    from documents e
    where e.workspace_id = @workspace and e.agent_id = @agent and e.scope = @scope and e.owner_key = @of and e.enabled
) e
cross join lateral (` + selectFact + `
    from facts f
    where f.workspace_id = @workspace and f.agent_id = @agent and f.document_id = e.document_id and f.ended is null and f.shown
        and not f.archived
    order by f.entry_id
    limit @prompted
) f` + pathOf + `
where i.at is not null
limit @prompted`
)

// Recalled lists the facts of a scope that were before the assistant in a conversation of the identity's owner in a period: results of
// searches and facts that contexts contained, the latest 50 of each, and those of the system prompt.
func (s *Facts) Recalled(
	ctx context.Context, id memory.Identity, scope memory.Scope, conversation string, from, to time.Time,
) ([]Recalled, error) {
	if err := pg.RequireOwner(id); err != nil {
		return nil, err
	}
	owner := memory.NoOwner
	if scope == memory.ScopePersonal {
		owner = id.Owner
	}
	return upToDate(ctx, s, id, func(t *pg.Tx, late *[]behind) ([]Recalled, error) {
		args := t.Args(pgx.NamedArgs{
			"scope": scope, "of": owner, "conversation": conversation, "from": from, "to": to, "limit": maxRecalled,
			"contexts": maxContexts, "prompted": maxPrompted,
		})
		b := &pgx.Batch{}
		var lists [3][]Recalled
		for i, sql := range []string{sqlRecalled, sqlStood, sqlPrompted} {
			pg.All(b.Queue(sql, args), &lists[i], func(row pgx.CollectableRow) (r Recalled, err error) {
				r.Fact, err = scan(row, &r.At)
				r.Prompt = sql == sqlPrompted
				return r, err
			})
		}
		queueBehind(b, t, late)
		err := t.Finish(ctx, b)
		return together(slices.Concat(lists[:]...)), err
	})
}

// together joins what is known of each fact. It leaves out the times before it was written.
func together(lists []Recalled) (all []Recalled) {
	at := map[uuid.UUID]int{}
	for _, r := range lists {
		r.At = slices.DeleteFunc(r.At, func(t time.Time) bool { return t.Before(r.Fact.At) })
		i, known := at[r.ID]
		switch {
		case len(r.At) == 0:
		case !known:
			at[r.ID] = len(all)
			all = append(all, r)
		default:
			all[i].At = append(all[i].At, r.At...)
			slices.SortFunc(all[i].At, time.Time.Compare)
			all[i].Prompt = all[i].Prompt && r.Prompt
		}
	}
	return all
}
