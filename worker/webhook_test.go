package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"reverie/activities"
	"reverie/hooks"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/providers"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/webhooks"
	"reverie/workflows"
)

// receiver is an endpoint that records what it accepts.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	secret   string
	answer   func(attempt int, id string) int // status; nil: 204
	attempts map[string]int                   // by id of the event
	accepted []string                         // paths, in order
	ids      []string
	bad      []string
}

func newReceiver(t *testing.T, answer func(attempt int, id string) int) *receiver {
	t.Helper()
	r := &receiver{answer: answer, attempts: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		status, id := http.StatusNoContent, q.Header.Get("webhook-id")
		r.mu.Lock()
		r.attempts[id]++
		attempt, answer := r.attempts[id], r.answer
		r.mu.Unlock()
		if answer != nil {
			status = answer(attempt, id)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if problem := r.check(body, q.Header); err != nil || problem != nil {
			r.bad = append(r.bad, fmt.Sprint(err, problem))
		}
		if status < 300 {
			var event struct {
				Type string
				Data struct{ Path string }
			}
			if err := json.Unmarshal(body, &event); err != nil {
				r.bad = append(r.bad, err.Error())
			}
			r.accepted, r.ids = append(r.accepted, event.Data.Path), append(r.ids, id)
		}
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	return r
}

func journalAfter(w webhooks.Webhook) gate.JournalFilter {
	return gate.JournalFilter{After: w.Cursor, Kinds: []gate.EventKind{gate.EventDocumentWritten}}
}

func (r *receiver) check(body []byte, header http.Header) error {
	if r.secret == "" {
		return nil
	}
	verifier, err := standardwebhooks.NewWebhook(r.secret)
	if err != nil {
		return err
	}
	if strings.Contains(string(body), "secret words") {
		return fmt.Errorf("the event has contents: %s", body)
	}
	return verifier.Verify(body, header)
}

// got returns what was accepted, in order, each once.
func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var paths, seen []string
	for i, path := range r.accepted {
		if !slices.Contains(seen, r.ids[i]) {
			seen, paths = append(seen, r.ids[i]), append(paths, path)
		}
	}
	return paths
}

// hooked is a world with an admin key, whose webhooks a worker serves.
type hooked struct {
	*world
	id    memory.Identity
	key   uuid.UUID
	sends activities.WebhookSettings
	// providers follow what happens; nil: none do.
	providers *providers.Set
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	w := &hooked{world: newWorld(t), sends: activities.WebhookSettings{
		Retries: []time.Duration{50 * time.Millisecond, 100 * time.Millisecond}, PauseAfter: time.Hour, Rate: 1000,
	}}
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	_, key, err := w.store.CreateKey(t.Context(), administrator("acme", ""), admin.NewKey{Name: "hooks", Role: memory.RoleAdmin})
	if err != nil {
		t.Fatal(err)
	}
	w.key = key.ID
	w.id = key.Identity().For("ada", memory.NoOwner)
	return w
}

// serve runs a worker until stop is called or the test ends.
func (w *hooked) serve(t *testing.T) (stop func()) {
	t.Helper()
	steps, err := activities.New(activities.Options{
		Store: w.store, Now: time.Now, Log: slog.New(slog.DiscardHandler), Webhooks: w.sends, Providers: w.providers,
		Hooks: hooks.NewSender("test", 2*time.Second, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, nil, time.Now),
	})
	if err != nil {
		t.Fatal(err)
	}
	x := New(w.client, steps, Options{ModelConcurrency: 1, WebhookConcurrency: 10, SweepInterval: 100 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	stop = func() { once.Do(x.Stop) }
	t.Cleanup(stop)
	return stop
}

// add adds a webhook of written documents.
func (w *hooked) add(t *testing.T, r *receiver) uuid.UUID {
	t.Helper()
	secret, made, err := w.store.CreateWebhook(t.Context(), w.id, webhooks.NewWebhook{URL: r.URL, Kinds: []string{"document.written"}})
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = hooks.WriteSecret(secret)
	return made.ID
}

// write writes documents, one event each, and returns their paths.
func (w *hooked) write(t *testing.T, prefix string, n int) (paths []string) {
	t.Helper()
	for i := range n {
		path := fmt.Sprintf("%s-%02d.md", prefix, i)
		if _, err := w.store.Apply(t.Context(), w.id.For("ada", "user:1"), "", []memory.Change{{
			Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpReplace, Force: true, Content: "secret words\n",
		}}); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func (w *hooked) read(t *testing.T, webhook uuid.UUID) webhooks.Webhook {
	t.Helper()
	hook, err := w.store.Webhook(t.Context(), w.id, webhook)
	if err != nil {
		t.Fatal(err)
	}
	return hook
}

// await waits until done.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// Events arrive in order, each at least once and none missed, while endpoints fail in passing, another one hangs, and the worker is
// replaced.
func TestWebhooksDeliverInOrder(t *testing.T) {
	w := newHooked(t)
	steady := newReceiver(t, nil)
	flaky := newReceiver(t, func(attempt int, _ string) int {
		return []int{500, 307, 204}[min(attempt, 3)-1]
	})
	hang := make(chan struct{})
	defer close(hang)
	hanging := newReceiver(t, func(int, string) int { <-hang; return 204 })
	stop := w.serve(t)
	first, second := w.add(t, steady), w.add(t, flaky)
	w.add(t, hanging)
	paths := w.write(t, "a", 10)
	began := time.Now()
	await(t, "the steady endpoint has all", func() bool { return slices.Equal(steady.got(), paths) })
	t.Logf("10 events took %s while another endpoint hangs", time.Since(began))
	stop()
	paths = append(paths, w.write(t, "b", 10)...)
	w.serve(t)
	for name, r := range map[string]*receiver{"steady": steady, "flaky": flaky} {
		await(t, name+" has all", func() bool { return slices.Equal(r.got(), paths) })
		if len(r.bad) > 0 {
			t.Errorf("%s: %v", name, r.bad)
		}
	}
	for _, id := range []uuid.UUID{first, second} {
		await(t, "it is recorded", func() bool { return w.read(t, id).Delivered >= 20 })
		if hook := w.read(t, id); hook.State != webhooks.Active || hook.FailingSince != nil || hook.LastReason != "" || hook.Failures != 0 {
			t.Errorf("%+v", hook)
		}
	}
}

// An event that an endpoint never accepts is given up, those after it follow, and it can be delivered again.
func TestWebhookGivesUpAnEvent(t *testing.T) {
	w := newHooked(t)
	var healed sync.Map
	poison := ""
	r := newReceiver(t, func(_ int, id string) int {
		if _, is := healed.Load("all"); !is && strings.HasSuffix(id, poison) && poison != "" {
			return 500
		}
		return 204
	})
	hook := w.add(t, r)
	paths := w.write(t, "a", 3)
	page, err := w.store.Journal(t.Context(), w.id.For("ada", "user:1"), journalAfter(w.read(t, hook)))
	if err != nil || len(page.Events) != 3 {
		t.Fatalf("%d events, %v", len(page.Events), err)
	}
	poison = page.Events[1].Cursor().String()
	w.serve(t)
	await(t, "the others have arrived", func() bool { return slices.Equal(r.got(), []string{paths[0], paths[2]}) })
	listed, err := w.store.WebhookFailures(t.Context(), w.id, hook, store.Page{})
	if err != nil || len(listed.Items) != 1 {
		t.Fatalf("%+v, %v", listed, err)
	}
	f := listed.Items[0]
	if f.Event.String() != poison || f.Attempts != 3 || f.LastStatus != 500 || f.LastReason != string(hooks.ReasonStatus) || f.Kind != "document.written" {
		t.Errorf("%+v", f)
	}
	again := func() {
		t.Helper()
		if marked, err := w.store.RedeliverWebhook(t.Context(), w.id, hook, []uuid.UUID{f.ID}); err != nil || len(marked) != 1 {
			t.Fatal(marked, err)
		}
	}
	again()
	await(t, "it is refused again", func() bool {
		listed, err := w.store.WebhookFailures(t.Context(), w.id, hook, store.Page{})
		return err == nil && len(listed.Items) == 1 && listed.Items[0].Attempts == 4 && !listed.Items[0].Redeliver
	})
	healed.Store("all", true)
	again()
	await(t, "it has arrived", func() bool { return slices.Contains(r.got(), paths[1]) && w.read(t, hook).Failures == 0 })
}

// An endpoint is paused when it fails for long, is gone, or its key has ended. What it has not got waits.
func TestWebhookIsPaused(t *testing.T) {
	w := newHooked(t)
	w.sends.PauseAfter = 200 * time.Millisecond
	w.sends.Retries = []time.Duration{50 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond, time.Second}
	var up sync.Map
	failing := newReceiver(t, func(int, string) int {
		if _, is := up.Load("up"); is {
			return 204
		}
		return 503
	})
	gone := newReceiver(t, func(int, string) int { return 410 })
	w.serve(t)
	long, left := w.add(t, failing), w.add(t, gone)
	paths := w.write(t, "a", 3)
	for id, reason := range map[uuid.UUID]string{long: webhooks.PausedFailing, left: webhooks.PausedGone} {
		await(t, "it is paused", func() bool { return w.read(t, id).State == webhooks.Paused })
		if hook := w.read(t, id); hook.Reason != reason || hook.Delivered > 0 {
			t.Errorf("%+v", hook)
		}
	}
	if _, err := w.store.RedeliverWebhook(t.Context(), w.id, long, nil); err == nil {
		t.Error("a paused one gets something again")
	}
	in := workflows.WebhookInput{AgentRef: activities.AgentRef{Workspace: "acme", Agent: "ada"}, Webhook: long}
	if out, err := workflows.PingWebhook(t.Context(), w.client, in, uuid.New()); err != nil || out.Status != 503 || out.Reason != hooks.ReasonStatus {
		t.Errorf("a ping to a paused one: %+v, %v", out, err)
	}
	up.Store("up", true)
	if out, err := workflows.PingWebhook(t.Context(), w.client, in, uuid.New()); err != nil || out.Status != 204 || out.Reason != "" {
		t.Errorf("a ping: %+v, %v", out, err)
	}
	active := webhooks.Active
	if _, err := w.store.ChangeWebhook(t.Context(), w.id, long, webhooks.WebhookChange{State: &active}); err != nil {
		t.Fatal(err)
	}
	await(t, "a resumed one gets all", func() bool {
		return slices.Equal(slices.DeleteFunc(failing.got(), func(p string) bool { return p == "" }), paths)
	})
	if err := w.store.RevokeKey(t.Context(), administrator("acme", ""), w.key); err != nil {
		t.Fatal(err)
	}
	w.write(t, "b", 1)
	await(t, "one whose key has ended is paused", func() bool { return w.read(t, long).Reason == webhooks.PausedKeyEnded })
	if _, err := w.store.ChangeWebhook(t.Context(), w.id, long, webhooks.WebhookChange{State: &active}); err == nil {
		t.Error("it was resumed")
	}
	if _, err := workflows.PingWebhook(t.Context(), w.client, in, uuid.New()); err == nil {
		t.Error("it got a ping")
	}
	if got := failing.got(); slices.Contains(got, "b-00.md") {
		t.Errorf("it got an event: %v", got)
	}
}
