package judge

import (
	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory/markdown"
)

// Known holds statements of a document, to compare texts with. The zero value holds none.
type Known struct{ lines }

// KnownOf returns the statements of a document that only selects.
func KnownOf(content string, only func(markdown.Entry) bool) Known {
	k := Known{lines{ids: map[markdown.EntryID]*line{}}}
	k.add(content, "", true, only)
	return k
}

// Says reports whether a statement makes one of them, in the same or in other words. Dreams reject such candidates as known.
func (k Known) Says(e markdown.Entry) bool {
	if len(k.all) == 0 {
		return false
	}
	text := claim.Comment.ReplaceAllString(e.Text, "")
	_, found := k.find(dream.Candidate{ID: e.ID, Text: text}, claim.WordsOf(text))
	return found
}
