package chat_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
)

// Metrics are told how each turn ended, who answered it, and what it cost.
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
