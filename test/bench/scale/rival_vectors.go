package main

import (
	"context"

	"github.com/pgvector/pgvector-go"

	"reverie/test/bench/services"
)

// An exact scan over the same vectors in a narrow table.
const (
	vectorsTable = `
create table rival.vector (
    agent_id  text    not null,
    group_no  bigint  not null,
    ordinal   bigint  not null,
    embedding halfvec not null
);
alter table rival.vector alter column embedding set storage plain;
insert into rival.vector
select agent_id, group_no, ordinal, embedding
from index_vectors;
create index on rival.vector (agent_id)`

	vectorsAnalyze = `vacuum analyze rival.vector`

	vectorsQuery = `
select group_no, ordinal
from rival.vector
where agent_id = $1
order by embedding <=> $2::halfvec
limit $3`
)

// loadVectors gives it every vector that the index has.
func (r *rivals) loadVectors(ctx context.Context) error {
	if _, err := r.db.Exec(ctx, vectorsTable); err != nil {
		return err
	}
	_, err := r.db.Exec(ctx, vectorsAnalyze)
	return err
}

func (r *rivals) searchVectors(ctx context.Context, agent string, questions []string, dimensions int) (services.Latency, error) {
	return r.time(ctx, vectorsQuery, questions, func(q string) []any {
		return []any{agent, pgvector.NewHalfVector(vectorOf(q, dimensions)), results}
	})
}
