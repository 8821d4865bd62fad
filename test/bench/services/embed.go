package services

import (
	"context"
	"fmt"

	"reverie/memory"
	"reverie/store"
)

// embedBatch is how many vectors are stored at once.
const embedBatch = 256

// Embed gives every unit of some agents its vector, agents in turn, by the calls that the worker makes, and returns how many
// there are. Each identity names one agent and may tend its index. vectorsOf makes vectors; a nil one leaves its text
// without.
func Embed(ctx context.Context, s *store.Store, agents []memory.Identity, of memory.EmbeddingIdentity, vectorsOf func(ctx context.Context, texts []string) ([][]float32, error)) (vectors int, err error) {
	spaces := make([]int64, len(agents))
	for i, id := range agents {
		space, err := s.OpenSpace(ctx, id, of)
		if err != nil {
			return 0, fmt.Errorf("open a space: %w", err)
		}
		spaces[i] = space.ID
	}
	for more := true; more; {
		more = false
		for i, id := range agents {
			due, err := s.DueUnits(ctx, id, spaces[i], embedBatch)
			if err != nil {
				return 0, fmt.Errorf("what waits for vectors: %w", err)
			}
			if len(due.Units) == 0 {
				continue
			}
			more = true
			texts := make([]string, len(due.Units))
			for j, u := range due.Units {
				texts[j] = u.Text
			}
			made, err := vectorsOf(ctx, texts)
			if err != nil {
				return 0, fmt.Errorf("make vectors: %w", err)
			}
			saved, err := s.SaveVectors(ctx, id, spaces[i], due, made)
			if err != nil {
				return 0, fmt.Errorf("store vectors: %w", err)
			}
			vectors += saved
		}
	}
	return vectors, nil
}

// Tending is the identity of the worker that tends an agent's index.
func Tending(agent string) memory.Identity {
	return memory.Identity{
		Workspace: Workspace, Agent: agent, AnyOwner: true, Role: memory.RoleAdmin,
		Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "bench"},
	}
}
