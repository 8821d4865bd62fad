// Package embed makes vectors of texts with the embedding models of providers.
package embed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/llm/wire"
	"reverie/memory"
)

// Kind is the purpose of an embedded text. Models made for search place questions and their answers by different rules; for others
// it makes no difference.
type Kind string

const (
	// Document is a text that is stored and found later.
	Document Kind = "document"
	// Query is a question. Somebody waits for a single one: it is bounded by Config.QueryTimeout, waits for no other request, and
	// fails at once for some seconds after several of them in a row have failed. Several questions in one call are treated as
	// documents are.
	Query Kind = "query"
)

// Embedder makes vectors of texts with one model at one provider. It may be used by many goroutines at once.
type Embedder interface {
	// Embed returns a vector for each text. Any number of texts may be given: they are sent in several requests. A request that fails
	// because the provider is busy or away is not retried.
	//
	// A batch that the provider refuses is sent again in halves, down to the single text that it does not accept, so that one such
	// text does not stop the others. A text that is too long for the model is sent once more with its first half.
	//
	// Next to an error, Embeddings holds what was made and paid for before it. The error is one of these, or two of them
	// joined:
	//
	//   - *wire.Error: the provider failed; its Kind reports whether the same call may succeed later;
	//   - *RefusedTexts: all texts have their vectors except those that it names, which will not get any later either;
	//   - one that wraps context.Canceled: ctx was cancelled.
	Embed(ctx context.Context, kind Kind, texts []string) (Embeddings, error)
	// Identity returns what makes the vectors. Its Dimensions are 0 until they are known: configured, or seen in an answer.
	Identity() memory.EmbeddingIdentity
	// Probe returns the identity with its dimensions. If they are not known yet, it embeds one word to learn them, and fails
	// as Embed does.
	Probe(ctx context.Context) (memory.EmbeddingIdentity, error)
}

// Embeddings are the vectors of some texts.
type Embeddings struct {
	// Vectors has one vector for each text, in the order of the texts: float32, of unit length, so that the dot product of
	// two is their cosine similarity. Next to an error it is nil for a text that has none.
	Vectors [][]float32
	// Shortened holds the indexes of texts of which only the first half is embedded, because the whole is too long for the model;
	// ascending.
	Shortened []int
	// Usage counts every request, with its cost at the configured price. Tokens that the provider does not count are estimated.
	Usage memory.Usage
}

// RefusedTexts is the error of texts that the provider does not embed, or for which the model makes no usable vector, while it
// accepts the others. A retry does not help them.
type RefusedTexts struct {
	Texts []RefusedText // at least one, by ascending index
}

// RefusedText is one text that has no vector.
type RefusedText struct {
	Index int // among the texts of the call
	Err   *wire.Error
}

// maxNamed bounds how many refused texts an error names.
const maxNamed = 3

// Error names the first texts by their index, with the reason, and never shows their content.
func (e *RefusedTexts) Error() string {
	var b strings.Builder
	if len(e.Texts) == 1 {
		b.WriteString("a text was refused")
	} else {
		fmt.Fprintf(&b, "%d texts were refused", len(e.Texts))
	}
	for i, text := range e.Texts {
		if i == maxNamed {
			b.WriteString("; …")
			break
		}
		fmt.Fprintf(&b, "; text %d: %v", text.Index, text.Err)
	}
	return b.String()
}

// Unwrap returns the reason of the first text.
func (e *RefusedTexts) Unwrap() error { return e.Texts[0].Err }

// QueryCache keeps the vectors of recent questions in this process, so that a repeated question, such as one for the next page of
// results, needs no request. It holds vectors and hashes, no text. It may be used by many goroutines at once.
type QueryCache struct {
	vectors *lru.Cache[cachedQuery, []float32]
}

// cachedQuery is the key of a question's vector. It includes the workspace, so that the time of an answer does not reveal the
// questions of another workspace.
type cachedQuery struct {
	workspace string
	identity  memory.EmbeddingIdentity
	text      [sha256.Size]byte
}

// DefaultQueryCacheSize is the default size of a QueryCache: 1,024 vectors of 1,536 numbers take 6 MiB.
const DefaultQueryCacheSize = 1024

// NewQueryCache returns a cache of at most size vectors; a size below 1 means DefaultQueryCacheSize.
func NewQueryCache(size int) *QueryCache {
	if size < 1 {
		size = DefaultQueryCacheSize
	}
	vectors, err := lru.New[cachedQuery, []float32](size)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &QueryCache{vectors}
}

// Embed returns the vector of one question in a workspace, from the cache or from the embedder, whose errors it returns. The
// caller owns the vector. Usage is zero for a cached one.
func (c *QueryCache) Embed(ctx context.Context, workspace string, e Embedder, text string) ([]float32, memory.Usage, error) {
	key := cachedQuery{workspace, e.Identity(), sha256.Sum256([]byte(text))}
	if vector, ok := c.vectors.Get(key); ok {
		return slices.Clone(vector), memory.Usage{}, nil
	}
	made, err := e.Embed(ctx, Query, []string{text})
	if err != nil {
		return nil, made.Usage, err
	}
	key.identity = e.Identity() // the first answer reveals the dimensions
	c.vectors.Add(key, slices.Clone(made.Vectors[0]))
	return made.Vectors[0], made.Usage, nil
}
