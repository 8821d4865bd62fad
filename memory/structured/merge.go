package structured

import (
	"slices"

	"reverie/language/claim"
)

// MinMerged is the number of current entries from which a document is consolidated.
const MinMerged = 8

// Merge removes current entries that only repeat what a later one says, and returns the document and how many it removed. An entry
// is removed if another one that was updated later, or as late and is below it, has the same content in any wording, or all of it.
// Entries whose key keeps reports stay. The number of entries never grows.
func Merge(document string, keeps func(key string) bool) (merged string, removed int, err error) {
	merged = document
	entries := Current(Parse(document))
	if len(entries) < MinMerged {
		return document, 0, nil
	}
	read := make([]claim.Words, len(entries))
	for i, e := range entries {
		read[i] = claim.WordsOf(e.Content)
	}
	gone := make([]bool, len(entries))
	for i, e := range entries {
		if keeps(e.Key) {
			continue
		}
		gone[i] = slices.ContainsFunc(entries, func(other Entry) bool {
			j := slices.Index(entries, other)
			if j == i || gone[j] {
				return false
			}
			if order := other.Updated.Compare(e.Updated); order < 0 || order == 0 && j < i && !keeps(other.Key) {
				return false
			}
			return other.Content == e.Content || claim.SameStatement(read[i], read[j]) && len(read[i].Units) <= len(read[j].Units)
		})
		if !gone[i] {
			continue
		}
		next, found, err := Remove(merged, e.Key)
		if err != nil {
			return "", 0, err
		}
		if found {
			merged = next
			removed++
		}
	}
	return merged, removed, nil
}
