package toolbox

import (
	"context"
	"strconv"
	"strings"

	"reverie/memory"
	"reverie/recall"
	"reverie/store"
)

// Forget names what is to be forgotten: lines of a document, as a search or a tool showed them, or one statement.
type Forget struct {
	Path string // of the document that was shown
	// Scope is the document's; empty: the one that Path means to the caller, their own first.
	Scope memory.Scope
	// FromLine and ToLine are lines of it, 1-based, inclusive: every statement that stands on them is forgotten. With Entry
	// they may be 0.
	FromLine, ToLine int
	// Entry names one statement in place of lines. With lines, it has to stand on them.
	Entry memory.EntryID
	// Shown is the text of the passage as it was shown; empty: unknown. Documents change: when it is given, only statements
	// that are a part of it are forgotten, wherever in the document they have moved to.
	Shown string
}

// Forgotten is what was forgotten.
type Forgotten struct {
	Statements []Statement
	// Receipt tells which documents changed, with new versions; the versions before stay in the history.
	Receipt memory.Receipt
}

// Statement is one thing that a document said.
type Statement struct {
	Entry memory.EntryID
	Text  string
}

// Forget takes statements out of the caller's documents, as the person: out of the document that was shown, MEMORY.md,
// PROFILE.md, the archives and the daily notes. No dream, extraction or flush writes them again, in no words; the person may,
// by hand or by asking to remember it. What was said in conversations stays, and so do earlier versions.
//
// The error is *store.InvalidError when f names nothing that can be forgotten (a path of a conversation, lines without a
// statement), wraps store.ErrNotFound when there is no such document or the statements are not there any longer, and
// store.ErrForbidden when the caller may not write the document, such as shared memory with a key that is pinned to a person.
// The same Caller.Key gives the first receipt again, without the statements.
func (b *Box) Forget(ctx context.Context, c Caller, f Forget) (Forgotten, error) {
	if strings.HasPrefix(f.Path, recall.SessionsFolder) && !strings.HasSuffix(f.Path, ".md") {
		return Forgotten{}, &store.InvalidError{Field: "path", Problem: "it was said in a conversation, which is kept as it is; documents can be forgotten from"}
	}
	scope := f.Scope
	if scope == "" {
		d, err := b.Store.VisibleDocument(ctx, c.Identity, f.Path)
		if err != nil {
			return Forgotten{}, err
		}
		scope = d.Scope
	}
	id := c.by(memory.Author{Kind: memory.AuthorUser, ID: "forget"})
	done, err := b.Store.Forget(ctx, id, store.ForgetRequest{
		Ref: memory.Ref{Scope: scope, Path: f.Path}, FromLine: f.FromLine, ToLine: max(f.ToLine, f.FromLine), Entry: f.Entry, Shown: f.Shown,
		Key: keyOf("forget", c.Key, string(scope), f.Path, strconv.Itoa(f.FromLine), strconv.Itoa(f.ToLine), string(f.Entry), f.Shown),
	})
	if err != nil {
		return Forgotten{}, err
	}
	b.changed(id, done.Receipt)
	out := Forgotten{Receipt: done.Receipt}
	for _, s := range done.States {
		out.Statements = append(out.Statements, Statement{Entry: s.ID, Text: s.Text})
	}
	return out, nil
}
