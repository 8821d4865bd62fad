package activities

import (
	"testing"

	"reverie/memory"
	"reverie/store"
)

// A statement forgotten while a flush was drafted is not noted, and the flush ends with that reason.
func TestAFlushOfWhatWasForgotten(t *testing.T) {
	w := newFlushWorld(t, nil)
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}
	if _, err := w.Store.Apply(t.Context(), w.id, "", []memory.Change{{Ref: ref, Op: memory.OpReplace, Content: "- Plants an oak in the garden.\n"}}); err != nil {
		t.Fatal(err)
	}
	in := w.plan(t)
	if out := must(t, w.world, w.ProposeFlush, in); !out.HasDraft {
		t.Fatalf("%+v", out)
	}
	if _, err := w.Store.Forget(t.Context(), w.id, store.ForgetRequest{Ref: ref, FromLine: 1, ToLine: 1}); err != nil {
		t.Fatal(err)
	}
	if got := w.commit(t, in, false); !got.Acknowledged || got.Outcome != memory.OutcomeNothing || got.ReasonCode != ReasonForgotten || got.Done != 4 {
		t.Errorf("%+v", got)
	}
	if got := w.note(t); got != "" {
		t.Errorf("noted %q", got)
	}
}
