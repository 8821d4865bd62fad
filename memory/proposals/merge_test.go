package proposals

import (
	"testing"
	"time"
)

func TestMerged(t *testing.T) {
	in := MergeInput{Today: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), Entries: []MergeEntry{
		{"tea", "Likes green tea."}, {"drinks", "Likes tea in the morning."}, {"port", "The port is 8080."}, {"coffee", "Never drinks coffee."},
	}}
	for raw, want := range map[string]string{
		`{"merged": [{"entries": [1, 2], "key": "tea", "content": "Likes green tea in the morning."}]}`: "",
		`{"merged": []}`: "",
		`{"merged": [{"entries": [1], "key": "tea", "content": "Likes green tea."}]}`:                            "entries",
		`{"merged": [{"entries": [1, 9], "key": "tea", "content": "Likes green tea."}]}`:                         "entries",
		`{"merged": [{"entries": [1, 2], "key": "beverages", "content": "Likes green tea in the morning."}]}`:    "key",
		`{"merged": [{"entries": [1, 2], "key": "tea", "content": "Likes green tea in the morning, evening."}]}`: "ungrounded",
		`{"merged": [{"entries": [1, 2], "key": "tea", "content": "Likes."}]}`:                                   "lost",
		`{"merged": [{"entries": [1, 3], "key": "tea", "content": "Likes green tea, the port."}]}`:               "lost",
		`{"merged": [{"entries": [1, 4], "key": "tea", "content": "Likes green tea, drinks coffee."}]}`:          "lost",
		`{"merged": [{"entries": [1, 2], "key": "tea", "content": "# Likes green tea in the morning."}]}`:        "content",
		`{"merged": [{"entries": [1, 2], "key": "tea", "content": "Likes green tea in the morning in Kyoto."}]}`: "ungrounded",
	} {
		all, err := ParseMerged("```json\n" + raw + "\n```")
		if err != nil {
			t.Fatal(err)
		}
		violations := in.Check(all)
		switch {
		case want == "" && len(violations) > 0, want != "" && len(violations) == 0:
			t.Errorf("%s: %+v, want %s", raw, violations, want)
		case want != "" && violations[0].Code != want:
			t.Errorf("%s: %+v, want %s", raw, violations, want)
		}
	}
	for _, raw := range []string{"", "no", `{"merged": 5}`} {
		if _, err := ParseMerged(raw); err == nil {
			t.Errorf("%q was read", raw)
		}
	}
}
