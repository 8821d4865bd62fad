// Package transfer serves what moves memory in and out: imports, snapshots and writes of business processes.
package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/imports"
	"reverie/memory"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/store/transfer"
	"reverie/workflows"
)

const importsPath = "/api/v1/agents/{agent}/imports"

// Handlers serve imports, snapshots and the writes of business processes.
type Handlers struct {
	*rest.Server
	archives *turns
}

// Register adds the operations that move memory in and out.
func Register(k *rest.Server) *Handlers {
	s := &Handlers{k, newTurns()}
	s.importRoutes()
	s.snapshotRoutes()
	s.writeRoutes()
	return s
}

func (s *Handlers) importRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "create-import", Method: http.MethodPost, Path: importsPath, Tag: "imports", Need: memory.RoleMember, Body: rest.MaxSmallBody,
		Act: rest.Changes, Summary: "Create an import, or find one to continue",
		Doc: "The same source with the same options and owner is one import, however often it is requested. " +
			"Without an owner, it may be about several owners and about shared documents; with a key that is pinned to an owner, it is about that one.",
	}, s.createImport)
	rest.Register(s.Server, rest.Route{
		ID: "list-imports", Method: http.MethodGet, Path: importsPath, Tag: "imports", Need: memory.RoleMember,
		Summary: "List imports, newest first", Doc: "Lists those of the owner named in the request or pinned to the key, or else all of the agent.",
	}, s.listImports)
	rest.Register(s.Server, rest.Route{
		ID: "get-import", Method: http.MethodGet, Path: importsPath + "/{import}", Tag: "imports", Need: memory.RoleMember,
		Summary: "Read the progress of an import",
	}, s.getImport)
	rest.Register(s.Server, rest.Route{
		ID: "add-import-items", Method: http.MethodPost, Path: importsPath + "/{import}/items", Tag: "imports", Need: memory.RoleMember,
		Act: rest.Changes, Body: rest.MaxBodyBytes, Errors: []int{http.StatusConflict},
		Summary: "Upload documents and conversations",
		Doc: "Stores all items of the batch or none. An item whose key is known is left unchanged, so that a batch can be sent again; one that failed, or " +
			"was left out, is tried again at the next start. An item that cannot be imported is recorded as failed with its reason, and does not " +
			"keep the others from it.",
	}, s.addImportItems)
	rest.Register(s.Server, rest.Route{
		ID: "list-import-items", Method: http.MethodGet, Path: importsPath + "/{import}/items", Tag: "imports", Need: memory.RoleMember,
		Summary: "List items with their outcomes, by key",
	}, s.listImportItems)
	rest.Register(s.Server, rest.Route{
		ID: "start-import", Method: http.MethodPost, Path: importsPath + "/{import}/start", Tag: "imports", Need: memory.RoleMember,
		Act: rest.Changes, Status: http.StatusAccepted, Summary: "Start an import",
		Doc: "Imports documents first, then conversations in the order in which they ended. Settled items are never imported again; another " +
			"start continues with the others.",
	}, s.startImport)
	rest.Register(s.Server, rest.Route{
		ID: "cancel-import", Method: http.MethodPost, Path: importsPath + "/{import}/cancel", Tag: "imports", Need: memory.RoleMember,
		Act: rest.Changes, Status: http.StatusAccepted, Summary: "Cancel an import",
		Doc: "Imported items stay. The others are skipped, until they are uploaded and started again.",
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
		Source     string              `json:"source" minLength:"1" maxLength:"128" doc:"Stable identifier of the source, such as the SHA-256 of its items." example:"9f86d081884c7d65"`
		Format     imports.Format      `json:"format" minLength:"1" maxLength:"64" doc:"Where it comes from; used in headings of merged documents." example:"chatgpt"`
		Label      string              `json:"label,omitempty" maxLength:"200" doc:"Display name of the source."`
		OnConflict memory.ImportPolicy `json:"onConflict,omitempty" enum:"merge,keep,overwrite" default:"merge" doc:"Handling of an existing document at the path: append what is missing from it, keep it, or replace it."`
		Extract    *bool               `json:"extract,omitempty" doc:"Extract memory from conversations (default); false: store them only."`
	}
}

// importView is an import.
type importView struct {
	ID         uuid.UUID            `json:"id"`
	Owner      memory.Owner         `json:"owner,omitempty"`
	Format     string               `json:"format"`
	Label      string               `json:"label,omitempty"`
	OnConflict memory.ImportPolicy  `json:"onConflict" enum:"merge,keep,overwrite"`
	Extract    bool                 `json:"extract"`
	State      transfer.ImportState `json:"state" enum:"staging,running,done,cancelled" doc:"staging: items are uploaded; cancelled: what was not settled is left out."`
	Items      int                  `json:"items" doc:"Items uploaded."`
	Settled    int                  `json:"settled" doc:"Items with an outcome."`
	Waiting    int                  `json:"waiting" doc:"Items without an outcome yet."`
	Outcomes   map[string]int       `json:"outcomes" doc:"Number of items by outcome: written, unchanged, merged, nothing, skipped, quarantined, failed."`
	WorkflowID string               `json:"workflowId,omitempty"`
	Link       string               `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	CreatedAt  time.Time            `json:"createdAt"`
	StartedAt  *time.Time           `json:"startedAt,omitempty"`
	FinishedAt *time.Time           `json:"finishedAt,omitempty"`
}

func (s *Handlers) viewImport(id memory.Identity, i transfer.Import) importView {
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

func (s *Handlers) createImport(ctx context.Context, in *createImportInput) (*rest.Reply[importView], error) {
	b := in.Body
	id, _, err := s.Enter(
		ctx,
		in.Agent,
		rest.PersonBody{Owner: b.Owner, Channel: b.Channel, Sender: b.Sender, EndUserID: b.EndUserID}.Person(),
	)
	if err != nil {
		return nil, err
	}
	made, err := s.Store.CreateImport(ctx, id, transfer.NewImport{
		Source: b.Source, Format: string(b.Format), Label: strings.TrimSpace(b.Label), OnConflict: b.OnConflict,
		Extract: b.Extract == nil || *b.Extract,
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

func (s *Handlers) listImports(ctx context.Context, in *listImportsInput) (*rest.Reply[rest.Page[importSummary]], error) {
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
	ID         uuid.UUID            `json:"id"`
	Owner      memory.Owner         `json:"owner,omitempty"`
	Format     string               `json:"format"`
	Label      string               `json:"label,omitempty"`
	State      transfer.ImportState `json:"state" enum:"staging,running,done,cancelled"`
	Items      int                  `json:"items"`
	CreatedAt  time.Time            `json:"createdAt"`
	StartedAt  *time.Time           `json:"startedAt,omitempty"`
	FinishedAt *time.Time           `json:"finishedAt,omitempty"`
}

func summaryOfImport(i transfer.Import) importSummary {
	return importSummary{
		ID: i.ID, Owner: i.Owner, Format: i.Format, Label: i.Label, State: i.State, Items: i.Items,
		CreatedAt: i.CreatedAt, StartedAt: i.StartedAt, FinishedAt: i.FinishedAt,
	}
}

type importInput struct {
	rest.AgentParam
	ImportParam
}

// onImport returns the import of a request, and the identity that works on it: anyone who may read it, on behalf of whom it
// is about.
func (s *Handlers) onImport(ctx context.Context, in importInput) (memory.Identity, transfer.Import, error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{Location: "path"})
	if err != nil {
		return id, transfer.Import{}, err
	}
	reading, _ := rest.AcrossOwners(id)
	found, err := s.Store.ImportOf(ctx, reading, in.Import)
	if err != nil {
		return id, transfer.Import{}, err
	}
	id.Owner = found.Owner
	return id, found, nil
}

func (s *Handlers) getImport(ctx context.Context, in *importInput) (*rest.Reply[importView], error) {
	id, found, err := s.onImport(ctx, *in)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewImport(id, found)), nil
}

// importItem is a document or a conversation of the other system; exactly one of the two.
type importItem struct {
	Key          string              `json:"key" minLength:"1" maxLength:"300" doc:"Stable identifier of the item, unique within the source."`
	Document     *importDocument     `json:"document,omitempty" characters:"any"` // a faulty item fails alone
	Conversation *importConversation `json:"conversation,omitempty" characters:"any"`
}

type importDocument struct {
	Path    string       `json:"path" maxLength:"255" doc:"Target path." example:"memory/2026-01-31.md"`
	Source  string       `json:"source,omitempty" maxLength:"1000" doc:"Original path."`
	Scope   memory.Scope `json:"scope" enum:"PERSONAL,TEAM"`
	Owner   string       `json:"owner,omitempty" maxLength:"128" doc:"Owner of a personal document; missing: the owner of the import."`
	Content string       `json:"content" doc:"Markdown, at most 1 MiB; a longer one fails."`
	At      *time.Time   `json:"at,omitempty" doc:"When it was last changed, if that is known."`
}

type importConversation struct {
	ID       string          `json:"id" minLength:"1" maxLength:"255" doc:"Id of the conversation here: the name of the other system, then its id." example:"chatgpt:6f1c"`
	Owner    string          `json:"owner,omitempty" maxLength:"128" doc:"Owner of the conversation; missing: the owner of the import."`
	Title    string          `json:"title,omitempty" maxLength:"1000"`
	Messages []importMessage `json:"messages" minItems:"1" maxItems:"10000" nullable:"false" doc:"In the order in which they were said, each with createdAt."`
}

// importMessage is a MessageInput whose contents are looked at when it is staged: what is wrong with one concerns its conversation
// alone.
type importMessage struct {
	ID           string              `json:"id" minLength:"1" maxLength:"128" doc:"The other system's, unique within the conversation."`
	Role         string              `json:"role" enum:"user,assistant,tool,system"`
	Name         string              `json:"name,omitempty" maxLength:"200" doc:"Name of the speaker or tool."`
	Speaker      string              `json:"speaker,omitempty" maxLength:"128" doc:"Id of the person who wrote a user message in a group."`
	Content      string              `json:"content" doc:"UTF-8, at most 256 KiB; a conversation with a longer one fails."`
	FinishReason string              `json:"finishReason,omitempty" maxLength:"64" doc:"Why an assistant message ended, in the provider's words."`
	CreatedAt    *time.Time          `json:"createdAt,omitempty" doc:"When it was said; missing: now."`
	ToolCalls    []rest.ToolCallView `json:"toolCalls,omitempty" maxItems:"64" nullable:"false" doc:"Tool calls of an assistant message."`
	ToolCallID   string              `json:"toolCallId,omitempty" maxLength:"128" doc:"Id of the call that a tool message answers."`
}

type addImportItemsInput struct {
	rest.AgentParam
	ImportParam
	Body struct {
		Items []importItem `json:"items" minItems:"1" maxItems:"1000" nullable:"false"`
	}
}

type stagedView struct {
	Staged int `json:"staged" doc:"Waiting to be imported."`
	Known  int `json:"known" doc:"Uploaded before."`
	Failed int `json:"failed" doc:"Rejected; the list of items has the reasons."`
}

func (s *Handlers) addImportItems(ctx context.Context, in *addImportItemsInput) (*rest.Reply[stagedView], error) {
	id, _, err := s.onImport(ctx, importInput{in.AgentParam, in.ImportParam})
	if err != nil {
		return nil, err
	}
	items := make([]transfer.ImportItem, len(in.Body.Items))
	for i, item := range in.Body.Items {
		if items[i], err = s.stage(id, item); err != nil {
			return nil, fault.InvalidAt(fmt.Sprintf("body.items[%d]", i), "%s", err)
		}
	}
	staged, err := s.Store.StageImport(ctx, id, in.Import, items)
	if err != nil {
		return nil, err
	}
	return rest.OK(stagedView(staged)), nil
}

// stage converts an item to its stored form. It returns an error only for faults that concern the whole request.
func (s *Handlers) stage(id memory.Identity, in importItem) (transfer.ImportItem, error) {
	staged := transfer.ImportItem{Key: in.Key}
	item := imports.Item{Key: in.Key}
	switch {
	case (in.Document == nil) == (in.Conversation == nil):
		return staged, errors.New("give either a document or a conversation")
	case in.Document != nil:
		d := *in.Document
		if len(d.Content) > memory.MaxDocumentBytes {
			staged.ReasonCode = transfer.ReasonImportTooLarge
		}
		document := imports.Document{Path: d.Path, Source: d.Source, Scope: d.Scope, Content: d.Content}
		if d.At != nil {
			document.At = *d.At
		}
		if d.Scope == memory.ScopePersonal {
			whose, err := whoseImport(id, d.Owner)
			if err != nil {
				return staged, err
			}
			document.Owner = whose
		}
		item.Document = &document
		staged.Whose, staged.At, staged.Target = document.Owner, document.At, document.Path
	default:
		c := *in.Conversation
		whose, err := whoseImport(id, c.Owner)
		if err != nil {
			return staged, err
		}
		said := make([]rest.MessageInput, len(c.Messages))
		for i, m := range c.Messages {
			if _, err := rest.SpeakerOf(m.Speaker, ""); err != nil {
				staged.ReasonCode = transfer.ReasonImportInvalid
			}
			if len(m.Content) > memory.MaxMessageBytes {
				staged.ReasonCode = transfer.ReasonImportTooLarge
			}
			said[i] = rest.MessageInput(m)
		}
		conversation := imports.Conversation{ID: c.ID, Owner: whose, Title: c.Title, Messages: s.Messages(said)}
		item.Conversation = &conversation
		staged.Conversation, staged.Whose, staged.Target, staged.Messages = true, whose, c.ID, len(c.Messages)
		for _, m := range conversation.Messages {
			if m.CreatedAt.After(staged.At) {
				staged.At = m.CreatedAt
			}
		}
	}
	payload, err := json.Marshal(item)
	staged.Payload = payload
	return staged, err
}

// whoseImport returns the owner of an item.
func whoseImport(id memory.Identity, named string) (memory.Owner, error) {
	if named == "" {
		return id.Owner, nil
	}
	owner, err := memory.ParseOwner(named)
	if err == nil && owner == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin) {
		return owner, errors.New("only an admin key may act for the system")
	}
	return owner, err
}

type listImportItemsInput struct {
	rest.AgentParam
	ImportParam
	rest.PageParams
	Outcome string `query:"outcome" enum:"waiting,written,unchanged,merged,nothing,skipped,quarantined,failed" doc:"Only items with this outcome."`
}

// importedItemView is an item of an import, without its contents.
type importedItemView struct {
	Key        string            `json:"key"`
	Kind       string            `json:"kind" enum:"document,conversation"`
	Owner      memory.Owner      `json:"owner,omitempty" doc:"Missing: it is shared."`
	Target     string            `json:"target" doc:"Path of the document, or id of the conversation."`
	At         *time.Time        `json:"at,omitempty" doc:"When it was last written or said."`
	Messages   int               `json:"messages,omitempty"`
	Outcome    memory.Outcome    `json:"outcome" enum:"waiting,written,unchanged,merged,nothing,skipped,quarantined,failed"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	SettledAt  *time.Time        `json:"settledAt,omitempty"`
}

func viewImportedItem(x transfer.ImportItemState) importedItemView {
	v := importedItemView{
		Key: x.Key, Kind: "document", Owner: x.Whose, Target: x.Target, Messages: x.Messages,
		Outcome: x.Outcome, ReasonCode: x.ReasonCode, SettledAt: x.SettledAt,
	}
	if x.Conversation {
		v.Kind = "conversation"
	}
	if !x.At.IsZero() {
		v.At = &x.At
	}
	if x.Outcome == "" {
		v.Outcome = memory.OutcomeWaiting
	}
	return v
}

func (s *Handlers) listImportItems(ctx context.Context, in *listImportItemsInput) (*rest.Reply[rest.Page[importedItemView]], error) {
	id, _, err := s.onImport(ctx, importInput{in.AgentParam, in.ImportParam})
	if err != nil {
		return nil, err
	}
	filter := transfer.ImportFilter{Any: in.Outcome == "", Outcome: memory.Outcome(in.Outcome)}
	if filter.Outcome == memory.OutcomeWaiting {
		filter.Outcome = ""
	}
	listed, err := s.Store.ImportItems(ctx, id, in.Import, filter, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[importedItemView]{Items: rest.Views(listed.Items, viewImportedItem), Next: listed.Next}), nil
}

func (s *Handlers) startImport(ctx context.Context, in *importInput) (*rest.Reply[importView], error) {
	id, _, err := s.onImport(ctx, *in)
	if err != nil {
		return nil, err
	}
	started, err := s.Store.StartImport(ctx, id, in.Import)
	if err != nil {
		return nil, err
	}
	if started.State == transfer.ImportRunning {
		if err := s.startImportWorkflow(ctx, id, started); err != nil {
			return nil, err
		}
	}
	return rest.Accepted(s.viewImport(id, started)), nil
}

func (s *Handlers) cancelImport(ctx context.Context, in *importInput) (*rest.Reply[importView], error) {
	id, found, err := s.onImport(ctx, *in)
	if err != nil {
		return nil, err
	}
	if found.State != transfer.ImportDone {
		// A running workflow finds it cancelled at its next step, even if the cancellation does not reach it now.
		if found, err = s.Store.CancelImport(ctx, id, in.Import); err != nil {
			return nil, err
		}
		running := false
		if found.StartedAt != nil {
			if running, err = s.cancelImportWorkflow(ctx, id, found); err != nil {
				return nil, err
			}
		}
		if !running {
			if found, err = s.Store.LeaveImport(ctx, id, in.Import); err != nil {
				return nil, err
			}
		}
	}
	return rest.Accepted(s.viewImport(id, found)), nil
}

// startImportWorkflow starts the workflow of an import, or finds it running.
func (s *Handlers) startImportWorkflow(ctx context.Context, id memory.Identity, i transfer.Import) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.AcceptTimeout)
	defer cancel()
	err := workflows.StartImport(ctx, s.Temporal, workflows.ImportInput{
		AgentRef: indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, Import: i.ID, Format: i.Format,
	})
	if err != nil && rest.TemporalAway(err) {
		return fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return err
}

// cancelImportWorkflow cancels the workflow of an import. It reports false when none is running.
func (s *Handlers) cancelImportWorkflow(ctx context.Context, id memory.Identity, i transfer.Import) (running bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.AcceptTimeout)
	defer cancel()
	running, err = workflows.CancelImport(ctx, s.Temporal, workflows.ImportID(id.Workspace, id.Agent, i.ID))
	if err != nil && rest.TemporalAway(err) {
		return false, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return running, err
}
