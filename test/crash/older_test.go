package crash

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// archived copies the database into a file with PostgreSQL's own program.
func archived(ctx context.Context, t *testing.T, s *deployment.System, file string) {
	t.Helper()
	postgres(ctx, t, s, "pg_dump", "--format=custom", "--file="+file, "--dbname="+s.Database())
}

// restore replaces the database by what was archived.
func restore(ctx context.Context, t *testing.T, s *deployment.System, file string) {
	t.Helper()
	maintenance := s.Postgres.URL("postgres")
	postgres(ctx, t, s, "psql", "--dbname="+maintenance, "--command=drop database reverie with (force)", "--command=create database reverie")
	postgres(ctx, t, s, "pg_restore", "--exit-on-error", "--dbname="+s.Database(), file)
}

func postgres(ctx context.Context, t *testing.T, s *deployment.System, program string, args ...string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, s.Postgres.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var bin string
	if err := conn.QueryRow(ctx, "select setting from pg_config where name = 'BINDIR'").Scan(&bin); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(ctx, filepath.Join(bin, program), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// addAgent creates another agent.
func addAgent(ctx context.Context, t *testing.T, s *deployment.System, id string) {
	t.Helper()
	agent := map[string]string{"id": id, "name": id, "timeZone": "UTC"}
	if err := s.API.Insist(ctx, http.MethodPost, "/api/v1/agents", agent, nil); err != nil {
		t.Fatal(err)
	}
}

// schedules lists the nightly schedules in Temporal.
func schedules(ctx context.Context, t *testing.T, c client.Client) (ids []string) {
	t.Helper()
	list, err := c.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for list.HasNext() {
		entry, err := list.Next()
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, entry.ID)
	}
	slices.Sort(ids)
	return ids
}

// eventually waits until something is true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(recovery); time.Now().Before(until); time.Sleep(250 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("after %s: not %s", recovery, what)
}

// findings returns the codes of what the doctor finds, with their numbers, once it can check everything.
func findings(ctx context.Context, t *testing.T, s *deployment.System) map[string]int {
	t.Helper()
	found := map[string]int{}
	eventually(t, "checked by the doctor", func() bool {
		var view struct {
			Unchecked []string
			Findings  []struct {
				Code  string
				Count int
			}
		}
		if err := s.API.Insist(ctx, http.MethodGet, "/api/v1/agents/"+deployment.Agent+"/doctor", nil, &view); err != nil {
			t.Fatal(err)
		}
		for _, f := range view.Findings {
			found[f.Code] = f.Count
		}
		return len(view.Unchecked) == 0
	})
	return found
}

// running lists workflows that run, by a query.
func running(ctx context.Context, t *testing.T, c client.Client, query string) []string {
	t.Helper()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query + " and ExecutionStatus = 'Running'"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, w := range list.GetExecutions() {
		ids = append(ids, w.GetExecution().GetWorkflowId())
	}
	return ids
}

// PostgreSQL is restored to an older dump, while Temporal knows what came later: workflows of owners and agents that do not exist, and
// finished extractions of messages that come again. The work goes on, workflows of what is missing end and say so.
func TestPostgresOlderThanTemporal(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := deployment.StartSystem(ctx, t, deployment.Options{Env: []string{"REVERIE_QUIET_PERIOD=500ms", "REVERIE_COOLDOWN=3s"}})
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tell(ctx, t, s, "42", "before", "I live in Bern")
	waitRead(ctx, t, s, "before")
	dump := filepath.Join(t.TempDir(), "dump")
	archived(ctx, t, s, dump)

	addAgent(ctx, t, s, "bob")
	more(ctx, t, s, "42", "before", "lost", "my cat is called Tom")
	tell(ctx, t, s, "43", "after", "I work as a nurse")
	waitRead(ctx, t, s, "before", "after")
	eventually(t, "scheduled", func() bool { return len(schedules(ctx, t, c)) == 2 })
	s.Kill("worker")
	more(ctx, t, s, "43", "after", "pending", "my shift begins at six") // signalled, and its owner is missing afterwards
	missing, err := deployment.Query(ctx, s, pgx.RowTo[string], "select owner_id::text from owners where owner_key = 'api:43'")
	if err != nil || len(missing) != 1 {
		t.Fatalf("owner %v, %v", missing, err)
	}
	s.Kill("api")
	restore(ctx, t, s, dump)
	s.Ensure(t)
	if err := s.API.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}

	// Messages with the numbers of those that were lost, in the same conversation, and the lost conversation itself.
	more(ctx, t, s, "42", "before", "again", "my dog is called Rex")
	tell(ctx, t, s, "43", "after", "I work as a doctor now")
	waitRead(ctx, t, s, "before", "after")
	// Temporal has a finished workflow with the id of this extraction.
	taken, err := deployment.Query(ctx, s, pgx.RowTo[string],
		"select outcome from extractions where conversation_id = 'before' and to_seq = 4")
	if err != nil || len(taken) != 1 {
		t.Errorf("messages up to 4 have the extractions %v, want one; %v", taken, err)
	}
	inbox := fmt.Sprintf("inbox/default.%s/%s", deployment.Agent, missing[0])
	eventually(t, "the end of the Inbox of a missing owner", func() bool {
		return !slices.Contains(running(ctx, t, c, "WorkflowType = 'Inbox'"), inbox)
	})
	described, err := c.DescribeWorkflowExecution(ctx, inbox, "")
	if err != nil || described.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_FAILED {
		t.Errorf("the Inbox of a missing owner ended as %v, %v", described.GetWorkflowExecutionInfo().GetStatus(), err)
	}
	err = c.GetWorkflow(ctx, inbox, "").Get(ctx, nil)
	if err == nil || !strings.Contains(err.Error(), "is not in the database") {
		t.Errorf("it says %v", err)
	}
	eventually(t, "without workflows of a missing agent", func() bool {
		return len(running(ctx, t, c, "AgentID = 'default.bob'")) == 0
	})
	eventually(t, "without the schedule of a missing agent", func() bool {
		return slices.Equal(schedules(ctx, t, c), []string{"dream/default." + deployment.Agent})
	})
	if found := findings(ctx, t, s); len(found) > 0 {
		t.Errorf("the doctor finds %v", found)
	}
}

// Temporal is restored to an older state, while PostgreSQL knows what came later: turns that it had accepted are delivered again, records
// of workflows that it does not know are found, and schedules are created.
func TestTemporalOlderThanPostgres(t *testing.T) {
	t.Parallel()
	ctx, dir, kept := t.Context(), t.TempDir(), t.TempDir()
	s := deployment.StartSystem(ctx, t, deployment.Options{
		TemporalDir: dir, Env: []string{"REVERIE_QUIET_PERIOD=500ms", "REVERIE_COOLDOWN=1s"},
	})
	tell(ctx, t, s, "42", "before", "I live in Bern")
	waitRead(ctx, t, s, "before")
	exchange(ctx, t, s, dir, func() { copyFiles(t, temporalData(t, dir), kept) }, func() {})
	addAgent(ctx, t, s, "bob")
	more(ctx, t, s, "42", "before", "later", "my cat is called Tom")
	tell(ctx, t, s, "43", "after", "I work as a nurse")
	waitRead(ctx, t, s, "before", "after")
	s.Kill("worker")
	more(ctx, t, s, "43", "after", "pending", "my shift begins at six") // signalled to an Inbox that will be gone
	exchange(ctx, t, s, dir, func() {
		for _, file := range temporalData(t, dir) {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		copyFiles(t, temporalData(t, kept), dir)
	}, func() {})
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The sweep delivers again what has been pending for an hour.
	if _, err := deployment.Query(ctx, s, pgx.RowTo[string],
		`update conversations set pending_since = pending_since - interval '2 hours'
		where pending_since is not null
		returning conversation_id`); err != nil {
		t.Fatal(err)
	}
	if found := findings(ctx, t, s); found["messages_stuck"] != 1 {
		t.Errorf("the doctor finds %v, want messages_stuck", found)
	}
	s.Ensure(t)
	more(ctx, t, s, "42", "before", "again", "my dog is called Rex")
	waitRead(ctx, t, s, "before", "after")
	eventually(t, "scheduled", func() bool { return len(schedules(ctx, t, c)) == 2 })
	doubled, err := deployment.Query(ctx, s, pgx.RowTo[int],
		"select count(*)::int from (select from extractions where outcome = 'written' group by conversation_uid, from_seq having count(*) > 1) x")
	if err != nil || doubled[0] != 0 {
		t.Errorf("%v ranges were extracted twice, %v", doubled, err)
	}
	if found := findings(ctx, t, s); len(found) > 0 {
		t.Errorf("afterwards the doctor finds %v", found)
	}
}

// copyFiles copies files into a folder.
func copyFiles(t *testing.T, files []string, dir string) {
	t.Helper()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
