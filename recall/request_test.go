package recall_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/search"
)

// untouched fails the test when it is used.
type untouched struct {
	recall.Store
	recall.Embedder
}

func (untouched) Identity() memory.EmbeddingIdentity { return memory.EmbeddingIdentity{Provider: "p"} }

// A question without words costs nothing: the store and the embedder are nil, so that any call panics.
func TestQuestionsWithoutWordsCostNothing(t *testing.T) {
	s := recall.Searcher{Store: untouched{}.Store, Embedders: []recall.Embedder{untouched{}}, Defaults: recall.DefaultSettings()}
	for _, query := range []string{"", "  \n\t ", "?!", "…", "---", "。！？", "😀 🎉", "\u200b"} {
		got, err := s.Search(t.Context(), memory.Identity{}, recall.Request{Query: query, After: 7, Wait: time.Second})
		if err != nil || len(got.Results) > 0 || got.Mode != recall.Lexical || got.Degraded {
			t.Errorf("%q: %+v, %v", query, got, err)
		}
	}
}

// Memory that is switched off is not read.
func TestDisabledMemoryIsNotSearched(t *testing.T) {
	off, on := false, true
	s := recall.Searcher{Defaults: recall.DefaultSettings()}
	got, err := s.Search(t.Context(), memory.Identity{}, recall.Request{Query: "balcony", Agent: setting.AgentSettings{MemoryEnabled: &off}})
	if err != nil || !got.Disabled || len(got.Results) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	s.Defaults.Enabled = false
	if got, err := s.Search(t.Context(), memory.Identity{}, recall.Request{Query: "balcony"}); err != nil || !got.Disabled {
		t.Errorf("%+v, %v", got, err)
	}
	if got := s.Defaults.With(setting.AgentSettings{MemoryEnabled: &on}); !got.Enabled {
		t.Error("the agent's setting does not override the server's")
	}
}

func TestInvalidRequests(t *testing.T) {
	number := func(n int) *int { return &n }
	share := func(x float64) *float64 { return &x }
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		request recall.Request
		fields  []string
	}{
		"longest question":   {recall.Request{Query: strings.Repeat("é", recall.MaxQuery)}, nil},
		"too long":           {recall.Request{Query: strings.Repeat("é", recall.MaxQuery+1)}, []string{"query"}},
		"not UTF-8":          {recall.Request{Query: "a\xff"}, []string{"query"}},
		"corpora":            {recall.Request{Corpus: search.Sessions}, nil},
		"all":                {recall.Request{Corpus: recall.All}, nil},
		"unknown corpus":     {recall.Request{Corpus: "wiki"}, []string{"corpus"}},
		"least results":      {recall.Request{MaxResults: number(1)}, nil},
		"most results":       {recall.Request{MaxResults: number(recall.MaxResults)}, nil},
		"no results":         {recall.Request{MaxResults: number(0)}, []string{"maxResults"}},
		"negative results":   {recall.Request{MaxResults: number(-1)}, []string{"maxResults"}},
		"too many results":   {recall.Request{MaxResults: number(recall.MaxResults + 1)}, []string{"maxResults"}},
		"scores":             {recall.Request{MinScore: share(1)}, nil},
		"negative score":     {recall.Request{MinScore: share(-.1)}, []string{"minScore"}},
		"score above 1":      {recall.Request{MinScore: share(1.1)}, []string{"minScore"}},
		"score that is none": {recall.Request{MinScore: share(math.NaN())}, []string{"minScore"}},
		"period":             {recall.Request{From: day, To: day.Add(1)}, nil},
		"empty period":       {recall.Request{From: day, To: day}, []string{"to"}},
		"period backwards":   {recall.Request{From: day, To: day.Add(-1)}, []string{"to"}},
		"longest wait":       {recall.Request{Wait: recall.MaxWait}, nil},
		"too long a wait":    {recall.Request{Wait: recall.MaxWait + 1}, []string{"wait"}},
		"negative wait":      {recall.Request{Wait: -1}, []string{"wait"}},
		"negative token":     {recall.Request{After: -1}, []string{"after"}},
		"every component":    {recall.Request{Options: recall.Options{Off: recall.Components()}}, nil},
		"unknown component":  {recall.Request{Options: recall.Options{Off: []string{"magic"}}}, []string{"options.off"}},
		"weight":             {recall.Request{Options: recall.Options{VectorWeight: share(2)}}, []string{"options.vectorWeight"}},
		"lambda":             {recall.Request{Options: recall.Options{MMRLambda: share(-1)}}, []string{"options.mmrLambda"}},
		"half-life":          {recall.Request{Options: recall.Options{DecayHalfLifeDays: share(0)}}, []string{"options.decayHalfLifeDays"}},
		"everything at once": {recall.Request{Corpus: "wiki", MaxResults: number(0)}, []string{"corpus", "maxResults"}},
		"infinite half-life": {
			recall.Request{Options: recall.Options{DecayHalfLifeDays: share(math.Inf(1))}},
			[]string{"options.decayHalfLifeDays"},
		},
		"half-life of a month": {recall.Request{Options: recall.Options{DecayHalfLifeDays: share(30)}}, nil},
	} {
		s := recall.Searcher{Defaults: recall.DefaultSettings()} // without words it is not asked
		if c.request.Query == "" || len(c.fields) == 0 {
			off := false
			c.request.Agent.MemoryEnabled = &off
		}
		_, err := s.Search(t.Context(), memory.Identity{}, c.request)
		if got := faults(err); !slices.Equal(got, c.fields) {
			t.Errorf("%s: faults in %q, want %q (%v)", name, got, c.fields, err)
		}
	}
}

// faults returns the fields of all InvalidErrors in an error.
func faults(err error) []string {
	var fields []string
	joined, is := err.(interface{ Unwrap() []error })
	if !is {
		return nil
	}
	for _, one := range joined.Unwrap() {
		if bad, is := errors.AsType[*recall.InvalidError](one); is {
			fields = append(fields, bad.Field)
		}
	}
	return fields
}

func TestParsePeriod(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, start, end string }{
		{"", "", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{"2026-05-01", "2026-05-31", "2026-04-30T22:00:00Z", "2026-05-31T22:00:00Z"},
		{"2026-05-01T08:00:00Z", "2026-05-01T08:00:00+02:00", "2026-05-01T08:00:00Z", "2026-05-01T06:00:00Z"},
		{"2026-03-29", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, // an hour shorter
	} {
		start, end, err := recall.ParsePeriod(c.from, c.to, berlin)
		if err != nil || start.UTC().Format(time.RFC3339) != c.start || end.UTC().Format(time.RFC3339) != c.end {
			t.Errorf("%s to %s: %s to %s, %v", c.from, c.to, start.UTC(), end.UTC(), err)
		}
	}
	for _, bad := range []string{"yesterday", "2026-13-01", "2026-02-30", "2026-05-01 08:00", "1"} {
		if _, _, err := recall.ParsePeriod(bad, bad, nil); !slices.Equal(faults(err), []string{"from", "to"}) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestQueryHash(t *testing.T) {
	same := recall.QueryHash("acme", "Where is  the Balcony?")
	if same != recall.QueryHash("acme", " where is the ＢＡＬＣＯＮＹ? ") {
		t.Error("case, width and spaces count")
	}
	if same == recall.QueryHash("acme", "where is the balcony") || same == recall.QueryHash("other", "Where is the Balcony?") {
		t.Error("other questions, or those of other workspaces, have the same hash")
	}
}

// Each setting of an agent has an effect somewhere: on extraction, on its timers, on searches, on dreams and their
// times, or on what business processes may write.
func TestEverySettingCounts(t *testing.T) {
	t.Parallel()
	extraction, timing, searches := setting.DefaultExtractSettings(), setting.DefaultTiming(), recall.DefaultSettings()
	approvals, models := setting.DefaultSettings().Approval(), setting.DefaultSettings().Models()
	dreams, nights, windows := setting.DefaultDreamSettings(), setting.DefaultDreamSchedule(), setting.DefaultWindowSettings()
	kind := reflect.TypeFor[setting.AgentSettings]()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		// In SQL, see TestIdleConversations of the store; and among providers, see TestRecallIsBounded there.
		counts := slices.Contains([]string{"IdleTurnSeconds", "DisabledProviders", "ProviderOrder"}, name)
		for _, value := range []any{new(true), new(false), new(5), new(0.123), "x", setting.FlushWait, setting.ApprovalAll, setting.ApprovalApply, []string{"memory/*.md"}} {
			a := setting.AgentSettings{}
			field := reflect.ValueOf(&a).Elem().Field(i)
			if reflect.TypeOf(value) != field.Type() {
				continue
			}
			field.Set(reflect.ValueOf(value))
			counts = counts || extraction.With(a) != extraction || timing.With(a) != timing || searches.With(a) != searches ||
				dreams.With(a) != dreams || nights.With(a) != nights || windows.With(a) != windows || approvals.With(a) != approvals || models.With(a) != models ||
				memory.WriteAllowed(a.WriteTargets, memory.MemoryPath) != memory.WriteAllowed(nil, memory.MemoryPath)
		}
		if !counts {
			t.Errorf("%s changes nothing", name)
		}
	}
}
