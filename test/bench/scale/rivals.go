package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"reverie/test/bench/services"
)

// rivals are plain ways to search the same texts on the same server, in the same run, in a separate schema. They are
// queried directly, without an API, an identity or row-level security, which is in their favour.
type rivals struct {
	db *pgx.Conn
}

// openRivals creates the schema, as the database's superuser.
func openRivals(ctx context.Context, url string) (*rivals, error) {
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, `create schema rival; set maintenance_work_mem to '512MB'`); err != nil {
		return nil, errors.Join(err, db.Close(ctx))
	}
	return &rivals{db}, nil
}

// time runs a statement for each question, one after the other, and reads all rows. The first runs are not measured.
func (r *rivals) time(ctx context.Context, sql string, questions []string, args func(question string) []any) (services.Latency, error) {
	took := make([]time.Duration, 0, len(questions))
	warm := min(warmUp, len(questions))
	for i, q := range slices.Concat(questions[:warm], questions) {
		arguments := args(q)
		began := time.Now()
		rows, err := r.db.Query(ctx, sql, arguments...)
		if err != nil {
			return services.Latency{}, err
		}
		found, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			return services.Latency{}, err
		}
		if len(found) == 0 {
			return services.Latency{}, fmt.Errorf("question %d has no results", i+1)
		}
		if i >= warm {
			took = append(took, time.Since(began))
		}
	}
	return services.LatencyOf(took), nil
}

// BM25 over a table with one row per word and chunk, and a covering index.
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

	// Totals of an agent, which the query needs.
	postingsTotals = `
create table rival.total as
select agent_id, count(*)::float8 as chunks, avg(words)::float8 as mean
from (select distinct agent_id, chunk, words from rival.posting) c
group by agent_id`

	postingsAnalyze = `vacuum analyze rival.posting` // required for index-only scans

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

// loadPostings loads the words of some agents' messages from the text rival.
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

// PostgreSQL's full-text search: tsvector, GIN and ts_rank over the words of the question joined by OR. The index
// leads with the agent, which would otherwise be a filter.
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

// loadText loads all messages.
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

// loadVectors loads every vector of the index.
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
