package config

import "time"

// MaxEmbeddingBatch is the most texts that any provider takes in one request.
const MaxEmbeddingBatch = 2048

// checkEmbedding checks the settings of both embedding models.
func (c Config) checkEmbedding(bad func(key, format string, args ...any)) {
	if c.EmbeddingBatch < 1 || c.EmbeddingBatch > MaxEmbeddingBatch {
		bad("EMBEDDING_BATCH", "%d must be between 1 and %d", c.EmbeddingBatch, MaxEmbeddingBatch)
	}
	if c.EmbeddingConcurrency < 1 {
		bad("EMBEDDING_CONCURRENCY", "%d must be at least 1", c.EmbeddingConcurrency)
	}
	if c.EmbeddingPrice < 0 {
		bad("EMBEDDING_PRICE", "%v must not be negative", c.EmbeddingPrice)
	}
	for key, d := range map[string]time.Duration{"EMBEDDING_TIMEOUT": c.EmbeddingTimeout, "EMBEDDING_QUERY_TIMEOUT": c.EmbeddingQueryTimeout} {
		if d <= 0 {
			bad(key, "%s must be longer than nothing", d)
		}
	}
	checkEmbeddingModel("EMBEDDING_", c.EmbeddingProvider, c.EmbeddingModel, c.EmbeddingAPIKey, c.EmbeddingBaseURL, c.EmbeddingDimensions, bad)
	checkEmbeddingModel("EMBEDDING_NEXT_", c.EmbeddingNextProvider, c.EmbeddingNextModel, c.EmbeddingNextAPIKey, c.EmbeddingNextBaseURL, c.EmbeddingNextDimensions, bad)
	if c.EmbeddingNextProvider != "" && c.EmbeddingProvider == "" {
		bad("EMBEDDING_NEXT_PROVIDER", "there is no embedding model to change from: name the new one in %s_EMBEDDING_PROVIDER", Prefix)
	}
}

// checkEmbeddingModel checks the settings of one embedding model, whose names begin with prefix.
func checkEmbeddingModel(prefix, provider, model string, key Secret, baseURL string, dimensions int, bad func(key, format string, args ...any)) {
	switch {
	case dimensions < 0:
		bad(prefix+"DIMENSIONS", "%d must not be negative", dimensions)
	case provider != "" && model == "":
		bad(prefix+"MODEL", "name the model")
	case provider == "" && (model != "" || !key.Empty() || baseURL != "" || dimensions != 0):
		bad(prefix+"PROVIDER", "name the provider (for an OpenAI-compatible server: openai-compatible), or unset the other %s_%s variables", Prefix, prefix)
	}
}
