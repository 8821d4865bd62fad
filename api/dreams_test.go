package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/dreams"
)

const (
	dreamReports = "/api/v1/memory/ada/dream/reports"
	dreaming     = "/api/v1/memory/ada/dreaming"
)

// dreamer returns the identity of the workflow of a dream of an owner of ada.
func dreamer(owner memory.Owner) memory.Identity {
	return memory.Identity{
		Workspace: workspace, Agent: "ada", Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorDream, ID: "rules", WorkflowID: "dream/" + uuid.NewString(), RunID: uuid.NewString()},
	}
}

// statement holds the text that the dreams of these tests promote.
const statement = "STATEMENTMARKER lives in Bern."

// promoted returns a candidate that passed, kept one that did not.
func promoted() dream.Candidate {
	return dream.Candidate{
		ID: markdown.EntryIDOf("- " + statement), Text: statement, Heading: "HEADINGMARKER", Score: .81, Verdict: dream.VerdictPromoted,
		ReasonCode: dream.ReasonPassed, Reason: "REASONMARKER", Line: "- " + statement, Tags: []string{"TAGMARKER"},
		Places:  []dream.Place{{Origin: dream.FromNote, Day: "2026-01-30", Path: "memory/2026-01-30.md", FromLine: 3, ToLine: 3}},
		Signals: dream.Signals{MentionDays: []dream.Day{"2026-01-28", "2026-01-29", "2026-01-30"}},
		Gates:   []dream.Gate{{Name: "score", Value: .81, Need: .75, Passed: true}},
	}
}

func kept() dream.Candidate {
	const text = "STATEMENTMARKER bought a kettle."
	return dream.Candidate{
		ID: markdown.EntryIDOf(
			"- " + text,
		), Text: text, Score: .41, Verdict: dream.VerdictKept, ReasonCode: dream.ReasonOneOff, Reason: "REASONMARKER",
		Places:  []dream.Place{{Origin: dream.FromSession, Day: "2026-01-30", Conversation: "c1", Messages: []int64{1}}},
		Signals: dream.Signals{MentionDays: []dream.Day{"2026-01-30"}},
		Gates:   []dream.Gate{{Name: "score", Value: .41, Need: .75}, {Name: "signals", Value: 1, Need: 3}},
	}
}

// dreamt makes a dream as the worker does, which writes its statement into MEMORY.md.
func (h *harness) dreamt(owner memory.Owner, d dreams.NewDream) dreams.Dream {
	h.t.Helper()
	ctx, id := h.t.Context(), dreamer(owner)
	if d.Mode == "" {
		d.Mode, d.Trigger = memory.DreamNightly, memory.DreamBySchedule
	}
	if d.Settings == (setting.DreamSettings{}) {
		d.Settings = setting.DefaultDreamSettings()
	}
	record, err := h.store.BeginDream(ctx, id, d)
	if err != nil {
		h.t.Fatal(err)
	}
	scope := memory.ScopePersonal
	if owner == memory.SystemOwner {
		scope = memory.ScopeTeam
	}
	candidates := []dream.Candidate{promoted(), kept()}
	err = h.store.StageDream(ctx, id, record.ID, dreams.StagedDream{
		AsOf: time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC), From: "2026-01-25", Scope: scope, Candidates: candidates,
		Pins: dream.Pins{
			Documents: []dream.PinnedDocument{{Path: "memory/2026-01-30.md", Scope: string(scope), Version: 2}},
			Sessions:  []dream.PinnedSession{{Conversation: "PINMARKER", From: 1, To: 4}},
			Material:  strings.Repeat("a", 64), Candidates: strings.Repeat("b", 64), Looked: dream.Looked{Notes: 1, Statements: 2},
		},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	err = h.store.ReflectDream(ctx, id, record.ID, dream.Reflection{
		Themes: []dream.Theme{{Tag: "THEMEMARKER", Strength: .5}}, Truths: []dream.Truth{{Candidate: candidates[0].ID, Confidence: .7}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	stage, err := h.store.DreamStage(ctx, id, record.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	before := stage.Files.Memory.Content
	after := before
	if !strings.Contains(before, statement) {
		after += "\n## Promoted From Short-Term Memory (2026-01-31)\n\n- " + statement + "\n"
	}
	err = h.store.DraftDream(ctx, id, record.ID, dreams.DreamDraft{
		Ranking: dream.Ranking{
			Candidates:     candidates,
			Contradictions: []dream.Contradiction{{Older: candidates[1].ID, Newer: candidates[0].ID, Why: "CONTRADICTIONMARKER"}},
		},
		Changes: []memory.Change{
			{Ref: memory.Ref{Scope: scope, Path: "MEMORY.md"}, Op: memory.OpReplace, Content: after, Base: stage.Files.Memory.Version},
			{
				Ref:     memory.Ref{Scope: scope, Path: "DREAMS.md"},
				Op:      memory.OpAppend,
				Content: "# Dreams\n\n## 2026-01-31 02:00 Dream\n\nDIARYMARKER\n",
			},
		},
		Diff:    markdown.UnifiedDiff("MEMORY.md", "MEMORY.md", before, after) + " DIFFMARKER\n",
		Outcome: memory.OutcomeWritten, Reason: "REASONMARKER", Raw: "RAWMARKER", Model: "test/model", PromptVersion: "dream@1",
		Usage: memory.Usage{Calls: 1, InputTokens: 100, OutputTokens: 10},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if record, err = h.store.CommitDream(ctx, id, record.ID, ""); err != nil {
		h.t.Fatal(err)
	}
	return record
}

type dreamReport struct {
	ID, Owner, Scope, Mode, Topic, Trigger, Night, Phase, Outcome, ReasonCode, Reason, Model, PromptVersion, Diff, ReplayOf string
	DryRun                                                                                                                  bool
	Counts                                                                                                                  dreams.DreamCounts
	Usage                                                                                                                   memory.Usage
	Window                                                                                                                  *struct {
		From string
		AsOf time.Time
	}
	Read       *dream.Pins
	Changes    []memory.ChangeReceipt
	Settings   struct{ MinScore float64 }
	Reverted   *struct{ By string }
	Candidates []dreamCandidate
	Seconds    *float64
}

type dreamCandidate struct {
	ID, Text, Verdict, ReasonCode string
	Score                         float64
	Gates                         []dream.Gate
}

type dreamPage struct {
	Items []dreamReport
	Next  string
}

// A dream's texts may be about a person: a caller who names nobody sees that it happened, not its contents.
func TestDreamsHaveNoContentsWithoutAnOwner(t *testing.T) {
	h := start(t)
	h.agent("ada")
	of42 := h.dreamt("api:42", dreams.NewDream{Mode: memory.DreamFocused, Trigger: memory.DreamByRequest, Topic: "TOPICMARKER"})
	listed := []string{"api:42", "TOPICMARKER", "REASONMARKER"}
	whole := append(
		[]string{
			"DIFFMARKER",
			"THEMEMARKER",
			"CONTRADICTIONMARKER",
			"PINMARKER",
			"STATEMENTMARKER",
			"HEADINGMARKER",
			"TAGMARKER",
			"memory/2026-01-30.md",
		},
		listed...)
	shows := func(what string, a answered, markers []string, shown bool) {
		t.Helper()
		for _, marker := range markers {
			if strings.Contains(string(a.body), marker) != shown {
				t.Errorf("%s: %s in the answer: %v", what, marker, !shown)
			}
		}
	}
	for _, c := range h.readers() {
		read := func(path string) answered { return h.do(request{method: "GET", path: path + c.query, key: c.key}) }
		list := h.want(read(dreamReports), 200)
		got := as[dreamPage](h, list)
		if len(got.Items) != c.items {
			t.Errorf("%s: %s", c.name, list.body)
			continue
		}
		one, candidates := dreamReports+"/"+of42.ID.String(), dreamReports+"/"+of42.ID.String()+"/candidates"
		if c.items == 0 {
			h.wantError(read(one), 404, "not_found")
			h.wantError(read(candidates), 404, "not_found")
			continue
		}
		if x := got.Items[0]; x.ID != of42.ID.String() || x.Outcome != "written" || x.Phase != "ended" || x.Counts.Candidates != 2 ||
			x.Usage.InputTokens != 100 {
			t.Errorf("%s: %+v", c.name, x)
		}
		shows(c.name+" lists", list, listed, c.whole)
		shows(c.name+" reads", h.want(read(one), 200), whole, c.whole)
		page := h.want(read(candidates), 200)
		shows(
			c.name+" reads candidates",
			page,
			[]string{"STATEMENTMARKER", "HEADINGMARKER", "TAGMARKER", "REASONMARKER", "memory/2026-01-30.md"},
			c.whole,
		)
		if got := as[struct{ Items []dreamCandidate }](h, page); len(got.Items) != 2 || got.Items[0].Score != .81 ||
			got.Items[1].ReasonCode != "one_off" ||
			len(got.Items[1].Gates) != 2 {
			t.Errorf("%s: %s", c.name, page.body)
		}
	}
}

// Only callers who may see the whole dream see the model's answer.
func TestWhatAModelSaidInADream(t *testing.T) {
	h := start(t)
	h.agent("ada")
	dry := h.dreamt("api:42", dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, DryRun: true})
	path := dreamReports + "/" + dry.ID.String()
	for name, c := range map[string]struct {
		key  string
		full bool
	}{
		"viewer": {h.key("viewer", memory.RoleViewer, ""), false}, "member": {h.key("member", memory.RoleMember, ""), false},
		"pinned": {h.key("pinned", memory.RoleViewer, "api:42"), true}, "admin": {h.admin, true},
	} {
		a := h.want(h.do(request{method: "GET", path: path, key: c.key}), 200)
		for _, marker := range []string{"RAWMARKER", "DIFFMARKER"} {
			if strings.Contains(string(a.body), marker) != c.full {
				t.Errorf("%s: %s in the answer: %v", name, marker, !c.full)
			}
		}
	}
}

// A report contains everything that is known of a dream.
func TestAReportOfADream(t *testing.T) {
	h := start(t)
	h.agent("ada")
	record := h.dreamt("api:42", dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "2026-01-31T02:00"})
	path := dreamReports + "/" + record.ID.String()
	got := as[dreamReport](h, h.want(h.get(path), 200))
	if got.Mode != "nightly" || got.Trigger != "schedule" || got.Night != "2026-01-31T02:00" || got.Owner != "api:42" ||
		got.Scope != "PERSONAL" ||
		got.DryRun || got.Outcome != "written" || got.Model != "test/model" || got.PromptVersion != "dream@1" ||
		got.Settings.MinScore != .75 ||
		got.Usage.OutputTokens != 10 ||
		got.Seconds == nil ||
		!strings.Contains(got.Diff, "+- "+statement) {
		t.Errorf("%+v", got)
	}
	if got.Window == nil || got.Window.From != "2026-01-25" || !got.Window.AsOf.Equal(time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("window %+v", got.Window)
	}
	if got.Read == nil || len(got.Read.Documents) == 0 || got.Read.Documents[0].Version != 2 || got.Read.Material == "" {
		t.Errorf("read %+v", got.Read)
	}
	changed := map[string]bool{}
	for _, c := range got.Changes {
		changed[c.Path] = c.Changed
	}
	if diff := cmp.Diff(map[string]bool{"MEMORY.md": true, "DREAMS.md": true}, changed); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if len(got.Candidates) != 2 || got.Candidates[0].Verdict != "promoted" || got.Candidates[0].Text != statement {
		t.Errorf("candidates %+v", got.Candidates)
	}
	if got := as[dreamReport](h, h.get(path+"?candidates=0")); len(got.Candidates) != 0 {
		t.Errorf("%+v", got.Candidates)
	}
	one := as[struct {
		dreamReport
		MoreCandidates bool
	}](h, h.get(path+"?candidates=1"))
	if len(one.Candidates) != 1 || !one.MoreCandidates {
		t.Errorf("%+v", one)
	}
	only := as[struct{ Items []dreamCandidate }](h, h.want(h.get(path+"/candidates?verdict=kept"), 200))
	if len(only.Items) != 1 || only.Items[0].Verdict != "kept" {
		t.Errorf("%+v", only)
	}
	h.wantError(h.get(path+"?candidates=201"), 422, "invalid_request")
	h.wantError(h.get(path+"/candidates?verdict=splendid"), 422, "invalid_request")
	h.wantError(h.get(dreamReports+"/"+uuid.NewString()), 404, "not_found")
	h.wantError(h.get(dreamReports+"/nonsense"), 422, "invalid_request")
}

func TestDreamsAreFilteredAndPaged(t *testing.T) {
	h := start(t)
	h.agent("ada")
	for i := range 3 {
		h.dreamt(
			"api:42",
			dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: fmt.Sprintf("2026-01-1%dT02:00", i)},
		)
	}
	h.dreamt("api:42", dreams.NewDream{Mode: memory.DreamPromote, Trigger: memory.DreamByRequest, DryRun: true})
	h.dreamt("api:43", dreams.NewDream{Mode: memory.DreamPromote, Trigger: memory.DreamByRequest})
	for query, want := range map[string]int{
		"": 5, "?endUserId=42": 4, "?endUserId=43": 1, "?owner=api:44": 0, "?mode=promote": 2, "?mode=promote&real=true": 1,
		"?endUserId=42&real=true": 3,
		"?outcome=quarantined":    0, "?owner=system": 0,
	} {
		if got := as[dreamPage](h, h.want(h.get(dreamReports+query), 200)); len(got.Items) != want || got.Items == nil {
			t.Errorf("%s: %d, want %d", query, len(got.Items), want)
		}
	}
	for _, query := range []string{"?mode=splendid", "?outcome=splendid", "?cursor=nonsense", "?limit=501"} {
		h.wantError(h.get(dreamReports+query), 422, "invalid_request")
	}
	var nights []string
	for next := ""; ; {
		got := as[dreamPage](h, h.want(h.get(dreamReports+"?endUserId=42&real=true&limit=2&cursor="+next), 200))
		for _, x := range got.Items {
			nights = append(nights, x.Night)
		}
		if next = got.Next; next == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"2026-01-12T02:00", "2026-01-11T02:00", "2026-01-10T02:00"}, nights); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
