package toolbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/remember"
	"reverie/store"
	stored "reverie/store/facts"
)

// vectors returns what makes vectors of statements; nil: words decide alone.
func (b *Box) vectors(ctx context.Context, id memory.Identity) facts.Vectors {
	if b.Search == nil {
		return nil
	}
	return b.Search.Vectors(ctx, id)
}

// textsOf returns the texts of facts.
func textsOf(all []stored.Fact) []string {
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = f.Text
	}
	return out
}

// know finds the statements of a request that a document says in other words. What machines wrote does not take the place of a person's own
// words, and the sections of a group's persons are left alone.
func (r *remembering) know(ctx context.Context, d memory.Document) error {
	r.known = nil
	if r.ofPerson(r.ref.Path) || r.Agent.Settings.Leader != "" { // what a member of a team may not write is not heard either
		return nil
	}
	current, _ := markdown.CutArchive(d.Content)
	entries := markdown.EntriesOf(current)
	var says, said []string
	for _, e := range entries {
		says = append(says, e.Text)
	}
	for _, s := range remember.Statements(r.request) {
		if s != "" && !slices.ContainsFunc(entries, func(e markdown.Entry) bool { return e.ID == markdown.EntryIDOf("- "+s) }) {
			said = append(said, s)
		}
	}
	if len(says) == 0 || len(said) == 0 {
		return nil
	}
	var persons []memory.BlameLine
	for i, at := range facts.Restated(says, said, r.vectors(ctx, r.id)) {
		if at < 0 {
			continue
		}
		if r.id.Author.Kind == memory.AuthorUser {
			if persons == nil {
				var err error
				if persons, err = r.Store.Blame(ctx, r.id, r.ref, d.Version); err != nil {
					return err
				}
			}
			if line := entries[at].FromLine - 1; line >= len(persons) || persons[line].Author.Kind != memory.AuthorUser {
				continue
			}
		}
		if r.known == nil {
			r.known = map[string]string{}
		}
		r.known[said[i]] = says[at]
	}
	return nil
}

// recordRepeat records that facts were said again in other words, once a day each.
func (r *remembering) recordRepeat(ctx context.Context, decided remember.Decision) error {
	again := map[markdown.EntryID]bool{}
	for _, item := range decided.Items {
		for _, line := range r.known {
			again[markdown.EntryIDOf("- "+line)] = again[markdown.EntryIDOf("- "+line)] || item.Kind == remember.KindKnown && item.Line == line
		}
	}
	if len(again) == 0 {
		return nil
	}
	all, err := r.Store.OfDocuments(ctx, r.id, r.ref.Scope, r.ref.Path)
	if errors.Is(err, store.ErrFactsOff) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range all {
		if !again[f.Entry] {
			continue
		}
		_, err := r.Store.GiveFeedback(ctx, r.id, f.ID, stored.Feedback{
			Opinion: stored.Heard, Weight: 1, Reason: reasonHeard, Key: reasonHeard + "/" + r.today().Format(time.DateOnly),
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrForbidden) {
			return err
		}
	}
	return nil
}
