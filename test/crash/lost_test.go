package crash

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/test/deployment"
)

// lostNamespace does not exist in a new Temporal, unlike the default one.
const lostNamespace = "memory"

// recovery bounds the time until everything works again after a loss, without any help.
const recovery = 3 * time.Minute

// temporalData returns the files of the dev server's database in a folder.
func temporalData(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "temporal.sqlite*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no database in %s: %v", dir, err)
	}
	return append(files, filepath.Join(dir, "ready"))
}

// exchange stops Temporal, changes its files, and starts it again.
func exchange(ctx context.Context, t *testing.T, s *deployment.System, dir string, change func(), meanwhile func()) {
	t.Helper()
	if err := s.Temporal.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	change()
	meanwhile()
	s.StartTemporal(ctx, t, dir)
}

// tell posts the first turn of a conversation, with something to remember.
func tell(ctx context.Context, t *testing.T, s *deployment.System, owner, conversation, fact string) {
	t.Helper()
	more(ctx, t, s, owner, conversation, conversation, fact)
}

// more posts another turn; name makes its messages' ids.
func more(ctx context.Context, t *testing.T, s *deployment.System, owner, conversation, name, fact string) {
	t.Helper()
	path := fmt.Sprintf("/api/v1/agents/%s/conversations/%s/messages", deployment.Agent, conversation)
	batch := deployment.Batch{EndUserID: owner, TriggerSource: "api", TurnComplete: true, Messages: []deployment.Message{
		{ID: name + "-1", Role: "user", Content: "Please remember that " + fact + "."},
		{ID: name + "-2", Role: "assistant", Content: "Noted."},
	}}
	if err := s.API.Insist(ctx, http.MethodPost, path, batch, nil); err != nil {
		t.Fatal(err)
	}
}

// waitRead waits until an extraction has seen every message of some conversations.
func waitRead(ctx context.Context, t *testing.T, s *deployment.System, conversations ...string) {
	t.Helper()
	var read []string
	for until := time.Now().Add(recovery); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		var err error
		read, err = deployment.Query(ctx, s, pgx.RowTo[string],
			"select conversation_id from conversations where considered_seq = last_seq and conversation_id = any ($1) order by 1", conversations)
		if err != nil {
			t.Fatal(err)
		}
		if len(read) == len(conversations) {
			return
		}
		if ended := s.Ended(); len(ended) > 0 {
			log, _ := os.ReadFile(filepath.Join(s.Logs(), ended[0]+".log"))
			t.Fatalf("ended: %v; end of the first one's log:\n%s", ended, log[max(0, len(log)-2000):])
		}
	}
	t.Fatalf("after %s only %v are read, want %v; logs are in %s", recovery, read, conversations, s.Logs())
}

// partOf returns the state of a part in the status.
func partOf(ctx context.Context, t *testing.T, s *deployment.System, name string) string {
	t.Helper()
	var status struct {
		Parts []struct{ Name, State string }
	}
	if err := s.API.Insist(ctx, http.MethodGet, "/api/v1/status", nil, &status); err != nil {
		t.Fatal(err)
	}
	for _, part := range status.Parts {
		if part.Name == name {
			return part.State
		}
	}
	return ""
}

// summarize asks for an extraction until it works. Meanwhile the API may say nothing but that workflows cannot be reached.
func summarize(ctx context.Context, t *testing.T, s *deployment.System, conversation string) (refused int) {
	t.Helper()
	path := fmt.Sprintf("/api/v1/memory/%s/summarize/%s", deployment.Agent, conversation)
	for until := time.Now().Add(recovery); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		err := s.API.Call(ctx, http.MethodPost, path, nil, nil)
		if err == nil {
			return refused
		}
		status, is := errors.AsType[*deployment.StatusError](err)
		if !is || status.Status != http.StatusServiceUnavailable || status.RetryAfter == "" {
			t.Fatalf("summarize: %v, want 503 with Retry-After", err)
		}
		refused++
	}
	t.Fatalf("summarize does not work again; logs are in %s", s.Logs())
	return 0
}

// waitSchedule waits until the agent's nightly schedule exists.
func waitSchedule(ctx context.Context, t *testing.T, s *deployment.System) {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address, Namespace: lostNamespace})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for until := time.Now().Add(recovery); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		if _, err = c.ScheduleClient().GetHandle(ctx, "dream/default."+deployment.Agent).Describe(ctx); err == nil {
			return
		}
	}
	t.Fatalf("there is no schedule of dreams: %v", err)
}

// Temporal's database is lost while API and worker run. They create namespace and search attributes again, deliver what was pending, and
// create the schedules; requests that need workflows are told to come back. Nothing is restarted.
func TestTemporalLosesItsDatabase(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s := deployment.StartSystem(ctx, t, deployment.Options{TemporalDir: dir, Env: []string{
		"REVERIE_TEMPORAL_NAMESPACE=" + lostNamespace, "REVERIE_QUIET_PERIOD=1h", "REVERIE_COOLDOWN=100ms",
	}})
	tell(ctx, t, s, "42", "before", "I live in Bern")
	summarize(ctx, t, s, "before")
	waitRead(ctx, t, s, "before")
	waitSchedule(ctx, t, s)
	tell(ctx, t, s, "43", "signalled", "I work as a nurse") // waits in an Inbox, which is lost
	began := time.Now()
	exchange(ctx, t, s, dir, func() {
		for _, file := range temporalData(t, dir) {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}, func() {
		tell(ctx, t, s, "44", "meanwhile", "my cat is called Tom")
		if state := partOf(ctx, t, s, "temporal"); state != "down" {
			t.Errorf("without Temporal its state is %q", state)
		}
	})
	refused := summarize(ctx, t, s, "meanwhile")
	t.Logf("summarize works %s after the loss, after %d refusals", time.Since(began).Round(time.Second), refused)
	waitSchedule(ctx, t, s)
	t.Logf("schedules are back after %s", time.Since(began).Round(time.Second))
	waitInbox(ctx, t, s)
	t.Logf("pending messages are delivered after %s", time.Since(began).Round(time.Second))
	summarize(ctx, t, s, "signalled")
	waitRead(ctx, t, s, "before", "signalled", "meanwhile")
	if state := partOf(ctx, t, s, "temporal"); state != "ok" {
		t.Errorf("afterwards Temporal's state is %q", state)
	}
	if ended := s.Ended(); len(ended) > 0 {
		slices.Sort(ended)
		t.Errorf("ended: %v", ended)
	}
}

// waitInbox waits until the owner of the conversation "signalled" has an Inbox again.
func waitInbox(ctx context.Context, t *testing.T, s *deployment.System) {
	t.Helper()
	owner, err := deployment.Query(ctx, s, pgx.RowTo[string], "select owner_id::text from owners where owner_key = 'api:43'")
	if err != nil || len(owner) != 1 {
		t.Fatalf("owner %v, %v", owner, err)
	}
	c, err := client.Dial(client.Options{HostPort: s.Temporal.Address, Namespace: lostNamespace})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id := "inbox/default." + deployment.Agent + "/" + owner[0]
	for until := time.Now().Add(recovery); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		if _, err = c.DescribeWorkflowExecution(ctx, id, ""); err == nil {
			return
		}
	}
	t.Fatalf("%s is not there: %v", id, err)
}
