package memory

import "reverie/memory/markdown"

// KeepArchive returns what a machine makes of a document with the archive as it was: it changes neither what is archived, nor makes an
// archived statement current again.
func KeepArchive(before, after string) string {
	current, archive := markdown.CutArchive(before)
	if archive == "" {
		return after
	}
	archived := EntrySet{}
	for _, e := range markdown.EntriesOf(archive) {
		archived[e.ID] = true
	}
	for _, e := range markdown.EntriesOf(current) {
		delete(archived, e.ID)
	}
	next, _ := markdown.CutArchive(after)
	_, _, back := archived.Find(next)
	kept, err := markdown.WithArchive(WithoutLines(next, back), archive)
	if err != nil { // open code: nothing is added behind it
		return before
	}
	return kept
}
