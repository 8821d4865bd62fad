// Package search names the corpora that can be searched. Its subpackages cut texts (chunk), pack and gather an index
// (index), rank by words (rank), join that with vectors (fuse), select results (choose), find lines (keyword), and cut
// excerpts (excerpt).
//
// They access neither a database nor a clock: store persists the packed index, and recall combines the parts.
package search

// Corpus is a kind of source that can be searched separately. Each has its own statistics.
type Corpus string

const (
	// Memory is the corpus of an agent's documents.
	Memory Corpus = "memory"
	// Sessions is the corpus of an agent's conversation turns.
	Sessions Corpus = "sessions"
)

// Corpora returns the registered corpora in the order in which they are listed.
func Corpora() []Corpus { return []Corpus{Memory, Sessions} }
