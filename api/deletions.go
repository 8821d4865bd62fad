package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/deletion"
	"reverie/store/indexes"
	"reverie/workflows"
)

const deletionsPath = "/api/v1/agents/{agent}/deletions"

func (s *Server) deletionRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "create-deletion", Method: http.MethodPost, Path: deletionsPath, Tag: "deletions", Need: memory.RoleMember, Body: rest.MaxSmallBody,
		Act: rest.Changes, Status: http.StatusAccepted, Errors: []int{http.StatusConflict, http.StatusGone},
		Summary: "Delete a conversation, an owner or the agent",
		Doc: "With a key that is pinned to an owner: that owner or their conversations; with an admin key: everything except an agent that leads " +
			"others. The deletion starts after the grace period (REVERIE_DELETION_GRACE) and can be cancelled until then. Requested again, it is the same deletion. " +
			"From its start on, writes about the target answer 410. With dryRun, nothing is stored: the answer counts the rows that would be " +
			"deleted.",
		Example: map[string]any{"target": "agent", "dryRun": true},
	}, s.createDeletion)
	rest.Register(s.Server, rest.Route{
		ID: "list-deletions", Method: http.MethodGet, Path: deletionsPath, Tag: "deletions", Need: memory.RoleMember,
		Summary: "List deletions, newest first",
		Doc:     "Lists those of the owner named in the request or pinned to the key; an admin who names no owner lists all of the agent.",
	}, s.listDeletions)
	rest.Register(s.Server, rest.Route{
		ID: "get-deletion", Method: http.MethodGet, Path: deletionsPath + "/{deletion}", Tag: "deletions", Need: memory.RoleMember,
		Summary: "Read a deletion: its state, and at the end its receipt", Doc: "It can be read after its agent or owner was deleted.",
	}, s.getDeletion)
	rest.Register(s.Server, rest.Route{
		ID: "cancel-deletion", Method: http.MethodDelete, Path: deletionsPath + "/{deletion}", Tag: "deletions", Need: memory.RoleMember,
		Errors: []int{http.StatusConflict}, Summary: "Cancel a deletion that has not started",
		Doc: "An admin cancels every deletion, a person those that were requested with one of their keys.",
	}, s.cancelDeletion)
}

type newDeletionInput struct {
	rest.AgentParam
	Body struct {
		Target       deletion.Kind `json:"target" enum:"conversation,owner,agent" doc:"What is deleted."`
		Owner        string        `json:"owner,omitempty" maxLength:"128" doc:"Whose conversation, or who; or give channel and sender, or endUserId." example:"user:7"`
		Channel      string        `json:"channel,omitempty" maxLength:"128"`
		Sender       string        `json:"sender,omitempty" maxLength:"128"`
		EndUserID    string        `json:"endUserId,omitempty" maxLength:"128"`
		Conversation string        `json:"conversation,omitempty" maxLength:"255" doc:"Id of the conversation."`
		KeepLearned  bool          `json:"keepLearned,omitempty" doc:"What was learned from the conversation stays. Otherwise statements that have no other source are deleted with it."`
		Now          bool          `json:"now,omitempty" doc:"Start without a grace period. Admins only."`
		DryRun       bool          `json:"dryRun,omitempty" doc:"Count what would be deleted, and delete nothing."`
	}
}

// deletionView is a deletion, with its receipt once it is done.
type deletionView struct {
	ID           uuid.UUID        `json:"id,omitzero"`
	Target       deletion.Kind    `json:"target" enum:"conversation,owner,agent"`
	State        deletion.State   `json:"state,omitempty" enum:"waiting,deleting,done,cancelled" doc:"Missing for a preview."`
	Owner        memory.Owner     `json:"owner,omitempty" doc:"Not once an owner is deleted."`
	Conversation string           `json:"conversation,omitempty" doc:"Not once it is deleted."`
	KeepLearned  bool             `json:"keepLearned,omitempty"`
	Rows         map[string]int64 `json:"rows" doc:"Rows by table: those that were deleted, of a preview those that would be."`
	Revoked      int              `json:"revoked,omitempty" doc:"Statements that were learned from the conversation only, and are deleted with it."`
	Histories    int              `json:"histories" doc:"Histories of workflows that were deleted in Temporal."`
	Tables       int              `json:"tables,omitempty" doc:"Tables that were scanned at the end, without finding a row of the target."`
	Outside      []outsideView    `json:"outside,omitempty" doc:"Providers and memory backends that were asked to delete what they have."`
	NotReached   []string         `json:"notReached,omitempty" doc:"What a deletion cannot reach."`
	RequestedAt  *time.Time       `json:"requestedAt,omitempty"`
	Due          *time.Time       `json:"due,omitempty" doc:"Until then it can be cancelled."`
	StartedAt    *time.Time       `json:"startedAt,omitempty"`
	FinishedAt   *time.Time       `json:"finishedAt,omitempty"`
	WorkflowID   string           `json:"workflowId,omitempty"`
	Link         string           `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

// outsideView is a program that was asked to delete what it has.
type outsideView struct {
	Place   string `json:"place" doc:"Id of the provider; memory-backend: the MCP server of statements."`
	Deleted bool   `json:"deleted"`
	Reason  string `json:"reason,omitempty" doc:"Why it has not: unsupported, archived (not shown any more, but kept), timeout, connection, status, malformed, too_large or cooling."`
}

func (s *Server) viewDeletion(id memory.Identity, d deletion.Deletion) deletionView {
	v := deletionView{
		ID: d.ID, Target: d.Kind, State: d.State, Owner: d.Owner, Conversation: d.Conversation, KeepLearned: d.Keeps, Rows: d.Counts,
		Revoked: d.Revoked, Histories: d.Histories, Tables: d.Tables, RequestedAt: &d.RequestedAt, Due: &d.Due, StartedAt: d.StartedAt, FinishedAt: d.FinishedAt,
		WorkflowID: workflows.DeletionID(indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, d.ID),
	}
	v.Link = s.Workflows.Link(v.WorkflowID)
	v.Outside = rest.Views(d.Outside, func(o deletion.Outside) outsideView { return outsideView(o) })
	if d.State == deletion.Done {
		v.NotReached = d.NotReached()
		if d.Kind == deletion.Owner { // it is a hash
			v.Owner = ""
		}
	}
	return v
}

func (s *Server) createDeletion(ctx context.Context, in *newDeletionInput) (*rest.Reply[deletionView], error) {
	b := in.Body
	who := rest.PersonBody{Owner: b.Owner, Channel: b.Channel, Sender: b.Sender, EndUserID: b.EndUserID}
	id, _, err := s.Enter(ctx, in.Agent, who.Person())
	if err != nil {
		return nil, err
	}
	switch {
	case (b.Target == deletion.Conversation) != (b.Conversation != ""):
		return nil, fault.InvalidAt("body.conversation", "name the conversation, and only with target conversation")
	case b.Target == deletion.Agent && !id.Pinned && id.Owner != memory.NoOwner:
		return nil, fault.InvalidAt("body.owner", "name no owner to delete the agent")
	case b.Now && (id.Pinned || id.Role != memory.RoleAdmin):
		return nil, fault.New(fault.Forbidden, "Only an admin key may delete without a grace period")
	}
	rest.Touch(ctx, "target", string(b.Target))
	rest.Touch(ctx, "conversation", b.Conversation)
	target := deletion.Target{Kind: b.Target, Conversation: b.Conversation, Keeps: b.KeepLearned, Grace: s.DeletionGrace}
	if b.Now {
		target.Grace = 0
	}
	if b.DryRun {
		rest.OnlyReads(ctx)
		d, err := s.Store.PreviewDeletion(ctx, id, target)
		if err != nil {
			return nil, err
		}
		v := deletionView{
			Target: d.Kind, Owner: d.Owner, Conversation: d.Conversation, KeepLearned: d.Keeps, Rows: d.Counts, NotReached: d.NotReached(),
		}
		return rest.OK(v), nil
	}
	d, err := s.StartDeletion(ctx, id, target)
	if err != nil {
		return nil, err
	}
	return rest.Accepted(s.viewDeletion(id, d)), nil
}

// StartDeletion requests a deletion and starts its workflow.
func (s *Server) StartDeletion(ctx context.Context, id memory.Identity, of deletion.Target) (deletion.Deletion, error) {
	d, err := s.Store.RequestDeletion(ctx, id, of)
	if err == nil {
		s.Workflows.StartDeletion(ctx, workflows.DeleteInput{
			AgentRef: indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, Deletion: d.ID, Kind: d.Kind, Due: d.Due,
		})
	}
	return d, err
}

// CancelDeletion cancels a deletion that has not started, and ends its workflow.
func (s *Server) CancelDeletion(ctx context.Context, id memory.Identity, of uuid.UUID) (deletion.Deletion, error) {
	d, err := s.Store.CancelDeletion(ctx, id, of)
	if err == nil {
		s.Workflows.CancelDeletion(ctx, indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, d.ID)
	}
	return d, err
}

type listDeletionsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

func (s *Server) listDeletions(ctx context.Context, in *listDeletionsInput) (*rest.Reply[rest.Page[deletionView]], error) {
	id, err := s.EnterGone(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	if !full {
		return nil, fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the query)")
	}
	listed, err := s.Store.Deletions(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[deletionView]{
		Items: rest.Views(listed.Items, func(d deletion.Deletion) deletionView { return s.viewDeletion(id, d) }), Next: listed.Next,
	}), nil
}

type deletionInput struct {
	rest.AgentParam
	rest.PersonParams

	Deletion uuid.UUID `path:"deletion" format:"uuid" doc:"Id of the deletion."`
}

// onDeletion returns the identity of a request about a deletion: the person's, or that of an admin for every owner.
func (s *Server) onDeletion(ctx context.Context, in *deletionInput) (memory.Identity, error) {
	id, err := s.EnterGone(ctx, in.Agent, in.Person())
	if err != nil {
		return id, err
	}
	if across, full := rest.AcrossOwners(id); full {
		return across, nil
	}
	return id, fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the query)")
}

func (s *Server) getDeletion(ctx context.Context, in *deletionInput) (*rest.Reply[deletionView], error) {
	id, err := s.onDeletion(ctx, in)
	if err != nil {
		return nil, err
	}
	d, err := s.Store.Deletion(ctx, id, in.Deletion)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewDeletion(id, d)), nil
}

func (s *Server) cancelDeletion(ctx context.Context, in *deletionInput) (*rest.Reply[deletionView], error) {
	id, err := s.onDeletion(ctx, in)
	if err != nil {
		return nil, err
	}
	d, err := s.CancelDeletion(ctx, id, in.Deletion)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewDeletion(id, d)), nil
}
