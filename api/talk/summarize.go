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
	"reverie/store"
	"reverie/workflows"
)

func (s *talkRoom) summarizeRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "summarize-conversation", Method: http.MethodPost, Path: "/api/v1/memory/{agent}/summarize/{conversation}", Tag: "conversations",
		Need: memory.RoleMember, Summary: "Extract memory from a conversation now", Timeout: rest.MaxWait + rest.RequestTimeout, Also: []int{http.StatusAccepted},
		Doc: "Marks everything stored as complete and extracts at once, without waiting for quiet or cooldown, on behalf of the conversation's real owner. " +
			"Answers 200 with the outcome, or 202 when it is not there within wait: the extraction goes on.",
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
	Outcome     memory.Outcome    `json:"outcome,omitempty" doc:"Of several steps, the one that tells most."`
	ReasonCode  memory.ReasonCode `json:"reasonCode,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Extractions []extractionView  `json:"extractions" doc:"The records, oldest first; none when nothing was pending."`
	WorkflowID  string            `json:"workflowId"`
	Link        string            `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Outcomes    string            `json:"outcomes" doc:"Where all outcomes of the conversation are listed."`
}

func (s *talkRoom) summarize(ctx context.Context, in *summarizeInput) (*rest.Reply[runView], error) {
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
	agent        store.Agent
	conversation store.Conversation
	full         bool // the caller may see what was said
}

// actOn finds the conversation that is to be worked on, and whom for.
func (s *talkRoom) actOn(ctx context.Context, agent rest.AgentParam, conversation rest.ConversationParam, p rest.PersonParams) (on acting, err error) {
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

// actFor is the identity of a caller who works on something of owner, found by its id: the real owner, for whom the
// caller would have been allowed to speak.
func actFor(id memory.Identity, owner memory.Owner) (memory.Identity, error) {
	if owner == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin) {
		return id, fault.New(fault.OwnerNotAllowed, "only an admin key speaks for the system")
	}
	id.AnyOwner = false
	return id.For(id.Agent, owner), nil
}

// run is an extraction that a request asks for.
type run struct {
	id           memory.Identity // the conversation's owner
	agent        store.Agent
	conversation string    // the client's id
	owner        uuid.UUID // opaque id of the owner
	full         bool      // the caller may see what was said and why
	wait         time.Duration
	in           workflows.ExtractNowInput
	key          string // the client's idempotency key; may be empty
}

// runNow extracts and answers with the records.
func (s *talkRoom) runNow(ctx context.Context, r run) (*rest.Reply[runView], error) {
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
