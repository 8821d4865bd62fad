// Package tidy archives facts that are no longer trusted, and consolidates structured documents. Everything it writes goes through the
// gate, and what a person wrote or confirmed stays. A repeated run finds nothing to do.
package tidy

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"reverie/dream"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/structured"
	"reverie/store"
	stored "reverie/store/facts"
)

const (
	// unseen is the time without a sign of a fact after which low trust archives it.
	unseen = 30 * 24 * time.Hour
	// confirmed is the sum of helpful feedback from which a fact is confirmed: one opinion of a person.
	confirmed = 1
	chats     = "chats/"
)

// archives reports whether statements of a document are archived. Daily notes are kept as they were written, and their facts age.
func archives(path string) bool {
	_, is := structured.TypeOf(path)
	return is || path == memory.MemoryPath || path == memory.ProfilePath || strings.HasPrefix(path, chats)
}

// Archive archives the facts of a scope that the settings do not keep, in one transaction, and returns how many. The identity's author
// writes. If somebody changes the same lines concurrently, nothing is archived.
func Archive(ctx context.Context, s *store.Store, id memory.Identity, scope memory.Scope, now time.Time, settings setting.DreamSettings) (int, error) {
	limits := facts.Limits{MinTrust: settings.ArchiveTrust, Unseen: unseen, Most: settings.MaxOwnerFacts}
	if scope != memory.ScopePersonal {
		limits.Most = settings.MaxSharedFacts
	}
	if limits.MinTrust == 0 && limits.Most == 0 {
		return 0, nil
	}
	all, err := factsOf(ctx, s, id, scope)
	if errors.Is(err, store.ErrFactsOff) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	standing := make([]facts.Standing, len(all))
	for i, f := range all {
		seen := slices.MaxFunc([]time.Time{f.Evidence.Seen, f.Used.Last, f.At}, time.Time.Compare) // what was noted lately may have been said long ago
		standing[i] = facts.Standing{Trust: f.Evidence.Trust(now), Seen: seen, Kept: f.Evidence.Helpful >= confirmed}
	}
	if len(facts.Retire(standing, now, limits)) == 0 { // before histories are read
		return 0, nil
	}
	d := documents{store: s, id: id, scope: scope, read: map[string]*document{}}
	for i, f := range all {
		doc, err := d.at(ctx, f.Path)
		if err != nil {
			return 0, err
		}
		standing[i].Kept = standing[i].Kept || doc.isPersons(f)
	}
	gone, err := d.retire(ctx, all, standing, now, limits)
	if err != nil {
		return 0, err
	}
	for _, i := range gone {
		doc := d.read[all[i].Path]
		doc.archive[all[i].Entry] = true
	}
	return len(gone), d.write(ctx, "archived: not trusted any longer", func(path string, doc *document) (string, error) {
		return facts.Archive(path, doc.content, doc.archive)
	})
}

// retire chooses the facts to archive, by the best standing among those that move with each. What a person confirmed in a report is kept,
// and what would move with a line of a person.
func (d *documents) retire(
	ctx context.Context, all []stored.Fact, standing []facts.Standing, now time.Time, limits facts.Limits,
) ([]int, error) {
	own, looked, asked := slices.Clone(standing), map[int]bool{}, map[int]bool{}
	for {
		gone, again := facts.Retire(standing, now, limits), false
		for _, i := range gone { // documents are read for these alone
			if looked[i] {
				continue
			}
			looked[i], again = true, true
			for _, j := range d.movedWith(all, i, &standing[i]) {
				confirmed, known := asked[j]
				if !known {
					state, _, err := d.store.DreamEntry(ctx, d.id, all[j].Entry)
					if err != nil && !errors.Is(err, store.ErrNotFound) {
						return nil, err
					}
					confirmed = err == nil && (state.Status == dream.Confirmed || state.Status == dream.Edited)
					asked[j] = confirmed
				}
				standing[i] = standing[i].Best(own[j])
				standing[i].Kept = standing[i].Kept || confirmed
			}
		}
		if !again {
			return gone, nil
		}
	}
}

// movedWith returns the facts that move with one, itself included, and keeps it if it does not move, or a line of a person does.
func (d *documents) movedWith(all []stored.Fact, i int, standing *facts.Standing) (moved []int) {
	path := all[i].Path
	doc := d.read[path]
	spans := all[i].Moved(path, doc.content)
	standing.Kept = standing.Kept || len(spans) == 0 || slices.ContainsFunc(spans, doc.hasPersons)
	for j, f := range all {
		at, known := doc.lines[f.Entry]
		if f.Path == path && known && slices.ContainsFunc(spans, func(s memory.LineSpan) bool { return s.From < at[1] && at[0] <= s.To }) {
			moved = append(moved, j)
		}
	}
	return moved
}

// factsOf returns the current facts of documents of a scope whose statements are archived, the oldest first.
func factsOf(ctx context.Context, s *store.Store, id memory.Identity, scope memory.Scope) (all []stored.Fact, err error) {
	q := stored.Query{Page: store.Page{Limit: store.MaxPage}}
	for { // to the end, where the least trusted are
		listed, err := s.ByTrust(ctx, id, q)
		if err != nil {
			return nil, err
		}
		for _, f := range listed.Items {
			if f.Scope == scope && archives(f.Path) {
				all = append(all, f)
			}
		}
		if q.Cursor = listed.Next; q.Cursor == "" {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b stored.Fact) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.FromLine, b.FromLine)) })
	return all, nil
}

// Consolidated counts the changes of Consolidate to the documents of one scope.
type Consolidated struct {
	Before, After int  // entries of the documents that were looked at
	Updated       int  // documents
	Small         bool // there are too few entries to consolidate
}

// Consolidate removes structured entries of user and feedback that only repeat what a later one says. The number of entries never
// grows. Entries that a person wrote or changed stay.
func Consolidate(ctx context.Context, s *store.Store, id memory.Identity, scope memory.Scope) (Consolidated, error) {
	out := Consolidated{Small: true}
	d := documents{store: s, id: id, scope: scope, read: map[string]*document{}}
	for _, t := range []structured.Type{structured.User, structured.Feedback} {
		doc, err := s.Document(ctx, id, memory.Ref{Scope: scope, Path: t.Path()})
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		entries := len(structured.Current(structured.Parse(doc.Content)))
		out.Before, out.After = out.Before+entries, out.After+entries
		if entries < structured.MinMerged {
			continue
		}
		out.Small = false
		if _, err := d.at(ctx, t.Path()); err != nil {
			return out, err
		}
	}
	removed := 0
	err := d.write(ctx, "consolidated: a later entry says the same", func(_ string, doc *document) (string, error) {
		next, n, err := structured.Merge(doc.content, doc.keeps)
		if n > 0 {
			out.Updated++
			removed += n
		}
		return next, err
	})
	if err != nil {
		return out, err
	}
	out.After -= removed
	return out, nil
}

// documents are the documents of one run.
type documents struct {
	store *store.Store
	id    memory.Identity
	scope memory.Scope
	read  map[string]*document
	order []string
}

// document is a document with the lines that a person wrote.
type document struct {
	content string
	version int
	persons map[int]bool // by line, from 1
	authors map[int]memory.Author
	lines   map[markdown.EntryID][2]int
	archive memory.EntrySet
}

// at reads a document once.
func (d *documents) at(ctx context.Context, path string) (*document, error) {
	if doc := d.read[path]; doc != nil {
		return doc, nil
	}
	ref := memory.Ref{Scope: d.scope, Path: path}
	current, err := d.store.Document(ctx, d.id, ref)
	if err != nil {
		return nil, err
	}
	blame, err := d.store.Blame(ctx, d.id, ref, current.Version)
	if err != nil {
		return nil, err
	}
	doc := &document{
		content: current.Content, version: current.Version, persons: map[int]bool{}, authors: map[int]memory.Author{},
		lines:   map[markdown.EntryID][2]int{},
		archive: memory.EntrySet{},
	}
	for i, line := range blame {
		doc.persons[i+1], doc.authors[i+1] = line.Author.Kind == memory.AuthorUser, line.Author
	}
	for _, e := range markdown.EntriesOf(current.Content) {
		if _, known := doc.lines[e.ID]; !known {
			doc.lines[e.ID] = [2]int{e.FromLine, e.ToLine}
		}
	}
	d.read[path] = doc
	d.order = append(d.order, path)
	return doc, nil
}

// hasPersons reports whether a person wrote one of the lines.
func (doc *document) hasPersons(s memory.LineSpan) bool { return doc.between(s.From+1, s.To) }

func (doc *document) between(from, to int) bool {
	for line := from; line <= to; line++ {
		if doc.persons[line] {
			return true
		}
	}
	return false
}

// keeps reports whether a person wrote a line of the section with a key.
func (doc *document) keeps(key string) bool {
	_, from, to, found := markdown.TopSection(doc.content, key)
	return !found || doc.between(from, to)
}

// write replaces the documents by what change makes of them, in one transaction.
func (d *documents) write(ctx context.Context, reason string, change func(path string, doc *document) (string, error)) error {
	var changes []memory.Change
	for _, path := range d.order {
		doc := d.read[path]
		next, err := change(path, doc)
		if _, open := errors.AsType[*markdown.SectionError](err); open { // the document cannot get an archive
			continue
		}
		if err != nil {
			return err
		}
		if next != doc.content {
			changes = append(changes, memory.Change{
				Ref: memory.Ref{Scope: d.scope, Path: path}, Op: memory.OpReplace, Content: next, Base: doc.version, Reason: reason,
			})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	_, err := d.store.Apply(ctx, d.id, "", changes)
	return err
}
