package memory

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPathBytes bounds a document's path, as most file systems bound a name: a snapshot can be unpacked anywhere.
const MaxPathBytes = 255

// PathError says which rule a path breaks and what to do about it.
type PathError struct {
	Path string // as it was given
	Rule string // what to do, such as "use / between folders"
}

// Error names the path and what to do.
func (e *PathError) Error() string { return fmt.Sprintf("path %q: %s", shown(e.Path), e.Rule) }

// shown cuts what an error repeats of its input.
func shown(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// ParsePath checks the path of a document and returns it in Unicode normal form C, so that one name has one spelling.
// A path is relative, uses /, has no empty, "." or ".." segment, ends in .md, is printable and at most MaxPathBytes long.
// The error is a *PathError.
func ParsePath(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", &PathError{s, "write it in UTF-8"}
	}
	path := norm.NFC.String(s)
	if rule := brokenRule(path); rule != "" {
		return "", &PathError{s, rule}
	}
	return path, nil
}

// brokenRule is the first rule that path breaks; empty when it breaks none.
func brokenRule(path string) string {
	switch {
	case path == "":
		return "name a document, such as MEMORY.md or memory/2026-01-31.md"
	case len(path) > MaxPathBytes:
		return fmt.Sprintf("shorten it to %d bytes, it has %d", MaxPathBytes, len(path))
	case strings.Contains(path, `\`):
		return "use / between folders, not a backslash"
	case strings.HasPrefix(path, "/"):
		return "remove the leading /, paths are relative"
	case hasDrive(path):
		return "remove the drive letter, paths are relative"
	case strings.ContainsFunc(path, unseen):
		return "remove the characters that cannot be seen"
	case !strings.HasSuffix(path, ".md"):
		return "end it in .md, memory is Markdown"
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "":
			return "remove the empty folder name"
		case segment == "." || segment == "..":
			return `remove "." and "..", paths are relative to the agent's memory`
		case strings.TrimSpace(segment) != segment:
			return "remove the spaces around each name"
		case segment == ".md":
			return "give the document a name before .md"
		}
	}
	return ""
}

// hasDrive finds C: and the like, which are absolute where a snapshot may be unpacked.
func hasDrive(path string) bool {
	return len(path) > 1 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

// unseen are control and format characters, among them those that turn the reading direction of a name around.
func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// DailyNotePath is the path of the daily note of day, in day's own time zone.
func DailyNotePath(day time.Time) string { return "memory/" + day.Format(time.DateOnly) + ".md" }
