package memory

import (
	"embed"
	"fmt"
)

//go:embed seeds/*.md
var seedFiles embed.FS

// Seed is a document that every new agent starts with: TEAM, enabled.
type Seed struct {
	Path      string
	SortOrder int
	Content   string
}

// Seeds are the documents of a new agent, in the order in which they stand in the system prompt.
func Seeds() []Seed {
	var out []Seed
	for i, path := range []string{AgentsPath, SoulPath, ProfilePath, MemoryPath} {
		content, err := seedFiles.ReadFile("seeds/" + path)
		if err != nil {
			panic(fmt.Sprintf("seed %s is embedded: %v", path, err))
		}
		out = append(out, Seed{Path: path, SortOrder: i, Content: string(content)})
	}
	return out
}

// Sort orders of a person's own documents in that person's block of the system prompt.
const (
	ProfileSortOrder = 2
	MemorySortOrder  = 3
)

// NewProfile is what the PROFILE.md of a person starts from.
func NewProfile() string { return "# Profile\n" }

// NewMemory is what the MEMORY.md of a person starts from.
func NewMemory() string { return "# Memory\n" }
