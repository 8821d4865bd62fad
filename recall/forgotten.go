package recall

import (
	"slices"
	"strings"
	"time"

	"reverie/language/claim"
	"reverie/language/sentence"
	"reverie/search/index"
	"reverie/store/indexes"
)

// withoutForgotten removes from messages the sentences that make or repeat a statement which their owner had forgotten since. Messages
// without another sentence are removed. What was said after the forgetting stays.
func withoutForgotten(passages map[index.UnitKey]indexes.Passage, forgotten []indexes.Forgotten) {
	if len(forgotten) == 0 {
		return
	}
	for key, p := range passages {
		if p.Text = WithoutForgotten(p.Text, p.Unit.Time(), forgotten); p.Text == "" {
			delete(passages, key)
		} else {
			passages[key] = p
		}
	}
}

// WithoutForgotten returns a text that was said at a time without the sentences that make or repeat a statement which was forgotten since.
func WithoutForgotten(text string, at time.Time, forgotten []indexes.Forgotten) string {
	for _, said := range sentence.Split(text) {
		compared := claim.Compare(said)
		if slices.ContainsFunc(forgotten, func(f indexes.Forgotten) bool {
			return !at.After(f.At) && (f.Same(compared) || f.ToldBy(compared))
		}) {
			text = strings.Replace(text, said, "", 1)
		}
	}
	return strings.TrimSpace(text)
}
