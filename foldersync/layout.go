package foldersync

import (
	"fmt"
	"strings"

	"reverie/memory"
)

// Folders of a layout that are no folders of documents.
const (
	teamFolder   = "team"   // what everyone who uses the agent reads
	globalFolder = "global" // what all agents of the workspace read
	ownFolder    = "own"    // documents of the root whose own path begins with one of these three names
)

// Layout says where a document stands in a folder, and which document a file is. The root holds the documents that a write
// without a scope goes to: those of the owner, or the shared ones when nobody is named.
//
// No two documents have one place, and every document that can be a file has one.
type Layout struct {
	// Personal says that the root holds the documents of an owner.
	Personal bool
}

func (l Layout) root() memory.Scope {
	if l.Personal {
		return memory.ScopePersonal
	}
	return memory.ScopeTeam
}

// Place is the path of a document's file, relative to the folder and with slashes. The error says why it can have none.
func (l Layout) Place(ref memory.Ref) (string, error) {
	path, err := memory.ParsePath(ref.Path)
	if err != nil {
		return "", err
	}
	if why := unfit(path); why != "" {
		return "", fmt.Errorf("%s, and stays on the server only", why)
	}
	switch {
	case ref.Scope == l.root() && reserved(path):
		return ownFolder + "/" + path, nil
	case ref.Scope == l.root():
		return path, nil
	case ref.Scope == memory.ScopeTeam:
		return teamFolder + "/" + path, nil
	case ref.Scope == memory.ScopeGlobal:
		return globalFolder + "/" + path, nil
	}
	return "", fmt.Errorf("a %s document has no place in a folder of shared ones", ref.Scope)
}

// Ref is the document that stands at a place, which is in the form of memory.ParsePath. The error says why there can be none.
func (l Layout) Ref(place string) (memory.Ref, error) {
	first, rest, nested := strings.Cut(place, "/")
	ref := memory.Ref{Scope: l.root(), Path: place}
	if nested {
		switch {
		case first == ownFolder && reserved(rest):
			ref.Path = rest
		case first == globalFolder:
			ref = memory.Ref{Scope: memory.ScopeGlobal, Path: rest}
		case first == teamFolder && l.Personal:
			ref = memory.Ref{Scope: memory.ScopeTeam, Path: rest}
		case reserved(place):
			return memory.Ref{}, fmt.Errorf("%s/ is for %s only: move it out of that folder", first, l.meaning(first))
		}
	}
	path, err := memory.ParsePath(ref.Path)
	if err != nil {
		return memory.Ref{}, err
	}
	if path != ref.Path {
		return memory.Ref{}, fmt.Errorf("%s is not in its normal form", place)
	}
	if why := unfit(path); why != "" {
		return memory.Ref{}, fmt.Errorf("%s, and is not sent", why)
	}
	return ref, nil
}

func (l Layout) meaning(first string) string {
	if folded(first) == teamFolder && l.Personal || folded(first) == globalFolder {
		return "documents below " + folded(first) + "/ in small letters"
	}
	return "documents whose folder is called team, global or own"
}

// reserved reports whether a path begins with a folder that means something else here, in any case: the file system may
// not tell them apart.
func reserved(path string) bool {
	first, _, nested := strings.Cut(path, "/")
	switch folded(first) {
	case teamFolder, globalFolder, ownFolder:
		return nested
	}
	return false
}

// unfit says why a document's path cannot be the name of a file that is synced; empty when it can.
func unfit(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, ".") {
			return "its name begins with a dot"
		}
	}
	switch {
	case isConflict(path):
		return "its name is that of a kept conflict"
	case isTemporary(path):
		return "its name is that of a temporary file"
	}
	return ""
}
