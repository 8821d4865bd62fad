package dreams

import (
	"context"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream/compose"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/indexes"
)

// of names the owner of an action, which pages know already.
func of(owner memory.Owner) rest.PersonParams { return rest.PersonParams{Owner: string(owner)} }

func dreamInput(agent string, owner memory.Owner, dream uuid.UUID) DreamInput {
	return DreamInput{rest.AgentParam{Agent: agent}, ReportParam{dream.String()}, of(owner)}
}

// Dream dreams now, as the operation dream does, and returns the record of the dream, which may still be running.
func (s *Handlers) Dream(ctx context.Context, agent string, owner memory.Owner, request string) (uuid.UUID, error) {
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
func (s *Handlers) Undo(ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID) error {
	_, err := s.revertDream(ctx, &revertInput{DreamInput: dreamInput(agent, owner, dream)})
	return err
}

// Again undoes a dream and dreams the same night again, as the operation dream-again does, and returns the record of the new dream.
func (s *Handlers) Again(ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID, request string) (uuid.UUID, error) {
	out, err := s.dreamAgain(ctx, &againInput{
		DreamInput: dreamInput(agent, owner, dream), WaitParam: rest.WaitParam{Wait: rest.ActionWait},
		RequestKeyParam: rest.RequestKeyParam{IdempotencyKey: request},
	})
	if err != nil {
		return uuid.Nil, err
	}
	return out.Body.Data.Dream, nil
}

// Replay dreams again with other settings and without writing, as the operation replay-dream does, and returns the record of the replay,
// which may still be running.
func (s *Handlers) Replay(
	ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID, settings setting.DreamSettings,
) (uuid.UUID, error) {
	in := dreamInput(agent, owner, dream)
	found, err := s.dream(ctx, &in)
	if err != nil {
		return uuid.Nil, err
	}
	wait, err := rest.WaitParam{Wait: rest.ActionWait}.Duration()
	if err != nil {
		return uuid.Nil, err
	}
	record, err := s.replay(ctx, found, settings, "", wait)
	return record.ID, err
}

// Difference compares a replay with its original, as the operation compare-dreams does.
func (s *Handlers) Difference(ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID) (compose.Difference, error) {
	out, err := s.compareDreams(ctx, &compareInput{DreamInput: dreamInput(agent, owner, dream)})
	if err != nil {
		return compose.Difference{}, err
	}
	return out.Body.Data.Difference, nil
}

// Schedule returns when an agent dreams next.
func (s *Handlers) Schedule(ctx context.Context, id memory.Identity, agent gate.Agent) DreamScheduleView {
	return s.dreamSchedule(ctx, indexes.AgentRef{Workspace: id.Workspace, Agent: agent.ID}, agent, s.DreamSchedule.With(agent.Settings))
}

// Decide accepts or refuses a statement that waits for a person, as the operations accept-held and refuse-held do.
func (s *Handlers) Decide(ctx context.Context, agent string, owner memory.Owner, entry markdown.EntryID, accept bool) error {
	what, decide := "refuse", s.Store.ForgetEntry
	if accept {
		what, decide = "accept", s.Store.ConfirmEntry
	}
	_, err := s.decideHeld(ctx, &heldInput{
		AgentParam: rest.AgentParam{Agent: agent}, PersonParams: of(owner), EntryParam: EntryParam{string(entry)},
	}, what, decide)
	return err
}

// Change confirms, edits or forgets a candidate of a dream, as the operations confirm-entry, edit-entry and forget-entry do. Only edit
// takes a text.
func (s *Handlers) Change(
	ctx context.Context, agent string, owner memory.Owner, dream uuid.UUID, entry markdown.EntryID, what, text string,
) error {
	change := s.Store.ConfirmEntry
	switch what {
	case "confirm":
	case "edit":
		change = s.Store.EditEntry
	case "forget":
		change = s.Store.ForgetEntry
	default:
		return fault.New(fault.InvalidRequest, "Confirm the statement, edit it or forget it")
	}
	_, err := s.changeEntry(ctx, &EntryInput{
		DreamInput: dreamInput(agent, owner, dream), EntryParam: EntryParam{string(entry)},
	}, what, text, change)
	return err
}
