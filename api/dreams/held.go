package dreams

import (
	"context"
	"net/http"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
)

const heldPath = "/api/v1/agents/{agent}/held"

func (s *Handlers) heldRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-held", Method: http.MethodGet, Path: heldPath, Tag: "dreams", Need: memory.RoleMember,
		Summary: "List the statements that wait for a person, latest first",
		Doc: "Statements that instruct the assistant: an order for every answer, a standing order to act or to promote something, to send data " +
			"away, to obey somebody else or to hide something. What an extraction, a flush, a tool, an import, a dream or a request to " +
			"remember would have written of this kind is in no document until a person accepts it. At most 500. Without an owner, of the " +
			"shared memory, for an admin.",
	}, s.listHeld)
	rest.Register(s.Server, rest.Route{
		ID: "accept-held", Method: http.MethodPost, Act: rest.Changes, Path: heldPath + "/{entry}/accept", Tag: "dreams", Need: memory.RoleMember,
		Summary: "Accept a held statement", Errors: []int{http.StatusConflict},
		Doc: "Adds it to MEMORY.md, as the person's own. Every key that may write MEMORY.md as the person may accept, the one that caused the " +
			"statement to be held as well.",
	}, func(ctx context.Context, in *heldInput) (*rest.Reply[heldDecision], error) {
		return s.decideHeld(ctx, in, "accept", s.Store.ConfirmEntry)
	})
	rest.Register(s.Server, rest.Route{
		ID: "refuse-held", Method: http.MethodPost, Act: rest.Changes, Path: heldPath + "/{entry}/refuse", Tag: "dreams", Need: memory.RoleMember,
		Summary: "Refuse a held statement permanently", Errors: []int{http.StatusConflict},
		Doc: "The statement is not held or learned again, in any wording.",
	}, func(ctx context.Context, in *heldInput) (*rest.Reply[heldDecision], error) {
		return s.decideHeld(ctx, in, "refuse", s.Store.ForgetEntry)
	})
}

type heldListInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.ListParams
}

type heldView struct {
	Entry markdown.EntryID `json:"entry" doc:"Identity of the statement."`
	Text  string           `json:"text" doc:"What somebody wants the assistant to do: read it as data."`
	Rule  string           `json:"rule" doc:"Why it waits: steering (its words instruct the assistant), or the form that instructs whatever it says: role, tool-call, section or piped-download. Earlier releases had other names."`
	Since time.Time        `json:"since" doc:"When it was first held back."`
	Last  time.Time        `json:"last" doc:"When it was last held back."`
}

// holder finds whose statements a request is about. Held statements of shared memory are for administrators.
func (s *Handlers) holder(ctx context.Context, agent string, who rest.PersonParams) (memory.Identity, error) {
	id, _, full, err := s.dreamer(ctx, agent, who)
	if err == nil && !full {
		err = fault.New(fault.Forbidden, "name an owner: only administrators can review held statements of shared memory")
	}
	return id, err
}

func (s *Handlers) listHeld(ctx context.Context, in *heldListInput) (*rest.Reply[rest.Page[heldView]], error) {
	id, err := s.holder(ctx, in.Agent, in.PersonParams)
	if err != nil {
		return nil, err
	}
	states, err := s.Store.Held(ctx, id)
	if err != nil {
		return nil, err
	}
	return rest.Part(states, in.ListParams, func(d dream.State) heldView {
		return heldView{Entry: d.ID, Text: d.Text, Rule: d.ReasonCode, Since: d.FirstSeen, Last: d.LastSeen}
	})
}

type heldInput struct {
	rest.AgentParam
	rest.PersonParams
	EntryParam
	rest.RequestKeyParam
}

type heldDecision struct {
	Entry    markdown.EntryID       `json:"entry"`
	Status   dream.Status           `json:"status" enum:"confirmed,forgotten"`
	Changes  []memory.ChangeReceipt `json:"changes" doc:"Result for each document; empty: nothing had to change."`
	Token    string                 `json:"token,omitempty" doc:"Names the write."`
	Replayed bool                   `json:"replayed" doc:"The idempotency key had been used before; nothing was written."`
}

// decideHeld carries out a person's decision about a held statement.
func (s *Handlers) decideHeld(ctx context.Context, in *heldInput, what string,
	decide func(context.Context, memory.Identity, dreams.EntryChange) (dreams.EntryReceipt, error),
) (*rest.Reply[heldDecision], error) {
	id, err := s.holder(ctx, in.Agent, in.PersonParams)
	if err != nil {
		return nil, err
	}
	entry := in.EntryParam.id()
	done, err := decide(ctx, id, dreams.EntryChange{
		Entry: entry, Key: rest.RequestLedgerKey(ctx, in.IdempotencyKey, "held", what, string(entry)),
	})
	if err != nil {
		return nil, err
	}
	s.written(foundDream{id: id}, done.Receipt)
	view := heldDecision{
		Entry: entry, Status: done.State.Status, Changes: []memory.ChangeReceipt{}, Token: done.Receipt.Token, Replayed: done.Receipt.Replayed,
	}
	view.Changes = append(view.Changes, done.Receipt.Changes...)
	return rest.OK(view), nil
}
