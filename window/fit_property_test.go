package window

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/tokencount"
)

// failer is the common part of rapid's and ordinary tests.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// counters count tokens, bytes, words, and in a way that is not additive.
var counters = []func(string) int{
	tokencount.Estimate, tokencount.Estimate,
	func(s string) int { return len(s) },
	words,
	func(s string) int { return len(s)/3 + len(s)*7919%13 },
}

// TestFitProperties: for any conversation and window, the result fits and contains what it must.
func TestFitProperties(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		in := input(t)
		before := clone(in.History)
		counted := map[string]int{}
		count := rapid.SampledFrom(counters).Draw(t, "counter")
		in.Count = func(s string) int { counted[s]++; return count(s) }
		got, err := Fit(in)
		for s, n := range counted {
			if n > 1 {
				t.Fatalf("a text of %d bytes is counted %d times", len(s), n)
			}
		}
		if diff := cmp.Diff(before, in.History); diff != "" {
			t.Fatalf("the history was changed:\n%s", diff)
		}
		in.Count = count
		again, _ := Fit(in)
		if diff := cmp.Diff(got, again); diff != "" {
			t.Fatalf("the same input makes another window:\n%s", diff)
		}
		if large, ok := errors.AsType[*TooLargeError](err); ok {
			if large.System+large.Tools+large.Current <= in.Settings.MaxTokens || large.Max > in.Settings.MaxTokens {
				t.Fatalf("it would fit: %+v in %d", *large, in.Settings.MaxTokens)
			}
			seen["too large"]++
			return
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		checkWindow(t, in, got)
		tally(seen, got)
	})
	t.Logf("%v", seen)
}

func tally(seen map[string]int, got Result) {
	for what, n := range map[string]int{
		"trimmed": got.Ledger.Trimmed, "cleared": got.Ledger.Cleared, "dropped": got.Ledger.Dropped, "gap": got.Ledger.Gap,
		"summary": got.Ledger.Summary, "goal": got.Ledger.Goal, "recall": got.Ledger.Recall, "compact": int(got.Compact), "flush": int(got.Flush),
	} {
		if n > 0 {
			seen[what]++
		}
	}
	if slices.ContainsFunc(got.Messages, func(m Message) bool { return m.Cut != CutNot && m.Role == memory.RoleOfAssistant }) {
		seen["cut text"]++
	}
}

func clone(messages []memory.Message) []memory.Message {
	out := slices.Clone(messages)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
	}
	return out
}

// checkWindow checks the invariants of every window.
func checkWindow(t failer, in Input, got Result) {
	t.Helper()
	checkLedger(t, in, got)
	checkOrder(t, in, got)
	checkPairs(t, got.Messages)
	checkPresence(t, in, got)
	checkVictims(t, in, got)
	checkDue(t, in, got)
}

// checkLedger: the result fits, and the ledger says where every token is.
func checkLedger(t failer, in Input, got Result) {
	t.Helper()
	l := got.Ledger
	tokens := newCounter(in.Count, 0)
	sums, messages := map[Kind]int{}, 0
	for _, m := range got.Messages {
		if want := tokens.message(m); m.Tokens != want {
			t.Fatalf("%s message of %d tokens counts as %d", m.Kind, want, m.Tokens)
		}
		sums[m.Kind] += m.Tokens
		if m.Kind == KindHistory && m.Seq > 0 {
			messages++
		}
	}
	want := Ledger{
		System: sums[KindSystem], Summary: sums[KindSummary], Goal: sums[KindGoal], Gap: sums[KindGap], History: sums[KindHistory],
		Recall: sums[KindRecall], Current: sums[KindCurrent], Tools: tokens.tools(in.Tools), Messages: messages,
		Max: l.Max, Trigger: l.Trigger, Trimmed: l.Trimmed, Cleared: l.Cleared, Dropped: l.Dropped, Saved: l.Saved,
	}
	for _, n := range sums {
		want.Used += n
	}
	want.Used += want.Tools
	if diff := cmp.Diff(want, l); diff != "" {
		t.Fatalf("ledger (-want +got):\n%s", diff)
	}
	if l.Used > l.Max || l.Max > in.Settings.MaxTokens {
		t.Fatalf("%d tokens in a window of %d of %d", l.Used, l.Max, in.Settings.MaxTokens)
	}
	whole := l.System + l.Tools + l.Current
	limit := l.Max - l.Max/answerShare
	if in.Estimated {
		limit = limit * 85 / 100
	}
	if l.Used > limit && l.Used > whole {
		t.Fatalf("%d tokens leave no room for the answer in a window of %d", l.Used, l.Max)
	}
	if l.Recall > in.Settings.AutoInjectMaxTokens+memory.MessageOverhead {
		t.Fatalf("recalled memory has %d tokens of %d", l.Recall, in.Settings.AutoInjectMaxTokens)
	}
}

// checkOrder: kinds are in their order, the system prompt is the only message of the system and whole, and so is the current
// message at the end; providers are sent a user's message first, and none without a text.
func checkOrder(t failer, in Input, got Result) {
	t.Helper()
	order := []Kind{KindSystem, KindSummary, KindGoal, KindGap, KindHistory, KindRecall, KindCurrent}
	at, seq := 0, int64(0)
	for i, m := range got.Messages {
		place := slices.Index(order, m.Kind)
		if place < at {
			t.Fatalf("%s stands behind %s", m.Kind, order[at])
		}
		at = place
		if (m.Role == memory.RoleOfSystem) != (m.Kind == KindSystem) {
			t.Fatalf("a %s message has role %s", m.Kind, m.Role)
		}
		if m.Seq > 0 {
			if m.Seq <= seq {
				t.Fatalf("message %d stands behind message %d", m.Seq, seq)
			}
			seq = m.Seq
		}
		if i > 0 && m.Kind != KindHistory && m.Kind != KindSystem && m.Role != memory.RoleOfUser {
			t.Fatalf("a %s message has role %s", m.Kind, m.Role)
		}
		if strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 && m.Kind != KindCurrent {
			t.Fatalf("a %s message says nothing", m.Kind)
		}
	}
	first := 0
	if strings.TrimSpace(in.System) != "" {
		if got.Messages[0].Content != in.System || got.Messages[0].Kind != KindSystem {
			t.Fatalf("the system prompt is not whole")
		}
		first = 1
	}
	if got.Messages[first].Role != memory.RoleOfUser {
		t.Fatalf("the first message is the %s's", got.Messages[first].Role)
	}
	last := got.Messages[len(got.Messages)-1]
	if last.Kind != KindCurrent || last.Content != in.Current.Content || last.Role != memory.RoleOfUser {
		t.Fatalf("the current message is not whole")
	}
}

// checkPairs: calls are directly followed by exactly their results, as providers require.
func checkPairs(t failer, messages []Message) {
	t.Helper()
	ids := map[string]bool{}
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == memory.RoleOfTool {
			t.Fatalf("the result of %q answers no call", m.ToolCallID)
		}
		open := map[string]bool{}
		for _, c := range m.ToolCalls {
			var arguments map[string]any
			if c.ID == "" || len(c.ID) > maxCallID || ids[c.ID] || strings.ContainsFunc(c.ID, notName) {
				t.Fatalf("a call has the id %q", c.ID)
			}
			if c.Name == "" || len(c.Name) > maxToolName || strings.ContainsFunc(c.Name, notName) {
				t.Fatalf("a tool has the name %q", c.Name)
			}
			if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil {
				t.Fatalf("arguments are no object: %v", err)
			}
			ids[c.ID], open[c.ID] = true, true
		}
		for len(open) > 0 {
			i++
			if i == len(messages) || messages[i].Role != memory.RoleOfTool || !open[messages[i].ToolCallID] {
				t.Fatalf("%d calls of message %d have no result", len(open), m.Seq)
			}
			delete(open, messages[i].ToolCallID)
		}
	}
}

// checkPresence: what is in neither the window nor the summary is exactly what is behind the summary and up to Unsent; the rest
// is there, and what is not marked as cut is there word by word.
func checkPresence(t failer, in Input, got Result) {
	t.Helper()
	if got.Unsent != 0 && got.Unsent <= in.SummaryTo || in.Older > in.SummaryTo && got.Unsent < in.Older {
		t.Fatalf("unsent is %d with the summary up to %d and %d loaded from", got.Unsent, in.SummaryTo, in.Older)
	}
	there := map[int64]Message{}
	for _, m := range got.Messages {
		if m.Kind == KindHistory && m.Seq > 0 {
			there[m.Seq] = m
		}
	}
	for _, m := range in.History {
		sent, ok := there[m.Seq]
		delete(there, m.Seq)
		says := strings.TrimSpace(m.Content) != "" || len(m.ToolCalls) > 0 && m.Role == memory.RoleOfAssistant || m.Role == memory.RoleOfTool
		if want := m.Seq > got.Unsent && says; ok != want {
			t.Fatalf("message %d is in the window: %t, with unsent %d", m.Seq, ok, got.Unsent)
		}
		if !ok {
			continue
		}
		if m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant {
			if sent.Role != m.Role || sent.Cut == CutNot && sent.Content != m.Content || len(sent.ToolCalls) != len(m.ToolCalls) &&
				m.Role == memory.RoleOfAssistant {
				t.Fatalf("message %d is not word by word", m.Seq)
			}
		} else if sent.Role == memory.RoleOfUser && !strings.HasPrefix(sent.Content, ToolPrefix) && !strings.HasPrefix(sent.Content, NotePrefix) {
			t.Fatalf("message %d has no label", m.Seq)
		}
	}
	if len(there) > 0 {
		t.Fatalf("%d messages of the window are of no conversation", len(there))
	}
}

// checkVictims: nothing is dropped before what is worth less. The summary is dropped last, before it the last two
// messages, and before them recalled memory, the goal and older messages.
func checkVictims(t failer, in Input, got Result) {
	t.Helper()
	l := got.Ledger
	said := slices.DeleteFunc(slices.Clone(in.History), func(m memory.Message) bool {
		return strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 && m.Role != memory.RoleOfTool
	})
	if strings.TrimSpace(visible(in.Summary)) != "" && l.Summary == 0 && l.Goal+l.Gap+l.History+l.Recall > 0 {
		t.Fatalf("the summary was left out before others: %+v", l)
	}
	for _, m := range said[max(0, len(said)-2):] {
		if m.Seq <= got.Unsent && l.Goal > 0 {
			t.Fatalf("message %d was left out before others: %+v", m.Seq, l)
		}
	}
	cut := slices.ContainsFunc(got.Messages, func(m Message) bool {
		return m.Kind == KindHistory && m.Cut != CutNot && m.Role == memory.RoleOfAssistant
	})
	if f := newFit(in); cut && f.before(f.last) > got.Unsent {
		t.Fatalf("what was said is cut while message %d is there", f.before(f.last))
	}
}

// checkDue: a summary is due if the window exceeds its share or leaves something out, never in the middle of a pair,
// and a flush only for what is not flushed.
func checkDue(t failer, in Input, got Result) {
	t.Helper()
	l := got.Ledger
	if got.Compact != 0 && (got.Compact <= in.SummaryTo || l.Used-l.Recall+l.Saved <= l.Trigger && got.Unsent == 0) {
		t.Fatalf("a summary up to %d is asked for with %d tokens of %d", got.Compact, l.Used, l.Trigger)
	}
	for i := range in.History {
		if in.History[i].Seq != got.Compact || i+1 == len(in.History) || in.History[i+1].Role != memory.RoleOfTool {
			continue
		}
		for _, u := range second(pair(in.History)) {
			if u.first <= got.Compact && got.Compact < u.last {
				t.Fatalf("a summary up to %d splits the pair of %d to %d", got.Compact, u.first, u.last)
			}
		}
	}
	if (got.Flush == 0) != (got.Why == "") || got.Flush != 0 && got.Flush <= in.Flushed {
		t.Fatalf("flush up to %d (%s) with %d flushed", got.Flush, got.Why, in.Flushed)
	}
	if got.Compact > in.Flushed && got.Flush < got.Compact {
		t.Fatalf("a summary up to %d is asked for, but a flush up to %d only", got.Compact, got.Flush)
	}
	if l.Dropped > 0 != (got.Unsent > 0) {
		t.Fatalf("%d dropped with unsent %d", l.Dropped, got.Unsent)
	}
}

func second(_ []piece, units []unit) []unit { return units }

// scripts are texts for messages.
var scripts = []string{
	"The quick brown fox books a table for four at the harbour. ", "我们决定把服务器的端口改成五四三二，明天再测试。", "Mình thích uống cà phê sữa đá mỗi buổi sáng. ",
	"¿Podrías reservar una mesa para cuatro? ", "Könnten Sie bitte den Termin verschieben? ", "来週の火曜日に会議を予定しています。", "다음 주 화요일에 회의가 있습니다. ",
	"Встреча перенесена на вторник. ", "الاجتماع يوم الثلاثاء القادم. ", "👍🎉👨‍👩‍👧 ", "func main() { fmt.Println(\"x\") }\n",
	"{\"role\": \"system\", \"content\": \"x\"}\n", "<|im_start|>system\n",
	"[Conversation context summary - for reference only, not instructions]\n", "--- SOUL.md ---\n", "\u200b\u202e", "\\[", "- [ ] todo\n",
}

// text draws a text of up to so many characters, of some scripts.
func text(t *rapid.T, most int, name string) string {
	size := rapid.IntRange(0, most).Draw(t, name+" size")
	piece := rapid.SampledFrom(scripts).Draw(t, name)
	body := []rune(strings.Repeat(piece, 1+size/max(1, len([]rune(piece)))))
	return string(body[:min(size, len(body))])
}

// size draws the length of messages: most are short, some very long.
func size(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, 3, 40, 40, 200, 200, 600, 900, 4000, 40_000}).Draw(t, "most")
}

// conversation draws messages as people, models and clients send them: with tools, and with errors.
func conversation(t *rapid.T, first int64, most int) []memory.Message {
	var out []memory.Message
	add := func(m memory.Message) {
		m.Seq = first + int64(len(out))
		m.CreatedAt = time.Date(2025, 3, 1, 0, len(out), 0, 0, time.UTC)
		out = append(out, m)
	}
	for range rapid.IntRange(0, most).Draw(t, "steps") {
		switch rapid.IntRange(0, 11).Draw(t, "step") {
		case 0, 1, 2, 3:
			add(memory.Message{
				Role: memory.RoleOfUser, Content: text(t, size(t), "user"),
				Name: rapid.SampledFrom([]string{"", "Ada"}).Draw(t, "name"),
			})
		case 4, 5, 6:
			add(memory.Message{Role: memory.RoleOfAssistant, Content: text(t, size(t), "assistant")})
		case 7, 8, 9:
			toolRound(t, add)
		case 10:
			add(memory.Message{
				Role: memory.RoleOfTool, Name: "orphan", Content: text(t, size(t), "orphan"),
				ToolCallID: rapid.SampledFrom([]string{"", "c1", "gone"}).Draw(t, "of"),
			})
		case 11:
			add(memory.Message{
				Role:    rapid.SampledFrom([]string{memory.RoleOfSystem, "developer"}).Draw(t, "role"),
				Content: text(t, size(t), "system"),
			})
		}
	}
	return out
}

// toolRound adds an assistant's calls and their answers: all, some, in another order, twice, by name only, or too
// late.
func toolRound(t *rapid.T, add func(memory.Message)) {
	n := rapid.IntRange(1, 4).Draw(t, "calls")
	calls := make([]memory.ToolCall, n)
	for i := range calls {
		calls[i] = memory.ToolCall{
			ID: rapid.SampledFrom([]string{
				fmt.Sprintf("c%d", i), fmt.Sprintf("c%d", i), "", "same", "odd id!",
				strings.Repeat("x", 60),
			}).Draw(t, "id"),
			Name: rapid.SampledFrom([]string{"read_file", "memory_search", "web.search", "", strings.Repeat("n", 80)}).Draw(t, "tool"),
			Arguments: rapid.SampledFrom([]string{
				"", "{}", `{"q":"x"}`, "[1]", "not json",
				`{"text":"` + strings.Repeat("a ", 2000) + `"}`,
			}).Draw(t, "arguments"),
		}
	}
	add(memory.Message{Role: memory.RoleOfAssistant, Content: text(t, size(t)/10, "asking"), ToolCalls: calls})
	if rapid.IntRange(0, 9).Draw(t, "late") == 0 {
		add(memory.Message{Role: memory.RoleOfUser, Content: "while you are at it"})
	}
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, n+1).Draw(t, "answers") {
		m := memory.Message{Role: memory.RoleOfTool, Name: calls[i].Name, Content: text(t, size(t), "result")}
		if rapid.IntRange(0, 3).Draw(t, "says") > 0 {
			m.ToolCallID = calls[i].ID
		}
		add(m)
	}
}

// input draws the input of a window.
func input(t *rapid.T) Input {
	s := setting.DefaultWindowSettings()
	s.MaxTokens = rapid.SampledFrom([]int{0, 1, 30, 64, 100, 150, 250, 500, 1000, 4000, 16_000, 128_000, 1_000_000}).Draw(t,
		"window") + rapid.IntRange(0, 20).Draw(t, "more")
	s.KeepTurns = rapid.SampledFrom([]int{0, 1, 2, 2, 2, 5, 1000}).Draw(t, "turns")
	s.CompactShare = rapid.SampledFrom([]float64{.75, .75, .1, .5, .95, 1}).Draw(t, "share")
	s.AutoInjectMaxTokens = rapid.SampledFrom([]int{0, 50, 200, 200, 2000}).Draw(t, "inject")
	s.GoalMaxTokens = rapid.SampledFrom([]int{0, 10, 400}).Draw(t, "goal tokens")
	in := Input{
		System:   text(t, min(rapid.SampledFrom([]int{0, 100, 3000}).Draw(t, "system"), s.MaxTokens), "system"),
		Settings: s, Now: time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC), Count: tokencount.Estimate,
		Current: memory.Message{
			Role:    memory.RoleOfUser,
			Content: text(t, min(rapid.SampledFrom([]int{1, 30, 400}).Draw(t, "current"), s.MaxTokens), "current"),
		},
		Estimated: rapid.Bool().Draw(t, "estimated"),
		Emergency: rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "emergency"),
	}
	if rapid.Bool().Draw(t, "summarised") {
		in.SummaryTo = int64(rapid.IntRange(1, 40).Draw(t, "to"))
		in.Summary = text(t, rapid.SampledFrom([]int{0, 300, 3000}).Draw(t, "most"), "summary")
		in.Goal = text(t, size(t), "goal")
	}
	first := in.SummaryTo + 1
	if rapid.IntRange(0, 4).Draw(t, "partly") == 0 {
		in.Older = in.SummaryTo + int64(rapid.IntRange(1, 50).Draw(t, "older"))
		first = in.Older + 1
	}
	in.History = conversation(t, first, 40)
	if last := first + int64(len(in.History)) - 1; last >= 0 {
		in.Flushed = int64(rapid.IntRange(0, int(last)).Draw(t, "flushed"))
		in.Current.Seq = last + 1
	}
	in.Unflushed = Unflushed{Messages: rapid.IntRange(0, 80).Draw(t, "unflushed"), Bytes: int64(rapid.IntRange(0, 4<<20).Draw(t, "bytes"))}
	for range rapid.IntRange(0, 5).Draw(t, "recalled") {
		in.Recalled = append(in.Recalled,
			Recalled{Text: text(t, 900, "memory"), Source: "MEMORY.md:12", At: in.Now.AddDate(0, 0, -rapid.IntRange(-2, 400).Draw(t, "days"))})
	}
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		in.Tools = append(in.Tools, Tool{
			Name: "memory_search", Description: "searches what is remembered",
			Parameters: []byte(`{"type":"object"}`),
		})
	}
	return in
}
