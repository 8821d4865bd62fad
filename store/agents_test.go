package store

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	root := adminOf("acme")
	off, quiet := false, 60
	settings := setting.AgentSettings{MemoryEnabled: &off, QuietSeconds: &quiet, Model: "gpt"}
	bob := must[gate.Agent](t)(s.CreateAgent(t.Context(), root,
		admin.NewAgent{ID: "bob", Name: "Bob", TimeZone: "Asia/Tokyo", Settings: settings}))
	want := gate.Agent{ID: "bob", Name: "Bob", TimeZone: "Asia/Tokyo", Settings: settings, CreatedAt: testClock, UpdatedAt: testClock}
	if diff := cmp.Diff(want, bob); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, must[gate.Agent](t)(s.Agent(t.Context(), root.For("bob", "")))); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	made := must[gate.Agent](t)(s.CreateAgent(t.Context(), root, admin.NewAgent{}))
	if !memory.ValidSlug(made.ID) || made.Name != made.ID || made.TimeZone != "UTC" {
		t.Errorf("made %+v", made)
	}
	for _, agent := range []string{"ada", "bob", made.ID} {
		documents := must[[]memory.Document](t)(s.PromptDocuments(t.Context(), root.For(agent, "user:7"), time.Time{}))
		var paths []string
		for i, d := range documents {
			paths = append(paths, d.Path)
			if d.SortOrder != i || d.Version != 1 || d.UpdatedBy.Kind != memory.AuthorSeed || strings.TrimSpace(d.Content) == "" {
				t.Errorf("%s of %s: %+v", d.Path, agent, d)
			}
		}
		seeded := []string{"AGENTS.md", "SOUL.md", "PROFILE.md", "MEMORY.md"}
		if agent == "bob" { // memory is off
			seeded = seeded[:2]
		}
		if diff := cmp.Diff(seeded, paths); diff != "" {
			t.Errorf("seeds of %s (-want +got):\n%s", agent, diff)
		}
	}

	now = now.Add(time.Hour)
	name, zone := "Robert", "UTC"
	want.Name, want.UpdatedAt = name, now
	if diff := cmp.Diff(want,
		must[gate.Agent](t)(s.UpdateAgent(t.Context(), root.For("bob", ""), admin.AgentPatch{Name: &name}))); diff != "" {
		t.Errorf("renamed (-want +got):\n%s", diff)
	}
	want.TimeZone, want.Settings = zone, setting.AgentSettings{}
	if diff := cmp.Diff(
		want,
		must[gate.Agent](t)(s.UpdateAgent(t.Context(), root.For("bob", ""),
			admin.AgentPatch{TimeZone: &zone, Settings: &setting.AgentSettings{}})),
	); diff != "" {
		t.Errorf("settings cleared (-want +got):\n%s", diff)
	}

	limited := root
	limited.Agents = []string{"bob", "carol"}
	must[gate.Agent](t)(s.CreateAgent(t.Context(), limited, admin.NewAgent{ID: "carol"}))
	must[gate.Agent](t)(s.UpdateAgent(t.Context(), limited.For("bob", ""), admin.AgentPatch{Name: &name}))
	var ids []string
	for _, a := range must[[]gate.Agent](t)(s.Agents(t.Context(), limited)) {
		ids = append(ids, a.ID)
	}
	if diff := cmp.Diff([]string{"bob", "carol"}, ids); diff != "" {
		t.Errorf("agents of a limited admin (-want +got):\n%s", diff)
	}
	pinned := root
	pinned.Pinned, pinned.Owner = true, "user:7"
	negative, local, long := -1, "Local", strings.Repeat("n", memory.MaxName+1)
	for what, c := range map[string]struct {
		err   error
		check func(error) bool
	}{
		"id taken":              {second(s.CreateAgent(t.Context(), root, admin.NewAgent{ID: "ada"})), is(pg.ErrExists)},
		"limited makes another": {second(s.CreateAgent(t.Context(), limited, admin.NewAgent{ID: "dave"})), is(pg.ErrForbidden)},
		"limited updates another": {second(
			s.UpdateAgent(t.Context(), limited.For("ada", ""), admin.AgentPatch{Name: &name}),
		), is(pg.ErrForbidden)},
		"pinned admin creates": {second(s.CreateAgent(t.Context(), pinned, admin.NewAgent{ID: "dave"})), is(pg.ErrForbidden)},
		"member creates":       {second(s.CreateAgent(t.Context(), member("user:7"), admin.NewAgent{ID: "dave"})), is(pg.ErrForbidden)},
		"member updates":       {second(s.UpdateAgent(t.Context(), member("user:7"), admin.AgentPatch{Name: &name})), is(pg.ErrForbidden)},
		"no such agent":        {second(s.Agent(t.Context(), root.For("dave", ""))), is(pg.ErrNotFound)},
		"update of no such agent": {
			second(s.UpdateAgent(t.Context(), root.For("dave", ""), admin.AgentPatch{Name: &name})), is(pg.ErrNotFound),
		},
		"no agent":                    {second(s.Agent(t.Context(), root)), invalid("agent")},
		"workspace that is not there": {second(s.CreateAgent(t.Context(), adminOf("none"), admin.NewAgent{ID: "ada"})), is(pg.ErrNotFound)},
		"bad id":                      {second(s.CreateAgent(t.Context(), root, admin.NewAgent{ID: "A B"})), invalid("id")},
		"bad zone": {second(
			s.CreateAgent(t.Context(), root, admin.NewAgent{ID: "dave", TimeZone: "Mars/Base"}),
		), invalid("timeZone")},
		"zone of whichever machine": {second(
			s.UpdateAgent(t.Context(), root.For("bob", ""), admin.AgentPatch{TimeZone: &local}),
		), invalid("timeZone")},
		"long name": {second(s.UpdateAgent(t.Context(), root.For("bob", ""), admin.AgentPatch{Name: &long})), invalid("name")},
		"negative setting": {second(
			s.CreateAgent(t.Context(), root, admin.NewAgent{ID: "dave", Settings: setting.AgentSettings{MinMessages: &negative}}),
		), invalid("settings.minMessages")},
	} {
		if !c.check(c.err) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	events := journalOf(t, s, root.For("bob", ""), gate.JournalFilter{})
	var kinds []gate.EventKind
	for _, e := range events {
		if e.Scope == "" {
			kinds = append(kinds, e.Kind)
		}
	}
	if diff := cmp.Diff([]gate.EventKind{gate.EventAgentCreated, gate.EventAgentUpdated, gate.EventAgentUpdated, gate.EventAgentUpdated},
		kinds); diff != "" {
		t.Errorf("events of bob (-want +got):\n%s", diff)
	}
}

func second[T any](_ T, err error) error { return err }

// Of many who make the same agent at once, one does.
func TestCreateAgentConcurrently(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const makers = 8
	errs := make([]error, makers)
	var wg sync.WaitGroup
	for i := range makers {
		wg.Go(func() { _, errs[i] = s.CreateAgent(t.Context(), adminOf("acme"), admin.NewAgent{ID: "bob"}) })
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		switch {
		case err == nil:
			made++
		case !errors.Is(err, pg.ErrExists):
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d made it, want 1", made)
	}
}

func TestComponents(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	report := func(name, state, detail string) {
		t.Helper()
		if err := s.ReportComponent(t.Context(), name, state, detail); err != nil {
			t.Fatal(err)
		}
	}
	report("model", "ok", "")
	report("builtin", "ok", "")
	now = now.Add(time.Minute)
	report("model", "ok", "still")
	changed := now.Add(time.Minute)
	now = changed
	report("model", "unauthorized", "key refused")
	now = now.Add(time.Minute)
	report("model", "unauthorized", "key refused")
	want := []admin.Component{
		{Name: "builtin", State: "ok", ChangedAt: testClock, SeenAt: testClock},
		{Name: "model", State: "unauthorized", Detail: "key refused", ChangedAt: changed, SeenAt: now},
	}
	if diff := cmp.Diff(want, must[[]admin.Component](t)(s.Components(t.Context()))); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	must[gate.Agent](t)(s.CreateAgent(t.Context(), adminOf("acme"), admin.NewAgent{ID: "bob"}))
	used := memory.Usage{Calls: 1, InputTokens: 100, OutputTokens: 10, CostMicros: 5}
	add := func(agent, model string) {
		t.Helper()
		if err := s.AddUsage(t.Context(), member("user:7").For(agent, "user:7"), model, used); err != nil {
			t.Fatal(err)
		}
	}
	add("ada", "a")
	add("ada", "a")
	add("ada", "b")
	add("bob", "a")
	now = now.Add(24 * time.Hour)
	add("ada", "a")
	for at, want := range map[time.Time]memory.Usage{
		testClock: {Calls: 4, InputTokens: 400, OutputTokens: 40, CostMicros: 20}, now: used, now.Add(24 * time.Hour): {},
	} {
		if got := must[memory.Usage](t)(s.SpentToday(t.Context(), member("user:8"), at)); got != want {
			t.Errorf("spent on %s: %+v, want %+v", at, got, want)
		}
	}
	viewer := member("user:7")
	viewer.Role = memory.RoleViewer
	if err := s.AddUsage(t.Context(), viewer, "a", used); !errors.Is(err, pg.ErrForbidden) {
		t.Errorf("by a viewer: %v", err)
	}
}
