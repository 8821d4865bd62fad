package embed

import (
	"context"
	"crypto/sha256"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"reverie/memory"
)

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
