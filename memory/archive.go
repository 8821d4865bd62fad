package memory

import (
	"slices"

	"reverie/memory/markdown"
)

// Unarchived returns a document without those statements of its archive that its other sections say.
func Unarchived(document string) string {
	current, archive := markdown.CutArchive(document)
	rest := withoutSaid(archive, current)
	if rest == archive {
		return document
	}
	next, err := markdown.WithArchive(current, rest)
	if err != nil { // open code: nothing is added after it
		return document
	}
	return next
}

// WithArchiveOf returns what was made of the current statements of a document, with the archive of the document: without what is said
// anew.
func WithArchiveOf(document, current string) string {
	_, archive := markdown.CutArchive(document)
	if archive == "" {
		return current
	}
	current, _ = markdown.CutArchive(current)
	next, err := markdown.WithArchive(current, withoutSaid(archive, current))
	if err != nil { // open code: nothing is added after it
		return document
	}
	return next
}

// withoutSaid removes the statements from an archive that a text says. One under which something is nested that the text does not say
// stays.
func withoutSaid(archive, text string) string {
	if archive == "" {
		return ""
	}
	said := EntrySet{}
	for _, e := range markdown.EntriesOf(text) {
		said[e.ID] = true
	}
	entries, _, spans := said.Find(archive)
	spans = slices.DeleteFunc(spans, func(s LineSpan) bool {
		return slices.ContainsFunc(entries, func(e markdown.Entry) bool { return e.FromLine > s.From && e.ToLine <= s.To && !said[e.ID] })
	})
	return WithoutLines(archive, spans)
}

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
	if err != nil { // open code: nothing is added after it
		return before
	}
	return kept
}
