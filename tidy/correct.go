package tidy

import (
	"context"
	"errors"
	"slices"
	"strings"

	"reverie/dream/rewrite"
	"reverie/facts/conflict"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/store"
	stored "reverie/store/facts"
)

// maxCorrected bounds the statements that one run removes from documents.
const maxCorrected = 100

// Correct takes statements that newer ones supersede out of the documents of an owner, and returns how many. Each change has the author of
// the newer statement if a workflow wrote it. Lines that a person wrote stay, and so do those with others nested under them, and statements
// of documents that are shared with more people than those of the newer one. If somebody changes the same lines concurrently, the next run
// takes them out.
func Correct(ctx context.Context, s *store.Store, id memory.Identity, scope memory.Scope) (corrected int, err error) {
	listed, err := s.Contradictions(ctx, id, stored.StateSuperseded, store.Page{Limit: maxCorrected})
	if errors.Is(err, store.ErrFactsOff) {
		return 0, nil
	}
	for _, c := range listed.Items {
		if c.A.Scope != scope || c.B.Scope != scope || c.A.Archived {
			continue
		}
		done, err := correct(ctx, s, id, c)
		if _, stale := errors.AsType[*store.StaleBaseError](err); stale || errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return corrected, err
		}
		if done {
			corrected++
		}
	}
	return corrected, err
}

func correct(ctx context.Context, s *store.Store, id memory.Identity, c stored.Contradiction) (bool, error) {
	d := documents{store: s, id: id, scope: c.A.Scope, read: map[string]*document{}}
	newer, err := d.at(ctx, c.B.Path)
	if err != nil {
		return false, err
	}
	if at, found := newer.lines[c.B.Entry]; found && newer.authors[at[0]].Kind == memory.AuthorWorkflow {
		d.id.Author = newer.authors[at[0]]
	}
	older, err := d.at(ctx, c.A.Path)
	if err != nil || older.isPersons(c.A) {
		return false, err
	}
	done := false
	err = d.write(ctx, "superseded by a newer statement", func(path string, doc *document) (string, error) {
		if doc != older {
			return doc.content, nil
		}
		next := withoutSaid(path, doc.content, c)
		done = next != doc.content
		return next, nil
	})
	return done && err == nil, err
}

// isPersons reports whether a person wrote a fact, or a line of it. What is no longer there counts as theirs.
func (doc *document) isPersons(f stored.Fact) bool {
	at, found := doc.lines[f.Entry]
	return !found || f.Evidence.Source.OfPerson() || doc.between(at[0], at[1])
}

// withoutSaid returns a document without what the older statement of a contradiction says against the newer one: of several sentences, or
// clauses that hold without each other, only those. Where they cannot be told apart, it stays.
func withoutSaid(path, content string, c stored.Contradiction) string {
	words, rest, ok := conflict.Without(c.A.Text, c.B.Text)
	switch {
	case !ok, rest != "" && strings.Count(content, words) != 1:
		return content
	case rest != "":
		return strings.Replace(content, words, rest, 1)
	}
	return without(path, content, c.A.Entry)
}

// without returns a document without a statement that has none nested under it; of a structured document, without its entry if that says
// nothing else.
func without(path, content string, entry markdown.EntryID) string {
	entries, found, spans := memory.EntrySet{entry: true}.Find(content)
	if len(found) == 0 {
		return content
	}
	for i, at := range found {
		if spans[i].To > entries[at].ToLine {
			return content
		}
	}
	if _, is := structured.TypeOf(path); is {
		heading := markdown.TopHeadingAt(content, entries[found[0]].FromLine)
		_, from, to, _ := markdown.TopSection(content, heading)
		alone := !slices.ContainsFunc(entries, func(e markdown.Entry) bool {
			return e.ID != entry && e.FromLine >= from && e.ToLine <= to && !structured.IsSourceLine("> "+e.Text)
		})
		if next, removed, err := structured.Remove(content, heading); alone && removed && err == nil {
			return next
		}
	}
	return rewrite.WithoutEmptySections(memory.WithoutLines(content, spans))
}
