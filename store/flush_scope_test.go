package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// Whose note a flush writes to, and of which day: that of its load, however late it is committed.
func TestFlushedNotes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		owner    memory.Owner
		isolated bool
		want     memory.Scope
	}{
		"a person's own":       {"user:7", true, memory.ScopePersonal},
		"without isolation":    {"user:7", false, memory.ScopeTeam},
		"the agent's for all":  {memory.SystemOwner, true, memory.ScopeTeam},
		"the same, all shared": {memory.SystemOwner, false, memory.ScopeTeam},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 11, 21, 22, 30, 0, 0, time.UTC) // an hour later in Berlin, where ada is
			s := openStore(t, at(func() time.Time { return now }))
			id := workflow(c.owner, "r1")
			uid := must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4))).ConversationUID
			settings := memory.DefaultExtractSettings()
			settings.OwnerIsolation = c.isolated
			f := planned(t, s, id, uid, 4)
			load := must[FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, settings))
			if load.Scope != c.want {
				t.Errorf("scope %s", load.Scope)
			}
			if err := s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(load, "- likes tea\n")); err != nil {
				t.Fatal(err)
			}
			now = now.Add(2 * time.Hour) // past midnight
			f = must[FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, 1, "")).Flush
			note := memory.Ref{Scope: c.want, Path: "memory/2026-11-21.md"}
			if got := (memory.Ref{Scope: f.Steps[0].Scope, Path: f.Steps[0].Path}); got != note {
				t.Errorf("noted in %v, want %v", got, note)
			}
			d := must[memory.Document](t)(s.Document(t.Context(), id, note))
			if d.Content != "# 2026-11-21\n\n- likes tea\n" {
				t.Errorf("note %q", d.Content)
			}
			// The extraction of the next day finds it where it is.
			r := Range{ConversationUID: uid, From: 1, To: 4}
			extraction := must[ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, r, settings))
			if want := (&Noted{Flush: f.ID, Note: d, Entries: []string{"- likes tea\n"}}); !cmp.Equal(want, extraction.Noted) || extraction.Note.Version != 0 {
				t.Errorf("noted (-want +got):\n%s\ntoday's note %+v", cmp.Diff(want, extraction.Noted), extraction.Note)
			}
			var told []Event
			for _, e := range journalOf(t, s, id, JournalFilter{}) {
				if e.Kind == EventFlushAcknowledged {
					told = append(told, e)
				}
			}
			if len(told) != 1 || told[0].Author.RunID != "r1" || (told[0].Scope == memory.ScopeTeam) != (c.owner == memory.SystemOwner) {
				t.Errorf("acknowledged in the journal: %+v", told)
			}
		})
	}
}
