package dreams

import (
	"fmt"
	"strings"
	"testing"

	"reverie/cli/clitest"
	"reverie/cli/session"
	"reverie/memory"
)

func TestFoldersThatAreNoNotes(t *testing.T) {
	many := map[string]string{}
	for n := range 1001 {
		many[fmt.Sprintf("2026-01-31-%04d.md", n)] = "- x\n"
	}
	for name, c := range map[string]struct {
		notes map[string]string
		want  string
	}{
		"empty": {nil, "has no daily notes"},
		"other files": {
			map[string]string{"MEMORY.md": "- x\n", "2026-01-31.txt": "x"},
			"has no daily notes: they are files named after their day",
		},
		"blank":    {map[string]string{"2026-01-31.md": " \n"}, "has no daily notes"},
		"no day":   {map[string]string{"2026-02-30.md": "- x\n"}, "invalid date 2026-02-30"},
		"too long": {map[string]string{"2026-01-31.md": strings.Repeat("x", memory.MaxDocumentBytes+1)}, "2026-01-31.md: "},
		"no text":  {map[string]string{"2026-01-31.md": "a\x00b"}, "2026-01-31.md: "},
		"too many": {many, "more than 1000 notes"},
	} {
		err := backfill(t, "--path", clitest.Folder(t, c.notes))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if err := backfill(t); err == nil || !strings.Contains(err.Error(), "--path") {
		t.Errorf("without a folder: %v", err)
	}
	notes, err := readNotes(clitest.Folder(t, map[string]string{"2026-02-01.md": "\ufeffb", "2026-01-31-x.md": "a2", "2026-01-31.md": "a1"}))
	if err != nil || len(notes) != 3 || notes[0].content != "a2" || notes[1].content != "a1" || notes[2].content != "b" {
		t.Errorf("notes = %+v, error %v", notes, err)
	}
}

func backfill(t *testing.T, args ...string) error {
	t.Helper()
	c := commands{&session.Session{Agent: "ada", Key: "k"}}.remBackfillCommand()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append([]string{}, args...))
	return c.ExecuteContext(t.Context())
}
