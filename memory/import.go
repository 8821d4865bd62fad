package memory

import (
	"slices"

	"reverie/memory/markdown"
)

// ImportPolicy decides what happens to an imported document whose path already exists. A document that is missing, deleted
// or unchanged since it was seeded is written under every policy.
type ImportPolicy string

const (
	// ImportMerge appends what the document lacks, under a heading.
	ImportMerge ImportPolicy = "merge"
	// ImportKeep keeps the existing document.
	ImportKeep ImportPolicy = "keep"
	// ImportOverwrite replaces the document. The previous version stays in the history.
	ImportOverwrite ImportPolicy = "overwrite"
)

// Valid reports whether p is one of the three policies.
func (p ImportPolicy) Valid() bool {
	return p == ImportMerge || p == ImportKeep || p == ImportOverwrite
}

// Outcomes of writes and imports, besides those of extractions.
const (
	// OutcomeUnchanged means that the document already had the content.
	OutcomeUnchanged Outcome = "unchanged"
	// OutcomeMerged means that missing statements were appended to an existing document.
	OutcomeMerged Outcome = "merged"
)

// Limits of imports. The size of a batch is bounded by the limit of API requests.
const (
	MaxImportItems  = 100_000 // per import
	MaxImportBatch  = 1000    // items per upload
	MaxImportKey    = 300     // bytes, of an item's key
	MaxImportLabel  = 200     // bytes, of a source's name
	MaxImportSource = 128     // bytes, of a source's identifier, such as a hash in hexadecimal
)

// IsSeed reports whether a document is unchanged since it was seeded, by this release or an earlier one.
func IsSeed(path, content string) bool {
	return slices.ContainsFunc(everySeed(), func(s Seed) bool { return s.Path == path && s.Content == content })
}

// ImportedHeading begins the heading of statements that an import has added to a document.
const ImportedHeading = "## Imported from "

// MergeImported appends the statements of incoming that current lacks under a heading "## Imported from <from>"; see
// AddMissing.
func MergeImported(current, incoming, from string) string {
	return markdown.AddMissing(current, incoming, ImportedHeading+from)
}
