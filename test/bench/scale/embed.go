package main

import (
	"context"

	"reverie/memory"
	"reverie/store"
	"reverie/test/bench/services"
)

// embed gives vectors to the chunks of some agents.
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

// embedded are the agents whose chunks get vectors: the middle one, and as many others, from the smallest on, as fit.
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
