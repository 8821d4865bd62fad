package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/remember"
	"reverie/store"
	"reverie/toolbox"
	"reverie/window"
)

// How a turn ends.
const (
	finishStop      = "stop"
	finishLength    = "length"     // the token limit cut the answer
	finishToolLimit = "tool_limit" // the model wanted to call more tools than a turn may
)

// Who answers without a model.
const (
	builtinRecall   = memory.BuiltinPrefix + "recall"
	builtinRemember = memory.BuiltinPrefix + "remember"
)

// storePatience bounds storing an answer that is there already, whoever has hung up meanwhile.
const storePatience = 10 * time.Second

// Turn takes a message, answers it and stores both. The user's message is stored before anything else, the rest at the end, all
// or nothing; when ctx ends before, the message stays without an answer. tell may be nil; its error ends the turn.
//
// A message that asks to remember something is saved and answered without any model. A model that fails ends the turn with an
// *llm.Error; the same message may be sent again.
func (s *Service) Turn(ctx context.Context, id memory.Identity, agent store.Agent, r TurnRequest, tell func(Event) error) (Turn, error) {
	t, err := s.newTurning(id, agent, r, tell)
	if err != nil {
		return Turn{}, err
	}
	began := s.now()
	err = t.run(ctx)
	t.observe(ctx, began, err)
	return t.turn, err
}

// run takes the message, answers it and stores the answer.
func (t *turning) run(ctx context.Context) error {
	if answered, err := t.take(ctx); err != nil || answered {
		return err
	}
	if err := t.answer(ctx); err != nil {
		return err
	}
	return t.store(ctx)
}

// turning is a turn while it is taken.
type turning struct {
	*assembly

	request   TurnRequest
	tell      func(Event) error
	user      memory.Message
	said      []saying // by the assistant and its tools, in order
	emergency int
	turn      Turn
}

// saying is a message of the assistant or of a tool.
type saying struct {
	memory.Message

	shown string // what the model is sent of it, where that is less than its content
}

func (s *Service) newTurning(id memory.Identity, agent store.Agent, r TurnRequest, tell func(Event) error) (*turning, error) {
	if strings.TrimSpace(r.Message) == "" {
		return nil, &store.InvalidError{Field: "message", Problem: "say something"}
	}
	r.Conversation = cmp.Or(r.Conversation, newID())
	r.MessageID = cmp.Or(r.MessageID, newID())
	r.Trigger = cmp.Or(r.Trigger, memory.TriggerAPI)
	if tell == nil {
		tell = func(Event) error { return nil }
	}
	user := memory.Message{ID: r.MessageID, Role: memory.RoleOfUser, Name: memory.SpeakerName(r.Name, r.Speaker), Content: r.Message, CreatedAt: s.now()}
	a, err := s.newAssembly(id, agent, ContextRequest{
		Conversation: r.Conversation, Message: r.Message, Model: r.Model, MaxTokens: r.MaxTokens, Speaker: r.Speaker,
	}, user)
	if err != nil {
		return nil, err
	}
	a.synthetic = r.Trigger == memory.TriggerCron || r.Trigger == memory.TriggerDream
	return &turning{
		assembly: a, request: r, tell: tell, user: user,
		turn: Turn{Conversation: r.Conversation, MessageID: r.MessageID},
	}, nil
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// take stores the user's message. It reports true when the turn has an answer already, which is then the turn's.
func (t *turning) take(ctx context.Context) (answered bool, err error) {
	t.turn.Stored, err = t.Store.AppendMessages(ctx, t.id, store.Batch{
		Conversation: t.request.Conversation, Trigger: t.request.Trigger, Messages: []memory.Message{t.user},
	})
	if err != nil {
		return false, err
	}
	if t.turn.Stored.Stored > 0 {
		t.user.Seq = t.turn.Stored.LastSeq
	} else if answered, err = t.replay(ctx); err != nil || answered {
		return answered, err
	}
	t.current = t.user
	return false, nil
}

// answer finds one: what the message asks to remember is saved, everything else is for the model, or for memory alone.
func (t *turning) answer(ctx context.Context) error {
	if asked, is := remember.Parse(t.request.Message); is {
		if answered, err := t.remember(ctx, asked); err != nil || answered {
			return err
		}
	}
	if t.Model == nil {
		return t.answerFromMemory(ctx)
	}
	return t.converse(ctx)
}

// say makes a text the answer that nobody but this program gives.
func (t *turning) say(text, who string) error {
	t.turn.Answer, t.turn.Model, t.turn.Finish = text, who, finishStop
	t.said = append(t.said, saying{Message: memory.Message{
		Role: memory.RoleOfAssistant, Name: who, Content: text, FinishReason: finishStop,
	}})
	return t.tell(Event{Text: text})
}

// store keeps what was answered, with what the tools said, in one piece. An answer that is there already, since the same message
// was taken twice at the same time, is the turn's.
func (t *turning) store(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("turn: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	messages := make([]memory.Message, len(t.said))
	for i, s := range t.said {
		messages[i] = s.Message
		messages[i].ID, messages[i].CreatedAt = t.answerID(i), t.Service.now()
	}
	stored, err := t.Store.AppendMessages(ctx, t.id, store.Batch{
		Conversation: t.request.Conversation, Trigger: t.request.Trigger, TurnComplete: true, Messages: messages,
	})
	if conflict, is := errors.AsType[*store.ConflictError](err); is && conflict.Code == store.CodeMessageIDReused {
		answered, err := t.replay(ctx)
		if err != nil || !answered {
			return errors.Join(conflict, err)
		}
		if err := t.tell(Event{Reset: true}); err != nil {
			return err
		}
		return t.tell(Event{Text: t.turn.Answer})
	}
	if err != nil {
		return err
	}
	stored.Token = cmp.Or(stored.Token, t.turn.Stored.Token) // where the answer is nothing to find, the message is
	t.turn.Stored, t.turn.AnswerID = stored, t.answerID(len(messages)-1)
	if t.Service.Stored != nil {
		t.Service.Stored(ctx, t.id, t.agent, t.request.Conversation, stored)
	}
	return nil
}

// answerID is the id of a message of the assistant or of a tool, from 0. It derives from the id of the user's message, so that the
// same turn is never stored twice: a second answer has the id of the first one, and other words.
func (t *turning) answerID(i int) string { return answerID(t.request.MessageID, i) }

// answerID is the id of the i-th message that answers the one with a given id.
func answerID(messageID string, i int) string { return fmt.Sprintf("%s%d", answerPrefix(messageID), i) }

// answerPrefix is how the ids of the messages that answer one begin.
func answerPrefix(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return "answer-" + hex.EncodeToString(sum[:16]) + "-"
}

// replay looks for the stored answer of a message that is stored already, and makes it the turn's. It reports false when the turn
// broke off before: then the answer is still to be found.
func (t *turning) replay(ctx context.Context) (bool, error) {
	known, err := t.Store.MessagesByID(ctx, t.id, t.request.Conversation, []string{t.request.MessageID, t.answerID(0)})
	if err != nil {
		return false, err
	}
	var first int64
	for _, m := range known {
		if m.ID == t.request.MessageID {
			t.user = m
		} else {
			first = m.Seq
		}
	}
	if first == 0 {
		return false, nil
	}
	messages, err := t.Store.Messages(ctx, t.id, t.request.Conversation, first-1, memory.MaxBatchMessages)
	if err != nil {
		return false, err
	}
	turn := Turn{
		Conversation: t.turn.Conversation, MessageID: t.turn.MessageID, Context: t.turn.Context, Stored: t.turn.Stored, Replayed: true,
	}
	calls := map[string]memory.ToolCall{}
	for _, m := range messages { // a turn is stored in one piece: the messages of others stand before it or behind it
		if !strings.HasPrefix(m.ID, answerPrefix(t.request.MessageID)) {
			break
		}
		switch m.Role {
		case memory.RoleOfTool:
			turn.Calls = append(turn.Calls, ToolUse{Call: calls[m.ToolCallID], Result: toolbox.Result{Content: m.Content}})
		case memory.RoleOfAssistant:
			for _, call := range m.ToolCalls {
				calls[call.ID] = call
			}
			turn.Answer, turn.AnswerID, turn.Model, turn.Finish = m.Content, m.ID, m.Name, cmp.Or(m.FinishReason, finishStop)
		}
	}
	t.turn = turn
	return true, nil
}

// TurnOutcome is how a turn ended.
type TurnOutcome string

// Outcomes of turns.
const (
	TurnAnswered  TurnOutcome = "answered"
	TurnReplayed  TurnOutcome = "replayed"  // the answer was stored already
	TurnCancelled TurnOutcome = "cancelled" // the client hung up, or its time was over
	TurnFailed    TurnOutcome = "failed"    // the message stays without an answer
)

// Who answered a turn.
const (
	byModel    = "model"
	byRecall   = "recall"
	byRemember = "remember"
)

// Taken is a turn that ended, for metrics.
type Taken struct {
	Outcome   TurnOutcome
	By        string // of an answered one: model, recall or remember
	Reason    string // of a failed one: the class of the model's error, budget, too_large, flushing or other
	Overflows int    // how often the model said that the context is too long
	Usage     memory.Usage
	Took      time.Duration
}

// observe tells of a turn that began at a time and ended with an error, or without.
func (t *turning) observe(ctx context.Context, began time.Time, failed error) {
	if t.Observe == nil {
		return
	}
	taken := Taken{Outcome: TurnAnswered, By: byModel, Overflows: t.emergency, Usage: t.turn.Usage, Took: t.Service.now().Sub(began)}
	switch {
	case failed != nil && ctx.Err() != nil:
		taken.Outcome, taken.By = TurnCancelled, ""
	case failed != nil:
		taken.Outcome, taken.By, taken.Reason = TurnFailed, "", reasonOf(failed)
	case t.turn.Replayed:
		taken.Outcome, taken.By = TurnReplayed, ""
	case t.turn.Model == builtinRecall:
		taken.By = byRecall
	case t.turn.Model == builtinRemember:
		taken.By = byRemember
	}
	t.Observe(taken)
}

// reasonOf is the class of an error that ended a turn.
func reasonOf(err error) string {
	if failed, is := errors.AsType[*llm.Error](err); is {
		return string(failed.Kind)
	}
	if _, is := errors.AsType[*BudgetError](err); is {
		return "budget"
	}
	if _, is := errors.AsType[*window.TooLargeError](err); is {
		return "too_large"
	}
	if errors.Is(err, ErrUnreachable) || errors.Is(err, ErrStillRunning) {
		return "flushing"
	}
	return "other"
}
