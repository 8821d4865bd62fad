package compose

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// TestNothingOfADreamIsAStatement pastes everything that the dreams of a week write into a note, with its headings: none of
// it is read as a statement.
func TestNothingOfADreamIsAStatement(t *testing.T) {
	for _, owner := range owners {
		w := loadWeek(t, owner)
		nights, _ := w.dreamWeek(t)
		for _, n := range nights {
			written := Compose(Input{
				Dream: uuid.MustParse("01234567-89ab-7cde-8f01-23456789abcd"), Mode: memory.DreamNightly, AsOf: n.asOf,
				Now: n.asOf.Add(time.Minute), Scope: memory.ScopePersonal,
				Memory: n.promotion.Memory, Moved: n.promotion.Moved, Ranking: n.promotion.Ranking, Reflection: n.reflection,
				Looked: dream.Looked{Notes: 7, Conversations: 2, Messages: 9, Statements: 30, Recalls: 1}, Outcome: memory.OutcomeWritten,
				Settings: setting.DefaultDreamSettings(),
			})
			if len(written.Changes) == 0 {
				t.Fatalf("%s, %s: nothing was written", owner, n.asOf)
			}
			for _, change := range written.Changes {
				entry := markdown.DailyEntry("## 10:00 Copy\n\n"+change.Content, n.asOf)
				for _, s := range notes.NoteStatements(notes.Note{Day: "2026-03-09", Document: memory.Document{Content: entry}}, w.zone) {
					t.Errorf("%s, %s, %s: %q is a statement", owner, n.asOf, change.Path, s.Text)
				}
			}
		}
	}
}
