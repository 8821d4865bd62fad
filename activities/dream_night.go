package activities

import (
	"cmp"
	"context"
	"sync"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
)

// NewsPage is the number of owners in one step of a night: their ids are a few kilobytes of history.
const NewsPage = 100

// nightAttempts is the number of attempts at a page of owners. An owner whose dream could not be started in any of them does not block
// the next page: the news stay for the next night.
const nightAttempts = 8

// late is the outcome of a dream that did not end within the patience.
const late memory.Outcome = "late"

// FindNews lists owners with notes or messages newer than their last dream. Without owner isolation that is only the
// shared memory.
func (a *Activities) FindNews(ctx context.Context, in FindNewsInput) (FindNewsResult, error) {
	id := agentIdentity(ctx, in.AgentRef, memory.AuthorDream)
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return FindNewsResult{}, storeError(err)
	}
	settings := a.DreamDefaults.With(agent.Settings)
	if reason := settings.Unwanted(memory.SystemOwner); reason != "" {
		return FindNewsResult{ReasonCode: reason}, nil
	}
	if !settings.OwnerIsolation {
		id.Owner, id.AnyOwner = memory.SystemOwner, false
	}
	found, err := a.Store.News(ctx, id, in.After, NewsPage+1)
	if err != nil {
		return FindNewsResult{}, storeError(err)
	}
	out := FindNewsResult{More: len(found) > NewsPage}
	for _, ref := range found[:min(len(found), NewsPage)] {
		out.Owners = append(out.Owners, ref.Owner)
	}
	return out, nil
}

// StartDreams runs the dreams of owners, Parallel at a time, and waits for each for a while. One that fails does not
// stop the others. It is safe to retry: owners who are done are not started again, and nobody dreams twice in a
// night.
func (a *Activities) StartDreams(ctx context.Context, in StartDreamsInput) (StartDreamsResult, error) {
	n := newNight(ctx, a, in)
	defer n.beat(ctx)()
	n.run(ctx)
	return n.result(activity.GetInfo(ctx).Attempt >= nightAttempts)
}

// night is a page of dreaming owners.
type night struct {
	*Activities
	in StartDreamsInput

	mu       sync.Mutex
	outcomes []memory.Outcome // per owner; empty: not known yet
	problem  error            // the last one
}

// newNight continues where an earlier attempt was interrupted.
func newNight(ctx context.Context, a *Activities, in StartDreamsInput) *night {
	n := &night{Activities: a, in: in}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &n.outcomes); err != nil || len(n.outcomes) != len(in.Owners) {
			n.outcomes = nil // from another release
		}
	}
	if n.outcomes == nil {
		n.outcomes = make([]memory.Outcome, len(in.Owners))
	}
	return n
}

// run starts the dreams that are not done, and returns when all are, or when the worker stops.
func (n *night) run(ctx context.Context) {
	ctx, cancel := untilStopped(ctx)
	defer cancel()
	var due []int
	for i, outcome := range n.outcomes {
		if outcome == "" {
			due = append(due, i)
		}
	}
	inParallel(ctx, n.in.Parallel, due, func(i int) { n.dream(ctx, i) })
}

// dream runs one owner's dream.
func (n *night) dream(ctx context.Context, i int) {
	bounded, cancel := context.WithTimeout(ctx, n.in.Patience)
	defer cancel()
	outcome, err := n.Dreamer.Dream(bounded, DreamOrder{
		OwnerRef: memory.OwnerRef{Workspace: n.in.Workspace, Agent: n.in.Agent, Owner: n.in.Owners[i]}, Night: n.in.Night, AsOf: n.in.AsOf,
	})
	switch {
	case err == nil:
		n.know(ctx, i, outcome)
	case ctx.Err() != nil: // the next attempt waits for it
	case bounded.Err() != nil:
		n.know(ctx, i, late)
	default:
		n.Log.Warn("Could not start a dream", "owner", n.in.Owners[i], "error", err)
		n.mu.Lock()
		n.problem = err
		n.mu.Unlock()
	}
}

func (n *night) know(ctx context.Context, i int, outcome memory.Outcome) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.outcomes[i] = outcome
	activity.RecordHeartbeat(ctx, n.outcomes)
}

// beat sends heartbeats with the progress until the returned function is called.
func (n *night) beat(ctx context.Context) (stop func()) {
	return repeat(ctx, HeartbeatTimeout/heartbeatsInTime, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		activity.RecordHeartbeat(ctx, n.outcomes)
	})
}

// errUnfinished makes the next attempt continue with the owners who are not done.
var errUnfinished = temporal.NewApplicationError("some owners have not dreamed yet", TypeUnavailable)

// result counts the outcomes. It fails while an outcome is unknown: the next attempt handles those owners, unless this is the last one.
func (n *night) result(last bool) (StartDreamsResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := StartDreamsResult{Outcomes: map[memory.Outcome]int{}}
	for _, outcome := range n.outcomes {
		switch outcome {
		case "":
			if !last || n.problem == nil { // without a problem, the worker stops
				return StartDreamsResult{}, cmp.Or(n.problem, errUnfinished)
			}
			out.Unstarted++
		case late:
			out.Late++
		default:
			out.Outcomes[outcome]++
		}
	}
	return out, nil
}
