package documents

import (
	"testing"

	"github.com/reverie-memory/reverie/client/wire"
)

func TestSourcesOfAVersion(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources wire.Sources
		want    string
	}{
		{"none", wire.Sources{}, "-"},
		{"a range", wire.Sources{Conversation: "c1", From: 3, To: 6}, "c1:3-6"},
		{
			"of several conversations", wire.Sources{Lines: []wire.LineSource{
				{Line: "- a", Messages: []int{1}, Conversation: "c1"},
				{Line: "- b", Messages: []int{2}, Conversation: "c2"},
				{Line: "- c", Messages: []int{3}, Conversation: "c1"},
			}}, "2 conversations",
		},
	} {
		if got := sourcesOf(c.sources); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
