package recall

import (
	"slices"
	"strings"

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
		for _, said := range sentence.Split(p.Text) {
			compared := claim.Compare(said)
			if slices.ContainsFunc(forgotten, func(f indexes.Forgotten) bool {
				return !p.Unit.Time().After(f.At) && (f.Same(compared) || f.ToldBy(compared))
			}) {
				p.Text = strings.Replace(p.Text, said, "", 1)
			}
		}
		if p.Text = strings.TrimSpace(p.Text); p.Text == "" {
			delete(passages, key)
		} else {
			passages[key] = p
		}
	}
}
