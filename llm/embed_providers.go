package llm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// embedProtocol is the API by which a provider embeds.
type embedProtocol int

const (
	embeddingsAPI embedProtocol = iota // OpenAI's /embeddings, which most others offer too
	cohereEmbed                        // Cohere's own /embed: its OpenAI-compatible one cannot tell questions from documents
	awsInvoke                          // AWS Bedrock's InvokeModel
)

// embedding is what differs between providers when they embed. Where the provider is and whether it needs a key stands in
// providers, or here if it only embeds.
type embedding struct {
	provider // of those that only embed

	protocol embedProtocol
	// dimensions is the field that asks for shorter vectors; empty: "dimensions", as OpenAI calls it.
	dimensions string
	// kindField is the field that tells questions from documents, with its two words; empty: the provider knows of no
	// difference.
	kindField       string
	query, document string
	// maxTexts bounds the texts of one request; 0: the configuration alone does.
	maxTexts int
	fields   map[string]any // what else is sent
}

// embedders are all providers that OpenEmbedder knows, by name. Limits are from their documentation; one that is lower than
// noted here is learned from the first batch that is refused.
var embedders = map[string]embedding{
	"openai":     {maxTexts: 2048},
	"azure":      {maxTexts: 2048},
	"bedrock":    {protocol: awsInvoke},
	"dashscope":  {maxTexts: 10},
	"fireworks":  {},
	"googleai":   {maxTexts: 100},
	"mistral":    {dimensions: "output_dimension"},
	"openrouter": {},
	"together":   {},
	"zhipu":      {maxTexts: 64},
	"llamacpp":   {},
	"lmstudio":   {},
	"ollama":     {},
	"vllm":       {},
	compatible:   {},

	"cohere": {
		provider: provider{baseURL: "https://api.cohere.com/v2", path: "/v2", needsKey: true},
		protocol: cohereEmbed, dimensions: "output_dimension",
		kindField: "input_type", query: "search_query", document: "search_document",
		maxTexts: 96, fields: map[string]any{"embedding_types": []string{"float"}, "truncate": "NONE"},
	},
	"deepinfra": {provider: provider{baseURL: "https://api.deepinfra.com/v1/openai", path: "/v1/openai", needsKey: true}, maxTexts: 1024},
	"jina": {
		provider:  provider{baseURL: "https://api.jina.ai/v1", path: "/v1", needsKey: true},
		kindField: "task", query: "retrieval.query", document: "retrieval.passage",
	},
	"nvidia": {
		provider:  provider{baseURL: "https://integrate.api.nvidia.com/v1", path: "/v1", needsKey: true},
		kindField: "input_type", query: "query", document: "passage",
	},
	// Hugging Face's Text Embeddings Inference
	"tei": {provider: provider{baseURL: "http://127.0.0.1:8080/v1", path: "/v1"}, maxTexts: 32},
	"voyage": {
		provider: provider{baseURL: "https://api.voyageai.com/v1", path: "/v1", needsKey: true}, dimensions: "output_dimension",
		kindField: "input_type", query: "query", document: "document",
		// without it a text that is too long is cut and nobody is told
		maxTexts: 1000, fields: map[string]any{"truncation": false},
	},
}

// embedAliases are other names of those that only embed.
var embedAliases = map[string]string{
	"hf": "tei", "huggingface": "tei", "text-embeddings-inference": "tei", "voyageai": "voyage", "jinaai": "jina", "nim": "nvidia",
}

// EmbeddingProviders are the names that OpenEmbedder knows, sorted.
func EmbeddingProviders() []string { return slices.Sorted(maps.Keys(embedders)) }

// lookupEmbedder finds a provider by its name or alias, whatever the case. Its error lists those that are known.
func lookupEmbedder(name string) (string, embedding, error) {
	known, chatProvider, chats := lookup(name)
	if alias, ok := embedAliases[known]; ok {
		known = alias
	}
	e, ok := embedders[known]
	switch {
	case !ok && chats:
		return "", embedding{}, fmt.Errorf("embedding provider %s offers no embeddings; those that do are %s", known, strings.Join(EmbeddingProviders(), ", "))
	case !ok:
		return "", embedding{}, fmt.Errorf("embedding provider %q is not known; known are %s", name, strings.Join(EmbeddingProviders(), ", "))
	case chats:
		e.provider = chatProvider
	}
	if e.dimensions == "" {
		e.dimensions = "dimensions"
	}
	return known, e, nil
}

// kind is the provider's word for a kind of text; empty: it has none.
func (e embedding) kind(k EmbedKind) string {
	if k == EmbedQuery {
		return e.query
	}
	return e.document
}
