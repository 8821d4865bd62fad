package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/indexes"
	"reverie/store/revocation"
	"reverie/workflows"
)

const revocationsPath = "/api/v1/agents/{agent}/revocations"

func (s *Server) revocationRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "create-revocation", Method: http.MethodPost, Path: revocationsPath, Tag: "revocations", Need: memory.RoleMember,
		Body: rest.MaxSmallBody, Act: rest.Changes, Status: http.StatusAccepted, Also: []int{http.StatusOK}, Errors: []int{http.StatusConflict, http.StatusGone},
		Summary: "Take back what was learned from a source",
		Doc: "Of a conversation, an import, writes of business processes, or a key in a period: statements that have no other source are removed " +
			"from documents and everything derived from them, and are not learned again. What a person wrote, what a document has from " +
			"elsewhere and what was said elsewhere stays. Unless dryRun is false, it shows what would be removed and kept, and changes nothing. " +
			"With a key that is pinned to an owner: of what was learned from that owner; with an admin key: everything.",
		Example: map[string]any{"kind": "conversation", "source": "support-1", "owner": "user:7"},
	}, s.createRevocation)
	rest.Register(s.Server, rest.Route{
		ID: "list-revocations", Method: http.MethodGet, Path: revocationsPath, Tag: "revocations", Need: memory.RoleMember,
		Summary: "List revocations, newest first",
		Doc:     "Lists those of the owner named in the request or pinned to the key; an admin who names no owner lists all of the agent.",
	}, s.listRevocations)
	rest.Register(s.Server, rest.Route{
		ID: "get-revocation", Method: http.MethodGet, Path: revocationsPath + "/{revocation}", Tag: "revocations", Need: memory.RoleMember,
		Summary: "Read a revocation: its state and its receipt",
	}, s.getRevocation)
}

// SourceBody names a source.
type SourceBody struct {
	Kind   revocation.Kind `json:"kind" enum:"conversation,import,connector,key" doc:"Kind of the source."`
	Source string          `json:"source" minLength:"1" maxLength:"400" doc:"Id of the conversation, of the import, or of the key; of a connector the request id of a write, its workflow id, or a prefix of request ids followed by *."`
	Since  *time.Time      `json:"since,omitempty" doc:"Beginning of the period of a connector or a key."`
	Until  *time.Time      `json:"until,omitempty" doc:"End of the period, exclusive."`
}

func (b SourceBody) source() revocation.Source {
	of := revocation.Source{Kind: b.Kind, ID: b.Source}
	if b.Since != nil {
		of.Since = *b.Since
	}
	if b.Until != nil {
		of.Until = *b.Until
	}
	return of
}

func viewSource(of revocation.Source) SourceBody {
	v := SourceBody{Kind: of.Kind, Source: of.ID}
	if !of.Since.IsZero() {
		v.Since = &of.Since
	}
	if !of.Until.IsZero() {
		v.Until = &of.Until
	}
	return v
}

type newRevocationInput struct {
	rest.AgentParam
	Body struct {
		SourceBody
		rest.PersonBody
		DryRun *bool        `json:"dryRun,omitempty" doc:"Show what would be removed, and change nothing. Missing: true."`
		Cursor memory.Owner `json:"cursor,omitempty" maxLength:"255" doc:"Of a preview: the value of next on the previous page; missing: from the start."`
		After  memory.Owner `json:"after,omitempty" maxLength:"255" deprecated:"true" doc:"Same as cursor."`
	}
}

// revocationView is a revocation, of a preview with the statements.
type revocationView struct {
	SourceBody
	ID          uuid.UUID         `json:"id,omitzero"`
	State       revocation.State  `json:"state,omitempty" enum:"waiting,done,cancelled" doc:"Missing for a preview."`
	DryRun      bool              `json:"dryRun" doc:"Nothing was changed."`
	Statements  int               `json:"statements" doc:"Those that went; of a preview those that would."`
	Kept        int               `json:"kept" doc:"Those that stay, because they have another source."`
	Documents   int               `json:"documents" doc:"Those that changed."`
	Dreams      int               `json:"dreams" doc:"Dreams based on it, which are repeated."`
	Owners      []revokedPartView `json:"owners"`
	Next        memory.Owner      `json:"next,omitempty" doc:"Of a preview: send it as cursor to get the next page; missing on the last one."`
	RequestedAt *time.Time        `json:"requestedAt,omitempty"`
	FinishedAt  *time.Time        `json:"finishedAt,omitempty"`
	WorkflowID  string            `json:"workflowId,omitempty"`
	Link        string            `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	NotReached  []string          `json:"notReached,omitempty" doc:"What a revocation leaves."`
}

type revokedPartView struct {
	Owner      memory.Owner     `json:"owner" doc:"Shared memory: system."`
	State      revocation.State `json:"state,omitempty" enum:"waiting,done,cancelled"`
	Statements int              `json:"statements"`
	Kept       int              `json:"kept"`
	Documents  int              `json:"documents"`
	Dreams     int              `json:"dreams"`
	Found      []weighedView    `json:"found,omitempty" doc:"Of a preview: statements that came from the source."`
}

type weighedView struct {
	Path      string       `json:"path,omitempty" doc:"Missing for a held statement."`
	Scope     memory.Scope `json:"scope"`
	StartLine int          `json:"startLine"`
	EndLine   int          `json:"endLine"`
	Text      string       `json:"text"`
	Goes      bool         `json:"goes"`
	Why       dreams.Why   `json:"why,omitempty" enum:"person,elsewhere,said,mixed" doc:"Why it stays: a person wrote it, a document has it from elsewhere, it was said elsewhere, or a part of it came from elsewhere."`
	In        string       `json:"in,omitempty" doc:"The document that has it from elsewhere."`
}

// leftByRevocations lists what a revocation does not remove.
var leftByRevocations = []string{
	"messages, and earlier versions of documents: delete the conversation, or forget with erase",
	"GLOBAL documents: change them by writing them",
	"archives and exports that were taken, backups, and what other programs have read",
}

func (s *Server) viewRevocation(id memory.Identity, parts []revocation.Part) revocationView {
	first := parts[0]
	v := revocationView{
		SourceBody: viewSource(first.Source), ID: first.ID, State: revocation.Cancelled, Owners: []revokedPartView{},
		RequestedAt: &first.RequestedAt, NotReached: leftByRevocations,
		WorkflowID: workflows.RevocationID(indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, first.ID),
	}
	v.Link = s.Workflows.Link(v.WorkflowID)
	for _, p := range parts {
		v.Owners = append(v.Owners, revokedPartView{
			Owner: p.Owner, State: p.State, Statements: p.Statements, Kept: p.Kept, Documents: p.Documents, Dreams: p.Dreams,
		})
		v.Statements, v.Kept, v.Documents, v.Dreams = v.Statements+p.Statements, v.Kept+p.Kept, v.Documents+p.Documents, v.Dreams+p.Dreams
		switch {
		case p.State == revocation.Waiting || v.State == revocation.Waiting:
			v.State, v.FinishedAt = revocation.Waiting, nil
		case p.State == revocation.Done:
			v.State = revocation.Done
		}
		if v.State != revocation.Waiting && p.FinishedAt != nil && (v.FinishedAt == nil || p.FinishedAt.After(*v.FinishedAt)) {
			v.FinishedAt = p.FinishedAt
		}
	}
	return v
}

// Revocable returns what a revocation would remove, for some owners after one, and the owner after whom there are more.
func (s *Server) Revocable(
	ctx context.Context, id memory.Identity, of revocation.Source, after memory.Owner,
) (found []revocation.Preview, next memory.Owner, err error) {
	agent, err := s.Store.Agent(ctx, id)
	if err != nil {
		return nil, "", err
	}
	settings := s.Dreams.With(agent.Settings)
	found, more, err := s.Store.PreviewRevocation(ctx, id, of, after, func(o memory.Owner) bool { return settings.Unwanted(o) == "" })
	if more {
		next = found[len(found)-1].Owner
	}
	return found, next, err
}

// StartRevocation requests a revocation and starts its workflow.
func (s *Server) StartRevocation(ctx context.Context, id memory.Identity, of revocation.Source) ([]revocation.Part, error) {
	parts, err := s.Store.RequestRevocation(ctx, id, of)
	if err == nil {
		s.Workflows.StartRevocation(ctx, workflows.RevokeInput{
			AgentRef: indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, Revocation: parts[0].ID,
		})
	}
	return parts, err
}

func (s *Server) createRevocation(ctx context.Context, in *newRevocationInput) (*rest.Reply[revocationView], error) {
	b := in.Body
	id, _, err := s.Enter(ctx, in.Agent, b.Person())
	if err != nil {
		return nil, err
	}
	rest.Touch(ctx, "kind", string(b.Kind))
	rest.Touch(ctx, "source", b.Source)
	of := b.source()
	if b.DryRun != nil && !*b.DryRun {
		parts, err := s.StartRevocation(ctx, id, of)
		if err != nil {
			return nil, err
		}
		return rest.Accepted(s.viewRevocation(id, parts)), nil
	}
	rest.OnlyReads(ctx)
	found, next, err := s.Revocable(ctx, id, of, cmp.Or(b.Cursor, b.After))
	if err != nil {
		return nil, err
	}
	v := revocationView{SourceBody: b.SourceBody, DryRun: true, Owners: []revokedPartView{}, Next: next, NotReached: leftByRevocations}
	for _, p := range found {
		v.Owners = append(v.Owners, revokedPartView{
			Owner: p.Owner, Statements: p.Statements, Kept: p.Kept, Documents: p.Documents, Dreams: p.Dreams,
			Found: rest.Views(p.Weighed, func(w dreams.Weighed) weighedView {
				return weighedView{w.Path, w.Scope, w.FromLine, w.ToLine, w.Text, w.Why == dreams.WhyGoes, w.Why, w.In}
			}),
		})
		v.Statements, v.Kept, v.Documents, v.Dreams = v.Statements+p.Statements, v.Kept+p.Kept, v.Documents+p.Documents, v.Dreams+p.Dreams
	}
	return rest.OK(v), nil
}

type listRevocationsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

func (s *Server) listRevocations(ctx context.Context, in *listRevocationsInput) (*rest.Reply[rest.Page[revocationView]], error) {
	id, err := s.onRevocations(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.Revocations(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[revocationView]{
		Items: rest.Views(listed.Items, func(p []revocation.Part) revocationView { return s.viewRevocation(id, p) }), Next: listed.Next,
	}), nil
}

type revocationInput struct {
	rest.AgentParam
	rest.PersonParams

	Revocation uuid.UUID `path:"revocation" format:"uuid" doc:"Id of the revocation."`
}

func (s *Server) getRevocation(ctx context.Context, in *revocationInput) (*rest.Reply[revocationView], error) {
	id, err := s.onRevocations(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	parts, err := s.Store.Revocation(ctx, id, in.Revocation)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewRevocation(id, parts)), nil
}

// onRevocations returns the identity of a request about revocations: the person's, or that of an admin for every owner.
func (s *Server) onRevocations(ctx context.Context, agent string, person rest.Person) (memory.Identity, error) {
	id, _, err := s.Enter(ctx, agent, person)
	if err != nil {
		return id, err
	}
	id, full := rest.AcrossOwners(id)
	if !full {
		return id, fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the query)")
	}
	return id, nil
}
