package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/store"
)

// Preconditions say on which version a write is based.
type Preconditions struct {
	IfMatch     string `header:"If-Match" maxLength:"2000" doc:"ETag that was read; * overwrites whatever is there. Needed when the document exists."`
	IfNoneMatch string `header:"If-None-Match" maxLength:"2000" doc:"*: only when there is no such document yet."`
}

// Basis identifies the version that a write is based on: 0 for none, or any.
type Basis struct {
	Version int
	Any     bool
}

// Basis reads the Preconditions. Whether the version is still current is for the gate to decide, which merges or refuses;
// here a tag only has to name a version that there was.
func (s *Server) Basis(ctx context.Context, id memory.Identity, ref memory.Ref, p Preconditions) (Basis, error) {
	switch {
	case p.IfMatch != "" && p.IfNoneMatch != "":
		return Basis{}, fault.InvalidAt("header.If-None-Match", "it contradicts If-Match: send one of the two")
	case p.IfNoneMatch != "" && p.IfNoneMatch != "*":
		return Basis{}, fault.InvalidAt(
			"header.If-None-Match",
			"a write takes only *: to write on top of a version, send its ETag as If-Match",
		)
	case p.IfMatch == "":
		return Basis{}, nil
	case p.IfMatch == "*":
		_, err := s.Store.Document(ctx, id, ref)
		if errors.Is(err, store.ErrNotFound) {
			err = fault.New(fault.PreconditionFailed, "No %s document %s to overwrite", ref.Scope, ref.Path)
		}
		return Basis{Any: true}, err
	}
	for _, tag := range parseTags(p.IfMatch) {
		if tag.scope != ref.Scope {
			return Basis{}, fault.New(fault.PreconditionFailed, "If-Match names a version of the %s document, and this writes the %s one: "+
				"add scope=%[1]s, or send If-None-Match: * to make one of that scope", tag.scope, ref.Scope)
		}
		v, err := s.Store.VersionOf(ctx, id, ref, tag.version)
		if err == nil && tag.names(ref.Scope, v) {
			return Basis{Version: v.Number}, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return Basis{}, err
		}
	}
	return Basis{}, fault.New(fault.PreconditionFailed, "If-Match names no version of this document: read it again and send its ETag")
}

// Explain turns the gate's refusal of a write that was based on no version into what the client has to send.
func (p Preconditions) Explain(err error) error {
	stale, is := errors.AsType[*store.StaleBaseError](err)
	if !is || stale.Base != 0 {
		return err
	}
	current := ETag(stale.Ref.Scope, stale.Head, sha256.Sum256([]byte(stale.Theirs)))
	if p.IfNoneMatch != "" {
		return fault.New(fault.PreconditionFailed, "The document exists; its current version is %s", current).With("ETag", current)
	}
	return fault.New(fault.PreconditionRequired,
		"The document exists: read it and send its ETag as If-Match; the current ETag is %s", current).
		With("ETag", current)
}

// An entity tag names one version of one document: "<scope's letter><version>.<half of the content's SHA-256>". The
// scope is part of it because a path may mean another document to another reader.

// tagHash is the length of the hash in a tag, in bytes.
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
