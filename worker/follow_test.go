package worker

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/providers"
	"reverie/providers/remote"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/talk"
	"reverie/store/webhooks"
	"reverie/workflows"
)

// follower is a program that follows what happens, over real HTTP.
type follower struct {
	*httptest.Server
	mu     sync.Mutex
	events []providers.Event
	answer func(providers.Event) int // status; nil: 204
}

func newFollower(t *testing.T, answer func(providers.Event) int) *follower {
	t.Helper()
	f := &follower{answer: answer}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var e providers.Event
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil || r.URL.Path != "/events" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		status := http.StatusNoContent
		if f.answer != nil {
			status = f.answer(e)
		}
		if status == http.StatusNoContent {
			f.mu.Lock()
			f.events = append(f.events, e)
			f.mu.Unlock()
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(f.Close)
	return f
}

// got returns what it has taken, each once, in order.
func (f *follower) got() (taken []providers.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		if !slices.ContainsFunc(taken, func(o providers.Event) bool { return o.ID == e.ID }) {
			taken = append(taken, e)
		}
	}
	return taken
}

// personal returns what it has taken, without what an agent begins with.
func (f *follower) personal() []providers.Event {
	return slices.DeleteFunc(f.got(), func(e providers.Event) bool { return e.Owner == "" })
}

func (f *follower) provider(id string, agents ...string) providers.Outside {
	return providers.Outside{
		Provider: remote.HTTP(remote.Config{ID: id, URL: f.URL}), Operations: []string{providers.OpFollow}, Agents: agents,
	}
}

// follow runs a worker with providers until stop is called.
func (w *hooked) follow(t *testing.T, all ...providers.Outside) (stop func()) {
	t.Helper()
	w.providers = providers.NewSet(providers.Options{Outside: all, Owner: w.store.OwnerID, Log: slog.New(slog.DiscardHandler)})
	return w.serve(t)
}

func (w *hooked) say(t *testing.T, owner memory.Owner, conversation string, complete bool, texts ...string) {
	t.Helper()
	b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: complete}
	for _, text := range texts {
		m := memory.Message{ID: conversation + text, Role: memory.RoleOfUser, Content: text}
		if strings.HasPrefix(text, "Noted") {
			m.Role = memory.RoleOfAssistant
		}
		b.Messages = append(b.Messages, m)
	}
	if _, err := w.store.AppendMessages(t.Context(), w.id.For("ada", owner), b); err != nil {
		t.Fatal(err)
	}
}

func kinds(events []providers.Event) (all []string) {
	for _, e := range events {
		all = append(all, string(e.Kind))
	}
	return all
}

// A provider gets turns and writes in their order, with their words and the opaque id of their owner, also those of the time in which it
// or the worker was down. Nothing of them is in a history.
func TestProvidersFollow(t *testing.T) {
	w := newHooked(t)
	w.sends.Retries = slices.Repeat([]time.Duration{100 * time.Millisecond}, 1000)
	var down sync.Map
	down.Store("down", true)
	f := newFollower(t, func(providers.Event) int {
		if _, is := down.Load("down"); is {
			return http.StatusServiceUnavailable
		}
		return http.StatusNoContent
	})
	elsewhere := newFollower(t, nil)
	stop := w.follow(t, f.provider("wiki"), elsewhere.provider("other", "bob"))
	began := time.Now()
	w.say(t, "user:1", "c1", true, "The balcony faces south, my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ", "Noted.")
	w.say(t, "user:2", "c1", false, "The balcony faces north.")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("turns wait for a provider: %s", took)
	}
	stop()
	down.Delete("down")
	paths := w.write(t, "a", 1)
	w.say(t, "user:2", "c1", true, "Noted, too.")
	stop = w.follow(t, f.provider("wiki"), elsewhere.provider("other", "bob"))
	want := []string{"turn.started", "turn.completed", "turn.started", "document.written", "turn.completed"}
	await(t, "it has all", func() bool { return slices.Equal(kinds(f.personal()), want) })
	got := f.personal()
	one, err := w.store.OwnerID(t.Context(), w.id.For("ada", "user:1"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := w.store.OwnerID(t.Context(), w.id.For("ada", "user:2"))
	if err != nil {
		t.Fatal(err)
	}
	if first := got[1]; first.Owner != one.String() || first.Workspace != "acme" || first.Agent != "ada" || first.Conversation != "c1" ||
		len(first.Messages) != 2 ||
		!strings.HasPrefix(first.Messages[0].Text, "The balcony faces south") || strings.Contains(first.Messages[0].Text, "sk-proj") ||
		first.Messages[1].Role != memory.RoleOfAssistant || first.From != 1 || first.To != 2 {
		t.Errorf("%+v", first)
	}
	if last := got[4]; last.Owner != two.String() || !strings.Contains(last.Messages[0].Text, "north") {
		t.Errorf("%+v", last)
	}
	if doc := got[3]; doc.Path != paths[0] || doc.Text != "secret words\n" || doc.Version != 1 || doc.Owner != one.String() {
		t.Errorf("%+v", doc)
	}
	if n := len(elsewhere.got()); n > 0 {
		t.Errorf("a provider of another agent got %d events", n)
	}
	// An agent that disables it gives it nothing more.
	before := w.program(t, "wiki").Delivered
	w.patch("acme", "ada", admin.AgentPatch{Settings: &setting.AgentSettings{DisabledProviders: []string{"wiki"}}})
	w.write(t, "b", 1)
	await(t, "its place is behind what it does not get", func() bool { return w.program(t, "wiki").Delivered > before })
	if n := len(f.personal()); n != len(want) {
		t.Errorf("%d events more", n-len(want))
	}
	stop()
	w.hasNoHistoryOf(t, "balcony", "Noted", "secret words", "sk-proj", "user:1", "user:2")
}

// hasNoHistoryOf fails the test if the history of a workflow has one of some words. Deliveries are there.
func (w *hooked) hasNoHistoryOf(t *testing.T, words ...string) {
	t.Helper()
	deliveries, events := 0, 0
	for request := (&workflowservice.ListWorkflowExecutionsRequest{}); ; {
		page, err := w.client.ListWorkflow(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range page.GetExecutions() {
			if x.GetType().GetName() == workflows.DeliverEventsName {
				deliveries++
			}
			run := x.GetExecution()
			const all = enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT
			for history := w.client.GetWorkflowHistory(t.Context(), run.GetWorkflowId(), run.GetRunId(), false, all); history.HasNext(); {
				event, err := history.Next()
				if err != nil {
					t.Fatal(err)
				}
				events++
				for _, word := range words {
					if text := event.String(); strings.Contains(text, word) {
						t.Errorf("%s has %q: %s", run.GetWorkflowId(), word, text)
					}
				}
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			break
		}
	}
	if deliveries == 0 || events == 0 {
		t.Errorf("%d deliveries with %d events were read", deliveries, events)
	}
}

// An event that a provider refuses is listed, and holds nothing up; one that fails is not tried for hours before the next one.
func TestProvidersFollowRefusals(t *testing.T) {
	w := newHooked(t)
	w.sends.Retries = slices.Repeat([]time.Duration{50 * time.Millisecond}, 50)
	var healed sync.Map
	f := newFollower(t, func(e providers.Event) int {
		switch {
		case strings.HasPrefix(e.Path, "a"):
			if _, is := healed.Load("all"); !is {
				return http.StatusUnprocessableEntity
			}
		case strings.HasPrefix(e.Path, "b"):
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	})
	w.write(t, "a", 1)
	w.write(t, "b", 1)
	paths := w.write(t, "c", 1)
	w.follow(t, f.provider("wiki"))
	await(t, "the others have arrived", func() bool { got := f.got(); return len(got) > 0 && got[len(got)-1].Path == paths[0] })
	hook := w.program(t, "wiki")
	listed, err := w.store.WebhookFailures(t.Context(), w.id, hook.ID, store.Page{})
	if err != nil || len(listed.Items) != 2 {
		t.Fatalf("%+v, %v", listed, err)
	}
	if a, b := listed.Items[1], listed.Items[0]; a.Attempts != 1 || a.LastStatus != 422 || b.Attempts != 5 || b.LastStatus != 500 {
		t.Errorf("%+v", listed.Items)
	}
	if _, err := w.store.RedeliverWebhook(t.Context(), w.id, hook.ID, nil); err != nil {
		t.Fatal(err)
	}
	healed.Store("all", true)
	await(t, "one was delivered again", func() bool {
		if got := f.got(); !strings.HasPrefix(got[len(got)-1].Path, "a") {
			_, err := w.store.RedeliverWebhook(t.Context(), w.id, hook.ID, nil)
			return err != nil
		}
		return true
	})
	if err := w.store.DeleteWebhook(t.Context(), w.id, hook.ID); err == nil {
		t.Error("a program was deleted over the API")
	}
	if _, _, err := w.store.RotateWebhookSecret(t.Context(), w.id, hook.ID, 0); err == nil {
		t.Error("a program has a secret")
	}
}

func (w *hooked) program(t *testing.T, id string) webhooks.Webhook {
	t.Helper()
	listed, err := w.store.Webhooks(t.Context(), w.id, store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, hook := range listed.Items {
		if hook.Program == id {
			return hook
		}
	}
	return webhooks.Webhook{}
}
