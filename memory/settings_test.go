package memory

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
