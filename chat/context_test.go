package chat_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/chat"
	"reverie/language/analysis"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/store/talk"
	"reverie/window"
)

func TestContextOrderAndLedger(t *testing.T) {
	w := open(t)
	w.write(memory.NoOwner, memory.AgentsPath, "Answer in one sentence.\n")
	w.write(grace, "notes/flat.md", "# Flat\n\n- The balcony faces south.\n")
	w.said(grace, "c1", "Hello, I am looking for a plant.", "What light does it get?")
	c := w.context(grace, chat.ContextRequest{
		Conversation: "c1", Message: "It stands on the balcony of my flat: which way does that face?",
		Tools: []window.Tool{{Name: "lookup", Description: "Looks a plant up.", Parameters: []byte(`{"type":"object"}`)}},
	})
	if got := kinds(c.Messages); got != "system history recall current" {
		t.Fatalf("kinds are %s", got)
	}
	for _, m := range c.Messages {
		if (m.Role == memory.RoleOfSystem) != (m.Kind == window.KindSystem) {
			t.Errorf("%s is a message of role %s", m.Kind, m.Role)
		}
	}
	system := of(c, window.KindSystem)
	if !strings.Contains(system, "Answer in one sentence.") ||
		strings.Index(system, "Answer in one sentence.") > strings.Index(system, "How to read this conversation") ||
		strings.Contains(system, "memory_search") {
		t.Errorf("system prompt:\n%s", system)
	}
	if last := c.Messages[len(c.Messages)-1]; last.Content != "It stands on the balcony of my flat: which way does that face?" ||
		last.Kind != window.KindCurrent {
		t.Errorf("the last message is %+v", last)
	}
	if block := of(c, window.KindRecall); !strings.Contains(block, "The balcony faces south.") || !strings.Contains(block, "notes/flat.md:") {
		t.Errorf("recall block:\n%s", block)
	}
	if len(c.Recalled) != 1 || c.Recalled[0].Path != "notes/flat.md" || c.Recalled[0].Tokens == 0 || c.Skipped != "" {
		t.Errorf("recalled %+v, skipped %q", c.Recalled, c.Skipped)
	}
	l := c.Ledger
	if sum := l.System + l.Tools + l.Summary + l.Goal + l.History + l.Recall + l.Current; sum != l.Used || l.Used > l.Max ||
		l.Tools == 0 || l.Recall == 0 || l.Messages != 2 {
		t.Errorf("ledger %+v, sum %d", l, sum)
	}
	if c.Model != "fake/model" || c.Counter.Count("one two three") == 0 {
		t.Errorf("counted for %q by %q", c.Model, c.Counter.Name)
	}
}

// A conversation that does not exist yet is empty, and memory works.
func TestContextOfANewConversation(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/flat.md", "The balcony faces south.\n")
	c := w.context(grace, chat.ContextRequest{Conversation: "new", Message: "Which way does the balcony face?"})
	if got := kinds(c.Messages); got != "system recall current" || len(c.Recalled) != 1 {
		t.Errorf("%s, %+v", got, c.Recalled)
	}
	if len(w.messages(grace, "new")) > 0 || w.compactor.asked() != "" {
		t.Error("it is not there only to read")
	}
}

func TestWhyNothingIsRecalled(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/flat.md", "The balcony faces south.\n")
	no, question := false, "Which way does the balcony face?"
	for _, c := range []struct {
		name, message, want string
		set                 func(*setting.AgentSettings)
	}{
		{"asked", question, "", func(*setting.AgentSettings) {}},
		{"a greeting", "Hello!", "trivial", func(*setting.AgentSettings) {}},
		{"thanks in Chinese", "谢谢！", "trivial", func(*setting.AgentSettings) {}},
		{"an emoji", "👍", "trivial", func(*setting.AgentSettings) {}},
		{"nothing is known", "How tall is the lighthouse of Alexandria?", "nothing", func(*setting.AgentSettings) {}},
		{"not by itself", question, "disabled", func(s *setting.AgentSettings) { s.AutoInject = &no }},
		{"memory is off", question, "off", func(s *setting.AgentSettings) { s.MemoryEnabled = &no }},
	} {
		w.agent.Settings = setting.AgentSettings{}
		c.set(&w.agent.Settings)
		got := w.context(grace, chat.ContextRequest{Conversation: "c", Message: c.message})
		if got.Skipped != c.want || (of(got, window.KindRecall) == "") != (c.want != "") {
			t.Errorf("%s: skipped %q, want %q; recalled %+v", c.name, got.Skipped, c.want, got.Recalled)
		}
	}
}

// Archived lines are in no context, also of documents outside of the prompt.
func TestArchivedLinesAreNotRecalled(t *testing.T) {
	w := open(t)
	w.write(grace, "chats/c7.md", "# Chat\n\n- The front door is green.\n\n## Archived\n\n- The spare key lies below the blue pot.\n")
	w.write(grace, memory.MemoryPath, "# Memory\n\n## Archived\n\n- The spare key was in the shed.\n")
	c := w.context(grace, chat.ContextRequest{Conversation: "c", Message: "Where is the spare key of the front door?"})
	all := of(c, window.KindSystem) + of(c, window.KindRecall)
	if strings.Contains(all, "spare key") || !strings.Contains(all, "door is green") {
		t.Errorf("%+v\n%s", c.Recalled, all)
	}
}

// Passages below the threshold or beyond the budget are not in the context.
func TestThresholdAndBudgetOfRecall(t *testing.T) {
	w := open(t)
	for i := range 8 {
		w.write(grace, fmt.Sprintf("notes/%d.md", i),
			fmt.Sprintf("Room %d of the house in Aurich has %d windows and a stove that heats well in winter.\n", i, i+2))
	}
	ask := chat.ContextRequest{Message: "How many windows does the house in Aurich have?"}
	all := w.context(grace, ask)
	if n := len(all.Recalled); n < 3 || all.Ledger.Recall > 200+4 {
		t.Errorf("%d recalled in %d tokens", n, all.Ledger.Recall)
	}
	few, strict := 90, 1.0
	w.agent.Settings.AutoInjectMaxTokens = &few
	if got := w.context(grace, ask); len(got.Recalled) >= len(all.Recalled) || len(got.Recalled) == 0 || got.Ledger.Recall > few+4 {
		t.Errorf("%d recalled in %d tokens", len(got.Recalled), got.Ledger.Recall)
	}
	w.agent.Settings.AutoInjectThreshold = &strict
	if got := w.context(grace, ask); slices.ContainsFunc(got.Recalled, func(r chat.Recalled) bool { return r.Score < 1 }) {
		t.Errorf("below the threshold: %+v", got.Recalled)
	}
}

// Text in the system prompt or verbatim in the window is not recalled, nor is the question itself.
func TestNothingIsRecalledTwice(t *testing.T) {
	w := open(t)
	w.write(grace, memory.MemoryPath, "# Memory\n\n- The barometer hangs in the hall.\n")
	path, enabled := memory.MemoryPath, true
	if _, err := w.Store.SetPrompt(t.Context(), as(grace), memory.Ref{Scope: memory.ScopePersonal, Path: path}, &enabled, nil); err != nil {
		t.Fatal(err)
	}
	w.write(grace, "memory/2026-05-01.md", "# 2026-05-01\n\n## 09:00 Barometer\n\nThe barometer hangs in the hall.\n")
	w.said(grace, "c1", "My barometer fell to 980 today.", "Then a storm is coming.")
	w.said(grace, "c2", "I bought the barometer in Kiel.", "A good place for it.")
	question := "Where did I say that the barometer is, and where is it from?"
	c := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: question})
	block := of(c, window.KindRecall)
	if !strings.Contains(block, "Kiel") || strings.Contains(block, "980") || strings.Contains(block, "in the hall") {
		t.Errorf("recalled:\n%s", block)
	}
	if !strings.Contains(of(c, window.KindSystem), "in the hall") || !strings.Contains(of(c, window.KindHistory), "980") {
		t.Errorf("%s", kinds(c.Messages))
	}
}

// Contexts of different owners are separate: documents, conversations, and recalled passages.
func TestContextsOfTwoOwners(t *testing.T) {
	w := open(t)
	for owner, place := range map[memory.Owner]string{grace: "Aurich", alan: "Wilmslow"} {
		w.write(owner, "notes/home.md", "The house with the orchard is in "+place+".\n")
		w.write(owner, memory.ProfilePath, "# Profile\n\n- Lives in "+place+"\n")
		w.said(owner, "talk-"+string(owner), "The orchard of my house in "+place+" has cherries.", "Lovely.")
	}
	for owner, other := range map[memory.Owner]string{grace: "Wilmslow", alan: "Aurich"} {
		c := w.context(owner, chat.ContextRequest{Conversation: "new", Message: "Where is the house with the orchard?"})
		if len(c.Recalled) == 0 {
			t.Errorf("%s recalls nothing", owner)
		}
		for _, m := range c.Messages {
			if strings.Contains(m.Content, other) {
				t.Errorf("%s sees the other's %s: %s", owner, m.Kind, m.Content)
			}
		}
		stranger := "talk-" + string(map[memory.Owner]memory.Owner{grace: alan, alan: grace}[owner])
		c, err := w.Context(t.Context(), as(owner), w.agent,
			chat.ContextRequest{Conversation: stranger, Message: "Go on with the orchard, please."})
		if err == nil && strings.Contains(of(c, window.KindHistory), other) {
			t.Errorf("%s reads the other's conversation", owner)
		}
	}
}

// A short message is searched together with the previous turn, and nothing else.
func TestShortMessagesAreAskedWithTheTurnBefore(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/bakery.md", "The bakery in Norden is closed on Mondays and opens at seven.\n")
	w.said(grace, "c1", "Tell me about the bakery in Norden.", "It is famous for its bread.")
	if c := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "And when?"}); len(c.Recalled) != 1 {
		t.Errorf("recalled %+v, skipped %q", c.Recalled, c.Skipped)
	}
	if c := w.context(grace, chat.ContextRequest{Conversation: "c2", Message: "And when?"}); len(c.Recalled) != 0 {
		t.Errorf("recalled %+v out of nothing", c.Recalled)
	}
}

// A slow or failed search does not fail the turn.
func TestContextWithoutASearch(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/flat.md", "The balcony faces south.\n")
	w.Search.Store, w.RecallPatience = slowStore{w.Search.Store}, 0
	began := time.Now()
	c := w.context(grace, chat.ContextRequest{Message: "Which way does the balcony face?"})
	if c.Skipped != "unavailable" || time.Since(began) > time.Minute || kinds(c.Messages) != "system current" {
		t.Errorf("skipped %q after %s: %s", c.Skipped, time.Since(began), kinds(c.Messages))
	}
}

// long stores a conversation of turns with about 1,000 tokens each.
func (w *world) long(owner memory.Owner, conversation string, turns int) {
	var lines []string
	for i := range turns {
		lines = append(lines, fmt.Sprintf("Question %d about sails.", i+1),
			fmt.Sprintf("Answer %d: %s", i+1, strings.Repeat("the wind was fair ", 250)))
	}
	w.said(owner, conversation, lines...)
}

// Above its share of the window, earlier turns are summarised; the summary, the goal and the last turns stay.
func TestContextIsCompacted(t *testing.T) {
	w := open(t)
	w.long(grace, "c1", 12)
	no := false
	w.agent.Settings.AutoInject = &no
	r := chat.ContextRequest{Conversation: "c1", Message: "And what now?", MaxTokens: 8000}
	c := w.context(grace, r)
	if got := kinds(c.Messages); got != "system summary goal history current" {
		t.Fatalf("%s after %s", got, w.compactor.asked())
	}
	summary := of(c, window.KindSummary)
	if !strings.HasPrefix(summary, window.SummaryPrefix+"\n") || !strings.Contains(summary, "Summary up to 20.") {
		t.Errorf("summary %q", summary)
	}
	if !strings.Contains(of(c, window.KindGoal), "Question 1 about sails.") ||
		strings.Contains(of(c, window.KindHistory), "Answer 10:") || !strings.Contains(of(c, window.KindHistory), "Answer 11:") {
		t.Errorf("%d messages of the history", c.Ledger.Messages)
	}
	for _, m := range c.Messages {
		if m.Kind == window.KindSummary && m.Role != memory.RoleOfUser {
			t.Errorf("the summary is a message of role %s", m.Role)
		}
	}
	if c.Compaction == nil || c.Compaction.To != 20 || c.Unsent != 0 || w.compactor.asked() != "compact 20 turn rules" {
		t.Errorf("%+v, unsent %d, %s", c.Compaction, c.Unsent, w.compactor.asked())
	}
	if again := w.context(grace, r); again.Compaction.ID != c.Compaction.ID || w.compactor.asked() != "compact 20 turn rules" {
		t.Errorf("it is compacted again: %s", w.compactor.asked())
	}
}

// Without workflows a window is used as long as nothing is lost.
func TestContextWithoutWorkflows(t *testing.T) {
	w := open(t)
	w.long(grace, "short", 7)
	w.long(grace, "long", 12)
	w.compactor.failing = fmt.Errorf("dial: %w", chat.ErrUnreachable)
	c, err := w.Context(t.Context(), as(grace), w.agent,
		chat.ContextRequest{Conversation: "short", Message: "And what now?", MaxTokens: 10_000})
	if err != nil || c.Ledger.Messages != 14 || c.Compact == 0 {
		t.Errorf("%d messages, %+v, %v", c.Ledger.Messages, c.Ledger, err)
	}
	_, err = w.Context(t.Context(), as(grace), w.agent, chat.ContextRequest{Conversation: "long", Message: "And what now?", MaxTokens: 10_000})
	if !errors.Is(err, chat.ErrUnreachable) {
		t.Errorf("%v", err)
	}
}

// With NoWait, the context has as much as fits; the rest is flushed first.
func TestContextThatCannotWait(t *testing.T) {
	w := open(t)
	w.long(grace, "c1", 12)
	w.compactor.held = make(chan struct{})
	c := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "And what now?", MaxTokens: 8000, NoWait: true})
	state, err := w.Store.Conversation(t.Context(), as(grace), "c1")
	if err != nil || c.Unsent == 0 || c.Unsent > state.Flushed || c.Ledger.Used > c.Ledger.Max {
		t.Errorf("unsent %d, flushed %d, used %d: %v", c.Unsent, state.Flushed, c.Ledger.Used, err)
	}
	if !strings.Contains(of(c, window.KindHistory), "Answer 12:") {
		t.Error("the last turn is missing")
	}
	close(w.compactor.held) // the summary follows
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(w.compactor.asked(), "compact 20 turn rules") && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if got := w.compactor.asked(); !strings.Contains(got, "flush") || !strings.Contains(got, "compact 20 turn rules") {
		t.Errorf("asked for: %s", got)
	}
}

// Long before anything leaves the window it is flushed.
func TestContextIsFlushedSoon(t *testing.T) {
	w := open(t)
	var lines []string
	for i := range 52 {
		lines = append(lines, fmt.Sprintf("Line %d.", i+1))
	}
	w.said(grace, "c1", lines...)
	c := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "And what now?"})
	if !c.Flushing || c.Why != window.FlushMessages || w.compactor.asked() != "soon 48 turn rules" || c.Ledger.Messages != 52 {
		t.Errorf("%v because of %q: %s", c.Flushing, c.Why, w.compactor.asked())
	}
}

// What must be sent whole and does not fit gives an error with the sizes.
func TestContextThatIsTooLarge(t *testing.T) {
	w := open(t)
	_, err := w.Context(t.Context(), as(grace), w.agent, chat.ContextRequest{Message: strings.Repeat("long words ", 3000), MaxTokens: 2000})
	if large, is := errors.AsType[*window.TooLargeError](err); !is || large.Current < 2000 || large.Max != 2000 {
		t.Errorf("%v", err)
	}
}

// Messages outside of the window can be recalled, although they are summarised.
func TestWhatLeftTheWindowIsRecalled(t *testing.T) {
	w := open(t)
	w.said(grace, "c1", "The spare key of the boathouse hangs behind the third oar.", "Noted.")
	filler := strings.Repeat("the wind was fair ", 250)
	for i := range 12 {
		w.store(grace, "c1",
			memory.Message{ID: fmt.Sprint("q", i), Role: memory.RoleOfUser, Content: fmt.Sprintf("Sailing question %d.", i)},
			memory.Message{ID: fmt.Sprint("a", i), Role: memory.RoleOfAssistant, Content: filler})
	}
	c := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "Where does the spare key of the boathouse hang?", MaxTokens: 8000})
	if block := of(c, window.KindRecall); !strings.Contains(block, "third oar") || !strings.Contains(block, "sessions/c1:1") {
		t.Errorf("recalled:\n%s\nskipped %q", block, c.Skipped)
	}
}

// An older value says where a newer one is.
func TestOlderValuesAreRecalledAsSuch(t *testing.T) {
	w := open(t)
	w.said(grace, "c0", "The rent of my flat is 900 euros.", "Noted.", "The rent of my flat is now 950 euros.", "Noted.")
	c := w.context(grace, chat.ContextRequest{Message: "How high is the rent of my flat?"})
	block := of(c, window.KindRecall)
	if !strings.Contains(block, "900 euros. (superseded by sessions/c0#L3)") || !strings.Contains(block, "950 euros.\n") {
		t.Errorf("recalled:\n%s\nskipped %q", block, c.Skipped)
	}
}

// Only what was put into the context counts as recalled.
func TestOnlyWhatIsInjectedIsRecorded(t *testing.T) {
	w := open(t)
	w.write(grace, memory.MemoryPath, "# Memory\n\n- The barometer hangs in the hall.\n")
	enabled := true
	if _, err := w.Store.SetPrompt(t.Context(), as(grace), memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}, &enabled,
		nil); err != nil {
		t.Fatal(err)
	}
	w.write(grace, "notes/barometer.md", "The barometer was made in Kiel.\n")
	c := w.context(grace, chat.ContextRequest{Message: "Where was the barometer made?"})
	if len(c.Recalled) != 1 {
		t.Fatalf("%+v", c.Recalled)
	}
	if err := w.recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := w.Store.Recalls(t.Context(), as(grace), start.Add(-time.Hour), true, 100)
	if err != nil || len(kept) != 1 || kept[0].Path != "notes/barometer.md" || kept[0].Synthetic {
		t.Errorf("%+v, %v", kept, err)
	}
}

// slowStore is a store whose searches never return.
type slowStore struct{ recall.Store }

func (slowStore) Collect(ctx context.Context, _ memory.Identity, _ []search.Corpus, _ analysis.Query) (indexes.Collected, error) {
	<-ctx.Done()
	return indexes.Collected{}, ctx.Err()
}

// compactor flushes and summarises synchronously, through the store's own steps and with generated text, in place of
// workflows.
type compactor struct {
	store *store.Store

	mu           sync.Mutex
	failing      error         // error of every call; nil: calls succeed
	summaryFails bool          // summaries are not written
	summary      string        // text of summaries; empty: their range
	held         chan struct{} // background work waits until it is closed; nil: it starts at once
	calls        []string
}

func (c *compactor) called(what string, r chat.CompactRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	engine := "rules"
	if r.Settings.Paid {
		engine = "model"
	}
	c.calls = append(c.calls, fmt.Sprintf("%s %d %s %s", what, r.To, r.Trigger, engine))
	return c.failing
}

// asked returns the calls so far: kind, range, reason and author.
func (c *compactor) asked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.calls, "; ")
}

func (c *compactor) Compact(ctx context.Context, r chat.CompactRequest) error {
	if err := c.called("compact", r); err != nil {
		return err
	}
	if c.summaryFails {
		return chat.ErrStillRunning
	}
	if err := c.flush(ctx, r); err != nil {
		return err
	}
	id, err := c.as(ctx, r)
	if err != nil {
		return err
	}
	x, err := c.store.BeginCompaction(ctx, id, talk.CompactionRequest{
		Conversation: r.Conversation, To: r.To, Trigger: r.Trigger, Settings: r.Settings, Maker: "test",
	})
	for err == nil && x.FinishedAt == nil {
		var part talk.SummaryPart
		if part, err = c.store.LoadSummary(ctx, id, x.ID, 64<<10); err != nil {
			break
		}
		summary := cmp.Or(c.summary, fmt.Sprintf("Summary up to %d.", part.To))
		x, err = c.store.SaveSummary(ctx, id, x.ID, talk.SummaryStep{To: part.To, Summary: summary, SummaryTokens: 5, Model: "builtin/test"})
	}
	return err
}

func (c *compactor) Flush(ctx context.Context, r chat.CompactRequest) error {
	if err := c.called("flush", r); err != nil {
		return err
	}
	return c.flush(ctx, r)
}

func (c *compactor) FlushSoon(_ context.Context, r chat.CompactRequest) { _ = c.called("soon", r) }

func (c *compactor) CompactSoon(ctx context.Context, r chat.CompactRequest) {
	go func() {
		if c.held != nil {
			<-c.held
		}
		_ = c.Compact(context.WithoutCancel(ctx), r) // nobody waits for the result
	}()
}

// flush completes a flush up to a message, with nothing to write.
func (c *compactor) flush(ctx context.Context, r chat.CompactRequest) error {
	id, err := c.as(ctx, r)
	if err != nil {
		return err
	}
	for {
		f, due, err := c.store.PlanFlush(ctx, id, r.Conversation, r.To)
		if err != nil || !due {
			return err
		}
		if _, err := c.store.BeginFlush(ctx, id, f.ID); err != nil {
			return err
		}
		for !f.Acknowledged() {
			load, err := c.store.LoadFlush(ctx, id, f.ID, r.Settings.Flush.Extract)
			if err != nil {
				return err
			}
			if load.Flush.Acknowledged() { // another flush may run concurrently
				break
			}
			result, err := c.store.EndFlushStep(ctx, id, f.ID, talk.FlushEnd{
				From: load.From, To: load.To, Outcome: memory.OutcomeNothing, ReasonCode: "nothing_to_keep", Model: "builtin/test",
			})
			if err != nil {
				return err
			}
			f = result.Flush
		}
	}
}

// as returns the identity of a workflow for the owner of a conversation.
func (c *compactor) as(ctx context.Context, r chat.CompactRequest) (memory.Identity, error) {
	id := administrator()
	owner, err := c.store.ResolveOwner(ctx, func() memory.Identity { id.AnyOwner = true; return id }(), r.Owner.Owner)
	if err != nil {
		return id, err
	}
	id.AnyOwner, id.Owner = false, owner
	id.Author = memory.Author{
		Kind: memory.AuthorWorkflow, ID: "test", WorkflowID: "compact",
		RunID: uuid.NewSHA1(r.Conversation, []byte("run")).String(),
	}
	return id, nil
}

// A person's earlier questions rank below what was stated, however often they were asked, and the message itself is not
// recalled from another conversation.
func TestQuestionsRankBelowStatements(t *testing.T) {
	w := open(t)
	w.said(grace, "c0", "The Albatross lies at pier 4 since March.", "Noted.")
	for i := range 15 {
		w.said(grace, fmt.Sprintf("q%d", i), "At which pier does my boat Albatross lie now?")
		w.said(grace, fmt.Sprintf("p%d", i), fmt.Sprintf("Does my boat Albatross need a new pier in %d?", 2030+i))
	}
	const message = "At which pier does my boat Albatross lie now?"
	c := w.context(grace, chat.ContextRequest{Conversation: "c2", Message: message})
	if len(c.Recalled) == 0 || c.Recalled[0].Source.Conversation != "c0" {
		t.Fatalf("recalled %+v", c.Recalled)
	}
	for _, r := range c.Recalled {
		if r.Text == message {
			t.Errorf("recalled the message itself, from %s", r.Path)
		}
	}
}
