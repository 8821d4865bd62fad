package dream

import "reverie/memory"

// DeepInput is what deep sleep ranks.
type DeepInput struct {
	Material   Material // without its statements
	Candidates []Candidate
	Reflection Reflection
	Memory     string // MEMORY.md that is dreamed of
	Shared     string // the shared MEMORY.md when that is a personal one: it is known already
	Mode       memory.DreamMode
}

// Ranking is every candidate with its verdict, best first. What passed is promoted, unless writing finds no room.
type Ranking struct {
	Candidates     []Candidate     `json:"candidates"`
	Contradictions []Contradiction `json:"contradictions"`
}
