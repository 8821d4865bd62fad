package worker

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/activities"
	"reverie/backend"
	"reverie/backend/backendtest"
	"reverie/memory"
	"reverie/providers"
	"reverie/providers/remote"
	"reverie/store/deletion"
	"reverie/toolbox"
	"reverie/workflows"
)

// What an extraction learns reaches the external MCP server, once, and nothing else does. When the owner is deleted, programs delete what
// they have, and the receipt names those that do not.
func TestLearnedAndDeletedOutside(t *testing.T) {
	w := newHooked(t)
	server := backendtest.Start(t)
	external := backend.Open(backend.Config{Servers: []backend.Server{{
		Name: "notes", Workspace: "acme", Agent: "ada", Transport: backend.StreamableHTTP, Endpoint: server.URL + "/?owner={owner}",
		Timeout: time.Minute,
	}}}, backend.Options{Log: slog.New(slog.DiscardHandler), Pause: time.Nanosecond})
	t.Cleanup(external.Close)
	var forgot atomic.Value
	var attempts atomic.Int32
	program := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if attempts.Add(1) == 1 {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		forgot.Store(r.URL.Path + string(body))
		rw.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(program.Close)
	silent := newFollower(t, nil)
	box := &toolbox.Box{Store: w.store, Backend: external}
	w.follow(t, providers.Statements(box), silent.provider("silent"),
		providers.Outside{Provider: remote.HTTP(remote.Config{ID: "wiki", URL: program.URL}), Operations: []string{providers.OpForget}})
	write := func(by memory.Author, path, text string) {
		t.Helper()
		id := w.id.For("ada", "user:1")
		id.Author = by
		if _, err := w.store.Apply(t.Context(), id, "", []memory.Change{{
			Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpReplace, Force: true, Content: text,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	extraction := memory.Author{Kind: memory.AuthorWorkflow, ID: "rules", WorkflowID: "extract/0192-1/1-2"}
	write(memory.Author{Kind: memory.AuthorUser, ID: "somebody"}, "own.md", "- The cat is called Tom\n")
	write(extraction, "memory/2026-05-01.md", "## Day\n\n- The boat is called Heron\n")
	write(extraction, "memory/2026-05-01.md", "## Day\n\n- The boat is called Heron\n- The harbour is Kiel\n")
	rows := func() (texts []string) {
		for _, r := range server.Rows() {
			if !r.Archived {
				texts = append(texts, r.Content)
			}
		}
		return texts
	}
	await(t, "what was learned is there", func() bool {
		return slices.Equal(rows(), []string{"The boat is called Heron", "The harbour is Kiel"})
	})
	owner, err := w.store.OwnerID(t.Context(), w.id.For("ada", "user:1"))
	if err != nil {
		t.Fatal(err)
	}
	d := w.delete(t, "user:1", deletion.Target{Kind: deletion.Owner})
	want := []deletion.Outside{
		{Place: providers.Backend, Reason: string(providers.OnlyArchived)},
		{Place: "silent", Reason: string(providers.CannotForget)},
		{Place: "wiki", Deleted: true},
	}
	slices.SortFunc(d.Outside, func(a, b deletion.Outside) int { return strings.Compare(a.Place, b.Place) })
	if !slices.Equal(d.Outside, want) {
		t.Errorf("%+v", d.Outside)
	}
	if left := rows(); len(left) > 0 {
		t.Errorf("not archived: %v", left)
	}
	if got, _ := forgot.Load().(string); !strings.HasPrefix(got, "/forget") || !strings.Contains(got, owner.String()) ||
		strings.Contains(got, "user:1") {
		t.Errorf("it was asked %q", got)
	}
}

// When a conversation is deleted, programs that know the operation delete what they have of it, and no program is asked to delete
// everything of the person.
func TestConversationDeletedOutside(t *testing.T) {
	w := newHooked(t)
	type request struct{ path, body string }
	asked := make(chan request, 10)
	program := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked <- request{r.URL.Path, string(body)}
		rw.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(program.Close)
	provider := func(id string, operations ...string) providers.Outside {
		return providers.Outside{Provider: remote.HTTP(remote.Config{ID: id, URL: program.URL + "/" + id}), Operations: operations}
	}
	w.follow(t, provider("people", providers.OpForget), provider("talks", providers.OpForget, providers.OpForgetConversation))
	id := w.id.For("ada", "user:1")
	w.say(t, "user:1", "c1", false, "The balcony faces south.")
	owner, err := w.store.OwnerID(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	d := w.delete(t, "user:1", deletion.Target{Kind: deletion.Conversation, Conversation: "c1", Keeps: true})
	want := []deletion.Outside{{Place: "people", Reason: string(providers.CannotForget)}, {Place: "talks", Deleted: true}}
	slices.SortFunc(d.Outside, func(a, b deletion.Outside) int { return strings.Compare(a.Place, b.Place) })
	if !slices.Equal(d.Outside, want) {
		t.Errorf("%+v", d.Outside)
	}
	close(asked)
	for got := range asked {
		if diff := cmp.Diff(request{
			"/talks/forget_conversation",
			`{"workspace":"acme","agent":"ada","owner":"` + owner.String() + `","conversation":"c1","keepLearned":true}`,
		}, got, cmp.AllowUnexported(request{})); diff != "" {
			t.Error(diff)
		}
	}
}

// delete runs a deletion of the owner's to its end.
func (w *hooked) delete(t *testing.T, owner memory.Owner, target deletion.Target) deletion.Deletion {
	t.Helper()
	d, err := w.store.RequestDeletion(t.Context(), w.id.For("ada", owner), target)
	if err != nil {
		t.Fatal(err)
	}
	ref := activities.AgentRef{Workspace: "acme", Agent: "ada"}
	if err := workflows.StartDelete(t.Context(), w.client, workflows.DeleteInput{AgentRef: ref, Deletion: d.ID, Kind: d.Kind}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Minute); d.State != deletion.Done; time.Sleep(100 * time.Millisecond) { // Temporal takes its time
		if d, err = w.store.Deletion(t.Context(), administrator("acme", "ada"), d.ID); err != nil || time.Now().After(end) {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	return d
}
