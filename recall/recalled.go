package recall

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/language/analysis"
	"reverie/language/fold"
	"reverie/memory"
	"reverie/search"
	"reverie/search/rank"
	"reverie/store"
)

// recalls are uses as they are kept: hashes and identities, no text.
func (r *Recorder) recalls(ctx context.Context, uses []Use) []store.Recall {
	documents := map[versionKey][]memory.EntryAt{}
	kept := make([]store.Recall, len(uses))
	for i, u := range uses {
		kept[i] = store.Recall{
			Identity: u.Identity, QueryHash: QueryHash(u.Identity.Workspace, u.Query.Text), Day: dayOf(u.At),
			Synthetic: u.Synthetic, At: u.At, Hits: make([]store.RecalledHit, len(u.Hits)),
		}
		for j, h := range u.Hits {
			kept[i].Hits[j] = store.RecalledHit{
				Corpus: h.Corpus, Scope: h.Source.Scope, Source: h.Source.ID, Path: h.Path, FromLine: h.FromLine, ToLine: h.ToLine,
				ChunkHash: h.Hash(), Entries: used(r.statements(ctx, documents, u.Identity, h), u.Query), Score: h.Score,
			}
		}
	}
	return kept
}

// versionKey names a version of a document.
type versionKey struct {
	document uuid.UUID
	version  int
}

// statements are those that a result shows. What encloses a statement is part of its identity, so that the whole document is
// looked at, once for all results of it; a message is one statement.
func (r *Recorder) statements(ctx context.Context, documents map[versionKey][]memory.EntryAt, id memory.Identity, h Hit) []memory.EntryAt {
	if h.Corpus == search.Sessions {
		return []memory.EntryAt{{ID: memory.EntryIDOf(h.Text), Text: h.Text}}
	}
	key := versionKey{h.Source.ID, h.Source.Version}
	all, known := documents[key]
	if !known {
		version, err := r.store.VersionOf(ctx, id, memory.Ref{Scope: h.Source.Scope, Path: h.Path}, h.Source.Version)
		if err != nil { // the passage alone says nearly as much
			r.log.WarnContext(ctx, "A document that was recalled could not be read", "error", err, "document", h.Source.ID)
			return memory.EntriesOf(h.Text)
		}
		all = memory.EntriesOf(version.Content)
		documents[key] = all
	}
	var shown []memory.EntryAt
	for _, entry := range all {
		if entry.FromLine <= h.ToLine && entry.ToLine >= h.FromLine {
			shown = append(shown, entry)
		}
	}
	return shown
}

// used are the statements that have the most words of a question. When none has any, which vectors can find all the same, it
// is all of them.
func used(statements []memory.EntryAt, q analysis.Query) []memory.EntryID {
	var best []memory.EntryID
	most := 0
	for _, statement := range statements {
		n := len(rank.Matches(q, statement.Text))
		if n > most {
			best, most = nil, n
		}
		if n == most {
			best = append(best, statement.ID)
		}
	}
	return best
}

// QueryHash identifies a question within a workspace, however it was spelled: case and spaces do not count.
func QueryHash(workspace, query string) [sha256.Size]byte {
	folded := strings.Join(strings.Fields(fold.Text(query)), " ")
	return sha256.Sum256([]byte(workspace + "\x00" + folded))
}

// dayOf is the day of a time in its zone, as the database keeps days.
func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
