package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/web/view"
)

func (b *Browser) factRoutes() {
	b.page(rest.Route{ID: "page-facts", Path: base + "/facts", Summary: "Facts by trust", Need: memory.RoleViewer}, (*request).facts)
	b.page(rest.Route{
		ID: "page-find-facts", Method: http.MethodPost, Path: base + "/facts", Summary: "Find facts", Need: memory.RoleViewer, Body: maxForm,
	}, (*request).facts)
	b.page(rest.Route{
		ID: "page-fact", Path: base + "/facts/{fact}", Summary: "What is known of a fact", Need: memory.RoleViewer,
	}, (*request).fact)
	b.page(rest.Route{
		ID: "page-opinion", Method: http.MethodPost, Path: base + "/facts/{fact}/feedback", Summary: "Call a fact helpful or unhelpful",
		Need: memory.RoleMember, Act: rest.Changes, Body: maxForm,
	}, (*request).opinion)
	b.page(rest.Route{
		ID: "page-change-fact", Method: http.MethodPost, Path: base + "/facts/{fact}", Summary: "Edit, restore or forget a fact",
		Need: memory.RoleMember, Act: rest.Changes, Body: maxForm, Timeout: rest.MaxWait,
	}, (*request).changeFact)
	b.page(rest.Route{
		ID: "page-archived", Path: base + "/archived", Summary: "Facts that were archived, and why", Need: memory.RoleViewer,
	}, (*request).archived)
	b.page(rest.Route{
		ID: "page-find-archived", Method: http.MethodPost, Path: base + "/archived", Summary: "Find archived facts", Need: memory.RoleViewer,
		Body: maxForm,
	}, (*request).archived)
}

// maxFacts is the number of facts on a page.
const maxFacts = 50

// facts lists facts, the most trusted first. The search text is in the form, not in the address.
func (q *request) facts() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	asked := q.r.URL.Query()
	query := stored.Query{
		Text: strings.TrimSpace(q.r.PostFormValue("keyword")), Page: store.Page{Limit: maxFacts, Cursor: asked.Get("cursor")},
	}
	if kind := facts.Kind(asked.Get("kind")); slices.Contains(view.FactKinds, string(kind)) {
		query.Kind = kind
	}
	listed, err := q.Store.ByTrust(q.Context, q.id, query)
	if err != nil {
		return nil, err
	}
	page := view.Facts{Kind: string(query.Kind), Keyword: query.Text, Next: listed.Next, Behind: listed.Behind}
	if query.Text != "" {
		page.Next = "" // the next page could not know the words
		page.More = listed.Next != ""
	}
	for _, f := range listed.Items {
		page.Items = append(page.Items, q.viewFact(f))
	}
	return view.FactsPage(q.frame("facts", "Facts"), page), nil
}

func (q *request) viewFact(f stored.Fact) view.Fact {
	return view.Fact{
		ID: f.ID.String(), Text: markdown.WithoutComments(f.Text), Path: f.Path, Scope: string(f.Scope), Heading: f.Heading, Line: f.FromLine, Subject: f.SubjectAsSaid(),
		Attribute: f.Attribute, Value: f.Value, Kind: string(f.Kind), Source: string(f.Evidence.Source), Trust: f.Evidence.Trust(q.Now()),
		Days: f.Evidence.Days, Used: f.Used.Times, LastUsed: f.Used.Last, At: f.At, Ended: f.Ended, Archived: f.Archived, From: f.From, To: f.To,
	}
}

// factID returns the fact in the address.
func (q *request) factID() (uuid.UUID, error) {
	id, err := q.uid("fact")
	if err != nil {
		return id, err
	}
	return id, q.enter()
}

func (q *request) fact() (templ.Component, error) {
	id, err := q.factID()
	if err != nil {
		return nil, err
	}
	return q.showFact(id, "", "")
}

// showFact shows a fact. problem is about the entered text, which the form keeps.
func (q *request) showFact(id uuid.UUID, text, problem string) (templ.Component, error) {
	history, err := q.Store.Fact(q.Context, q.id, id)
	if err != nil {
		return nil, err
	}
	story, err := q.Store.Story(q.Context, q.id, id)
	if err != nil {
		return nil, err
	}
	now, names := history.Now(), q.authors()
	page := view.KnownFact{
		Fact: q.viewFact(now.Fact), Editable: q.mayEdit(memory.Document{Scope: now.Scope}), Text: text, Problem: problem,
	}
	for _, t := range now.Explain(q.Now()) {
		page.Terms = append(page.Terms, view.Term{Name: t.Name, Value: t.Value, Why: t.Why})
	}
	for _, g := range history.Feedback {
		page.Feedback = append(page.Feedback, view.Opinion{
			ID: g.ID.String(), Helpful: g.Opinion == stored.Helpful, Weight: g.Weight, Reason: g.Reason, At: g.At, Undone: !g.Undone.IsZero(),
			By: names.of(g.Author),
		})
	}
	where, err := q.conversationIDs(conversationsOf(story))
	if err != nil {
		return nil, err
	}
	for _, e := range story {
		event := view.FactEvent{
			Kind: string(e.Kind), At: e.At, Text: markdown.WithoutComments(e.Text), Path: e.Path, Scope: string(now.Scope), Version: e.Version, Reason: e.Reason,
			Conversation: where[e.Conversation], By: names.of(e.Author),
		}
		if len(e.Seqs) > 0 {
			event.Message = e.Seqs[0]
		}
		page.Story = append(page.Story, event)
	}
	return view.FactPage(q.frame("facts", "Fact"), page), nil
}

// conversationsOf returns the names of the conversations of a story.
func conversationsOf(story []stored.Event) (names []string) {
	for _, e := range story {
		names = append(names, e.Conversation)
	}
	return names
}

// opinion records or undoes feedback about a fact.
func (q *request) opinion() (templ.Component, error) {
	id, err := q.factID()
	if err != nil {
		return nil, err
	}
	switch said := q.r.PostFormValue("opinion"); said {
	case "helpful", "unhelpful":
		_, err = q.Store.GiveFeedback(q.Context, q.id, id, stored.Feedback{
			Opinion: stored.Opinion(strings.ToUpper(said)), Weight: 1, Reason: stored.ReasonAsked,
		})
	case "undo":
		event, wrong := uuid.Parse(q.r.PostFormValue("feedback"))
		if wrong != nil {
			return nil, fault.New(fault.InvalidRequest, "Choose the feedback to undo")
		}
		err = q.Store.UndoFeedback(q.Context, q.id, id, event)
	default:
		return nil, fault.New(fault.InvalidRequest, "Mark the fact as helpful or unhelpful, or undo feedback")
	}
	if err != nil {
		return nil, err
	}
	return q.redirect(view.FactURL(q.frame("", ""), id.String()) + "?done=judged")
}
