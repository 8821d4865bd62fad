package memory

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPathBytes bounds a document's path. Most file systems have the same limit for names, so snapshots can be unpacked
// anywhere.
const MaxPathBytes = 255

// PathError reports which rule a path breaks.
type PathError struct {
	Path string // as given
	Rule string // what to do, such as "use / between folders"
}

// Error names the path and what to change.
func (e *PathError) Error() string { return fmt.Sprintf("path %.80q: %s", e.Path, e.Rule) }

// ParsePath validates a document's path and returns it in Unicode normal form C, so that each name has one spelling. A path
// is relative, uses /, has no empty, "." or ".." segment, ends in .md, is printable and at most MaxPathBytes long. The
// error is a *PathError.
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

// brokenRule returns what to change in an invalid path; empty if the path is valid.
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
		return "remove the invisible characters"
	case !strings.HasSuffix(path, ".md"):
		return "end it in .md"
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

// hasDrive reports whether a path begins with a drive letter such as C:, which is absolute on Windows.
func hasDrive(path string) bool {
	return len(path) > 1 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

// unseen reports whether r is a control or format character, such as one that reverses the reading direction.
func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// DailyNotePath returns the path of the daily note of day, in day's own time zone.
func DailyNotePath(day time.Time) string { return "memory/" + day.Format(time.DateOnly) + ".md" }

// MaxWriteTargets bounds the number of AgentSettings.WriteTargets. Each has at most MaxPathBytes.
const MaxWriteTargets = 100

// protectedPaths are the documents that define what an agent is. Only their exact names open them, no pattern does.
var protectedPaths = []string{AgentsPath, SoulPath}

// WriteAllowed reports whether business workflows may write the document at a path, in the form that ParsePath returns.
//
// targets are patterns of paths. Within a segment, *, ? and [a-z] match as in path.Match; a segment ** matches any number
// of folders, including none. Nil allows every document, an empty list none. AGENTS.md and SOUL.md at the root must be
// named literally.
func WriteAllowed(targets []string, document string) bool {
	if slices.Contains(protectedPaths, document) {
		return slices.Contains(targets, document)
	}
	if targets == nil {
		return true
	}
	segments := strings.Split(document, "/")
	return slices.ContainsFunc(targets, func(target string) bool {
		return matches(strings.Split(norm.NFC.String(target), "/"), segments)
	})
}

// matches compares a pattern with a path, segment by segment. reached[i] reports whether the pattern so far matches the
// first i segments of the path.
func matches(pattern, segments []string) bool {
	reached := make([]bool, len(segments)+1)
	reached[0] = true
	for _, p := range pattern {
		next := make([]bool, len(segments)+1)
		for i := range reached {
			switch {
			case p == "**":
				next[i] = reached[i] || i > 0 && next[i-1]
			case i > 0 && reached[i-1]:
				next[i], _ = path.Match(p, segments[i-1]) // a bad pattern matches nothing
			}
		}
		reached = next
	}
	return reached[len(segments)]
}

// ValidWriteTarget validates a pattern for WriteAllowed. The error names the correction.
func ValidWriteTarget(target string) error {
	switch {
	case target == "":
		return fmt.Errorf("name documents, such as memory/cases/*.md")
	case len(target) > MaxPathBytes:
		return fmt.Errorf("shorten it to %d bytes, it has %d", MaxPathBytes, len(target))
	case strings.ContainsFunc(target, unseen):
		return fmt.Errorf("remove the invisible characters")
	}
	for segment := range strings.SplitSeq(target, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return fmt.Errorf(`remove empty segments, "." and ".."`)
		}
		if _, err := path.Match(segment, ""); err != nil {
			return fmt.Errorf("close the bracket, or escape it with a backslash")
		}
	}
	return nil
}

// Searchable reports whether search and recall include a document. Instructions (AGENTS.md, SOUL.md) are not memory, and a
// dream's own reports (DREAMS.md, memory/dreaming/) would be mistaken for something that was said.
func Searchable(path string) bool {
	switch path {
	case AgentsPath, SoulPath, DreamsPath:
		return false
	}
	return !strings.HasPrefix(path, DreamingFolder)
}

// DreamsPath is the diary of dreams.
const DreamsPath = "DREAMS.md"

// DreamingFolder contains the reports of dreams.
const DreamingFolder = "memory/dreaming/"
