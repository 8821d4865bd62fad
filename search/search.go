// Package search names the corpora that can be searched. Its subpackages cut texts (chunk), pack and gather an index (index), rank by
// words (rank), join that with vectors (fuse), and select, quote and excerpt results (choose, keyword, excerpt).
//
// They read no database and no clock: store keeps what index packs, and recall puts the parts together.
package search

// Corpus is a kind of source that can be searched by itself. Each has its own statistics.
type Corpus string

const (
	// Memory is the corpus of an agent's documents.
	Memory Corpus = "memory"
	// Sessions is the corpus of an agent's conversation turns.
	Sessions Corpus = "sessions"
)

// Corpora returns the registered corpora in the order in which they are listed.
func Corpora() []Corpus { return []Corpus{Memory, Sessions} }
