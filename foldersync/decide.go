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
	// OneWay means that nothing may be sent.
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
	DeleteLocal  Action = "delete-local"  // gone on the server, unchanged here
	DeleteRemote Action = "delete-remote" // gone here, unchanged on the server
	Merge        Action = "merge"         // both changed: merge by line, or make a conflict file
)

// Decide returns the next action. A change of one side is applied to the other. A deletion wins only over an unchanged text: a
// changed one comes back. Changes of both sides are merged.
//
// One way, local changes and deletions stay until the server changes the same document.
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
	case s.Local == "": // deleted here, changed there
		return Pull
	case s.Remote == "" && s.OneWay: // changed here, deleted there: it stays here
		return Nothing
	case s.Remote == "": // changed here, deleted there
		return Push
	}
	return Merge
}
