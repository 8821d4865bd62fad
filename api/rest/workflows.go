package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/sony/gobreaker/v2"
	"go.temporal.io/sdk/client"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/talk"
	"reverie/toolbox"
	"reverie/workflows"
)

const (
	// SignalTimeout bounds how long storing messages waits for Temporal: the sweep delivers what was not signalled.
	SignalTimeout = 3 * time.Second
	// ReachTimeout bounds the question whether Temporal answers at all.
	ReachTimeout = 2 * time.Second
	// AcceptTimeout bounds how long a request takes to reach its workflow when the client does not wait for the outcome.
	AcceptTimeout = 10 * time.Second
	// breakAfter failures in a row nothing is sent to Temporal for breakFor, so that requests do not wait for it in a queue.
	breakAfter = 3
	breakFor   = 5 * time.Second
)

// Starter starts and signals workflows for requests.
type Starter struct {
	Client  client.Client
	timing  setting.Timing
	webUI   string
	Log     *slog.Logger
	Breaker *gobreaker.CircuitBreaker[struct{}]
}

func newStarter(o Options) *Starter {
	return &Starter{
		Client: o.Temporal, timing: o.Timing, webUI: o.WorkflowURL, Log: o.Log,
		Breaker: gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
			Name: "temporal", Timeout: breakFor,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
		}),
	}
}

// TurnCompleted notifies the owner's Inbox of new messages.
func (s *Starter) TurnCompleted(ctx context.Context, ref memory.OwnerRef, agent gate.Agent) error {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.TurnCompleted(ctx, s.Client, ref, s.timing.With(agent.Settings))
	})
	return err
}

// Reach reports ErrWorkflowsAway unless Temporal answers now.
func (s *Starter) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, ReachTimeout)
	defer cancel()
	if _, err := s.Client.CheckHealth(ctx, nil); err != nil {
		return fmt.Errorf("%w: %w", ErrWorkflowsAway, err)
	}
	return nil
}

// ErrStillRunning means that the wait is over and the extraction continues.
var ErrStillRunning = errors.New("the extraction is still running")

// ExtractNow runs an extraction and waits for it, at most for wait and until stop ends. The request to the workflow is
// made in any case, also when the client does not wait or disconnects.
func (s *Starter) ExtractNow(
	ctx, stop context.Context,
	ref memory.OwnerRef,
	agent gate.Agent,
	in workflows.ExtractNowInput,
	wait time.Duration,
) (workflows.ExtractNowResult, error) {
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(wait, AcceptTimeout))
	type ending struct {
		out  workflows.ExtractNowResult
		err  error
		late bool // nobody was to wait any longer
	}
	ended := make(chan ending, 1)
	go func() {
		defer cancel()
		out, err := workflows.ExtractNow(asked, s.Client, ref, s.timing.With(agent.Settings), in)
		ended <- ending{out, err, asked.Err() != nil}
	}()
	over := time.NewTimer(wait)
	defer over.Stop()
	var none workflows.ExtractNowResult
	select {
	case e := <-ended:
		switch {
		case e.err == nil:
			return e.out, nil
		case e.late:
			return none, ErrStillRunning
		case TemporalAway(e.err):
			return none, fmt.Errorf("%w: %w", ErrWorkflowsAway, e.err)
		}
		s.Log.WarnContext(ctx, "An extraction that a request waited for failed", "error", e.err, "workflow", workflows.InboxID(ref))
		return none, fault.New(
			fault.WorkflowFailed,
			"the extraction failed; see the history of workflow %s",
			workflows.InboxID(ref),
		)
	case <-over.C:
		return none, ErrStillRunning
	case <-stop.Done():
		return none, ErrStillRunning
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// StartRevocation starts the workflow of a revocation that is stored. If Temporal is away, the worker's sweep starts it.
func (s *Starter) StartRevocation(ctx context.Context, in workflows.RevokeInput) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.StartRevoke(ctx, s.Client, in)
	})
	if err != nil {
		s.LogAway(ctx, "the sweep starts the revocation", err)
	}
}

// StartDeletion starts the workflow of a deletion that is stored. If Temporal is away, the worker's sweep starts it.
func (s *Starter) StartDeletion(ctx context.Context, in workflows.DeleteInput) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.StartDelete(ctx, s.Client, in)
	})
	if err != nil {
		s.LogAway(ctx, "the sweep starts the deletion", err)
	}
}

// ApprovalDecided signals the workflow that waits for decisions about a proposal. If Temporal is away, it finds out later on its own.
func (s *Starter) ApprovalDecided(ctx context.Context, in workflows.ApproveInput) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.ApprovalDecided(ctx, s.Client, in)
	})
	if err != nil {
		s.LogAway(ctx, "the workflow that waits for approval finds out on its own", err)
	}
}

// CancelDeletion ends the workflow of a deletion that is cancelled. If Temporal is away, it ends automatically when its time comes.
func (s *Starter) CancelDeletion(ctx context.Context, ref indexes.AgentRef, deletion uuid.UUID) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.CancelDelete(ctx, s.Client, ref, deletion)
	})
	if err != nil {
		s.LogAway(ctx, "the workflow of the cancelled deletion ends when its time comes", err)
	}
}

// WebhookChanged wakes the deliveries to a webhook. If Temporal is away, the worker's sweep does.
func (s *Starter) WebhookChanged(ctx context.Context, in workflows.WebhookInput) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.WebhookChanged(ctx, s.Client, in)
	})
	if err != nil {
		s.LogAway(ctx, "the sweep wakes the webhook", err)
	}
}

// Link returns the address of a workflow in the Web UI; empty when none is known.
func (s *Starter) Link(workflowID string) string {
	if s.webUI == "" || workflowID == "" {
		return ""
	}
	return s.webUI + url.PathEscape(workflowID)
}

// Schedule signals a completed turn to the owner's Inbox. The messages are stored already, so a failure is not an error: the
// turn stays unsignalled, and the worker's sweep delivers it.
func (s *Server) Schedule(
	ctx context.Context,
	id memory.Identity,
	agent gate.Agent,
	conversation string,
	stored talk.Stored,
) ScheduledView {
	if stored.Turn == 0 {
		return ScheduledView{Status: "none"}
	}
	ref := memory.OwnerRef{Workspace: id.Workspace, Agent: agent.ID, Owner: stored.OwnerID}
	view := ScheduledView{
		Status: "pending", WorkflowID: workflows.InboxID(ref),
		Outcomes: Link("/agents/%s/extractions?conversation=%s", agent.ID, url.QueryEscape(conversation)),
	}
	ctx = context.WithoutCancel(ctx) // a client that hangs up now does not delay its own memory
	if err := s.Workflows.TurnCompleted(ctx, ref, agent); err != nil {
		s.Workflows.LogAway(ctx, "the turn is left to the sweep", err)
		return view
	}
	view.Status, view.Link = "scheduled", s.Workflows.Link(view.WorkflowID)
	if err := s.Store.Signalled(ctx, id, stored.Turn); err != nil { // the sweep signals once more, which changes nothing
		s.Log.WarnContext(ctx, "A turn was signalled, but this could not be recorded", "error", err, "request", RequestID(ctx))
	}
	return view
}

// RequestKey returns the id of a request to extract. With a key of the client, the same request of the same caller is one
// request; without one, each is its own.
func RequestKey(ctx context.Context, client string, in workflows.ExtractNowInput) string {
	if client == "" {
		return uuid.NewString()
	}
	parts := CallerOf(ctx).ID.String() + "/" + in.Conversation.String() + "/" + in.RetryOf.String() + "/" + client
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(parts)).String()
}

// ScheduledView reports how an extraction was scheduled.
type ScheduledView struct {
	Status     string `json:"status" enum:"scheduled,pending,none" doc:"scheduled: a workflow has taken the turn; pending: workflows cannot be reached, and the turn is delivered when they are back; none: no new turn was completed."`
	WorkflowID string `json:"workflowId,omitempty"`
	Link       string `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Outcomes   string `json:"outcomes,omitempty" doc:"Where the outcome will be."`
}

// DreamPlan reads when an agent dreams.
func (s *Server) DreamPlan(ctx context.Context, ref indexes.AgentRef) (workflows.DreamPlan, error) {
	agent, err := s.Store.Agent(ctx, memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin})
	if err != nil {
		return workflows.DreamPlan{}, err
	}
	return workflows.DreamPlan{AgentRef: ref, TimeZone: agent.TimeZone, DreamSchedule: s.DreamSchedule.With(agent.Settings)}, nil
}

// LogAway logs that workflows could not be reached, and what happens to the request (then): as a warning once per outage,
// otherwise at debug level.
func (s *Starter) LogAway(ctx context.Context, then string, err error) {
	level := slog.LevelWarn
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		level = slog.LevelDebug // said a moment ago
	}
	s.Log.Log(ctx, level, "Workflows cannot be reached", "then", then, "error", err, "request", RequestID(ctx))
}

// announcePause collects further changes of an agent after one was announced, so that one announcement covers them.
const announcePause = 500 * time.Millisecond

// Announcer announces changes to Temporal in the background, once for many changes of one agent. The worker's sweeps find changes
// that it could not announce.
type Announcer struct {
	notify func(indexes.AgentRef)
	stop   <-chan struct{}

	mu      sync.Mutex
	changed map[indexes.AgentRef]bool // being announced; true: it changed again since then
}

// Announce announces a change of an agent, together with others that follow soon.
func (a *Announcer) Announce(ref indexes.AgentRef) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, notifying := a.changed[ref]; notifying {
		a.changed[ref] = true
		return
	}
	a.changed[ref] = false
	go a.run(ref)
}

func (a *Announcer) run(ref indexes.AgentRef) {
	for {
		a.notify(ref)
		pause := time.NewTimer(announcePause)
		select {
		case <-pause.C:
		case <-a.stop:
			pause.Stop()
		}
		a.mu.Lock()
		more := a.changed[ref]
		if !more {
			delete(a.changed, ref)
			a.mu.Unlock()
			return
		}
		a.changed[ref] = false
		a.mu.Unlock()
	}
}

// IndexChanged announces a change, so that it is embedded soon. Full-text search finds it already.
func (s *Server) IndexChanged(id memory.Identity, scope memory.Scope) {
	if len(s.Search.Embedders) == 0 {
		return
	}
	ref := indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}
	if scope == memory.ScopeGlobal {
		ref.Agent = ""
	}
	s.changes.Announce(ref)
}

// indexChanged signals changes to the agent's Index workflow.
func (s *Starter) indexChanged(ref indexes.AgentRef) {
	_, err := s.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.Background(), SignalTimeout)
		defer cancel()
		return struct{}{}, workflows.IndexChanged(ctx, s.Client, ref, workflows.IndexChange{})
	})
	if err != nil {
		s.Log.Debug("Workflows cannot be reached; what was written is left to the sweep", "error", err)
	}
}

// TendIndex starts an update of an agent's index, or a rebuild (anew).
func (s *Starter) TendIndex(ctx context.Context, ref indexes.AgentRef, anew bool) error {
	ctx, cancel := context.WithTimeout(ctx, AcceptTimeout)
	defer cancel()
	var err error
	if anew {
		_, err = workflows.StartReindex(ctx, s.Client, workflows.DefaultReindex(ref, memory.EmbeddingIdentity{}))
	} else {
		err = workflows.IndexChanged(ctx, s.Client, ref, workflows.IndexChange{Retry: true})
	}
	if err != nil && TemporalAway(err) {
		return fmt.Errorf("%w: %w", ErrWorkflowsAway, err)
	}
	return err
}

// ReindexProgress queries the workflow that rebuilds an index.
func (s *Starter) ReindexProgress(ctx context.Context, id string) (workflows.ReindexProgress, error) {
	ctx, cancel := context.WithTimeout(ctx, ReachTimeout)
	defer cancel()
	return workflows.ReindexProgressOf(ctx, s.Client, id)
}

// MayCall refuses a tool that writes to a key that only reads.
func MayCall(ctx context.Context, tool toolbox.Definition) error {
	if tool.Writes && !CallerOf(ctx).Role.Includes(memory.RoleMember) {
		return fault.New(fault.Forbidden, "%s writes: it needs a member key", tool.Name)
	}
	return nil
}

// CallTool runs a memory tool for a caller whose identity comes from Enter. Whatever a model should read is a result; an error reports a failure
// that the model cannot correct: a tool that does not exist, a key without the right, a write without an owner, an outage.
func (s *Server) CallTool(ctx context.Context, c toolbox.Caller, name string, arguments json.RawMessage) (toolbox.Result, error) {
	tool, known := toolbox.DefinitionOf(name)
	if !known {
		return toolbox.Result{}, fault.New(fault.NotFound, "No such tool: list them with GET /api/v1/agents/%s/tools", c.Identity.Agent)
	}
	if err := MayCall(ctx, tool); err != nil {
		return toolbox.Result{}, err
	}
	if tool.Writes {
		if err := ownerNeeded(c.Identity, "query"); err != nil {
			return toolbox.Result{}, err
		}
	}
	result, err := s.Tools.Call(ctx, c, name, arguments)
	if err == nil && result.Written != nil {
		s.Written(c.Identity, *result.Written)
	}
	return result, err
}

// Written announces the changes of a receipt, so that they are embedded soon.
func (s *Server) Written(id memory.Identity, receipt memory.Receipt) {
	if receipt.Replayed {
		return
	}
	for _, change := range receipt.Changes {
		if change.Changed {
			s.IndexChanged(id, change.Scope)
		}
	}
}
