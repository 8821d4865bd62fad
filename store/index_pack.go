package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search/index"
)

const (
	// packFrom is how many fresh rows of a shelf are worth merging. Reading so many costs a search about a millisecond.
	packFrom = 64
	// packRows is how many fresh rows one merge takes at most; they are held in memory.
	packRows = 4096
	// maxSegmentUnits is from where on a segment is not merged any more: a merge holds two of them in memory, and takes
	// seconds. A search through a million units reads some twenty segments.
	maxSegmentUnits = 1 << 16
	// mergeRatio is how much larger than what is merged with it a segment may be: so a unit is written anew about
	// log2(units/packFrom) times in its life.
	mergeRatio = 2
	// blocksBytes bounds what one statement writes.
	blocksBytes = 4 << 20
)

const (
	sqlPackShelf = `
select corpus, agent_id, scope, owner_key
from index_fresh
where workspace_id = @workspace and agent_id = @agent
group by corpus, agent_id, scope, owner_key
having count(*) >= @from
order by count(*) desc, corpus, scope, owner_key
limit 1`

	// One merge of a shelf at a time. Whoever comes second has nothing to do.
	sqlPackLock = `
select pg_try_advisory_xact_lock(hashtextextended(concat_ws(':', 'reverie pack', @workspace::text, @agent::text, @corpus::text, @scope::text, @owner::text), 0))`

	sqlPackTake = `
delete from index_fresh
where (workspace_id, agent_id, corpus, scope, owner_key, group_no, head) in (
    select workspace_id, agent_id, corpus, scope, owner_key, group_no, head
    from index_fresh
    where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and scope = @scope and owner_key = @owner
    order by group_no, head
    limit @limit)
returning group_no, data`

	sqlPackSegments = `
select segment_id, units
from index_segments
where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and scope = @scope and owner_key = @owner
order by units, segment_id`

	sqlPackGraves = `
select group_no
from index_graves
where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and scope = @scope and owner_key = @owner`

	sqlPackUnits = `
select segment_id, data
from index_segments
where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and scope = @scope and owner_key = @owner
    and segment_id = any (@segments::bigint[])`

	sqlPackBlocks = `
select segment_id, bucket, term, data
from index_blocks
where workspace_id = @workspace and agent_id = @agent and segment_id = @segment`

	sqlPackDropBlocks = `
delete from index_blocks
where workspace_id = @workspace and agent_id = @agent and segment_id = @segment`

	sqlPackDropSegment = `
delete from index_segments
where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and scope = @scope and owner_key = @owner
    and segment_id = @segment`

	sqlPackDropGraves = `
delete from index_graves
where workspace_id = @workspace and agent_id = @agent and corpus = @corpus and scope = @scope and owner_key = @owner
    and group_no = any (@groups::bigint[])`

	sqlPackSegment = `
insert into index_segments (workspace_id, agent_id, corpus, scope, owner_key, units, bits, data)
values (@workspace, @agent, @corpus, @scope, @owner, @units, @bits, @data)
returning segment_id`

	sqlPackBlock = `
insert into index_blocks (workspace_id, agent_id, scope, owner_key, segment_id, bucket, term, data)
select @workspace, @agent, @scope, @owner, @segment, b.bucket, b.term, b.data
from unnest(@buckets::int[], @terms::bigint[], @data::bytea[]) b (bucket, term, data)`
)

// Packed tells what a merge did.
type Packed struct {
	Units int  // of the segment that it made
	More  bool // something else may be worth merging
}

// PackIndex merges what was written lately to the busiest part of the index of the identity's agent (without one: of the
// workspace), and segments that are not much larger. It changes nothing that is found.
func (s *Store) PackIndex(ctx context.Context, id memory.Identity) (Packed, error) {
	return s.packFrom(ctx, id, packFrom)
}

// packFrom is PackIndex of shelves with at least so many fresh rows.
func (s *Store) packFrom(ctx context.Context, id memory.Identity, rows int) (Packed, error) {
	if err := requireTender(id); err != nil {
		return Packed{}, err
	}
	return inTx(ctx, s, id, func(t *tx) (Packed, error) {
		p := packing{t: t}
		if found, err := p.choose(ctx, rows); err != nil || !found {
			return Packed{}, err
		}
		if err := p.take(ctx); err != nil {
			return Packed{}, err
		}
		return Packed{Units: len(p.merged.Units), More: true}, p.put(ctx)
	})
}

// packing is one merge.
type packing struct {
	t        *tx
	shelf    shelf
	parts    []*index.Segment
	segments []int64 // that are merged
	kept     []int64 // that stay
	graves   map[int64]bool
	merged   *index.Segment
}

// choose finds a shelf and takes it for this transaction.
func (p *packing) choose(ctx context.Context, rows int) (bool, error) {
	found := false
	b := &pgx.Batch{}
	one(b.Queue(sqlPackShelf, p.t.args(pgx.NamedArgs{"from": rows})), &found, func(row pgx.CollectableRow) error {
		return row.Scan(&p.shelf.corpus, &p.shelf.agent, &p.shelf.scope, &p.shelf.owner)
	})
	if err := p.t.send(ctx, b); err != nil || !found {
		return false, err
	}
	free := false
	b = &pgx.Batch{}
	b.Queue(sqlPackLock, p.shelf.args(p.t, nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&free) })
	err := p.t.send(ctx, b)
	return free, err
}

type segmentSize struct {
	id    int64
	units int
}

// take reads what is merged.
func (p *packing) take(ctx context.Context) error {
	p.graves = map[int64]bool{}
	var sizes []segmentSize
	total := 0
	b := &pgx.Batch{}
	b.Queue(sqlPackTake, p.shelf.args(p.t, pgx.NamedArgs{"limit": packRows})).Query(func(rows pgx.Rows) error {
		var group int64
		var data []byte
		_, err := pgx.ForEachRow(rows, []any{&group, &data}, func() error {
			part, err := index.UnpackSegment(data)
			if err != nil {
				return err
			}
			index.InGroup(part.Units, group)
			p.parts = append(p.parts, part)
			total += len(part.Units)
			return nil
		})
		return err
	})
	b.Queue(sqlPackSegments, p.shelf.args(p.t, nil)).Query(func(rows pgx.Rows) error {
		var id int64
		var units int
		_, err := pgx.ForEachRow(rows, []any{&id, &units}, func() error {
			sizes = append(sizes, segmentSize{id, units})
			return nil
		})
		return err
	})
	b.Queue(sqlPackGraves, p.shelf.args(p.t, nil)).Query(func(rows pgx.Rows) error {
		var group int64
		_, err := pgx.ForEachRow(rows, []any{&group}, func() error { p.graves[group] = true; return nil })
		return err
	})
	if err := p.t.send(ctx, b); err != nil {
		return err
	}
	for _, segment := range sizes { // from the smallest on
		if segment.units <= mergeRatio*total && total+segment.units <= maxSegmentUnits {
			p.segments = append(p.segments, segment.id)
			total += segment.units
		} else {
			p.kept = append(p.kept, segment.id)
		}
	}
	return p.load(ctx)
}

// load reads the chosen segments and merges everything.
func (p *packing) load(ctx context.Context) error {
	units, blocks := map[int64][]index.Unit{}, map[int64][]index.Block{}
	var kept [][]index.Unit
	b := &pgx.Batch{}
	b.Queue(sqlPackUnits, p.shelf.args(p.t, pgx.NamedArgs{"segments": p.segments})).Query(p.unitsInto(func(id int64, u []index.Unit) { units[id] = u }))
	for _, segment := range p.segments {
		b.Queue(sqlPackBlocks, p.shelf.args(p.t, pgx.NamedArgs{"segment": segment})).Query(func(rows pgx.Rows) error {
			var id, term int64
			var block index.Block
			_, err := pgx.ForEachRow(rows, []any{&id, &block.Bucket, &term, &block.Data}, func() error {
				block.Term = index.TermID(term)
				blocks[id] = append(blocks[id], block)
				return nil
			})
			return err
		})
	}
	if len(p.graves) > 0 { // what stays may have their groups as well
		b.Queue(sqlPackUnits, p.shelf.args(p.t, pgx.NamedArgs{"segments": p.kept})).Query(p.unitsInto(func(_ int64, u []index.Unit) { kept = append(kept, u) }))
	}
	if err := p.t.send(ctx, b); err != nil {
		return err
	}
	for _, id := range p.segments {
		part, err := index.FromBlocks(units[id], blocks[id])
		if err != nil {
			return err
		}
		p.parts = append(p.parts, part)
	}
	p.merged = index.MergeSegments(p.parts, func(group int64) bool { return p.graves[group] })
	for _, stays := range kept { // these graves are needed further on
		for _, u := range stays {
			delete(p.graves, u.Group)
		}
	}
	return nil
}

func (p *packing) unitsInto(take func(int64, []index.Unit)) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var id int64
		var data []byte
		_, err := pgx.ForEachRow(rows, []any{&id, &data}, func() error {
			units, err := index.UnpackUnits(data)
			take(id, units)
			return err
		})
		return err
	}
}

// put writes the new segment in place of what it was made of.
func (p *packing) put(ctx context.Context) error {
	b := &pgx.Batch{}
	for _, segment := range p.segments {
		args := p.shelf.args(p.t, pgx.NamedArgs{"segment": segment})
		b.Queue(sqlPackDropBlocks, args)
		b.Queue(sqlPackDropSegment, args)
	}
	graves := make([]int64, 0, len(p.graves))
	for group := range p.graves {
		graves = append(graves, group)
	}
	b.Queue(sqlPackDropGraves, p.shelf.args(p.t, pgx.NamedArgs{"groups": graves}))
	if len(p.merged.Units) == 0 {
		return p.t.finish(ctx, b)
	}
	bits, blocks := p.merged.Blocks()
	var segment int64
	b.Queue(sqlPackSegment, p.shelf.args(p.t, pgx.NamedArgs{
		"units": len(p.merged.Units), "bits": bits, "data": index.PackUnits(p.merged.Units),
	})).QueryRow(func(row pgx.Row) error { return row.Scan(&segment) })
	if err := p.t.send(ctx, b); err != nil {
		return err
	}
	for len(blocks) > 0 {
		n := 0
		for size := 0; n < len(blocks) && size < blocksBytes; n++ {
			size += len(blocks[n].Data)
		}
		b := &pgx.Batch{}
		p.queueBlocks(b, segment, blocks[:n])
		if err := p.t.send(ctx, b); err != nil {
			return err
		}
		blocks = blocks[n:]
	}
	return nil
}

func (p *packing) queueBlocks(b *pgx.Batch, segment int64, blocks []index.Block) {
	buckets, terms, data := make([]int, len(blocks)), make([]int64, len(blocks)), make([][]byte, len(blocks))
	for i, block := range blocks {
		buckets[i], terms[i], data[i] = block.Bucket, int64(block.Term), block.Data
	}
	b.Queue(sqlPackBlock, p.shelf.args(p.t, pgx.NamedArgs{"segment": segment, "buckets": buckets, "terms": terms, "data": data}))
}
