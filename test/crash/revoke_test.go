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

	"reverie/test/deployment"
)

// The short run is part of every test run; the long one (see docs/operations.md):
//
//	go test ./test/crash -run Revocations -timeout 30m -v -args -revoke-kills 100
var revokeKills = flag.Int("revoke-kills", 5, "kills of worker, API, PostgreSQL and Temporal while a source is revoked")

// The same sources of two agents are revoked, of one undisturbed and of the other while everything is killed. Both end the same: what rested
// on the sources only is gone, from what was dreamed as well, and everything else is as it was.
func TestRevocationsAreKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := &deleters{
		System: deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_MIN_MESSAGES=2"}}),
		random: rand.New(rand.NewPCG(*seed, 12)),
	}
	rounds := 1 + *revokeKills/20
	for _, agent := range []string{"calm", "storm"} {
		d.call(ctx, t, http.MethodPost, "", map[string]any{"id": agent, "settings": map[string]any{"writeTargets": []string{"memory/**"}}}, nil)
		for round := range rounds {
			owner := fmt.Sprint(round)
			d.say(ctx, t, agent, owner, "first-"+owner, "second-"+owner)
			for day := 1; day <= 3; day++ {
				path := "memory/" + time.Now().UTC().AddDate(0, 0, -day).Format(time.DateOnly) + ".md"
				content := fmt.Sprintf("- The dog of owner %d is called Rex-%[1]d.\n", round)
				d.call(ctx, t, http.MethodPut, "/"+agent+"/workspace/files/"+path+"?scope=PERSONAL&endUserId="+owner, map[string]string{"content": content}, nil)
				d.call(ctx, t, http.MethodPost, "/"+agent+"/writes?wait=60s", map[string]any{
					"requestId": fmt.Sprintf("crm-%d-%d", round, day), "owner": "api:" + owner, "target": path, "strategy": "append",
					"content": fmt.Sprintf("- Customer %d collects stamps from Peru.\n", round),
				}, nil)
			}
		}
	}
	d.settle(t)
	for _, agent := range []string{"calm", "storm"} {
		for round := range rounds {
			d.call(ctx, t, http.MethodPost, "/"+agent+"/dreams?wait=60s&endUserId="+fmt.Sprint(round), nil, nil)
		}
	}
	if got := strings.Join(d.lines(ctx, t, "storm"), "\n"); !strings.Contains(got, "MEMORY.md - Customer 0 collects stamps from Peru.") {
		t.Fatalf("nothing was dreamed:\n%s", got)
	}
	for _, agent := range []string{"calm", "storm"} {
		kills := 0
		if agent == "storm" {
			kills = *revokeKills
		}
		d.revoke(ctx, t, agent, map[string]any{"kind": "connector", "source": "crm-*"}, kills-kills/3)
		for round := range rounds {
			d.revoke(ctx, t, agent, map[string]any{"kind": "conversation", "source": fmt.Sprint("first-", round)}, kills/3/rounds)
		}
	}
	d.dreamt(ctx, t)
	want, got := d.lines(ctx, t, "calm"), d.lines(ctx, t, "storm")
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
		t.Errorf("killed, it ended otherwise (-undisturbed +killed):\n%s", diff)
	}
	all := strings.Join(got, "\n")
	for _, gone := range []string{"Peru", "crate-0-first-0"} {
		if strings.Contains(all, gone) {
			t.Errorf("%s is left:\n%s", gone, all)
		}
	}
	for _, stays := range []string{"MEMORY.md - The dog of owner 0 is called Rex-0.", "crate-0-second-0"} {
		if !strings.Contains(all, stays) {
			t.Errorf("%s is gone:\n%s", stays, all)
		}
	}
	t.Logf("%d kills during %d revocations; %d lines the same", d.killed, d.done, len(got))
}

// revoke revokes a source of an agent, and kills processes until it is done, at most so many times.
func (d *deleters) revoke(ctx context.Context, t *testing.T, agent string, source map[string]any, kills int) {
	t.Helper()
	var now struct {
		ID, State  string
		Statements int
	}
	source["dryRun"] = false
	d.call(ctx, t, http.MethodPost, "/"+agent+"/revocations", source, &now)
	for began := time.Now(); now.State != "done" || kills > 0; {
		if kills > 0 {
			kills--
			time.Sleep(time.Duration(d.random.Int64N(int64(500 * time.Millisecond))))
			d.kill(ctx, t)
		}
		d.Ensure(t)
		d.call(ctx, t, http.MethodGet, "/"+agent+"/revocations/"+now.ID, nil, &now)
		if time.Since(began) > *patience {
			t.Fatalf("%v has not ended: %+v; logs are in %s", source, now, d.Logs())
		}
		if kills == 0 {
			time.Sleep(50 * time.Millisecond)
		}
	}
	if now.Statements == 0 {
		t.Errorf("%v of agent %s took nothing back", source, agent)
	}
	d.done++
}

// dreamt waits until everything that was undone is dreamed again.
func (d *deleters) dreamt(ctx context.Context, t *testing.T) {
	t.Helper()
	await(t, "everything to be dreamed again", func() bool {
		d.Ensure(t)
		left, err := deployment.Query(ctx, d.System, pgx.RowTo[int], `
select count(*)::int from dreams where reverted_by <> '' and again_as is null or finished_at is null`)
		if err != nil {
			t.Fatal(err)
		}
		return left[0] == 0
	})
}

// lines returns the lines of an agent's documents, without comments; not those of the diary and of reports, which name dreams.
func (d *deleters) lines(ctx context.Context, t *testing.T, agent string) []string {
	t.Helper()
	lines, err := deployment.Query(ctx, d.System, pgx.RowTo[string], `
select d.owner_key || ' ' || d.path || ' ' || trim(regexp_replace(regexp_replace(l, '<!--.*-->', ''), '\d\d:\d\d', ''))
from documents d
join document_versions v using (workspace_id, agent_id, document_id, version)
cross join regexp_split_to_table(v.content, '\n') l
where d.agent_id = $1 and not d.deleted and d.path <> 'DREAMS.md' and d.path not like 'memory/dreaming/%' and trim(l) <> ''
order by 1`, agent)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
