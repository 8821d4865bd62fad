package workflows

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// What a dream wrote and what is said later corrects leaves MEMORY.md for the archive, the diary names it, and undoing the dream
// brings it back.
func TestALaterStatementRetiresALineOfADream(t *testing.T) {
	w := newDreamWorld(t)
	for _, day := range []string{"2026-01-28", "2026-01-29", "2026-01-30"} {
		w.note(t, day, "Boris lives in Rome.")
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Promoted != 1 {
		t.Fatalf("the first night ended as %+v (%v)", out, err)
	}
	before := w.read(t, memory.MemoryPath)
	w.asOf = w.asOf.AddDate(0, 0, 4)
	for _, day := range []string{"2026-02-01", "2026-02-02", "2026-02-03"} {
		w.note(t, day, "Boris no longer lives in Rome, he moved to Oslo.")
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeWritten || out.Promoted != 1 {
		t.Fatalf("the second night ended as %+v (%v)", out, err)
	}
	after := w.read(t, memory.MemoryPath)
	if strings.Contains(after, "- Boris lives in Rome.") || !strings.Contains(after, "moved to Oslo") || !strings.HasPrefix(after, itsMemory) || strings.Contains(after, "(2026-01-31)") {
		t.Errorf("MEMORY.md became:\n%s", after)
	}
	archive := w.read(t, "memory/archive/2026-02.md")
	if !strings.Contains(archive, "## Replaced on 2026-02-04\n\n- Boris lives in Rome. <!-- ") ||
		!strings.Contains(archive, "\n\n### Replaced by\n\n- Boris no longer lives in Rome, he moved to Oslo. <!-- ") {
		t.Errorf("the archive says:\n%s", archive)
	}
	if diary := w.read(t, "DREAMS.md"); !strings.Contains(diary, "Retired to memory/archive/2026-02.md") {
		t.Errorf("the diary says:\n%s", diary)
	}
	report := w.report(t)
	if len(report.Contradictions) != 1 || !report.Contradictions[0].Settled || !strings.Contains(report.Contradictions[0].Why, "archive") ||
		!strings.Contains(report.Diff, "\n-- Boris lives in Rome.") {
		t.Errorf("the report says %+v\n%s", report.Contradictions, report.Diff)
	}

	w.asOf = w.asOf.AddDate(0, 0, 1)
	if out, err := w.run(t, w.nightly()); err != nil || out.Outcome != memory.OutcomeNothing || w.read(t, memory.MemoryPath) != after {
		t.Errorf("the next night ended as %+v (%v)\n%s", out, err, w.read(t, memory.MemoryPath))
	}
	undone, err := w.RevertDream(t.Context(), w.owner, report.ID, "undo")
	if err != nil || len(undone.Conflicts) > 0 {
		t.Fatalf("undoing it: %v, %+v", err, undone.Conflicts)
	}
	if diff := cmp.Diff(before, w.read(t, memory.MemoryPath)); diff != "" {
		t.Errorf("undone, MEMORY.md is (-want +got):\n%s", diff)
	}
	if archive := w.read(t, "memory/archive/2026-02.md"); archive != "" {
		t.Errorf("undone, the archive says:\n%s", archive)
	}
}

// What a person wrote stays beside what corrects it, and the report says that it does.
func TestALaterStatementRetiresNoLineOfAPerson(t *testing.T) {
	w := newDreamWorld(t)
	w.write(t, memory.MemoryPath, itsMemory+"\n## Friends\n\n- Carla lives in Rome.\n")
	for _, day := range []string{"2026-01-28", "2026-01-29", "2026-01-30"} {
		w.note(t, day, "Carla no longer lives in Rome, she moved to Oslo.")
	}
	if out, err := w.run(t, w.nightly()); err != nil || out.Promoted != 1 {
		t.Fatalf("it ended as %+v (%v)", out, err)
	}
	if got := w.read(t, memory.MemoryPath); !strings.Contains(got, "- Carla lives in Rome.\n") || !strings.Contains(got, "moved to Oslo") {
		t.Errorf("MEMORY.md became:\n%s", got)
	}
	if report := w.report(t); len(report.Contradictions) != 1 || report.Contradictions[0].Settled || !strings.Contains(report.Contradictions[0].Why, "a person wrote it") {
		t.Errorf("the report says %+v", report.Contradictions)
	}
	if diary := w.read(t, "DREAMS.md"); !strings.Contains(diary, "Contradictions, left open:\n\n- Carla lives in Rome.") {
		t.Errorf("the diary says:\n%s", diary)
	}
}
