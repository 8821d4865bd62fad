package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/test/bench/services"
	"reverie/test/deployment"
)

// fakeAPI records posts and answers every search with the same results.
type fakeAPI struct {
	mu       sync.Mutex
	posted   map[string]int // messages by path
	searches []services.Search
	results  string
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := "{}"
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		var b batch
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil || b.Owner != owner {
			http.Error(w, "a batch of the owner is expected", http.StatusBadRequest)
			return
		}
		f.posted[r.URL.Path] += len(b.Messages)
	case strings.HasSuffix(r.URL.Path, "/search"):
		var s services.Search
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.searches = append(f.searches, s)
		answer = f.results
	}
	_, _ = w.Write([]byte(`{"code":200,"msg":"OK","data":` + answer + `}`)) // the client sees it
}

// Results are scored against the evidence, over HTTP, from the file to the report.
func TestMeasureOverHTTP(t *testing.T) {
	fake := &fakeAPI{posted: map[string]int{}, results: `{"results":[
		{"conversation":"1","messageIds":["D1:2"]},
		{"conversation":"1","messageIds":["D1:2"]},
		{"conversation":"2","messageIds":["D2:1#2.2","D2:1"]}]}`}
	server := httptest.NewServer(fake)
	defer server.Close()
	dialogues, err := readDialogues(strings.NewReader(invented))
	if err != nil {
		t.Fatal(err)
	}
	dialogues[0].agent = "dialogue-1-1"
	b := bench{ks: []int{1, 2, 3}, searches: overHTTP{&deployment.Client{URL: server.URL}}}
	all, err := b.measureAll(t.Context(), []set{{"invented", dialogues}}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	recall := []recallAt{{1, 0, 0}, {2, 0, 1}, {3, 1, 1}}
	want := reports{"lexical", []report{{
		Set:       "invented",
		Loaded:    loadFigures{Dialogues: 1, Sessions: 2, Turns: 6, MalformedReferences: 2, SkippedQuestions: 1},
		Overall:   figures{"overall", 1, recall},
		Rival:     figures{"BM25", 1, []recallAt{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}},
		ByKind:    []figures{{"1 multi-hop", 1, recall}},
		Dialogues: []figures{{"garden", 1, recall}},
		Default:   defaultFigures{Results: 6, Found: 3, Recall: 1, Unlimited: 1, F1: 0.5},
	}}}
	if diff := cmp.Diff(want, all, cmpopts.IgnoreFields(report{}, "Loaded.Seconds", "Latency")); diff != "" {
		t.Error(diff)
	}
	if got := all.Sets[0]; got.Latency.Count != 1 {
		t.Errorf("%d searches were timed, want the one with evidence", got.Latency.Count)
	}
	const agent = "/api/v1/agents/dialogue-1-1/conversations/"
	if diff := cmp.Diff(map[string]int{agent + "1/messages": 2, agent + "2/messages": 3}, fake.posted); diff != "" {
		t.Error(diff)
	}
	floor := 0.0
	searches := []services.Search{
		{Owner: owner, Query: "What stands in the garden?", Corpus: "sessions", MaxResults: 3, MinScore: &floor},
		{Owner: owner, Query: "What stands in the garden?"},
	}
	if diff := cmp.Diff(searches, fake.searches[len(fake.searches)-2:]); diff != "" {
		t.Error(diff)
	}
}

func TestGroups(t *testing.T) {
	half, all := []recallAt{{5, 0.5, 1}}, []recallAt{{5, 1, 1}}
	var r report
	r.summarise([]asked{
		{dialogue: "second", category: "4 single-hop", recall: half},
		{dialogue: "first", category: "5 adversarial", recall: all, update: &update{found: true}},
		{dialogue: "second", category: "1 multi-hop", recall: all, update: &update{found: true, above: true}},
		{dialogue: "second", category: "other", recall: half, update: &update{}},
	}, []int{5})
	want := report{
		Overall: figures{"overall", 4, []recallAt{{5, 0.75, 1}}},
		ByKind: []figures{
			{"1 multi-hop", 1, all},
			{"4 single-hop", 1, half},
			{"5 adversarial", 1, all},
			{"other", 1, half},
		},
		Dialogues: []figures{{"second", 3, []recallAt{{5, 2.0 / 3, 1}}}, {"first", 1, all}},
		Updates:   updateFigures{Questions: 3, Found: 2, Above: 1},
	}
	if diff := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

func TestBars(t *testing.T) {
	var b bars
	for _, wrong := range []string{
		"", "turn@10", "turn=0.5", "turns@10=0.5", "turn@ten=0.5", "turn@0=0.5", "turn@10=much", "newest", "newest@5=1", "bm25=", "defaults", "beam:=1",
	} {
		if err := b.Set(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	const given = "turn@10=0.78,beam:session@10=0.95,newest=0.8,bm25=0,defaults=0.9"
	b = nil
	if err := b.Set(strings.Replace(given, "bm25=0", "bm25", 1)); err != nil || b.String() != given {
		t.Fatalf("%v: %s", err, b.String())
	}
	good := report{
		Set:     "beam-dev",
		Overall: figures{Recall: []recallAt{{5, 0.5, 1}, {10, 0.78, 0.95}}},
		Rival:   figures{Recall: []recallAt{{5, 0.5, 1}, {10, 0.7, 1}}},
		Updates: updateFigures{5, 4, 4},
		Default: defaultFigures{Recall: .45, Unlimited: .5, Updates: updateFigures{5, 4, 4}},
	}
	for name, c := range map[string]struct {
		change func(*report)
		failed []level
		judged int
	}{
		"all reached":                 {func(*report) {}, nil, 5},
		"turns":                       {func(r *report) { r.Overall.Recall[1].Turn = .779 }, []level{ofTurns}, 5},
		"sessions":                    {func(r *report) { r.Overall.Recall[1].Session = .949 }, []level{ofSessions}, 5},
		"sessions of another set":     {func(r *report) { r.Set, r.Overall.Recall[1].Session = "locomo-dev", .949 }, nil, 4},
		"newest":                      {func(r *report) { r.Updates.Above = 3 }, []level{ofNewest}, 5},
		"newest with the defaults":    {func(r *report) { r.Default.Updates.Above = 3 }, []level{ofNewest}, 5},
		"nothing has changed":         {func(r *report) { r.Updates, r.Default.Updates = updateFigures{}, updateFigures{} }, nil, 4},
		"BM25 is better at one place": {func(r *report) { r.Rival.Recall[0].Turn = .51 }, []level{overBM25}, 5},
		"defaults lose much":          {func(r *report) { r.Default.Recall = .44 }, []level{byDefault}, 5},
	} {
		r := good
		r.Overall.Recall, r.Rival.Recall = slices.Clone(r.Overall.Recall), slices.Clone(r.Rival.Recall)
		c.change(&r)
		all := reports{Sets: []report{r}}
		passed := all.judge(b)
		var failed []level
		for _, one := range all.Sets[0].Bars {
			if !one.Passed {
				failed = append(failed, one.Level)
			}
		}
		if passed != (c.failed == nil) || !slices.Equal(failed, c.failed) || len(all.Sets[0].Bars) != c.judged {
			t.Errorf("%s: passed %v, %+v", name, passed, all.Sets[0].Bars)
		}
	}
	if err := b.check([]int{5}, []set{{name: "beam-dev"}}); err == nil {
		t.Error("recall at an unmeasured k was taken")
	}
	if err := b.check([]int{10}, []set{{name: "locomo-dev"}}); err == nil {
		t.Error("an unknown set was taken")
	}
	if err := b.check([]int{5, 10}, []set{{name: "beam-dev"}}); err != nil {
		t.Error(err)
	}
}

func TestPrint(t *testing.T) {
	r := report{
		Set:     "invented",
		Overall: figures{"overall", 2, []recallAt{{5, 0.5, 1}, {10, 0.75, 1}}},
		Rival:   figures{"BM25", 2, []recallAt{{5, 0.25, 1}, {10, 0.25, 1}}},
		Updates: updateFigures{4, 3, 2},
		ByKind:  []figures{{"1 multi-hop", 2, []recallAt{{5, 0.5, 1}, {10, 0.75, 1}}}},
		Ablations: []ablated{{
			ablation:   ablation{Name: "without neighbours"},
			Recall:     []recallAt{{5, 0.25, 1}, {10, 0.75, 1}},
			Difference: []recallAt{{5, -0.25, 0}, {10, 0, 0}},
		}},
		Bars: []bar{{Level: "turn", K: 10, Least: 0.78, Got: 0.75}, {Level: "session", K: 10, Least: 0.95, Got: 1, Passed: true}},
	}
	var out strings.Builder
	if err := (reports{lexical, []report{r}}).print(&out); err != nil {
		t.Fatal(err)
	}
	printed := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"questions R@5 R@10 BM25 R@5 BM25 R@10",
		"invented 2 50.0 75.0 25.0 25.0 2/3 of 4",
		"questions R@5 R@10 R@5 R@10",
		"1 multi-hop 2 50.0 75.0 100.0 100.0",
		"without neighbours 25.0 -25.0 75.0 +0.0 100.0 +0.0 100.0 +0.0",
		"missed: turn R@10 75.0, minimum 78.0",
		"passed: session R@10 100.0, minimum 95.0",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

// Fusion is compared with the better of its inputs at 10.
func TestFusionBars(t *testing.T) {
	r := report{
		Overall: figures{Recall: []recallAt{{5, 0.5, 1}, {10, 0.7, 1}}},
		Inputs:  []ablated{{Recall: []recallAt{{5, 0.9, 1}, {10, 0.5, 1}}}, {Recall: []recallAt{{5, 0.1, 1}, {10, 0.709, 1}}}},
	}
	all := reports{Sets: []report{r}}
	if !all.judge(nil) || len(all.Sets[0].Bars) != 1 {
		t.Errorf("%+v", all.Sets[0].Bars)
	}
	r.Inputs[0].Recall[1].Turn = 0.711
	all = reports{Sets: []report{r}}
	if all.judge(nil) || all.Sets[0].Bars[0].Passed {
		t.Errorf("%+v", all.Sets[0].Bars)
	}
	r.Inputs = nil
	if bars := r.fusionBars(); len(bars) != 0 {
		t.Errorf("without vectors there are bars: %+v", bars)
	}
}

// A dialogue of three sessions.
var threeSessions = map[string]int{"D1:1": 1, "D1:2": 1, "D2:1": 2, "D2:2": 2, "D3:1": 3}

func TestMeasure(t *testing.T) {
	for name, c := range map[string]struct {
		found, evidence []string
		want            []recallAt // at 1 and 3
	}{
		"nothing found": {
			nil,
			[]string{"D1:1"},
			[]recallAt{{K: 1}, {K: 3}},
		},
		"first": {
			[]string{"D1:1", "D2:1"},
			[]string{"D1:1"},
			[]recallAt{{1, 1, 1}, {3, 1, 1}},
		},
		"another turn of the session": {
			[]string{"D1:2"},
			[]string{"D1:1"},
			[]recallAt{{1, 0, 1}, {3, 0, 1}},
		},
		"half of it": {
			[]string{"D3:1", "D1:1", "D1:2", "D2:1"},
			[]string{"D1:1", "D2:1"},
			[]recallAt{{1, 0, 0}, {3, 0.5, 0.5}},
		},
		"two turns of one session are one session": {
			[]string{"D1:1", "D2:1"},
			[]string{"D1:1", "D1:2"},
			[]recallAt{{1, 0.5, 1}, {3, 0.5, 1}},
		},
		"a turn that is found twice takes one place": {
			[]string{"D2:2", "D2:2", "D3:1", "D1:1"},
			[]string{"D1:1"},
			[]recallAt{{1, 0, 0}, {3, 1, 1}},
		},
		"evidence that is named twice counts once": {
			[]string{"D1:1"},
			[]string{"D1:1", "D1:1", "D2:1"},
			[]recallAt{{1, 0.5, 0.5}, {3, 0.5, 0.5}},
		},
		"a turn of no session takes a place": {
			[]string{"elsewhere", "D1:1"},
			[]string{"D1:1"},
			[]recallAt{{1, 0, 0}, {3, 1, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, measure(c.found, c.evidence, threeSessions, []int{1, 3})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUpdates(t *testing.T) {
	if got := updateIn([]string{"a"}, question{}); got != nil {
		t.Errorf("an answer that has not changed: %+v", got)
	}
	q := question{older: []string{"a", "b"}, newer: []string{"c", "d"}}
	for name, c := range map[string]struct {
		found []string
		want  update
	}{
		"nothing found": {nil, update{}},
		"only old":      {[]string{"a"}, update{}},
		"only new":      {[]string{"x", "d"}, update{true, true}},
		"new first":     {[]string{"d", "a", "c"}, update{true, true}},
		"old first":     {[]string{"b", "c", "a"}, update{true, false}},
	} {
		if got := *updateIn(c.found, q); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestMean(t *testing.T) {
	got := mean([][]recallAt{{{K: 5, Turn: 1, Session: 1}}, {{K: 5, Turn: 0.25, Session: 1}}, {{K: 5, Turn: 0, Session: 0}}}, []int{5})
	want := []recallAt{{K: 5, Turn: 1.25 / 3, Session: 2.0 / 3}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}
