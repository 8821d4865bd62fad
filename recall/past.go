package recall

import (
	"context"
	"sync"
	"time"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
	"reverie/store/gate"
	"reverie/store/indexes"
)

// ParsePast parses a time of which something is read as it was: RFC 3339, or a date in the zone, of which it is the end. Today is the time
// now, later times are refused; empty is the zero time.
func ParsePast(s string, zone *time.Location, now time.Time) (time.Time, error) {
	at, err := parseEnd("asOf", s, zone)
	if err != nil || !at.After(now) {
		return at, err
	}
	if day, isDay, _ := parseTime(s, zone); isDay && !day.After(now) {
		return now, nil
	}
	return at, invalid("asOf", "%s is in the future: use a time up to now", clipped(s))
}

// past is a Store of what was known at a time: the documents as they were, and the messages said until then. The index has no earlier
// versions of documents, so that a search reads and indexes them in memory. It compares no vectors, and knows nothing of the trust and
// the disagreements of today.
type past struct {
	Store

	at time.Time

	mu        sync.Mutex
	documents map[int64]gate.DocumentEntry // by group
}

// asOf returns a searcher of what was known at a time.
func (s *Searcher) asOf(at time.Time) *Searcher {
	then := *s
	then.Store = &past{Store: s.Store, at: at, documents: map[int64]gate.DocumentEntry{}}
	then.Embedders, then.Reputations, then.Recorder = nil, nil, nil
	then.Backend, then.Outside = nil, nil // they know what is known now
	return &then
}

// Collect implements Store.
func (p *past) Collect(
	ctx context.Context, id memory.Identity, corpora []search.Corpus, q analysis.Query,
) (indexes.Collected, error) {
	collections := make([]*index.Collection, len(corpora))
	for i, corpus := range corpora {
		var err error
		if corpus == search.Memory {
			collections[i], err = p.collect(ctx, id, q)
		} else {
			var one indexes.Collected
			if one, err = p.Store.Collect(ctx, id, []search.Corpus{corpus}, q); err == nil {
				collections[i] = one.Collections[0]
			}
		}
		if err != nil {
			return indexes.Collected{}, err
		}
	}
	return indexes.Collected{Collections: collections}, nil
}

// collect indexes the documents as they were.
func (p *past) collect(ctx context.Context, id memory.Identity, q analysis.Query) (*index.Collection, error) {
	documents, err := p.Documents(ctx, id, gate.DocumentFilter{AsOf: p.at, Contents: true})
	if err != nil {
		return nil, err
	}
	gathering := index.Gather(q)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range documents {
		if !memory.Searchable(d.Path) || ctx.Err() != nil {
			continue
		}
		group := int64(len(p.documents) + 1)
		p.documents[group] = d
		entries := index.Entries(group, d.UpdatedAt.Unix(), chunk.Document(d.Path, d.Content, chunk.DefaultOptions()))
		if err := gathering.AddPacked(group, index.NewSegment(entries).Pack()); err != nil {
			return nil, err
		}
	}
	return gathering.Collection(search.Memory, q, nil), ctx.Err()
}

// Passages implements Store.
func (p *past) Passages(
	ctx context.Context, id memory.Identity, corpus search.Corpus, units []index.Unit,
) (map[index.UnitKey]indexes.Passage, error) {
	if corpus != search.Memory {
		return p.Store.Passages(ctx, id, corpus, units)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	passages := make(map[index.UnitKey]indexes.Passage, len(units))
	for _, u := range units {
		d := p.documents[u.Group]
		passages[u.Key()] = indexes.Passage{
			Unit: u, Text: d.Content[u.Start:u.End],
			Source: indexes.Source{Scope: d.Scope, Owner: d.Owner, Document: d.ID, Path: d.Path, Version: d.Version},
		}
	}
	return passages, nil
}
