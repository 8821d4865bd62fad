package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	stored "reverie/store/facts"
)

// reasonHeard is the reason of events of facts that were said again.
const reasonHeard = "heard"

// known are the current facts of the documents that a step may write.
type known struct {
	all   []stored.Fact
	heard []stored.Fact // those that were said again
}

// knownOf reads the facts of documents of a scope, as far as they are derived, for a step about messages of a day. Without facts there
// are none, nor for an earlier day, whose note keeps what was said on it.
func (a *Activities) knownOf(ctx context.Context, id memory.Identity, day time.Time, scope memory.Scope, paths ...string) (*known, error) {
	if day.Format(time.DateOnly) != a.Now().In(day.Location()).Format(time.DateOnly) {
		return &known{}, nil
	}
	all, err := a.Store.OfDocuments(ctx, id, scope, paths...)
	if err != nil && !errors.Is(err, store.ErrFactsOff) {
		return nil, storeError(err)
	}
	return &known{all: all}, nil
}

// without removes the list items and paragraphs of a text that are new to before and say nothing but what a fact says that stays: the
// fact is heard again instead. It returns the empty text if nothing but headings is left, or nothing that before does not say.
func (k *known) without(text, before string, stays func(stored.Fact) bool) string {
	had := map[markdown.EntryID]bool{}
	for _, e := range markdown.EntriesOf(before) {
		had[e.ID] = true
	}
	repeated, left := memory.EntrySet{}, false
	for _, e := range markdown.EntriesOf(text) {
		at := -1
		if !had[e.ID] {
			at = slices.IndexFunc(k.all, func(f stored.Fact) bool { return stays(f) && facts.Repeats(f.Text, e.Text) })
		}
		if at < 0 {
			left = left || !had[e.ID]
			continue
		}
		repeated[e.ID] = true
		k.heard = append(k.heard, k.all[at])
	}
	if len(repeated) == 0 {
		return text
	}
	_, _, spans := repeated.Find(text)
	next := memory.WithoutLines(text, spans)
	if !left && before == "" || next == before {
		return ""
	}
	return next
}

// hear records that facts were said again, once a day each.
func (a *Activities) hear(ctx context.Context, id memory.Identity, heard []stored.Fact, day time.Time) error {
	for _, f := range heard {
		_, err := a.Store.GiveFeedback(ctx, id, f.ID, stored.Feedback{
			Opinion: stored.Heard, Weight: 1, Reason: reasonHeard, Key: reasonHeard + "/" + day.Format(time.DateOnly),
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrForbidden) { // it was changed meanwhile
			return storeError(err)
		}
	}
	return nil
}
