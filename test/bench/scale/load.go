package main

import (
	"context"
	"fmt"
	"time"

	"reverie/memory"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/talk"
	"reverie/test/bench/services"
)

// owner owns all conversations, in every agent: a search covers all of an agent's chunks.
const owner = memory.Owner("user:bench")

// began is the time of the first chunk; each follows a minute after the previous one.
var began = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// identity returns the identity with which the benchmark writes to an agent.
func (b *bench) identity(agent int) memory.Identity {
	return memory.Identity{
		Workspace: services.Workspace, Agent: b.population.name(agent), Owner: owner, Role: memory.RoleAdmin,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "bench"},
	}
}

// load writes all chunks as messages, one conversation after the other, with the same calls as the API, and packs the
// index as the worker does.
func (b *bench) load(ctx context.Context, s *store.Store) (loadFigures, error) {
	if err := s.EnsureWorkspace(ctx, services.Workspace, services.Workspace); err != nil {
		return loadFigures{}, err
	}
	for _, agent := range b.population.agents() {
		if _, err := s.CreateAgent(ctx, b.identity(agent), admin.NewAgent{ID: b.population.name(agent), TimeZone: "UTC"}); err != nil {
			return loadFigures{}, err
		}
	}
	start := time.Now()
	portions := b.population.portions(b.turns)
	err := services.Parallel(ctx, b.writers, len(portions), func(ctx context.Context, i int) error {
		p := portions[i]
		_, err := s.AppendMessages(ctx, b.identity(p.agent), b.conversation(p))
		return err
	})
	if err != nil {
		return loadFigures{}, fmt.Errorf("write messages: %w", err)
	}
	figures := loadFigures{WriteSeconds: time.Since(start).Seconds()}
	start = time.Now()
	if err := b.pack(ctx, s); err != nil {
		return loadFigures{}, fmt.Errorf("pack the index: %w", err)
	}
	figures.PackSeconds = time.Since(start).Seconds()
	return figures, nil
}

// conversation returns a portion of an agent's chunks as one conversation.
func (b *bench) conversation(p portion) talk.Batch {
	batch := talk.Batch{Conversation: fmt.Sprintf("c%d", p.from), Trigger: memory.TriggerAPI}
	for i := p.from; i < p.to; i++ {
		m := memory.Message{
			ID: fmt.Sprintf("m%d", i), Role: memory.RoleOfUser, Name: "Ida", Content: b.vocabulary.chunk(p.agent, i),
			CreatedAt: began.Add(time.Duration(i) * time.Minute),
		}
		if i%2 == 1 {
			m.Role, m.Name = memory.RoleOfAssistant, "Otto"
		}
		batch.Messages = append(batch.Messages, m)
	}
	return batch
}

// pack merges every agent's index until nothing is worth merging.
func (b *bench) pack(ctx context.Context, s *store.Store) error {
	agents := b.population.agents()
	return services.Parallel(ctx, b.writers, len(agents), func(ctx context.Context, i int) error {
		for {
			packed, err := s.PackIndex(ctx, services.Tending(b.population.name(agents[i])))
			if err != nil || !packed.More {
				return err
			}
		}
	})
}

// embed stores vectors for the chunks of some agents.
func (b *bench) embed(ctx context.Context, s *store.Store, provider *services.Embedder) (vectors int, err error) {
	model, err := provider.Open(b.dimensions)
	if err != nil {
		return 0, err
	}
	var agents []memory.Identity
	for _, agent := range b.embedded() {
		agents = append(agents, services.Tending(b.population.name(agent)))
	}
	return services.Embed(ctx, s, agents, model.Identity(), func(_ context.Context, texts []string) ([][]float32, error) {
		made := make([][]float32, len(texts))
		for i, text := range texts {
			made[i] = vectorOf(text, b.dimensions)
		}
		return made, nil
	})
}

// embedded returns the agents whose chunks get vectors: the middle one, and as many others as fit, the smallest
// first.
func (b *bench) embedded() []int {
	agents, total := []int{middleAgent}, b.population.sizes[middleAgent]
	for agent := len(b.population.sizes) - 1; agent > middleAgent; agent-- {
		if total += b.population.sizes[agent]; total > b.vectors {
			break
		}
		agents = append(agents, agent)
	}
	return agents
}
