package dreams

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/search"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Recall is one search whose results were used.
type Recall struct {
	Identity  memory.Identity // of an agent; its owner asked
	QueryHash [sha256.Size]byte
	Day       time.Time // in the owner's time zone
	Synthetic bool      // by a test, a dream or an operator: it counts for nothing
	Hits      []RecalledHit
	At        time.Time

	Conversation string // in which they were used; the client's id, empty: in none
}

// RecalledHit is one result, identified by what survives edits of its document.
type RecalledHit struct {
	Corpus           search.Corpus
	Scope            memory.Scope
	Source           uuid.UUID // document or conversation
	Path             string
	FromLine, ToLine int
	ChunkHash        [sha256.Size]byte
	Entries          []markdown.EntryID
	Score            float64
}

const (
	sqlRecallInsert = `
insert into recalls (workspace_id, agent_id, owner_key, recall_id, query_hash, day, synthetic, corpus, scope, source_uid, path,
    from_line, to_line, chunk_hash, entries, score, rank, at, conversation_id)
select @workspace, @agent, @owner, @recall, @query, @day, @synthetic, h.corpus, h.scope, h.source_uid, h.path,
    h.from_line, h.to_line, h.chunk_hash, string_to_array(h.entries, ' '), h.score, h.rank, @at, @conversation
from unnest(@corpora::text[], @scopes::text[], @sources::uuid[], @paths::text[], @from_lines::int[], @to_lines::int[],
    @hashes::bytea[], @entries::text[], @scores::real[]) with ordinality
    h (corpus, scope, source_uid, path, from_line, to_line, chunk_hash, entries, score, rank)`

	sqlRecalls = `
select recall_id, owner_key, query_hash, day, synthetic, corpus, scope, source_uid, path, from_line, to_line,
    chunk_hash, entries, score, rank, at
from recalls
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and at >= @since
    and (@synthetic::boolean or not synthetic)
order by at, recall_id, rank
limit @limit`
)

// RecordRecalls stores recalls of any identities and their journal events, in one transaction.
func (s *Dreaming) RecordRecalls(ctx context.Context, recalls []Recall) error {
	if len(recalls) == 0 {
		return nil
	}
	first, err := pg.SettingsOf(recalls[0].Identity)
	if err != nil {
		return err
	}
	_, err = pg.Run(ctx, s.db, &pg.Tx{Settings: first, ID: recalls[0].Identity, Mode: pg.SQLBegin}, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		for _, r := range recalls {
			set, err := pg.SettingsOf(r.Identity)
			if err != nil {
				return none, err
			}
			b.Queue(pg.SQLIdentity, set.Args()...) // each row is written by the identity of its recall
			b.Queue(sqlRecallInsert, r.args())
			if err := queueRecallEvent(b, &pg.Tx{Settings: set, ID: r.Identity, Now: r.At}, r); err != nil {
				return none, err
			}
		}
		return none, t.Finish(ctx, b)
	})
	return err
}

func (r Recall) args() pgx.NamedArgs {
	n := len(r.Hits)
	corpora, scopes, paths, entries := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	sources, hashes := make([]uuid.UUID, n), make([][]byte, n)
	from, to, scores := make([]int, n), make([]int, n), make([]float32, n)
	for i, h := range r.Hits {
		corpora[i], scopes[i], paths[i], entries[i] = string(h.Corpus), string(h.Scope), h.Path, joinedEntries(h.Entries)
		sources[i], hashes[i] = h.Source, h.ChunkHash[:]
		from[i], to[i], scores[i] = h.FromLine, h.ToLine, float32(h.Score)
	}
	return pgx.NamedArgs{
		"workspace": r.Identity.Workspace, "agent": r.Identity.Agent, "owner": string(r.Identity.Owner), "recall": pg.NewID(),
		"query": r.QueryHash[:], "day": r.Day, "synthetic": r.Synthetic, "at": r.At, "conversation": r.Conversation,
		"corpora": corpora, "scopes": scopes, "sources": sources, "paths": paths, "from_lines": from, "to_lines": to,
		"hashes": hashes, "entries": entries, "scores": scores,
	}
}

// joinedEntries joins ids with spaces, which they do not contain.
func joinedEntries(ids []markdown.EntryID) string { return strings.Join(pg.TextsOf(ids), " ") }

// Recalled is one recorded result.
type Recalled struct {
	Recall    uuid.UUID
	Owner     memory.Owner
	QueryHash [sha256.Size]byte
	Day       time.Time
	Synthetic bool
	RecalledHit
	Rank int // in its search, from 1
	At   time.Time
}

// Recalls lists at most limit results that the identity's owner used since a time, oldest first: organic ones, and synthetic ones
// if asked for.
func (s *Dreaming) Recalls(ctx context.Context, id memory.Identity, since time.Time, synthetic bool, limit int) ([]Recalled, error) {
	if err := pg.RequireAgent(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlRecalls, pgx.NamedArgs{"since": since, "synthetic": synthetic, "limit": pg.LimitOf(limit)}, scanRecalled)
}

func scanRecalled(row pgx.CollectableRow) (r Recalled, err error) {
	var query, chunk []byte
	var entries []string
	err = row.Scan(&r.Recall, &r.Owner, &query, &r.Day, &r.Synthetic, &r.Corpus, &r.Scope, &r.Source, &r.Path, &r.FromLine, &r.ToLine,
		&chunk, &entries, &r.Score, &r.Rank, &r.At)
	if err != nil {
		return r, err
	}
	copy(r.QueryHash[:], query)
	copy(r.ChunkHash[:], chunk)
	for _, entry := range entries {
		r.Entries = append(r.Entries, markdown.EntryID(entry))
	}
	return r, nil
}

// recallDetail is the event detail of a recall: the places that were found, without query or contents.
type recallDetail struct {
	QueryHash string      `json:"queryHash"` // hexadecimal; the caller has keyed it with the workspace
	Synthetic bool        `json:"synthetic"`
	Results   int         `json:"results"`
	Hits      []recallHit `json:"hits"`
}

// recallHit is one result, the best first.
type recallHit struct {
	Corpus    search.Corpus `json:"corpus"`
	Scope     memory.Scope  `json:"scope"`
	Path      string        `json:"path"`
	StartLine int           `json:"startLine"`
	EndLine   int           `json:"endLine"`
	Score     float64       `json:"score"`
}

// queueRecallEvent queues the event of a recall, by the current identity of the transaction.
func queueRecallEvent(b *pgx.Batch, t *pg.Tx, r Recall) error {
	scope := memory.ScopePersonal
	if r.Identity.Owner == memory.NoOwner {
		scope = memory.ScopeTeam
	}
	detail := recallDetail{
		QueryHash: hex.EncodeToString(r.QueryHash[:]), Synthetic: r.Synthetic, Results: len(r.Hits), Hits: make([]recallHit, len(r.Hits)),
	}
	for i, h := range r.Hits {
		detail.Hits[i] = recallHit{h.Corpus, h.Scope, h.Path, h.FromLine, h.ToLine, h.Score}
	}
	return gate.QueueEvent(b, t, gate.JournalEvent{
		Kind: gate.EventRecallRecorded, Agent: r.Identity.Agent, Scope: scope, Owner: gate.RowOwner(r.Identity, scope), Detail: detail,
	})
}
