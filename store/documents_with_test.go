package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Of more documents with the words than are examined, the standing ones are among them, however old they are.
func TestStandingDocumentsAreExaminedFirst(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")
	var ids []uuid.UUID
	add := func(path string) {
		t.Helper()
		now = now.Add(time.Minute)
		receipt := write(t, s, id, replace(personal(path), 0, "The blue cabinet of blue wood.\n"))
		ids = append(ids, receipt.Document)
	}
	add(memory.AgentsPath)
	add(memory.MemoryPath)
	for i := range 60 {
		add(fmt.Sprintf("memory/%s.md", testClock.AddDate(0, 0, i).Format(time.DateOnly)))
	}
	found := must[[]memory.Document](t)(s.DocumentsWith(t.Context(), id, ids, [][]string{{"blue", "wood"}}, 50))
	if len(found) != 50 || found[0].Path != memory.MemoryPath || found[1].Path != memory.AgentsPath || found[2].Path != "memory/2027-01-19.md" {
		var paths []string
		for _, d := range found[:min(len(found), 4)] {
			paths = append(paths, d.Path)
		}
		t.Errorf("%d documents, first %v", len(found), paths)
	}
}
