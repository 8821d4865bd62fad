package activities

import (
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/deletion"
)

// A compaction that a turn starts while its conversation is being deleted has nothing to do.
func TestCompactionOfWhatIsBeingDeleted(t *testing.T) {
	w := newFlushWorld(t, nil)
	root := memory.Identity{
		Workspace: "acme", Agent: "ada", Owner: w.id.Owner, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"},
	}
	d, err := w.Store.RequestDeletion(t.Context(), root, deletion.Target{Kind: deletion.Owner})
	if err != nil {
		t.Fatal(err)
	}
	run := root
	run.Owner, run.AnyOwner = memory.NoOwner, true
	if _, err := w.Store.StartDeletion(t.Context(), run, d.ID); err != nil {
		t.Fatal(err)
	}
	if out := must(t, w.world, w.PlanFlush, PlanFlushInput{OwnerRef: w.ref, Conversation: w.conversation, To: 4}); out.Needed {
		t.Errorf("%+v", out)
	}
	out := must(t, w.world, w.BeginCompaction, BeginCompactionInput{
		OwnerRef: w.ref, Conversation: w.conversation, To: 4, Trigger: memory.CompactByTurn, Settings: setting.CompactSettings{Flush: w.settings, Window: 8000, SummaryMaxTokens: 500, SummaryDeadline: time.Minute},
	})
	if !out.Ended {
		t.Errorf("%+v", out)
	}
}
