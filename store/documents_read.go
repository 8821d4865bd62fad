package store

import (
	"context"

	"reverie/memory"
)

// DocumentFilter limits a list of documents; the zero value lists every visible document that is not deleted.
type DocumentFilter struct {
	Prefix         string // of the path, such as memory/
	Scope          memory.Scope
	IncludeDeleted bool
}

// DocumentEntry is a document in a list, without its content.
type DocumentEntry struct {
	memory.Document
	Bytes int // size of the content
}

// Document returns one document with its current content. A deleted one is ErrNotFound; History still shows it.
func (s *Store) Document(ctx context.Context, id memory.Identity, ref memory.Ref) (memory.Document, error) {
	panic("signature")
}

// VisibleDocument returns the document that a path means to the identity: the owner's own if there is one, else the
// agent's, else the workspace's.
func (s *Store) VisibleDocument(ctx context.Context, id memory.Identity, path string) (memory.Document, error) {
	panic("signature")
}

// Documents lists documents by scope (shared first), sort order and path.
// With AnyOwner the documents of every owner of the agent are listed.
func (s *Store) Documents(ctx context.Context, id memory.Identity, f DocumentFilter) ([]DocumentEntry, error) {
	panic("signature")
}

// PromptDocuments returns the enabled documents that the identity sees, with content, in the order of Documents.
func (s *Store) PromptDocuments(ctx context.Context, id memory.Identity) ([]memory.Document, error) {
	panic("signature")
}

// SetPrompt changes whether a document is rendered into the system prompt, and where; nil leaves as it is. It makes no
// version. The permission is that of writing the document.
func (s *Store) SetPrompt(ctx context.Context, id memory.Identity, ref memory.Ref, enabled *bool, sortOrder *int) (memory.Document, error) {
	panic("signature")
}
