package snapshot

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/memory"
)

const (
	manifestName = "manifest.json"
	notesFolder  = "memory/"
)

// rootDocuments are the documents outside of memory/ that a snapshot carries.
var rootDocuments = []string{
	memory.AgentsPath, memory.MemoryPath, memory.ProfilePath, memory.SoulPath, "KNOWLEDGE.md", "DREAMS.md",
}

// dated finds a name that begins with a day or, on its own, a month.
var dated = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:\D.*)?\.md$|^(\d{4}-\d{2})\.md$`)

// Listed reports whether a snapshot carries a document of this path: one of the documents that every agent may have at its
// root, or anything under memory/ whose name is a real date where it looks like one. Otherwise the reason says why not.
func Listed(path string) (bool, Reason) {
	if slices.Contains(rootDocuments, path) {
		return true, ""
	}
	if !strings.HasPrefix(path, notesFolder) {
		return false, SkippedUnlisted
	}
	if clean, err := memory.ParsePath(path); err != nil || clean != path {
		return false, SkippedUnlisted
	}
	if parts := dated.FindStringSubmatch(path[strings.LastIndex(path, "/")+1:]); parts != nil {
		_, noDay := time.Parse(time.DateOnly, parts[1])
		_, noMonth := time.Parse("2006-01", parts[2])
		if noDay != nil && noMonth != nil {
			return false, SkippedNoSuchDate
		}
	}
	return true, ""
}

// refOf is the document that an entry of this name is.
func refOf(name string) memory.Ref {
	if path, personal := strings.CutPrefix(name, personalFolder); personal {
		return memory.Ref{Scope: memory.ScopePersonal, Path: path}
	}
	return memory.Ref{Scope: memory.ScopeTeam, Path: name}
}

// checkName refuses names that mean something else outside of an archive than in it, and returns the name in Unicode normal
// form C. A folder's ends in a slash.
func checkName(raw string) (string, error) {
	if !utf8.ValidString(raw) {
		return "", refuseEntry(CodeNameEncoding, raw, "write names in UTF-8")
	}
	name := norm.NFC.String(raw)
	problem := ""
	switch {
	case name == "":
		problem = "it has no name"
	case strings.Contains(name, `\`):
		problem = "use / between folders, not a backslash"
	case strings.HasPrefix(name, "/"):
		problem = "remove the leading /, names are relative"
	case len(name) > 1 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z':
		problem = "remove the drive letter, names are relative"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
		problem = "remove the characters that cannot be seen"
	default:
		for segment := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
			if segment == "" || segment == "." || segment == ".." {
				problem = `remove empty names, "." and ".."`
			}
		}
	}
	if problem != "" {
		return "", refuseEntry(CodeUnsafeName, raw, "%s", problem)
	}
	return name, nil
}

// sameName is equal for names that are one on some file system: whatever their case, and a file and a folder alike.
func sameName(name string) string {
	return norm.NFC.String(cases.Fold().String(strings.TrimSuffix(name, "/")))
}

// archives are endings and beginnings of archives and compressed files, which are never opened.
var (
	archiveEndings    = []string{".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst", ".jar"}
	archiveBeginnings = []string{"PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"}
)

// isArchive reports whether an entry is an archive itself.
func isArchive(name, content string) bool {
	for _, ending := range archiveEndings {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return true
		}
	}
	return slices.ContainsFunc(archiveBeginnings, func(b string) bool { return strings.HasPrefix(content, b) })
}
