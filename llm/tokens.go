package llm

import (
	"hash/maphash"
	"regexp"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/llm/bpe"
	"reverie/memory/tokencount"
)

// TokenCounter counts the tokens of a model.
type TokenCounter struct {
	Name  string // of the vocabulary: "o200k_base", "cl100k_base", or "estimate"
	Exact bool
	// Count returns the number of tokens of a text. It is safe for concurrent use. Text that looks like a control token, such as
	// <|endoftext|>, counts as plain text.
	Count func(text string) int
}

// CounterFor returns the counter of a model: exact for OpenAI's models, by name with or without a provider in front
// ("openai/gpt-4o"), an estimate for all others. The vocabularies are embedded; each is read once, with the first count, which
// takes about 0.2 s.
func CounterFor(model string) TokenCounter {
	name := baseName(model)
	switch {
	case olderModels.MatchString(name):
		return cl100k
	case newerModels.MatchString(name):
		return o200k
	}
	return TokenCounter{Name: "estimate", Count: tokencount.Estimate}
}

var (
	// newerModels matches models with the vocabulary o200k_base; that of gpt-oss differs only in control tokens.
	newerModels = regexp.MustCompile(`^(?:chatgpt-4o|gpt-4o|gpt-4\.[1-9]|gpt-(?:[5-9]|\d\d)(?:[.-]|$)|gpt-oss|o[1-9](?:-|$)|codex-mini)`)
	// olderModels matches models with the vocabulary cl100k_base. Azure writes 3.5 without the point.
	olderModels = regexp.MustCompile(`^(?:gpt-4(?:-|$)|gpt-3\.?5|text-embedding-3-|text-embedding-ada-002|(?:davinci|babbage)-002)`)

	o200k  = exactCounter(bpe.O200k)
	cl100k = exactCounter(bpe.Cl100k)
)

// baseName returns a model's name without the provider before it, without "ft:" of a fine-tuned model, and without the part after a
// colon: an owner, a size, or a gateway's variant.
func baseName(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = strings.TrimPrefix(name[strings.LastIndexByte(name, '/')+1:], "ft:")
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimPrefix(name, "openai.") // at Bedrock
}

// The cache of counts: a window consists of the same texts turn after turn.
const (
	keptCounts = 32_768 // about 4 MB
	// keptFrom is the minimum length of a text whose count is kept, in bytes: shorter ones are counted as fast as looked up.
	keptFrom = 128
)

// countOf is the key of a cached count. The hash is seeded per process, so that nobody can construct a text with the key of another.
type countOf struct {
	hash  uint64
	bytes int
}

// exactCounter counts with an encoding and caches the counts of longer texts.
func exactCounter(encoding *bpe.Encoding) TokenCounter {
	seed := maphash.MakeSeed()
	kept, err := lru.New[countOf, int](keptCounts)
	if err != nil { // only for a size below 1
		panic(err)
	}
	return TokenCounter{Name: encoding.Name, Exact: true, Count: func(text string) int {
		if len(text) < keptFrom {
			return encoding.Count(text)
		}
		key := countOf{maphash.String(seed, text), len(text)}
		if n, ok := kept.Get(key); ok {
			return n
		}
		n := encoding.Count(text)
		kept.Add(key, n)
		return n
	}}
}
