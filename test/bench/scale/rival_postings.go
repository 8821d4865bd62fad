package main

import (
	"context"
	"strings"

	"reverie/test/bench/services"
)

// BM25 over a table with one row for each word of each chunk, and an index that has all that is needed.
const (
	postingsTable = `
create table rival.posting as
select agent_id, lexeme as word, chunk, cardinality(positions)::smallint as times, words::smallint as words
from (
    select agent_id, row_number() over (order by agent_id, conversation_uid, seq)::int as chunk, words as vector,
        (select sum(cardinality(positions)) from unnest(words)) as words
    from rival.chunk
    where agent_id = any ($1::text[])
) c, unnest(vector)`

	postingsIndex = `create index on rival.posting (agent_id, word) include (chunk, times, words)`

	// What an agent has altogether, which the query needs.
	postingsTotals = `
create table rival.total as
select agent_id, count(*)::float8 as chunks, avg(words)::float8 as mean
from (select distinct agent_id, chunk, words from rival.posting) c
group by agent_id`

	postingsAnalyze = `vacuum analyze rival.posting` // scans of the index alone need it

	postingsQuery = `
select chunk
from (
    select chunk, times, words, count(*) over (partition by word) as having_it
    from rival.posting
    where agent_id = $1 and word = any ($2::text[])
) p, (
    select chunks, mean
    from rival.total
    where agent_id = $1
) t
group by chunk
order by sum(ln(1 + (chunks - having_it + 0.5) / (having_it + 0.5)) * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * words / mean))) desc
limit $3`
)

// loadPostings gives it the words of some agents' messages, which the text rival has.
func (r *rivals) loadPostings(ctx context.Context, agents ...string) error {
	if _, err := r.db.Exec(ctx, postingsTable, agents); err != nil {
		return err
	}
	for _, sql := range []string{postingsIndex, postingsTotals, postingsAnalyze} {
		if _, err := r.db.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

func (r *rivals) searchPostings(ctx context.Context, agent string, questions []string) (services.Latency, error) {
	return r.time(ctx, postingsQuery, questions, func(q string) []any { return []any{agent, strings.Fields(q), results} })
}
