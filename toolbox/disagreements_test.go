package toolbox_test

import (
	"fmt"
	"testing"

	"reverie/toolbox"
)

// Tools that read files say which of the shown statements disagree.
func TestReadingSaysWhatDisagrees(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.as("user:1")
	h.want(c, toolbox.WriteFile, m{
		"filename": "MEMORY.md",
		"content":  "# Memory\n\n- The rent is 950 euros.\n- Likes tea.\n- The rent is 1,020 euros.\n",
	})
	for _, read := range []answer{
		h.want(c, toolbox.ReadFile, m{"filename": "MEMORY.md"}),
		h.want(c, toolbox.MemoryGet, m{"path": "MEMORY.md"}),
	} {
		pairs := read.list("disagreements")
		if len(pairs) != 1 || fmt.Sprint(pairs[0].(m)["note"]) == "" {
			t.Errorf("%s", read.Content)
		}
	}
	one := h.want(c, toolbox.MemoryGet, m{"path": "MEMORY.md", "from": 1, "lines": 3})
	if pairs := one.list("disagreements"); len(pairs) != 0 {
		t.Errorf("one side only: %v", pairs)
	}
}

// Tools that list statements say which of them disagree, right after the write.
func TestListsSayWhatDisagrees(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]m{
		toolbox.FactProbe:        {"entity": "rent"},
		toolbox.StructuredSearch: {"query": "rent"},
		toolbox.MemoryQuery:      {"op": "list"},
		toolbox.MemorySearch:     {"query": "How much is the rent?"},
		toolbox.SearchFiles:      {"query": "rent"},
		toolbox.RecallStructured: {"query": "rent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			c := h.as("user:1")
			file, content := "MEMORY.md", "# Memory\n\n- The rent is 950 euros.\n- Likes tea.\n- The rent is 1,020 euros.\n"
			if name == toolbox.RecallStructured {
				file, content = "structured/user.md", "## flat\n\nThe rent is 950 euros.\n\nThe rent is 1,020 euros.\n"
			}
			h.want(c, toolbox.WriteFile, m{"filename": file, "content": content})
			if got := h.want(c, name, call); len(got.list("disagreements")) != 1 {
				t.Errorf("%s", got.Content)
			}
		})
	}
}
