package chat_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"reverie/chat"
	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/toolbox"
)

var protocols = []string{"openai", "anthropic"}

// connect gives the world a model behind a server that speaks the provider's protocol.
func (w *world) connect(provider string, o llmtest.Options) *llmtest.Server {
	w.t.Helper()
	server := llmtest.New(w.t, o)
	model, err := llm.Open(llm.Config{Provider: provider, Model: "test-model", APIKey: "key", BaseURL: server.URL, Timeout: 30 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Model = model
	return server
}

// A whole turn over the wire: the model searches, reads what it found, and answers in parts.
func TestTurnOverTheWire(t *testing.T) {
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			w := open(t)
			w.write(grace, "notes/flat.md", "The balcony faces south.\n")
			server := w.connect(provider, llmtest.Options{Respond: func(r llmtest.Request) llmtest.Turn {
				results := r.Results()
				if len(results) > 0 && strings.Contains(results[len(results)-1], "faces south") {
					return llmtest.Say("Your balcony faces south, as notes/flat.md:1 says.")
				}
				return llmtest.Use(llmtest.Call(toolbox.MemorySearch, map[string]any{"query": "balcony"}))
			}})
			turn, events := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Which way does my balcony face?"})
			if turn.Answer != "Your balcony faces south, as notes/flat.md:1 says." || textOf(events) != turn.Answer || turn.Rounds != 2 ||
				len(turn.Calls) != 1 || turn.Model != provider+"/test-model" || turn.Usage.Calls != 2 {
				t.Errorf("%+v", turn)
			}
			parts := 0
			for _, e := range events {
				if e.Text != "" {
					parts++
				}
			}
			if requests := server.Requests(); parts < 3 || len(requests) != 2 || !requests[1].Stream ||
				len(requests[1].Tools) != len(toolbox.Definitions()) {
				t.Errorf("%d parts, %d requests", parts, len(requests))
			}
			// The pair is in the next turn's history, which each protocol requires to be complete.
			w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Thank you very much for that."})
			var sent []string
			for _, m := range server.Requests()[2].Messages {
				sent = append(sent, m.Role)
			}
			if got := strings.Join(sent, " "); got != "system user assistant tool assistant user" {
				t.Errorf("sent %s", got)
			}
		})
	}
}

// What a server does not accept is left out within the turn.
func TestDeclinedPartsOverTheWire(t *testing.T) {
	for declines, provider := range map[string]string{"tools": "openai", "temperature": "openai", "stream_options": "openai", "cache_control": "anthropic"} {
		w := open(t)
		server := w.connect(provider, llmtest.Options{
			Declines: []string{declines}, Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("It faces south.") },
		})
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Which way does my balcony face?"})
		if turn.Answer != "It faces south." || len(server.Requests()) > 2 {
			t.Errorf("%s: %d requests, %+v", declines, len(server.Requests()), turn)
		}
	}
}

// A server with a smaller window than configured gets less.
func TestOverflowOverTheWire(t *testing.T) {
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			w := open(t)
			w.long(grace, "c1", 10)
			server := w.connect(provider, llmtest.Options{
				ContextWindow: 7000,
				Respond:       func(llmtest.Request) llmtest.Turn { return llmtest.Say("Go about.") },
			})
			turn, events := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "And what now, captain?"})
			if turn.Answer != "Go about." || textOf(events) != "Go about." || len(server.Requests()) != 2 || turn.Context.Ledger.Summary == 0 {
				t.Errorf("%+v after %d requests", turn, len(server.Requests()))
			}
		})
	}
}

// A stream that breaks off is not an answer.
func TestBrokenStreams(t *testing.T) {
	for _, provider := range protocols {
		for name, reply := range map[string]llmtest.Reply{
			"hangs up": llmtest.HangUpMidBody(), "ends": {Ends: true}, "is overloaded": llmtest.Status(529), "declines": llmtest.Refusal(),
		} {
			t.Run(provider+" "+name, func(t *testing.T) {
				w := open(t)
				w.connect(provider, llmtest.Options{
					Script: llmtest.Sequence(reply),
					Respond: func(llmtest.Request) llmtest.Turn {
						return llmtest.Say("The whole answer has some words more than one.")
					},
				})
				r := chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Which port does the database have?"}
				_, _, err := w.tryTurn(t.Context(), grace, r)
				if _, is := errors.AsType[*llm.Error](err); !is || len(w.messages(grace, "c1")) != 1 {
					t.Errorf("%v, stored %v", err, roles(w.messages(grace, "c1")))
				}
				if turn, events := w.turn(grace, r); turn.Answer != "The whole answer has some words more than one." || textOf(events) != turn.Answer {
					t.Errorf("%+v", turn)
				}
			})
		}
	}
}

// When a client disconnects in mid-stream, the message stays unanswered, and the request to the model is cancelled.
func TestCancellationOverTheWire(t *testing.T) {
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			w := open(t)
			w.connect(provider, llmtest.Options{
				Pace:    20 * time.Millisecond,
				Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say(strings.Repeat("one word more ", 200)) },
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			heard := ""
			_, err := w.Turn(ctx, as(grace), w.agent, chat.TurnRequest{Conversation: "c1", Message: "Tell me a long story, please."},
				func(e chat.Event) error {
					if heard += e.Text; len(heard) > 20 {
						cancel()
					}
					return nil
				})
			if !errors.Is(err, context.Canceled) || len(heard) > 1000 {
				t.Errorf("%v after %d bytes", err, len(heard))
			}
			if got := w.messages(grace, "c1"); len(got) != 1 || got[0].Role != memory.RoleOfUser || len(w.stored) > 0 {
				t.Errorf("stored %v", roles(got))
			}
		})
	}
}
