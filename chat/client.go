package chat

import (
	"context"
	"slices"
	"strings"

	"reverie/memory"
	"reverie/remember"
	"reverie/store/gate"
	"reverie/window"
)

// MemoryRequest asks for what memory adds to a conversation whose messages the client sends itself.
type MemoryRequest struct {
	// Messages are the conversation, oldest first, with instructions of the client. Memory is searched for the user's last message, and
	// nothing that they contain is recalled.
	Messages []memory.Message
	Model    string // whose tokenizer is used; empty: the configured model
}

// Memory holds the additions from memory to a conversation.
type Memory struct {
	// Instructions are the agent's documents, and how to read memory; text for a system message. Empty: there are none.
	Instructions string
	Documents    []memory.Document // in Instructions
	// Block is the recalled passages as one labelled text: data, not for a system message. Empty: nothing is recalled.
	Block    string
	Recalled []Recalled // in Block
	Skipped  string     // why nothing was recalled, as in Context
	Tokens   int        // of Instructions and Block
}

// Memory returns what memory adds to a conversation that the client sends itself. Only the settings of recall bound it: the window is the
// client's. It costs the round trips of a search and, concurrently, one or two for the documents.
func (s *Service) Memory(ctx context.Context, id memory.Identity, agent gate.Agent, r MemoryRequest) (Memory, error) {
	current := memory.Message{Role: memory.RoleOfUser}
	at := -1
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == memory.RoleOfUser {
			at, current = i, m
			break
		}
	}
	a, err := s.newAssembly(id, agent, ContextRequest{Message: current.Content, Model: r.Model}, current)
	if err != nil {
		return Memory{}, err
	}
	a.client = true
	for i, m := range r.Messages {
		if i != at {
			m.Seq = int64(i + 1)
			a.sent = append(a.sent, m)
		}
	}
	// What follows a message of the user, such as the results of tools, asks for the same memory again.
	a.recorded = at != len(r.Messages)-1
	return a.memory(ctx)
}

// memory builds what memory adds to the messages of a client.
func (a *assembly) memory(ctx context.Context) (Memory, error) {
	if err := a.read(ctx); err != nil {
		return Memory{}, err
	}
	system, err := a.system()
	if err != nil {
		return Memory{}, err
	}
	var m Memory
	a.offered, a.reasons = a.eligible(0)
	m.Block, a.result.Recalled, a.result.Omitted = window.Recall(
		a.candidates(a.offered), a.now, window.Budget{Own: a.settings.AutoInjectMaxTokens, Provided: a.settings.ProviderMaxTokens},
		a.settings.InjectShares, a.counter.Count,
	)
	a.shown, a.result.Ledger.Recall = pick(a.offered, a.result.Recalled), a.counter.Count(m.Block)
	a.record(ctx)
	a.log(ctx)
	m.Recalled, m.Skipped = a.recalled(), a.skipped()
	for _, d := range a.load.Documents {
		if memory.SystemPrompt([]memory.Document{d}) != "" {
			m.Documents = append(m.Documents, d)
		}
	}
	if len(m.Documents) > 0 || m.Block != "" {
		m.Instructions = strings.TrimSpace(system)
	}
	m.Tokens = a.counter.Count(m.Instructions) + a.counter.Count(m.Block)
	return m, nil
}

// Answer answers a stored message without a model, as a turn does, and stores nothing of the conversation. A message that asks to remember
// something is saved, once for each MessageID.
func (s *Service) Answer(ctx context.Context, id memory.Identity, agent gate.Agent, r TurnRequest) (Turn, error) {
	t, err := s.storedTurning(ctx, id, agent, r)
	if err != nil {
		return Turn{}, err
	}
	err = t.answer(ctx)
	return t.turn, err
}

// AsksMemory reports whether a message asks to remember or to forget something.
func AsksMemory(message string) bool {
	_, remembers := remember.Parse(message)
	_, forgets := remember.ParseForget(message)
	return remembers || forgets
}

// Obey does what a stored message asks memory to remember or to forget, as a turn does, and answers with the receipt. It returns false for
// any other message, and for one that the model can ask about.
func (s *Service) Obey(ctx context.Context, id memory.Identity, agent gate.Agent, r TurnRequest) (_ Turn, answered bool, err error) {
	t, err := s.storedTurning(ctx, id, agent, r)
	if err != nil {
		return Turn{}, false, err
	}
	answered, err = t.obey(ctx)
	return t.turn, answered, err
}

// storedTurning returns the turn of a message that is stored already.
func (s *Service) storedTurning(ctx context.Context, id memory.Identity, agent gate.Agent, r TurnRequest) (*turning, error) {
	t, err := s.newTurning(id, agent, r, nil)
	if err != nil {
		return nil, err
	}
	known, err := s.Store.MessagesByID(ctx, id, r.Conversation, []string{r.MessageID})
	if err != nil {
		return nil, err
	}
	for _, m := range known {
		t.user, t.current = m, m
	}
	return t, nil
}
