package proxy

import (
	"context"
	"fmt"
	"net/http"

	"reverie/api/proxy/completion"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
)

// answerFromMemory answers without a model, and says how to configure one.
func (t *turn) answerFromMemory(ctx context.Context) error {
	if err := t.kept(); err != nil {
		return err
	}
	asked := t.request.LastOfUser()
	said := memory.Message{Content: notAsked, Name: memory.BuiltinPrefix + "recall", FinishReason: "stop"}
	if asked >= 0 && t.request.Messages[asked].Content != "" {
		message := t.request.Messages[asked]
		made, err := t.turns.Answer(ctx, t.id, t.agent, chat.TurnRequest{
			Conversation: t.conversation, MessageID: t.idOf(asked), Message: message.Content, Name: message.Name,
		})
		if err != nil {
			return err
		}
		said.Content, said.Name = made.Answer, made.Model
		t.added.Recalled = made.Quoted
	}
	extract := t.ended(ctx, said, "", memory.Usage{})
	answer := completion.Answer{ID: "chatcmpl-" + rest.RequestID(ctx), Model: said.Name, Text: said.Content, At: t.Now()}
	w, _ := rest.StreamWriter(t.hc)
	t.describe(w.Header())
	if t.include {
		answer.Added = t.view()
	}
	kind, body := "application/json", answer.Whole()
	if t.request.Stream {
		kind, body = rest.EventStream, answer.Stream(t.request.Usage)
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusOK)
	if _, err := w.Write(body); err != nil {
		return fmt.Errorf("%w: %w", errBegun, err)
	}
	extract()
	return nil
}

// notAsked is the answer to a request without a message of the user.
const notAsked = "Send a message of the user. No language model is configured: set REVERIE_LLM_PROVIDER and REVERIE_LLM_MODEL."

// idOf returns the id of a message of the request.
func (t *turn) idOf(message int) string {
	at := 0
	for _, m := range t.request.Messages[:message] {
		if m.Role != memory.RoleOfSystem {
			at++
		}
	}
	return t.thread.Messages[at].ID
}
