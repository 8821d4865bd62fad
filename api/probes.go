package api

import (
	"context"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"reverie/workflows"
)

const (
	// probeTimeout bounds how long one part may take to say that it is there.
	probeTimeout = 2 * time.Second
	// probeTTL is how long an answer is used: readiness needs no key, and must not become load on the parts.
	probeTTL = time.Second
	// pollerWindow is how recently a worker must have asked for work to count: an idle one asks about once a minute.
	pollerWindow = 90 * time.Second
)

// States of parts.
const (
	stateOK       = "ok"
	stateDegraded = "degraded"
	stateDown     = "down"
	stateUnknown  = "unknown"
)

// probes ask the parts whether they are there, each at most once per probeTTL.
type probes struct {
	server   *kernel
	database probe
	temporal probe
	workers  probe
}

// probe is the last answer of one part.
type probe struct {
	mu    sync.Mutex
	at    time.Time
	state partView
}

// get asks again when the last answer is too old. Who comes meanwhile waits for the same answer.
func (p *probe) get(ctx context.Context, now func() time.Time, ask func(context.Context) partView) partView {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.IsZero() || now().Sub(p.at) >= probeTTL {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		p.state, p.at = ask(ctx), now()
	}
	return p.state
}

func (p *probes) askDatabase(ctx context.Context) partView {
	return p.database.get(ctx, p.server.Now, func(ctx context.Context) partView {
		if err := p.server.Store.Ping(ctx); err != nil {
			return partView{Name: "database", State: stateDown, Detail: "PostgreSQL does not answer"}
		}
		return partView{Name: "database", State: stateOK}
	})
}

func (p *probes) askTemporal(ctx context.Context) partView {
	return p.temporal.get(ctx, p.server.Now, func(ctx context.Context) partView {
		if err := p.server.workflows.reach(ctx); err != nil {
			return partView{Name: "temporal", State: stateDown, Detail: "Temporal does not answer: messages are stored and extracted later"}
		}
		return partView{Name: "temporal", State: stateOK}
	})
}

// askWorkers looks for workers that ask Temporal for work.
func (p *probes) askWorkers(ctx context.Context) partView {
	if p.askTemporal(ctx).State != stateOK {
		return partView{Name: "workers", State: stateUnknown, Detail: "only Temporal knows"}
	}
	return p.workers.get(ctx, p.server.Now, func(ctx context.Context) partView {
		queues := []struct {
			name string
			kind enumspb.TaskQueueType
		}{{workflows.TaskQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW}, {workflows.ModelQueue, enumspb.TASK_QUEUE_TYPE_ACTIVITY}}
		for _, queue := range queues {
			described, err := p.server.Temporal.DescribeTaskQueue(ctx, queue.name, queue.kind)
			if err != nil {
				return partView{Name: "workers", State: stateUnknown, Detail: "Temporal does not tell"}
			}
			polled := false
			for _, poller := range described.GetPollers() {
				polled = polled || p.server.Now().Sub(poller.GetLastAccessTime().AsTime()) < pollerWindow
			}
			if !polled {
				return partView{Name: "workers", State: stateDown, Detail: "no worker takes work from the queue " + queue.name + ": start one with `reverie worker`"}
			}
		}
		return partView{Name: "workers", State: stateOK}
	})
}

// partView is the state of one part.
type partView struct {
	Name   string     `json:"name"`
	State  string     `json:"state" doc:"ok, degraded, down, unknown, or what the part says of itself."`
	Detail string     `json:"detail,omitempty" doc:"What is wrong and what to do about it."`
	Since  *time.Time `json:"since,omitempty"`
	SeenAt *time.Time `json:"seenAt,omitempty"`
}
