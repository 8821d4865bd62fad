package talk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/store"
	"reverie/store/gate"
	"reverie/store/talk"
	"reverie/workflows"
)

func (s *Handlers) extractionRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-extractions", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/extractions", Tag: "extractions",
		Need: memory.RoleViewer, Summary: "List extractions with their outcomes, newest first",
		Doc: "Lists those of the owner named in the request or pinned to the key, or else of all owners: an admin sees them whole, others without " +
			"reasons in words, violations and owners.",
	}, s.listExtractions)
	rest.Register(s.Server, rest.Route{
		ID: "get-extraction", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/extractions/{extraction}", Tag: "extractions",
		Need: memory.RoleViewer, Summary: "Read one extraction",
		Doc: "A quarantined one comes with what the model said and why it was refused, shown as in the list.",
	}, s.getExtraction)
	rest.Register(s.Server, rest.Route{
		ID: "retry-extraction", Method: http.MethodPost, Path: "/api/v1/agents/{agent}/extractions/{extraction}/retry", Tag: "extractions",
		Act: rest.Changes, Need: memory.RoleMember, Summary: "Retry a quarantined extraction", Timeout: rest.MaxWait + rest.RequestTimeout,
		Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict},
		Doc: "Runs it again over the same messages with the current settings, and answers as summarize does.",
	}, s.retryExtraction)
}

type extractionView struct {
	ID            uuid.UUID              `json:"id"`
	Conversation  string                 `json:"conversation"`
	Owner         memory.Owner           `json:"owner,omitempty"`
	From          int64                  `json:"from" doc:"First message, by its number."`
	To            int64                  `json:"to" doc:"Last message, inclusive."`
	Outcome       memory.Outcome         `json:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed"`
	ReasonCode    memory.ReasonCode      `json:"reasonCode,omitempty"`
	Reason        string                 `json:"reason,omitempty" doc:"The reason, for people; may quote contents."`
	Violations    []proposals.Violation  `json:"violations,omitempty" nullable:"false" doc:"Why the proposal was refused."`
	Raw           string                 `json:"raw,omitempty" doc:"What the model said, of a quarantined extraction."`
	Documents     int                    `json:"documents" doc:"How many it changed."`
	Changes       []memory.ChangeReceipt `json:"changes,omitempty" nullable:"false" doc:"Result for each document."`
	Model         string                 `json:"model,omitempty"`
	PromptVersion string                 `json:"promptVersion,omitempty"`
	Usage         memory.Usage           `json:"usage"`
	RetryOf       *uuid.UUID             `json:"retryOf,omitempty"`
	WorkflowID    string                 `json:"workflowId,omitempty"`
	RunID         string                 `json:"runId,omitempty"`
	WaitingUntil  *time.Time             `json:"waitingUntil,omitempty"`
	StartedAt     time.Time              `json:"startedAt"`
	FinishedAt    *time.Time             `json:"finishedAt,omitempty"`
}

func viewExtraction(x talk.Extraction) extractionView {
	v := extractionView{
		ID: x.ID, Conversation: x.Conversation, Owner: x.Owner, From: x.From, To: x.To,
		Outcome: x.Outcome, ReasonCode: x.ReasonCode, Reason: x.Reason, Violations: x.Violations, Raw: x.Raw, Changes: x.Changes,
		Model: x.Model, PromptVersion: x.PromptVersion, Usage: x.Usage, WorkflowID: x.WorkflowID, RunID: x.RunID,
		WaitingUntil: x.WaitingUntil, StartedAt: x.StartedAt, FinishedAt: x.FinishedAt,
	}
	for _, change := range x.Changes {
		if change.Changed {
			v.Documents++
		}
	}
	if x.RetryOf != uuid.Nil {
		v.RetryOf = &x.RetryOf
	}
	return v
}

// outline removes words, reasons and authors.
func (v extractionView) outline() extractionView {
	v.Owner, v.Reason, v.Violations, v.Raw, v.Changes = memory.NoOwner, "", nil, "", nil
	return v
}

type extractionsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	Conversation string         `query:"conversation" maxLength:"255" doc:"Only extractions of this conversation."`
	Outcome      memory.Outcome `query:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed" doc:"Only items with this outcome."`
}

func (s *Handlers) listExtractions(ctx context.Context, in *extractionsInput) (*rest.Reply[rest.Page[extractionView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	filter := talk.ExtractionFilter{Conversation: in.Conversation, Outcome: in.Outcome}
	listed, err := s.Store.Extractions(ctx, id, filter, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	out := rest.Page[extractionView]{Items: rest.Views(listed.Items, viewExtraction), Next: listed.Next}
	if !full {
		for i := range out.Items {
			out.Items[i] = out.Items[i].outline()
		}
	}
	return rest.OK(out), nil
}

// ExtractionParam is the extraction that a request is about.
type ExtractionParam struct {
	Extraction string `path:"extraction" format:"uuid" doc:"Id of the extraction."`
}

func (p ExtractionParam) id() (uuid.UUID, error) {
	id, err := uuid.Parse(p.Extraction)
	if err != nil {
		return id, fault.InvalidAt("path.extraction", "it is not a UUID")
	}
	return id, nil
}

// ExtractionInput is a request about one extraction.
type ExtractionInput struct {
	rest.AgentParam
	ExtractionParam
	rest.PersonParams
}

func (s *Handlers) getExtraction(ctx context.Context, in *ExtractionInput) (*rest.Reply[extractionView], error) {
	found, err := s.extraction(ctx, in)
	if err != nil {
		return nil, err
	}
	view := viewExtraction(found.record)
	if !found.full {
		view = view.outline()
	}
	return rest.OK(view), nil
}

// foundExtraction is the record that a request is about.
type foundExtraction struct {
	record talk.Extraction
	id     memory.Identity // of the caller; of every owner when the request names nobody
	agent  gate.Agent
	full   bool // the caller may see it whole
}

func (s *Handlers) extraction(ctx context.Context, in *ExtractionInput) (found foundExtraction, err error) {
	record, err := in.ExtractionParam.id()
	if err != nil {
		return found, err
	}
	if found.id, found.agent, err = s.Enter(ctx, in.Agent, in.Person()); err != nil {
		return found, err
	}
	found.id, found.full = rest.AcrossOwners(found.id)
	found.record, err = s.Store.Extraction(ctx, found.id, record)
	return found, err
}

type retryInput struct {
	ExtractionInput
	rest.WaitParam
	rest.RequestKeyParam
}

func (s *Handlers) retryExtraction(ctx context.Context, in *retryInput) (*rest.Reply[runView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	found, err := s.extraction(ctx, &in.ExtractionInput)
	if err != nil {
		return nil, err
	}
	x := found.record
	if x.Outcome != memory.OutcomeQuarantined {
		return nil, fault.New(fault.NotQuarantined, "Only quarantined extractions can be retried; this one is %s", x.Outcome)
	}
	id, err := actFor(found.id, x.Owner)
	if err != nil {
		return nil, err
	}
	return s.runNow(ctx, run{
		id: id, agent: found.agent, conversation: x.Conversation, owner: x.OwnerID, full: found.full, wait: wait,
		in: workflows.ExtractNowInput{Conversation: x.ConversationUID, RetryOf: x.ID}, key: in.IdempotencyKey,
	})
}

func (s *Handlers) summarizeRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "summarize-conversation", Method: http.MethodPost, Path: "/api/v1/memory/{agent}/summarize/{conversation}", Tag: "conversations",
		Act:  rest.Changes,
		Need: memory.RoleMember, Summary: "Extract memory from a conversation now", Timeout: rest.MaxWait + rest.RequestTimeout,
		Also: []int{http.StatusAccepted},
		Doc: "Marks everything stored as complete and extracts at once, without waiting for quiet or cooldown, on behalf of the " +
			"conversation's real owner. Answers 200 with the outcome, or 202 if it is not ready within wait: the extraction continues.",
	}, s.summarize)
}

type summarizeInput struct {
	rest.AgentParam
	rest.ConversationParam
	rest.PersonParams
	rest.WaitParam
	rest.RequestKeyParam
}

// runView is the outcome of an extraction that was asked for, or where it will be.
type runView struct {
	Status      string            `json:"status" enum:"completed,running"`
	Outcome     memory.Outcome    `json:"outcome,omitempty" doc:"The most significant outcome of several steps."`
	ReasonCode  memory.ReasonCode `json:"reasonCode,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Extractions []extractionView  `json:"extractions" doc:"The records, oldest first; none when nothing was pending."`
	WorkflowID  string            `json:"workflowId"`
	Link        string            `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Outcomes    string            `json:"outcomes" doc:"Where all outcomes of the conversation are listed."`
}

func (s *Handlers) summarize(ctx context.Context, in *summarizeInput) (*rest.Reply[runView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	on, err := s.actOn(ctx, in.AgentParam, in.ConversationParam, in.PersonParams)
	if err != nil {
		return nil, err
	}
	stored, err := s.Store.CompleteTurn(ctx, on.id, on.conversation.ID)
	if err != nil {
		return nil, err
	}
	return s.runNow(ctx, run{
		id: on.id, agent: on.agent, conversation: on.conversation.ID, owner: stored.OwnerID, full: on.full, wait: wait,
		in: workflows.ExtractNowInput{Conversation: stored.ConversationUID}, key: in.IdempotencyKey,
	})
}

// acting is a caller who works on a conversation on behalf of its real owner.
type acting struct {
	id           memory.Identity // the owner's
	agent        gate.Agent
	conversation talk.Conversation
	full         bool // the caller may see what was said
}

// actOn finds the conversation to work on, and on whose behalf.
func (s *Handlers) actOn(
	ctx context.Context,
	agent rest.AgentParam,
	conversation rest.ConversationParam,
	p rest.PersonParams,
) (on acting, err error) {
	if on.id, on.agent, err = s.Enter(ctx, agent.Agent, p.Person()); err != nil {
		return acting{}, err
	}
	if on.conversation, err = s.Conversation(ctx, on.id, conversation.Conversation); err != nil {
		return acting{}, err
	}
	_, on.full = rest.AcrossOwners(on.id)
	on.id, err = actFor(on.id, on.conversation.Owner)
	return on, err
}

// actFor returns the identity of a caller who works on something of owner, found by its id: the real owner, for whom the
// caller would have been allowed to speak.
func actFor(id memory.Identity, owner memory.Owner) (memory.Identity, error) {
	if owner == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin) {
		return id, fault.New(fault.OwnerNotAllowed, "Only an admin key may act for the system")
	}
	id.AnyOwner = false
	return id.For(id.Agent, owner), nil
}

// run is an extraction that a request asks for.
type run struct {
	id           memory.Identity // the conversation's owner
	agent        gate.Agent
	conversation string    // the client's id
	owner        uuid.UUID // opaque id of the owner
	full         bool      // the caller may see what was said and why
	wait         time.Duration
	in           workflows.ExtractNowInput
	key          string // the client's idempotency key; may be empty
}

// runNow extracts and answers with the records.
func (s *Handlers) runNow(ctx context.Context, r run) (*rest.Reply[runView], error) {
	if err := s.Workflows.Reach(ctx); err != nil {
		s.Log.WarnContext(ctx, "An extraction that was asked for has to wait", "error", err, "request", rest.RequestID(ctx))
		return nil, rest.WorkflowsAway("the messages are stored, and what is pending is extracted when they are back")
	}
	ref := memory.OwnerRef{Workspace: r.id.Workspace, Agent: r.agent.ID, Owner: r.owner}
	workflow := workflows.InboxID(ref)
	view := runView{
		Status: "running", Extractions: []extractionView{}, WorkflowID: workflow, Link: s.Workflows.Link(workflow),
		Outcomes: rest.Link("/agents/%s/extractions?conversation=%s", r.agent.ID, url.QueryEscape(r.conversation)),
	}
	r.in.RequestID = rest.RequestKey(ctx, r.key, r.in)
	out, err := s.Workflows.ExtractNow(ctx, s.Stopping, ref, r.agent, r.in, r.wait)
	switch {
	case errors.Is(err, rest.ErrStillRunning):
		return rest.Accepted(view), nil
	case err != nil:
		return nil, err
	}
	view.Status, view.Outcome, view.ReasonCode = "completed", out.Outcome, out.ReasonCode
	for _, record := range out.Extractions {
		x, err := s.Store.Extraction(ctx, r.id, record)
		if err != nil {
			return nil, err
		}
		shown := viewExtraction(x)
		if !r.full {
			shown = shown.outline()
		}
		if x.Outcome == out.Outcome {
			view.Reason = shown.Reason
		}
		view.Extractions = append(view.Extractions, shown)
	}
	return rest.OK(view), nil
}

// Retry runs a quarantined extraction again, as the operation retry-extraction does.
func (s *Handlers) Retry(ctx context.Context, agent string, owner memory.Owner, extraction uuid.UUID) error {
	_, err := s.retryExtraction(ctx, &retryInput{
		ExtractionInput: ExtractionInput{rest.AgentParam{Agent: agent}, ExtractionParam{extraction.String()}, rest.PersonParams{Owner: string(owner)}},
		WaitParam:       rest.WaitParam{Wait: rest.ActionWait},
	})
	return err
}
