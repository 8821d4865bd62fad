package services

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"reverie/llm/embed"
	"reverie/memory"
	"reverie/store"
)

// Embedder is an embedding provider on loopback with generated vectors, so that only their processing is measured. It
// implements OpenAI's embeddings API.
type Embedder struct {
	// URL is its base URL.
	URL string

	server *http.Server
}

// Protocol and name of the simulated model.
const (
	embedderProvider = "openai-compatible"
	embedderModel    = "made-up"
)

// StartEmbedder serves vectors, which must all have the same dimensions. vectorOf must be safe for concurrent use.
func StartEmbedder(vectorOf func(text string) []float32) (*Embedder, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &Embedder{
		URL:    "http://" + listener.Addr().String() + "/v1",
		server: &http.Server{Handler: embeddings(vectorOf), ReadHeaderTimeout: time.Minute},
	}
	go func() { _ = e.server.Serve(listener) }() // until Close
	return e, nil
}

// Open returns a client of the provider, as the program uses it.
func (e *Embedder) Open(dimensions int) (embed.Embedder, error) {
	return embed.Open(embed.Config{Provider: embedderProvider, Model: embedderModel, BaseURL: e.URL, Dimensions: dimensions})
}

// Close stops the provider.
func (e *Embedder) Close() error { return e.server.Close() }

// Env returns the environment for a process that uses the provider.
func (e *Embedder) Env(dimensions int) []string {
	return []string{
		"REVERIE_EMBEDDING_PROVIDER=" + embedderProvider, "REVERIE_EMBEDDING_MODEL=" + embedderModel,
		"REVERIE_EMBEDDING_BASE_URL=" + e.URL, "REVERIE_EMBEDDING_DIMENSIONS=" + strconv.Itoa(dimensions),
	}
}

type embeddingsAnswer struct {
	Object string         `json:"object"`
	Model  string         `json:"model"`
	Data   []embedding    `json:"data"`
	Usage  map[string]int `json:"usage"`
}

type embedding struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

func embeddings(vectorOf func(text string) []float32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := embeddingsAnswer{Object: "list", Model: embedderModel, Usage: map[string]int{"prompt_tokens": 1, "total_tokens": 1}}
		for i, text := range request.Input {
			answer.Data = append(answer.Data, embedding{"embedding", i, vectorOf(text)})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the client notices an incomplete response
	}
}

// embedBatch is the number of vectors stored at once.
const embedBatch = 256

// Embed stores a vector for every unit of some agents, agents in turn, with the same calls as the worker, and returns
// their number. Each identity names one agent and may maintain its index. vectorsOf makes vectors; a nil one leaves
// its text without.
func Embed(ctx context.Context, s *store.Store, agents []memory.Identity, of memory.EmbeddingIdentity,
	vectorsOf func(ctx context.Context, texts []string) ([][]float32, error),
) (vectors int, err error) {
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

// Tending returns the worker's identity for maintaining an agent's index.
func Tending(agent string) memory.Identity {
	return memory.Identity{
		Workspace: Workspace, Agent: agent, AnyOwner: true, Role: memory.RoleAdmin,
		Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "bench"},
	}
}
