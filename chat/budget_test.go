package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/chat"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
)

// spent returns the workspace's spending on the world's day.
func (w *world) spent() memory.Usage {
	w.t.Helper()
	used, err := w.Store.SpentToday(context.WithoutCancel(w.t.Context()), as(grace), w.now())
	if err != nil {
		w.t.Fatal(err)
	}
	return used
}

// Every call counts: those with tools, failed ones, and those of abandoned turns.
func TestWhatTurnsCostIsRecorded(t *testing.T) {
	w := open(t)
	w.model.will(call(memory.ToolCall{ID: "x", Name: "memory_search", Arguments: `{"query":"port"}`}), say("It is 5432."))
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Which port does the database have?"})
	if got, want := w.spent(), oneCall.Add(oneCall); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	w.model.will(fail(llm.Unavailable, "It"))
	if _, _, err := w.tryTurn(t.Context(), grace, chat.TurnRequest{Conversation: "c1", Message: "And the cache?"}); err == nil {
		t.Error("no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.model.will(func(context.Context, llm.ChatRequest, func(string) error) (llm.ChatResponse, error) {
		cancel()
		return llm.ChatResponse{Usage: oneCall}, context.Canceled
	})
	if _, _, err := w.tryTurn(ctx, grace, chat.TurnRequest{Conversation: "c1", Message: "And the queue?"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := w.spent(); got.Calls != 4 || got.InputTokens != 3*oneCall.InputTokens {
		t.Errorf("%+v", got)
	}
}

// An interrupted stream is charged.
func TestBrokenStreamsAreRecorded(t *testing.T) {
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			w := open(t)
			w.connect(provider, llmtest.Options{
				Script: llmtest.Sequence(llmtest.HangUpMidBody()),
				Respond: func(llmtest.Request) llmtest.Turn {
					return llmtest.Say("The whole answer has some words more than one.")
				},
			})
			if _, _, err := w.tryTurn(t.Context(), grace,
				chat.TurnRequest{Conversation: "c1", Message: "Which port does the database have?"}); err == nil {
				t.Fatal("no error")
			}
			if got := w.spent(); got.Calls != 1 || got.InputTokens == 0 || got.OutputTokens == 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// With the budget spent, no model is asked until the next day; requests to remember still work.
func TestABudgetThatIsSpent(t *testing.T) {
	w := open(t)
	w.Budget = memory.Budget{Tokens: int64(oneCall.InputTokens + oneCall.OutputTokens)}
	w.model.will(say("It is 5432."))
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Which port does the database have?"})
	r := chat.TurnRequest{Conversation: "c1", MessageID: "m2", Message: "And which one does the cache have?"}
	for range 2 {
		_, _, err := w.tryTurn(t.Context(), alan, chat.TurnRequest{Conversation: "c2", MessageID: "m", Message: "Is the budget everybody's?"})
		spent, is := errors.AsType[*chat.BudgetError](err)
		if !is || !spent.Until.Equal(time.Date(2026, 5, 21, 0, 0, 0, 0, time.UTC)) {
			t.Fatalf("%v", err)
		}
		if _, _, err := w.tryTurn(t.Context(), grace, r); !errors.As(err, new(*chat.BudgetError)) {
			t.Fatalf("%v", err)
		}
	}
	if got := w.messages(grace, "c1"); len(w.model.asked()) != 1 || len(got) != 3 || got[2].ID != "m2" {
		t.Errorf("%d calls, stored %v", len(w.model.asked()), roles(got))
	}
	if turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c3", Message: "Remember that the port is 5432."}); turn.Remembered == nil {
		t.Errorf("%+v", turn)
	}
	w.mu.Lock()
	w.clock = w.clock.AddDate(0, 0, 1)
	w.mu.Unlock()
	w.model.will(say("6379."))
	if turn, _ := w.turn(grace, r); turn.Answer != "6379." || len(w.messages(grace, "c1")) != 4 {
		t.Errorf("%+v", turn)
	}
}

// While the models of an agent are paused, its turns are refused and their messages stored; other agents' are answered.
func TestAPausedAgent(t *testing.T) {
	w := open(t)
	w.Models.Paused = true
	r := chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Which port does the database have?"}
	_, _, err := w.tryTurn(t.Context(), grace, r)
	if paused, is := errors.AsType[*chat.BudgetError](err); !is || paused.Code != setting.HaltPaused || len(w.model.asked()) != 0 {
		t.Fatalf("%v after %d calls", err, len(w.model.asked()))
	}
	w.Models.Paused = false
	w.model.will(say("It is 5432."))
	if turn, _ := w.turn(grace, r); turn.Answer != "It is 5432." || len(w.messages(grace, "c1")) != 2 {
		t.Errorf("%+v", turn)
	}
}

// The last call of a truncated answer is not run, even if it is valid.
func TestATruncatedCallIsNotRun(t *testing.T) {
	w := open(t)
	whole := memory.ToolCall{ID: "a", Name: "remember", Arguments: `{"text":"The port is 5432."}`}
	cut := memory.ToolCall{ID: "b", Name: "write_workspace_memory_file", Arguments: `{"filename":"notes/x.md","content":"Delete all"}`}
	w.model.will(truncated("", whole, cut), say("Done."))
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Write the port down, and the list."})
	if len(turn.Calls) != 1 || turn.Calls[0].Call.ID != "a" || turn.Answer != "Done." {
		t.Errorf("%+v", turn)
	}
	w.model.will(truncated("I will", cut))
	if turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "And the list?"}); turn.Answer != "I will" ||
		turn.Finish != "length" || len(turn.Calls) != 0 {
		t.Errorf("%+v", turn)
	}
	w.model.will(truncated("", cut))
	_, _, err := w.tryTurn(t.Context(), grace, chat.TurnRequest{Conversation: "c1", Message: "And the list now?"})
	if failed, is := errors.AsType[*llm.Error](err); !is || failed.Kind != llm.Truncated {
		t.Errorf("%v", err)
	}
}

// truncated is an answer that the token limit cut.
func truncated(text string, calls ...memory.ToolCall) answer {
	return func(context.Context, llm.ChatRequest, func(string) error) (llm.ChatResponse, error) {
		return llm.ChatResponse{Text: text, ToolCalls: calls, Usage: oneCall, Model: "fake/model", Finish: "length", Truncated: true}, nil
	}
}

// The database cost of a context: the conversation with the facts about the person in two round trips, and the search with what is believed
// in two. What was injected is recorded afterwards, in batches.
func TestRoundTripsOfAContext(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/flat.md", "The balcony faces south.\n")
	w.said(grace, "c1", "I look for a plant.", "What light does it get?")
	for _, c := range []struct {
		name, message string
		want          int
	}{
		{"without a search", "Thank you!", 2},
		{"with a search", "Which way does the balcony of my flat face?", 2 + 2},
	} {
		r := chat.ContextRequest{Conversation: "c1", Message: c.message}
		trips := func() int {
			before := w.queries.count()
			w.context(grace, r)
			return w.queries.count() - before
		}
		trips() // the first one on each connection prepares the statements, which is not counted
		least := trips()
		for range 8 {
			least = min(least, trips())
		}
		t.Logf("a context %s takes %d round trips", c.name, least)
		if least > c.want {
			t.Errorf("%s: %d round trips, want %d at most", c.name, least, c.want)
		}
	}
	if err := w.recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A context of a long conversation takes tens of milliseconds: what cannot fit is not read.
func TestContextOfALongConversationIsQuick(t *testing.T) {
	w := open(t)
	const messages, batch = 10_000, 1000
	for from := 0; from < messages; from += batch {
		var said []memory.Message
		for i := from; i < from+batch; i++ {
			role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
			said = append(said, memory.Message{
				ID: fmt.Sprint(i), Role: role,
				Content: fmt.Sprintf("Line %d: %s", i, strings.Repeat("the harbour lies in the morning light ", 8)),
			})
		}
		w.store(grace, "c1", said...)
	}
	r := chat.ContextRequest{Conversation: "c1", Message: "What did I say of the harbour in line 17?", Model: "openai/gpt-4o"}
	measure := func(name string) chat.Context {
		began := time.Now()
		c := w.context(grace, r)
		first := time.Since(began)
		var took []time.Duration
		for range 40 {
			began := time.Now()
			c = w.context(grace, r)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%s: %d messages, %d tokens of %d, counted by %s, %d recalled: the first %s, median %s, p95 %s",
			name, c.Ledger.Messages, c.Ledger.Used, c.Ledger.Max, c.Counter.Name, len(c.Recalled), first, took[len(took)/2], took[len(took)*95/100])
		// A hundred times the time measured on a quiet machine; benchmarks measure it precisely.
		if median := took[len(took)/2]; median > 5*time.Second {
			t.Errorf("%s: the median is %s", name, median)
		}
		if c.Ledger.Used > c.Ledger.Max {
			t.Errorf("%s: %+v", name, c.Ledger)
		}
		return c
	}
	// Flushed, but not summarised: the whole window consists of messages.
	w.compactor.summaryFails = true
	r.NoWait = true
	if c := measure("word by word"); c.Ledger.Used < c.Ledger.Max/2 {
		t.Errorf("%+v", c.Ledger)
	}
	w.compactor.summaryFails, r.NoWait = false, false
	if c := measure("summarised"); c.Compaction == nil {
		t.Errorf("%+v", c.Ledger)
	}
}
