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
	said := memory.Message{Content: notAsked, Name: memory.BuiltinPrefix + "recall", FinishReason: "stop"}
	if asked, is := t.asked(); is {
		made, err := t.turns.Answer(ctx, t.id, t.agent, asked)
		if err != nil {
			return err
		}
		said.Content, said.Name = made.Answer, made.Model
		t.added.Recalled = made.Quoted
	}
	return t.deliver(ctx, said)
}

// obey does what the last message asks memory to remember or to forget, and answers with the receipt instead of the model. It returns false
// for any other message, and where the client wants an answer of a certain form.
func (t *turn) obey(ctx context.Context) (answered bool, err error) {
	messages := t.request.Messages
	if len(messages) == 0 || t.request.LastOfUser() != len(messages)-1 || !chat.AsksMemory(messages[len(messages)-1].Content) || t.request.IsFormed() {
		return false, nil
	}
	if err := t.kept(); err != nil {
		return false, err
	}
	asked, is := t.asked()
	if !is {
		return false, nil
	}
	made, answered, err := t.turns.Obey(ctx, t.id, t.agent, asked)
	if err != nil || !answered {
		return false, err
	}
	return true, t.deliver(ctx, memory.Message{Content: made.Answer, Name: made.Model, FinishReason: "stop"})
}

// asked returns the turn of the user's last message; false: there is none. The conversation must be kept.
func (t *turn) asked() (chat.TurnRequest, bool) {
	at := t.request.LastOfUser()
	if at < 0 || t.request.Messages[at].Content == "" {
		return chat.TurnRequest{}, false
	}
	message := t.request.Messages[at]
	return chat.TurnRequest{Conversation: t.conversation, MessageID: t.idOf(at), Message: message.Content, Name: message.Name}, true
}

// deliver stores an answer that no model made, and writes it.
func (t *turn) deliver(ctx context.Context, said memory.Message) error {
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
