package foldersync

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"reverie/memory"
)

// Reserved folders of a layout.
const (
	teamFolder   = "team"   // shared by all users of the agent
	globalFolder = "global" // shared by all agents of the workspace
	ownFolder    = "own"    // documents of the root whose path begins with one of these names
)

// Layout maps documents to files and back. The root holds the documents of the owner or, without an owner, the shared ones.
//
// Every document that can be a file has exactly one place, and no two documents share one.
type Layout struct {
	// Personal is true if the root holds the documents of an owner.
	Personal bool
}

func (l Layout) root() memory.Scope {
	if l.Personal {
		return memory.ScopePersonal
	}
	return memory.ScopeTeam
}

// Place returns the path of a document's file, relative to the folder and with slashes. The error explains why there is none.
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

// Ref returns the document of a place, which has the form of memory.ParsePath. The error explains why there is none.
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

// reserved reports whether a path begins with a folder of the layout, in upper or lower case: file systems may ignore it.
func reserved(path string) bool {
	first, _, nested := strings.Cut(path, "/")
	switch folded(first) {
	case teamFolder, globalFolder, ownFolder:
		return nested
	}
	return false
}

// unfit returns the reason why a document's path cannot be the name of a synced file, or an empty string.
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

var conflictName = regexp.MustCompile(`(?i)\.conflict-\d{8}-\d{6}(-\d+)?\.md$`)

// conflictPlace returns the path of a conflict file of a document. The time is in UTC.
func conflictPlace(place string, at time.Time, number int) string {
	suffix := ""
	if number > 1 {
		suffix = fmt.Sprintf("-%d", number)
	}
	suffix = ".conflict-" + at.UTC().Format("20060102-150405") + suffix + documentSuffix
	folder, name := path.Split(strings.TrimSuffix(place, documentSuffix))
	if room := maxName - len(suffix); len(name) > room {
		name = strings.ToValidUTF8(name[:room], "")
	}
	return folder + name + suffix
}

// maxName is the maximum length of a file name in bytes on most file systems.
const maxName = 255

// isConflict reports whether a file is named by conflictPlace. Such files are never sent.
func isConflict(place string) bool { return conflictName.MatchString(place) }

// conflictOf reports whether kept is a conflict file of the document at place.
func conflictOf(place, kept string) bool {
	return isConflict(kept) && conflictName.ReplaceAllString(kept, documentSuffix) == place
}

// isTemporary reports whether a name is that of a temporary file of an editor or another program.
func isTemporary(place string) bool {
	name := path.Base(place)
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(name, "~"), strings.HasPrefix(name, "~$"), // copies of vim, emacs and others; locks of office programs
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"), // auto-save files of emacs
		strings.HasPrefix(name, "___jb_"),                            // temporary files of JetBrains
		name == "4913":                                               // probe file of vim
		return true
	}
	for _, suffix := range []string{".tmp", ".temp", ".swp", ".swo", ".swx", ".part", ".crdownload", ".tmp.md", ".bak"} {
		if strings.HasSuffix(lower, suffix) {
			return true
		}
	}
	return false
}

// isHidden reports whether a file is hidden by its name. The state folder is hidden, too.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") }
