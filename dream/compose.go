package dream

import (
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Files are the documents that a dream may write, as they are: content and version, 0 when there is none.
type Files struct {
	Memory memory.Document
	Diary  memory.Document
	// Months are the monthly files of the diary and the archives of MEMORY.md that exist, by path.
	Months map[string]memory.Document
}

// ComposeInput is a dream before it is written.
type ComposeInput struct {
	Dream      uuid.UUID
	Mode       memory.DreamMode
	Topic      string
	AsOf       time.Time // in the owner's zone
	Now        time.Time // in the owner's zone; entries of the diary bear it
	Scope      memory.Scope
	Files      Files
	Memory     string // MEMORY.md as it is to be; empty: it stays
	Moved      []MovedSection
	Ranking    Ranking
	Reflection Reflection
	Looked     Looked
	Model      string // empty: by rules
	Reason     string // the model's, in words
	Outcome    memory.Outcome
	Settings   memory.DreamSettings
}

// Looked counts what a dream looked at.
type Looked struct {
	Notes         int `json:"notes"`
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Statements    int `json:"statements"`
	Recalls       int `json:"recalls"`
}

// MovedSection is a machine-made section of MEMORY.md that moves to an archive.
type MovedSection struct {
	Heading string `json:"heading"`
	Text    string `json:"text"` // with its heading
	Day     Day    `json:"day"`
	Path    string `json:"path"` // of the archive
}

// Composition is what is committed together: MEMORY.md, its archive, the diary and the reports of the phases.
type Composition struct {
	Changes []memory.Change
	Diff    string // of MEMORY.md, in the unified format; empty when it stays
}

// Compose writes what a dream leaves: the new MEMORY.md, sections that moved to an archive, an entry of the diary (DREAMS.md),
// whose old entries are folded into monthly files when it grows too long, and a report of each phase.
func Compose(in ComposeInput) Composition { return Composition{} }

// LatestEntry is the newest entry of a diary; empty when there is none.
func LatestEntry(diary string) string { return "" }
