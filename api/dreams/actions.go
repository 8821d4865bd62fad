package dreams

import (
	"context"

	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
)

// of names the owner of an action, which pages know already.
func of(owner memory.Owner) rest.PersonParams { return rest.PersonParams{Owner: string(owner)} }

func dreamInput(agent string, owner memory.Owner, dream uuid.UUID) DreamInput {
	return DreamInput{rest.AgentParam{Agent: agent}, ReportParam{dream.String()}, of(owner)}
}

// Dream dreams now, as the operation dream does, and returns the record of the dream, which may still be running.
func (s *Room) Dream(ctx context.Context, agent string, owner memory.Owner, request string) (uuid.UUID, error) {
	out, err := s.emergence(ctx, &emergenceInput{
		AgentParam: rest.AgentParam{Agent: agent}, PersonParams: of(owner), WaitParam: rest.WaitParam{Wait: rest.ActionWait}, Mode: memory.DreamNightly,
		RequestKeyParam: rest.RequestKeyParam{IdempotencyKey: request},
	})
	if err != nil {
		return uuid.Nil, err
	}
	return out.Body.Data.Dream, nil
}

// Undo reverts a dream, as the operation revert-dream does.
func (s *Room) Undo(ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID) error {
	_, err := s.revertDream(ctx, &revertInput{DreamInput: dreamInput(agent, owner, dream)})
	return err
}

// Again undoes a dream and dreams the same night again, as the operation dream-again does, and returns the record of the new dream.
func (s *Room) Again(ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID, request string) (uuid.UUID, error) {
	out, err := s.dreamAgain(ctx, &againInput{
		DreamInput: dreamInput(agent, owner, dream), WaitParam: rest.WaitParam{Wait: rest.ActionWait},
		RequestKeyParam: rest.RequestKeyParam{IdempotencyKey: request},
	})
	if err != nil {
		return uuid.Nil, err
	}
	return out.Body.Data.Dream, nil
}

// Decide accepts or refuses a statement that waits for a person, as the operations accept-held and refuse-held do.
func (s *Room) Decide(ctx context.Context, agent string, owner memory.Owner, entry markdown.EntryID, accept bool) error {
	what, decide := "refuse", s.Store.ForgetEntry
	if accept {
		what, decide = "accept", s.Store.ConfirmEntry
	}
	_, err := s.decideHeld(ctx, &heldInput{
		AgentParam: rest.AgentParam{Agent: agent}, PersonParams: of(owner), EntryParam: EntryParam{string(entry)},
	}, what, decide)
	return err
}
