package foldersync

import (
	"crypto/sha256"
	"encoding/hex"
)

// Sum is the SHA-256 of a text in hexadecimal; empty: there is no text.
type Sum string

// SumOf is the sum of a text.
func SumOf(text string) Sum {
	sum := sha256.Sum256([]byte(text))
	return Sum(hex.EncodeToString(sum[:]))
}

// Sides is what is known about one document: what both sides last had in common, and what each has now.
type Sides struct {
	Base, Local, Remote Sum
	// OneWay says that nothing of it may be sent.
	OneWay bool
}

// Action is what brings two sides one step closer together.
type Action string

// Actions. Each is followed by another decision, made on what there is then.
const (
	Nothing      Action = "nothing"       // they are in step, or as close as they may come
	Remember     Action = "remember"      // both have the same: it is the new base
	Forget       Action = "forget"        // both have none any more
	Pull         Action = "pull"          // the folder takes what the server has
	Push         Action = "push"          // the server takes what the folder has
	DeleteLocal  Action = "delete-local"  // gone on the server, unchanged here
	DeleteRemote Action = "delete-remote" // gone here, unchanged on the server
	Merge        Action = "merge"         // both changed: three ways by line, or a visible conflict
)

// Decide is the policy. What only one side changed is taken over by the other. A deletion counts only against a side that
// changed nothing since: a changed text comes back instead. What both changed is merged.
//
// One way, what was changed or deleted here stays so until the server changes the same document.
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
