package foldersync

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"
)

var conflictName = regexp.MustCompile(`(?i)\.conflict-\d{8}-\d{6}(-\d+)?\.md$`)

// conflictPlace is where what cannot stand in a document's file is kept, beside it. The time is in UTC.
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

// maxName bounds a file's name in bytes, on most file systems.
const maxName = 255

// isConflict recognises a file made by conflictPlace. It is for a person to read, and is never sent.
func isConflict(place string) bool { return conflictName.MatchString(place) }

// conflictOf reports whether kept is a conflict file of the document at place.
func conflictOf(place, kept string) bool {
	return isConflict(kept) && conflictName.ReplaceAllString(kept, documentSuffix) == place
}

// isTemporary recognises files that editors and programs keep for a moment beside those that they write.
func isTemporary(place string) bool {
	name := path.Base(place)
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(name, "~"), strings.HasPrefix(name, "~$"), // copies of vim, emacs and others; locks of office programs
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"), // emacs saves what was not saved
		strings.HasPrefix(name, "___jb_"),                            // JetBrains writes these, then renames
		name == "4913":                                               // vim asks with it whether it may create files
		return true
	}
	for _, suffix := range []string{".tmp", ".temp", ".swp", ".swo", ".swx", ".part", ".crdownload", ".tmp.md", ".bak"} {
		if strings.HasSuffix(lower, suffix) {
			return true
		}
	}
	return false
}

// isHidden reports whether a name is one that a listing of the folder does not show. Reverie's own folder is one of them.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") }
