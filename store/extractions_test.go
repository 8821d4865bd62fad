package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/pg"
	"reverie/store/talk"
)

// noteChange returns the change of an extraction that appends to a note.
func noteChange(text string) memory.Change {
	return memory.Change{
		Ref: personal("memory/2026-11-21.md"), Op: memory.OpAppend, Create: "# 2026-11-21\n", Content: text, Reason: "learned",
		Sources: memory.Sources{Conversation: "c", From: 1, To: 4},
	}
}

// begin opens a run over everything that is pending of the owner.
func begin(t tester, s *Store, id memory.Identity) (talk.Extraction, talk.Range) {
	t.Helper()
	next, found, err := s.NextRange(t.Context(), id)
	if err != nil || !found {
		t.Fatal("next range: found", found, err)
	}
	return must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id, next.Range)), next.Range
}

// drafted opens a run with a draft that appends text.
func drafted(t tester, s *Store, id memory.Identity, text string) talk.Extraction {
	t.Helper()
	x, r := begin(t, s, id)
	err := s.SaveDraft(t.Context(), id, x.ID, talk.Draft{
		Changes: []memory.Change{noteChange(text)}, To: r.To, Reason: "new things", Raw: `{"should_update":true}`,
		Model: "builtin/extractive", PromptVersion: "rules@1",
		Usage: memory.Usage{Calls: 1, InputTokens: 100, OutputTokens: 20, CostMicros: 7},
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExtractionIsWritten(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := workflow("user:7", "r1")
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))

	x := drafted(t, s, id, "- likes tea\n")
	if open := must[talk.Extraction](t)(s.Extraction(t.Context(), id, x.ID)); !open.HasDraft || !open.Open() || open.Raw != "" {
		t.Errorf("with a draft: %+v", open)
	}
	now = now.Add(time.Minute)
	result := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}))
	end := now
	want := talk.Extraction{
		ID: x.ID, Conversation: "c", ConversationUID: stored.ConversationUID, Owner: "user:7", OwnerID: stored.OwnerID, From: 1, To: 4,
		Outcome: memory.OutcomeWritten, Reason: "new things", Violations: []proposals.Violation{}, Changes: result.Receipt.Changes,
		Model: "builtin/extractive", PromptVersion: "rules@1",
		Usage:      memory.Usage{Calls: 1, InputTokens: 100, OutputTokens: 20, CostMicros: 7},
		WorkflowID: "extract/r1", RunID: "r1", StartedAt: testClock, FinishedAt: &end,
	}
	if diff := cmp.Diff(want, result.Extraction); diff != "" || result.More || result.Receipt.Token == "" || result.Receipt.Replayed {
		t.Errorf("more %v, receipt %+v, extraction (-want +got):\n%s", result.More, result.Receipt, diff)
	}
	d := must[memory.Document](t)(s.Document(t.Context(), id, personal("memory/2026-11-21.md")))
	if d.Content != "# 2026-11-21\n\n- likes tea\n" || d.UpdatedBy != id.Author {
		t.Errorf("note %q by %+v", d.Content, d.UpdatedBy)
	}
	c := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.Cursor != 4 || c.Considered != 4 || c.PendingSince != nil {
		t.Errorf("conversation %+v", c)
	}
	if spent := must[memory.Usage](t)(s.SpentToday(t.Context(), id, now)); spent != want.Usage {
		t.Errorf("spent %+v", spent)
	}
	if _, found, err := s.NextRange(t.Context(), id); found || err != nil {
		t.Errorf("still pending: %v, %v", found, err)
	}
	if n := query[bool](t, s, id, "select draft is null and raw = '' from extractions where extraction_id = $1", x.ID); !n[0] {
		t.Error("the draft stays after its commit")
	}
	// The same again: the recorded result, even by another run.
	for _, run := range []string{"r1", "r2"} {
		again := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), runOf(id, run),
			talk.Commit{ExtractionID: x.ID}))
		if diff := cmp.Diff(result.Extraction, again.Extraction); diff != "" || !again.Receipt.Replayed {
			t.Errorf("again by %s: replayed %v, extraction (-want +got):\n%s", run, again.Receipt.Replayed, diff)
		}
		if diff := cmp.Diff(result.Receipt.Changes, again.Receipt.Changes); diff != "" {
			t.Errorf("again by %s: receipt (-want +got):\n%s", run, diff)
		}
	}
	if r := must[memory.Receipt](t)(s.Apply(t.Context(), id, "extraction/"+x.ID.String(), []memory.Change{noteChange("x")})); !r.Replayed ||
		r.Token != result.Receipt.Token {
		t.Errorf("the commit is not in the ledger: %+v", r)
	}
	late := talk.Ending{Outcome: memory.OutcomeFailed, ReasonCode: "too_late"}
	if out := must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, late)); out.Extraction.Outcome != memory.OutcomeWritten {
		t.Errorf("a late outcome replaced the first one: %+v", out.Extraction)
	}
	if err := s.SaveDraft(t.Context(), id, x.ID,
		talk.Draft{Changes: []memory.Change{noteChange("y")}, To: 4}); !conflict(pg.CodeSuperseded)(err) {
		t.Errorf("a late draft: %v", err)
	}
	begun := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id, talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: 4}))
	if diff := cmp.Diff(result.Extraction, begun); diff != "" {
		t.Errorf("beginning it again (-want +got):\n%s", diff)
	}
}

// Every way in which a run ends without a write, and what that means for the messages.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome            memory.Outcome
		considered, cursor int64
		open               bool
	}{
		{memory.OutcomeSkipped, 4, 0, false},
		{memory.OutcomeFailed, 4, 0, false},
		{memory.OutcomeNothing, 4, 4, false},
		{memory.OutcomeQuarantined, 4, 4, false},
		{memory.OutcomeWaiting, 0, 0, true},
	} {
		t.Run(string(c.outcome), func(t *testing.T) {
			t.Parallel()
			now := testClock
			s := openStore(t, at(func() time.Time { return now }))
			id := workflow("user:7", "r1")
			must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))
			x, _ := begin(t, s, id)
			e := talk.Ending{
				Outcome: c.outcome, ReasonCode: "why", Reason: "in words \x00", Raw: "{bad", Until: now.Add(time.Hour),
				Violations: []proposals.Violation{{Code: "v", Message: "m\x00\xff"}}, Model: "m", PromptVersion: "p",
				Usage: memory.Usage{Calls: 2, InputTokens: 5},
			}
			out := must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, e))
			got := out.Extraction
			if got.Outcome != c.outcome || got.ReasonCode != "why" || got.Open() != c.open || (got.FinishedAt == nil) != c.open ||
				got.Usage != e.Usage || got.Model != "m" || got.To != 4 || out.More != c.open {
				t.Errorf("recorded %+v, more %v", got, out.More)
			}
			if (got.WaitingUntil != nil) != c.open || c.open && !got.WaitingUntil.Equal(e.Until) {
				t.Errorf("waiting until %v", got.WaitingUntil)
			}
			if kept := got.Raw == "{bad"; kept != (c.outcome == memory.OutcomeQuarantined) {
				t.Errorf("raw is %q", got.Raw)
			}
			conversation := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
			if conversation.Considered != c.considered || conversation.Cursor != c.cursor || (conversation.PendingSince != nil) != c.open {
				t.Errorf("conversation %+v", conversation)
			}
			again := must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, e))
			if !c.open {
				if diff := cmp.Diff(out, again, cmpopts.IgnoreFields(memory.Receipt{}, "Replayed", "Changes")); diff != "" {
					t.Errorf("recorded again (-first +second):\n%s", diff)
				}
			}
			// The same run, starting over after its answer got lost, finds its end.
			begun := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id, talk.Range{ConversationUID: got.ConversationUID, From: 1, To: 4}))
			if begun.ID != x.ID || begun.Open() != c.open {
				t.Errorf("the same run begins anew: %+v", begun)
			}

			// A turn later, what was only considered counts again.
			now = now.Add(time.Minute)
			must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "n", 2)))
			next, found, err := s.NextRange(t.Context(), id)
			if err != nil || !found || next.From != c.cursor+1 || next.To != 6 {
				t.Errorf("next range %+v, found %v, err %v; want %d to 6", next.Range, found, err, c.cursor+1)
			}
			other := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), runOf(id, "r2"), next.Range))
			if (other.ID == x.ID) != c.open || !other.Open() || other.Outcome != memory.OutcomeRunning || other.RunID != "r2" ||
				other.To != 6 {
				t.Errorf("the next run: %+v", other)
			}
		})
	}
}

func TestQuarantinedIsRetried(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))
	x, _ := begin(t, s, id)
	refused := must[talk.ExtractionResult](t)(
		s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeQuarantined, Raw: "raw"}),
	).Extraction
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "n", 2)))

	backlog := func() admin.Backlog { return must[admin.Backlog](t)(s.Backlog(t.Context(), adminOf("acme"))) }
	if got := backlog(); got.Quarantined != 1 || got.PendingMessages != 2 || got.PendingConversations != 1 || got.UnsignalledTurns != 2 {
		t.Errorf("backlog %+v", got)
	}
	retry := runOf(id, "r2")
	again := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), retry, refused.Retry()))
	if again.ID == x.ID || again.RetryOf != x.ID || !again.Open() {
		t.Fatalf("retry: %+v", again)
	}
	load := must[talk.ExtractionLoad](t)(s.LoadExtraction(t.Context(), retry, refused.Retry(), setting.DefaultExtractSettings()))
	if len(load.Messages) != 4 || load.To != 4 {
		t.Errorf("retry loads %d messages to %d", len(load.Messages), load.To)
	}
	if err := s.SaveDraft(
		t.Context(), retry, again.ID, talk.Draft{Changes: []memory.Change{noteChange("- kept after all\n")}, To: 4},
	); err != nil {
		t.Fatal(err)
	}
	out := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), retry, talk.Commit{ExtractionID: again.ID}))
	if out.Extraction.Outcome != memory.OutcomeWritten || !out.More {
		t.Errorf("retry ends %+v, more %v", out.Extraction, out.More)
	}
	c := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.Cursor != 4 || c.Considered != 4 || c.PendingSince == nil {
		t.Errorf("a retry moved the conversation: %+v", c)
	}
	if got := backlog(); got.Quarantined != 0 {
		t.Errorf("backlog after the retry %+v", got)
	}
	if third := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), runOf(id, "r3"), refused.Retry())); third.ID != again.ID ||
		third.Open() {
		t.Errorf("another retry: %+v, want the record of the successful one", third)
	}
	part := must[pg.Listed[talk.Extraction]](t)(s.Extractions(t.Context(), id, talk.ExtractionFilter{}, pg.Page{Limit: 1}))
	if len(part.Items) != 1 || part.Items[0].ID != again.ID || part.Next == "" {
		t.Errorf("newest: %+v", part)
	}
	part = must[pg.Listed[talk.Extraction]](t)(s.Extractions(t.Context(), id, talk.ExtractionFilter{}, pg.Page{Limit: 1, Cursor: part.Next}))
	if len(part.Items) != 1 || part.Items[0].ID != x.ID || part.Items[0].Raw != "" || part.Next != "" {
		t.Errorf("the one before: %+v", part)
	}
	for filter, want := range map[talk.ExtractionFilter]int{
		{Outcome: memory.OutcomeQuarantined}: 1, {Conversation: "c"}: 2, {Conversation: "d"}: 0,
		{Conversation: "c", Outcome: memory.OutcomeFailed}: 0,
	} {
		if got := must[pg.Listed[talk.Extraction]](t)(s.Extractions(t.Context(), id, filter, pg.Page{})); len(got.Items) != want {
			t.Errorf("%+v lists %d, want %d", filter, len(got.Items), want)
		}
	}
}

// Messages whose extraction failed wait for the next turn: the backlog counts them until they are accounted for.
func TestBacklogOfFailedExtractions(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	want := func(messages, conversations int) {
		t.Helper()
		got := must[admin.Backlog](t)(s.Backlog(t.Context(), adminOf("acme")))
		if got.PendingMessages != messages || got.PendingConversations != conversations {
			t.Errorf("backlog %+v, want %d messages in %d conversations", got, messages, conversations)
		}
	}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 4)))
	x, _ := begin(t, s, id)
	must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeFailed}))
	want(4, 1)
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "n", 2)))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("d", "m", 2)))
	want(8, 2)
	for _, run := range []string{"r2", "r3"} {
		id := runOf(id, run)
		x, _ = begin(t, s, id)
		must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeNothing}))
	}
	want(0, 0)
}
