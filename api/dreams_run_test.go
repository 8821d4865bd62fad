package api_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/workflows"
)

const emergence = "/api/v1/memory/ada/emergence"

type dreamRun struct {
	Status, Dream, ReportLink, WorkflowID, Link string
	Report                                      *dreamReport
}

type dreamInTheWay struct{ Dream, Phase, Outcome, ReportLink, WorkflowID string }

// week writes daily notes of an end user that say the same on three days, and something else once.
func (h *harness) week(endUser string) {
	h.t.Helper()
	for days := range 3 {
		day := time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly)
		content := fmt.Sprintf("# %s\n\n- Grace keeps the key of the boathouse in the blue cabinet.\n", day)
		if days == 1 {
			content += "- The kettle broke.\n"
		}
		h.want(h.put("memory/"+day+".md?endUserId="+endUser, content, nil), 201)
	}
}

func TestADreamIsAskedFor(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	h.week("42")
	// A dry run writes nothing and reports what it would have written.
	dry := as[dreamRun](h, h.want(h.postTo(h.admin, emergence+"?endUserId=42&dryRun=true", nil), 200))
	if dry.Status != "completed" || dry.Report == nil || !dry.Report.DryRun ||
		!strings.Contains(dry.Report.Diff, "+- Grace keeps the key") {
		t.Fatalf("%+v %+v", dry, dry.Report)
	}
	h.wantError(h.get(workspaceFiles+"files/MEMORY.md?scope=PERSONAL&endUserId=42"), 404, "not_found")

	pinned := h.key("pinned", memory.RoleMember, "api:42")
	done := as[dreamRun](h, h.want(h.postTo(pinned, emergence, nil), 200))
	if done.Status != "completed" || done.Report == nil || done.Report.Outcome != "written" || done.Report.Trigger != "request" ||
		done.Report.Counts.Promoted != 1 {
		t.Fatalf("%+v %+v", done, done.Report)
	}
	if done.ReportLink != dreamReports+"/"+done.Dream || !strings.HasPrefix(done.WorkflowID, "dream/acme.ada/") ||
		done.Link != "http://temporal.test/workflows/"+strings.ReplaceAll(done.WorkflowID, "/", "%2F") {
		t.Errorf("%+v", done)
	}
	if got := h.memoryOf("42"); !strings.Contains(got, "- Grace keeps the key of the boathouse in the blue cabinet.") ||
		strings.Contains(got, "kettle") {
		t.Errorf("MEMORY.md:\n%s", got)
	}
	status := as[dreamingState](h, h.get(dreaming+"/status?endUserId=42"))
	if status.Backlog.News || status.Last == nil || status.Last.ID != done.Dream || !strings.Contains(status.Diary, "Dream") {
		t.Errorf("%+v", status)
	}
	// There is nothing that was not known: nothing changes.
	again := as[dreamRun](h, h.want(h.postTo(pinned, emergence, nil), 200))
	if again.Report == nil || again.Report.Outcome != "nothing" || again.Dream == done.Dream || again.Report.Reason == "" {
		t.Errorf("%+v %+v", again, again.Report)
	}
	if log := h.log.String(); strings.Contains(log, "boathouse") {
		t.Error("the log has contents")
	}
}

func TestAFocusedDream(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	h.week("42")
	body := map[string]any{"topic": "TOPICMARKER boathouse"}
	done := as[dreamRun](h, h.want(h.postTo(h.admin, dreaming+"/focused?endUserId=42", body), 200))
	if done.Report == nil || done.Report.Mode != "focused" || done.Report.Topic != "TOPICMARKER boathouse" ||
		done.Report.Outcome != "written" {
		t.Errorf("%+v %+v", done, done.Report)
	}
	// The topic is not in the workflow's history.
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	history, events := c.GetWorkflowHistory(t.Context(), done.WorkflowID, "", false, 0), 0
	for ; history.HasNext(); events++ {
		event, err := history.Next()
		if err != nil {
			t.Fatal(err)
		}
		if text := event.String(); strings.Contains(text, "TOPICMARKER") || strings.Contains(text, "boathouse") {
			t.Errorf("contents in the history: %s", text)
		}
	}
	if events == 0 {
		t.Error("there is no history")
	}
	for _, topic := range []string{"", "  ", strings.Repeat("x", 257)} {
		h.wantError(h.postTo(h.admin, dreaming+"/focused?endUserId=42", map[string]any{"topic": topic}), 422, "invalid_request")
	}
}

// A request that is repeated with its key is one dream, and another request with the same key another one.
func TestADreamThatIsAskedForTwice(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	h.week("42")
	ask := func(query string) dreamRun {
		t.Helper()
		return as[dreamRun](h, h.want(h.do(request{
			method: "POST", path: emergence + query, key: h.admin, header: map[string]string{"Idempotency-Key": "once"},
		}), 200))
	}
	first := ask("?endUserId=42")
	if again := ask("?endUserId=42"); again.Dream != first.Dream || again.Report == nil || again.Report.Outcome != "written" {
		t.Errorf("%+v", again)
	}
	for _, query := range []string{"?endUserId=42&dryRun=true", "?endUserId=42&mode=rem", "?endUserId=43"} {
		if other := ask(query); other.Dream == first.Dream {
			t.Errorf("%s is the same dream", query)
		}
	}
	if got := as[dreamPage](h, h.get(dreamReports)); len(got.Items) != 4 {
		t.Errorf("%d dreams", len(got.Items))
	}
}

// A caller who names nobody starts a dream of the shared memory, and sees only its shared parts.
func TestADreamOfTheSharedMemory(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	for days := range 3 {
		day := time.Now().UTC().AddDate(0, 0, -days).Format(time.DateOnly)
		h.want(h.put("memory/"+day+".md", "# "+day+"\n\n- The office closes at six on Fridays.\n", nil), 201)
	}
	answer := h.want(h.postTo(h.key("member", memory.RoleMember, ""), emergence, nil), 200)
	if done := as[dreamRun](h, answer); done.Report == nil || done.Report.Outcome != "written" ||
		strings.Contains(string(answer.body), "office") {
		t.Errorf("%s", answer.body)
	}
	got := as[file](h, h.want(h.get(workspaceFiles+"files/MEMORY.md?scope=TEAM"), 200))
	if !strings.Contains(got.Content, "- The office closes at six on Fridays.") {
		t.Errorf("%s", got.Content)
	}
	h.wantError(h.postTo(h.key("viewer", memory.RoleViewer, ""), emergence, nil), 403, "forbidden")
	h.wantError(h.postTo(h.key("other", memory.RoleMember, ""), emergence+"?owner=system", nil), 403, "owner_not_allowed")
}

func TestWhereDreamingIsOff(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	h.week("42")
	set := func(settings map[string]any) {
		t.Helper()
		h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{"settings": settings}}), 200)
	}
	dream := func(query string) *dreamReport {
		t.Helper()
		return as[dreamRun](h, h.want(h.postTo(h.admin, emergence+"?endUserId=42"+query, nil), 200)).Report
	}
	set(map[string]any{"dreamingEnabled": false})
	if got := dream(""); got == nil || got.Outcome != "skipped" || got.ReasonCode != "dreaming_off" || got.Reason == "" {
		t.Errorf("%+v", got)
	}
	if got := dream("&dryRun=true"); got == nil || got.Outcome != "written" || got.Counts.Promoted != 1 {
		t.Errorf("%+v", got)
	}
	set(map[string]any{"memoryEnabled": false, "dreamingEnabled": true})
	for _, query := range []string{"", "&dryRun=true"} {
		if got := dream(query); got == nil || got.Outcome != "skipped" || got.ReasonCode != "memory_off" || got.Reason == "" {
			t.Errorf("%s: %+v", query, got)
		}
	}
	set(map[string]any{"memoryEnabled": nil, "ownerIsolation": false})
	if got := dream(""); got == nil || got.Outcome != "skipped" || got.ReasonCode != "shared_only" {
		t.Errorf("%+v", got)
	}
	h.wantError(h.get(workspaceFiles+"files/MEMORY.md?scope=PERSONAL&endUserId=42"), 404, "not_found")
	// A night that was skipped is still to be dreamed.
	night := "&asOf=" + time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	if got := dream(night); got == nil || got.Outcome != "skipped" {
		t.Errorf("%+v", got)
	}
	set(map[string]any{"ownerIsolation": nil})
	if got := dream(night); got == nil || got.Outcome == "skipped" || got.Night == "" {
		t.Errorf("%+v", got)
	}
}

// A night that was missed is dreamed once.
func TestANightThatWasMissed(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	h.week("42")
	yesterday := time.Now().UTC().AddDate(0, 0, -1)
	night := func(asOf string) answered { return h.postTo(h.admin, emergence+"?endUserId=42&asOf="+asOf, nil) }
	date := yesterday.Format(time.DateOnly)
	dry := as[dreamRun](h, h.want(h.postTo(h.admin, emergence+"?endUserId=42&dryRun=true&asOf="+date, nil), 200))
	if dry.Report == nil || dry.Report.Night != "" {
		t.Errorf("%+v", dry.Report)
	}
	done := as[dreamRun](h, h.want(night(date), 200))
	if done.Report == nil || done.Report.Night != date+"T02:00" || done.Report.Window == nil ||
		done.Report.Window.AsOf.UTC().Format("2006-01-02T15:04") != date+"T02:00" {
		t.Fatalf("%+v %+v", done, done.Report)
	}
	for _, asOf := range []string{date, date + "T17:00:00Z"} {
		refused := h.wantError(night(asOf), 409, "night_dreamed")
		if got := as[dreamInTheWay](h, refused); got.Dream != done.Dream || got.ReportLink != done.ReportLink || got.Outcome == "" {
			t.Errorf("%s: %s", asOf, refused.body)
		}
	}
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, asOf := range []string{tomorrow, "2020-01-31", "soon", "2026-02-30"} {
		h.wantError(night(asOf), 422, "invalid_request")
	}
	h.wantError(h.postTo(h.admin, emergence+"?endUserId=42&mode=focused", nil), 422, "invalid_request")
	h.wantError(h.postTo(h.admin, emergence+"?endUserId=42&wait=10m", nil), 422, "invalid_request")
}

// An outcome that is not there in time is answered with where it will be; an owner dreams one dream at a time.
func TestADreamThatTakesLonger(t *testing.T) {
	h := startWithTemporal(t, nil, false) // no worker takes it
	h.agent("ada")
	h.week("42")
	key := map[string]string{"Idempotency-Key": "once"}
	ask := func(query string, header map[string]string) answered {
		return h.do(request{method: "POST", path: emergence + "?endUserId=42" + query, key: h.admin, header: header})
	}
	first := as[dreamRun](h, h.want(ask("&wait=0", key), 202))
	if first.Status != "running" || first.Dream == "" || first.Report != nil || first.ReportLink != dreamReports+"/"+first.Dream {
		t.Errorf("%+v", first)
	}
	if again := as[dreamRun](h, h.want(ask("&wait=100ms", key), 202)); again.Dream != first.Dream {
		t.Errorf("a repeated request is another dream: %+v", again)
	}
	refused := h.wantError(ask("&wait=0", nil), 409, "dreaming")
	if got := as[dreamInTheWay](h, refused); got.Dream != first.Dream || got.Phase != "queued" || got.ReportLink != first.ReportLink {
		t.Errorf("%s", refused.body)
	}
	if beside := as[dreamRun](h, h.want(ask("&wait=0&dryRun=true", nil), 202)); beside.Dream == first.Dream {
		t.Errorf("%+v", beside)
	}
	// Others dream meanwhile.
	h.want(h.postTo(h.admin, emergence+"?endUserId=43&wait=0", nil), 202)
	queued := as[dreamReport](h, h.want(h.get(first.ReportLink), 200))
	if queued.Phase != "queued" || queued.Outcome != "running" || len(queued.Candidates) != 0 {
		t.Errorf("%+v", queued)
	}
}

// broken is a Temporal that answers and takes nothing.
type broken struct {
	client.Client
}

func (broken) ExecuteWorkflow(context.Context, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	return nil, errors.New("no workflow today")
}

// A dream that could not be started leaves a record of the failure, and does not block the next one.
func TestADreamThatIsNeverStarted(t *testing.T) {
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	h := start(t, func(o *api.Options) { o.Temporal = broken{c} })
	h.agent("ada")
	for range 2 {
		h.wantError(h.postTo(h.admin, emergence+"?endUserId=42", nil), 503, "workflows_unavailable")
	}
	got := as[dreamPage](h, h.get(dreamReports+"?endUserId=42"))
	if len(got.Items) != 2 || got.Items[0].Outcome != "failed" || got.Items[0].ReasonCode != "never_started" ||
		got.Items[0].Phase != "ended" {
		t.Errorf("%+v", got)
	}
	if status := as[dreamingState](h, h.get(dreaming+"/status?endUserId=42")); status.Running != nil {
		t.Errorf("%+v", status.Running)
	}
}

func TestWithoutWorkflowsNothingIsDreamed(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.wantError(h.postTo(h.admin, emergence+"?endUserId=42", nil), 503, "workflows_unavailable")
	if got := as[dreamPage](h, h.get(dreamReports)); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
}

// A record that its server or workflow has left open is not in the way for ever.
func TestARecordThatWasLeftOpen(t *testing.T) {
	clock := &fakeClock{at: time.Now()}
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	h := start(t, func(o *api.Options) { o.Temporal, o.Now = c, clock.now })
	h.agent("ada")
	id := dreamer("api:42")
	id.Author = memory.Author{Kind: memory.AuthorUser, ID: "a server that died"}
	left, err := h.store.BeginDream(t.Context(), id, dreams.NewDream{Mode: "nightly", Trigger: "request"})
	if err != nil {
		t.Fatal(err)
	}
	h.wantError(h.postTo(h.admin, emergence+"?endUserId=42&wait=0", nil), 409, "dreaming")
	clock.advance(time.Minute)
	next := as[dreamRun](h, h.want(h.postTo(h.admin, emergence+"?endUserId=42&wait=0", nil), 202))
	got := as[dreamReport](h, h.get(dreamReports+"/"+left.ID.String()))
	if next.Dream == left.ID.String() || got.Outcome != "failed" || got.ReasonCode != "never_started" {
		t.Errorf("%+v, and before %+v", next, got)
	}
	ref := memory.OwnerRef{Workspace: workspace, Agent: "ada", Owner: left.OwnerID}
	if running, err := c.DescribeWorkflowExecution(t.Context(), workflows.DreamID(ref), ""); err != nil ||
		running.GetWorkflowExecutionInfo() == nil {
		t.Errorf("%v", err)
	}
}
