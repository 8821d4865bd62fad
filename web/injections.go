package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/facts"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/web/view"
)

func (b *Browser) injectionRoutes() {
	b.page(rest.Route{
		ID: "page-injections", Path: base + "/injections", Summary: "What was put into contexts", Need: memory.RoleViewer,
	}, (*request).injections)
	const one = base + "/injections/{injection}"
	b.page(rest.Route{
		ID: "page-injection", Path: one, Summary: "Why a context contained something, or did not", Need: memory.RoleViewer,
	}, (*request).injection)
	b.page(rest.Route{
		ID: "page-ask-injection", Method: http.MethodPost, Path: one, Summary: "Why a context did not contain some words",
		Need: memory.RoleViewer, Act: rest.Reads, Body: maxForm,
	}, (*request).injection)
	b.page(rest.Route{
		ID: "page-context", Path: base + "/context", Summary: "What a model would see", Need: memory.RoleMember,
	}, (*request).context)
	b.page(rest.Route{
		ID: "page-ask-context", Method: http.MethodPost, Path: base + "/context", Summary: "What a model would see with a message",
		Need: memory.RoleMember, Act: rest.Reads, Body: maxMessageForm, Timeout: rest.MaxWait,
	}, (*request).context)
}

const (
	// maxInjections is the number of records on a page.
	maxInjections = 50
	// maxMessageForm bounds the form of a message, whose characters may take three bytes each.
	maxMessageForm = 3*memory.MaxMessageBytes + maxForm
	// maxAbout is the longest text that somebody may miss in a context.
	maxAbout = 256
)

func (q *request) injections() (templ.Component, error) {
	if err := q.enterPerson(); err != nil {
		return nil, err
	}
	listed, err := q.FactHandlers.Injections(q.Context, q.id, "", store.Page{Limit: maxInjections, Cursor: q.r.URL.Query().Get("cursor")})
	if err != nil {
		return nil, err
	}
	page := view.Injections{Next: listed.Next}
	for _, in := range listed.Items {
		page.Items = append(page.Items, q.viewInjection(in))
	}
	return view.InjectionsPage(q.frame("conversations", "Injections"), page), nil
}

func (q *request) viewInjection(in stored.Injection) view.Injection {
	v := view.Injection{
		ID: in.ID.String(), At: in.At, Talk: in.Conversation, Message: in.Seq, Skipped: in.Skipped, Budget: in.Budget, Tokens: in.Tokens,
		Candidates: in.Candidates, Selected: in.Selected, Omitted: in.Omitted,
	}
	if _, err := rest.MayReadMessages(q.id); err == nil && in.ConversationUID != uuid.Nil { // others get no link to what was said
		v.TalkID = in.ConversationUID.String()
	}
	return v
}

// injection shows every candidate of a context. The text of a question about it is in the form, not in the address.
func (q *request) injection() (templ.Component, error) {
	id, err := q.uid("injection")
	if err != nil {
		return nil, err
	}
	if err := q.enterPerson(); err != nil {
		return nil, err
	}
	record, err := q.FactHandlers.Injection(q.Context, q.id, id)
	if err != nil {
		return nil, err
	}
	about := strings.TrimSpace(q.r.PostFormValue("about"))
	if len(about) > maxAbout {
		about = strings.ToValidUTF8(about[:maxAbout], "")
	}
	explained, err := q.FactHandlers.Explain(q.Context, q.id, id, about)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range explained.Choices {
		names = append(names, conversationOf(c.Corpus, c.Path))
	}
	where, err := q.conversationIDs(names)
	if err != nil {
		return nil, err
	}
	page := view.InjectionDetail{Injection: q.viewInjection(record), About: about}
	for _, c := range explained.Choices {
		page.Choices = append(page.Choices, viewChoice(c, where))
	}
	return view.InjectionPage(q.frame("conversations", "Injection"), page), nil
}

// conversationOf returns the client's name of the conversation that a passage is from; empty: it is from a document.
func conversationOf(corpus search.Corpus, path string) string {
	if corpus != search.Sessions {
		return ""
	}
	return strings.TrimPrefix(path, recall.SessionsFolder)
}

func viewChoice(c facts.ChoiceView, where map[string]string) view.Choice {
	v := view.Choice{
		Outcome: c.Outcome, Reason: c.Reason, Layer: c.Layer, Path: c.Path, Scope: string(c.Scope), Line: c.StartLine, Score: c.Score,
		Tokens: c.Tokens, Text: strings.TrimPrefix(markdown.WithoutComments(c.Text), "- "), Said: c.Corpus == search.Sessions,
	}
	if v.Said {
		v.Talk = where[conversationOf(c.Corpus, c.Path)]
	}
	if c.Fact != nil {
		v.Fact = c.Fact.String()
	}
	return v
}

// context shows the input that a model would get with a message now. It records nothing.
func (q *request) context() (templ.Component, error) {
	if err := q.enterPerson(); err != nil {
		return nil, err
	}
	page := view.Context{Message: q.text("message"), NoModel: q.Model.BuiltIn}
	frame := q.frame("memory", "What a model sees")
	if strings.TrimSpace(page.Message) == "" {
		return view.ContextPage(frame, page), nil
	}
	if len(page.Message) > memory.MaxMessageBytes {
		page.Problem = "That is too long for a message."
		return view.ContextPage(frame, page), nil
	}
	release, err := q.TakeTurn()
	if err != nil {
		return nil, err
	}
	defer release()
	made, err := q.TalkHandlers.Turns().Preview(q.Context, q.id, q.agent, page.Message)
	if err != nil {
		return nil, err
	}
	page.Made, page.Model, page.Counter, page.Exact = true, made.Model, made.Counter.Name, made.Counter.Exact
	page.Skipped, page.Omitted, page.Used, page.Max = made.Skipped, made.Omitted, made.Ledger.Used, made.Ledger.Max
	documents, err := q.Store.PromptDocuments(q.Context, q.id, time.Time{})
	if err != nil {
		return nil, err
	}
	l, rules := made.Ledger, made.Ledger.System
	for _, d := range documents {
		tokens := made.Counter.Count(d.Content)
		rules -= tokens
		page.Parts = append(page.Parts, view.TokenPart{
			Name: d.Path, Scope: string(d.Scope), Address: view.DocumentURL(frame, "memory", d.Path, string(d.Scope)), Tokens: tokens,
		})
	}
	page.Parts = append(page.Parts, view.TokenPart{Name: "Instructions", Tokens: rules}, view.TokenPart{Name: "Recalled memory", Tokens: l.Recall},
		view.TokenPart{Name: "The message", Tokens: l.Current})
	page.Parts = slices.DeleteFunc(page.Parts, func(p view.TokenPart) bool { return p.Tokens <= 0 })
	if page.Recalled, err = q.recalled(made.Recalled); err != nil {
		return nil, err
	}
	for _, m := range made.Messages {
		page.Messages = append(page.Messages, view.Sent{Kind: string(m.Kind), Role: m.Role, Text: m.Content, Tokens: m.Tokens})
	}
	return view.ContextPage(frame, page), nil
}

// recalled shows passages of a context.
func (q *request) recalled(passages []chat.Recalled) ([]view.Choice, error) {
	var names []string
	for _, r := range passages {
		names = append(names, r.Source.Conversation)
	}
	where, err := q.conversationIDs(names)
	if err != nil {
		return nil, err
	}
	var shown []view.Choice
	for _, r := range passages {
		c := view.Choice{
			Outcome: "injected", Layer: r.Layer.String(), Path: r.Path, Scope: string(r.Source.Scope), Line: r.FromLine, Score: r.Score,
			Tokens: r.Tokens, Text: r.Snippet, Said: r.Corpus == search.Sessions, Talk: where[r.Source.Conversation],
		}
		if r.Fact != uuid.Nil {
			c.Fact = r.Fact.String()
		}
		shown = append(shown, c)
	}
	return shown, nil
}
