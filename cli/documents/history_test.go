package documents

import (
	"testing"

	"reverie/memory"
)

func TestSourcesOfAVersion(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources memory.Sources
		want    string
	}{
		{"none", memory.Sources{}, "-"},
		{"a range", memory.Sources{Conversation: "c1", From: 3, To: 6}, "c1:3-6"},
		{
			"of several conversations", memory.Sources{Lines: []memory.LineSource{
				{Line: "- a", Messages: []int64{1}, Conversation: "c1"}, {Line: "- b", Messages: []int64{2}, Conversation: "c2"}, {Line: "- c", Messages: []int64{3}, Conversation: "c1"},
			}}, "2 conversations",
		},
	} {
		if got := sourcesOf(c.sources); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
