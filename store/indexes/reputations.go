package indexes

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search"
	"reverie/search/fuse"
	"reverie/store/pg"
)

const (
	sqlReputationOpen = `
insert into index_reputations (workspace_id, agent_id, space_id, corpus, evidence, sure, met, kinship, questions)
select @workspace, @agent, @space, @corpus, 0, 0, 0, 0, 0
from index_spaces
where workspace_id = @workspace and agent_id = @agent and space_id = @space and state <> 'dropping'
on conflict (workspace_id, agent_id, space_id, corpus) do nothing`

	sqlReputationLock = `
select evidence, sure, met, kinship, questions
from index_reputations
where workspace_id = @workspace and agent_id = @agent and space_id = @space and corpus = @corpus
for update`

	sqlReputationSave = `
update index_reputations set evidence = @evidence, sure = @sure, met = @met, kinship = @kinship, questions = @questions
where workspace_id = @workspace and agent_id = @agent and space_id = @space and corpus = @corpus`
)

// LearnReputations updates the reputations of a space with the votes of questions, in their order. It has no effect on a space that was
// dropped. Any identity of the agent may call it.
func (s *Index) LearnReputations(ctx context.Context, id memory.Identity, space int64, votes map[search.Corpus][]fuse.Votes) error {
	if err := pg.RequireAgent(id); err != nil {
		return err
	}
	corpora := slices.Sorted(maps.Keys(votes)) // all lock in this order
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		known, found := make([]fuse.Reputation, len(corpora)), make([]bool, len(corpora))
		b := &pgx.Batch{}
		for i, corpus := range corpora {
			args := t.Args(pgx.NamedArgs{"space": space, "corpus": corpus})
			b.Queue(sqlReputationOpen, args)
			r := &known[i]
			pg.Columns(b.Queue(sqlReputationLock, args), &found[i], &r.Evidence, &r.Sure, &r.Met, &r.Kinship, &r.Questions)
		}
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		b = &pgx.Batch{}
		for i, corpus := range corpora {
			if !found[i] {
				continue
			}
			r := known[i]
			for _, v := range votes[corpus] {
				r = r.After(v)
			}
			b.Queue(sqlReputationSave, t.Args(pgx.NamedArgs{
				"space": space, "corpus": corpus, "evidence": r.Evidence, "sure": r.Sure, "met": r.Met, "kinship": r.Kinship,
				"questions": r.Questions,
			}))
		}
		return none, t.Finish(ctx, b)
	})
	return err
}
