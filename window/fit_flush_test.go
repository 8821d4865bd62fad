package window

import (
	"testing"

	"reverie/memory"
)

// threeTurns are a conversation of three turns, of which the first one may leave: 84 tokens, and 112 beside it.
func threeTurns() []memory.Message {
	return []memory.Message{user(10), assistant(10), user(10), assistant(10), user(10), assistant(10)}
}

// Each reason of a flush, at its limit and one beyond. The window has 10,000 tokens, 9,500 of which may be used, and 196 are.
func TestFitFlush(t *testing.T) {
	const used = 196
	for _, c := range []struct {
		name string
		set  func(*Input)
		to   int64
		why  FlushReason
	}{
		{"nothing is due", func(*Input) {}, 0, ""},
		{"room at the limit", func(in *Input) { in.Settings.MaxTokens, in.Settings.FlushSoftTokens = 400, 380-used }, 0, ""},
		{"room beyond it", func(in *Input) { in.Settings.MaxTokens, in.Settings.FlushSoftTokens = 400, 380-used+1 }, 2, FlushRoom},
		{"a small window has enough with half of its room", func(in *Input) { in.Settings.FlushSoftTokens = 9900 }, 0, ""},
		{"share at the limit", func(in *Input) { in.Settings.FlushShare = used / 10_000. }, 0, ""},
		{"share beyond it", func(in *Input) { in.Settings.FlushShare = (used - 1) / 10_000. }, 2, FlushShare},
		{"messages at the limit", func(in *Input) { in.Unflushed.Messages = 50 }, 0, ""},
		{"messages beyond it", func(in *Input) { in.Unflushed.Messages = 51 }, 2, FlushMessages},
		{"fewer messages", func(in *Input) { in.Unflushed.Messages, in.Settings.FlushMessages = 4, 3 }, 2, FlushMessages},
		{"bytes at the limit", func(in *Input) { in.Unflushed.Bytes = 2 << 20 }, 0, ""},
		{"bytes beyond it", func(in *Input) { in.Unflushed.Bytes = 2<<20 + 1 }, 2, FlushBytes},
		{"fewer bytes", func(in *Input) { in.Unflushed.Bytes, in.Settings.FlushBytes = 101, 100 }, 2, FlushBytes},
		{"a summary is due first", func(in *Input) { in.Settings.CompactShare = .01 }, 2, FlushCompact},
		{"it is flushed", func(in *Input) { in.Unflushed.Messages, in.Flushed = 51, 2 }, 0, ""},
		{"nothing before the last turns", func(in *Input) { in.Unflushed.Messages, in.Settings.KeepTurns = 51, 3 }, 0, ""},
	} {
		in := base(10_000, threeTurns()...)
		c.set(&in)
		got := mustFit(t, in)
		if got.Flush != c.to || got.Why != c.why {
			t.Errorf("%s: flush up to %d (%s), want %d (%s)", c.name, got.Flush, got.Why, c.to, c.why)
		}
		if got.Ledger.Used != used {
			t.Errorf("%s: %d tokens are used", c.name, got.Ledger.Used)
		}
	}
}

// The documented defaults are reached before anything has to leave a window of the documented size, wherever a summary is not due
// before: 4,000 tokens of room are left at 117,600, and 85 % are 108,800.
func TestFitFlushDefaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		used  int
		why   FlushReason
	}{
		{"share at the limit", .85, 108_800, ""},
		{"share beyond it", .85, 108_801, FlushShare},
		{"room at the limit", 1, 117_600, ""},
		{"room beyond it", 1, 117_601, FlushRoom},
	} {
		history := threeTurns()
		history[0] = user(c.used - 186)
		in := base(128_000, history...)
		in.Settings.FlushSoftTokens, in.Settings.FlushShare, in.Settings.CompactShare = 4000, c.share, 1
		if got := mustFit(t, in); got.Ledger.Used != c.used || got.Why != c.why || got.Compact != 0 {
			t.Errorf("%s: %d tokens, %q, summary up to %d", c.name, got.Ledger.Used, got.Why, got.Compact)
		}
	}
}

// Where tokens are estimated more of the window stays free: the trigger is where it was, as long as something is left between
// it and what may be used.
func TestFitEstimated(t *testing.T) {
	for share, trigger := range map[float64]int{.75: 96_000, .5: 64_000, 1: 96_960} {
		in := base(128_000)
		in.Estimated, in.Settings.CompactShare = true, share
		if got := mustFit(t, in); got.Ledger.Trigger != trigger {
			t.Errorf("trigger at %v is %d, want %d", share, got.Ledger.Trigger, trigger)
		}
	}
	history := threeTurns()
	history[0] = user(103_360 - 186)
	in := base(128_000, history...)
	in.Estimated = true
	if got := mustFit(t, in); got.Unsent != 0 || got.Ledger.Used != 103_360 {
		t.Errorf("%d tokens, without messages up to %d", got.Ledger.Used, got.Unsent)
	}
	in.History[0].Content += " word"
	if got := mustFit(t, in); got.Unsent == 0 {
		t.Errorf("%d tokens", got.Ledger.Used)
	}
	in = base(120) // what has to be sent whole is, without a margin
	in.Estimated = true
	if got := mustFit(t, in); got.Ledger.Used != 112 {
		t.Errorf("%d tokens", got.Ledger.Used)
	}
}
