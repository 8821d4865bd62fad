package services

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"time"

	"reverie/llm/embed"
)

// Embedder is an embedding provider on loopback whose vectors a benchmark makes up, so that what is measured is what is
// done with them. It speaks the embeddings API of OpenAI.
type Embedder struct {
	// URL is its base URL.
	URL string

	server *http.Server
}

// The made-up model: by which protocol it is reached, and its name.
const (
	embedderProvider = "openai-compatible"
	embedderModel    = "made-up"
)

// StartEmbedder serves vectors, which all have the same dimensions. vectorOf is called by several goroutines at once.
func StartEmbedder(vectorOf func(text string) []float32) (*Embedder, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &Embedder{
		URL:    "http://" + listener.Addr().String() + "/v1",
		server: &http.Server{Handler: embeddings(vectorOf), ReadHeaderTimeout: time.Minute},
	}
	go func() { _ = e.server.Serve(listener) }() // it ends with Close
	return e, nil
}

// Open connects to it as the program does.
func (e *Embedder) Open(dimensions int) (embed.Embedder, error) {
	return embed.Open(embed.Config{Provider: embedderProvider, Model: embedderModel, BaseURL: e.URL, Dimensions: dimensions})
}

// Close ends it.
func (e *Embedder) Close() error { return e.server.Close() }

// Env is the environment of a process that is to use it.
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
		_ = json.NewEncoder(w).Encode(answer) // whoever asked sees that it is incomplete
	}
}
