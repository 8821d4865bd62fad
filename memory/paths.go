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

// MaxPathBytes bounds a document's path, as most file systems bound a name: a snapshot can be unpacked anywhere.
const MaxPathBytes = 255

// PathError says which rule a path breaks and what to do about it.
type PathError struct {
	Path string // as it was given
	Rule string // what to do, such as "use / between folders"
}

// Error names the path and what to do.
func (e *PathError) Error() string { return fmt.Sprintf("path %.80q: %s", e.Path, e.Rule) }

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

// Limits of AgentSettings.WriteTargets.
const (
	MaxWriteTargets     = 100
	MaxWriteTargetBytes = MaxPathBytes
)

// guarded are the documents that tell an agent what it is: a pattern does not open them, only their names do.
var guarded = []string{AgentsPath, SoulPath}

// WriteAllowed reports whether business workflows may write the document at a path, in ParsePath's form. targets are patterns
// of paths: in each segment *, ? and [a-z] are as in path.Match, and a segment ** stands for any number of folders, none too. Nil
// allows every document, an empty list none. AGENTS.md and SOUL.md at the root must be named literally.
func WriteAllowed(targets []string, document string) bool {
	if slices.Contains(guarded, document) {
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

// matches compares a pattern with a path, segment by segment: reached[i] is whether what came before leads to the i-th segment of
// the path.
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

// ValidWriteTarget checks a pattern of WriteAllowed. The error says what to do.
func ValidWriteTarget(target string) error {
	switch {
	case target == "":
		return fmt.Errorf("name documents, such as memory/cases/*.md")
	case len(target) > MaxWriteTargetBytes:
		return fmt.Errorf("shorten it to %d bytes, it has %d", MaxWriteTargetBytes, len(target))
	case strings.ContainsFunc(target, unseen):
		return fmt.Errorf("remove the characters that cannot be seen")
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

// Searchable reports whether a document is found by recall. What the agent is told (AGENTS.md, SOUL.md) is no memory, and
// what a dream writes about itself (DREAMS.md, memory/dreaming/) would come back as if somebody had said it.
func Searchable(path string) bool {
	switch path {
	case AgentsPath, SoulPath, DreamsPath:
		return false
	}
	return !strings.HasPrefix(path, DreamingFolder)
}

// DreamsPath is the diary of dreams.
const DreamsPath = "DREAMS.md"

// DreamingFolder is where the reports of dreams stand.
const DreamingFolder = "memory/dreaming/"
