package api_test

import (
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/indexes"
	"reverie/workflows"
)

type dreamingState struct {
	Enabled  bool
	Schedule struct {
		State, Cron, TimeZone string
		Next                  *time.Time
	}
	Last, Running *dreamReport
	Backlog       struct {
		News  bool
		Since *time.Time
	}
	Statements, Outcomes map[string]int
	Diary                string
	Settings             struct {
		MinScore float64
		Days     int
	}
}

func TestDreamingStatus(t *testing.T) {
	h := start(t)
	h.agent("ada")
	before := as[dreamingState](h, h.want(h.get(dreaming+"/status?endUserId=42"), 200))
	if !before.Enabled || before.Last != nil || before.Running != nil || before.Backlog.News || before.Statements == nil ||
		before.Outcomes == nil ||
		before.Schedule.Cron != "0 2 * * *" || before.Schedule.TimeZone != "UTC" ||
		before.Settings.MinScore != .75 {
		t.Errorf("%+v", before)
	}
	if before.Schedule.State != "unknown" || before.Schedule.Next != nil { // Temporal is away
		t.Errorf("%+v", before.Schedule)
	}
	record := h.dreamt("api:42", dreams.NewDream{})
	h.want(h.put("memory/2026-01-31.md?endUserId=42", "# 2026-01-31\n\n- Likes tea.\n", nil), 201)
	after := as[dreamingState](h, h.want(h.get(dreaming+"/status?endUserId=42"), 200))
	if after.Last == nil || after.Last.ID != record.ID.String() || after.Last.Reason != "REASONMARKER" || after.Outcomes["written"] != 1 ||
		!strings.Contains(after.Diary, "DIARYMARKER") {
		t.Errorf("%+v", after)
	}
	if !after.Backlog.News || after.Backlog.Since == nil {
		t.Errorf("%+v", after.Backlog)
	}
	if after.Statements["promoted"] != 1 || after.Statements["open"] != 1 {
		t.Errorf("%+v", after.Statements)
	}
	if _, err := h.store.BeginDream(t.Context(), dreamer("api:42"), dreams.NewDream{Mode: "nightly", Trigger: "schedule"}); err != nil {
		t.Fatal(err)
	}
	if got := as[dreamingState](h, h.get(dreaming+"/status?endUserId=42")); got.Running == nil || got.Running.Phase != "light" ||
		got.Running.Outcome != "running" {
		t.Errorf("%+v", got.Running)
	}
	// Of another owner, and of the shared memory, nothing of it is seen.
	for _, query := range []string{"?endUserId=43", "", "?owner=system"} {
		if got := as[dreamingState](h, h.want(h.get(dreaming+"/status"+query), 200)); got.Last != nil || got.Running != nil ||
			got.Diary != "" {
			t.Errorf("%q: %+v", query, got)
		}
	}
	h.want(h.do(request{method: "PATCH", path: "/api/v1/agents/ada", key: h.admin, body: map[string]any{
		"settings": map[string]any{"dreamingEnabled": false, "dreamCron": "30 3 * * *", "dreamMinScore": .5},
	}}), 200)
	off := as[dreamingState](h, h.get(dreaming+"/status"))
	if off.Enabled || off.Schedule.State != "off" || off.Schedule.Cron != "30 3 * * *" || off.Settings.MinScore != .5 {
		t.Errorf("%+v", off)
	}
}

func TestTheStatusOfSharedMemoryIsAnOutlineForOthers(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.dreamt(memory.SystemOwner, dreams.NewDream{})
	for name, c := range map[string]struct {
		key  string
		full bool
	}{
		"viewer": {h.key("viewer", memory.RoleViewer, ""), false}, "member": {h.key("member", memory.RoleMember, ""), false},
		"admin": {h.admin, true},
	} {
		status := h.want(h.do(request{method: "GET", path: dreaming + "/status", key: c.key}), 200)
		if got := as[dreamingState](h, status); got.Last == nil || (got.Last.Reason != "") != c.full {
			t.Errorf("%s: %s", name, status.body)
		}
		candidates := h.want(h.do(request{method: "GET", path: dreaming + "/candidates", key: c.key}), 200)
		if strings.Contains(string(candidates.body), "STATEMENTMARKER") != c.full ||
			!strings.Contains(string(candidates.body), `"score":0.81`) {
			t.Errorf("%s: %s", name, candidates.body)
		}
		why := h.want(h.do(request{method: "GET", path: dreaming + "/candidates/" + string(kept().ID) + "/explain", key: c.key}), 200)
		if strings.Contains(string(why.body), "STATEMENTMARKER") != c.full {
			t.Errorf("%s: %s", name, why.body)
		}
		search := h.do(request{method: "GET", path: dreaming + "/explain?text=kettle", key: c.key})
		if (search.status == 200) != c.full || !c.full && search.Error != "owner_not_allowed" {
			t.Errorf("%s: %s", name, search.body)
		}
		// The diary is a shared document.
		if diary := h.want(h.do(request{method: "GET", path: dreaming + "/dreams", key: c.key}), 200); !strings.Contains(
			string(diary.body),
			"DIARYMARKER",
		) {
			t.Errorf("%s: %s", name, diary.body)
		}
	}
}

func TestCandidatesOfTheLatestDream(t *testing.T) {
	h := start(t)
	h.agent("ada")
	type candidates struct {
		Dream string
		Items []dreamCandidate
		Next  string
	}
	if got := as[candidates](h, h.want(h.get(dreaming+"/candidates?endUserId=42"), 200)); got.Dream != "" || got.Items == nil ||
		len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
	h.dreamt("api:42", dreams.NewDream{})
	latest := h.dreamt("api:42", dreams.NewDream{})
	h.dreamt("api:42", dreams.NewDream{Mode: "promote", Trigger: "request", DryRun: true})
	quiet := dreamer("api:42") // a night without candidates hides none
	if record, err := h.store.BeginDream(t.Context(), quiet, dreams.NewDream{Mode: "nightly", Trigger: "schedule"}); err != nil {
		t.Fatal(err)
	} else if _, err := h.store.EndDream(t.Context(), quiet, record.ID,
		dreams.DreamEnding{Outcome: "nothing", ReasonCode: "no_news"}); err != nil {
		t.Fatal(err)
	}
	got := as[candidates](h, h.want(h.get(dreaming+"/candidates?endUserId=42&limit=1"), 200))
	if got.Dream != latest.ID.String() || len(got.Items) != 1 || got.Items[0].Text != statement || got.Next == "" {
		t.Errorf("%+v", got)
	}
	got = as[candidates](h, h.want(h.get(dreaming+"/candidates?endUserId=42&limit=1&cursor="+got.Next), 200))
	if len(got.Items) != 1 || got.Items[0].Verdict != "kept" || got.Next != "" {
		t.Errorf("%+v", got)
	}
	if got := as[candidates](h, h.get(dreaming+"/candidates?endUserId=42&verdict=rejected")); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
	if got := as[candidates](h, h.get(dreaming+"/candidates?endUserId=43")); len(got.Items) != 0 || got.Dream != "" {
		t.Errorf("%+v", got)
	}
}

func TestCandidatesAreExplained(t *testing.T) {
	h := start(t)
	h.agent("ada")
	h.dreamt("api:42", dreams.NewDream{})
	type explained struct {
		Candidate    dreamCandidate
		State        *struct{ Status string }
		Summary      string
		Lacks, Would []string
	}
	entry := dreaming + "/candidates/" + string(kept().ID) + "/explain"
	got := as[explained](h, h.want(h.get(entry+"?endUserId=42"), 200))
	if got.Candidate.Text != kept().Text || got.State == nil || got.State.Status != "open" || got.Summary == "" || len(got.Lacks) == 0 {
		t.Errorf("%+v", got)
	}
	h.wantError(h.get(entry+"?endUserId=43"), 404, "not_found")
	h.wantError(h.get(entry), 404, "not_found")
	type found struct{ Items []explained }
	for text, want := range map[string]int{
		"kettle": 1, "BOUGHT kettle": 1, "STATEMENTMARKER": 2, "STATEMENTMARKER lives in Bern": 1, "giraffe": 0,
	} {
		got := as[found](h, h.want(h.get(dreaming+"/explain?endUserId=42&text="+url.QueryEscape(text)), 200))
		if len(got.Items) != want || got.Items == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
	h.wantError(h.get(dreaming+"/explain?endUserId=42"), 422, "invalid_request")
	h.wantError(h.get(dreaming+"/explain?endUserId=42&text=a"), 422, "invalid_request")
}

func TestTheDiary(t *testing.T) {
	h := start(t)
	h.agent("ada")
	type diary struct {
		Scope, Path, Content, ETag string
		Version                    int
		Months                     []struct{ Path string }
	}
	if got := as[diary](h, h.want(h.get(dreaming+"/dreams?endUserId=42"), 200)); got.Version != 0 || got.Scope != "PERSONAL" ||
		got.Months == nil {
		t.Errorf("%+v", got)
	}
	h.dreamt("api:42", dreams.NewDream{})
	h.want(h.put("memory/dreaming/diary/2025-12.md?endUserId=42", "# December\n", nil), 201)
	got := as[diary](h, h.want(h.get(dreaming+"/dreams?endUserId=42"), 200))
	if got.Version != 1 || got.ETag == "" || !strings.Contains(got.Content, "DIARYMARKER") || len(got.Months) != 1 ||
		got.Months[0].Path != "memory/dreaming/diary/2025-12.md" {
		t.Errorf("%+v", got)
	}
	for _, query := range []string{"", "?endUserId=43"} {
		if got := as[diary](h, h.want(h.get(dreaming+"/dreams"+query), 200)); got.Content != "" || len(got.Months) != 0 {
			t.Errorf("%q: %+v", query, got)
		}
	}
}

// The status reports the time of the next night, and none while a person has paused the schedule.
func TestTheNextNight(t *testing.T) {
	h := startWithTemporal(t, nil, false)
	agent := "night-" + uuid.NewString()[:8] // schedules outlive a test
	h.want(h.do(request{method: "POST", path: "/api/v1/agents", key: h.admin, body: map[string]any{
		"id": agent, "timeZone": "Europe/Berlin", "settings": map[string]any{"dreamCron": "30 3 * * *"},
	}}), 201)
	await := func(state string) dreamingState {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			got := as[dreamingState](h, h.want(h.get("/api/v1/memory/"+agent+"/dreaming/status"), 200))
			if got.Schedule.State == state {
				return got
			}
			if time.Now().After(deadline) {
				t.Fatalf("%+v is not %s", got.Schedule, state)
			}
		}
	}
	got := await("on") // the schedule is made in the background
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if got.Schedule.Cron != "30 3 * * *" || got.Schedule.TimeZone != "Europe/Berlin" || got.Schedule.Next == nil ||
		!got.Schedule.Next.After(time.Now()) {
		t.Fatalf("%+v", got.Schedule)
	}
	if clock := got.Schedule.Next.In(berlin).Format("15:04"); clock < "03:30" || clock > "05:30" { // two hours of jitter
		t.Errorf("the next night is at %s", clock)
	}
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ref := indexes.AgentRef{Workspace: workspace, Agent: agent}
	if err := c.ScheduleClient().GetHandle(t.Context(), workflows.DreamScheduleID(ref)).Pause(t.Context(),
		client.SchedulePauseOptions{}); err != nil {
		t.Fatal(err)
	}
	if paused := await("paused"); paused.Schedule.Next != nil {
		t.Errorf("%+v", paused.Schedule)
	}
}
