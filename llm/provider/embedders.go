package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EmbedProtocol is the API by which a provider embeds.
type EmbedProtocol int

// The APIs.
const (
	EmbeddingsAPI EmbedProtocol = iota // OpenAI's /embeddings, which most others offer too
	CohereEmbed                        // Cohere's own /embed: its OpenAI-compatible one cannot distinguish questions from documents
	AWSInvoke                          // AWS Bedrock's InvokeModel
)

// Embedding describes how a provider embeds.
type Embedding struct {
	Provider // in the table only for those that do not chat

	API             EmbedProtocol
	Dimensions      string // the field that asks for shorter vectors; empty in the table: "dimensions"
	KindField       string // the field that distinguishes questions from documents; empty: there is none
	Query, Document string // its two values
	MaxTexts        int    // limit of one request; 0: the configured one
	Fields          map[string]any
}

// embedders are the providers that embed, by name. Limits are from their documentation; a lower one is learned from the first
// batch that is refused.
var embedders = map[string]Embedding{
	"openai":     {MaxTexts: 2048},
	"azure":      {MaxTexts: 2048},
	"bedrock":    {API: AWSInvoke},
	"dashscope":  {MaxTexts: 10},
	"fireworks":  {},
	"googleai":   {MaxTexts: 100},
	"mistral":    {Dimensions: "output_dimension"},
	"openrouter": {},
	"together":   {},
	"zhipu":      {MaxTexts: 64},
	"llamacpp":   {},
	"lmstudio":   {},
	"ollama":     {},
	"vllm":       {},
	Compatible:   {},

	"cohere": {
		Provider: Provider{URL: "https://api.cohere.com/v2", Path: "/v2", NeedsKey: true},
		API:      CohereEmbed, Dimensions: "output_dimension",
		KindField: "input_type", Query: "search_query", Document: "search_document",
		MaxTexts: 96, Fields: map[string]any{"embedding_types": []string{"float"}, "truncate": "NONE"},
	},
	"deepinfra": {Provider: Provider{URL: "https://api.deepinfra.com/v1/openai", Path: "/v1/openai", NeedsKey: true}, MaxTexts: 1024},
	"jina": {
		Provider:  Provider{URL: "https://api.jina.ai/v1", Path: "/v1", NeedsKey: true},
		KindField: "task", Query: "retrieval.query", Document: "retrieval.passage",
	},
	"nvidia": {
		Provider:  Provider{URL: "https://integrate.api.nvidia.com/v1", Path: "/v1", NeedsKey: true},
		KindField: "input_type", Query: "query", Document: "passage",
	},
	// Hugging Face's Text Embeddings Inference
	"tei": {Provider: Provider{URL: "http://127.0.0.1:8080/v1", Path: "/v1"}, MaxTexts: 32},
	"voyage": {
		Provider: Provider{URL: "https://api.voyageai.com/v1", Path: "/v1", NeedsKey: true}, Dimensions: "output_dimension",
		KindField: "input_type", Query: "query", Document: "document",
		// Without it a text that is too long is cut silently.
		MaxTexts: 1000, Fields: map[string]any{"truncation": false},
	},
}

// embedAliases are other names of providers that only embed.
var embedAliases = map[string]string{
	"hf": "tei", "huggingface": "tei", "text-embeddings-inference": "tei", "voyageai": "voyage", "jinaai": "jina", "nim": "nvidia",
}

// Embedders returns the providers that embed, sorted.
func Embedders() []string { return slices.Sorted(maps.Keys(embedders)) }

// LookupEmbedder finds a provider by name or alias, in any case, and returns its name. Its error lists the known ones.
func LookupEmbedder(name string) (string, Embedding, error) {
	known, chatProvider, chats := Lookup(name)
	if alias, ok := embedAliases[known]; ok {
		known = alias
	}
	e, ok := embedders[known]
	switch {
	case !ok && chats:
		choice := strings.Join(Embedders(), ", ")
		return "", Embedding{}, fmt.Errorf("embedding provider %s offers no embeddings; choose one of %s", known, choice)
	case !ok:
		return "", Embedding{}, fmt.Errorf("unknown embedding provider %q: choose one of %s", name, strings.Join(Embedders(), ", "))
	case chats:
		e.Provider = chatProvider
	}
	if e.Dimensions == "" {
		e.Dimensions = "dimensions"
	}
	return known, e, nil
}

// KeylessEmbedders returns the providers that embed without a key, sorted.
func KeylessEmbedders() []string {
	var names []string
	for _, name := range Embedders() {
		if _, p, err := LookupEmbedder(name); err == nil && !p.NeedsKey {
			names = append(names, name)
		}
	}
	return names
}
