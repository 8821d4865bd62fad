package judge

import (
	"reverie/language/claim"
	"reverie/memory"
)

// Supersedes reports whether newer states anew what older states, so that it can take the older one's line; see claim.Supersedes.
// It is false for two spellings of one entry.
func Supersedes(older, newer string) bool {
	return memory.EntryIDOf(older) != memory.EntryIDOf(newer) && claim.Supersedes(older, newer)
}
