package dreams

import (
	"context"
	"net/http"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store/dreams"
)

func (s *Handlers) dreamAgainRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "dream-again", Method: http.MethodPost, Act: rest.Changes, Path: dreamPath + "/again", Original: originalReport + "/again", Tag: "dreams",
		Need:    memory.RoleMember,
		Summary: "Undo a dream and dream the same night again",
		Timeout: rest.MaxWait + rest.RequestTimeout, Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict},
		Doc: "Reverts the dream and dreams again with the same mode, topic and end of the window, the current settings, and notes and messages as " +
			"they are now. The new report names the old one (againOf). If lines of the old dream have been changed since, nothing is reverted or " +
			"dreamed, and the answer is 409 revert_conflict. A dream is repeated once: to repeat it once more, name the new one.",
	}, s.dreamAgain)
}

type againInput struct {
	DreamInput
	rest.WaitParam
	rest.RequestKeyParam
}

func (s *Handlers) dreamAgain(ctx context.Context, in *againInput) (*rest.Reply[dreamRunView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	id := found.owner()
	if reason := s.Dreams.With(found.agent.Settings).Unwanted(id.Owner); reason != "" {
		name, known := map[memory.ReasonCode]fault.Name{memory.GateMemoryOff: fault.MemoryOff, memory.GateTeamMember: fault.TeamMember}[reason]
		if !known {
			name = fault.Conflict
		}
		return nil, fault.New(name, "this owner does not dream (%s): nothing was undone", reason)
	}
	if err := s.Workflows.Reach(ctx); err != nil {
		return nil, rest.WorkflowsAway("nothing was undone or dreamed, try again later")
	}
	record, err := s.queueAgain(ctx, id, found, in.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	if record, err = s.runDream(ctx, id, record, wait); err != nil {
		return nil, err
	}
	return s.dreamRun(ctx, foundDream{record: record, id: id, agent: found.agent, full: found.full})
}

// queueAgain undoes a dream and makes the record of the one that repeats it, or finds that of the same request.
func (s *Handlers) queueAgain(ctx context.Context, id memory.Identity, found foundDream, key string) (dreams.Dream, error) {
	request := rest.RequestLedgerKey(ctx, key, "again", found.record.ID.String())
	if known, found, err := s.requested(ctx, id, request); found || err != nil {
		return known, err
	}
	if err := s.refuseConcurrentDream(ctx, id); err != nil {
		return dreams.Dream{}, err
	}
	again, err := s.Store.DreamAgain(ctx, id, found.record.ID, dreams.Again{Trigger: memory.DreamByRequest, Request: request})
	if err != nil {
		return dreams.Dream{}, err
	}
	if len(again.Conflicts) > 0 {
		return dreams.Dream{}, s.cannotRevert(again.Conflicts, found.full)
	}
	s.written(found, again.Receipt)
	return again.Dream, nil
}
