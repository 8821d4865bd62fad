package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/store"
)

// tester is a test, also one of rapid.
type tester interface {
	Context() context.Context
	Helper()
	Fatal(args ...any)
}

// scribe notes every message that it is shown, each on a separate line.
type scribe struct {
	memory string // what it proposes for MEMORY.md
	words  string // in front of each line that it notes
	inputs []memory.ExtractionInput
}

func (s *scribe) Propose(_ context.Context, in memory.ExtractionInput) (memory.Answer, error) {
	s.inputs = append(s.inputs, in)
	var lines []string
	for _, line := range in.Transcript {
		lines = append(lines, "- "+s.words+line.Text)
	}
	raw, err := json.Marshal(memory.Proposal{ShouldUpdate: true, Reason: "all of it", DailyEntry: strings.Join(lines, "\n") + "\n", MemoryUpdate: s.memory})
	return memory.Answer{Raw: string(raw), Model: "stand-in/scribe", Usage: memory.Usage{Calls: 1, InputTokens: 10}}, err
}

// desk is a store with a clock, and steps that a scribe works for, as a model and as rules.
type desk struct {
	url         string
	store       *store.Store
	clock       atomic.Int64 // seconds
	model, free *Activities
	scribe      scribe
	settings    memory.ExtractSettings
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{settings: memory.DefaultExtractSettings()}
	d.settings.MaxTranscript = 5
	d.clock.Store(time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC).Unix())
	now := func() time.Time { return time.Unix(d.clock.Load(), 0) }
	d.url = devtest.Database(t, func(ctx context.Context, url string) error {
		_, err := store.Migrate(ctx, url)
		return err
	})
	s, err := store.Open(t.Context(), d.url, store.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d.store = s
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	if err := s.EnsureWorkspace(t.Context(), "acme", "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(t.Context(), root, store.NewAgent{ID: "ada", TimeZone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	for steps, paid := range map[**Activities]bool{&d.model: true, &d.free: false} {
		a, err := New(Options{Store: s, Proposer: &d.scribe, Paid: paid, Now: now, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		*steps = a
	}
	return d
}

// talk is a conversation of one owner at a desk, with the workflows that work on it.
type talk struct {
	*desk
	owner    memory.Owner
	uid      uuid.UUID
	messages int
	flushes  []uuid.UUID
	ranges   []store.Range // that were asked for
	records  []uuid.UUID   // of extractions
}

// name is the client's id of the conversation.
func (k *talk) name() string { return "c of " + string(k.owner) }

// as is a run that works for the owner.
func (k *talk) as(run string) memory.Identity {
	id := member("ada", k.owner)
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "w", RunID: run}
	return id
}

// refused are the errors that a run meets when another one was faster.
func refused(err error) bool {
	stale, isStale := errors.AsType[*store.StaleBaseError](err)
	_, isConflict := errors.AsType[*store.ConflictError](err)
	return isConflict || isStale && stale.Ref.Path != ""
}

func (k *talk) say(t tester, n int, complete bool) {
	b := store.Batch{Conversation: k.name(), Trigger: memory.TriggerAPI, TurnComplete: complete}
	for range n {
		k.messages++
		role := []string{memory.RoleOfAssistant, memory.RoleOfUser}[k.messages%2]
		b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(k.messages), Role: role, Content: fmt.Sprintf("said %d.", k.messages)})
	}
	stored, err := k.store.AppendMessages(t.Context(), k.as("say"), b)
	if err != nil {
		t.Fatal(err)
	}
	k.uid = stored.ConversationUID
}

// plan opens a flush up to a message, or finds the one that is open.
func (k *talk) plan(t tester, to int64) bool {
	f, needed, err := k.store.PlanFlush(t.Context(), k.as("plan"), k.uid, to)
	if err != nil {
		t.Fatal(err)
	}
	if needed {
		k.flushes = append(k.flushes, f.ID)
	}
	return needed
}

// propose makes the draft of a flush's next step, or ends the step.
func (k *talk) propose(t tester, flush uuid.UUID, run string, fallback, nothing bool) {
	id := k.as(run)
	l, err := k.store.LoadFlush(t.Context(), id, flush, k.settings)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case l.Flush.Acknowledged():
		return
	case l.Extracted || nothing:
		_, err = k.store.EndFlushStep(t.Context(), id, flush, store.FlushEnd{From: l.From, To: l.To, Outcome: memory.OutcomeNothing, Fallback: fallback})
	default:
		var entry strings.Builder
		fmt.Fprintf(&entry, "## %s Flushed\n\n", l.Today.Format("15:04"))
		for _, m := range l.Messages {
			entry.WriteString("- " + m.Content + "\n")
		}
		err = k.store.SaveFlushDraft(t.Context(), id, flush, store.FlushDraft{
			From: l.From, To: l.To, Scope: l.Scope, Today: l.Today, Entry: entry.String(), Model: "stand-in/flusher", Fallback: fallback,
		})
	}
	if err != nil && !refused(err) {
		t.Fatal(err)
	}
}

// extract drafts the next step of an extraction, or ends it. transcript bounds the messages of a step.
func (k *talk) extract(t tester, r store.Range, run string, paid bool, transcript int) {
	id := k.as(run)
	record, err := k.store.BeginExtraction(t.Context(), id, r)
	if err != nil {
		if !refused(err) {
			t.Fatal(err)
		}
		return
	}
	k.records = append(k.records, record.ID)
	if !record.Open() || record.HasDraft {
		return
	}
	steps := k.free
	if paid {
		steps = k.model
	}
	in := ProposeInput{Conversation: r.ConversationUID, From: r.From, To: r.To, Settings: k.settings}
	in.Settings.MaxTranscript = transcript
	p := proposing{Activities: steps, in: in, id: id, record: record, began: steps.Now()}
	if _, err := p.run(t.Context(), r); err != nil && !refused(err) {
		t.Fatal(err)
	}
}

func (k *talk) apply(t tester, record uuid.UUID, run string) {
	if _, err := k.store.CommitExtraction(t.Context(), k.as(run), store.Commit{ExtractionID: record}); err != nil && !refused(err) {
		t.Fatal(err)
	}
}

// pending returns the next range to extract.
func (k *talk) pending(t tester) (store.Range, bool) {
	next, found, err := k.store.ConversationRange(t.Context(), k.as("ask"), k.uid)
	if err != nil {
		t.Fatal(err)
	}
	return next.Range, found
}

// notes are all daily notes of the owner.
func (k *talk) notes(t tester) string {
	var all strings.Builder
	list, err := k.store.Documents(t.Context(), k.as("read"), store.DocumentFilter{Prefix: "memory/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range list {
		doc, err := k.store.Document(t.Context(), k.as("read"), memory.Ref{Scope: entry.Scope, Path: entry.Path})
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(doc.Content)
	}
	return all.String()
}

// flush takes a step of a flush over and does it.
func (k *talk) flush(t tester, flush uuid.UUID, run string, fallback bool) {
	begun, err := k.store.BeginFlush(t.Context(), k.as(run), flush)
	if err != nil {
		t.Fatal(err)
	}
	k.propose(t, flush, run, fallback, false)
	if _, err := k.store.CommitFlush(t.Context(), k.as(run), flush, begun.Done+1, ""); err != nil && !refused(err) {
		t.Fatal(err)
	}
}
