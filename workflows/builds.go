package workflows

import (
	"cmp"
	"context"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// Deployment is the name of the worker deployment that workers report to Temporal, with the build of each.
const Deployment = "reverie"

// PollWindow bounds the age of a worker's last poll: an idle worker polls about once a minute.
const PollWindow = 90 * time.Second

// Build is a build of the program that runs workflows.
type Build struct {
	ID      string // empty: of a release that does not report it
	Workers int    // processes that have polled within PollWindow
}

// Builds lists the builds whose workers run workflows, by id.
func Builds(ctx context.Context, c client.Client, now time.Time) ([]Build, error) {
	described, err := c.DescribeTaskQueue(ctx, TaskQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return nil, err
	}
	workers := map[string]map[string]bool{} // identities, by build
	for _, p := range described.GetPollers() {
		if now.Sub(p.GetLastAccessTime().AsTime()) >= PollWindow {
			continue
		}
		id := p.GetDeploymentOptions().GetBuildId()
		if workers[id] == nil {
			workers[id] = map[string]bool{}
		}
		workers[id][p.GetIdentity()] = true
	}
	var out []Build
	for id, identities := range workers {
		out = append(out, Build{id, len(identities)})
	}
	slices.SortFunc(out, func(a, b Build) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}
