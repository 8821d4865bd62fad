package window

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
)

// words counts a token for each word, so that sizes in tests can be read.
func words(s string) int { return len(strings.Fields(s)) }

// say returns a text with a number of words.
func say(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

// result returns a unique text with a number of words, long enough to be trimmed.
func longResult(i, n int) string {
	return strings.TrimSpace(fmt.Sprintf("result%d ", i) + strings.Repeat("wordword ", n-1))
}

// base returns an input counted in words: a system prompt of 96 tokens, a message of 16, including the cost of
// messages.
func base(window int, history ...memory.Message) Input {
	s := setting.DefaultWindowSettings()
	s.MaxTokens, s.FlushSoftTokens = window, 0
	for i := range history {
		history[i].Seq = int64(i + 1)
	}
	return Input{
		System: say(92), Current: memory.Message{Role: memory.RoleOfUser, Content: say(12), Seq: int64(len(history) + 1)},
		History: history, Settings: s, Now: time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC), Count: words,
	}
}

func user(n int) memory.Message {
	return memory.Message{Role: memory.RoleOfUser, Content: say(n)}
}

func assistant(n int) memory.Message {
	return memory.Message{Role: memory.RoleOfAssistant, Content: say(n)}
}

// asks returns a call of a tool, and answer its result.
func asks(id string) memory.Message {
	return memory.Message{
		Role:      memory.RoleOfAssistant,
		ToolCalls: []memory.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"a.go"}`}},
	}
}

func answer(id, content string) memory.Message {
	return memory.Message{Role: memory.RoleOfTool, Name: "read_file", ToolCallID: id, Content: content}
}

func mustFit(t *testing.T, in Input) Result {
	t.Helper()
	got, err := Fit(in)
	if err != nil {
		t.Fatal(err)
	}
	checkWindow(t, in, got)
	return got
}

// sketch describes a window in one line: the kinds and roles of its messages with their numbers, cuts marked.
func sketch(r Result) string {
	var parts []string
	for _, m := range r.Messages {
		s := string(m.Kind)
		if m.Kind == KindHistory {
			s = fmt.Sprintf("%s%d", m.Role[:1], m.Seq)
		}
		switch m.Cut {
		case CutTrimmed:
			s += "~"
		case CutCleared:
			s += "_"
		case CutNot:
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func want(t *testing.T, got Result, sketched string) {
	t.Helper()
	if s := sketch(got); s != sketched {
		t.Errorf("the window is\n  %s, want\n  %s", s, sketched)
	}
}

func TestFitWhole(t *testing.T) {
	in := base(1000, user(10), assistant(20))
	in.Summary, in.SummaryTo, in.Goal = "## Goal\nbuild a boat", 2, "build a boat"
	in.History[0].Seq, in.History[1].Seq, in.Current.Seq = 3, 4, 5
	in.Recalled = []Recalled{{Text: "likes tea", Source: "PROFILE.md:3", At: in.Now}}
	in.Tools = []Tool{{Name: "memory_search", Description: "looks into memory", Parameters: []byte(`{}`)}}
	got := mustFit(t, in)
	want(t, got, "system summary goal u3 a4 recall current")
	if got.Messages[1].Content != SummaryPrefix+"\n## Goal\nbuild a boat" {
		t.Errorf("summary: %q", got.Messages[1].Content)
	}
	if got.Unsent+got.Compact+got.Flush != 0 || len(got.Recalled) != 1 || got.Ledger.Tools != 15 {
		t.Errorf("%+v", got)
	}
}

// TestFitJustEnough: what must be sent whole may fill the window to the last token, and not one more.
func TestFitJustEnough(t *testing.T) {
	in := base(112, user(10), assistant(20))
	in.Recalled = []Recalled{{Text: "likes tea", Source: "PROFILE.md:3"}}
	got := mustFit(t, in)
	want(t, got, "system current")
	if got.Ledger.Used != 112 || got.Unsent != 2 {
		t.Errorf("%+v", got)
	}
	in.Settings.MaxTokens = 111
	_, err := Fit(in)
	var large *TooLargeError
	if !errors.As(err, &large) || *large != (TooLargeError{Max: 111, System: 96, Current: 16}) || err.Error() == "" {
		t.Errorf("error is %v", err)
	}
	for _, window := range []int{0, -1} {
		in.Settings.MaxTokens = window
		if _, err := Fit(in); !errors.As(err, &large) {
			t.Errorf("a window of %d: %v", window, err)
		}
	}
}

// TestFitEverySize tries all sizes of a window, token by token: a larger window never contains less of the
// conversation.
func TestFitEverySize(t *testing.T) {
	history := []memory.Message{
		user(10), asks("a"), answer("a", longResult(1, 200)), assistant(30), user(20), asks("b"),
		answer("b", longResult(2, 100)), assistant(40), user(15), assistant(25),
	}
	least := 0
	for window := 112; window < 1200; window++ {
		in := base(window, history...)
		got := mustFit(t, in)
		if n := got.Ledger.Messages; n < least-dropBlock {
			t.Errorf("%d messages in a window of %d, %d in a smaller one", n, window, least)
		}
		least = max(least, got.Ledger.Messages)
	}
	if least != len(history) {
		t.Errorf("at most %d messages", least)
	}
}

func TestFitStages(t *testing.T) {
	var history []memory.Message
	for i := range 20 {
		history = append(history, user(5), asks(fmt.Sprintf("c%d", i)), answer(fmt.Sprintf("c%d", i), longResult(i, 100)))
	}
	old := "u1 a2 t3 u4 a5 t6 u7 a8 t9 u10 a11 t12 u13 a14 t15 u16 a17 t18 u19 a20 t21 u22 a23 t24 "
	rest := "u25 a26 t27 u28 a29 t30 u31 a32 t33 u34 a35 t36 u37 a38 t39 u40 a41 t42 u43 a44 t45 u46 a47 t48 "
	more := "u49 a50 t51 u52 a53 t54 "
	tail := "u55 a56 t57 u58 a59 t60"
	cut := func(s, mark string) string {
		out := strings.Fields(s)
		for i, m := range out {
			if m[0] == 't' {
				out[i] += mark
			}
		}
		return strings.Join(out, " ") + " "
	}
	whole := mustFit(t, base(1_000_000, history...)).Ledger.Used
	at := func(trigger int) int { return trigger*100/85 + 1 } // the window that has the trigger
	for _, c := range []struct {
		name    string
		trigger int
		want    string
	}{
		{"all", whole, old + rest + more + tail},
		{"a group is trimmed", whole - 1, cut(old, "~") + rest + more + tail},
		{"a group is enough", whole - 300, cut(old, "~") + rest + more + tail},
		{"two groups", whole - 450, cut(old, "~") + cut(rest, "~") + more + tail},
		{"all old ones", whole - 790, cut(old, "~") + cut(rest, "~") + cut(more, "~") + tail},
		{"a group is cleared", whole - 830, cut(old, "_") + cut(rest, "_") + cut(more, "_") + tail}, // up to 32 at once
	} {
		got := mustFit(t, base(at(c.trigger), history...))
		if s := sketch(got); s != "system "+c.want+" current" {
			t.Errorf("%s (%d of %d, saved %d):\n  %s, want\n  %s", c.name, got.Ledger.Used, got.Ledger.Trigger, got.Ledger.Saved, s, c.want)
		}
		if got.Compact != 0 || got.Unsent != 0 {
			t.Errorf("%s: summary up to %d, unsent %d", c.name, got.Compact, got.Unsent)
		}
	}
	got := mustFit(t, base(at(900), history...))
	if got.Compact != 54 || got.Flush != 54 || got.Why != FlushCompact {
		t.Errorf("summary up to %d, flush up to %d (%s)", got.Compact, got.Flush, got.Why)
	}
}

func TestFitCuts(t *testing.T) {
	content := strings.Repeat("A", 200) + strings.Repeat("é", 150) + strings.Repeat("Z", 200)
	trimmed := strings.Repeat("A", 200) + "\n[… 150 characters of this result left out …]\n" + strings.Repeat("Z", 200)
	if got := trimText(content, func(s string) string { return s }); got != trimmed {
		t.Errorf("trimmed: %s", got)
	}
	want := "[Result cleared: read_file, 550 characters] " + strings.Repeat("A", 80) + " …"
	if got := clearText("read_file", content); got != want || strings.Contains(got, "\n") {
		t.Errorf("cleared: %s", got)
	}
	if long(strings.Repeat("é", 500)) || !long(strings.Repeat("é", 501)) {
		t.Error("a result is long above 500 characters")
	}
}

// TestFitSameResult: once results are trimmed, a repeated result is replaced by a reference.
func TestFitSameResult(t *testing.T) {
	body := longResult(0, 100)
	in := base(400, user(1), asks("a"), answer("a", body), user(1), asks("b"), answer("b", body), user(1), user(1), user(1))
	got := mustFit(t, in)
	want(t, got, "system u1 a2 t3~ u4 a5 t6_ u7 u8 u9 current")
	if !strings.HasPrefix(got.Messages[6].Content, "[Same result as an earlier one: read_file, ") {
		t.Error(got.Messages[6].Content)
	}
}

func TestFitDropsFromTheFront(t *testing.T) {
	var history []memory.Message
	for range 20 {
		history = append(history, user(10), assistant(10))
	}
	in := base(500, history...)
	in.Recalled = []Recalled{{Text: "likes tea", Source: "PROFILE.md:3"}}
	got := mustFit(t, in)
	if got.Unsent != 16 || got.Compact != 36 || got.Flush != 36 || got.Why != FlushCompact || got.Messages[1].Content != GapNote {
		t.Errorf("unsent %d, summary up to %d: %s", got.Unsent, got.Compact, sketch(got))
	}
	in.History, in.Older = history[20:], 20
	if got := mustFit(t, in); got.Unsent != 20 || got.Messages[1].Kind != KindGap || got.Ledger.Dropped != 20 {
		t.Errorf("unsent %d: %s", got.Unsent, sketch(got))
	}
}

// TestFitNothingElseIsLeft: the last two messages and the summary are cut before they are dropped, the messages
// first.
func TestFitNothingElseIsLeft(t *testing.T) {
	in := base(500, user(100), assistant(100), user(400), assistant(300))
	in.Summary, in.SummaryTo, in.Goal = say(40), 10, say(100)
	for i := range in.History {
		in.History[i].Seq = int64(11 + i)
	}
	in.Current.Seq = 15
	got := mustFit(t, in)
	want(t, got, "system summary gap u13~ a14~ current")
	for _, m := range got.Messages[3:5] {
		if !strings.Contains(m.Content, "characters left out …]") || !strings.HasPrefix(m.Content, "word") ||
			!strings.HasSuffix(m.Content, "word") {
			t.Errorf("cut to %q", m.Content)
		}
	}
	if got.Unsent != 12 || got.Ledger.Used < 440 {
		t.Errorf("unsent %d, used %d", got.Unsent, got.Ledger.Used)
	}
	in.Settings.MaxTokens = 240
	want(t, mustFit(t, in), "system summary gap a14~ current")
	in.Settings.MaxTokens = 180
	want(t, mustFit(t, in), "system summary current")
	in.Settings.MaxTokens = 150
	want(t, mustFit(t, in), "system summary~ current")
	in.Settings.MaxTokens = 125
	want(t, mustFit(t, in), "system current")
}

// TestFitLongSummary: a summary that was made for a larger window leaves the last messages their share.
func TestFitLongSummary(t *testing.T) {
	in := base(500, user(100), assistant(100))
	in.Summary, in.SummaryTo = strings.TrimSpace(strings.Repeat(say(20)+"\n", 50)), 10
	in.History[0].Seq, in.History[1].Seq, in.Current.Seq = 11, 12, 13
	got := mustFit(t, in)
	want(t, got, "system summary~ u11~ a12~ current")
	if s := got.Messages[1].Content; !strings.HasSuffix(s, "word\n…") {
		t.Errorf("the summary ends with %q", s[len(s)-20:])
	}
}

// TestFitLongArguments: long arguments, such as written files, are dropped if nothing else fits.
func TestFitLongArguments(t *testing.T) {
	call := asks("a")
	call.ToolCalls[0].Arguments = `{"text":"` + say(900) + `"}`
	got := mustFit(t, base(500, call, answer("a", "done")))
	want(t, got, "system gap a1~ t2 current")
	if !strings.Contains(got.Messages[2].ToolCalls[0].Arguments, "left_out") {
		t.Error(got.Messages[2].ToolCalls)
	}
}

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
	got := mustFit(t, Input{Settings: setting.WindowSettings{MaxTokens: 100, CompactShare: .75}, Current: memory.Message{Content: "hi"}})
	want(t, got, "current")
}

// threeTurns is a conversation of three turns, of which the first one may leave: 84 tokens, and 112 beside it.
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

// When tokens are estimated, more of the window stays free: the trigger stays the same, as long as it is below the
// usable share.
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
