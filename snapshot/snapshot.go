// Package snapshot is an agent's documents as one archive: writing it so that the same documents give the same bytes, and
// reading it as something that anybody may have made. It is pure.
//
// An archive is a ZIP file. manifest.json comes first and says whose documents they are, of when, and what each of them is;
// then the documents by name: TEAM documents under their path, PERSONAL ones of one owner under personal/. Whose they are is
// not told: the owner is that of the request, at both ends.
package snapshot

import (
	"time"

	"reverie/memory"
)

// Limits of an archive. They are measured while it is inflated, whatever its headers say.
const (
	// MaxArchiveBytes bounds the archive as it is sent.
	MaxArchiveBytes = 16 << 20
	// MaxEntries bounds its entries, folders and manifest among them.
	MaxEntries = 500
	// MaxEntryBytes bounds one entry, inflated; it is what a document may have.
	MaxEntryBytes = memory.MaxDocumentBytes
	// MaxTotalBytes bounds all entries together, inflated.
	MaxTotalBytes = 16 << 20
)

// File is one document of an archive.
type File struct {
	memory.Ref // TEAM or PERSONAL
	Content    string
	// Prompt is the document's place in the system prompt; nil: the archive does not say.
	Prompt *Prompt
}

// Prompt is a document's place in the system prompt.
type Prompt struct {
	Enabled   bool `json:"enabled"`
	SortOrder int  `json:"sortOrder"`
}

// Origin says where the documents of an archive come from.
type Origin struct {
	// ExportedAt is when the newest of them was changed: the moment that the archive shows.
	ExportedAt time.Time `json:"exportedAt"`
	AgentID    string    `json:"agentId"`
	AgentName  string    `json:"agentName"`
}

// personalFolder is where PERSONAL documents stand in an archive.
const personalFolder = "personal/"

// Name is the name of a document's entry.
func Name(ref memory.Ref) string {
	if ref.Scope == memory.ScopePersonal {
		return personalFolder + ref.Path
	}
	return ref.Path
}
