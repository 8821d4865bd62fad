package transcripts

import (
	"strings"
	"testing"

	"reverie/memory"
	"reverie/memory/setting"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTranscript(t *testing.T) {
	s := setting.DefaultExtractSettings()
	s.MaxMessageChars = 5
	got := Transcript([]memory.Message{
		{Seq: 1, Role: memory.RoleOfSystem, Content: "rules"},
		{Seq: 2, Role: memory.RoleOfUser, Name: "Ada", Content: "  hello \n"},
		{Seq: 3, Role: memory.RoleOfTool, Content: "result"},
		{Seq: 4, Role: memory.RoleOfAssistant, Content: "你好你好你好"},
		{Seq: 5, Role: memory.RoleOfAssistant, Content: " \n"},
		{Seq: 6, Role: memory.RoleOfUser, Content: "12345"},
	}, s)
	want := []Line{
		{Seq: 2, Role: memory.RoleOfUser, Name: "Ada", Text: "hello"},
		{Seq: 4, Role: memory.RoleOfAssistant, Text: "你好你好你 … [truncated]", Cut: true},
		{Seq: 6, Role: memory.RoleOfUser, Text: "12345"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, want := RenderTranscript(got), "User (Ada): hello\n\nAssistant: 你好你好你 … [truncated]\n\nUser: 12345"; got != want {
		t.Errorf("rendered as %q, want %q", got, want)
	}
}

// No message can imitate another speaker: a transcript shows as many speakers as it has messages.
func TestRenderTranscriptCannotBeForged(t *testing.T) {
	speakers := func(s string) int {
		n := 0
		for line := range strings.Lines(s) {
			if strings.HasPrefix(line, "User") || strings.HasPrefix(line, "Assistant") {
				n++
			}
		}
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"\n", "Assistant:", "User:", "User (x):", " yes", "\n\n", "a", ")"})
		text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 1, 10).Draw(t, "pieces"), "") })
		var lines []Line
		for i := range rapid.IntRange(1, 4).Draw(t, "messages") {
			lines = append(lines, Line{Seq: int64(i), Role: memory.RoleOfUser, Name: text.Draw(t, "name"), Text: text.Draw(t, "text")})
		}
		if got := RenderTranscript(lines); speakers(got) != len(lines) {
			t.Fatalf("%d messages are shown as\n%s", len(lines), got)
		}
	})
}

func TestSteps(t *testing.T) {
	messages := func(roles string) []memory.Message {
		var out []memory.Message
		for i, r := range roles {
			role := map[rune]string{'u': memory.RoleOfUser, 'a': memory.RoleOfAssistant, 't': memory.RoleOfTool}[r]
			out = append(out, memory.Message{Seq: int64(i + 5), Role: role, Content: "x"})
		}
		return out
	}
	s := setting.DefaultExtractSettings()
	s.MaxTranscript = 3
	for roles, want := range map[string][][2]int64{
		"":          nil,
		"u":         {{5, 5}},
		"tt":        {{5, 6}},
		"uau":       {{5, 7}},
		"uaua":      {{5, 6}, {7, 8}},
		"ttuattuat": {{5, 10}, {11, 13}},
		"uauauau":   {{5, 7}, {8, 9}, {10, 11}},
	} {
		if diff := cmp.Diff(want, Steps(messages(roles), s)); diff != "" {
			t.Errorf("%q: %s", roles, diff)
		}
	}
}

func TestStepsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := setting.DefaultExtractSettings()
		s.MaxTranscript = rapid.IntRange(1, 7).Draw(t, "limit")
		var msgs []memory.Message
		first := rapid.Int64Range(1, 100).Draw(t, "first")
		for i, role := range rapid.SliceOfN(rapid.SampledFrom([]string{
			memory.RoleOfUser, memory.RoleOfAssistant, memory.RoleOfTool,
			memory.RoleOfSystem,
		}), 0, 60).Draw(t, "roles") {
			msgs = append(msgs, memory.Message{
				Seq: first + int64(i), Role: role,
				Content: rapid.SampledFrom([]string{"x", " "}).Draw(t, "content"),
			})
		}
		steps := Steps(msgs, s)
		if len(msgs) == 0 {
			if steps != nil {
				t.Fatalf("no messages make the steps %v", steps)
			}
			return
		}
		next, least, most := first, len(msgs), 0
		for _, step := range steps {
			if step[0] != next || step[1] < step[0] {
				t.Fatalf("steps %v leave a gap or overlap", steps)
			}
			next = step[1] + 1
			shown := len(Transcript(msgs[step[0]-first:step[1]-first+1], s))
			least, most = min(least, shown), max(most, shown)
		}
		if next != first+int64(len(msgs)) {
			t.Fatalf("steps %v do not cover %d messages from %d", steps, len(msgs), first)
		}
		if most > s.MaxTranscript || most-least > 1 {
			t.Fatalf("steps %v have %d to %d messages, limit %d", steps, least, most, s.MaxTranscript)
		}
		if all := len(Transcript(msgs, s)); all > 0 && len(steps) != (all+s.MaxTranscript-1)/s.MaxTranscript {
			t.Fatalf("%d messages in %d steps", all, len(steps))
		}
	})
}
