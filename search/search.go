// Package search is retrieval as arithmetic on values: how texts are cut into units, analysed into terms and packed into
// an index, and how what a question finds there is ranked, fused with a dense ranking, thinned and explained.
//
// It reads no database and no clock: store keeps what it packs, recall puts the parts together.
package search

// Corpus is a kind of source that can be searched by itself. Each has its own statistics.
type Corpus string

const (
	// Memory is an agent's documents.
	Memory Corpus = "memory"
	// Sessions are the turns of its conversations.
	Sessions Corpus = "sessions"
)

// Corpora are the registered corpora, in the order in which they are listed.
func Corpora() []Corpus { return []Corpus{Memory, Sessions} }
