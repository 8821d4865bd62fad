package dreams

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
)

func (s *Handlers) dreamCardRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "morning-card", Method: http.MethodGet, Path: dreamsPath + "/morning-card", Original: originalPath + "/dream/morning-card",
		Tag: "dreams", Need: memory.RoleViewer,
		Summary: "Read the morning card", Errors: []int{http.StatusGone},
		Doc: "Of the latest dream that changed memory, until the owner has seen it; null: there is none.",
	}, s.morningCard)
	rest.Register(s.Server, rest.Route{
		ID: "see-morning-card", Method: http.MethodPost, Act: rest.Changes, Path: dreamsPath + "/morning-card/seen",
		Original: originalPath + "/dream/morning-card/seen", Tag: "dreams", Need: memory.RoleMember, Body: rest.MaxSmallBody,
		Summary: "Mark a morning card as seen", Errors: []int{http.StatusGone},
		Doc: "For the owner who is named. Cards of earlier dreams count as seen too. A viewer key, which changes nothing, is refused.",
	}, s.seeMorningCard)
}

// CardInput is a request about the card of an owner.
type CardInput struct {
	rest.AgentParam
	rest.PersonParams
}

func (s *Handlers) morningCard(ctx context.Context, in *CardInput) (*rest.Reply[*rest.MorningCard], error) {
	id, _, err := s.NeedOwner(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	card, err := s.CardOf(ctx, id, time.Time{})
	if err != nil {
		return nil, err
	}
	return rest.OK(card), nil
}

type seenInput struct {
	CardInput
	Body struct {
		ReportID string `json:"reportId" maxLength:"36" doc:"Of the card."`
	}
}

type seenView struct {
	Seen uuid.UUID `json:"seen" doc:"Of the card."`
}

func (s *Handlers) seeMorningCard(ctx context.Context, in *seenInput) (*rest.Reply[seenView], error) {
	report, err := uuid.Parse(in.Body.ReportID)
	if err != nil {
		return nil, fault.InvalidAt("body.reportId", "it is not a UUID")
	}
	id, _, err := s.NeedOwner(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	if s.CardsOff {
		_, err := s.CardOf(ctx, id, time.Time{})
		return nil, err
	}
	if err := s.Store.SeeMorningCard(ctx, id, report); err != nil {
		return nil, err
	}
	return rest.OK(seenView{report}), nil
}
