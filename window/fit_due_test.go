package window

import (
	"strings"
	"testing"

	"reverie/memory"
)

func TestFitEmergency(t *testing.T) {
	var history []memory.Message
	for range 10 {
		history = append(history, user(10), assistant(10))
	}
	in := base(100_000, history...)
	in.Emergency = 1
	got := mustFit(t, in)
	want(t, got, "system gap u17 a18 u19 a20 current")
	if got.Unsent != 16 || got.Compact != 16 || got.Ledger.Max != 100_000 {
		t.Errorf("%+v", got)
	}
	in.Emergency = 2
	if got := mustFit(t, in); got.Ledger.Max != 50_000 {
		t.Errorf("max %d", got.Ledger.Max)
	}
	in.Emergency = 40 // whatever happens, what has to be sent is
	got = mustFit(t, in)
	want(t, got, "system current")
	if got.Ledger.Max != 112 {
		t.Errorf("max %d", got.Ledger.Max)
	}
}

func TestFitKeepTurns(t *testing.T) {
	history := []memory.Message{user(50), assistant(50), user(50), assistant(50), user(50), assistant(50)}
	for turns, compact := range map[int]int64{-1: 6, 0: 6, 1: 4, 2: 2, 3: 0, 1000: 0} {
		in := base(480, history...)
		in.Settings.KeepTurns = turns
		if got := mustFit(t, in); got.Compact != compact || got.Unsent != 0 {
			t.Errorf("%d turns: summary up to %d, want %d; unsent %d", turns, got.Compact, compact, got.Unsent)
		}
	}
	in := base(300, history...) // more is kept than there is room for
	in.Settings.KeepTurns = 1000
	in.Settings.SummaryMaxTokens = 50
	if got := mustFit(t, in); got.Unsent == 0 || got.Compact != got.Unsent {
		t.Errorf("unsent %d, summary up to %d", got.Unsent, got.Compact)
	}
}

func TestFitTrigger(t *testing.T) {
	for _, c := range []struct {
		window  int
		share   float64
		trigger int
	}{{128_000, .75, 96_000}, {32_768, .75, 24_576}, {32_767, .75, 27_851}, {10_000, .5, 5000}, {10_000, 1, 9500}} {
		in := base(c.window)
		in.Settings.CompactShare = c.share
		if got := mustFit(t, in); got.Ledger.Trigger != c.trigger {
			t.Errorf("trigger of %d at %v is %d, want %d", c.window, c.share, got.Ledger.Trigger, c.trigger)
		}
	}
}

func TestFitGoal(t *testing.T) {
	sent := func(n int) string {
		in := base(10_000)
		in.Goal, in.SummaryTo, in.Summary = say(n), 1, "s"
		return strings.TrimPrefix(mustFit(t, in).Messages[2].Content, GoalPrefix+"\n")
	}
	if got := sent(400); got != say(400) {
		t.Errorf("%d words of 400", words(got))
	}
	if got := sent(1200); words(got) > 410 || !strings.Contains(got, "characters left out …]") || !strings.HasSuffix(got, "word") {
		t.Errorf("%d words of 1200", words(got))
	}
	if got := sent(1201); !strings.HasPrefix(got, say(1201)[:200]+" … [") {
		t.Errorf("pointer: %q", got)
	}
}

func TestFitNothing(t *testing.T) {
	got := mustFit(t, Input{Settings: memory.WindowSettings{MaxTokens: 100, CompactShare: .75}, Current: memory.Message{Content: "hi"}})
	want(t, got, "current")
}
