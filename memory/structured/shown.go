package structured

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of one document in a system prompt.
const (
	MaxShown      = 40   // entries
	MaxShownChars = 4000 // characters, without the note about what is left out
)

// Shown returns the current entries of a document as they are put into a system prompt: the newest ones that fit the limits, in the
// order of the document, with a note of how many are left out. Text outside of entries, source lines and the archive are left out. Of a
// document without entries it returns the empty string.
func Shown(document string) string {
	entries := Current(Parse(document))
	texts := make([]string, len(entries))
	newest := make([]int, len(entries))
	for i, e := range entries {
		texts[i], newest[i] = "## "+e.Key+"\n\n"+e.Content, i
	}
	slices.SortStableFunc(newest, func(a, b int) int {
		return cmp.Or(entries[b].Updated.Compare(entries[a].Updated), cmp.Compare(b, a))
	})
	chosen := make([]bool, len(entries))
	count, room := 0, MaxShownChars
	for _, i := range newest {
		size := utf8.RuneCountInString(texts[i]) + len("\n\n")
		if count == MaxShown || size > room {
			continue
		}
		chosen[i] = true
		count++
		room -= size
	}
	var parts []string
	for i, text := range texts {
		if chosen[i] {
			parts = append(parts, text)
		}
	}
	if omitted := len(entries) - count; omitted > 0 {
		parts = append(parts, fmt.Sprintf("(+%d older entries omitted; recall_structured reads them)", omitted))
	}
	return strings.Join(parts, "\n\n")
}
