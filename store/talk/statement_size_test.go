package talk

import (
	"fmt"
	"strings"
	"testing"

	"reverie/memory"
)

func TestToolCallsArePartOfAStatement(t *testing.T) {
	call := memory.ToolCall{ID: "c1", Name: "memory_search", Arguments: strings.Repeat("a", memory.MaxToolCallBytes/2)}
	messages := make([]memory.Message, 100)
	for i := range messages {
		messages[i] = memory.Message{ID: fmt.Sprint("m", i), Role: memory.RoleOfAssistant, ToolCalls: []memory.ToolCall{call}}
	}
	cut := Parts(messages)
	n := 0
	for _, part := range cut {
		size := 0
		for _, m := range part {
			size += sizeOf(m)
		}
		if size > maxStatementBytes {
			t.Errorf("a statement carries %d bytes", size)
		}
		n += len(part)
	}
	if len(cut) < 2 || n != len(messages) {
		t.Errorf("%d parts of %d messages", len(cut), n)
	}
}
