package memory

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

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
