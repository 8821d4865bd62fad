package setting

import (
	"testing"
	"time"

	"reverie/memory"

	"github.com/google/go-cmp/cmp"
)

// Each of an agent's settings changes its own field of the window settings and no other.
func TestWindowSettingsOfAnAgent(t *testing.T) {
	t.Parallel()
	defaults := DefaultWindowSettings()
	if diff := cmp.Diff(defaults, defaults.With(AgentSettings{})); diff != "" {
		t.Errorf("without settings:\n%s", diff)
	}
	for name, c := range map[string]struct {
		agent AgentSettings
		field func(*WindowSettings)
	}{
		"memoryEnabled":       {AgentSettings{MemoryEnabled: new(false)}, func(s *WindowSettings) { s.MemoryEnabled = false }},
		"ownerIsolation":      {AgentSettings{OwnerIsolation: new(false)}, func(s *WindowSettings) { s.OwnerIsolation = false }},
		"windowMaxTokens":     {AgentSettings{WindowMaxTokens: new(9000)}, func(s *WindowSettings) { s.MaxTokens = 9000 }},
		"windowCompactShare":  {AgentSettings{WindowCompactShare: new(.5)}, func(s *WindowSettings) { s.CompactShare = .5 }},
		"windowKeepTurns":     {AgentSettings{WindowKeepTurns: new(5)}, func(s *WindowSettings) { s.KeepTurns = 5 }},
		"summaryMaxTokens":    {AgentSettings{SummaryMaxTokens: new(800)}, func(s *WindowSettings) { s.SummaryMaxTokens = 800 }},
		"autoInject":          {AgentSettings{AutoInject: new(false)}, func(s *WindowSettings) { s.AutoInject = false }},
		"autoInjectThreshold": {AgentSettings{AutoInjectThreshold: new(0.)}, func(s *WindowSettings) { s.AutoInjectThreshold = 0 }},
		"autoInjectMaxTokens": {AgentSettings{AutoInjectMaxTokens: new(0)}, func(s *WindowSettings) { s.AutoInjectMaxTokens = 0 }},
		"flushSoftTokens":     {AgentSettings{FlushSoftTokens: new(0)}, func(s *WindowSettings) { s.FlushSoftTokens = 0 }},
		"flushShare":          {AgentSettings{FlushShare: new(.6)}, func(s *WindowSettings) { s.FlushShare = .6 }},
		"flushMessages":       {AgentSettings{FlushMessages: new(10)}, func(s *WindowSettings) { s.FlushMessages = 10 }},
		"flushBytes":          {AgentSettings{FlushBytes: new(4096)}, func(s *WindowSettings) { s.FlushBytes = 4096 }},
		"flushDeadlineSeconds": {
			AgentSettings{FlushDeadlineSeconds: new(30)},
			func(s *WindowSettings) { s.FlushDeadline = 30 * time.Second },
		},
		"flushPolicy":   {AgentSettings{FlushPolicy: FlushWait}, func(s *WindowSettings) { s.FlushPolicy = FlushWait }},
		"maxToolRounds": {AgentSettings{MaxToolRounds: new(0)}, func(s *WindowSettings) { s.MaxToolRounds = 0 }},
		"model":         {AgentSettings{Model: "other"}, func(s *WindowSettings) { s.Model = "other" }},
	} {
		want := defaults
		c.field(&want)
		if diff := cmp.Diff(want, defaults.With(c.agent)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// The documented defaults.
func TestDefaultWindowSettings(t *testing.T) {
	t.Parallel()
	s := DefaultWindowSettings()
	if s.MaxTokens != 128_000 || s.CompactShare != .75 || s.KeepTurns != 2 || s.SummaryMaxTokens != 300 || s.GoalMaxTokens != 400 {
		t.Errorf("window %+v", s)
	}
	if !s.AutoInject || s.AutoInjectThreshold != .25 || s.AutoInjectMaxTokens != 200 {
		t.Errorf("recall %+v", s)
	}
	if s.FlushSoftTokens != 4000 || s.FlushShare != .85 || s.FlushMessages != 50 || s.FlushBytes != 2<<20 ||
		s.FlushDeadline != 90*time.Second || s.FlushPolicy != FlushFallback {
		t.Errorf("flush %+v", s)
	}
	if f := s.Flush(DefaultExtractSettings()); f.Deadline != s.FlushDeadline || f.Policy != s.FlushPolicy || f.Paid != s.Paid {
		t.Errorf("flush of it %+v", f)
	}
}

// A budget is spent when usage reaches it, in either unit, and renews at midnight UTC in every time zone.
func TestBudget(t *testing.T) {
	t.Parallel()
	used := memory.Usage{InputTokens: 60, OutputTokens: 40, CostMicros: 7}
	for b, want := range map[memory.Budget]bool{
		{}: false, {Tokens: 101}: false, {Tokens: 100}: true, {CostMicros: 8}: false, {CostMicros: 7}: true,
		{Tokens: 1000, CostMicros: 1}: true,
	} {
		if got := b.Spent(used); got != want {
			t.Errorf("%+v is spent: %t", b, got)
		}
	}
	at := time.Date(2026, 2, 28, 23, 30, 0, 0, time.FixedZone("", -3*60*60)) // 02:30 UTC of the next day
	if got, want := memory.BudgetRenewal(at), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("it renews at %s, want %s", got, want)
	}
}
