package facts

import (
	"context"
	"errors"
	"net/http"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/tidy"
)

const consolidationPath = "/structured-consolidation"

func (s *Handlers) consolidationRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "consolidate-structured", Method: http.MethodPost, Act: rest.Changes, Path: "/api/v1/agents/{agent}" + consolidationPath,
		Original: "/api/v1/memory/{agent}" + consolidationPath, Tag: "facts", Need: memory.RoleAdmin,
		Summary: "Consolidate structured documents",
		Doc: "Removes entries of structured/user.md and structured/feedback.md that only repeat what a later entry of the same document " +
			"says, of the shared documents and of the 50 owners who spoke last. Dreams do the same at night. Documents with fewer than 8 " +
			"entries stay, and so do entries that a person wrote.",
	}, s.consolidate)
}

// maxConsolidated is the number of owners of one request.
const maxConsolidated = 50

type consolidationView struct {
	OwnersConsolidated int `json:"ownersConsolidated" doc:"Owners, and the shared documents, with enough entries."`
	Updated            int `json:"updated" doc:"Documents."`
	SkippedSmall       int `json:"skippedSmall" doc:"Owners with too few entries."`
	SkippedOverCap     int `json:"skippedOverCap" doc:"Owners who were left for another time, at least."`
	Failed             int `json:"failed" doc:"Owners whose documents were changed concurrently."`
	EntriesBefore      int `json:"entriesBefore"`
	EntriesAfter       int `json:"entriesAfter" doc:"Never more than before."`
}

func (s *Handlers) consolidate(ctx context.Context, in *rebuildInput) (*rest.Reply[consolidationView], error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot consolidate the documents of all")
	}
	id.AnyOwner = true
	owners, err := s.Store.Owners(ctx, id, store.MaxPage)
	if err != nil {
		return nil, err
	}
	id.AnyOwner, id.Author = false, memory.Author{Kind: memory.AuthorTool, ID: "structured-consolidation"}
	var out consolidationView
	add := func(owner memory.Owner, scope memory.Scope) error {
		id.Owner = owner
		done, err := tidy.Consolidate(ctx, s.Store, id, scope)
		_, stale := errors.AsType[*store.StaleBaseError](err)
		switch {
		case stale:
			out.Failed++
			return nil
		case err != nil:
			return err
		case done.Small:
			out.SkippedSmall++
		default:
			out.OwnersConsolidated++
		}
		out.Updated += done.Updated
		out.EntriesBefore += done.Before
		out.EntriesAfter += done.After
		return nil
	}
	if err := add(memory.SystemOwner, memory.ScopeTeam); err != nil {
		return nil, err
	}
	for i, o := range owners {
		if i >= maxConsolidated {
			out.SkippedOverCap = len(owners) - i
			break
		}
		if err := add(o.Key, memory.ScopePersonal); err != nil {
			return nil, err
		}
	}
	return rest.OK(out), nil
}
