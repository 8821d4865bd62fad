package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/pg"
)

// dreaming returns a run of an owner's dream workflow.
func dreaming(owner memory.Owner, run string) memory.Identity {
	id := member(owner)
	id.AnyOwner = owner == memory.SystemOwner
	id.Author = memory.Author{Kind: memory.AuthorDream, WorkflowID: "dream/" + string(owner), RunID: run}
	return id
}

// nightly returns a new dream of a night.
func nightly(name string) dreams.NewDream {
	return dreams.NewDream{
		Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: name, Settings: setting.DefaultDreamSettings(),
	}
}

// requested returns a new dream by request.
func requested(mode memory.DreamMode) dreams.NewDream {
	d := dreams.NewDream{Mode: mode, Trigger: memory.DreamByRequest, Settings: setting.DefaultDreamSettings()}
	if mode == memory.DreamFocused {
		d.Topic = "tea"
	}
	return d
}

// candidate returns a statement that was noted on some days.
func candidate(text string, days ...dream.Day) dream.Candidate {
	return dream.Candidate{
		ID: markdown.EntryIDOf(text), Text: text, Places: []dream.Place{{Origin: dream.FromNote, Day: "2026-11-20"}},
		Signals: dream.Signals{MentionDays: days, LastSeen: testClock.Add(-time.Hour)},
	}
}

// judged returns a candidate with a verdict.
func judged(c dream.Candidate, verdict dream.Verdict, code string) dream.Candidate {
	c.Verdict, c.ReasonCode, c.Score = verdict, code, 0.8
	return c
}

// stagedDream begins a dream and goes as far as deep sleep with candidates.
func stagedDream(t tester, s *Store, id memory.Identity, d dreams.NewDream, candidates ...dream.Candidate) dreams.Dream {
	t.Helper()
	x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, d))
	load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), id, x.ID))
	stage := dreams.StagedDream{
		AsOf: load.AsOf, From: load.From, Scope: load.Scope, Candidates: candidates, States: load.States,
		Pins: dream.Pins{RecallsUntil: load.AsOf, News: load.News, Material: "m", Candidates: "c"},
	}
	for _, n := range load.Notes {
		stage.Pins.Documents = append(
			stage.Pins.Documents, dream.PinnedDocument{Path: n.Path, Scope: string(n.Scope), Document: n.ID, Version: n.Version},
		)
	}
	for _, said := range load.Sessions {
		stage.Pins.Sessions = append(stage.Pins.Sessions, dream.PinnedSession{
			Conversation: said.Conversation, ConversationUID: said.ConversationUID,
			From: said.Messages[0].Seq, To: said.Messages[len(said.Messages)-1].Seq,
		})
	}
	if err := s.StageDream(t.Context(), id, x.ID, stage); err != nil {
		t.Fatal(err)
	}
	if err := s.ReflectDream(t.Context(), id, x.ID, dream.Reflection{}); err != nil {
		t.Fatal(err)
	}
	return x
}

// memoryDraft promotes the first of the candidates, as a line at the end of the current MEMORY.md, with an entry in the diary.
func memoryDraft(t tester, s *Store, id memory.Identity, dreamID uuid.UUID, candidates ...dream.Candidate) dreams.DreamDraft {
	t.Helper()
	stage := must[dreams.DreamStage](t)(s.DreamStage(t.Context(), id, dreamID))
	now := stage.Files.Memory
	d := dreams.DreamDraft{
		Outcome: memory.OutcomeWritten, ReasonCode: "promoted", Reason: "in words", Diff: "+ line", Raw: "raw", Model: "test/model",
		PromptVersion: "p1",
		Usage:         memory.Usage{Calls: 1, InputTokens: 100, OutputTokens: 10, CostMicros: 5},
		Changes: []memory.Change{
			{Ref: memory.Ref{
				Scope: stage.Dream.Scope, Path: memory.MemoryPath,
			}, Op: memory.OpReplace, Base: now.Version, Content: now.Content + "- " + candidates[0].Text + "\n"},
			{Ref: memory.Ref{
				Scope: stage.Dream.Scope, Path: memory.DreamsPath,
			}, Op: memory.OpAppend, Create: "# Dreams\n", Content: fmt.Sprintf("## %s\n\nDreamt.\n", dreamID)},
		},
	}
	for i, c := range candidates {
		if i == 0 {
			c = judged(c, dream.VerdictPromoted, dream.ReasonPassed)
		} else if c.Verdict == "" {
			c = judged(c, dream.VerdictKept, dream.ReasonOneOff)
		}
		d.Ranking.Candidates = append(d.Ranking.Candidates, c)
	}
	return d
}

// draftedDream makes a dream up to its commit.
func draftedDream(t tester, s *Store, id memory.Identity, d dreams.NewDream, candidates ...dream.Candidate) dreams.Dream {
	t.Helper()
	x := stagedDream(t, s, id, d, candidates...)
	if err := s.DraftDream(t.Context(), id, x.ID, memoryDraft(t, s, id, x.ID, candidates...)); err != nil {
		t.Fatal(err)
	}
	return x
}

// committedDream makes a whole dream.
func committedDream(t tester, s *Store, id memory.Identity, d dreams.NewDream, candidates ...dream.Candidate) dreams.Dream {
	t.Helper()
	x := draftedDream(t, s, id, d, candidates...)
	return must[dreams.Dream](t)(s.CommitDream(t.Context(), id, x.ID, ""))
}

// statesOf returns the states of an owner, by text.
func statesOf(t tester, s *Store, id memory.Identity) map[string]dream.State {
	t.Helper()
	id = runOfDream(id, "reader")
	x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, dreams.NewDream{
		Mode: memory.DreamREM, Trigger: memory.DreamByRequest, DryRun: true, Settings: setting.DefaultDreamSettings(),
	}))
	load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), id, x.ID))
	must[dreams.Dream](t)(s.EndDream(t.Context(), id, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeSkipped}))
	states := map[string]dream.State{}
	for _, state := range load.States {
		states[state.Text] = state
	}
	return states
}

// runOfDream returns another workflow of the same owner, which no record is taken away from.
func runOfDream(id memory.Identity, run string) memory.Identity {
	id.Author = memory.Author{Kind: memory.AuthorDream, WorkflowID: "dream/" + string(id.Owner) + "/" + run + pg.NewID().String(), RunID: run}
	return id
}

// newsOf returns the marks of an owner, one or none.
func newsOf(t tester, s *Store, id memory.Identity) []int64 {
	t.Helper()
	return query[int64](t, s, id, "select mark from dream_news where owner_key = $1", id.Owner)
}

// dreamStore returns a store whose clock a test moves.
func dreamStore(t *testing.T) (*Store, *time.Time) {
	t.Helper()
	now := testClock
	return openStore(t, at(func() time.Time { return now })), &now
}
