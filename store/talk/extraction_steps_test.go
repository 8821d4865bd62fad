package talk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/setting"
)

// spokenWindow returns messages that count for a transcript.
func spokenWindow(from, to int64) (window []memory.Message) {
	for seq := from; seq <= to; seq++ {
		window = append(window, memory.Message{Seq: seq, Role: memory.RoleOfUser, Content: "x"})
	}
	return window
}

func TestStepEnd(t *testing.T) {
	t.Parallel()
	byModel := notedAs{flush: uuid.UUID{1}, note: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-21.md"}}
	byRules, other, later := byModel, byModel, byModel
	byRules.fallback, other.flush, later.note.Path = true, uuid.UUID{2}, "memory/2026-11-22.md"
	part := func(from, to int64, as notedAs) notedPart { return notedPart{from: from, to: to, notedAs: as} }
	for name, c := range map[string]struct {
		from, to int64
		parts    []notedPart
		want     int64
		as       *notedAs
	}{
		"nothing is noted":          {1, 20, nil, 10, nil},
		"all fits":                  {1, 9, nil, 9, nil},
		"in front of what is noted": {1, 20, []notedPart{part(4, 8, byModel)}, 3, nil},
		"far in front of it":        {1, 40, []notedPart{part(31, 40, byModel)}, 10, nil},
		"one part":                  {1, 20, []notedPart{part(1, 8, byRules)}, 8, &byRules},
		"parts that fit together": {1, 20, []notedPart{
			part(1, 4, byRules), part(5, 8, byRules), part(9, 12, byRules),
		}, 8, &byRules},
		"parts of a model and of rules":     {1, 20, []notedPart{part(1, 4, byRules), part(5, 8, byModel)}, 4, &byRules},
		"parts of two flushes":              {1, 20, []notedPart{part(1, 4, byModel), part(5, 8, other)}, 4, &byModel},
		"parts of two days":                 {1, 20, []notedPart{part(1, 4, byModel), part(5, 8, later)}, 4, &byModel},
		"parts with something between them": {1, 20, []notedPart{part(1, 4, byModel), part(7, 8, byModel)}, 4, &byModel},
		"a part that is too long":           {1, 20, []notedPart{part(1, 15, byRules)}, 8, &byRules},
		"a part that goes on behind":        {1, 6, []notedPart{part(1, 8, byRules)}, 6, &byRules},
		"parts of which one goes on behind": {1, 6, []notedPart{part(1, 4, byRules), part(5, 8, byRules)}, 4, &byRules},
		"the rest of a part":                {3, 20, []notedPart{part(1, 4, byRules), part(5, 8, byRules)}, 4, &byRules},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := setting.DefaultExtractSettings()
			settings.MaxTranscript = 10
			to, as := stepEnd(spokenWindow(c.from, c.to), c.parts, settings)
			if diff := cmp.Diff(c.as, as, cmp.AllowUnexported(notedAs{})); to != c.want || diff != "" {
				t.Errorf("ends with %d, want %d; noted (-want +got):\n%s", to, c.want, diff)
			}
		})
	}
}
