package store

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/talk"
)

// The journal has the start and the end of every turn, each once, with its messages by number, and nothing of conversations that are
// imported.
func TestTurnsInTheJournal(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	begun := turn("c", "m", 1)
	begun.TurnComplete = false
	for _, b := range []talk.Batch{begun, begun, turn("c", "m", 2), turn("c", "m", 2), turn("c", "m", 4)} {
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	}
	open := turn("d", "m", 2)
	open.TurnComplete = false
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, open))
	must[talk.Stored](t)(s.CompleteTurn(t.Context(), id, "d"))
	must[talk.Stored](t)(s.CompleteTurn(t.Context(), id, "d"))
	imported := turn("e", "m", 2)
	imported.Trigger = memory.TriggerImport
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, imported))
	type noted struct {
		Kind gate.EventKind
		talk.TurnDetail
	}
	var got []noted
	for _, e := range journalOf(t, s, id, gate.JournalFilter{Kinds: []gate.EventKind{gate.EventTurnStarted, gate.EventTurnCompleted}}) {
		n := noted{Kind: e.Kind}
		if err := json.Unmarshal(e.Detail, &n.TurnDetail); err != nil || e.Owner != id.Owner || e.Scope != memory.ScopePersonal {
			t.Errorf("%+v, %v", e, err)
		}
		got = append(got, n)
	}
	of := func(kind gate.EventKind, conversation string, from, to int64) noted {
		return noted{kind, talk.TurnDetail{Conversation: conversation, Trigger: memory.TriggerAPI, From: from, To: to}}
	}
	want := []noted{
		of(gate.EventTurnStarted, "c", 1, 1), of(gate.EventTurnCompleted, "c", 1, 2), of(gate.EventTurnStarted, "c", 3, 3),
		of(gate.EventTurnCompleted, "c", 3, 4), of(gate.EventTurnStarted, "d", 1, 1), of(gate.EventTurnCompleted, "d", 1, 2),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other := journalOf(t, s, member("user:8"), gate.JournalFilter{Kinds: []gate.EventKind{gate.EventTurnCompleted}}); len(other) > 0 {
		t.Errorf("somebody else sees %+v", other)
	}
}
