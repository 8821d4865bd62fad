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
