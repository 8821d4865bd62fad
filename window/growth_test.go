package window

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/tokencount"
)

// talk is a growing conversation, with the state that its owner's database would have.
type talk struct {
	in       Input
	stored   []memory.Message
	flushed  int64
	previous Result // the window of the turn before
	compacts int
}

// say runs one turn like a chat: it makes a summary that is due, and flushes what is left out. It returns the window
// for the model.
func (k *talk) say(t failer, message string, answer ...memory.Message) Result {
	t.Helper()
	in := k.in
	in.Current = memory.Message{Role: memory.RoleOfUser, Content: message}
	got := k.fit(t, in)
	for got.Compact > 0 {
		was := k.in.SummaryTo
		k.flushed = max(k.flushed, got.Compact)
		k.in.SummaryTo, k.in.Summary = got.Compact,
			fmt.Sprintf("## Goal\nwhat was said up to %d\n%s", got.Compact, strings.Repeat("- a line of it\n", 20))
		k.in.Goal, k.compacts = "the first thing", k.compacts+1
		if k.in.SummaryTo <= was {
			t.Fatalf("a summary up to %d is asked for again", was)
		}
		in.SummaryTo, in.Summary, in.Goal = k.in.SummaryTo, k.in.Summary, k.in.Goal
		got = k.fit(t, in)
	}
	k.flushed = max(k.flushed, got.Unsent)
	k.store(append([]memory.Message{in.Current}, answer...)...)
	return got
}

func (k *talk) store(messages ...memory.Message) {
	for _, m := range messages {
		m.Seq = int64(len(k.stored) + 1)
		k.stored = append(k.stored, m)
	}
}

func (k *talk) fit(t failer, in Input) Result {
	t.Helper()
	in.History, in.Flushed = k.stored[in.SummaryTo:], k.flushed
	got, err := Fit(in)
	if err != nil {
		t.Fatalf("%v", err)
	}
	checkWindow(t, in, got)
	return got
}

// bytes returns messages in the form that a provider sees, one after the other.
func bytes(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s\x00%s\x00%v\x00%s\x01", m.Role, m.Content, m.ToolCalls, m.ToolCallID)
	}
	return b.String()
}

// stable returns the length of the common prefix of a window and the previous one.
func stable(before, now string) int {
	n := 0
	for n < len(before) && n < len(now) && before[n] == now[n] {
		n++
	}
	return n
}

// kept returns the messages of a window with which the next one must begin: all but the last of the conversation's
// and what follows it.
func kept(r Result) []Message {
	var out []Message
	for _, m := range r.Messages {
		if m.Kind != KindRecall && m.Kind != KindCurrent {
			out = append(out, m)
		}
	}
	return out
}

// moved reports whether a further group was trimmed or cleared between two windows, or messages were left out or summarised.
func moved(before, now Result) bool {
	return now.Ledger.Trimmed != before.Ledger.Trimmed || now.Ledger.Cleared != before.Ledger.Cleared || now.Unsent != before.Unsent ||
		now.Ledger.Summary != before.Ledger.Summary || now.Messages[1].Kind == KindSummary &&
		now.Messages[1].Content != before.Messages[1].Content
}

// TestGrowth: while a conversation grows, a window begins with all that the window before had, but where a group was trimmed or
// cleared, or earlier turns were summarised. What is recalled, which changes every turn, changes nothing of it.
func TestGrowth(t *testing.T) {
	k := newTalk(16_000)
	breaks, same, all, lost, results := 0, 0, 0, 0, 0
	for turn := range 400 {
		k.in.Recalled = []Recalled{{Text: strings.Repeat(fmt.Sprintf("memory %d ", turn), 1+turn%30), Source: "MEMORY.md:3"}}
		answer := []memory.Message{}
		if turn%3 == 0 {
			results++
			answer = append(answer,
				memory.Message{
					Role:      memory.RoleOfAssistant,
					ToolCalls: []memory.ToolCall{{ID: fmt.Sprintf("c%d", turn), Name: "read_file", Arguments: "{}"}},
				},
				memory.Message{
					Role: memory.RoleOfTool, ToolCallID: fmt.Sprintf("c%d", turn),
					Content: strings.Repeat(fmt.Sprintf("line %d\n", turn), 150),
				})
		}
		answer = append(answer, memory.Message{Role: memory.RoleOfAssistant, Content: strings.Repeat("an answer ", 10+turn%7)})
		got := k.say(t, fmt.Sprintf("question %d %s", turn, strings.Repeat("?", turn%50)), answer...)
		if turn > 0 {
			before, now := bytes(kept(k.previous)), bytes(got.Messages)
			same += stable(before, now)
			all += len(now)
			lost += len(before) - stable(before, now)
			if !strings.HasPrefix(now, before) {
				breaks++
				if !moved(k.previous, got) {
					t.Fatalf("turn %d changes what it began with at byte %d of %d", turn, stable(before, now), len(before))
				}
			}
		}
		k.previous = got
	}
	share := float64(same) / float64(all)
	t.Logf("%d turns, %d results, %d summaries: the beginning changed %d times; %.1f %% of the bytes stayed, %.2f lost", 400, results,
		k.compacts, breaks, 100*share, 100*float64(lost)/float64(all))
	if share < .9 {
		t.Errorf("only %.1f %% of the bytes stayed", 100*share)
	}
	if k.compacts == 0 {
		t.Error("nothing was summarised")
	}
}

func newTalk(window int) *talk {
	s := setting.DefaultWindowSettings()
	s.MaxTokens = window
	return &talk{in: Input{
		System: "You are helpful.\n" + strings.Repeat("A rule of the house. ", 40), Settings: s, Count: tokencount.Estimate,
		Now: time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC),
	}}
}

// TestGrowthProperties: in any conversation that grows by any messages, turns come to an end, every window holds what it has to,
// nothing is left out that is not flushed, and a trimmed result is not made whole again before it is summarised.
func TestGrowthProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(rapid.SampledFrom([]int{600, 1500, 6000, 40_000}).Draw(t, "window"))
		k.in.Settings.KeepTurns = rapid.IntRange(0, 3).Draw(t, "keep")
		k.in.Settings.AutoInjectMaxTokens = rapid.SampledFrom([]int{0, 200}).Draw(t, "inject")
		cut := map[int64]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			k.in.Recalled = []Recalled{{Text: text(t, 600, "memory"), Source: "PROFILE.md"}}
			got := k.say(t, "a question", conversation(t, 1, 6)...)
			if got.Unsent > k.flushed {
				t.Fatalf("%d is left out and %d is flushed", got.Unsent, k.flushed)
			}
			for _, m := range got.Messages {
				if m.Cut == CutNot && cut[m.Seq] && m.Seq > 0 && got.Unsent == k.previous.Unsent && k.in.SummaryTo == 0 {
					t.Fatalf("message %d is whole again", m.Seq)
				}
				cut[m.Seq] = m.Cut != CutNot
			}
			k.previous = got
		}
	})
}
