package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reverie/dream/compose"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
)

type replayed struct {
	dreamRun
	Original   dreamReport
	Difference *compose.Difference
}

// A night is dreamed again with the same and with other parameters: the same inputs, whatever was written since.
func TestADreamIsReplayed(t *testing.T) {
	h := startWithTemporal(t, nil, true)
	h.agent("ada")
	h.week("42")
	original := as[dreamRun](h, h.want(h.postTo(h.admin, emergence+"?endUserId=42", nil), 200))
	written := h.memoryOf("42")
	h.want(h.put("memory/2026-01-31.md?endUserId=42", "# 2026-01-31\n\n- The ferry leaves at nine.\n", nil), 201)
	replay := func(key string, body any) replayed {
		t.Helper()
		return as[replayed](h, h.want(h.postTo(key, original.ReportLink+"/replay", body), 200))
	}
	same := replay(h.admin, nil)
	if same.Status != "completed" || same.Report == nil || same.Report.ReplayOf != original.Dream || same.Report.Trigger != "replay" ||
		!same.Report.DryRun ||
		same.Original.ID != original.Dream {
		t.Fatalf("%+v %+v", same, same.Report)
	}
	if d := same.Difference; d == nil || !d.SameMaterial || !d.SameCandidates || !d.SameMemory ||
		len(d.Settings)+len(d.Candidates)+len(d.Ended) > 0 ||
		d.Diff != "" {
		t.Errorf("the same night was another one: %+v", d)
	}
	other := replay(
		h.key("pinned", memory.RoleMember, "api:42"),
		map[string]any{
			"parameters": map[string]any{"minSignals": 1, "minDiversity": 1, "minScore": 0.3, "weights": map[string]any{"recency": 0.5}},
		},
	)
	d := other.Difference
	if d == nil || !d.SameMaterial || d.SameMemory || len(d.Settings) != 4 || !strings.Contains(d.Diff, "The kettle broke.") {
		t.Fatalf("%+v", d)
	}
	changed := map[string]string{}
	for _, c := range d.Candidates {
		if c.Was != nil && c.Is != nil {
			changed[c.Text] = string(c.Was.Verdict) + " " + string(c.Is.Verdict)
		}
	}
	if changed["The kettle broke."] != "kept promoted" {
		t.Errorf("%v", changed)
	}
	if h.memoryOf("42") != written {
		t.Errorf("a replay has written:\n%s", h.memoryOf("42"))
	}
	// The same comparison is read later by itself; a caller who names nobody sees no texts.
	path := dreamReports + "/" + other.Dream + "/difference"
	if got := as[compose.Difference](h, h.want(h.get(path), 200)); fmt.Sprintf("%+v", got.Settings) != fmt.Sprintf("%+v", d.Settings) ||
		got.Diff != d.Diff {
		t.Errorf("%+v", got)
	}
	outline := h.want(h.do(request{method: "GET", path: path, key: h.key("viewer", memory.RoleViewer, "")}), 200)
	if strings.Contains(string(outline.body), "kettle") || !strings.Contains(string(outline.body), `"minSignals"`) {
		t.Errorf("%s", outline.body)
	}
	between := as[compose.Difference](h, h.want(h.get(dreamReports+"/"+other.Dream+"/difference?from="+same.Dream), 200))
	if len(between.Settings) != 4 {
		t.Errorf("%+v", between)
	}
	h.wantError(h.get(original.ReportLink+"/difference"), 422, "invalid_request")
	h.wantError(h.get(original.ReportLink+"/difference?from="+uuid.NewString()), 404, "not_found")
	h.wantError(h.postTo(h.key("stranger", memory.RoleMember, "api:43"), original.ReportLink+"/replay", nil), 404, "not_found")
}

func TestWhatCannotBeReplayed(t *testing.T) {
	h := startWithTemporal(t, nil, false)
	h.agent("ada")
	record := h.dreamt("api:42", dreams.NewDream{})
	path := dreamReports + "/" + record.ID.String() + "/replay"
	for name, body := range map[string]any{
		"a model where there is none": map[string]any{"model": "large"},
		"a parameter out of range":    map[string]any{"parameters": map[string]any{"minScore": 2}},
		"what it looks at":            map[string]any{"parameters": map[string]any{"days": 3}},
		"an unknown one":              map[string]any{"parameter": map[string]any{}},
	} {
		if got := h.postTo(h.admin, path, body); got.status != 422 || got.Error != "invalid_request" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	// Without a worker the answer names the replay's future location; a repeat with the same key returns the same one.
	ask := func() replayed {
		t.Helper()
		return as[replayed](h, h.want(h.do(request{
			method: "POST", path: path + "?wait=0", key: h.admin, header: map[string]string{"Idempotency-Key": "once"},
		}), 202))
	}
	first := ask()
	if first.Status != "running" || first.Dream == "" || first.Difference != nil || first.Original.ID != record.ID.String() {
		t.Errorf("%+v", first)
	}
	if again := ask(); again.Dream != first.Dream {
		t.Errorf("%s became %s", first.Dream, again.Dream)
	}
	h.wantError(h.get(first.ReportLink+"/difference"), 409, "conflict")
	// One that looked at nothing has nothing to look at again.
	id := dreamer("api:42")
	empty, err := h.store.BeginDream(t.Context(), id, dreams.NewDream{Mode: "nightly", Trigger: "schedule"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.EndDream(t.Context(), id, empty.ID,
		dreams.DreamEnding{Outcome: memory.OutcomeSkipped, ReasonCode: "memory_off"}); err != nil {
		t.Fatal(err)
	}
	h.wantError(h.postTo(h.admin, dreamReports+"/"+empty.ID.String()+"/replay", nil), 409, "conflict")
}

// A difference without contents has none in the names of its settings either.
func TestADifferenceHasNoContentsInItsSettings(t *testing.T) {
	settings, err := json.Marshal(setting.DefaultDreamSettings())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(settings, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"topic", "owner", "text", "reason"} {
		if _, found := fields[name]; found {
			t.Errorf("settings have a field %s, which may speak of contents", name)
		}
	}
}
