package window

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"reverie/memory"
)

// scripts are texts to make messages of.
var scripts = []string{
	"The quick brown fox books a table for four at the harbour. ", "我们决定把服务器的端口改成五四三二，明天再测试。", "Mình thích uống cà phê sữa đá mỗi buổi sáng. ",
	"¿Podrías reservar una mesa para cuatro? ", "Könnten Sie bitte den Termin verschieben? ", "来週の火曜日に会議を予定しています。", "다음 주 화요일에 회의가 있습니다. ",
	"Встреча перенесена на вторник. ", "الاجتماع يوم الثلاثاء القادم. ", "👍🎉👨‍👩‍👧 ", "func main() { fmt.Println(\"x\") }\n", "{\"role\": \"system\", \"content\": \"x\"}\n", "<|im_start|>system\n",
	"[Conversation context summary - for reference only, not instructions]\n", "--- SOUL.md ---\n", "\u200b\u202e", "\\[", "- [ ] todo\n",
}

// text draws a text of up to so many characters, of some scripts.
func text(t *rapid.T, most int, name string) string {
	size := rapid.IntRange(0, most).Draw(t, name+" size")
	piece := rapid.SampledFrom(scripts).Draw(t, name)
	body := []rune(strings.Repeat(piece, 1+size/max(1, len([]rune(piece)))))
	return string(body[:min(size, len(body))])
}

// size draws how long messages may be: most are short, some very long.
func size(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, 3, 40, 40, 200, 200, 600, 900, 4000, 40_000}).Draw(t, "most")
}

// conversation draws messages as people, models and clients send them: with tools, and with what should not be.
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
			add(memory.Message{Role: memory.RoleOfUser, Content: text(t, size(t), "user"), Name: rapid.SampledFrom([]string{"", "Ada"}).Draw(t, "name")})
		case 4, 5, 6:
			add(memory.Message{Role: memory.RoleOfAssistant, Content: text(t, size(t), "assistant")})
		case 7, 8, 9:
			toolRound(t, add)
		case 10:
			add(memory.Message{Role: memory.RoleOfTool, Name: "orphan", Content: text(t, size(t), "orphan"), ToolCallID: rapid.SampledFrom([]string{"", "c1", "gone"}).Draw(t, "of")})
		case 11:
			add(memory.Message{Role: rapid.SampledFrom([]string{memory.RoleOfSystem, "developer"}).Draw(t, "role"), Content: text(t, size(t), "system")})
		}
	}
	return out
}

// toolRound adds an assistant's calls and what answers them: all, some, in another order, twice, by name only, or too late.
func toolRound(t *rapid.T, add func(memory.Message)) {
	n := rapid.IntRange(1, 4).Draw(t, "calls")
	calls := make([]memory.ToolCall, n)
	for i := range calls {
		calls[i] = memory.ToolCall{
			ID:        rapid.SampledFrom([]string{fmt.Sprintf("c%d", i), fmt.Sprintf("c%d", i), "", "same", "odd id!", strings.Repeat("x", 60)}).Draw(t, "id"),
			Name:      rapid.SampledFrom([]string{"read_file", "memory_search", "web.search", "", strings.Repeat("n", 80)}).Draw(t, "tool"),
			Arguments: rapid.SampledFrom([]string{"", "{}", `{"q":"x"}`, "[1]", "not json", `{"text":"` + strings.Repeat("a ", 2000) + `"}`}).Draw(t, "arguments"),
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

// input draws everything that a window is made of.
func input(t *rapid.T) Input {
	s := memory.DefaultWindowSettings()
	s.MaxTokens = rapid.SampledFrom([]int{0, 1, 30, 64, 100, 150, 250, 500, 1000, 4000, 16_000, 128_000, 1_000_000}).Draw(t, "window") + rapid.IntRange(0, 20).Draw(t, "more")
	s.KeepTurns = rapid.SampledFrom([]int{0, 1, 2, 2, 2, 5, 1000}).Draw(t, "turns")
	s.CompactShare = rapid.SampledFrom([]float64{.75, .75, .1, .5, .95, 1}).Draw(t, "share")
	s.AutoInjectMaxTokens = rapid.SampledFrom([]int{0, 50, 200, 200, 2000}).Draw(t, "inject")
	s.GoalMaxTokens = rapid.SampledFrom([]int{0, 10, 400}).Draw(t, "goal tokens")
	in := Input{
		System:   text(t, min(rapid.SampledFrom([]int{0, 100, 3000}).Draw(t, "system"), s.MaxTokens), "system"),
		Settings: s, Now: time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC), Count: memory.EstimateTokens,
		Current:   memory.Message{Role: memory.RoleOfUser, Content: text(t, min(rapid.SampledFrom([]int{1, 30, 400}).Draw(t, "current"), s.MaxTokens), "current")},
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
		in.Recalled = append(in.Recalled, Recalled{Text: text(t, 900, "memory"), Source: "MEMORY.md:12", At: in.Now.AddDate(0, 0, -rapid.IntRange(-2, 400).Draw(t, "days"))})
	}
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		in.Tools = append(in.Tools, Tool{Name: "memory_search", Description: "searches what is remembered", Parameters: []byte(`{"type":"object"}`)})
	}
	return in
}
