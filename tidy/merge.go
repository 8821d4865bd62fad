package tidy

import (
	"context"
	"errors"
	"time"

	"reverie/memory"
	"reverie/memory/structured"
	"reverie/store"
)

// askedWithin is the time after a change of a document in which a model is asked to merge its entries: it is asked in the next night.
const askedWithin = 36 * time.Hour

// Mergeable is a structured document of which a model may merge entries.
type Mergeable struct {
	Entries []structured.Entry // current ones that no person wrote or changed

	documents documents
}

// Mergeables returns the documents of user and feedback with enough entries that somebody other than a dream has changed lately.
func Mergeables(ctx context.Context, s *store.Store, id memory.Identity, scope memory.Scope, now time.Time) (out []Mergeable, err error) {
	for _, t := range []structured.Type{structured.User, structured.Feedback} {
		current, err := s.Document(ctx, id, memory.Ref{Scope: scope, Path: t.Path()})
		if errors.Is(err, store.ErrNotFound) || err == nil && (current.Deleted || now.Sub(current.UpdatedAt) > askedWithin) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries := structured.Current(structured.Parse(current.Content))
		if len(entries) < structured.MinMerged {
			continue
		}
		last, err := s.VersionOf(ctx, id, memory.Ref{Scope: scope, Path: t.Path()}, current.Version)
		if err != nil {
			return nil, err
		}
		if last.Author.Kind == memory.AuthorDream {
			continue
		}
		m := Mergeable{documents: documents{store: s, id: id, scope: scope, read: map[string]*document{}}}
		doc, err := m.documents.at(ctx, t.Path())
		if err != nil {
			return nil, err
		}
		for _, e := range structured.Current(structured.Parse(doc.content)) {
			if !doc.keeps(e.Key) {
				m.Entries = append(m.Entries, e)
			}
		}
		if len(m.Entries) > 1 {
			out = append(out, m)
		}
	}
	return out, nil
}

// Replace puts entries in place of others, and returns how many there are less.
func (m Mergeable) Replace(ctx context.Context, all []structured.Replaced) (removed int, err error) {
	err = m.documents.write(ctx, "consolidated: entries about the same thing", func(_ string, doc *document) (string, error) {
		next, n, err := structured.Replace(doc.content, all, doc.keeps)
		removed = n
		return next, err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}
