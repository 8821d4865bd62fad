package main

import (
	"context"
	"strings"

	"reverie/test/bench/services"
)

// Full-text search as PostgreSQL has it: tsvector, GIN and ts_rank over the words of the question joined by OR. The index
// leads with the agent, by which the database would else have to filter.
const (
	textTable = `
create extension if not exists btree_gin;
create table rival.chunk as
select agent_id, conversation_uid, seq, to_tsvector('simple', content) as words
from messages;
create index chunk_words on rival.chunk using gin (agent_id, words)`

	textAnalyze = `vacuum analyze rival.chunk`

	textQuery = `
select conversation_uid, seq
from rival.chunk, to_tsquery('simple', $2) q
where agent_id = $1 and words @@ q
order by ts_rank(words, q) desc
limit $3`
)

// loadText gives it all messages.
func (r *rivals) loadText(ctx context.Context) error {
	if _, err := r.db.Exec(ctx, textTable); err != nil {
		return err
	}
	_, err := r.db.Exec(ctx, textAnalyze)
	return err
}

func (r *rivals) searchText(ctx context.Context, agent string, questions []string) (services.Latency, error) {
	return r.time(ctx, textQuery, questions, func(q string) []any {
		return []any{agent, strings.Join(strings.Fields(q), " | "), results}
	})
}
