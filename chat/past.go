package chat

import (
	"context"
	"time"

	"reverie/facts"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
)

// past recognises statements that are no longer current.
type past struct {
	now        time.Time
	superseded map[string]bool // texts of statements that a newer one supersedes
	withdrawn  map[string]time.Time
}

// past reads what is not current of the user's documents, the last of which is a daily note if note is its path.
func (t *turning) past(ctx context.Context, note string, contents []string) (past, error) {
	p := past{now: t.now, superseded: map[string]bool{}}
	disagree, err := t.Store.Disagreements(ctx, t.id, contents...)
	for _, d := range disagree {
		if d.Superseded {
			p.superseded[d.Older] = true
		}
	}
	if err == nil && note != "" {
		p.withdrawn, err = t.Store.Withdrawn(ctx, t.id, t.ownScope(), memory.ProfilePath, memory.MemoryPath)
	}
	return p, err
}

// of returns a function that reports whether a statement of a document is not current: another one supersedes it, the last day that it
// names is over, or the daily note says what was removed from the other documents since.
func (p past) of(path, content string) func(markdown.Entry) bool {
	over := map[markdown.EntryID]bool{}
	for _, s := range facts.Of(path, content) {
		over[s.Entry] = s.Expired(p.now)
	}
	var gone []claim.Original
	claims := claim.Claimed{}
	if day, isNote := facts.DayOf(path); isNote {
		for text, at := range p.withdrawn {
			if at.In(p.now.Location()).Format(time.DateOnly) >= day.Format(time.DateOnly) {
				gone = append(gone, claim.OriginalOf(markdown.WithoutComments(text), nil))
				claims.With(text, false)
			}
		}
	}
	return func(e markdown.Entry) bool {
		if over[e.ID] || p.superseded[e.Text] || claims.MadeBy(e.Text, false) {
			return true
		}
		said := claim.Compare(markdown.WithoutComments(e.Text))
		for _, w := range gone {
			if w.Same(said) {
				return true
			}
		}
		return false
	}
}
