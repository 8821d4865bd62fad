package facts

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/files"
	"reverie/api/rest"
	"reverie/memory"
	stored "reverie/store/facts"
)

func (s *Handlers) feedbackRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "give-fact-feedback", Method: http.MethodPost, Act: rest.Changes, Path: factPath + "/feedback",
		Original: originalPath + "/{fact}/feedback", Tag: "facts", Need: memory.RoleMember, Body: rest.MaxSmallBody,
		Summary: "Call a fact helpful or unhelpful", Errors: []int{http.StatusGone},
		Doc: "It raises or lowers trust and changes no document. The fact must be current; about a shared one, who may write its document. " +
			"The answer is the fact with its new trust.",
	}, s.giveFeedback)
	rest.Register(s.Server, rest.Route{
		ID: "undo-fact-feedback", Method: http.MethodDelete, Path: factPath + "/feedback/{feedback}", Tag: "facts", Need: memory.RoleMember,
		Summary: "Take feedback about a fact back", Errors: []int{http.StatusGone},
	}, s.undoFeedback)
}

type feedbackInput struct {
	FactInput
	rest.RequestKeyParam
	Body struct {
		Kind stored.Opinion `json:"kind" enum:"HELPFUL,UNHELPFUL"`
	}
}

type factFeedbackView struct {
	ID       uuid.UUID        `json:"id"`
	Kind     stored.Opinion   `json:"kind" enum:"HELPFUL,UNHELPFUL,HEARD" doc:"HEARD: it was said again, on one more day."`
	Weight   float64          `json:"weight" doc:"1: a person's explicit opinion."`
	At       time.Time        `json:"at"`
	UndoneAt *time.Time       `json:"undoneAt,omitempty" doc:"Missing: it counts."`
	Author   files.AuthorView `json:"author"`
	Reason   string           `json:"reason" example:"asked"`
}

func viewFeedback(g stored.Given) factFeedbackView {
	return factFeedbackView{g.ID, g.Opinion, g.Weight, g.At, timeOrNone(g.Undone), files.ViewAuthor(g.Author), g.Reason}
}

func (s *Handlers) giveFeedback(ctx context.Context, in *feedbackInput) (*rest.Reply[knownFactView], error) {
	fact, err := uuidAt("fact", in.Fact)
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	if _, err := s.Store.GiveFeedback(ctx, id, fact, stored.Feedback{
		Opinion: in.Body.Kind, Weight: 1, Reason: stored.ReasonAsked,
		Key: rest.RequestLedgerKey(ctx, in.IdempotencyKey, "feedback", in.Fact, string(in.Body.Kind)),
	}); err != nil {
		return nil, err
	}
	return s.known(ctx, id, fact)
}

type undoInput struct {
	FactInput
	Feedback string `path:"feedback" format:"uuid" doc:"Id of the feedback."`
}

func (s *Handlers) undoFeedback(ctx context.Context, in *undoInput) (*rest.Reply[knownFactView], error) {
	fact, err := uuidAt("fact", in.Fact)
	if err != nil {
		return nil, err
	}
	event, err := uuidAt("feedback", in.Feedback)
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	if err := s.Store.UndoFeedback(ctx, id, fact, event); err != nil {
		return nil, err
	}
	return s.known(ctx, id, fact)
}

func (s *Handlers) rebuildRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "rebuild-facts", Method: http.MethodPost, Act: rest.Changes, Path: factsPath + "/rebuild", Tag: "facts", Need: memory.RoleAdmin,
		Summary: "Rebuild all facts", Status: http.StatusAccepted, Errors: []int{http.StatusGone},
		Doc: "From documents, versions and feedback, with the same ids. Of the agent, and with a key that is not limited to agents of what " +
			"belongs to the workspace too. Readers and the worker derive document by document; until then facts stay as they are.",
	}, s.rebuild)
}

type rebuildInput struct {
	rest.AgentParam
}

type factsRebuildView struct {
	Accepted bool `json:"accepted"`
}

func (s *Handlers) rebuild(ctx context.Context, in *rebuildInput) (*rest.Reply[factsRebuildView], error) {
	id, _, err := s.Enter(ctx, in.Agent, rest.Person{})
	if err != nil {
		return nil, err
	}
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "A key pinned to an owner cannot rebuild the facts of all")
	}
	id.AnyOwner = true
	if err := s.Store.RebuildFacts(ctx, id); err != nil {
		return nil, err
	}
	if id.Agents == nil {
		id.Agent = ""
		if err := s.Store.RebuildFacts(ctx, id); err != nil {
			return nil, err
		}
	}
	return rest.Accepted(factsRebuildView{Accepted: true}), nil
}
