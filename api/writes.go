package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

const writesPath = "/api/v1/agents/{agent}/writes"

func (s *transferRoom) writeRoutes() {
	register(s.kernel, route{
		id: "write-memory", method: http.MethodPost, path: writesPath, tag: "writes", need: memory.RoleMember,
		summary: "Write memory for a business process", body: maxDocumentBody, timeout: maxWait + requestTimeout,
		also: []int{http.StatusAccepted}, errors: []int{http.StatusConflict},
		doc: "One write for one requestId, however often it is sent and whichever way it comes; the same id with another request is 409 key_reused. " +
			"Target and content are Mustache templates over data. Answers 200 with the receipt, also when the write was refused (outcome and reasonCode say so), " +
			"or 202 when it is not there within wait: it will be written, even when workflows cannot be reached now.",
	}, s.writeMemory)
	register(s.kernel, route{
		id: "list-writes", method: http.MethodGet, path: writesPath, tag: "writes", need: memory.RoleViewer,
		summary: "List what business processes asked to have written, newest first",
		doc:     "Naming nobody, of any owner: an admin sees them whole, others without owners, paths and problems of PERSONAL ones.",
	}, s.listWrites)
	register(s.kernel, route{
		id: "get-write", method: http.MethodGet, path: writesPath + "/{request}", tag: "writes", need: memory.RoleViewer,
		summary: "Tell what became of a request to write",
	}, s.getWrite)
}

// jsonObject is a JSON object as it was sent, so that numbers stay as they were written.
type jsonObject struct{ json.RawMessage }

// Schema is that of any object.
func (jsonObject) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[map[string]any]())
}

type writeMemoryInput struct {
	AgentParam
	WaitParam
	Body struct {
		PersonBody
		RequestID string          `json:"requestId" pattern:"^[A-Za-z0-9._:-]{1,128}$" patternDescription:"1 to 128 of A-Z, a-z, 0-9, ., _, : and -" doc:"Makes a repeated request one write. It stands in the ids of workflows: it must not say anything about a person." example:"close-case-41"`
		Scope     memory.Scope    `json:"scope,omitempty" enum:"PERSONAL,TEAM,GLOBAL" doc:"Missing: PERSONAL when a person is named or the key is pinned to one, else TEAM."`
		Target    string          `json:"target" minLength:"1" maxLength:"1024" doc:"Path of the document, as a template." example:"memory/cases/{{id}}.md"`
		Strategy  memory.Strategy `json:"strategy" enum:"append,replace_section,upsert_kv,overwrite" doc:"How the content becomes part of a document that exists already."`
		Content   string          `json:"content" maxLength:"262144" doc:"Markdown, as a template; at most 256 KiB, and with the data in it 1 MiB." example:"Closed: {{outcome}}"`
		Data      jsonObject      `json:"data,omitzero" doc:"What the templates may name; at most 1 MiB."`
		Reason    string          `json:"reason,omitempty" maxLength:"2000" doc:"Why; it stands in the document's history."`
	}
}

// Resolve checks what a schema cannot.
func (in *writeMemoryInput) Resolve(huma.Context) []error {
	return checkCharacters(map[string]string{"target": in.Body.Target, "content": in.Body.Content, "reason": in.Body.Reason})
}

// writeView is the record of a write.
type writeView struct {
	memory.WriteReceipt
	Owner      memory.Owner    `json:"owner,omitempty"`
	Scope      memory.Scope    `json:"scope"`
	Path       string          `json:"path,omitempty"`
	Strategy   memory.Strategy `json:"strategy"`
	Problem    string          `json:"problem,omitempty" doc:"Of a refused write: what is wrong, with rules and lines but nothing of the text."`
	Key        uuid.UUID       `json:"key" doc:"Id of the key that asked."`
	WorkflowID string          `json:"workflowId"`
	Link       string          `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	StagedAt   time.Time       `json:"stagedAt"`
	EndedAt    *time.Time      `json:"endedAt,omitempty"`
}

// writeViewer shows writes of an identity's agent; full is whether the caller sees what is PERSONAL.
func (s *transferRoom) writeViewer(id memory.Identity, full bool) func(store.MemoryWrite) writeView {
	return func(w store.MemoryWrite) writeView {
		v := writeView{
			WriteReceipt: w.Answer(), Owner: w.Owner, Scope: w.Scope, Path: w.Path, Strategy: w.Strategy, Problem: w.Problem, Key: w.Key,
			WorkflowID: workflows.WriteMemoryID(writeRef(id, w)), StagedAt: w.StagedAt, EndedAt: w.EndedAt,
		}
		v.Link = s.workflows.link(v.WorkflowID)
		if w.Scope == memory.ScopePersonal && !full {
			v.Owner, v.Path, v.Problem, v.SHA256 = memory.NoOwner, "", "", ""
		}
		return v
	}
}

func writeRef(id memory.Identity, w store.MemoryWrite) store.WriteRef {
	return store.WriteRef{Workspace: id.Workspace, Agent: id.Agent, Write: w.ID, RequestID: w.RequestID}
}

func (s *transferRoom) writeMemory(ctx context.Context, in *writeMemoryInput) (*reply[writeView], error) {
	wait, err := in.duration()
	if err != nil {
		return nil, err
	}
	id, _, err := s.enter(ctx, in.Agent, in.Body.person())
	if err != nil {
		return nil, err
	}
	b := in.Body
	staged, err := s.Store.StageWrite(ctx, id, callerOf(ctx).ID, memory.WriteRequest{
		RequestID: b.RequestID, Scope: b.Scope, Target: b.Target, Strategy: b.Strategy, Content: b.Content, Data: b.Data.RawMessage, Reason: b.Reason,
	})
	if invalid, is := errors.AsType[*store.InvalidError](err); is {
		return nil, invalidAt("body."+invalid.Field, "%s", invalid.Problem)
	}
	if err != nil {
		return nil, err
	}
	view := s.writeViewer(id, true)
	if staged.Ended() || !s.write(ctx, s.stopping, writeRef(id, staged), wait) {
		return writeReply(view(staged)), nil
	}
	ended, err := s.Store.MemoryWrite(ctx, id, staged.RequestID)
	if err != nil {
		return nil, err
	}
	if ended.Outcome == memory.OutcomeWritten {
		s.indexChanged(id, ended.Scope)
	}
	return writeReply(view(ended)), nil
}

// writeReply is 202 while it is not known what becomes of a write.
func writeReply(v writeView) *reply[writeView] {
	if v.Outcome == memory.OutcomeStaged {
		return accepted(v)
	}
	return ok(v)
}

type listWritesInput struct {
	AgentParam
	PersonParams
	Outcome memory.Outcome `query:"outcome" enum:"staged,written,unchanged,refused" doc:"Only these."`
	PageParams
}

func (s *transferRoom) listWrites(ctx context.Context, in *listWritesInput) (*reply[page[writeView]], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	id, full := acrossOwners(id)
	listed, err := s.Store.MemoryWrites(ctx, id, in.Outcome, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return ok(page[writeView]{Items: views(listed.Items, s.writeViewer(id, full)), Next: listed.Next}), nil
}

type getWriteInput struct {
	AgentParam
	PersonParams
	Request string `path:"request" maxLength:"128" doc:"The requestId of the write." example:"close-case-41"`
}

func (s *transferRoom) getWrite(ctx context.Context, in *getWriteInput) (*reply[writeView], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	id, full := acrossOwners(id)
	w, err := s.Store.MemoryWrite(ctx, id, in.Request)
	if errors.Is(err, store.ErrNotFound) {
		return nil, problem(nameNotFound, "no write %q was asked for: check the name, the agent, and whose it is", in.Request)
	}
	if err != nil {
		return nil, err
	}
	return ok(s.writeViewer(id, full)(w)), nil
}
