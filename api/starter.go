package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/sony/gobreaker/v2"
	"go.temporal.io/sdk/client"

	"reverie/memory"
	"reverie/store"
	"reverie/workflows"
)

const (
	// signalTimeout bounds how long storing messages waits for Temporal: the sweep delivers what was not signalled.
	signalTimeout = 3 * time.Second
	// reachTimeout bounds the question whether Temporal answers at all.
	reachTimeout = 2 * time.Second
	// acceptTimeout is how long a request to extract may take to reach its workflow when nobody waits for the outcome.
	acceptTimeout = 10 * time.Second
	// breakAfter failures in a row nothing is sent to Temporal for breakFor, so that requests do not queue up in front of it.
	breakAfter = 3
	breakFor   = 5 * time.Second
)

// starter is how requests reach workflows.
type starter struct {
	client  client.Client
	timing  memory.Timing
	webUI   string
	log     *slog.Logger
	breaker *gobreaker.CircuitBreaker[struct{}]
}

func newStarter(o Options) *starter {
	return &starter{
		client: o.Temporal, timing: o.Timing, webUI: o.WorkflowURL, log: o.Log,
		breaker: gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
			Name: "temporal", Timeout: breakFor,
			ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
		}),
	}
}

// turnCompleted tells the owner's Inbox about new messages.
func (s *starter) turnCompleted(ctx context.Context, ref memory.OwnerRef, agent store.Agent) error {
	_, err := s.breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, signalTimeout)
		defer cancel()
		return struct{}{}, workflows.TurnCompleted(ctx, s.client, ref, s.timing.With(agent.Settings))
	})
	return err
}

// reach reports errWorkflowsAway unless Temporal answers now.
func (s *starter) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	if _, err := s.client.CheckHealth(ctx, nil); err != nil {
		return fmt.Errorf("%w: %w", errWorkflowsAway, err)
	}
	return nil
}

// errStillRunning means that the wait is over and the extraction goes on.
var errStillRunning = errors.New("the extraction is still running")

// extractNow runs an extraction and waits for it, at most for wait and until stop ends. The request to the workflow is
// made in any case: a client that waits for nothing, or hangs up, has asked all the same.
func (s *starter) extractNow(ctx, stop context.Context, ref memory.OwnerRef, agent store.Agent, in workflows.ExtractNowInput, wait time.Duration) (workflows.ExtractNowResult, error) {
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(wait, acceptTimeout))
	type ending struct {
		out  workflows.ExtractNowResult
		err  error
		late bool // nobody was to wait any longer
	}
	ended := make(chan ending, 1)
	go func() {
		defer cancel()
		out, err := workflows.ExtractNow(asked, s.client, ref, s.timing.With(agent.Settings), in)
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
			return none, errStillRunning
		case temporalAway(e.err):
			return none, fmt.Errorf("%w: %w", errWorkflowsAway, e.err)
		}
		s.log.WarnContext(ctx, "An extraction that a request waited for failed", "error", e.err, "workflow", workflows.InboxID(ref))
		return none, problem(nameWorkflowFailed, "the extraction failed; the history of its workflow %s tells more", workflows.InboxID(ref))
	case <-over.C:
		return none, errStillRunning
	case <-stop.Done():
		return none, errStillRunning
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// link is the address of a workflow in the Web UI; empty when none is known.
func (s *starter) link(workflowID string) string {
	if s.webUI == "" || workflowID == "" {
		return ""
	}
	return s.webUI + url.PathEscape(workflowID)
}

// schedule hands a completed turn to the owner's Inbox. The messages are stored already, so a failure is no error: the
// turn stays unsignalled, and the worker's sweep delivers it.
func (s *kernel) schedule(ctx context.Context, id memory.Identity, agent store.Agent, conversation string, stored store.Stored) scheduledView {
	if stored.Turn == 0 {
		return scheduledView{Status: "none"}
	}
	ref := memory.OwnerRef{Workspace: id.Workspace, Agent: agent.ID, Owner: stored.OwnerID}
	view := scheduledView{
		Status: "pending", WorkflowID: workflows.InboxID(ref),
		Outcomes: link("/agents/%s/extractions?conversation=%s", agent.ID, url.QueryEscape(conversation)),
	}
	ctx = context.WithoutCancel(ctx) // a client that hangs up now does not delay its own memory
	if err := s.workflows.turnCompleted(ctx, ref, agent); err != nil {
		s.workflows.logAway(ctx, "the turn is left to the sweep", err)
		return view
	}
	view.Status, view.Link = "scheduled", s.workflows.link(view.WorkflowID)
	if err := s.Store.Signalled(ctx, id, stored.Turn); err != nil { // the sweep signals once more, which changes nothing
		s.Log.WarnContext(ctx, "A turn was signalled and could not be noted as such", "error", err, "request", requestID(ctx))
	}
	return view
}

// requestKey is the id of a request to extract. With a key of the client, the same request of the same caller is one
// request; without one, each is its own.
func requestKey(ctx context.Context, client string, in workflows.ExtractNowInput) string {
	if client == "" {
		return uuid.NewString()
	}
	parts := callerOf(ctx).ID.String() + "/" + in.Conversation.String() + "/" + in.RetryOf.String() + "/" + client
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(parts)).String()
}

type scheduledView struct {
	Status     string `json:"status" enum:"scheduled,pending,none" doc:"scheduled: a workflow has taken the turn; pending: workflows cannot be reached, and the turn is delivered when they are back; none: no new turn was completed."`
	WorkflowID string `json:"workflowId,omitempty"`
	Link       string `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Outcomes   string `json:"outcomes,omitempty" doc:"Where the outcome will be."`
}

// dreamPlan reads when an agent dreams.
func (s *kernel) dreamPlan(ctx context.Context, ref store.AgentRef) (workflows.DreamPlan, error) {
	agent, err := s.Store.Agent(ctx, memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleAdmin})
	if err != nil {
		return workflows.DreamPlan{}, err
	}
	return workflows.DreamPlan{AgentRef: ref, TimeZone: agent.TimeZone, DreamSchedule: s.DreamSchedule.With(agent.Settings)}, nil
}

// logAway says that workflows could not be reached, and what becomes of what was to be started; loudly once for each time that
// they go away.
func (s *starter) logAway(ctx context.Context, then string, err error) {
	level := slog.LevelWarn
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		level = slog.LevelDebug // said a moment ago
	}
	s.log.Log(ctx, level, "Workflows cannot be reached", "then", then, "error", err, "request", requestID(ctx))
}
