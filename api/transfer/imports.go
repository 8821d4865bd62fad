package transfer

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/imports"
	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

const importsPath = "/api/v1/agents/{agent}/imports"

// transferRoom serves imports, snapshots and the writes of business processes.
type transferRoom struct{ *rest.Server }

// Register adds the operations that move memory in and out.
func Register(k *rest.Server) {
	s := &transferRoom{k}
	s.importRoutes()
	s.snapshotRoutes()
	s.writeRoutes()
}

func (s *transferRoom) importRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "create-import", Method: http.MethodPost, Path: importsPath, Tag: "imports", Need: memory.RoleMember, Body: rest.MaxSmallBody,
		Summary: "Begin to move memory in from elsewhere, or find where it was left",
		Doc: "The same source with the same options and owner is one import, however often it is asked for. " +
			"Naming nobody, it may be about several owners and about shared documents; a key that is pinned to an owner moves in that one's.",
	}, s.createImport)
	rest.Register(s.Server, rest.Route{
		ID: "list-imports", Method: http.MethodGet, Path: importsPath, Tag: "imports", Need: memory.RoleMember,
		Summary: "List imports, newest first", Doc: "Of the owner that is named or that the key is pinned to. Naming nobody: all of the agent.",
	}, s.listImports)
	rest.Register(s.Server, rest.Route{
		ID: "get-import", Method: http.MethodGet, Path: importsPath + "/{import}", Tag: "imports", Need: memory.RoleMember,
		Summary: "Read how far an import is",
	}, s.getImport)
	rest.Register(s.Server, rest.Route{
		ID: "add-import-items", Method: http.MethodPost, Path: importsPath + "/{import}/items", Tag: "imports", Need: memory.RoleMember,
		Body: rest.MaxBodyBytes, Errors: []int{http.StatusConflict},
		Summary: "Upload documents and conversations",
		Doc: "All of the batch or nothing. An item whose key is known is left alone, so that a batch can be sent again; one that failed, or was left out, is tried again at the next start. " +
			"An item that cannot be moved in is recorded as failed with its reason, and does not keep the others from it.",
	}, s.addImportItems)
	rest.Register(s.Server, rest.Route{
		ID: "list-import-items", Method: http.MethodGet, Path: importsPath + "/{import}/items", Tag: "imports", Need: memory.RoleMember,
		Summary: "List items with their outcomes, by key",
	}, s.listImportItems)
	rest.Register(s.Server, rest.Route{
		ID: "start-import", Method: http.MethodPost, Path: importsPath + "/{import}/start", Tag: "imports", Need: memory.RoleMember,
		Status: http.StatusAccepted, Summary: "Have what was uploaded moved in",
		Doc: "Documents first, then conversations in the order in which they ended. What is settled is never done again. Asked for again, it goes on with what waits.",
	}, s.startImport)
	rest.Register(s.Server, rest.Route{
		ID: "cancel-import", Method: http.MethodPost, Path: importsPath + "/{import}/cancel", Tag: "imports", Need: memory.RoleMember,
		Status: http.StatusAccepted, Summary: "Stop an import", Doc: "What is moved in stays. What is not is skipped, until it is uploaded and started again.",
	}, s.cancelImport)
}

// ImportParam is the import that a request is about.
type ImportParam struct {
	Import uuid.UUID `path:"import" format:"uuid" doc:"Id of the import."`
}

type createImportInput struct {
	rest.AgentParam
	Body struct {
		Owner      string              `json:"owner,omitempty" maxLength:"128" doc:"Whose memory it is about; or give channel and sender, or endUserId. Missing: of several, or the shared one." example:"user:7"`
		Channel    string              `json:"channel,omitempty" maxLength:"128"`
		Sender     string              `json:"sender,omitempty" maxLength:"128"`
		EndUserID  string              `json:"endUserId,omitempty" maxLength:"128"`
		Source     string              `json:"source" minLength:"1" maxLength:"128" doc:"What tells the source from others and stays the same, such as the SHA-256 of its items." example:"9f86d081884c7d65"`
		Format     imports.Format      `json:"format" minLength:"1" maxLength:"64" doc:"Where it comes from; it stands in headings of documents that are merged." example:"chatgpt"`
		Label      string              `json:"label,omitempty" maxLength:"200" doc:"What people call the source."`
		OnConflict memory.ImportPolicy `json:"onConflict,omitempty" enum:"merge,keep,overwrite" default:"merge" doc:"What becomes of a document when another one stands there: what it does not say is added to its end, it is kept, or it is replaced."`
		Extract    *bool               `json:"extract,omitempty" doc:"Conversations become memory, as they do when this is missing; otherwise they are stored only."`
	}
}

// importView is an import.
type importView struct {
	ID         uuid.UUID           `json:"id"`
	Owner      memory.Owner        `json:"owner,omitempty"`
	Format     string              `json:"format"`
	Label      string              `json:"label,omitempty"`
	OnConflict memory.ImportPolicy `json:"onConflict" enum:"merge,keep,overwrite"`
	Extract    bool                `json:"extract"`
	State      store.ImportState   `json:"state" enum:"staging,running,done,cancelled" doc:"staging: items are uploaded; cancelled: what was not settled is left out."`
	Items      int                 `json:"items" doc:"That were uploaded."`
	Settled    int                 `json:"settled" doc:"Of them, those that have an outcome."`
	Waiting    int                 `json:"waiting" doc:"Of them, those that have none yet."`
	Outcomes   map[string]int      `json:"outcomes" doc:"How many ended how: written, unchanged, merged, nothing, skipped, quarantined, failed."`
	WorkflowID string              `json:"workflowId,omitempty"`
	Link       string              `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	CreatedAt  time.Time           `json:"createdAt"`
	StartedAt  *time.Time          `json:"startedAt,omitempty"`
	FinishedAt *time.Time          `json:"finishedAt,omitempty"`
}

func (s *transferRoom) viewImport(id memory.Identity, i store.Import) importView {
	v := importView{
		ID: i.ID, Owner: i.Owner, Format: i.Format, Label: i.Label, OnConflict: i.OnConflict, Extract: i.Extract, State: i.State,
		Items: i.Items, Settled: i.Settled(), Waiting: i.Outcomes[""], Outcomes: map[string]int{},
		CreatedAt: i.CreatedAt, StartedAt: i.StartedAt, FinishedAt: i.FinishedAt,
	}
	for outcome, n := range i.Outcomes {
		if outcome != "" {
			v.Outcomes[string(outcome)] = n
		}
	}
	if i.StartedAt != nil {
		v.WorkflowID = workflows.ImportID(id.Workspace, id.Agent, i.ID)
		v.Link = s.Workflows.Link(v.WorkflowID)
	}
	return v
}

func (s *transferRoom) createImport(ctx context.Context, in *createImportInput) (*rest.Reply[importView], error) {
	b := in.Body
	id, _, err := s.Enter(ctx, in.Agent, rest.PersonBody{Owner: b.Owner, Channel: b.Channel, Sender: b.Sender, EndUserID: b.EndUserID}.Person())
	if err != nil {
		return nil, err
	}
	made, err := s.Store.CreateImport(ctx, id, store.NewImport{
		Source: b.Source, Format: string(b.Format), Label: strings.TrimSpace(b.Label), OnConflict: b.OnConflict, Extract: b.Extract == nil || *b.Extract,
	})
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewImport(id, made)), nil
}

type listImportsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

func (s *transferRoom) listImports(ctx context.Context, in *listImportsInput) (*rest.Reply[rest.Page[importSummary]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, _ = rest.AcrossOwners(id)
	listed, err := s.Store.Imports(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[importSummary]{Items: rest.Views(listed.Items, summaryOfImport), Next: listed.Next}), nil
}

// importSummary is an import in a list.
type importSummary struct {
	ID         uuid.UUID         `json:"id"`
	Owner      memory.Owner      `json:"owner,omitempty"`
	Format     string            `json:"format"`
	Label      string            `json:"label,omitempty"`
	State      store.ImportState `json:"state" enum:"staging,running,done,cancelled"`
	Items      int               `json:"items"`
	CreatedAt  time.Time         `json:"createdAt"`
	StartedAt  *time.Time        `json:"startedAt,omitempty"`
	FinishedAt *time.Time        `json:"finishedAt,omitempty"`
}

func summaryOfImport(i store.Import) importSummary {
	return importSummary{
		ID: i.ID, Owner: i.Owner, Format: i.Format, Label: i.Label, State: i.State, Items: i.Items,
		CreatedAt: i.CreatedAt, StartedAt: i.StartedAt, FinishedAt: i.FinishedAt,
	}
}

type importInput struct {
	rest.AgentParam
	ImportParam
}

// onImport is the import that a request is about, and the identity that works on it: whoever may read it, on behalf of whom it
// is about.
func (s *transferRoom) onImport(ctx context.Context, in importInput) (memory.Identity, store.Import, error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{Location: "path"})
	if err != nil {
		return id, store.Import{}, err
	}
	reading, _ := rest.AcrossOwners(id)
	found, err := s.Store.ImportOf(ctx, reading, in.Import)
	if err != nil {
		return id, store.Import{}, err
	}
	id.Owner = found.Owner
	return id, found, nil
}

func (s *transferRoom) getImport(ctx context.Context, in *importInput) (*rest.Reply[importView], error) {
	id, found, err := s.onImport(ctx, *in)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewImport(id, found)), nil
}
