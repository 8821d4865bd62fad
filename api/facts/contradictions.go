package facts

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/files"
	"reverie/api/rest"
	"reverie/facts/conflict"
	"reverie/memory"
	"reverie/store"
	stored "reverie/store/facts"
)

const contradictionsPath = "/contradictions"

func (s *Handlers) contradictionRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-contradictions", Method: http.MethodGet, Path: factsPath + contradictionsPath,
		Original: originalPath + contradictionsPath, Tag: "facts", Need: memory.RoleViewer,
		Summary: "List statements that cannot both hold, the latest first", Errors: []int{http.StatusGone},
		Doc: "Of the owner that is named or that the key is pinned to, of the team, and between both. A pair without a resolution is listed " +
			"while both statements are in documents.",
	}, s.listContradictions)
	rest.Register(s.Server, rest.Route{
		ID: "resolve-contradiction", Method: http.MethodPost, Act: rest.Changes, Path: factsPath + contradictionsPath + "/{contradiction}/resolve",
		Original: originalPath + contradictionsPath + "/{contradiction}/resolve", Tag: "facts", Need: memory.RoleMember,
		Body: rest.MaxSmallBody, Summary: "Decide which of two statements holds", Errors: []int{http.StatusGone, http.StatusConflict},
		Doc: "KEEP_A keeps the older statement, KEEP_B the newer one: the other one is removed from the documents and not learned again, as after " +
			"forget. MERGE puts a text in place of both. IGNORE changes nothing: both hold. A decision stays; only a person who writes the " +
			"removed statement again reopens the contradiction.",
	}, s.resolveContradiction)
}

type factContradictionView struct {
	ID          uuid.UUID         `json:"id"`
	FactA       factView          `json:"factA" doc:"The older statement."`
	FactB       factView          `json:"factB" doc:"The newer one."`
	Description string            `json:"description" doc:"Why they contradict one another."`
	Why         conflict.Why      `json:"why" enum:"values,opposite"`
	FoundAt     time.Time         `json:"foundAt"`
	Resolution  stored.Resolution `json:"resolution,omitempty" enum:"SUPERSEDED,KEEP_A,KEEP_B,MERGE,IGNORE" doc:"Missing: it is open. SUPERSEDED: the newer one says that something has changed, and counts."`
	ResolvedAt  *time.Time        `json:"resolvedAt,omitempty"`
	ResolvedBy  *files.AuthorView `json:"resolvedBy,omitempty" doc:"Missing, if the newer statement says so itself."`
}

// descriptions explain the reasons to people.
var descriptions = map[conflict.Why]string{
	conflict.Values:   "two values of what has one at a time",
	conflict.Opposite: "one says the opposite of the other",
}

func (s *Handlers) viewContradiction(c stored.Contradiction) factContradictionView {
	v := factContradictionView{
		ID: c.ID, FactA: s.viewFact(c.A), FactB: s.viewFact(c.B), Description: descriptions[c.Why], Why: c.Why, FoundAt: c.FoundAt,
		Resolution: c.Resolution, ResolvedAt: timeOrNone(c.ResolvedAt),
	}
	if c.Author.Kind != "" {
		author := files.ViewAuthor(c.Author)
		v.ResolvedBy = &author
	}
	return v
}

type contradictionsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	State stored.ContradictionState `query:"state" enum:"open,superseded,resolved" default:"open" doc:"open: to be decided; superseded: the older statement is still in its document."`
}

// ContradictionPage is a part of a list of contradictions.
type ContradictionPage = rest.Page[factContradictionView]

func (s *Handlers) listContradictions(ctx context.Context, in *contradictionsInput) (*rest.Reply[ContradictionPage], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.Contradictions(ctx, id, in.State, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(ContradictionPage{Items: rest.Views(listed.Items, s.viewContradiction), Next: listed.Next}), nil
}

type resolveInput struct {
	rest.AgentParam
	rest.PersonParams
	Contradiction string `path:"contradiction" format:"uuid" doc:"Id of the contradiction."`
	Body          struct {
		Resolution stored.Resolution `json:"resolution" enum:"KEEP_A,KEEP_B,MERGE,IGNORE"`
		Text       string            `json:"text,omitempty" maxLength:"2000" doc:"Of MERGE: the statement that takes the place of both."`
	}
}

func (s *Handlers) resolveContradiction(ctx context.Context, in *resolveInput) (*rest.Reply[factContradictionView], error) {
	contradiction, err := uuidAt("contradiction", in.Contradiction)
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	c, err := s.Store.ResolveContradiction(ctx, id, contradiction, in.Body.Resolution, in.Body.Text)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewContradiction(c)), nil
}
