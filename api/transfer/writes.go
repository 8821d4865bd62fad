package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/writereq"
	"reverie/store"
	"reverie/store/transfer"
	"reverie/workflows"
)

const writesPath = "/api/v1/agents/{agent}/writes"

func (s *Handlers) writeRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "write-memory", Method: http.MethodPost, Act: rest.Changes, Path: writesPath, Tag: "writes", Need: memory.RoleMember,
		Summary: "Write memory for a business process", Body: rest.MaxDocumentBody, Timeout: rest.MaxWait + rest.RequestTimeout,
		Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict},
		Doc: "One write for one requestId of an owner, or of shared memory, however often it is sent and whichever way it comes; the same id " +
			"with another request is 409 key_reused. Target and content are Mustache templates over data. Answers 200 with the receipt, " +
			"also when the write was refused (outcome and reasonCode say so), or 202 if it is not ready within wait: it will be written, even " +
			"when workflows cannot be reached now.",
	}, s.writeMemory)
	rest.Register(s.Server, rest.Route{
		ID: "list-writes", Method: http.MethodGet, Path: writesPath, Tag: "writes", Need: memory.RoleViewer,
		Summary: "List writes of business processes, newest first",
		Doc:     "Without an owner, of any owner: an admin sees them whole, others without owners, paths and problems of PERSONAL ones.",
	}, s.listWrites)
	rest.Register(s.Server, rest.Route{
		ID: "get-write", Method: http.MethodGet, Path: writesPath + "/{request}", Tag: "writes", Need: memory.RoleViewer,
		Summary: "Read a write of a business process",
		Doc: "The write of the owner with this requestId, else the shared one. Without an owner, a write that is not the only one is 422 " +
			"owner_required.",
	}, s.getWrite)
}

// jsonObject is a JSON object as it was sent, so that numbers stay as they were written.
type jsonObject struct{ json.RawMessage }

// Schema describes any object.
func (jsonObject) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[map[string]any]())
}

type writeMemoryInput struct {
	rest.AgentParam
	rest.WaitParam
	Body struct {
		rest.PersonBody
		RequestID string            `json:"requestId" pattern:"^[A-Za-z0-9._:-]{1,128}$" patternDescription:"1 to 128 of A-Z, a-z, 0-9, ., _, : and -" doc:"Makes a repeated request one write. It becomes part of workflow ids: it must not reveal anything about a person." example:"close-case-41"`
		Scope     memory.Scope      `json:"scope,omitempty" enum:"PERSONAL,TEAM,GLOBAL" doc:"Missing: PERSONAL when a person is named or the key is pinned to one, else TEAM."`
		Target    string            `json:"target" minLength:"1" maxLength:"1024" doc:"Path of the document, as a template." example:"memory/cases/{{id}}.md"`
		Strategy  markdown.Strategy `json:"strategy" enum:"append,replace_section,upsert_kv,overwrite" doc:"How the content becomes part of a document that exists already."`
		Content   string            `json:"content" maxLength:"262144" doc:"Markdown, as a template; at most 256 KiB, and with the data in it 1 MiB." example:"Closed: {{outcome}}"`
		Data      jsonObject        `json:"data,omitzero" doc:"What the templates may name; at most 1 MiB."`
		Reason    string            `json:"reason,omitempty" maxLength:"2000" doc:"Reason, recorded in the document's history."`
	}
}

// writeView is the record of a write.
type writeView struct {
	writereq.WriteReceipt
	Owner      memory.Owner      `json:"owner,omitempty"`
	Scope      memory.Scope      `json:"scope"`
	Path       string            `json:"path,omitempty"`
	Strategy   markdown.Strategy `json:"strategy"`
	Problem    string            `json:"problem,omitempty" doc:"Why the write was refused: rules and lines, without the text."`
	Key        uuid.UUID         `json:"key" doc:"Id of the key that asked."`
	WorkflowID string            `json:"workflowId"`
	Link       string            `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	StagedAt   time.Time         `json:"stagedAt"`
	EndedAt    *time.Time        `json:"endedAt,omitempty"`
}

// writeViewer shows writes of an identity's agent; full reports whether the caller may see PERSONAL ones.
func (s *Handlers) writeViewer(id memory.Identity, full bool) func(transfer.MemoryWrite) writeView {
	return func(w transfer.MemoryWrite) writeView {
		v := writeView{
			WriteReceipt: w.Answer(), Owner: w.Owner, Scope: w.Scope, Path: w.Path, Strategy: w.Strategy, Problem: w.Problem, Key: w.Key,
			WorkflowID: cmp.Or(w.WorkflowID, workflows.WriteMemoryID(writeRef(id, w))), StagedAt: w.StagedAt, EndedAt: w.EndedAt,
		}
		v.Link = s.Workflows.Link(v.WorkflowID)
		if w.Scope == memory.ScopePersonal && !full {
			v.Owner, v.Path, v.Problem, v.SHA256 = memory.NoOwner, "", "", ""
		}
		return v
	}
}

func writeRef(id memory.Identity, w transfer.MemoryWrite) transfer.WriteRef {
	return transfer.WriteRef{Workspace: id.Workspace, Agent: id.Agent, Write: w.ID, RequestID: w.RequestID}
}

func (s *Handlers) writeMemory(ctx context.Context, in *writeMemoryInput) (*rest.Reply[writeView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Body.Person())
	if err != nil {
		return nil, err
	}
	b := in.Body
	staged, err := s.Store.StageWrite(ctx, id, rest.CallerOf(ctx).ID, writereq.Request{
		RequestID: b.RequestID, Scope: b.Scope, Target: b.Target, Strategy: b.Strategy, Content: b.Content, Data: b.Data.RawMessage,
		Reason: b.Reason,
	})
	if invalid, is := errors.AsType[*store.InvalidError](err); is {
		return nil, fault.InvalidAt("body."+invalid.Field, "%s", invalid.Problem)
	}
	if err != nil {
		return nil, err
	}
	view := s.writeViewer(id, true)
	if staged.Ended() || !s.write(ctx, s.Stopping, writeRef(id, staged), wait) {
		return writeReply(view(staged)), nil
	}
	ended, err := s.Store.StagedWrite(ctx, id, staged.ID)
	if err != nil {
		return nil, err
	}
	if ended.Outcome == memory.OutcomeWritten {
		s.IndexChanged(id, ended.Scope)
	}
	return writeReply(view(ended)), nil
}

// writeReply answers 202 while the outcome of a write is unknown.
func writeReply(v writeView) *rest.Reply[writeView] {
	if v.Outcome == writereq.OutcomeStaged {
		return rest.Accepted(v)
	}
	return rest.OK(v)
}

type listWritesInput struct {
	rest.AgentParam
	rest.PersonParams
	Outcome memory.Outcome `query:"outcome" enum:"staged,written,unchanged,refused" doc:"Only these."`
	rest.PageParams
}

func (s *Handlers) listWrites(ctx context.Context, in *listWritesInput) (*rest.Reply[rest.Page[writeView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	listed, err := s.Store.MemoryWrites(ctx, id, in.Outcome, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[writeView]{Items: rest.Views(listed.Items, s.writeViewer(id, full)), Next: listed.Next}), nil
}

type getWriteInput struct {
	rest.AgentParam
	rest.PersonParams
	Request string `path:"request" maxLength:"128" doc:"The requestId of the write." example:"close-case-41"`
}

func (s *Handlers) getWrite(ctx context.Context, in *getWriteInput) (*rest.Reply[writeView], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	w, err := s.Store.MemoryWrite(ctx, id, in.Request)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fault.New(fault.NotFound, "No write %q: check the request id, the agent and the owner", in.Request)
	}
	if err != nil {
		return nil, err
	}
	return rest.OK(s.writeViewer(id, full)(w)), nil
}

// write starts the workflow of a staged write, and reports whether it has ended within wait. It is staged, so that a failure is no
// error: the worker's sweep starts what was not started here, and the workflow goes on when nobody waits.
func (s *Handlers) write(ctx, stop context.Context, ref transfer.WriteRef, wait time.Duration) bool {
	var run client.WorkflowRun
	_, err := s.Workflows.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.SignalTimeout) // also if the client hangs up
		defer cancel()
		var err error
		run, err = workflows.StartWrite(ctx, s.Temporal, ref)
		return struct{}{}, err
	})
	if err != nil {
		s.Workflows.LogAway(ctx, "the write is left to the sweep", err)
		return false
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(stop, cancel)()
	if err := run.Get(waited, nil); err != nil && waited.Err() == nil {
		s.Log.WarnContext(
			ctx,
			"A write that a request waited for has not ended",
			"error",
			err,
			"workflow",
			run.GetID(),
			"request",
			rest.RequestID(ctx),
		)
	}
	return waited.Err() == nil
}
