package memory_test

import (
	"testing"

	"reverie/memory"
)

func TestMachinesKeepTheArchive(t *testing.T) {
	t.Parallel()
	const before = "# Memory\n\n- Lives in Bern.\n\n## Archived\n\n- Likes tea.\n"
	for name, c := range map[string]struct{ after, want string }{
		"dropped":       {"# Memory\n\n- Lives in Bern.\n- Has a cat.\n", "# Memory\n\n- Lives in Bern.\n- Has a cat.\n\n## Archived\n\n- Likes tea.\n"},
		"made current":  {"# Memory\n\n- Lives in Bern.\n- Likes tea\n", before},
		"changed":       {"# Memory\n\n- Lives in Bern.\n\n## Archived\n\n- Likes coffee.\n", before},
		"left as it is": {before, before},
	} {
		if got := memory.KeepArchive(before, c.after); got != c.want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	const plain = "# Memory\n\n- One.\n"
	if got := memory.KeepArchive(plain, "# Memory\n\n- Two.\n"); got != "# Memory\n\n- Two.\n" {
		t.Errorf("without an archive:\n%s", got)
	}
}
