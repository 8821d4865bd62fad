package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/search/index"
	"reverie/search/rank"
	"reverie/store/indexes"
	"reverie/test/bench/services"
)

// inMemory searches as the program does, on an index in memory.
type inMemory struct {
	recall.Store // nil: a lexical search of messages needs only what is below

	agents  map[string]*remembered
	ranking *rank.Options // nil: the defaults
}

// remembered are the conversations of one agent.
type remembered struct {
	segments [][]byte // packed, by group
	messages map[index.UnitKey]memory.Message
}

func newInMemory() *inMemory { return &inMemory{agents: map[string]*remembered{}} }

func (m *inMemory) load(_ context.Context, d dialogue) error {
	a := &remembered{messages: map[index.UnitKey]memory.Message{}}
	m.agents[d.agent] = a
	for group, s := range d.sessions {
		var messages []memory.Message
		for i, t := range messagesOf(s) {
			one := memory.Message{ID: t.ID, Seq: int64(i + 1), Role: t.Role, Name: t.Name, Content: t.Content}
			if t.CreatedAt != nil {
				one.CreatedAt = *t.CreatedAt
			}
			messages = append(messages, one)
		}
		entries := indexes.TurnEntries(messages)
		for _, e := range entries {
			e.Group = int64(group)
			a.messages[e.Key()] = messages[e.Seq-1]
		}
		a.segments = append(a.segments, index.NewSegment(entries).Pack())
	}
	return nil
}

// Collect implements recall.Store.
func (m *inMemory) Collect(_ context.Context, id memory.Identity, corpora []search.Corpus, q analysis.Query) (indexes.Collected, error) {
	var found indexes.Collected
	for _, corpus := range corpora {
		g := index.Gather(q)
		if corpus == search.Sessions { // there are no documents
			for group, data := range m.agents[id.Agent].segments {
				if err := g.AddPacked(int64(group), data); err != nil {
					return indexes.Collected{}, err
				}
			}
		}
		found.Collections = append(found.Collections, g.Collection(corpus, q, nil))
	}
	return found, nil
}

// Passages implements recall.Store.
func (m *inMemory) Passages(
	_ context.Context, id memory.Identity, _ search.Corpus, units []index.Unit,
) (map[index.UnitKey]indexes.Passage, error) {
	passages := make(map[index.UnitKey]indexes.Passage, len(units))
	for _, u := range units {
		message := m.agents[id.Agent].messages[u.Key()]
		passages[u.Key()] = indexes.Passage{
			Unit: u, Source: indexes.Source{Scope: memory.ScopePersonal, Owner: owner, Conversation: fmt.Sprint(u.Group + 1)},
			Text: message.Content[u.Start:u.End], Message: message,
		}
	}
	return passages, nil
}

// IndexLag implements recall.Store.
func (*inMemory) IndexLag(context.Context, memory.Identity, []search.Corpus, int64) (indexes.Lag, error) {
	return indexes.Lag{}, nil
}

func (m *inMemory) search(ctx context.Context, agent string, s services.Search) ([]string, time.Duration, error) {
	r := recall.Request{Query: s.Query, Corpus: s.Corpus, MinScore: s.MinScore, Unrecorded: true}
	if s.MaxResults > 0 {
		r.MaxResults = &s.MaxResults
	}
	var err error
	if r.Now, err = recall.ParseNow(s.Now, time.UTC); err != nil {
		return nil, 0, err
	}
	if s.Options != nil {
		if err := json.Unmarshal(s.Options, &r.Options); err != nil {
			return nil, 0, err
		}
	}
	searcher := recall.Searcher{Store: m, Defaults: recall.DefaultSettings(), Ranking: m.ranking, Log: slog.New(slog.DiscardHandler)}
	began := time.Now()
	response, err := searcher.Search(ctx, services.Tending(agent).For(agent, s.Owner), r)
	took := time.Since(began)
	if err != nil {
		return nil, 0, err
	}
	var ids []string
	for _, hit := range response.Results {
		ids = append(ids, hit.Message.ID)
	}
	return ids, took, nil
}
