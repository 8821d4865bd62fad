package llm

// TokenCounter counts what a model counts.
type TokenCounter struct {
	Name  string // of the vocabulary: "o200k_base", "cl100k_base", or "estimate"
	Exact bool
	Count func(text string) int // safe for concurrent use
}

// CounterFor returns the counter of a model: exact for OpenAI's models, by name with or without a provider in front
// ("openai/gpt-4o"), an estimate for all others.
func CounterFor(model string) TokenCounter { return TokenCounter{} }
