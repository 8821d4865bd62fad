package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store/gate"
	"reverie/web/view"
)

// Questions come in the body of a POST: addresses stay in histories and logs, and what somebody looks for does not belong there. A search
// is recorded as synthetic: that a person looks at a memory does not make it more important to the agent.
func (b *Browser) searchRoutes() {
	b.page(rest.Route{
		ID: "page-search", Method: http.MethodPost, Path: base + "/search", Summary: "Search one memory", Need: memory.RoleViewer, Act: rest.Reads,
		Body: maxForm,
	}, (*request).search)
	b.page(rest.Route{
		ID: "page-search-all", Method: http.MethodPost, Path: "/search", Summary: "Search all agents", Need: memory.RoleViewer, Act: rest.Reads,
		Body: maxForm,
	}, (*request).searchAll)
}

const (
	// maxHits bounds the results of one memory, and maxHitsEach those of each agent when all are searched.
	maxHits, maxHitsEach = 20, 5
	// maxSearched bounds the agents that are searched at once.
	maxSearched = 5
)

func (q *request) search() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	page := view.Search{Query: strings.TrimSpace(q.r.PostFormValue("q"))}
	frame := q.frame("search", "Search")
	if page.Query != "" {
		group, err := q.find(q.id, q.agent, q.whom, page.Query, maxHits)
		if err != nil {
			return nil, err
		}
		page.Groups = append(page.Groups, group)
	}
	frame.Query = page.Query
	return view.SearchPage(frame, page), nil
}

func (q *request) searchAll() (templ.Component, error) {
	page := view.Search{Query: strings.TrimSpace(q.r.PostFormValue("q"))}
	agents, err := q.Store.Agents(q.Context, q.key.Identity())
	if err != nil {
		return nil, err
	}
	if len(agents) > maxSearched {
		page.Skipped = len(agents) - maxSearched
		slices.SortStableFunc(agents, func(a, b gate.Agent) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
		agents = agents[:maxSearched]
	}
	for _, agent := range agents {
		if page.Query == "" {
			break
		}
		id, entered, err := q.Enter(q.Context, agent.ID, rest.Person{})
		if err != nil {
			return nil, err
		}
		group, err := q.find(id, entered, q.ownSegment(), page.Query, maxHitsEach)
		if err != nil {
			return nil, err
		}
		page.Groups = append(page.Groups, group)
	}
	frame := q.frame("search", "Search")
	frame.Query = page.Query
	return view.SearchPage(frame, page), nil
}

// ownSegment is the segment of addresses for what a key sees without naming anybody.
func (q *request) ownSegment() string {
	if q.key.Identity().Pinned {
		return view.Me
	}
	return view.Shared
}

// find searches one memory.
func (q *request) find(id memory.Identity, agent gate.Agent, whom, question string, limit int) (view.Found, error) {
	found := view.Found{Agent: agent.ID, AgentName: agent.Name, Whom: whom}
	zone, err := agent.Location()
	if err != nil {
		return found, err
	}
	answer, err := q.Search.Search(q.Context, id, recall.Request{
		Query: question, MaxResults: &limit, Explain: true, Synthetic: true, Agent: agent.Settings, Zone: zone,
	})
	if invalid, is := errors.AsType[*recall.InvalidError](err); is {
		found.Problem = invalid.Problem
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.Off, found.Candidates = answer.Disabled, answer.Found
	if answer.Degraded {
		found.Problem = "Vectors had no part in this answer: " + answer.Reason.String()
	}
	var words []string
	if answer.Trace != nil {
		for _, t := range answer.Trace.Terms {
			if !t.Stop {
				words = append(words, t.Text)
			}
		}
	}
	for _, h := range answer.Results {
		found.Hits = append(found.Hits, viewHit(h, words))
	}
	return found, nil
}

func viewHit(h recall.Hit, words []string) view.Hit {
	v := view.Hit{
		Path: h.Path, Scope: string(h.Source.Scope), From: h.FromLine, To: h.ToLine, At: h.At, Score: h.Score, Pieces: view.Mark(h.Snippet, words),
		Said: h.Corpus == search.Sessions, Role: h.Message.Role, Name: h.Message.Name, Outdated: h.SupersededBy != "",
	}
	if v.Said {
		v.Talk = h.Source.ID.String()
	}
	x := h.Explanation
	if x == nil {
		return v
	}
	why := func(name string, amount float64, doc string) {
		if amount > 0 {
			v.Why = append(v.Why, view.Why{Name: name, Amount: amount, Doc: doc})
		}
	}
	if l := x.Lexical; l != nil {
		if l.Parts.Exact {
			why("exact", 1, "It contains the phrase or the name of the question as it is written.")
		}
		why("words", l.Parts.Body, "It contains words of the question.")
		why("neighbours", l.Parts.Neighbours+l.Parts.Enclosing, "Words of the question are in the text around it.")
		why("period", l.Parts.Period, "It is in the period that the question names.")
		why("speaker", l.Parts.Speaker, "The question names who said it.")
		why("answers", l.Parts.Answer, "The message before it asks the same.")
		why("rule", l.Parts.Rule, "It is a standing instruction about the subject.")
		why("question", l.Parts.Question, "It fits one of several questions.")
	}
	why("vectors", x.Fused.Vector, "It is close in meaning.")
	return v
}
