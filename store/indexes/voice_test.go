package indexes

import (
	"strings"
	"testing"

	"reverie/memory"
	"reverie/search/chunk"
)

// TestVoices checks that only short messages of persons are standing instructions, and that an assistant without a name is known.
func TestVoices(t *testing.T) {
	t.Parallel()
	const rule = "Always answer in metric units."
	for _, c := range []struct {
		message memory.Message
		want    chunk.Voice
	}{
		{memory.Message{Role: memory.RoleOfUser, Content: rule}, chunk.Rule},
		{memory.Message{Role: memory.RoleOfUser, Content: "I walked ten miles."}, chunk.Someone},
		{memory.Message{Role: memory.RoleOfUser, Content: rule + strings.Repeat(" A line of a log.", 200)}, chunk.Someone},
		{memory.Message{Role: memory.RoleOfAssistant, Content: rule}, chunk.Assistant},
		{memory.Message{Role: memory.RoleOfAssistant, Name: "Otto", Content: rule}, chunk.Someone},
	} {
		c.message.Seq = 1
		for _, e := range TurnEntries([]memory.Message{c.message}) {
			if got := chunk.Voice(e.Section); got != c.want {
				t.Errorf("%s %q: %v", c.message.Role, c.message.Content[:20], got)
			}
		}
	}
}
