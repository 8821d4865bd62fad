package dreams

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/dream/judge"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
)

// maxExplained limits the candidates that are explained for some words.
const maxExplained = 20

func (s *Handlers) dreamCandidateRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-candidates", Method: http.MethodGet, Path: dreamsPath + "/candidates", Original: originalDreaming + "/candidates",
		Tag: "dreams", Need: memory.RoleViewer,
		Summary: "List the candidates of the latest dream, best first",
		Doc: "Lists those of the last dream that had any, except dry runs; without an owner, of the shared memory: an admin sees them whole, others without " +
			"words.",
	}, s.listCandidates)
	rest.Register(s.Server, rest.Route{
		ID: "explain-candidate", Method: http.MethodGet, Path: dreamsPath + "/candidates/{entry}/explain",
		Original: originalDreaming + "/candidates/{entry}/explain", Tag: "dreams", Need: memory.RoleViewer,
		Summary: "Explain the verdict of a candidate",
		Doc:     "Explains the last dream in which it was a candidate, with the settings of the latest dream.",
	}, s.explainCandidate)
	rest.Register(s.Server, rest.Route{
		ID: "explain-candidates", Method: http.MethodGet, Path: dreamsPath + "/explain", Original: originalDreaming + "/explain", Tag: "dreams",
		Need:    memory.RoleViewer,
		Summary: "Explain the verdicts of candidates by words",
		Doc:     "Explains the candidates of the latest dream that have all the words or the same meaning; at most 20, best first.",
	}, s.explainCandidates)
}

type candidatesInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	VerdictParam
}

// CandidatePage is a page of candidates by a name that the OpenAPI document sees.
type CandidatePage = rest.Page[candidateView]

type candidatesView struct {
	Dream *uuid.UUID `json:"dream,omitempty" doc:"The dream; missing when there was none yet."`
	CandidatePage
}

func (s *Handlers) listCandidates(ctx context.Context, in *candidatesInput) (*rest.Reply[candidatesView], error) {
	id, _, full, err := s.dreamer(ctx, in.Agent, in.PersonParams)
	if err != nil {
		return nil, err
	}
	view := candidatesView{CandidatePage: rest.Page[candidateView]{Items: []candidateView{}}}
	latest, err := s.latestDream(ctx, id)
	if err != nil || latest == nil {
		return rest.OK(view), err
	}
	listed, err := s.Store.DreamCandidates(ctx, id, latest.ID, in.Verdict, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	view.Dream, view.Items, view.Next = &latest.ID, rest.Views(listed.Items, candidateViewer(full)), listed.Next
	return rest.OK(view), nil
}

// latestDreams limits the search for the last dream with candidates: quiet nights have none.
const latestDreams = 100

// latestDream returns the last dream that weighed anything, dry runs aside; nil when there was none lately.
func (s *Handlers) latestDream(ctx context.Context, id memory.Identity) (*dreams.Dream, error) {
	listed, err := s.Store.Dreams(ctx, id, dreams.DreamFilter{Real: true}, store.Page{Limit: latestDreams})
	for _, d := range listed.Items {
		if !d.Open() && d.Counts.Candidates > 0 {
			return &d, err
		}
	}
	return nil, err
}

// EntryParam is the statement that a request is about.
type EntryParam struct {
	Entry string `path:"entry" pattern:"^[0-9a-f]{32}$" patternDescription:"32 hexadecimal digits" doc:"Identity of the statement: the id of its candidate."`
}

func (p EntryParam) id() markdown.EntryID { return markdown.EntryID(p.Entry) }

type explainCandidateInput struct {
	rest.AgentParam
	EntryParam
	rest.PersonParams
}

// whyView explains a verdict.
type whyView struct {
	Candidate candidateView `json:"candidate"`
	State     *dream.State  `json:"state,omitempty" doc:"What is known of it over all dreams."`
	Summary   string        `json:"summary" doc:"Summary in one line." example:"0.71 < 0.75; one more distinct day would pass"`
	Lacks     []string      `json:"lacks" doc:"What fails, one sentence each."`
	Would     []string      `json:"would" doc:"What would pass, one sentence each."`
}

// why explains a candidate. Who does not see it whole sees what it lacks: that is about numbers.
func why(c dream.Candidate, settings setting.DreamSettings, full bool) whyView {
	e := judge.Explain(c, settings)
	v := whyView{
		Candidate: candidateViewer(full)(c),
		Summary:   e.Summary,
		Lacks:     rest.Views(e.Lacks, said),
		Would:     rest.Views(e.Would, said),
	}
	if !full {
		v.Summary, v.Lacks, v.Would = c.ReasonCode, []string{}, []string{}
	}
	return v
}

func said(s string) string { return s }

func (s *Handlers) explainCandidate(ctx context.Context, in *explainCandidateInput) (*rest.Reply[whyView], error) {
	id, agent, full, err := s.dreamer(ctx, in.Agent, in.PersonParams)
	if err != nil {
		return nil, err
	}
	state, candidate, err := s.Store.DreamEntry(ctx, id, in.EntryParam.id())
	if err != nil {
		return nil, err
	}
	latest, err := s.latestDream(ctx, id)
	if err != nil {
		return nil, err
	}
	settings := s.Dreams.With(agent.Settings)
	if latest != nil {
		settings = latest.Settings
	}
	view := why(candidate, settings, full)
	if full {
		view.State = &state
	}
	return rest.OK(view), nil
}

type explainCandidatesInput struct {
	rest.AgentParam
	rest.PersonParams
	Text string `query:"text" required:"true" minLength:"2" maxLength:"256" doc:"Words of the statement."`
}

type whysView struct {
	Dream *uuid.UUID `json:"dream,omitempty" doc:"The dream; missing when there was none yet."`
	Items []whyView  `json:"items"`
}

func (s *Handlers) explainCandidates(ctx context.Context, in *explainCandidatesInput) (*rest.Reply[whysView], error) {
	id, _, full, err := s.dreamer(ctx, in.Agent, in.PersonParams)
	if err != nil {
		return nil, err
	}
	if !full { // a match reveals what was said
		return nil, fault.New(fault.OwnerNotAllowed, "Only an admin key reads the candidates of the shared memory: name an owner")
	}
	view := whysView{Items: []whyView{}}
	latest, err := s.latestDream(ctx, id)
	if err != nil || latest == nil {
		return rest.OK(view), err
	}
	view.Dream = &latest.ID
	for cursor := ""; ; {
		listed, err := s.Store.DreamCandidates(ctx, id, latest.ID, "", store.Page{Limit: store.MaxPage, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, c := range listed.Items {
			if len(view.Items) < maxExplained && says(c.Text, in.Text) {
				view.Items = append(view.Items, why(c, latest.Settings, full))
			}
		}
		if cursor = listed.Next; cursor == "" || len(view.Items) == maxExplained {
			return rest.OK(view), nil
		}
	}
}

// says reports whether a statement contains all the words, in any case, or means the same in other words.
func says(statement, words string) bool {
	folded := strings.ToLower(statement)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(folded, word) {
			return judge.Alike(statement, words)
		}
	}
	return true
}
