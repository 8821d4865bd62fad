package talk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
	"reverie/store"
	"reverie/store/talk"
	"reverie/workflows"
)

const conversationPath = "/api/v1/agents/{agent}/conversations/{conversation}"

func (s *Handlers) compactionRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-compactions", Method: http.MethodGet, Path: conversationPath + "/compactions", Tag: "conversations", Need: memory.RoleViewer,
		Summary: "List the summaries of a conversation's beginning, newest first",
		Doc: "Each with its words, the messages that it replaces, their tokens before and after, and the flushes that saved what is durable " +
			"in them. The messages themselves are not changed. Everyone who may read the conversation may read them.",
	}, s.listCompactions)
	rest.Register(s.Server, rest.Route{
		ID: "list-flushes", Method: http.MethodGet, Path: conversationPath + "/flushes", Tag: "conversations", Need: memory.RoleViewer,
		Summary: "List flushes of a conversation, newest first",
		Doc: "Ranges follow each other without gaps and never overlap. Without an owner, of any owner: an admin sees them whole, others without " +
			"owners.",
	}, s.listFlushes)
	rest.Register(s.Server, rest.Route{
		ID: "compact-conversation", Method: http.MethodPost, Path: conversationPath + "/compact", Tag: "conversations", Need: memory.RoleMember,
		Act: rest.Changes, Summary: "Flush and summarise the beginning of a conversation now", Timeout: rest.MaxWait + rest.RequestTimeout,
		Also: []int{http.StatusAccepted},
		Doc: "Compacts everything before the last turns (windowKeepTurns), on behalf of the conversation's owner. Answers 200 with the " +
			"compaction, or 202 if it is not ready within wait: it continues. The same range is compacted once, however often it is requested.",
	}, s.compact)
}

// flushView is the record of what was saved of a range of messages.
type flushView struct {
	ID             uuid.UUID         `json:"id"`
	Conversation   string            `json:"conversation"`
	Owner          memory.Owner      `json:"owner,omitempty"`
	From           int64             `json:"from" doc:"First message, by its number."`
	To             int64             `json:"to" doc:"Last message, inclusive."`
	Done           int64             `json:"done" doc:"Last message that is accounted for."`
	Acknowledged   bool              `json:"acknowledged" doc:"Everything in the range is saved: it may leave a window."`
	Outcome        memory.Outcome    `json:"outcome" enum:"running,waiting,written,nothing"`
	ReasonCode     memory.ReasonCode `json:"reasonCode,omitempty"`
	Fallback       bool              `json:"fallback" doc:"Rules flushed it, or a part of it, because the model did not in time."`
	Model          string            `json:"model,omitempty"`
	Usage          memory.Usage      `json:"usage"`
	WorkflowID     string            `json:"workflowId,omitempty"`
	RunID          string            `json:"runId,omitempty"`
	Link           string            `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	OpenedAt       time.Time         `json:"openedAt"`
	AcknowledgedAt *time.Time        `json:"acknowledgedAt,omitempty"`
}

func (s *Handlers) viewFlush(f talk.Flush) flushView {
	return flushView{
		ID: f.ID, Conversation: f.Conversation, Owner: f.Owner, From: f.From, To: f.To, Done: f.Done, Acknowledged: f.Acknowledged(),
		Outcome: f.Outcome, ReasonCode: f.ReasonCode, Fallback: f.Fallback, Model: f.Model, Usage: f.Usage,
		WorkflowID: f.WorkflowID, RunID: f.RunID, Link: s.Workflows.Link(f.WorkflowID), OpenedAt: f.OpenedAt, AcknowledgedAt: f.AcknowledgedAt,
	}
}

// compactionView is a summary of the beginning of a conversation.
type compactionView struct {
	ID            uuid.UUID             `json:"id"`
	Conversation  string                `json:"conversation"`
	Owner         memory.Owner          `json:"owner,omitempty"`
	To            int64                 `json:"to" doc:"Last message that the summary covers; the first is 1."`
	Done          int64                 `json:"done" doc:"How far the summary is."`
	Window        int                   `json:"window" doc:"Tokens of the window that it was made for; it serves smaller ones too."`
	Previous      *uuid.UUID            `json:"previous,omitempty" doc:"Whose summary it brings up to date."`
	Summary       string                `json:"summary"`
	SummaryTokens int                   `json:"summaryTokens"`
	TokensBefore  int                   `json:"tokensBefore" doc:"Tokens of the text summarised: the previous summary and the messages after it."`
	TokensAfter   int                   `json:"tokensAfter" doc:"Tokens of the summary."`
	Trigger       memory.CompactTrigger `json:"trigger" enum:"turn,overflow,request"`
	Outcome       memory.Outcome        `json:"outcome" enum:"running,written,skipped,failed" doc:"skipped: a longer summary was written first; failed: it was interrupted, and the next request continues it."`
	ReasonCode    memory.ReasonCode     `json:"reasonCode,omitempty"`
	Model         string                `json:"model,omitempty"`
	PromptVersion string                `json:"promptVersion,omitempty"`
	Fallback      bool                  `json:"fallback" doc:"Rules wrote it, or a part of it, because the model did not in time."`
	Receipts      []flushView           `json:"receipts" doc:"The flushes that saved its messages, oldest first."`
	Usage         memory.Usage          `json:"usage"`
	WorkflowID    string                `json:"workflowId,omitempty"`
	RunID         string                `json:"runId,omitempty"`
	Link          string                `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	StartedAt     time.Time             `json:"startedAt"`
	FinishedAt    *time.Time            `json:"finishedAt,omitempty"`
}

func (s *Handlers) viewCompaction(c talk.Compaction) compactionView {
	v := compactionView{
		ID: c.ID, Conversation: c.Conversation, Owner: c.Owner, To: c.To, Done: c.Done, Window: c.Window, Summary: c.Summary,
		SummaryTokens: c.SummaryTokens, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter, Trigger: c.Trigger,
		Outcome: c.Outcome, ReasonCode: c.ReasonCode, Model: c.Model, PromptVersion: c.PromptVersion, Fallback: c.Fallback,
		Receipts: rest.Views(c.Receipts, s.viewFlush), Usage: c.Usage, WorkflowID: c.WorkflowID, RunID: c.RunID,
		Link: s.Workflows.Link(c.WorkflowID), StartedAt: c.StartedAt, FinishedAt: c.FinishedAt,
	}
	if c.Previous != uuid.Nil {
		v.Previous = &c.Previous
	}
	return v
}

// conversationInput asks for a part of a list about one conversation.
type conversationInput struct {
	rest.AgentParam
	rest.ConversationParam
	rest.PersonParams
	rest.PageParams
}

func (s *Handlers) listCompactions(ctx context.Context, in *conversationInput) (*rest.Reply[rest.Page[compactionView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	if id, _, err = s.ReadConversation(ctx, id, in.Conversation); err != nil {
		return nil, err
	}
	listed, err := s.Store.Compactions(ctx, id, in.Conversation, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[compactionView]{Items: rest.Views(listed.Items, s.viewCompaction), Next: listed.Next}), nil
}

func (s *Handlers) listFlushes(ctx context.Context, in *conversationInput) (*rest.Reply[rest.Page[flushView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	conversation, err := s.Conversation(ctx, id, in.Conversation)
	if err != nil {
		return nil, err
	}
	id.Owner = conversation.Owner
	listed, err := s.Store.Flushes(ctx, id, in.Conversation, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	out := rest.Page[flushView]{Items: rest.Views(listed.Items, s.viewFlush), Next: listed.Next}
	for i := range out.Items {
		if !full {
			out.Items[i].Owner = memory.NoOwner
		}
	}
	return rest.OK(out), nil
}

type compactInput struct {
	rest.AgentParam
	rest.ConversationParam
	rest.PersonParams
	rest.WaitParam
}

// compactedView is the outcome of a compaction that was asked for, or where it will be.
type compactedView struct {
	Status      string          `json:"status" enum:"completed,running"`
	To          int64           `json:"to" doc:"Last message that is summarised; 0: there is nothing to summarise yet."`
	Compaction  *compactionView `json:"compaction,omitempty" doc:"The compaction, once it has ended; without the text if the key may not read the conversation."`
	Compactions string          `json:"compactions" doc:"Where they are listed."`
}

func (s *Handlers) compact(ctx context.Context, in *compactInput) (*rest.Reply[compactedView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	on, err := s.actOn(ctx, in.AgentParam, in.ConversationParam, in.PersonParams)
	if err != nil {
		return nil, err
	}
	settings := s.turns.Settings.With(on.agent.Settings)
	to, err := s.beforeLastTurns(ctx, on.id, on.conversation, settings.KeepTurns)
	if err != nil {
		return nil, err
	}
	view := compactedView{
		Status:      "completed",
		To:          to,
		Compactions: rest.Link("/agents/%s/conversations/%s/compactions", on.agent.ID, url.PathEscape(on.conversation.ID)),
	}
	if to == 0 {
		return rest.OK(view), nil
	}
	request := chat.CompactRequest{
		Owner:        memory.OwnerRef{Workspace: on.id.Workspace, Agent: on.agent.ID, Owner: on.conversation.OwnerID},
		Conversation: on.conversation.UID, To: to, Trigger: memory.CompactByRequest, Settings: s.compactSettings(on.agent),
	}
	done, err := compactor{s.Workflows, s.Stopping}.run(ctx, workflowInput(request, false), wait)
	switch {
	case errors.Is(err, chat.ErrStillRunning):
		view.Status = "running"
		return rest.Accepted(view), nil
	case errors.Is(err, chat.ErrUnreachable):
		return nil, rest.WorkflowsAway("nothing was summarised, try again later")
	case err != nil:
		return nil, err
	}
	made, err := s.Store.Compaction(ctx, on.id, done.Compaction)
	if err != nil {
		return nil, err
	}
	shown := s.viewCompaction(made)
	if !on.full {
		shown.Summary, shown.Owner = "", memory.NoOwner
		for i := range shown.Receipts {
			shown.Receipts[i].Owner = memory.NoOwner
		}
	}
	view.Compaction = &shown
	return rest.OK(view), nil
}

// beforeLastTurns returns the number of the last message before the last turns of a conversation; 0: there is none. A turn begins
// with a user message.
func (s *Handlers) beforeLastTurns(ctx context.Context, id memory.Identity, c talk.Conversation, turns int) (int64, error) {
	const part = 500
	for end := c.Last; end > 0; end -= part {
		messages, err := s.Store.Messages(ctx, id, c.ID, max(0, end-part), int(min(part, end)))
		if err != nil {
			return 0, err
		}
		for _, m := range slices.Backward(messages) {
			if m.Role != memory.RoleOfUser {
				continue
			}
			if turns--; turns == 0 {
				return m.Seq - 1, nil
			}
		}
	}
	return 0, nil
}

// compactor flushes and compacts conversations by workflows.
type compactor struct {
	workflows *rest.Starter
	stopping  context.Context // the server's: who waits is answered when it stops
}

// Compact flushes and summarises, and waits for it.
func (c compactor) Compact(ctx context.Context, r chat.CompactRequest) error {
	_, err := c.run(ctx, workflowInput(r, false), rest.MaxWait)
	return err
}

// Flush flushes alone, and waits for it.
func (c compactor) Flush(ctx context.Context, r chat.CompactRequest) error {
	_, err := c.run(ctx, workflowInput(r, true), rest.MaxWait)
	return err
}

// FlushSoon starts a flush in the background, after the response.
func (c compactor) FlushSoon(ctx context.Context, r chat.CompactRequest) {
	c.startSoon(ctx, workflowInput(r, true), "a flush is due again at the next turn")
}

// CompactSoon starts a compaction in the background, after the response.
func (c compactor) CompactSoon(ctx context.Context, r chat.CompactRequest) {
	c.startSoon(ctx, workflowInput(r, false), "a compaction is due again at the next turn")
}

// startSoon starts a Compact in the background, after the response; then describes what happens if it cannot be started.
func (c compactor) startSoon(ctx context.Context, in workflows.CompactInput, then string) {
	ctx = context.WithoutCancel(ctx)
	go func() {
		if _, err := c.start(ctx, in); err != nil {
			c.workflows.LogAway(ctx, then, err)
		}
	}()
}

// start has a Compact run. It is started even if the client hangs up. Nothing is sent while
// Temporal does not answer.
func (c compactor) start(ctx context.Context, in workflows.CompactInput) (run client.WorkflowRun, err error) {
	_, err = c.workflows.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.SignalTimeout)
		defer cancel()
		run, err = workflows.StartCompact(ctx, c.workflows.Client, in)
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", chat.ErrUnreachable, err)
	}
	return run, nil
}

// run starts a Compact, or finds it when it is running, and waits for its end, at most for wait.
func (c compactor) run(ctx context.Context, in workflows.CompactInput, wait time.Duration) (workflows.CompactResult, error) {
	var out workflows.CompactResult
	run, err := c.start(ctx, in)
	if err != nil {
		return out, err
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(c.stopping, cancel)()
	err = run.Get(waited, &out)
	switch {
	case err == nil:
		return out, nil
	case waited.Err() != nil:
		return out, fmt.Errorf("%w: %w", chat.ErrStillRunning, waited.Err())
	case rest.TemporalAway(err):
		return out, fmt.Errorf("%w: %w", chat.ErrUnreachable, err)
	}
	c.workflows.Log.WarnContext(ctx, "A compaction failed", "error", err, "workflow", run.GetID(), "request", rest.RequestID(ctx))
	return out, fault.New(fault.WorkflowFailed, "saving earlier messages failed; see the history of workflow %s", run.GetID())
}

func workflowInput(r chat.CompactRequest, flushOnly bool) workflows.CompactInput {
	return workflows.CompactInput{
		OwnerRef: r.Owner, Conversation: r.Conversation, To: r.To, Trigger: r.Trigger, FlushOnly: flushOnly, Settings: r.Settings,
	}
}
