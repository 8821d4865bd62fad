package rest

import (
	"context"
	"errors"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"reverie/store"
	"reverie/workflows"
)

const (
	// ProbeTimeout bounds how long one part may take to say that it is there.
	ProbeTimeout = 2 * time.Second
	// probeTTL caches an answer: readiness needs no key, and must not put load on the parts.
	probeTTL = time.Second
)

// States of parts.
const (
	StateOK       = "ok"
	StateDegraded = "degraded"
	stateDown     = "down"
	StateUnknown  = "unknown"
)

// probes check that the parts answer, each at most once per probeTTL.
type probes struct {
	server   *Server
	database probe
	temporal probe
	workers  probe
}

// probe is the last answer of one part.
type probe struct {
	mu    sync.Mutex
	at    time.Time
	state PartView
}

// get asks again when the last answer is too old. Concurrent callers share the answer.
func (p *probe) get(ctx context.Context, now func() time.Time, ask func(context.Context) PartView) PartView {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.IsZero() || now().Sub(p.at) >= probeTTL {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ProbeTimeout)
		defer cancel()
		p.state, p.at = ask(ctx), now()
	}
	return p.state
}

func (p *probes) AskDatabase(ctx context.Context) PartView {
	return p.database.get(ctx, p.server.Now, func(ctx context.Context) PartView {
		err := p.server.Store.Ping(ctx)
		if errors.Is(err, store.ErrReadOnly) {
			return PartView{Name: "database", State: stateDown, Detail: "PostgreSQL takes no writes: it is a standby, or set to read-only"}
		}
		if err != nil {
			return PartView{Name: "database", State: stateDown, Detail: "PostgreSQL does not answer"}
		}
		return PartView{Name: "database", State: StateOK}
	})
}

func (p *probes) AskTemporal(ctx context.Context) PartView {
	return p.temporal.get(ctx, p.server.Now, func(ctx context.Context) PartView {
		if err := p.server.Workflows.Reach(ctx); err != nil {
			return PartView{Name: "temporal", State: stateDown, Detail: "Temporal does not answer: messages are stored and extracted later"}
		}
		if p.server.PrepareTemporal == nil {
			return PartView{Name: "temporal", State: StateOK}
		}
		if err := p.server.PrepareTemporal(ctx); err != nil {
			return PartView{Name: "temporal", State: stateDown, Detail: err.Error() + ": messages are stored and extracted later"}
		}
		return PartView{Name: "temporal", State: StateOK}
	})
}

// AskWorkers looks for workers that ask Temporal for work.
func (p *probes) AskWorkers(ctx context.Context) PartView {
	if p.AskTemporal(ctx).State != StateOK {
		return PartView{Name: "workers", State: StateUnknown, Detail: "only Temporal knows"}
	}
	return p.workers.get(ctx, p.server.Now, func(ctx context.Context) PartView {
		queues := []struct {
			name string
			kind enumspb.TaskQueueType
		}{{workflows.TaskQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW}, {workflows.ModelQueue, enumspb.TASK_QUEUE_TYPE_ACTIVITY}}
		for _, queue := range queues {
			described, err := p.server.Temporal.DescribeTaskQueue(ctx, queue.name, queue.kind)
			if err != nil {
				return PartView{Name: "workers", State: StateUnknown, Detail: "Temporal does not tell"}
			}
			polled := false
			for _, poller := range described.GetPollers() {
				polled = polled || p.server.Now().Sub(poller.GetLastAccessTime().AsTime()) < workflows.PollWindow
			}
			if !polled {
				return PartView{
					Name:   "workers",
					State:  stateDown,
					Detail: "no worker takes work from the queue " + queue.name + ": start one with `reverie worker`",
				}
			}
		}
		builds, err := workflows.Builds(ctx, p.server.Temporal, p.server.Now())
		if err != nil {
			return PartView{Name: "workers", State: StateUnknown, Detail: "Temporal does not tell"}
		}
		view := PartView{Name: "workers", State: StateOK}
		for _, b := range builds {
			view.Builds = append(view.Builds, BuildView{b.ID, b.Workers})
		}
		return view
	})
}

// PartView is the state of one part.
type PartView struct {
	Name   string     `json:"name"`
	State  string     `json:"state" doc:"ok, degraded, down, unknown, or what the part says of itself."`
	Detail string     `json:"detail,omitempty" doc:"What is wrong and what to do about it."`
	Since  *time.Time `json:"since,omitempty"`
	SeenAt *time.Time `json:"seenAt,omitempty"`

	Builds []BuildView `json:"builds,omitempty" doc:"Builds of the program that run workflows."`
}

// BuildView is a build of the program that runs workflows.
type BuildView struct {
	Build   string `json:"build" doc:"Id of the build, as Temporal shows it; empty for a release that does not report it."`
	Workers int    `json:"workers" doc:"Worker processes that have asked for work within 90 seconds."`
}
