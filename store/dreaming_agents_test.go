package store

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// The worker sees what schedules follow, of all workspaces and page by page, and nothing else of the settings.
func TestDreamingAgents(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if err := s.EnsureWorkspace(t.Context(), "zeta", "Zeta"); err != nil {
		t.Fatal(err)
	}
	settings := memory.AgentSettings{
		MemoryEnabled: new(true), DreamingEnabled: new(false), DreamCron: "0 */6 * * *", DreamDays: new(3), Model: "small",
	}
	must[Agent](t)(s.CreateAgent(t.Context(), admin("zeta"), NewAgent{ID: "ada", TimeZone: "Asia/Tokyo", Settings: settings}))
	var got []DreamingAgent
	for after := (AgentRef{}); ; {
		page := must[[]DreamingAgent](t)(s.DreamingAgents(t.Context(), after, 1))
		if len(page) == 0 {
			break
		}
		got, after = append(got, page...), page[len(page)-1].AgentRef
	}
	settings.DreamDays, settings.Model = nil, ""
	last := DreamingAgent{AgentRef: AgentRef{Workspace: "zeta", Agent: "ada"}, TimeZone: "Asia/Tokyo", Settings: settings}
	if len(got) < 2 || !cmp.Equal(got[len(got)-1], last) {
		t.Errorf("%+v", got)
	}
	if first := got[0]; first.Workspace == "zeta" || !reflect.DeepEqual(first.Settings, memory.AgentSettings{}) {
		t.Errorf("first of all %+v", first)
	}
}

func TestSettingsOfDreamsAreChecked(t *testing.T) {
	t.Parallel()
	for field, a := range map[string]memory.AgentSettings{
		"settings.dreamCron":            {DreamCron: "at night"},
		"settings.dreamDays":            {DreamDays: new(0)},
		"settings.dreamMinSignals":      {DreamMinSignals: new(0)},
		"settings.dreamMinDiversity":    {DreamMinDiversity: new(-1)},
		"settings.dreamMaxPromotions":   {DreamMaxPromotions: new(-1)},
		"settings.dreamMinScore":        {DreamMinScore: new(1.5)},
		"settings.dreamMaxRetiredShare": {DreamMaxRetiredShare: new(-.5)},
		"settings.dreamHalfLifeDays":    {DreamHalfLifeDays: new(0.)},
	} {
		refused, is := (AgentPatch{Settings: &a}).validate().(*InvalidError) //nolint:errorlint // it is this very error
		if !is || refused.Field != field || refused.Problem == "" {
			t.Errorf("%s: %v", field, refused)
		}
	}
	if err := (AgentPatch{Settings: &memory.AgentSettings{DreamCron: "0 2 * * *", DreamMaxPromotions: new(0), DreamMinScore: new(0.)}}).validate(); err != nil {
		t.Error(err)
	}
}
