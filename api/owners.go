package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/workflows"
)

func (s *Server) ownerRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "find-owner", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/owner", Tag: "agents", Need: memory.RoleAdmin,
		Summary: "Find the workflows of a person, or the person of a workflow",
		Doc: "Workflow ids and the search attribute OwnerKey contain an opaque id instead of the person. Name the person, or give the id. An " +
			"owner of whom nothing is stored has no id.",
	}, s.findOwner)
}

type findOwnerInput struct {
	rest.AgentParam
	rest.PersonParams
	ID string `query:"id" format:"uuid" doc:"The opaque id, instead of the person."`
}

type ownerView struct {
	Owner   memory.Owner `json:"owner" doc:"The person, as an owner key."`
	OwnerID uuid.UUID    `json:"ownerId" doc:"The opaque id in workflow ids and in the search attribute OwnerKey."`
	Query   string       `json:"query" doc:"Finds the owner's workflows in Temporal."`
	Inbox   string       `json:"inbox" doc:"Id of the workflow that receives the owner's messages."`
	Dream   string       `json:"dream" doc:"Id of the workflow of the owner's dreams."`
	Link    string       `json:"link,omitempty" doc:"The dreams in Temporal's Web UI."`
}

func (s *Server) findOwner(ctx context.Context, in *findOwnerInput) (*rest.Reply[ownerView], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	view := ownerView{Owner: id.Owner}
	switch {
	case in.ID != "" && id.Owner != memory.NoOwner:
		return nil, fault.InvalidAt("query.id", "name the person or the id, not both")
	case in.ID != "":
		if view.OwnerID, err = uuid.Parse(in.ID); err != nil {
			return nil, fault.InvalidAt("query.id", "it is not a UUID")
		}
		everybody, _ := rest.AcrossOwners(id)
		view.Owner, err = s.Store.ResolveOwner(ctx, everybody, view.OwnerID)
	case id.Owner == memory.NoOwner:
		return nil, fault.New(fault.OwnerRequired, "Name the owner, or give an id")
	default:
		view.OwnerID, err = s.Store.OwnerID(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	ref := memory.OwnerRef{Workspace: id.Workspace, Agent: id.Agent, Owner: view.OwnerID}
	view.Query = fmt.Sprintf("%s = '%s'", workflows.OwnerAttribute.GetName(), view.OwnerID)
	view.Inbox, view.Dream = workflows.InboxID(ref), workflows.DreamID(ref)
	view.Link = s.Workflows.Link(view.Dream)
	return rest.OK(view), nil
}
