package worker

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/llm"
	"reverie/llm/extractive"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/talk"
	"reverie/workflows"
)

// windows are a world with processes that flush and compact, and a model that notes every message that it is shown.
type windows struct {
	*world
	model   *llmtest.Server
	workers []*Worker
}

// newWindows starts several workers, each with its own client.
func newWindows(t *testing.T, processes int, script llmtest.Script) *windows {
	t.Helper()
	w := &windows{world: newWorld(t)}
	w.agent("acme", "ada", "UTC", setting.AgentSettings{})
	w.model = llmtest.New(t, llmtest.Options{Script: script, Answer: notesAndSums, Key: func(prompt string) string {
		return strings.Join(shownOaks(prompt)[:min(1, len(shownOaks(prompt)))], "") // the first message that is shown
	}})
	for range processes {
		w.run(t)
	}
	t.Cleanup(func() {
		for _, worker := range w.workers {
			worker.Stop()
		}
	})
	return w
}

// run starts one more process.
func (w *windows) run(t *testing.T) {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: w.temporal.Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	model, err := llm.Open(llm.Config{
		Provider: "openai", Model: "scripted", APIKey: "key", BaseURL: w.model.URL + "/v1",
		Timeout: 10 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	prompted := activities.Prompted{Model: model, MaxTokens: 2000}
	steps, err := activities.New(activities.Options{
		Store: w.store, Proposer: prompted, Paid: true, Flusher: prompted, Summariser: prompted, Rules: extractive.New(),
		Defaults: setting.DefaultExtractSettings(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	worker := New(c, steps, Options{ModelConcurrency: 4, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	w.workers = append(w.workers, worker)
}

// restart stops every process, and starts as many.
func (w *windows) restart(t *testing.T) {
	t.Helper()
	old := w.workers
	w.workers = nil
	for _, worker := range old {
		worker.Stop()
	}
	for range old {
		w.run(t)
	}
}

// The messages of these tests: each one is about its own oak, so that it can be traced.
var (
	oak  = regexp.MustCompile(`ak number \d+ `)
	said = regexp.MustCompile(`(?s)<<<CONVERSATION \w+\n(.*)\n\w+ CONVERSATION>>>`)
)

// shownOaks are the messages that a prompt shows as the conversation.
func shownOaks(prompt string) []string {
	m := said.FindStringSubmatch(prompt)
	if m == nil {
		return nil
	}
	return oak.FindAllString(m[1], -1)
}

// notesAndSums is the model: it notes every message, and its summaries name the last one they cover.
func notesAndSums(prompt string) string {
	shown := shownOaks(prompt)
	if strings.Contains(prompt, "Answer with the new summary.") {
		return "## Goal\n- Oaks.\n\n## Progress\n- Done: o" + shown[len(shown)-1] + "was planted."
	}
	var entry strings.Builder
	entry.WriteString("## 10:00 Oaks\n\n")
	for _, o := range shown {
		entry.WriteString("- O" + o + "stands in the garden.\n")
	}
	return fmt.Sprintf(`{"should_update":true,"reason":"oaks","daily_entry":%q}`, entry.String())
}

// talk stores a conversation of so many messages, all of which are remembered by rules as well.
func (w *windows) talk(t *testing.T, name string, messages int) (ref memory.OwnerRef, conversation uuid.UUID) {
	t.Helper()
	b := talk.Batch{Conversation: name, Trigger: memory.TriggerAPI, TurnComplete: true}
	for i := range messages {
		b.Messages = append(b.Messages, memory.Message{
			ID: fmt.Sprint(i), Role: memory.RoleOfUser, Content: fmt.Sprintf("Remember: oak number %d stands in the garden.", i+1),
			CreatedAt: time.Now(),
		})
	}
	stored, err := w.store.AppendMessages(t.Context(), owner(name), b)
	if err != nil {
		t.Fatal(err)
	}
	return memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: stored.OwnerID}, stored.ConversationUID
}

// settings are those of a window with short waits.
func (w *windows) settings(policy setting.FlushPolicy) setting.CompactSettings {
	s := setting.DefaultWindowSettings()
	s.Paid, s.FlushPolicy, s.FlushDeadline, s.SummaryDeadline, s.ModelHeartbeat = true, policy, 20*time.Second, 20*time.Second, 2*time.Second
	e := setting.DefaultExtractSettings()
	e.ModelHeartbeat = 2 * time.Second
	return s.Compact(e)
}

// today is the day of the agent.
func (w *windows) today() time.Time { return time.Now().UTC() }

// noted are the messages that today's note has, in order.
func (w *windows) noted(t *testing.T, name string) []string {
	t.Helper()
	note, err := w.store.Document(t.Context(), owner(name), memory.Ref{Scope: memory.ScopePersonal, Path: memory.DailyNotePath(w.today())})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(note.Content) {
		if strings.HasPrefix(line, "- ") { // headings repeat one of them
			out = append(out, oak.FindAllString(line, -1)...)
		}
	}
	return out
}

// wantFlushed checks that each message up to one is noted once and covered by one step of one acknowledged flush.
func (w *windows) wantFlushed(t *testing.T, name string, to int) []talk.Flush {
	t.Helper()
	var want []string
	for i := range to {
		want = append(want, fmt.Sprintf("ak number %d ", i+1))
	}
	if d := cmp.Diff(want, w.noted(t, name)); d != "" {
		t.Errorf("noted (-want +got):\n%s", d)
	}
	list, err := w.store.Flushes(t.Context(), owner(name), name, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list.Items, func(a, b talk.Flush) int { return int(a.From - b.From) })
	next := int64(1)
	for _, f := range list.Items {
		whole, err := w.store.Flush(t.Context(), owner(name), f.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range whole.Steps {
			if s.From != next || s.Outcome != memory.OutcomeWritten {
				t.Errorf("step %+v, want one from message %d", s, next)
			}
			next = s.To + 1
		}
		if !f.Acknowledged() {
			t.Errorf("flush %d to %d is not acknowledged", f.From, f.To)
		}
	}
	if next != int64(to)+1 {
		t.Errorf("steps end before message %d, want %d", next, to+1)
	}
	return list.Items
}

// Two processes, and many who ask at once for the same and for other ranges: everything is flushed once, and summarised once.
func TestTwoProcessesCompactOneConversation(t *testing.T) {
	w := newWindows(t, 2, nil)
	ref, conversation := w.talk(t, "case-1", 70)
	var all sync.WaitGroup
	for i := range 12 {
		in := workflows.CompactInput{
			OwnerRef: ref, Conversation: conversation, To: []int64{40, 60, 60}[i%3], Trigger: memory.CompactByTurn,
			FlushOnly: i%4 == 3, Settings: w.settings(setting.FlushFallback),
		}
		all.Go(func() {
			out, err := w.ended(t.Context(), in)
			if err != nil || out.Outcome != memory.OutcomeWritten && !in.FlushOnly || out.Fallback {
				t.Errorf("up to %d: %+v (%v)", in.To, out, err)
			}
		})
	}
	all.Wait()
	flushes := w.wantFlushed(t, "case-1", 60)
	if len(flushes) > 2 {
		t.Errorf("%d flushes", len(flushes))
	}
	list, err := w.store.Compactions(t.Context(), owner("case-1"), "case-1", store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[int64]int{}
	for _, c := range list.Items {
		ends[c.To]++
		if c.Outcome != memory.OutcomeWritten || !strings.Contains(c.Summary, fmt.Sprintf("ak number %d ", c.To)) ||
			c.TokensAfter >= c.TokensBefore {
			t.Errorf("compaction %+v", c)
		}
	}
	if ends[60] != 1 || ends[40] > 1 {
		t.Errorf("compactions end with %v", ends)
	}
	asked := w.model.Stats().Requests
	if most := 2*2 + 2 + len(list.Items); asked > most { // two steps for each flush at most
		t.Errorf("the model was asked %d times, at most %d were needed", asked, most)
	}
	again, err := w.ended(t.Context(), workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 60, Trigger: memory.CompactByRequest, Settings: w.settings(setting.FlushFallback),
	})
	if err != nil || again.Compaction == uuid.Nil || again.Usage.Calls != 0 || w.model.Stats().Requests != asked {
		t.Errorf("once more: %+v (%v), %d questions more", again, err, w.model.Stats().Requests-asked)
	}
}

// A process that stops in the middle of a flush and one that stops in the middle of a summary lose nothing and repeat nothing.
func TestAProcessIsRestartedInTheMiddle(t *testing.T) {
	asked, release := make(chan struct{}, 8), make(chan struct{})
	broken := map[int]bool{2: true, 4: true} // the second step, and the summary
	w := newWindows(t, 1, func(r llmtest.Request) llmtest.Reply {
		if broken[r.Number] {
			asked <- struct{}{}
			<-release
			return llmtest.Status(500)
		}
		return llmtest.Honest()
	})
	ref, conversation := w.talk(t, "case-1", 60)
	run, err := workflows.StartCompact(t.Context(), w.client, workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 50, Trigger: memory.CompactByTurn, Settings: w.settings(setting.FlushFallback),
	})
	if err != nil {
		t.Fatal(err)
	}
	for range broken {
		<-asked
		time.AfterFunc(200*time.Millisecond, func() { release <- struct{}{} })
		w.restart(t)
	}
	var out workflows.CompactResult
	if err := run.Get(t.Context(), &out); err != nil || out.Outcome != memory.OutcomeWritten || out.Fallback {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	w.wantFlushed(t, "case-1", 50)
	if n := w.model.Stats().Requests; n != 5 { // two steps, one of them twice, and the summary twice
		t.Errorf("the model was asked %d times", n)
	}
}

// The model is unavailable: rules acknowledge after its deadline, or the flush waits until it is back, by policy.
func TestAModelIsAwayWhileAFlushWaits(t *testing.T) {
	for _, policy := range []setting.FlushPolicy{setting.FlushFallback, setting.FlushWait} {
		t.Run(string(policy), func(t *testing.T) {
			byRules := policy == setting.FlushFallback
			const flushDeadline = 2 * time.Second
			firstAsked := sync.OnceValue(time.Now)
			w := newWindows(t, 1, func(llmtest.Request) llmtest.Reply {
				if byRules || time.Since(firstAsked()) < 3*flushDeadline { // a flush that waits is answered past its deadline
					return llmtest.Status(503)
				}
				return llmtest.Honest()
			})
			ref, conversation := w.talk(t, "case-1", 40)
			in := workflows.CompactInput{
				OwnerRef: ref, Conversation: conversation, To: 40, Trigger: memory.CompactByTurn,
				Settings: w.settings(policy),
			}
			in.Settings.Flush.Deadline = flushDeadline
			if byRules {
				in.Settings.SummaryDeadline = flushDeadline
			}
			out, err := w.ended(t.Context(), in)
			if err != nil || out.Outcome != memory.OutcomeWritten {
				t.Fatalf("it ended as %+v (%v)", out, err)
			}
			flushes := w.wantFlushed(t, "case-1", 40)
			compaction, err := w.store.Compaction(t.Context(), owner("case-1"), out.Compaction)
			if err != nil {
				t.Fatal(err)
			}
			if flushes[0].Fallback != byRules || out.Fallback != byRules || compaction.Fallback != byRules {
				t.Errorf("the flush fell back: %v; the summary: %v; %+v", flushes[0].Fallback, compaction.Fallback, out)
			}
			if compaction.Summary == "" || len(compaction.Receipts) != 1 || compaction.Receipts[0].ID != flushes[0].ID {
				t.Errorf("compaction %+v", compaction)
			}
		})
	}
}

// An emergency asks no model, also while another compaction of the same messages waits for one.
func TestAnEmergencyNeedsNoModel(t *testing.T) {
	w := newWindows(t, 1, func(r llmtest.Request) llmtest.Reply { return llmtest.Slow(time.Minute) })
	ref, conversation := w.talk(t, "case-1", 20)
	in := workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 20, Trigger: memory.CompactByOverflow,
		Settings: w.settings(setting.FlushFallback),
	}
	in.Settings.Paid, in.Settings.Flush.Paid = false, false
	began := time.Now()
	out, err := w.ended(t.Context(), in)
	if err != nil || out.Outcome != memory.OutcomeWritten || out.Fallback || w.model.Stats().Requests != 0 {
		t.Errorf("it ended as %+v (%v) after %d questions", out, err, w.model.Stats().Requests)
	}
	t.Logf("20 messages were flushed and summarised by rules in %s", time.Since(began).Round(time.Millisecond))
	w.wantFlushed(t, "case-1", 20)
}

// No history has a word of what was said, noted or summarised.
func TestHistoriesOfWindowsHoldReferences(t *testing.T) {
	w := newWindows(t, 1, nil)
	ref, conversation := w.talk(t, "case-1", 40)
	in := workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 40, Trigger: memory.CompactByTurn,
		Settings: w.settings(setting.FlushFallback),
	}
	if _, err := w.ended(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	d := dreamWorld{world: w.world}
	for _, id := range []string{in.ID(), workflows.FlushID(conversation, 1, 40)} {
		events := d.history(t, id, "")
		if len(events) < 5 {
			t.Errorf("%s has %d events", id, len(events))
		}
		for _, event := range events {
			for _, words := range []string{"ak number", "Remember", "garden", "case-1", "Goal"} {
				if text := event.String(); strings.Contains(text, words) {
					t.Errorf("%s: %q in %.300s", id, words, text)
				}
			}
		}
		t.Logf("%s: %d events", id[:strings.IndexByte(id, '/')], len(events))
	}
}
