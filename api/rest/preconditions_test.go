package rest

import (
	"crypto/sha256"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/memory"
)

// A tag is read back as what it names, alone, in a list and weakened, and names nothing else.
func TestTagsNameOneVersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal})
		content := rapid.StringN(0, 20, -1)
		a, b := scope.Draw(t, "scope"), scope.Draw(t, "other scope")
		v := memory.Version{
			Number: rapid.IntRange(1, 999_999_999).Draw(t, "version"),
			SHA256: sha256.Sum256([]byte(content.Draw(t, "content"))),
		}
		w := memory.Version{
			Number: rapid.IntRange(1, 999_999_999).Draw(t, "other version"),
			SHA256: sha256.Sum256([]byte(content.Draw(t, "other content"))),
		}
		tag := ETag(a, v.Number, v.SHA256)
		header := rapid.SampledFrom([]string{tag, "W/" + tag, `"x", ` + tag, tag + `,"y"`, " " + tag + " "}).Draw(t, "header")
		tags := parseTags(header)
		if len(tags) != 1 || !tags[0].names(a, v) {
			t.Fatalf("%s is read as %+v", header, tags)
		}
		if !MatchesAny(header, tag) {
			t.Fatalf("%s does not match %s", header, tag)
		}
		if same := a == b && v.Number == w.Number && v.SHA256 == w.SHA256; tags[0].names(b, w) != same {
			t.Fatalf("%s names %s %+v as well", tag, b, w)
		}
	})
}

func FuzzTags(f *testing.F) {
	for _, seed := range []string{
		"", "*", `"P1.0123456789abcdef"`, `W/"T12.0123456789abcdef", "x"`, `"P0000000000.0123456789abcdef"`, `"P1.0123456789ABCDEF"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		for _, tag := range parseTags(header) {
			if tag.version < 0 || tag.scope == "" || len(tag.hash) != 2*tagHash || !strings.Contains(header, tag.hash) {
				t.Errorf("%q is read as %+v", header, tag)
			}
		}
	})
}
