package recall

import (
	"testing"
	"time"

	"reverie/language/claim"
	"reverie/search/index"
	"reverie/store/indexes"
)

func TestWithoutForgotten(t *testing.T) {
	forgottenAt := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	sketch := claim.SketchOf("salt", "My boss Karen hates meetings on Fridays.")
	topic := claim.SketchOf("salt", "marathon")
	topic.Anywhere = true
	forgotten := []indexes.Forgotten{
		{Original: claim.OriginalOf("", &sketch), At: forgottenAt}, {Original: claim.OriginalOf("", &topic), At: forgottenAt},
	}
	const removed = ""
	for _, c := range []struct {
		text string
		said time.Duration // after the forgetting
		want string
	}{
		{"My boss Karen hates meetings on Fridays.", -time.Hour, removed},
		{"Karen, my boss, hates meetings on Fridays", -time.Hour, removed},
		{
			"The canteen closes at two. My boss Karen hates meetings on Fridays. Anna is my wife.", -time.Hour,
			"The canteen closes at two.  Anna is my wife.",
		},
		{"My boss Karen hates meetings on Fridays.", time.Hour, "My boss Karen hates meetings on Fridays."},
		{"My boss lives in Leeds.", -time.Hour, "My boss lives in Leeds."},
		{"I train for the Berlin marathon!\nRex is my dog.", -time.Hour, "Rex is my dog."},
	} {
		u := index.Unit{At: forgottenAt.Add(c.said).Unix()}
		passages := map[index.UnitKey]indexes.Passage{u.Key(): {Unit: u, Text: c.text}}
		withoutForgotten(passages, forgotten)
		if p, found := passages[u.Key()]; p.Text != c.want || found != (c.want != removed) {
			t.Errorf("%q, %v: %q", c.text, c.said, p.Text)
		}
	}
}
