package dreams

import "testing"

func TestEditsOverturn(t *testing.T) {
	for _, c := range []struct {
		text, statement string
		want            bool
	}{
		{"I live in York.", "I live in Leeds.", true},
		{"My bike is blue.", "My bike is red.", true},
		{"I don't eat meat.", "I eat meat.", true},
		{"Mein Zahnarzt ist Dr. Brandt", "Mein Zahnarzt ist Dr. Weber", true},
		{"我住在杭州。", "我住在上海。", true},
		{"I live in Leeds, near the canal.", "I live in Leeds.", false},
		{"Likes green tea.", "Likes tea.", false},
		{"Wohnt in Bonn am Rhein.", "Wohnt in Bonn.", false},
	} {
		if got := overturns(c.text, c.statement); got != c.want {
			t.Errorf("%q for %q: %v", c.text, c.statement, got)
		}
	}
}
