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
	"reverie/store/gate"
	"reverie/store/talk"
	"reverie/toolbox"
	"reverie/window"
)

// How a turn ends.
const (
	finishStop      = "stop"
	finishLength    = "length"     // the token limit cut the answer
	finishToolLimit = "tool_limit" // the model wanted more tool calls than a turn may make
)

// Names of what answers without a model.
const (
	builtinRecall   = memory.BuiltinPrefix + "recall"
	builtinRemember = memory.BuiltinPrefix + "remember"
	builtinForget   = memory.BuiltinPrefix + "forget"
)

// storePatience bounds storing a finished answer, even if the client has disconnected.
const storePatience = 10 * time.Second

// Turn processes a message, answers it and stores both. The user's message is stored first, the rest at the end, all
// or nothing; if ctx ends in between, the message stays unanswered. emit receives its events and may be nil; its error ends the turn.
//
// A message that asks to remember or to forget something is executed and answered without a model. A model failure ends the turn with
// an *llm.Error; the same message may be sent again.
func (s *Service) Turn(ctx context.Context, id memory.Identity, agent gate.Agent, r TurnRequest, emit func(Event) error) (Turn, error) {
	t, err := s.newTurning(id, agent, r, emit)
	if err != nil {
		return Turn{}, err
	}
	began := s.now()
	err = t.run(ctx)
	t.observe(ctx, began, err)
	return t.turn, err
}

// run processes the message, answers it and stores the answer.
func (t *turning) run(ctx context.Context) error {
	if answered, err := t.take(ctx); err != nil || answered {
		return err
	}
	if err := t.answer(ctx); err != nil {
		return err
	}
	return t.store(ctx)
}

// turning is a turn in progress.
type turning struct {
	*assembly

	request   TurnRequest
	emit      func(Event) error
	user      memory.Message
	said      []saying             // by the assistant and its tools, in order
	tools     []toolbox.Definition // that the model has in this turn
	emergency int
	turn      Turn
}

// saying is a message of the assistant or of a tool.
type saying struct {
	memory.Message

	shown string // what the model is sent, if shorter than the content
}

func (s *Service) newTurning(id memory.Identity, agent gate.Agent, r TurnRequest, emit func(Event) error) (*turning, error) {
	if strings.TrimSpace(r.Message) == "" {
		return nil, &store.InvalidError{Field: "message", Problem: "must not be empty"}
	}
	r.Conversation = cmp.Or(r.Conversation, newID())
	r.MessageID = cmp.Or(r.MessageID, newID())
	r.Trigger = cmp.Or(r.Trigger, memory.TriggerAPI)
	if emit == nil {
		emit = func(Event) error { return nil }
	}
	user := memory.Message{
		ID: r.MessageID, Role: memory.RoleOfUser, Name: memory.SpeakerName(r.Name, r.Speaker), Content: r.Message,
		CreatedAt: s.now(),
	}
	a, err := s.newAssembly(id, agent, ContextRequest{
		Conversation: r.Conversation, Message: r.Message, Model: r.Model, MaxTokens: r.MaxTokens, Speaker: r.Speaker,
	}, user)
	if err != nil {
		return nil, err
	}
	a.synthetic = r.Trigger == memory.TriggerCron || r.Trigger == memory.TriggerDream
	return &turning{
		assembly: a, request: r, emit: emit, user: user,
		turn: Turn{Conversation: r.Conversation, MessageID: r.MessageID},
	}, nil
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// take stores the user's message. It returns true if the turn was answered before, and then has that answer.
func (t *turning) take(ctx context.Context) (answered bool, err error) {
	t.turn.Stored, err = t.Store.AppendMessages(ctx, t.id, talk.Batch{
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

// answer produces the answer: it obeys a request to remember or to forget. Anything else goes to the model, or to memory alone.
func (t *turning) answer(ctx context.Context) error {
	if answered, err := t.obey(ctx); err != nil || answered {
		return err
	}
	if t.Model == nil {
		return t.answerFromMemory(ctx)
	}
	return t.converse(ctx)
}

// obey saves what the message asks to remember, or forgets what it asks to forget, and answers with the receipt. It returns false for any
// other message, and for one that a model can ask about.
func (t *turning) obey(ctx context.Context) (answered bool, err error) {
	if asked, is := remember.Parse(t.request.Message); is {
		if answered, err := t.remember(ctx, asked); err != nil || answered {
			return answered, err
		}
	}
	if asked, is := remember.ParseForget(t.request.Message); is {
		return t.forget(ctx, asked)
	}
	return false, nil
}

// say sets an answer that comes from this program, not from a model.
func (t *turning) say(text, who string) error {
	t.turn.Answer, t.turn.Model, t.turn.Finish = text, who, finishStop
	t.said = append(t.said, saying{Message: memory.Message{
		Role: memory.RoleOfAssistant, Name: who, Content: text, FinishReason: finishStop,
	}})
	return t.emit(Event{Text: text})
}

// store stores the answer and the tool messages atomically. If another run of the same message has stored its answer
// first, the turn takes that one.
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
	stored, err := t.Store.AppendMessages(ctx, t.id, talk.Batch{
		Conversation: t.request.Conversation, Trigger: t.request.Trigger, TurnComplete: true, Messages: messages,
	})
	if conflict, is := errors.AsType[*store.ConflictError](err); is && conflict.Code == store.CodeMessageIDReused {
		answered, err := t.replay(ctx)
		if err != nil || !answered {
			return errors.Join(conflict, err)
		}
		if err := t.emit(Event{Reset: true}); err != nil {
			return err
		}
		return t.emit(Event{Text: t.turn.Answer})
	}
	if err != nil {
		return err
	}
	stored.Token = cmp.Or(stored.Token, t.turn.Stored.Token) // if the answer has no searchable text, the message has
	t.turn.Stored, t.turn.AnswerID = stored, t.answerID(len(messages)-1)
	if t.Service.Stored != nil {
		t.Service.Stored(ctx, t.id, t.agent, t.request.Conversation, stored)
	}
	return nil
}

// answerID returns the id of the turn's i-th message of the assistant or of a tool, from 0. It derives from the
// user's message id, so that a turn is stored once: a second answer would have the same id with other text.
func (t *turning) answerID(i int) string { return answerID(t.request.MessageID, i) }

// answerID returns the id of the i-th message that answers messageID.
func answerID(messageID string, i int) string { return fmt.Sprintf("%s%d", answerPrefix(messageID), i) }

// answerPrefix returns the common prefix of the ids of the answers to a message.
func answerPrefix(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return "answer-" + hex.EncodeToString(sum[:16]) + "-"
}

// replay looks for the stored answer of a stored message and takes it. It returns false if the turn was interrupted
// before: then it must be answered.
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
	for _, m := range messages { // a turn is stored atomically: other messages come before or after it
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

// TurnOutcome is the outcome of a turn.
type TurnOutcome string

// Outcomes of turns.
const (
	TurnAnswered  TurnOutcome = "answered"
	TurnReplayed  TurnOutcome = "replayed"  // the answer was already stored
	TurnCancelled TurnOutcome = "cancelled" // the client disconnected, or the time limit passed
	TurnFailed    TurnOutcome = "failed"    // the message stays unanswered
)

// What answered a turn.
const (
	ByModel    = "model"
	ByRecall   = "recall"
	ByRemember = "remember"
	ByForget   = "forget"
)

// Taken is a turn that ended, for metrics.
type Taken struct {
	Outcome   TurnOutcome
	By        string // of an answered turn: model, recall, remember or forget
	Reason    string // of a failed turn: the class of the model's error, budget, too_large, flushing or other
	Overflows int    // how often the model refused the context as too long
	Usage     memory.Usage
	Took      time.Duration
}

// observe reports a turn that began at a time and ended with failed or without an error.
func (t *turning) observe(ctx context.Context, began time.Time, failed error) {
	if t.Observe == nil {
		return
	}
	taken := Taken{Outcome: TurnAnswered, By: ByModel, Overflows: t.emergency, Usage: t.turn.Usage, Took: t.Service.now().Sub(began)}
	switch {
	case failed != nil && ctx.Err() != nil:
		taken.Outcome, taken.By = TurnCancelled, ""
	case failed != nil:
		taken.Outcome, taken.By, taken.Reason = TurnFailed, "", ReasonOf(failed)
	case t.turn.Replayed:
		taken.Outcome, taken.By = TurnReplayed, ""
	case t.turn.Model == builtinRecall:
		taken.By = ByRecall
	case t.turn.Model == builtinRemember:
		taken.By = ByRemember
	case t.turn.Model == builtinForget:
		taken.By = ByForget
	}
	t.Observe(taken)
}

// ReasonOf returns the class of an error that ended a turn.
func ReasonOf(err error) string {
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
