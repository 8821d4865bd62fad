package indexes

import (
	"context"
	"maps"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/search/index"
	"reverie/store/pg"
)

const (
	// PackFrom is the number of fresh rows from which merging a partition pays off. Reading as many costs a search about 1 ms.
	PackFrom = 64
	// packRows is the most fresh rows that one merge takes; they are held in memory.
	packRows = 4096
	// maxSegmentUnits is the size from which a segment is no longer merged: a merge holds two of them in memory and takes seconds.
	// A search through a million units reads some twenty segments.
	maxSegmentUnits = 1 << 16
	// mergeRatio limits how much larger a segment may be than the rows merged with it, so that a unit is rewritten about
	// log2(units/PackFrom) times.
	mergeRatio = 2
	// blocksBytes bounds the data that one statement writes.
	blocksBytes = 4 << 20
)

const (
	sqlPackPartition = `
select corpus, agent_id, scope, owner_key
from index_fresh
where workspace_id = @workspace and agent_id = @agent
group by corpus, agent_id, scope, owner_key
having count(*) >= @from
order by count(*) desc, corpus, scope, owner_key
limit 1`

	// One merge of a partition at a time; the second one has nothing to do.
	sqlPackLock = `
select pg_try_advisory_xact_lock(hashtextextended(
    concat_ws(':', 'reverie pack', @workspace::text, @agent::text, @corpus::text, @scope::text, @owner::text), 0))`

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

	sqlPackTombstones = `
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

	sqlPackDropTombstones = `
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

// Packed is the result of a merge.
type Packed struct {
	Units int  // of the segment that it made
	More  bool // something else may be worth merging
}

// PackIndex merges the fresh rows of the busiest partition of the identity's agent (without one: of the workspace) with segments
// that are not much larger. Search results stay the same.
func (s *Index) PackIndex(ctx context.Context, id memory.Identity) (Packed, error) {
	return s.PackFrom(ctx, id, PackFrom)
}

// PackFrom is PackIndex for partitions with at least rows fresh rows.
func (s *Index) PackFrom(ctx context.Context, id memory.Identity, rows int) (Packed, error) {
	if err := pg.RequireTender(id); err != nil {
		return Packed{}, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Packed, error) {
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

// packing is one merge in progress.
type packing struct {
	t          *pg.Tx
	partition  Partition
	parts      []*index.Segment
	segments   []int64 // that are merged
	kept       []int64 // that stay
	tombstones map[int64]bool
	merged     *index.Segment
}

// choose picks a partition and locks it for this transaction.
func (p *packing) choose(ctx context.Context, rows int) (bool, error) {
	found := false
	b := &pgx.Batch{}
	pg.Columns(
		b.Queue(sqlPackPartition, p.t.Args(pgx.NamedArgs{"from": rows})), &found, &p.partition.Corpus, &p.partition.Agent,
		&p.partition.Scope, &p.partition.Owner,
	)
	if err := p.t.Send(ctx, b); err != nil || !found {
		return false, err
	}
	free := false
	b = &pgx.Batch{}
	b.Queue(sqlPackLock, p.partition.args(p.t, nil)).QueryRow(func(row pgx.Row) error { return row.Scan(&free) })
	err := p.t.Send(ctx, b)
	return free, err
}

type segmentSize struct {
	id    int64
	units int
}

// take reads the fresh rows and picks the segments to merge with them.
func (p *packing) take(ctx context.Context) error {
	p.tombstones = map[int64]bool{}
	var sizes []segmentSize
	total := 0
	b := &pgx.Batch{}
	b.Queue(sqlPackTake, p.partition.args(p.t, pgx.NamedArgs{"limit": packRows})).Query(func(rows pgx.Rows) error {
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
	b.Queue(sqlPackSegments, p.partition.args(p.t, nil)).Query(func(rows pgx.Rows) error {
		var id int64
		var units int
		_, err := pgx.ForEachRow(rows, []any{&id, &units}, func() error {
			sizes = append(sizes, segmentSize{id, units})
			return nil
		})
		return err
	})
	b.Queue(sqlPackTombstones, p.partition.args(p.t, nil)).Query(func(rows pgx.Rows) error {
		var group int64
		_, err := pgx.ForEachRow(rows, []any{&group}, func() error { p.tombstones[group] = true; return nil })
		return err
	})
	if err := p.t.Send(ctx, b); err != nil {
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

// load reads the picked segments and merges everything.
func (p *packing) load(ctx context.Context) error {
	units, blocks := map[int64][]index.Unit{}, map[int64][]index.Block{}
	var kept [][]index.Unit
	b := &pgx.Batch{}
	b.Queue(sqlPackUnits, p.partition.args(p.t, pgx.NamedArgs{"segments": p.segments})).Query(p.unitsInto(func(id int64, u []index.Unit) {
		units[id] = u
	}))
	for _, segment := range p.segments {
		b.Queue(sqlPackBlocks, p.partition.args(p.t, pgx.NamedArgs{"segment": segment})).Query(func(rows pgx.Rows) error {
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
	if len(p.tombstones) > 0 { // the kept ones may have their groups as well
		b.Queue(sqlPackUnits, p.partition.args(p.t, pgx.NamedArgs{"segments": p.kept})).Query(p.unitsInto(func(_ int64, u []index.Unit) {
			kept = append(kept, u)
		}))
	}
	if err := p.t.Send(ctx, b); err != nil {
		return err
	}
	for _, id := range p.segments {
		part, err := index.FromBlocks(units[id], blocks[id])
		if err != nil {
			return err
		}
		p.parts = append(p.parts, part)
	}
	p.merged = index.MergeSegments(p.parts, func(group int64) bool { return p.tombstones[group] })
	for _, stays := range kept { // these tombstones are needed further on
		for _, u := range stays {
			delete(p.tombstones, u.Group)
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

// put replaces what was merged by the new segment.
func (p *packing) put(ctx context.Context) error {
	b := &pgx.Batch{}
	for _, segment := range p.segments {
		args := p.partition.args(p.t, pgx.NamedArgs{"segment": segment})
		b.Queue(sqlPackDropBlocks, args)
		b.Queue(sqlPackDropSegment, args)
	}
	tombstones := make([]int64, 0, len(p.tombstones))
	for group := range p.tombstones {
		tombstones = append(tombstones, group)
	}
	b.Queue(sqlPackDropTombstones, p.partition.args(p.t, pgx.NamedArgs{"groups": tombstones}))
	if len(p.merged.Units) == 0 {
		return p.t.Finish(ctx, b)
	}
	bits, blocks := p.merged.Blocks()
	var segment int64
	b.Queue(sqlPackSegment, p.partition.args(p.t, pgx.NamedArgs{
		"units": len(p.merged.Units), "bits": bits, "data": index.PackUnits(p.merged.Units),
	})).QueryRow(func(row pgx.Row) error { return row.Scan(&segment) })
	if err := p.t.Send(ctx, b); err != nil {
		return err
	}
	for len(blocks) > 0 {
		n := 0
		for size := 0; n < len(blocks) && size < blocksBytes; n++ {
			size += len(blocks[n].Data)
		}
		b := &pgx.Batch{}
		p.queueBlocks(b, segment, blocks[:n])
		if err := p.t.Send(ctx, b); err != nil {
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
	b.Queue(sqlPackBlock, p.partition.args(p.t, pgx.NamedArgs{"segment": segment, "buckets": buckets, "terms": terms, "data": data}))
}

const (
	// cachedUnits is the number of units that one process caches, about 90 bytes each.
	cachedUnits = 500_000
	// worthCaching is the number of units from which a segment is cached; smaller ones are read as quickly.
	worthCaching = 1000
)

// segmentCache caches the units of segments by agent; segments never change. It does not decide who may see them: each search asks
// the database which segments it has.
type segmentCache struct {
	mu     sync.Mutex
	agents *simplelru.LRU[agentKey, segmentUnits]
	total  int
}

type agentKey struct{ workspace, agent string }

// segmentUnits maps segments to their units. It is not changed once it is in the cache.
type segmentUnits map[int64][]index.Unit

func (u segmentUnits) count() int {
	n := 0
	for _, units := range u {
		n += len(units)
	}
	return n
}

func newSegmentCache() *segmentCache {
	c := &segmentCache{}
	// Its only error is a size that is not positive.
	c.agents, _ = simplelru.NewLRU(cachedUnits/worthCaching, func(_ agentKey, u segmentUnits) { c.total -= u.count() })
	return c
}

// of returns the cached segments of an agent.
func (c *segmentCache) of(key agentKey) segmentUnits {
	c.mu.Lock()
	defer c.mu.Unlock()
	units, _ := c.agents.Get(key)
	return units
}

// add caches more segments of an agent and evicts the least recently searched agents.
func (c *segmentCache) add(key agentKey, more segmentUnits) {
	maps.DeleteFunc(more, func(_ int64, units []index.Unit) bool { return len(units) < worthCaching })
	if len(more) == 0 || more.count() > cachedUnits {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.agents.Peek(key); ok {
		if old.count()+more.count() <= cachedUnits {
			maps.Copy(more, old)
		}
		c.agents.Remove(key)
	}
	c.agents.Add(key, more)
	c.total += more.count()
	for c.total > cachedUnits {
		c.agents.RemoveOldest()
	}
}
