package facts

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/structured"
)

func (s *Handlers) archiveRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "restore-fact", Method: http.MethodPost, Act: rest.Changes, Path: factPath + "/restore", Tag: "facts", Need: memory.RoleMember,
		Summary: "Take a fact out of the archive", Errors: []int{http.StatusConflict, http.StatusGone},
		Doc: "Its line returns to its place before it was archived, as the person's own: it is not archived again. Of a structured " +
			"document, the whole entry. The answer is the fact.",
	}, s.restoreFact)
}

func (s *Handlers) restoreFact(ctx context.Context, in *FactInput) (*rest.Reply[knownFactView], error) {
	fact, err := uuidAt("fact", in.Fact)
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	if err := s.Restore(ctx, id, fact); err != nil {
		return nil, err
	}
	return s.known(ctx, id, fact)
}

// Restore moves a fact out of the archive of its document, in the name of the identity. One that is not archived stays as it is. The
// error is not_found for a fact that is no longer in its document, and conflict if an entry with its key is current.
func (s *Handlers) Restore(ctx context.Context, id memory.Identity, fact uuid.UUID) error {
	known, err := s.Store.Fact(ctx, id, fact)
	if err != nil {
		return err
	}
	now := known.Now()
	if !now.Ended.IsZero() {
		return fault.New(fault.NotFound, "The fact is no longer in its document")
	}
	if !now.Archived {
		return nil
	}
	heading := ""
	for _, w := range slices.Backward(known.Wordings) {
		if !w.Archived {
			heading = w.Heading
			break
		}
	}
	ref := memory.Ref{Scope: now.Scope, Path: now.Path}
	d, err := s.Store.Document(ctx, id, ref)
	if err != nil {
		return err
	}
	next, found, err := facts.Restore(d.Path, d.Content, now.Entry, heading)
	switch {
	case errors.Is(err, structured.ErrCurrent):
		return fault.New(fault.Conflict, "%s has a current entry with the same key: edit that one, or remove it first", d.Path)
	case err != nil:
		return fault.New(fault.Conflict, "%s cannot be changed by this: %s. Edit the document", d.Path, err)
	case !found:
		return fault.New(fault.Conflict, "%s was changed by another write: read it again", d.Path)
	}
	receipt, err := s.Store.Apply(ctx, id, "", []memory.Change{{
		Ref: ref, Op: memory.OpReplace, Content: next, Base: d.Version, Reason: "restored from the archive",
	}})
	if err == nil {
		s.Written(id, receipt)
	}
	return err
}
