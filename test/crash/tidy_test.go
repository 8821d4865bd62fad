package crash

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// The short run is part of every test run; the long one (see docs/operations.md):
//
//	go test ./test/crash -run Consolidations -timeout 30m -v -args -tidy-kills 100
var tidyKills = flag.Int("tidy-kills", 6, "kills of worker, API, PostgreSQL and Temporal while structured documents are consolidated")

// killsPerNight is the number of kills of one dream, which takes about a second.
const killsPerNight = 3

// Owners of two agents have the same structured documents, and the same facts that nobody has mentioned for years, and dream: of one agent
// undisturbed, of the other while everything is killed. Both end the same: what a later entry repeats is gone, what is old is archived,
// everything else is there, and each document was consolidated or archived once.
func TestConsolidationsAreKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := &deleters{System: deployment.StartSystem(ctx, t, deployment.Options{}), random: rand.New(rand.NewPCG(*seed, 13))}
	owners := 1 + *tidyKills/killsPerNight
	for _, agent := range []string{"calm", "storm"} {
		d.call(ctx, t, http.MethodPost, "", map[string]any{"id": agent, "settings": map[string]any{"writeTargets": []string{"structured/**", "MEMORY.md"}}}, nil)
		for owner := range owners {
			d.structure(ctx, t, agent, fmt.Sprint(owner))
		}
	}
	for _, agent := range []string{"calm", "storm"} {
		for owner := range owners { // facts are derived when they are read
			if n := len(d.facts(ctx, t, agent, fmt.Sprint(owner))); n < 2 {
				t.Fatalf("%d facts", n)
			}
		}
	}
	for _, sql := range []string{
		`update document_versions set created_at = created_at - interval '800 days'
		where document_id in (select document_id from documents where path = 'MEMORY.md' and scope = 'PERSONAL')`,
		`update facts set at = at - interval '800 days', valid_from = valid_from - interval '800 days', day = day - 800, seen = seen - 800
		where document_id in (select document_id from documents where path = 'MEMORY.md' and scope = 'PERSONAL')`,
	} {
		if _, err := deployment.Query(ctx, d.System, pgx.RowTo[string], sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, agent := range []string{"calm", "storm"} {
		for owner := range owners {
			kills := 0
			if agent == "storm" {
				kills = min(killsPerNight, *tidyKills-d.killed)
			}
			d.dream(ctx, t, agent, fmt.Sprint(owner), kills)
		}
	}
	want, got := d.lines(ctx, t, "calm"), d.lines(ctx, t, "storm")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("killed, it ended otherwise (-undisturbed +killed):\n%s", diff)
	}
	all := strings.Join(got, "\n")
	for owner := range owners {
		for text, times := range map[string]int{"Owner %d eats no meat at all": 1, "Owner %d eats no meat at all.": 0, "Box 7 of owner %d is blue.": 1} {
			line := fmt.Sprintf(" structured/user.md "+text+"\n", owner)
			if n := strings.Count(all+"\n", line); n != times {
				t.Errorf("%q occurs %d times, want %d:\n%s", line, n, times, all)
			}
		}
	}
	archives, err := deployment.Query(ctx, d.System, pgx.RowTo[string], `
select v.content
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
where d.path = 'MEMORY.md' and d.scope = 'PERSONAL'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range archives {
		kept, archived, _ := strings.Cut(content, "## Archived")
		if strings.Contains(kept, "the ladder") || strings.Count(archived, "the ladder") != 1 || strings.Count(archived, "by the bridge") != 1 {
			t.Errorf("what is old is not archived once:\n%s", content)
		}
	}
	versions, err := deployment.Query(ctx, d.System, pgx.RowTo[int32],
		"select version from documents where agent_id in ('calm', 'storm') and path in ('structured/user.md', 'MEMORY.md') and scope = 'PERSONAL'")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		if version != 2 {
			t.Errorf("a document has version %d: it was written once and consolidated or archived once", version)
		}
	}
	if len(versions) != 4*owners || len(archives) != 2*owners || d.killed != *tidyKills {
		t.Errorf("%d documents, want %d; %d kills, want %d", len(versions), 4*owners, d.killed, *tidyKills)
	}
	t.Logf("%d kills during %d dreams; %d lines the same", d.killed, owners, len(got))
}

// structure writes a document with entries of which one repeats another one, and MEMORY.md.
func (d *deleters) structure(ctx context.Context, t *testing.T, agent, owner string) {
	t.Helper()
	var doc strings.Builder
	entry := func(key, content, day string) {
		fmt.Fprintf(&doc, "## %s\n\n%s\n\n> Source: crm | Updated: %s\n\n", key, content, day)
	}
	entry("food", "Owner "+owner+" eats no meat at all.", "2026-11-01")
	for box := range 9 {
		entry(fmt.Sprint("box ", box), fmt.Sprintf("Box %d of owner %s is blue.", box, owner), "2026-11-02")
	}
	entry("diet", "Owner "+owner+" eats no meat at all", "2026-11-03")
	d.call(ctx, t, http.MethodPost, "/"+agent+"/writes?wait=60s", map[string]any{
		"requestId": "crm-" + owner, "owner": "api:" + owner, "target": "structured/user.md", "strategy": "append", "content": doc.String(),
	}, nil)
	d.call(ctx, t, http.MethodPost, "/"+agent+"/writes?wait=60s", map[string]any{
		"requestId": "old-" + owner, "owner": "api:" + owner, "target": "MEMORY.md", "strategy": "append",
		"content": "# Memory\n\n- Owner " + owner + " borrowed the ladder of the neighbours.\n- The shed of owner " + owner + " stands by the bridge.\n",
	}, nil)
}

// dream lets an owner dream, and kills processes so many times until the workflow has ended. The report ends before the workflow does.
func (d *deleters) dream(ctx context.Context, t *testing.T, agent, owner string, kills int) {
	t.Helper()
	var asked struct{ WorkflowID string }
	d.call(ctx, t, http.MethodPost, "/"+agent+"/dreams?endUserId="+owner, nil, &asked)
	for began := time.Now(); ; {
		if kills > 0 {
			kills--
			time.Sleep(time.Duration(d.random.Int64N(int64(500 * time.Millisecond))))
			d.kill(ctx, t)
		}
		d.Ensure(t) // so that the next kill meets a process
		ended, err := d.ended(ctx, asked.WorkflowID)
		if ended && kills == 0 {
			return
		}
		if time.Since(began) > *patience {
			t.Fatalf("%s has not ended (%v); logs are in %s", asked.WorkflowID, err, d.Logs())
		}
		if kills == 0 {
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// ended reports whether a workflow has ended. It fails while Temporal restarts.
func (d *deleters) ended(ctx context.Context, workflow string) (bool, error) {
	c, err := client.DialContext(ctx, client.Options{HostPort: d.Temporal.Address})
	if err != nil {
		return false, err
	}
	defer c.Close()
	of, err := c.DescribeWorkflowExecution(ctx, workflow, "")
	return err == nil && of.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING, err
}
