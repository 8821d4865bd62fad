package foldersync

import (
	"crypto/sha256"
	"encoding/hex"
)

// Sum is the SHA-256 of a text in hexadecimal; empty: there is no text.
type Sum string

// SumOf returns the sum of a text.
func SumOf(text string) Sum {
	sum := sha256.Sum256([]byte(text))
	return Sum(hex.EncodeToString(sum[:]))
}

// Sides is the state of one document: the last common text, and the current text of each side.
type Sides struct {
	Base, Local, Remote Sum
	// OneWay is true if local changes must not be sent.
	OneWay bool
}

// Action is a step towards equal sides.
type Action string

// Actions. Each is followed by another decision on the new state.
const (
	Nothing      Action = "nothing"       // they are in sync, or as close as possible
	Remember     Action = "remember"      // both have the same text: it is the new base
	Forget       Action = "forget"        // both have deleted it
	Pull         Action = "pull"          // update the folder from the server
	Push         Action = "push"          // update the server from the folder
	DeleteLocal  Action = "delete-local"  // deleted on the server, unchanged in the folder
	DeleteRemote Action = "delete-remote" // deleted in the folder, unchanged on the server
	Merge        Action = "merge"         // both changed: merge by line, or make a conflict file
)

// Decide returns the next action. A change of one side is applied to the other. A deletion wins only over an unchanged text; a
// changed text is restored. Changes of both sides are merged.
//
// If OneWay is set, local changes and deletions stay until the server changes the same document.
func Decide(s Sides) Action {
	switch {
	case s.Local == s.Remote && s.Local == s.Base:
		return Nothing
	case s.Local == s.Remote && s.Local == "":
		return Forget
	case s.Local == s.Remote:
		return Remember
	case s.Local == s.Base: // only the server changed it
		if s.Remote == "" {
			return DeleteLocal
		}
		return Pull
	case s.Remote == s.Base && s.OneWay:
		return Nothing
	case s.Remote == s.Base: // only the folder changed it
		if s.Local == "" {
			return DeleteRemote
		}
		return Push
	case s.Local == "": // deleted in the folder, changed on the server
		return Pull
	case s.Remote == "" && s.OneWay: // changed in the folder, deleted on the server: the file stays
		return Nothing
	case s.Remote == "": // changed in the folder, deleted on the server
		return Push
	}
	return Merge
}
