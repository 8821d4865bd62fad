package llm

import (
	"context"
	"crypto/sha256"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/memory"
)

// QueryCache keeps the vectors of the latest questions in this process, so that one that is asked again, by the next page of
// results or by an agent that repeats itself, costs no request. It holds vectors and hashes, no text, and belongs beside
// the embedder: that one knows of no workspace. It may be used by many goroutines at once.
type QueryCache struct {
	vectors *lru.Cache[cachedQuery, []float32]
}

// cachedQuery is what a question's vector depends on. The workspace is part of it so that how fast an answer comes tells
// nobody what another workspace has asked.
type cachedQuery struct {
	workspace string
	identity  memory.EmbeddingIdentity
	text      [sha256.Size]byte
}

// DefaultQueryCacheSize is a good size of a QueryCache: 1,024 vectors of 1,536 numbers take 6 MiB.
const DefaultQueryCacheSize = 1024

// NewQueryCache makes a cache of at most size vectors; a size below 1 is DefaultQueryCacheSize.
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
// vector is the caller's own. Usage is zero when the cache had it.
func (c *QueryCache) Embed(ctx context.Context, workspace string, e Embedder, text string) ([]float32, memory.Usage, error) {
	key := cachedQuery{workspace, e.Identity(), sha256.Sum256([]byte(text))}
	if vector, ok := c.vectors.Get(key); ok {
		return slices.Clone(vector), memory.Usage{}, nil
	}
	made, err := e.Embed(ctx, EmbedQuery, []string{text})
	if err != nil {
		return nil, made.Usage, err
	}
	key.identity = e.Identity() // the first answer tells the dimensions
	c.vectors.Add(key, slices.Clone(made.Vectors[0]))
	return made.Vectors[0], made.Usage, nil
}
