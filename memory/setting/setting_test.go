package setting

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSettingsOverrideDefaults(t *testing.T) {
	defaults := DefaultExtractSettings()
	if diff := cmp.Diff(defaults, defaults.With(AgentSettings{})); diff != "" {
		t.Errorf("nothing is set, but: %s", diff)
	}
	got := defaults.With(AgentSettings{
		MemoryEnabled: new(false), OwnerIsolation: new(false), MinMessages: new(1), MinUserChars: new(0),
		ProfileMaxChars: new(10), MemoryMaxChars: new(20), Model: "small",
	})
	want := defaults
	want.MemoryEnabled, want.OwnerIsolation, want.MinMessages, want.MinUserChars = false, false, 1, 0
	want.ProfileMaxChars, want.MemoryMaxChars, want.Model = 10, 20, "small"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	timing := DefaultTiming().With(AgentSettings{QuietSeconds: new(0), CooldownSeconds: new(90)})
	if timing != (Timing{Quiet: 0, Cooldown: 90 * time.Second}) {
		t.Errorf("%+v", timing)
	}
	if DefaultTiming().With(AgentSettings{}) != DefaultTiming() {
		t.Error("nothing is set, but the timing changes")
	}
}

func TestShorterEnds(t *testing.T) {
	s, messages := DefaultExtractSettings(), 100
	for range 100 {
		next, ok := s.Shorter(messages)
		if !ok {
			if messages > 1 || s.MaxMessageChars/2 >= MinMessageChars {
				t.Fatalf("it ends at %d messages of %d characters", messages, s.MaxMessageChars)
			}
			return
		}
		if next.MaxTranscript > s.MaxTranscript || next.MaxMessageChars > s.MaxMessageChars || next.MaxTranscript < 1 || next == s {
			t.Fatalf("from %d×%d to %d×%d", s.MaxTranscript, s.MaxMessageChars, next.MaxTranscript, next.MaxMessageChars)
		}
		s, messages = next, min(messages, next.MaxTranscript)
	}
	t.Fatal("it never ends")
}

func TestDreamSettingsOfAnAgent(t *testing.T) {
	defaults := DefaultDreamSettings()
	if diff := cmp.Diff(defaults, defaults.With(AgentSettings{})); diff != "" {
		t.Errorf("nothing is set, but: %s", diff)
	}
	got := defaults.With(AgentSettings{
		OwnerIsolation: new(false), MemoryMaxChars: new(500), Model: "small", DreamDays: new(3), DreamMinScore: new(.5), DreamMinSignals: new(1),
		DreamMinDiversity: new(1), DreamMaxPromotions: new(2), DreamMaxRetiredShare: new(.1), DreamHalfLifeDays: new(7.5),
	})
	want := defaults
	want.OwnerIsolation, want.MemoryMaxChars, want.Model, want.Days, want.MinScore, want.MinSignals = false, 500, "small", 3, .5, 1
	want.MinDiversity, want.MaxPromotions, want.MaxRetiredShare, want.HalfLifeDays = 1, 2, .1, 7.5
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An agent dreams when its memory and its dreaming are on, by default or override; the schedule and the dream agree.
func TestWhoDreams(t *testing.T) {
	choices := []*bool{nil, new(false), new(true)}
	is := func(choice *bool, byDefault bool) bool {
		if choice != nil {
			return *choice
		}
		return byDefault
	}
	for _, memoryOn := range []bool{false, true} {
		for _, dreamingOn := range []bool{false, true} {
			for _, m := range choices {
				for _, d := range choices {
					agent := AgentSettings{MemoryEnabled: m, DreamingEnabled: d}
					want := is(m, memoryOn) && is(d, dreamingOn)
					settings := DefaultDreamSettings()
					settings.MemoryEnabled, settings.Enabled = memoryOn, dreamingOn
					if got := settings.With(agent); got.Enabled != want || got.With(agent).Enabled != want {
						t.Errorf("server %t %t, agent %v %v: the dream is %t", memoryOn, dreamingOn, m, d, got.Enabled)
					}
					if got := (DreamSchedule{MemoryEnabled: memoryOn, DreamingEnabled: dreamingOn}).With(agent).On(); got != want {
						t.Errorf("server %t %t, agent %v %v: the schedule is %t", memoryOn, dreamingOn, m, d, got)
					}
				}
			}
		}
	}
	if s := DefaultDreamSchedule().With(AgentSettings{DreamCron: "0 */6 * * *"}); s.Cron != "0 */6 * * *" || s.Jitter != 2*time.Hour {
		t.Errorf("%+v", s)
	}
}
