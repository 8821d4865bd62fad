package store

import (
	"errors"
	"testing"

	"reverie/memory"
)

// A flush whose entry says nothing but what was forgotten while it was drafted writes nothing, and no note is begun for it. What
// else an entry says is written.
func TestFlushOfWhatIsForgotten(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	owner, id := member("user:7"), workflow("user:7", "r1")
	uid := must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 8))).ConversationUID
	ref := personal(memory.MemoryPath)
	write(t, s, owner, memory.Change{Ref: ref, Op: memory.OpReplace, Content: "# Memory\n\n- Likes tea.\n"})
	draft := func(to int64, entry string) (Flush, FlushLoad) {
		t.Helper()
		f := planned(t, s, id, uid, to)
		load := must[FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, memory.DefaultExtractSettings()))
		if err := s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(load, entry)); err != nil {
			t.Fatal(err)
		}
		return f, load
	}
	f, load := draft(4, "## 10:00 Tea\n\n- Likes tea.\n")
	must[ForgetReceipt](t)(s.Forget(t.Context(), owner, ForgetRequest{Ref: ref, FromLine: 3, ToLine: 3}))
	if _, err := s.CommitFlush(t.Context(), id, f.ID, 1, ""); !conflict(CodeForgotten)(err) {
		t.Fatalf("committed: %v", err)
	}
	note := personal(memory.DailyNotePath(load.Today))
	if _, err := s.Document(t.Context(), id, note); !errors.Is(err, ErrNotFound) {
		t.Errorf("the note: %v", err)
	}
	end := FlushEnd{From: 1, To: 4, Outcome: memory.OutcomeNothing, ReasonCode: "forgotten"}
	if got := must[FlushResult](t)(s.EndFlushStep(t.Context(), id, f.ID, end)).Flush; !got.Acknowledged() || got.Outcome != memory.OutcomeNothing || got.ReasonCode != "forgotten" {
		t.Errorf("ended: %+v", got)
	}
	f, _ = draft(8, "## 11:00 Tea and a dog\n\n- Likes tea.\n- Has a dog.\n")
	if got := must[FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, 5, "")).Flush; !got.Acknowledged() || got.Outcome != memory.OutcomeWritten {
		t.Errorf("committed: %+v", got)
	}
	if got, want := contentOf(t, s, id, note.Path), "## 11:00 Tea and a dog\n\n- Has a dog.\n"; len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("%q", got)
	}
}
