package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"reverie/memory"
)

// An entity tag names one version of one document: "<scope's letter><version>.<half of the content's SHA-256>". The
// scope is part of it because a path may mean another document to another reader.

// tagHash is how many bytes of the hash a tag has.
const tagHash = 8

var scopeLetters = map[memory.Scope]string{memory.ScopePersonal: "P", memory.ScopeTeam: "T", memory.ScopeGlobal: "G"}

// ETag names a version.
func ETag(scope memory.Scope, version int, sha [sha256.Size]byte) string {
	return fmt.Sprintf(`"%s%d.%x"`, scopeLetters[scope], version, sha[:tagHash])
}

// versionTag is a parsed etag.
type versionTag struct {
	scope   memory.Scope
	version int
	hash    string // hex
}

var tagPattern = regexp.MustCompile(`^(?:W/)?"([PTG])([0-9]{1,9})\.([0-9a-f]{16})"$`)

// parseTags reads a list of tags, as If-Match has it. Tags that are not ours are left out: they match nothing. A weak tag
// counts as the strong one, since proxies that compress answers weaken tags.
func parseTags(header string) []versionTag {
	var tags []versionTag
	for text := range strings.SplitSeq(header, ",") {
		parts := tagPattern.FindStringSubmatch(strings.TrimSpace(text))
		if parts == nil {
			continue
		}
		t := versionTag{hash: parts[3]}
		for scope, letter := range scopeLetters {
			if letter == parts[1] {
				t.scope = scope
			}
		}
		t.version, _ = strconv.Atoi(parts[2]) // at most nine digits
		tags = append(tags, t)
	}
	return tags
}

// MatchesAny reports whether an If-None-Match header names the tag.
func MatchesAny(header, tag string) bool {
	for text := range strings.SplitSeq(header, ",") {
		text = strings.TrimPrefix(strings.TrimSpace(text), "W/")
		if text == "*" || text == tag {
			return true
		}
	}
	return false
}

// names reports whether t is the tag of this version.
func (t versionTag) names(scope memory.Scope, v memory.Version) bool {
	return t.scope == scope && t.version == v.Number && t.hash == hex.EncodeToString(v.SHA256[:tagHash])
}
