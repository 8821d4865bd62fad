package store

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/memory"
)

// spokenWindow are messages that count for a transcript.
func spokenWindow(from, to int64) (window []memory.Message) {
	for seq := from; seq <= to; seq++ {
		window = append(window, memory.Message{Seq: seq, Role: memory.RoleOfUser, Content: "x"})
	}
	return window
}

func TestStepEnd(t *testing.T) {
	t.Parallel()
	byModel := notedAs{flush: uuid.UUID{1}, note: personal("memory/2026-11-21.md")}
	byRules, other, later := byModel, byModel, byModel
	byRules.fallback, other.flush, later.note.Path = true, uuid.UUID{2}, "memory/2026-11-22.md"
	part := func(from, to int64, as notedAs) notedPart { return notedPart{from: from, to: to, notedAs: as} }
	for name, c := range map[string]struct {
		from, to int64
		parts    []notedPart
		want     int64
		as       *notedAs
	}{
		"nothing is noted":                  {1, 20, nil, 10, nil},
		"all fits":                          {1, 9, nil, 9, nil},
		"in front of what is noted":         {1, 20, []notedPart{part(4, 8, byModel)}, 3, nil},
		"far in front of it":                {1, 40, []notedPart{part(31, 40, byModel)}, 10, nil},
		"one part":                          {1, 20, []notedPart{part(1, 8, byRules)}, 8, &byRules},
		"parts that fit together":           {1, 20, []notedPart{part(1, 4, byRules), part(5, 8, byRules), part(9, 12, byRules)}, 8, &byRules},
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
			settings := memory.DefaultExtractSettings()
			settings.MaxTranscript = 10
			to, as := stepEnd(spokenWindow(c.from, c.to), c.parts, settings)
			if diff := cmp.Diff(c.as, as, cmp.AllowUnexported(notedAs{})); to != c.want || diff != "" {
				t.Errorf("ends with %d, want %d; noted (-want +got):\n%s", to, c.want, diff)
			}
		})
	}
}

// What a flush has written is known to the extraction that comes after it, step by step.
func TestLoadOfWhatIsNoted(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	uid := must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 12))).ConversationUID
	settings := memory.DefaultExtractSettings()
	settings.MaxTranscript = 4
	f := planned(t, s, id, uid, 10)
	for _, step := range []struct {
		entry    string // empty: nothing
		fallback bool
	}{{"- one\n", true}, {"- two\n", true}, {"", false}} {
		load := must[FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, settings))
		if step.entry == "" {
			must[FlushResult](t)(s.EndFlushStep(t.Context(), id, f.ID, FlushEnd{From: load.From, To: load.To, Outcome: memory.OutcomeNothing}))
			continue
		}
		d := draftOf(load, step.entry)
		d.Fallback = step.fallback
		if err := s.SaveFlushDraft(t.Context(), id, f.ID, d); err != nil {
			t.Fatal(err)
		}
		must[FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, load.From, ""))
	}
	settings.MaxTranscript = 8
	load := func(from, to int64) ExtractionLoad {
		t.Helper()
		return must[ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, Range{ConversationUID: uid, From: from, To: to}, settings))
	}
	first := load(1, 12)
	if first.To != 7 || first.Last || len(first.Messages) != 7 || first.Noted == nil {
		t.Fatalf("first step: to %d, %d messages, noted %+v", first.To, len(first.Messages), first.Noted)
	}
	note := must[memory.Document](t)(s.Document(t.Context(), id, personal(memory.DailyNotePath(first.Today))))
	want := Noted{Flush: f.ID, Fallback: true, Note: note, Entries: []string{"- one\n", "- two\n"}}
	if diff := cmp.Diff(want, *first.Noted); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
	if piece := load(1, 3); piece.To != 3 || piece.Noted == nil || piece.Noted.Entries != nil {
		t.Errorf("a piece of a step: to %d, noted %+v", piece.To, piece.Noted)
	}
	if rest := load(8, 12); rest.To != 12 || rest.Noted != nil {
		t.Errorf("what is not noted: to %d, noted %+v", rest.To, rest.Noted)
	}
}

// A draft is made for what flushes had noted then. When that has changed it is not committed.
func TestDraftIsStaleWhenItsMessagesAreNoted(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	uid := must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 6))).ConversationUID
	x, _ := begin(t, s, id)
	draft := Draft{Changes: []memory.Change{noteChange("- extracted\n")}, To: 6}
	if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	f := planned(t, s, id, uid, 2)
	load := must[FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, memory.DefaultExtractSettings()))
	if err := s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(load, "- flushed\n")); err != nil {
		t.Fatal(err)
	}
	must[FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, 1, ""))
	var stale *StaleBaseError
	if _, err := s.CommitExtraction(t.Context(), id, Commit{ExtractionID: x.ID}); !errors.As(err, &stale) || stale.Ref != personal(memory.DailyNotePath(load.Today)) {
		t.Fatalf("committed: %v", err)
	}
	if begun := must[Extraction](t)(s.BeginExtraction(t.Context(), id, Range{ConversationUID: uid, From: 1, To: 6})); begun.HasDraft || !begun.Open() {
		t.Errorf("begun again: %+v", begun)
	}
	// Made anew, in two steps: what is noted, and what is not.
	draft = Draft{Changes: []memory.Change{{Ref: personal("MEMORY.md"), Op: memory.OpReplace, Content: "# Memory\n"}}, To: 2, Noted: uuid.New()}
	if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CommitExtraction(t.Context(), id, Commit{ExtractionID: x.ID}); !errors.As(err, &stale) {
		t.Errorf("noted by another flush: %v", err)
	}
	draft.Noted = f.ID
	if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	if out := must[ExtractionResult](t)(s.CommitExtraction(t.Context(), id, Commit{ExtractionID: x.ID})); out.Extraction.To != 2 || !out.More {
		t.Errorf("noted by this flush: %+v", out)
	}
	x, _ = begin(t, s, id)
	if err := s.SaveDraft(t.Context(), id, x.ID, Draft{Changes: []memory.Change{noteChange("- extracted\n")}, To: 6}); err != nil {
		t.Fatal(err)
	}
	if out := must[ExtractionResult](t)(s.CommitExtraction(t.Context(), id, Commit{ExtractionID: x.ID})); out.Extraction.To != 6 {
		t.Errorf("the rest: %+v", out)
	}
}
