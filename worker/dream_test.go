package worker

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"reverie/activities"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/workflows"
)

// dreamWorld is a world whose worker runs, with a model that adds to MEMORY.md what its owner has said on three days.
type dreamWorld struct {
	*world
	model *llmtest.Server
}

func newDreams(t *testing.T, script llmtest.Script, more ...func(*activities.Options)) dreamWorld {
	t.Helper()
	d := dreamWorld{world: newWorld(t)}
	d.agent("acme", "ada", "UTC", setting.AgentSettings{})
	key := llmtest.KeyPattern(`pet of (case-[a-z0-9-]+)`)
	d.model = llmtest.New(t, llmtest.Options{Script: script, Key: key, Answer: func(prompt string) string {
		return fmt.Sprintf(`{"should_update":true,"reason":"a pet","memory_content":%q,"retired":[]}`, written(key(prompt)))
	}})
	model, err := llm.Open(llm.Config{
		Provider: "openai", Model: "scripted", APIKey: "key", BaseURL: d.model.URL + "/v1",
		Timeout: 10 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := setting.DefaultDreamSettings()
	settings.Paid, settings.ModelHeartbeat = true, 2*time.Second
	o := activities.Options{
		Store: d.store, Consolidator: activities.Prompted{Model: model, MaxTokens: 2000}, DreamDefaults: settings,
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	for _, set := range more {
		set(&o)
	}
	steps, err := activities.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w := New(d.client, steps, Options{ModelConcurrency: 8, SweepInterval: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return d
}

// statement returns the sentence that an owner repeats on three days.
func statement(name string) string { return "The pet of " + name + " is a tortoise called Momo." }

func before(name string) string {
	return "# Memory\n\n## Home\n\n- The garden of " + name + " has an oak.\n"
}

func written(name string) string { return before(name) + "\n## Pets\n\n- " + statement(name) + "\n" }

func owner(name string) memory.Identity {
	return memory.Identity{
		Workspace: "acme", Agent: "ada", Owner: memory.Owner("user:" + name), Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "key"},
	}
}

// says lets an owner write MEMORY.md and make statements on some days, the last of them yesterday.
func (d dreamWorld) says(t *testing.T, name string, days int) {
	t.Helper()
	changes := []memory.Change{d.replace(memory.MemoryPath, before(name))}
	for i := range days {
		day := time.Now().UTC().AddDate(0, 0, -1-i).Format(time.DateOnly)
		changes = append(changes, d.replace("memory/"+day+".md", "# "+day+"\n\n- "+statement(name)+"\n"))
	}
	if _, err := d.store.Apply(t.Context(), owner(name), uuid.NewString(), changes); err != nil {
		t.Fatal(err)
	}
}

func (d dreamWorld) replace(path, content string) memory.Change {
	return memory.Change{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpReplace, Content: content, Force: true}
}

func (d dreamWorld) memoryOf(t *testing.T, name string) memory.Document {
	t.Helper()
	document, err := d.store.Document(t.Context(), owner(name), memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// news are the owners with news, by reference.
func (d dreamWorld) news(t *testing.T) []memory.OwnerRef {
	t.Helper()
	refs, err := d.store.News(t.Context(), administrator("acme", "ada"), uuid.Nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

// night runs a night of the agent.
func (d dreamWorld) night(t *testing.T) workflows.DreamNightResult {
	t.Helper()
	ref := activities.AgentRef{Workspace: "acme", Agent: "ada"}
	run, err := d.client.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: workflows.DreamNightID(ref) + "-test", TaskQueue: workflows.TaskQueue},
		workflows.DreamNight, workflows.DreamNightInput{AgentRef: ref, TimeZone: "UTC", Cron: "0 2 * * *", Parallel: 3})
	if err != nil {
		t.Fatal(err)
	}
	var out workflows.DreamNightResult
	if err := run.Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestANightOfManyOwners(t *testing.T) {
	d := newDreams(t, func(r llmtest.Request) llmtest.Reply {
		switch {
		case r.Key == "case-refused":
			return llmtest.Unauthorized()
		case r.Key == "case-busy" && r.Attempt == 1:
			return llmtest.Status(429, time.Second)
		}
		return llmtest.Honest()
	})
	names := []string{"case-refused", "case-busy", "case-1", "case-2", "case-3", "case-4", "case-5"}
	for _, name := range names {
		d.says(t, name, 3)
	}
	d.says(t, "case-once", 1)
	out := d.night(t)
	want := map[string]int{"written": 6, "failed": 1, "nothing": 1}
	if out.Owners != 8 || out.Late != 0 || !cmp.Equal(out.Outcomes, want) {
		t.Errorf("the night was %+v, want %v", out, want)
	}
	for _, name := range names {
		want := written(name)
		if name == "case-refused" {
			want = before(name)
		}
		if got := d.memoryOf(t, name).Content; got != want {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
		}
	}
	if left := d.news(t); len(left) != 1 {
		t.Errorf("%d owners have news after the night", len(left))
	}
	if again := d.night(t); again.Owners != 1 || again.Night == out.Night {
		t.Errorf("the next one is %+v", again)
	}
}

// history are the events of a workflow's run.
func (d dreamWorld) history(t *testing.T, id, run string) []*historypb.HistoryEvent {
	t.Helper()
	var events []*historypb.HistoryEvent
	for all := d.client.GetWorkflowHistory(t.Context(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); {
		event, err := all.Next()
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event)
	}
	return events
}

// reset begins a run again after one of its workflow tasks.
func (d dreamWorld) reset(t *testing.T, id, run string, event int64) {
	t.Helper()
	d.resetFor(t, "a test", id, run, event)
}

func (d dreamWorld) resetFor(t *testing.T, reason, id, run string, event int64) {
	t.Helper()
	if _, err := d.client.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: client.DefaultNamespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: run},
		Reason: reason, WorkflowTaskFinishEventId: event, RequestId: uuid.NewString(),
	}); err != nil {
		t.Fatal(err)
	}
}

func TestADreamIsResetAtAnyStep(t *testing.T) {
	d := newDreams(t, nil)
	d.says(t, "case-1", 3)
	in := workflows.DreamInput{OwnerRef: d.news(t)[0], Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00"}
	run, err := workflows.StartDream(t.Context(), d.client, in)
	if err != nil {
		t.Fatal(err)
	}
	first, err := run.Result(t.Context())
	if err != nil || first.Outcome != memory.OutcomeWritten {
		t.Fatalf("it ended as %+v (%v)", first, err)
	}
	document, resets, unasked := d.memoryOf(t, "case-1"), 0, 0
	for _, event := range d.history(t, run.GetID(), run.GetRunID()) {
		if event.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			continue
		}
		d.reset(t, run.GetID(), run.GetRunID(), event.GetEventId())
		resets++
		again, err := workflows.DreamRun{WorkflowRun: d.client.GetWorkflow(t.Context(), run.GetID(), "")}.Result(t.Context())
		unchanged := again.Before // the run says that it did nothing
		again.Before = false
		if unchanged {
			unasked++
		}
		if err != nil || again != first {
			t.Errorf("reset at event %d it ended as %+v (%v), want %+v", event.GetEventId(), again, err, first)
		}
	}
	if now := d.memoryOf(t, "case-1"); now.Version != document.Version || resets < 3 || unasked != resets {
		t.Errorf("after %d resets (%d said so) MEMORY.md has version %d, it had %d", resets, unasked, now.Version, document.Version)
	}
	if n := d.model.Stats().Requests; n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A person resets a dream that was written, to each of its steps, and asks with the reason to dream again: every time it is undone
// and dreamed again, with a report that names the one before. MEMORY.md never has a line twice.
func TestADreamIsDreamedAgainByAReset(t *testing.T) {
	d := newDreams(t, nil)
	d.says(t, "case-1", 3)
	in := workflows.DreamInput{OwnerRef: d.news(t)[0], Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00"}
	run, err := workflows.StartDream(t.Context(), d.client, in)
	if err != nil {
		t.Fatal(err)
	}
	last, err := run.Result(t.Context())
	if err != nil || last.Outcome != memory.OutcomeWritten {
		t.Fatalf("it ended as %+v (%v)", last, err)
	}
	repeated := 0
	for _, event := range d.history(t, run.GetID(), run.GetRunID()) {
		if event.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			continue
		}
		d.resetFor(t, "Dream again: the model was wrong", run.GetID(), run.GetRunID(), event.GetEventId())
		again, err := workflows.DreamRun{WorkflowRun: d.client.GetWorkflow(t.Context(), run.GetID(), "")}.Result(t.Context())
		if err != nil || again.Outcome != memory.OutcomeWritten {
			t.Fatalf("reset at event %d it ended as %+v (%v)", event.GetEventId(), again, err)
		}
		if got := d.memoryOf(t, "case-1"); got.Content != written("case-1") {
			t.Errorf("reset at event %d, MEMORY.md is\n%s", event.GetEventId(), got.Content)
		}
		if again.Repeats != last.Dream || again.Before {
			t.Errorf("reset at event %d, dream %s repeats %s, not %s", event.GetEventId(), again.Dream, again.Repeats, last.Dream)
		}
		last = again
		repeated++
	}
	if repeated < 6 {
		t.Errorf("it was dreamed again %d times", repeated)
	}
	reports, err := d.store.Dreams(t.Context(), owner("case-1"), dreams.DreamFilter{}, store.Page{Limit: 100})
	if err != nil || len(reports.Items) != repeated+1 || !reports.Items[0].RevertedAt.IsZero() || reports.Items[1].AgainAs != last.Dream {
		t.Errorf("%d reports (%v)", len(reports.Items), err)
	}
}

func TestADreamIsResetWhileAModelWrites(t *testing.T) {
	asked, answer := make(chan struct{}, 4), make(chan struct{})
	d := newDreams(t, func(r llmtest.Request) llmtest.Reply {
		asked <- struct{}{}
		if r.Attempt == 1 {
			<-answer
		}
		return llmtest.Honest()
	})
	d.says(t, "case-1", 3)
	in := workflows.DreamInput{OwnerRef: d.news(t)[0], Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00"}
	run, err := workflows.StartDream(t.Context(), d.client, in)
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	last := int64(0)
	for _, event := range d.history(t, run.GetID(), run.GetRunID()) {
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			last = event.GetEventId()
		}
	}
	d.reset(t, run.GetID(), run.GetRunID(), last)
	<-asked
	close(answer)
	out, err := workflows.DreamRun{WorkflowRun: d.client.GetWorkflow(t.Context(), run.GetID(), "")}.Result(t.Context())
	if err != nil || out.Outcome != memory.OutcomeWritten {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	if got := d.memoryOf(t, "case-1"); got.Content != written("case-1") || got.Version != 2 {
		t.Errorf("version %d of MEMORY.md:\n%s", got.Version, got.Content)
	}
	if n := d.model.Stats().Requests; n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	reports, err := d.store.Dreams(t.Context(), owner("case-1"), dreams.DreamFilter{}, store.Page{})
	if err != nil || len(reports.Items) != 1 {
		t.Errorf("%d reports (%v)", len(reports.Items), err)
	}
}

// A dream that finds nothing costs one workflow with two store steps and one separate step.
func TestWhatADreamCosts(t *testing.T) {
	d := newDreams(t, nil)
	d.says(t, "case-0", 0)
	d.says(t, "case-1", 3)
	for name, want := range map[string][]string{
		"nothing": {"OpenDream", "LightSleep", "Tidy"},
		"written": {"OpenDream", "LightSleep", "REMSleep", "DeepSleep", "Consolidate", "CommitDream", "Tidy"},
	} {
		for _, ref := range d.news(t) {
			whose, err := d.store.ResolveOwner(context.Background(), administrator("acme", "ada"), ref.Owner)
			if err != nil {
				t.Fatal(err)
			}
			if (name == "written") != strings.HasSuffix(string(whose), "case-1") {
				continue
			}
			began := time.Now()
			run, err := workflows.StartDream(t.Context(), d.client,
				workflows.DreamInput{OwnerRef: ref, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: name})
			if err != nil {
				t.Fatal(err)
			}
			out, err := run.Result(t.Context())
			if err != nil || string(out.Outcome) != name {
				t.Fatalf("%s ended as %+v (%v)", name, out, err)
			}
			took := time.Since(began)
			events := d.history(t, run.GetID(), run.GetRunID())
			var did []string
			for _, event := range events {
				switch {
				case event.GetMarkerRecordedEventAttributes().GetMarkerName() == "LocalActivity":
					did = append(did, localStep(t, event.GetMarkerRecordedEventAttributes()))
				case event.GetActivityTaskScheduledEventAttributes() != nil:
					did = append(did, event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName())
				}
			}
			if d := cmp.Diff(want, did); d != "" {
				t.Errorf("steps of a dream with the outcome %s (-want +got):\n%s", name, d)
			}
			t.Logf("%s: %d events, %s", name, len(events), took.Round(time.Millisecond))
		}
	}
}

// localStep is the name of the local step that a marker records.
func localStep(t *testing.T, marker *historypb.MarkerRecordedEventAttributes) string {
	t.Helper()
	var recorded struct{ ActivityType string }
	if err := converter.GetDefaultDataConverter().FromPayloads(marker.GetDetails()["data"], &recorded); err != nil {
		t.Fatal(err)
	}
	return recorded.ActivityType
}
