package engine

import (
	"bytes"
	"strings"
	"testing"
)

// Secrets are sealed with the first key, opened with any, and readable as they are from before there was one.
func TestSealer(t *testing.T) {
	secret := []byte("a secret of 32 bytes, as they are")
	key := func(id, b string) string { return id + ":" + strings.Repeat(b, 42) + "A=" }
	sealers := map[string]Sealer{}
	for name, keys := range map[string]string{"none": "", "old": key("k1", "A"), "new": key("k2", "B") + "," + key("k1", "A"), "other": key("k3", "C")} {
		var err error
		if sealers[name], err = NewSealer(keys); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		with, by string
		opens    bool
	}{
		{"none", "none", true},
		{"none", "new", true},
		{"old", "old", true},
		{"old", "new", true},
		{"new", "old", false},
		{"old", "none", false},
		{"old", "other", false},
	} {
		sealed, err := sealers[c.with].Seal(secret)
		if err != nil {
			t.Fatal(err)
		}
		if c.with != "none" && bytes.Contains(sealed, secret) {
			t.Errorf("%s does not encrypt", c.with)
		}
		got, err := sealers[c.by].Open(sealed)
		if opens := err == nil && bytes.Equal(got, secret); opens != c.opens {
			t.Errorf("sealed with %s, opened by %s: %q, %v", c.with, c.by, got, err)
		}
	}
}
