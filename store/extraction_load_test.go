package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/store/pg"
	"reverie/store/talk"
)

// A range that takes several steps: each accounts for its part, the rest stays pending, nothing is taken twice.
func TestSteps(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := workflow("user:7", "r1")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 70)))
	settings := setting.DefaultExtractSettings()
	settings.MinUserChars = len("words m69")
	var steps [][2]int64
	for {
		now = now.Add(time.Minute)
		next, found, err := s.NextRange(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			break
		}
		x := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id, next.Range))
		load := must[talk.ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, next.Range, settings))
		if load.Last != (load.To == 70) || load.ConversationMessages != 70 || load.Messages[0].Seq != next.From ||
			load.Messages[len(load.Messages)-1].Seq != load.To {
			t.Errorf("load of %+v: to %d, last %v, %d messages", next.Range, load.To, load.Last, len(load.Messages))
		}
		n := len(load.Before)
		if n != int(min(next.From-1, transcripts.ContextMessages)) || n > 0 && (load.Before[n-1].Seq != next.From-1 || load.Before[0].Content == "") {
			t.Errorf("%d messages before %d: %+v", n, next.From, load.Before)
		}
		if len(load.Latest) != 2 || load.Latest[0].Seq != 69 || load.Latest[1].Seq != 70 {
			t.Errorf("latest messages of the whole range: %+v", load.Latest)
		}
		draft := talk.Draft{Changes: []memory.Change{noteChange(fmt.Sprintf("- step to %d\n", load.To))}, To: load.To}
		if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
			t.Fatal(err)
		}
		out := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}))
		if out.More == load.Last {
			t.Errorf("more is %v after %d", out.More, load.To)
		}
		steps = append(steps, [2]int64{out.Extraction.From, out.Extraction.To})
		c := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
		if c.Cursor != load.To || c.Considered != load.To || !load.Last && !c.PendingSince.Equal(testClock) {
			t.Errorf("conversation after the step: %+v", c)
		}
	}
	if diff := cmp.Diff([][2]int64{{1, 24}, {25, 47}, {48, 70}}, steps); diff != "" {
		t.Logf("steps (-expected +got):\n%s", diff)
	}
	if len(steps) != 3 || steps[0][0] != 1 || steps[2][1] != 70 || steps[1][0] != steps[0][1]+1 || steps[2][0] != steps[1][1]+1 {
		t.Errorf("steps %v, want three without gaps", steps)
	}
	d := must[memory.Document](t)(s.Document(t.Context(), id, personal("memory/2026-11-21.md")))
	if strings.Count(d.Content, "- step to") != 3 {
		t.Errorf("note %q", d.Content)
	}
}

func TestLoadExtraction(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC) // the next day in Berlin
	s := openStore(t, at(func() time.Time { return now }))
	person, id := member("user:7"), workflow("user:7", "r1")
	write(t, s, person, replace(personal("PROFILE.md"), 0, "# Me\n- Ann\n"))
	write(t, s, id, replace(personal("MEMORY.md"), 0, "- by machine\n"))
	write(t, s, person, replace(personal("MEMORY.md"), 1, "- by machine\n- by hand\n"))
	write(t, s, person, replace(team("MEMORY.md"), 1, "- shared\n"))
	write(t, s, id, replace(personal("memory/2026-11-21.md"), 0, "yesterday"))
	write(t, s, id, replace(personal("memory/2026-11-22.md"), 0, "today"))
	write(t, s, member("user:8"), replace(personal("PROFILE.md"), 0, "# Bob\n"))
	b := turn("c", "m", 3)
	b.Messages[2].Content = "the last thing the user says"
	b.Messages = append(
		b.Messages, say("t1", memory.RoleOfTool, strings.Repeat("tool output ", 1000)), say("t2", memory.RoleOfAssistant, "  \n"),
	)
	b.Messages[1].FinishReason = "length"
	for i := range b.Messages {
		b.Messages[i].CreatedAt = now
	}
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	r := talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: 5}
	settings := setting.DefaultExtractSettings()

	load := must[talk.ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, r, settings))
	if load.Scope != memory.ScopePersonal || load.Profile.Content != "# Me\n- Ann\n" || load.Profile.Version != 1 ||
		load.Memory.Version != 2 ||
		load.Shared != "- shared\n" || load.Note.Content != "today" || load.Agent.ID != "ada" || load.Conversation.ID != "c" {
		t.Errorf("loaded %+v", load)
	}
	if diff := cmp.Diff([]string{"# Me", "- Ann", "- by hand"}, load.Protected, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("protected (-want +got):\n%s", diff)
	}
	if got := load.Today.Format(time.RFC3339); got != "2026-11-22T00:30:00+01:00" {
		t.Errorf("today is %s", got)
	}
	if load.ConversationMessages != 4 || load.To != 5 || !load.Last || len(load.Messages) != 5 || load.Messages[3].Content != "" ||
		load.Messages[1].FinishReason != "length" {
		t.Errorf("%d of the conversation, to %d, messages %+v", load.ConversationMessages, load.To, load.Messages)
	}
	if len(load.Latest) != 2 || load.Latest[0].Content != "the last thing the user says" || load.Latest[1].ID != "t2" {
		t.Errorf("latest %+v", load.Latest)
	}

	settings.OwnerIsolation = false
	if shared := must[talk.ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, r, settings)); shared.Scope != memory.ScopeTeam ||
		shared.Memory.Content != "- shared\n" || shared.Shared != "" || shared.Note.Version != 0 || strings.Contains(
		shared.Profile.Content, "Ann",
	) {
		t.Errorf("without isolation: %+v", shared)
	}
	settings.OwnerIsolation = true
	write(t, s, person, memory.Change{Ref: personal("MEMORY.md"), Op: memory.OpDelete})
	gone := must[talk.ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, r, settings))
	if gone.Memory.Version != 3 || gone.Memory.Content != "" || !gone.Memory.Deleted || len(gone.Protected) != 2 {
		t.Errorf("with a deleted MEMORY.md: %+v, protected %v", gone.Memory, gone.Protected)
	}
	system := workflow(memory.SystemOwner, "r1")
	cron := turn("cron", "m", 2)
	cron.Trigger = memory.TriggerCron
	stored = must[talk.Stored](t)(s.AppendMessages(t.Context(), system, cron))
	load = must[talk.ExtractionLoad](t)(
		s.LoadExtraction(t.Context(), system, talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: 2}, settings),
	)
	if load.Scope != memory.ScopeTeam || load.Conversation.Trigger != memory.TriggerCron {
		t.Errorf("system: scope %s, trigger %s", load.Scope, load.Conversation.Trigger)
	}
	if _, err := s.LoadExtraction(t.Context(), workflow("user:8", "r"), r, settings); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("another owner loads it: %v", err)
	}
}

// An extraction knows what earlier flushes have written, step by step.
func TestLoadExtractionOfNotedMessages(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	uid := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 12))).ConversationUID
	settings := setting.DefaultExtractSettings()
	settings.MaxTranscript = 4
	f := planned(t, s, id, uid, 10)
	for _, step := range []struct {
		entry    string // empty: nothing
		fallback bool
	}{{"- one\n", true}, {"- two\n", true}, {"", false}} {
		load := must[talk.FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, settings))
		if step.entry == "" {
			must[talk.FlushResult](t)(
				s.EndFlushStep(t.Context(), id, f.ID, talk.FlushEnd{From: load.From, To: load.To, Outcome: memory.OutcomeNothing}),
			)
			continue
		}
		d := draftOf(load, step.entry)
		d.Fallback = step.fallback
		if err := s.SaveFlushDraft(t.Context(), id, f.ID, d); err != nil {
			t.Fatal(err)
		}
		must[talk.FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, load.From))
	}
	settings.MaxTranscript = 8
	load := func(from, to int64) talk.ExtractionLoad {
		t.Helper()
		return must[talk.ExtractionLoad](t)(s.LoadExtraction(t.Context(), id, talk.Range{ConversationUID: uid, From: from, To: to}, settings))
	}
	first := load(1, 12)
	if first.To != 7 || first.Last || len(first.Messages) != 7 || first.Noted == nil {
		t.Fatalf("first step: to %d, %d messages, noted %+v", first.To, len(first.Messages), first.Noted)
	}
	note := must[memory.Document](t)(s.Document(t.Context(), id, personal(memory.DailyNotePath(first.Today))))
	want := talk.Noted{Flush: f.ID, Fallback: true, Note: note, Entries: []string{"- one\n", "- two\n"}}
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
	uid := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 6))).ConversationUID
	x, _ := begin(t, s, id)
	draft := talk.Draft{Changes: []memory.Change{noteChange("- extracted\n")}, To: 6}
	if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	f := planned(t, s, id, uid, 2)
	load := must[talk.FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, setting.DefaultExtractSettings()))
	if err := s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(load, "- flushed\n")); err != nil {
		t.Fatal(err)
	}
	must[talk.FlushResult](t)(s.CommitFlush(t.Context(), id, f.ID, 1))
	var stale *pg.StaleBaseError
	if _, err := s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}); !errors.As(err, &stale) ||
		stale.Ref != personal(memory.DailyNotePath(load.Today)) {
		t.Fatalf("committed: %v", err)
	}
	if begun := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id,
		talk.Range{ConversationUID: uid, From: 1, To: 6})); begun.HasDraft ||
		!begun.Open() {
		t.Errorf("begun again: %+v", begun)
	}
	// Drafted again in two steps: the noted messages, and the others.
	draft = talk.Draft{
		Changes: []memory.Change{{Ref: personal("MEMORY.md"), Op: memory.OpReplace, Content: "# Memory\n"}}, To: 2, Noted: uuid.New(),
	}
	if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID}); !errors.As(err, &stale) {
		t.Errorf("noted by another flush: %v", err)
	}
	draft.Noted = f.ID
	if err := s.SaveDraft(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	if out := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID})); out.Extraction.To != 2 ||
		!out.More {
		t.Errorf("noted by this flush: %+v", out)
	}
	x, _ = begin(t, s, id)
	if err := s.SaveDraft(t.Context(), id, x.ID, talk.Draft{Changes: []memory.Change{noteChange("- extracted\n")}, To: 6}); err != nil {
		t.Fatal(err)
	}
	if out := must[talk.ExtractionResult](t)(s.CommitExtraction(t.Context(), id, talk.Commit{ExtractionID: x.ID})); out.Extraction.To != 6 {
		t.Errorf("the rest: %+v", out)
	}
}
