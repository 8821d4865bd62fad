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
	h.want(c, toolbox.ListContradictions, "{}")
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
