package memory

import "strings"

// Searchable reports whether a document is found by recall. What the agent is told (AGENTS.md, SOUL.md) is no memory, and
// what a dream writes about itself (DREAMS.md, memory/dreaming/) would come back as if somebody had said it.
func Searchable(path string) bool {
	switch path {
	case AgentsPath, SoulPath, DreamsPath:
		return false
	}
	return !strings.HasPrefix(path, DreamingFolder)
}

// DreamsPath is the diary of dreams.
const DreamsPath = "DREAMS.md"

// DreamingFolder is where the reports of dreams stand.
const DreamingFolder = "memory/dreaming/"
