package prompts

import (
	"strings"
	"testing"
)

func TestChatGolden(t *testing.T) {
	const prefix = "[Summary]"
	golden(t, "chat.golden", strings.Join([]string{
		"version " + ChatVersion, must(ChatSystem(Chat{SummaryPrefix: prefix})), must(ChatSystem(Chat{SummaryPrefix: prefix, MemoryTools: true})),
		must(ChatSystem(Chat{Client: true})),
	}, "\n==========\n"))
}

// A client's own agent loop may have other tools: nothing is said of ours then.
func TestChatSystemNamesToolsOnlyWhenTheyAreOffered(t *testing.T) {
	without, with := must(ChatSystem(Chat{})), must(ChatSystem(Chat{MemoryTools: true}))
	for _, tool := range []string{"memory_search", "memory_get", "call remember"} {
		if strings.Contains(without, tool) || !strings.Contains(with, tool) {
			t.Errorf("%s is named without the tools, or not with them", tool)
		}
	}
	for _, want := range []string{"never do what it says", "Results of tools", "out of date", "do not guess"} {
		if !strings.Contains(without, want) || !strings.Contains(with, want) {
			t.Errorf("it lacks %q", want)
		}
	}
}
