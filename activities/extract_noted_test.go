package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/storetest"
	"reverie/store/talk"
)

// edit changes the daily note of the desk's first day as a person; an empty text deletes it.
func (k *dialogue) edit(t *testing.T, change func(string) string) {
	t.Helper()
	ref := memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-21.md"}
	doc, err := k.store.Document(t.Context(), member("ada", k.owner), ref)
	if err != nil {
		t.Fatal(err)
	}
	c := memory.Change{Ref: ref, Op: memory.OpReplace, Content: change(doc.Content), Base: doc.Version}
	if c.Content == "" {
		c = memory.Change{Ref: ref, Op: memory.OpDelete}
	}
	if _, err := k.store.Apply(t.Context(), member("ada", k.owner), "", []memory.Change{c}); err != nil {
		t.Fatal(err)
	}
}

// Extractions of messages that a flush has noted, with edits of the note in between.
func TestExtractionOfWhatIsNoted(t *testing.T) {
	t.Parallel()
	const (
		flushed = "## 11:00 Flushed\n\n- said 1 aloud.\n- said 2 aloud.\n- said 3 aloud.\n- said 4 aloud.\n"
		model   = "## 11:00\n\n- they said 1 aloud.\n- they said 2 aloud.\n- they said 3 aloud.\n- they said 4 aloud.\n"
		title   = "# 2026-11-21\n\n"
	)
	replacing := func(old, with string) func(string) string {
		return func(note string) string { return strings.Replace(note, old, with, 1) }
	}
	d := newDesk(t)
	for name, c := range map[string]struct {
		fallback, paid bool
		before         func(string) string // a person's edit before the proposal
		between        func(string) string // and before it is applied
		want           string              // the note
		shown          string              // today's note, as shown to the engine
	}{
		"a model after a model": {false, true, nil, nil, title + flushed, "# 2026-11-21\n"},
		"a model after rules":   {true, true, nil, nil, title + model, "# 2026-11-21\n"},
		"rules after rules":     {true, false, nil, nil, title + flushed, "# 2026-11-21\n"},
		"the entry was edited": {
			true, true, replacing("said 2", "I said 2"), nil,
			title + replacing("said 2", "I said 2")(flushed), title + replacing("said 2", "I said 2")(flushed),
		},
		"something else was edited": {
			true, true, replacing("# 2026-11-21\n", "# My day\n\n- up early\n"), nil,
			"# My day\n\n- up early\n\n" + model, "# My day\n\n- up early\n",
		},
		"the note was deleted": {true, true, replacing(title+flushed, ""), nil, "", ""},
		"the entry is edited meanwhile": {
			true, true, nil, replacing("said 2", "I said 2"),
			title + replacing("said 2", "I said 2")(flushed), "# 2026-11-21\n",
		},
		"something else is written meanwhile": {
			true, true, nil, func(note string) string { return note + "\n- a person's\n" },
			title + model + "\n- a person's\n", "# 2026-11-21\n",
		},
		"the entry is taken out meanwhile": {
			true, true, nil, func(string) string { return "# 2026-11-21\n" }, "# 2026-11-21\n",
			"# 2026-11-21\n",
		},
		"the note is deleted meanwhile": {true, true, nil, func(string) string { return "" }, "", "# 2026-11-21\n"},
		"a model after a model, much edited": {
			false, true, replacing("said 2", "I said 2"), replacing("said 3", "I said 3"),
			title + replacing("said 3", "I said 3")(replacing("said 2", "I said 2")(flushed)), title + replacing("said 2", "I said 2")(flushed),
		},
		"rules after a model, and more beside": {
			false, false, func(note string) string { return note + "\n- a person's\n" }, nil,
			title + flushed + "\n- a person's\n", "# 2026-11-21\n\n- a person's\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d.clock.Store(testNoon - 3600)
			d.scribe = scribe{words: "they ", memory: "# Memory\n\n## Facts\n\n- said something\n"}
			k := &dialogue{desk: d, owner: memory.Owner("user:" + strings.ReplaceAll(name, " ", "-"))}
			k.say(t, 4, true)
			k.plan(t, 4)
			k.flush(t, k.flushes[0], "f", c.fallback)
			if c.before != nil {
				k.edit(t, c.before)
			}
			d.clock.Store(testNoon)
			r, _ := k.pending(t)
			k.extract(t, r, "x", c.paid, 10)
			if c.between != nil {
				k.edit(t, c.between)
			}
			for round := 0; ; round++ { // like the workflow: a stale proposal is repeated
				k.apply(t, k.records[0], "x")
				x, err := k.store.Extraction(t.Context(), k.as("x"), k.records[0])
				if err != nil || round > 2 {
					t.Fatal(round, err)
				}
				if !x.Open() {
					break
				}
				k.extract(t, r, "x", c.paid, 10)
			}
			if got := k.notes(t); got != c.want {
				t.Errorf("note %q, want %q", got, c.want)
			}
			if got := d.scribe.inputs[0].Note; got != c.shown {
				t.Errorf("the engine was shown %q, want %q", got, c.shown)
			}
			doc, err := k.store.Document(t.Context(), k.as("x"), memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
			if err != nil || doc.Content != d.scribe.memory {
				t.Errorf("MEMORY.md is %q, %v: what is noted belongs there as always", doc.Content, err)
			}
		})
	}
}

// testNoon is noon in the agent's time zone on the desk's first day.
const testNoon = 1795258800

// An extraction whose entry is already noted ends with that reason.
func TestNothingButWhatIsNoted(t *testing.T) {
	t.Parallel()
	k := &dialogue{desk: newDesk(t), owner: "user:7"}
	k.say(t, 7, true)
	k.plan(t, 4)
	k.flush(t, k.flushes[0], "f", false)
	r, _ := k.pending(t)
	k.extract(t, r, "x", true, 10)
	k.extract(t, talk.Range{ConversationUID: r.ConversationUID, From: 5, To: 7}, "x", true, 10)
	k.apply(t, k.records[1], "x")
	var got []string
	for _, record := range k.records {
		x, err := k.store.Extraction(t.Context(), k.as("x"), record)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(x.From, "-", x.To, " ", x.Outcome, " ", x.ReasonCode))
	}
	if want := "1-4 nothing noted, 5-7 written "; strings.Join(got, ", ") != want {
		t.Errorf("records %q, want %q", got, want)
	}
	for n := range 7 {
		if stands := strings.Count(k.notes(t), fmt.Sprintf("- said %d aloud.\n", n+1)); stands != 1 {
			t.Errorf("message %d is noted %d times", n+1, stands)
		}
	}
}

// tester is a test, also one of rapid.
type tester interface {
	Context() context.Context
	Helper()
	Fatal(args ...any)
}

// scribe is an engine that notes every message, each on a line.
type scribe struct {
	memory string // what it proposes for MEMORY.md
	words  string // in front of each line that it notes
	inputs []proposals.ExtractionInput
}

func (s *scribe) Propose(_ context.Context, in proposals.ExtractionInput) (proposals.Answer, error) {
	s.inputs = append(s.inputs, in)
	var lines []string
	for _, line := range in.Transcript {
		lines = append(lines, "- "+s.words+line.Text)
	}
	raw, err := json.Marshal(proposals.Proposal{
		ShouldUpdate: true, Reason: "all of it", DailyEntry: strings.Join(lines, "\n") + "\n",
		MemoryUpdate: s.memory,
	})
	return proposals.Answer{Raw: string(raw), Model: "stand-in/scribe", Usage: memory.Usage{Calls: 1, InputTokens: 10}}, err
}

// desk is a store with a clock, and steps that use a scribe, both as a model and as rules.
type desk struct {
	url         string
	store       *store.Store
	clock       atomic.Int64 // seconds
	model, free *Activities
	scribe      scribe
	settings    setting.ExtractSettings
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{settings: setting.DefaultExtractSettings()}
	d.settings.MaxTranscript = 5
	d.clock.Store(time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC).Unix())
	now := func() time.Time { return time.Unix(d.clock.Load(), 0) }
	s, url := storetest.Open(t, store.Options{Now: now})
	d.url = url
	d.store = s
	root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
	if err := s.EnsureWorkspace(t.Context(), "acme", "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(t.Context(), root, admin.NewAgent{ID: "ada", TimeZone: "Europe/Berlin"}); err != nil {
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

// dialogue is a conversation of one owner at a desk, with the workflows that work on it.
type dialogue struct {
	*desk
	owner    memory.Owner
	uid      uuid.UUID
	messages int
	flushes  []uuid.UUID
	ranges   []talk.Range // that were requested
	records  []uuid.UUID  // of extractions
}

// name returns the client's id of the conversation.
func (k *dialogue) name() string { return "c of " + string(k.owner) }

// as returns the identity of a run for the owner.
func (k *dialogue) as(run string) memory.Identity {
	id := member("ada", k.owner)
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "w", RunID: run}
	return id
}

// refused reports whether err is one that a run meets if another one was faster.
func refused(err error) bool {
	stale, isStale := errors.AsType[*store.StaleBaseError](err)
	_, isConflict := errors.AsType[*store.ConflictError](err)
	return isConflict || isStale && stale.Ref.Path != ""
}

func (k *dialogue) say(t tester, n int, complete bool) {
	b := talk.Batch{Conversation: k.name(), Trigger: memory.TriggerAPI, TurnComplete: complete}
	for range n {
		k.messages++
		role := memory.RoleOfUser // what only the assistant said would be dropped
		b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(k.messages), Role: role, Content: fmt.Sprintf("said %d aloud.", k.messages)})
	}
	stored, err := k.store.AppendMessages(t.Context(), k.as("say"), b)
	if err != nil {
		t.Fatal(err)
	}
	k.uid = stored.ConversationUID
}

// plan opens a flush up to a message, or finds the one that is open.
func (k *dialogue) plan(t tester, to int64) bool {
	f, needed, err := k.store.PlanFlush(t.Context(), k.as("plan"), k.uid, to)
	if err != nil {
		t.Fatal(err)
	}
	if needed {
		k.flushes = append(k.flushes, f.ID)
	}
	return needed
}

// propose drafts a flush's next step, or ends the step.
func (k *dialogue) propose(t tester, flush uuid.UUID, run string, fallback, nothing bool) {
	id := k.as(run)
	l, err := k.store.LoadFlush(t.Context(), id, flush, k.settings)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case l.Flush.Acknowledged():
		return
	case l.Extracted || nothing:
		_, err = k.store.EndFlushStep(t.Context(), id, flush,
			talk.FlushEnd{From: l.From, To: l.To, Outcome: memory.OutcomeNothing, Fallback: fallback})
	default:
		var entry strings.Builder
		fmt.Fprintf(&entry, "## %s Flushed\n\n", l.Today.Format("15:04"))
		for _, m := range l.Messages {
			entry.WriteString("- " + m.Content + "\n")
		}
		err = k.store.SaveFlushDraft(t.Context(), id, flush, talk.FlushDraft{
			From: l.From, To: l.To, Scope: l.Scope, Today: l.Today, Entry: entry.String(), Model: "stand-in/flusher", Fallback: fallback,
		})
	}
	if err != nil && !refused(err) {
		t.Fatal(err)
	}
}

// extract drafts an extraction's next step, or ends the step. transcript is the maximum of messages per step.
func (k *dialogue) extract(t tester, r talk.Range, run string, paid bool, transcript int) {
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

func (k *dialogue) apply(t tester, record uuid.UUID, run string) {
	if _, err := k.store.CommitExtraction(t.Context(), k.as(run), talk.Commit{ExtractionID: record}); err != nil && !refused(err) {
		t.Fatal(err)
	}
}

// pending returns the messages to extract.
func (k *dialogue) pending(t tester) (talk.Range, bool) {
	next, found, err := k.store.ConversationRange(t.Context(), k.as("ask"), k.uid)
	if err != nil {
		t.Fatal(err)
	}
	return next.Range, found
}

// notes returns all daily notes of the owner.
func (k *dialogue) notes(t tester) string {
	var all strings.Builder
	list, err := k.store.Documents(t.Context(), k.as("read"), gate.DocumentFilter{Prefix: "memory/"})
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

// flush takes over a step of a flush and executes it.
func (k *dialogue) flush(t tester, flush uuid.UUID, run string, fallback bool) {
	begun, err := k.store.BeginFlush(t.Context(), k.as(run), flush)
	if err != nil {
		t.Fatal(err)
	}
	k.propose(t, flush, run, fallback, false)
	if _, err := k.store.CommitFlush(t.Context(), k.as(run), flush, begun.Done+1); err != nil && !refused(err) {
		t.Fatal(err)
	}
}

// check compares ranges and steps of all flushes with the conversation.
func (k *dialogue) check(t *rapid.T) {
	c, err := k.store.Conversation(t.Context(), k.as("check"), k.name())
	if err != nil {
		t.Fatal(err)
	}
	list, err := k.store.Flushes(t.Context(), k.as("check"), k.name(), store.Page{Limit: store.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	end, stepped := int64(0), int64(0)
	for i, item := range slices.Backward(list.Items) {
		f, err := k.store.Flush(t.Context(), k.as("check"), item.ID)
		if err != nil {
			t.Fatal(err)
		}
		if f.From != end+1 || f.To < f.From || !f.Acknowledged() && i != 0 {
			t.Fatalf("flush %d to %d follows %d, acknowledged %v, %d come after it", f.From, f.To, end, f.Acknowledged(), i)
		}
		end = f.To
		for _, s := range f.Steps {
			if s.From != stepped+1 || s.To < s.From || s.To > f.To {
				t.Fatalf("step %d to %d follows %d in a flush up to %d", s.From, s.To, stepped, f.To)
			}
			stepped = s.To
		}
		if f.Done != stepped || f.Acknowledged() != (stepped == f.To) {
			t.Fatalf("flush up to %d is done up to %d, its steps up to %d, acknowledged %v", f.To, f.Done, stepped, f.Acknowledged())
		}
	}
	if c.Flushed != stepped {
		t.Fatalf("the conversation is flushed up to %d, its steps go up to %d", c.Flushed, stepped)
	}
}

// transcript is the maximum number of messages in a step of an extraction.
var transcript = rapid.IntRange(3, 10)

// finish flushes and extracts everything that is left.
func (k *dialogue) finish(t *rapid.T) {
	if _, err := k.store.CompleteTurn(t.Context(), k.as("say"), k.name()); err != nil {
		t.Fatal(err)
	}
	for round := 0; ; round++ {
		if round > 100+20*k.messages { // extractions are drawn with a chance of one in five
			t.Fatal("it does not come to an end")
		}
		r, more := k.pending(t)
		if more && rapid.IntRange(0, 4).Draw(t, "extraction first") == 0 {
			k.extract(t, r, "last", rapid.Bool().Draw(t, "paid"), transcript.Draw(t, "transcript"))
			k.apply(t, k.records[len(k.records)-1], "last")
			continue
		}
		if !k.plan(t, int64(k.messages)) {
			if !more {
				return
			}
			continue
		}
		k.flush(t, k.flushes[len(k.flushes)-1], "last", rapid.Bool().Draw(t, "fallback"))
	}
}

// Concurrent flushes and extractions of one conversation, with repeated calls: each message is noted once, and the
// flushes cover the conversation without gaps.
func TestMessagesAreNotedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	owners := 0
	rapid.Check(t, func(t *rapid.T) {
		owners++
		k := &dialogue{desk: d, owner: memory.Owner(fmt.Sprint("user:", owners))}
		run := rapid.SampledFrom([]string{"r1", "r2"})
		aFlush := func(t *rapid.T) uuid.UUID {
			if len(k.flushes) == 0 {
				t.Skip("no flush yet")
			}
			return rapid.SampledFrom(k.flushes).Draw(t, "flush")
		}
		k.say(t, rapid.IntRange(1, 12).Draw(t, "messages"), true)
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) {
				k.say(t, rapid.IntRange(1, 9).Draw(t, "messages"), rapid.Bool().Draw(t, "complete"))
			},
			"time passes": func(t *rapid.T) { k.clock.Add(rapid.Int64Range(1, 10*3600).Draw(t, "seconds")) },
			"plan":        func(t *rapid.T) { k.plan(t, rapid.Int64Range(1, int64(k.messages)).Draw(t, "to")) },
			"begin": func(t *rapid.T) {
				if _, err := k.store.BeginFlush(t.Context(), k.as(run.Draw(t, "run")), aFlush(t)); err != nil {
					t.Fatal(err)
				}
			},
			"propose": func(t *rapid.T) {
				k.propose(t, aFlush(t), run.Draw(t, "run"), rapid.Bool().Draw(t, "fallback"), rapid.IntRange(0, 9).Draw(t, "nothing") == 0)
			},
			"flush": func(t *rapid.T) {
				k.plan(t, rapid.Int64Range(1, int64(k.messages)).Draw(t, "to"))
				k.flush(t, aFlush(t), run.Draw(t, "run"), rapid.Bool().Draw(t, "fallback"))
			},
			"extract and apply": func(t *rapid.T) {
				if len(k.ranges) == 0 {
					t.Skip("no range yet")
				}
				by := run.Draw(t, "run")
				k.extract(t, k.ranges[len(k.ranges)-1], by, rapid.Bool().Draw(t, "paid"), transcript.Draw(t, "transcript"))
				if len(k.records) > 0 {
					k.apply(t, k.records[len(k.records)-1], by)
				}
			},
			"commit": func(t *rapid.T) {
				f, err := k.store.Flush(t.Context(), k.as("ask"), aFlush(t))
				if err != nil {
					t.Fatal(err)
				}
				from := f.Done + 1
				if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
					from = rapid.Int64Range(f.From, f.To).Draw(t, "from")
				}
				_, err = k.store.CommitFlush(t.Context(), k.as(run.Draw(t, "run")), f.ID, from)
				if err != nil && !refused(err) {
					t.Fatal(err)
				}
			},
			"ask for a range": func(t *rapid.T) {
				if r, found := k.pending(t); found {
					k.ranges = append(k.ranges, r)
				}
			},
			"extract": func(t *rapid.T) {
				if len(k.ranges) == 0 {
					t.Skip("no range yet")
				}
				k.extract(t, k.ranges[max(0, len(k.ranges)-rapid.IntRange(1, 2).Draw(t, "range"))], run.Draw(t, "run"),
					rapid.Bool().Draw(t, "paid"), transcript.Draw(t, "transcript"))
			},
			"apply": func(t *rapid.T) {
				if len(k.records) == 0 {
					t.Skip("no extraction yet")
				}
				k.apply(t, k.records[max(0, len(k.records)-rapid.IntRange(1, 3).Draw(t, "record"))], run.Draw(t, "run"))
			},
			"skip": func(t *rapid.T) {
				if len(k.records) == 0 {
					t.Skip("no extraction yet")
				}
				_, err := k.store.RecordOutcome(t.Context(), k.as(run.Draw(t, "run")), k.records[len(k.records)-1],
					talk.Ending{Outcome: memory.OutcomeSkipped})
				if err != nil && !refused(err) {
					t.Fatal(err)
				}
			},
			"": k.check,
		})
		k.finish(t)
		k.check(t)
		notes := k.notes(t)
		for n := range k.messages {
			if stands := strings.Count(notes, fmt.Sprintf("- said %d aloud.\n", n+1)); stands != 1 {
				t.Fatalf("message %d is noted %d times:\n%s", n+1, stands, notes)
			}
		}
	})
	for what, sql := range map[string]string{
		"a model's entry took the place of rules'": `
select count(*) from document_versions where scope = 'PERSONAL' and removed > 0`,
		"an extraction had a part of a flush's step": `
select count(*) from extractions x join flush_steps s using (conversation_uid)
where x.reason_code = 'noted' and x.to_seq < s.to_seq and x.to_seq > s.from_seq`,
		"an extraction came before the flush": `select count(*) from flush_steps where outcome = 'nothing' and engine = ''`,
	} {
		if n := (&world{url: d.url}).count(t, sql); n == 0 {
			t.Errorf("it never happened that %s", what)
		} else {
			t.Logf("%d times: %s", n, what)
		}
	}
}
