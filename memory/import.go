package memory

import (
	"slices"
)

// ImportPolicy says what becomes of a document that is moved in from another system when another one stands there already.
// One that is absent, deleted, or still as it was seeded is written by all of them.
type ImportPolicy string

const (
	// ImportMerge adds what the document does not say yet to its end, below a heading of its own.
	ImportMerge ImportPolicy = "merge"
	// ImportKeep leaves it as it is.
	ImportKeep ImportPolicy = "keep"
	// ImportOverwrite replaces it; the version before stays in the history.
	ImportOverwrite ImportPolicy = "overwrite"
)

// Valid reports whether p is one of the three policies.
func (p ImportPolicy) Valid() bool {
	return p == ImportMerge || p == ImportKeep || p == ImportOverwrite
}

// Outcomes of what is handed in, besides those of extractions.
const (
	// OutcomeUnchanged means that the document said all of it already.
	OutcomeUnchanged Outcome = "unchanged"
	// OutcomeMerged means that what was missing was added to a document that was there.
	OutcomeMerged Outcome = "merged"
)

// Limits of moving in. A batch has at most as many bytes as a request of the API may have.
const (
	MaxImportItems    = 100_000 // of one import
	MaxImportBatch    = 1000    // items that are uploaded at once
	MaxImportMessages = 10_000  // of one conversation
	MaxImportKey      = 300     // bytes of an item's key
	MaxImportLabel    = 200     // bytes of what a source is called
	MaxImportSource   = 128     // bytes of what identifies a source, such as a hash in hexadecimal
)

// IsSeed reports whether a document is still as it was seeded.
func IsSeed(path, content string) bool {
	return slices.ContainsFunc(Seeds(), func(s Seed) bool { return s.Path == path && s.Content == content })
}

// ImportedHeading returns the heading under which a merge puts the statements of another system.
func ImportedHeading(from string) string { return "## Imported from " + from }

// MergeImported appends the statements of incoming that current lacks, under ImportedHeading(from); see AddMissing.
func MergeImported(current, incoming, from string) string {
	return AddMissing(current, incoming, ImportedHeading(from))
}
