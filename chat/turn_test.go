package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/tokencount"
	"reverie/store"
	"reverie/window"
)

// roles are the roles of messages, in order.
func roles(messages []memory.Message) (roles []string) {
	for _, m := range messages {
		roles = append(roles, m.Role)
	}
	return roles
}

func TestTurn(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/flat.md", "The balcony faces south.\n")
	w.model.will(say("It faces south (notes/flat.md:1)."))
	turn, events := w.turn(grace, chat.TurnRequest{
		Conversation: "c1", MessageID: "m1", Message: "Which way does my balcony face?",
		Name: "Grace",
	})
	if turn.Answer != "It faces south (notes/flat.md:1)." || textOf(events) != turn.Answer || turn.Finish != "stop" || turn.Rounds != 1 ||
		turn.Usage != oneCall || turn.Model != "fake/model" || turn.Replayed {
		t.Errorf("%+v", turn)
	}
	if events[0].Context == nil || len(events[0].Context.Recalled) != 1 || len(events) != 3 {
		t.Errorf("events %+v", events)
	}
	stored := w.messages(grace, "c1")
	if len(stored) != 2 || stored[0].ID != "m1" || stored[0].Name != "Grace" || stored[1].Content != turn.Answer ||
		stored[1].ID != turn.AnswerID || stored[1].FinishReason != "stop" {
		t.Errorf("stored %+v", stored)
	}
	if len(w.stored) != 1 || w.stored[0].Turn != 1 || w.stored[0].LastSeq != 2 {
		t.Errorf("to be extracted: %+v", w.stored)
	}
	r := w.model.asked()[0]
	last := r.Messages[len(r.Messages)-1]
	if r.Messages[0].Role != memory.RoleOfSystem || !strings.Contains(r.Messages[0].Content, "memory_search") ||
		last.Content != "Which way does my balcony face?" || r.Model != "" {
		t.Errorf("asked %+v", r)
	}
	if slices.ContainsFunc(r.Messages[1:], func(m llm.ChatMessage) bool { return m.Role == memory.RoleOfSystem }) {
		t.Error("there is more than one system message")
	}
	// The next turn contains this one verbatim, and itself once.
	w.model.will(say("Until noon."))
	w.turn(grace, chat.TurnRequest{Conversation: "c1", MessageID: "m2", Message: "How long does the sun shine there in winter?"})
	var got []string
	for _, m := range w.model.asked()[1].Messages[1:] {
		if !strings.HasPrefix(m.Content, window.RecallPrefix) {
			got = append(got, m.Role+": "+m.Content)
		}
	}
	want := []string{
		"user: Which way does my balcony face?", "assistant: It faces south (notes/flat.md:1).",
		"user: How long does the sun shine there in winter?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A repeated message gets the stored answer, without asking a model.
func TestTurnIsReplayed(t *testing.T) {
	w := open(t)
	w.model.will(call(memory.ToolCall{ID: "x", Name: "memory_search", Arguments: `{"query":"port"}`}), say("It is 5432."))
	r := chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Which port does the database have?"}
	first, _ := w.turn(grace, r)
	before := w.messages(grace, "c1")
	again, events := w.turn(grace, r)
	if !again.Replayed || again.Answer != first.Answer || again.AnswerID != first.AnswerID || again.Finish != "stop" ||
		len(again.Calls) != 1 || again.Calls[0].Call != first.Calls[0].Call || again.Calls[0].Result.Content != first.Calls[0].Result.Content {
		t.Errorf("%+v, want %+v", again, first)
	}
	if len(events) != 0 || len(w.model.asked()) != 2 || len(w.stored) != 1 {
		t.Errorf("%d events, %d model calls, %d to be extracted", len(events), len(w.model.asked()), len(w.stored))
	}
	if diff := cmp.Diff(before, w.messages(grace, "c1")); diff != "" {
		t.Error(diff)
	}
	// Other text under the same id is a conflict.
	r.Message = "Which port does the cache have?"
	_, _, err := w.tryTurn(t.Context(), grace, r)
	if conflict, is := errors.AsType[*store.ConflictError](err); !is || conflict.Code != store.CodeMessageIDReused {
		t.Errorf("%v", err)
	}
}

// A turn that was interrupted before its answer was stored is repeated, without storing the message again.
func TestTurnAfterACrash(t *testing.T) {
	w := open(t)
	w.said(grace, "c1", "Good day to you.", "And to you.")
	w.store(grace, "c1", memory.Message{ID: "m1", Role: memory.RoleOfUser, Content: "Which port does the database have?"})
	w.model.will(say("It is 5432."))
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Which port does the database have?"})
	if turn.Replayed || turn.Answer != "It is 5432." {
		t.Errorf("%+v", turn)
	}
	if got := roles(w.messages(grace, "c1")); !slices.Equal(got, []string{"user", "assistant", "user", "assistant"}) {
		t.Errorf("stored %v", got)
	}
	if n := len(w.model.asked()[0].Messages); n != 4 {
		t.Errorf("the model was sent %d messages", n)
	}
}

// Concurrent turns for the same message have one answer.
func TestTurnTakenTwiceAtTheSameTime(t *testing.T) {
	w := open(t)
	for range 4 {
		w.Service = &chat.Service{Options: w.Options}
		var meet sync.WaitGroup
		meet.Add(2)
		answers := func(text string) answer {
			return func(ctx context.Context, r llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
				meet.Done()
				meet.Wait()
				return say(text)(ctx, r, onText)
			}
		}
		w.model.will(answers("One."), answers("Two."))
		conversation := fmt.Sprint("c", len(w.model.asked()))
		var turns [2]chat.Turn
		var texts [2]string
		var both sync.WaitGroup
		for i := range turns {
			both.Go(func() {
				var events []chat.Event
				var err error
				if turns[i], events, err = w.tryTurn(t.Context(), grace,
					chat.TurnRequest{Conversation: conversation, MessageID: "m1", Message: "Say a number."}); err != nil {
					t.Error(err)
				}
				texts[i] = textOf(events)
			})
		}
		both.Wait()
		stored := w.messages(grace, conversation)
		if len(stored) != 2 || turns[0].Answer != stored[1].Content || turns[1].Answer != stored[1].Content ||
			turns[0].Replayed == turns[1].Replayed {
			t.Errorf("%q and %q, stored %+v", turns[0].Answer, turns[1].Answer, stored)
		}
		if texts[0] != texts[1] {
			t.Errorf("one was told %q, the other %q", texts[0], texts[1])
		}
	}
}

// Concurrent turns of one conversation do not separate calls and their results.
func TestTurnsAtTheSameTimeKeepPairs(t *testing.T) {
	w := open(t)
	const turns = 6
	for range 2 * turns {
		w.model.will(func(ctx context.Context, r llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
			if r.Messages[len(r.Messages)-1].Role == memory.RoleOfTool {
				return say("Done.")(ctx, r, onText)
			}
			return call(memory.ToolCall{ID: "a", Name: "memory_search", Arguments: `{"query":"x"}`},
				memory.ToolCall{ID: "b", Name: "memory_search", Arguments: `{"query":"y"}`})(ctx, r, onText)
		})
	}
	var all sync.WaitGroup
	for i := range turns {
		all.Go(func() {
			if _, _, err := w.tryTurn(t.Context(), grace,
				chat.TurnRequest{Conversation: "c1", MessageID: fmt.Sprint("m", i), Message: fmt.Sprintf("Look up number %d.", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	messages := w.messages(grace, "c1")
	if len(messages) != turns*5 {
		t.Fatalf("%d messages are stored", len(messages))
	}
	for i, m := range messages {
		if len(m.ToolCalls) > 0 && (messages[i+1].ToolCallID != "a" || messages[i+2].ToolCallID != "b" || messages[i+3].Content != "Done.") {
			t.Errorf("behind %d stand %v", m.Seq, roles(messages[i+1:i+4]))
		}
	}
}

// If the model fails, the message stays unanswered; sending it again gets an answer.
func TestTurnWhoseModelFails(t *testing.T) {
	w := open(t)
	r := chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Which port does the database have?"}
	for _, kind := range []llm.Kind{llm.RateLimited, llm.Unauthorized, llm.Refused, llm.Unavailable} {
		w.model.will(fail(kind, "It is 54"))
		turn, _, err := w.tryTurn(t.Context(), grace, r)
		if failed, is := errors.AsType[*llm.Error](err); !is || failed.Kind != kind || turn.Usage.Calls != 1 {
			t.Errorf("%s: %v, %+v", kind, err, turn.Usage)
		}
	}
	w.model.will(say("  "))
	if _, _, err := w.tryTurn(t.Context(), grace, r); err == nil {
		t.Error("nothing was taken for an answer")
	}
	if got := w.messages(grace, "c1"); len(got) != 1 || len(w.stored) != 0 {
		t.Errorf("stored %+v", got)
	}
	w.model.will(say("It is 5432."))
	if turn, _ := w.turn(grace, r); turn.Answer != "It is 5432." || len(w.messages(grace, "c1")) != 2 {
		t.Errorf("%+v", turn)
	}
}

// A model that refuses the context is asked again with less, twice at most.
func TestTurnWhoseContextIsTooLong(t *testing.T) {
	w := open(t)
	w.long(grace, "c1", 10)
	w.model.will(fail(llm.ContextTooLong, "Let me"), say("Go about."))
	turn, events := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "And what now, captain?", MaxTokens: 60_000})
	if turn.Answer != "Go about." || textOf(events) != "Go about." || turn.Rounds != 2 {
		t.Errorf("%+v, told %q", turn, textOf(events))
	}
	asked := w.model.asked()
	if len(asked[0].Messages) < 20 || len(asked[1].Messages) > 9 {
		t.Errorf("sent %d messages, then %d", len(asked[0].Messages), len(asked[1].Messages))
	}
	// In an emergency rules make the summary.
	if got := w.compactor.asked(); got != "compact 16 overflow rules" || turn.Context.Compaction == nil {
		t.Errorf("asked for %q", got)
	}
	w.model.will(fail(llm.ContextTooLong, ""), fail(llm.ContextTooLong, ""), fail(llm.ContextTooLong, ""))
	_, _, err := w.tryTurn(t.Context(), grace, chat.TurnRequest{Conversation: "c1", Message: "Now?", MaxTokens: 60_000})
	if failed, is := errors.AsType[*llm.Error](err); !is || failed.Kind != llm.ContextTooLong || len(w.model.asked()) != 5 {
		t.Errorf("%v after %d calls", err, len(w.model.asked()))
	}
}

// If a model accepts far less than its configured window, the next context is half of what it refused.
func TestTurnWhoseModelIsSmall(t *testing.T) {
	w := open(t)
	w.long(grace, "c1", 6)
	const most = 2500
	small := func(ctx context.Context, r llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
		tokens := 0
		for _, m := range r.Messages {
			tokens += tokencount.Estimate(m.Content)
		}
		if tokens > most {
			return fail(llm.ContextTooLong, "")(ctx, r, onText)
		}
		return say("Go about.")(ctx, r, onText)
	}
	w.model.will(small, small, small)
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "And what now, captain?"})
	if turn.Answer != "Go about." || turn.Rounds != 3 {
		t.Errorf("%+v", turn)
	}
	// A summary made in an emergency is used by the next turn.
	if next := w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "And then, captain?"}); next.Compaction == nil {
		t.Errorf("%s", w.compactor.asked())
	}
}

// A client that disconnects during an answer leaves the message unanswered.
func TestTurnIsCancelled(t *testing.T) {
	w := open(t)
	for name, model := range map[string]answer{
		"in mid-stream": nil,
		"after it": func(ctx context.Context, r llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
			response, err := say("It is 5432.")(ctx, r, func(string) error { return nil })
			return response, errors.Join(err, onText("It is 5432."))
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if model == nil {
			model = func(ctx context.Context, _ llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
				if err := onText("It is"); err != nil {
					return llm.ChatResponse{}, err
				}
				return llm.ChatResponse{}, fmt.Errorf("model call: %w", ctx.Err())
			}
		}
		w.model.will(model)
		conversation := strings.ReplaceAll(name, " ", "-")
		_, err := w.Turn(ctx, as(grace), w.agent, chat.TurnRequest{Conversation: conversation, Message: "Which port?"}, func(e chat.Event) error {
			if e.Text != "" {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.messages(grace, conversation); len(got) != 1 || got[0].Role != memory.RoleOfUser {
			t.Errorf("%s: stored %+v", name, got)
		}
	}
	gone := errors.New("the client is gone")
	w.model.will(say("It is 5432."))
	_, err := w.Turn(t.Context(), as(grace), w.agent, chat.TurnRequest{Conversation: "gone", Message: "Which port?"},
		func(e chat.Event) error {
			if e.Text != "" {
				return gone
			}
			return nil
		})
	if !errors.Is(err, gone) || len(w.messages(grace, "gone")) != 1 {
		t.Errorf("%v", err)
	}
}

// What cannot be stored is refused before a model is asked.
func TestTurnsThatAreRefused(t *testing.T) {
	w := open(t)
	for name, r := range map[string]chat.TurnRequest{
		"no message":           {Conversation: "c1", Message: " \n"},
		"too long an id":       {Conversation: "c1", MessageID: strings.Repeat("x", 200), Message: "Hello there."},
		"a trigger of no kind": {Conversation: "c1", Trigger: "whim", Message: "Hello there."},
	} {
		if _, events, err := w.tryTurn(t.Context(), grace, r); err == nil || len(events) > 0 {
			t.Errorf("%s: %v, %d events", name, err, len(events))
		}
	}
	viewer := as(grace)
	viewer.Role = memory.RoleViewer
	if _, err := w.Turn(t.Context(), viewer, w.agent, chat.TurnRequest{Conversation: "c1", Message: "Hello there."}, nil); !errors.Is(err,
		store.ErrForbidden) {
		t.Errorf("%v", err)
	}
	if len(w.model.asked()) > 0 || len(w.messages(grace, "c1")) > 0 {
		t.Error("something was asked or stored")
	}
}

// If the answer has no searchable text, the turn's token refers to the message, which is indexed.
func TestTurnsHaveATokenForSearches(t *testing.T) {
	w := open(t)
	w.model.will(say("It is 5432."))
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Which port does the database have?"})
	w.Model = nil
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "I moved to the house in Aurich."})
	for i, stored := range w.stored {
		if stored.Token == "" {
			t.Errorf("turn %d has no token", i+1)
		}
	}
	if len(w.stored) != 2 {
		t.Errorf("%d turns", len(w.stored))
	}
}

// The observer gets each turn's outcome, what answered it, and its usage.
func TestTurnsAreObserved(t *testing.T) {
	w := open(t)
	var taken []chat.Taken
	w.Observe = func(turn chat.Taken) {
		if turn.Took < 0 {
			t.Errorf("a turn took %s", turn.Took)
		}
		turn.Took = 0
		taken = append(taken, turn)
	}
	take := func(ctx context.Context, id, message string) {
		_, _ = w.Turn(ctx, as(grace), w.agent, chat.TurnRequest{Conversation: "c1", MessageID: id, Message: message}, nil)
	}
	gone, hangUp := context.WithCancel(t.Context())
	w.model.will(
		say("It faces south."),
		fail(llm.ContextTooLong, ""), say("Shorter."),
		fail(llm.Overloaded, "Well"),
		func(context.Context, llm.ChatRequest, func(string) error) (llm.ChatResponse, error) {
			hangUp()
			return llm.ChatResponse{}, context.Canceled
		},
	)
	take(t.Context(), "m1", "Which way does my balcony face?")
	take(t.Context(), "m1", "Which way does my balcony face?")
	take(t.Context(), "m2", "And what grows on it?")
	take(t.Context(), "m3", "And in winter, what grows there?")
	take(gone, "m4", "And in spring, what grows there?")
	take(t.Context(), "m5", "Remember that my boat is called Heron.")
	w.Model = nil
	take(t.Context(), "m6", "What is my boat called?")
	want := []chat.Taken{
		{Outcome: chat.TurnAnswered, By: "model", Usage: oneCall},
		{Outcome: chat.TurnReplayed},
		{Outcome: chat.TurnAnswered, By: "model", Overflows: 1, Usage: oneCall.Add(memory.Usage{Calls: 1})},
		{Outcome: chat.TurnFailed, Reason: "overloaded", Usage: memory.Usage{Calls: 1}},
		{Outcome: chat.TurnCancelled},
		{Outcome: chat.TurnAnswered, By: "remember"},
		{Outcome: chat.TurnAnswered, By: "recall"},
	}
	if diff := cmp.Diff(want, taken); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}
