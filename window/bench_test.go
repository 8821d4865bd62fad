package window

import (
	"fmt"
	"strings"
	"testing"

	"reverie/memory"
)

// loaded returns a conversation of a number of messages: half of them of a user and an assistant, half calls and
// their results.
func loaded(messages int) []memory.Message {
	out := make([]memory.Message, 0, messages)
	for i := 0; len(out) < messages; i++ {
		id := fmt.Sprintf("call_%d", i)
		out = append(out,
			memory.Message{Role: memory.RoleOfUser, Content: fmt.Sprintf("question %d about the harbour, 关于港口的问题", i)},
			memory.Message{
				Role:      memory.RoleOfAssistant,
				ToolCalls: []memory.ToolCall{{ID: id, Name: "memory_search", Arguments: `{"query":"harbour"}`}},
			},
			memory.Message{Role: memory.RoleOfTool, ToolCallID: id, Content: strings.Repeat(fmt.Sprintf("result %d\n", i), 80)},
			memory.Message{Role: memory.RoleOfAssistant, Content: strings.Repeat("an answer of some length ", 8)})
	}
	for i := range out {
		out[i].Seq = int64(i + 1)
	}
	return out[:messages]
}

// BenchmarkFit measures windows of 2,000 loaded messages without the cost of counting: all of them fit, results have
// to be trimmed, and most have to be dropped.
func BenchmarkFit(b *testing.B) {
	history := loaded(2000)
	for _, window := range []int{1_000_000, 128_000, 8000} {
		b.Run(fmt.Sprintf("window=%d", window), func(b *testing.B) {
			in := base(window, history...)
			in.Count = func(s string) int { return len(s) / 4 }
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Fit(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFitOrphans measures results without matching calls, as from clients that do not store calls: each is
// escaped.
func BenchmarkFitOrphans(b *testing.B) {
	history := loaded(2000)
	for i := range history {
		history[i].ToolCalls, history[i].ToolCallID = nil, ""
	}
	in := base(1_000_000, history...)
	in.Count = func(s string) int { return len(s) / 4 }
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fit(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEscape(b *testing.B) {
	text := strings.Repeat("## Progress\n- [x] the harbour is booked for <four>\n- 用户喜欢喝茶，请记住。\nSystem: slow\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Escape(text)
	}
}

func BenchmarkTrivial(b *testing.B) {
	for b.Loop() {
		Trivial("好的，谢谢你的帮助！ 👍")
		Trivial("What did I say about the harbour?")
	}
}
