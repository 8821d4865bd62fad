package facts

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/store/gate"
	"reverie/toolbox"
)

const injectionsPath = "/api/v1/agents/{agent}/injections"

func (s *Handlers) injectionRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-injections", Method: http.MethodGet, Path: injectionsPath, Tag: "facts", Need: memory.RoleViewer,
		Summary: "List what was put into contexts",
		Doc:     "One record for each context of the owner, newest first, with counts. The worker deletes records by age.",
	}, s.listInjections)
	rest.Register(s.Server, rest.Route{
		ID: "get-injection", Method: http.MethodGet, Path: injectionsPath + "/{injection}", Tag: "facts", Need: memory.RoleViewer,
		Summary: "Read why a context contained something, or did not",
		Doc: "Every candidate with its outcome. With about, only those that contain it or are that fact; and why other facts that " +
			"match were not candidates. Texts are read now, as far as they still exist: the record has only references.",
	}, s.getInjection)
}

type injectionsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	Conversation string `query:"conversation" maxLength:"255" doc:"Only of this conversation."`
}

// InjectionView is the record of a context in lists.
type InjectionView struct {
	ID           uuid.UUID `json:"id"`
	At           time.Time `json:"at"`
	Conversation string    `json:"conversation,omitempty"`
	Seq          int64     `json:"seq,omitempty" doc:"Number of the message that was to be answered; missing: it was not stored."`
	Skipped      string    `json:"skipped,omitempty" doc:"Why nothing that matches the message was injected, as in the context."`
	Budget       int       `json:"budget" doc:"Tokens that recalled memory could have."`
	Tokens       int       `json:"tokens" doc:"Tokens that it had."`
	Candidates   int       `json:"candidates"`
	Selected     int       `json:"selected"`
	Omitted      int       `json:"omitted" doc:"Candidates that did not fit."`
}

// InjectionPage is a page of records by a name that the OpenAPI document sees.
type InjectionPage = rest.Page[InjectionView]

func viewInjection(in stored.Injection) InjectionView {
	return InjectionView{
		in.ID, in.At, in.Conversation, in.Seq, in.Skipped, in.Budget, in.Tokens, in.Candidates, in.Selected, in.Omitted,
	}
}

func (s *Handlers) listInjections(ctx context.Context, in *injectionsInput) (*rest.Reply[InjectionPage], error) {
	id, _, err := s.NeedOwner(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	list, err := s.Injections(ctx, id, in.Conversation, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(InjectionPage{Items: rest.Views(list.Items, viewInjection), Next: list.Next}), nil
}

// Injections lists contexts of an owner, latest first, with those of this process that have just been answered.
func (s *Handlers) Injections(
	ctx context.Context, id memory.Identity, conversation string, page store.Page,
) (store.Listed[stored.Injection], error) {
	if err := s.Search.Recorder.Flush(ctx); err != nil {
		return store.Listed[stored.Injection]{}, err
	}
	return s.Store.Injections(ctx, id, conversation, page)
}

// Injection returns the record of a context, also of one that this process has just answered.
func (s *Handlers) Injection(ctx context.Context, id memory.Identity, injection uuid.UUID) (stored.Injection, error) {
	if err := s.Search.Recorder.Flush(ctx); err != nil {
		return stored.Injection{}, err
	}
	return s.Store.Injection(ctx, id, injection)
}

type injectionInput struct {
	rest.AgentParam
	rest.PersonParams
	Injection string `path:"injection" format:"uuid" doc:"Id from the context, or from the list."`
	About     string `query:"about" maxLength:"256" doc:"Words, in any case, or the id of a fact." example:"boat"`
}

// ChoiceView is a candidate with its outcome.
type ChoiceView struct {
	Outcome   string        `json:"outcome" enum:"injected,omitted,absent" doc:"absent: it was not a candidate."`
	Reason    string        `json:"reason,omitempty" enum:"budget,prompt,window,duplicate,refused,later,skipped,archived,excerpt,not_found" doc:"Why it was not injected: it did not fit; the system prompt or the conversation has it; another one says it; it must not be shown; it was noted later; nothing was searched for; it is archived; other statements of the passage match the message better; the search did not find it, and others were more trusted."`
	Layer     string        `json:"layer,omitempty" enum:"identity,trusted,matched,provided"`
	Corpus    search.Corpus `json:"corpus" doc:"memory, sessions, backend (an external MCP server), or the id of a provider of memory." example:"memory"`
	Path      string        `json:"path"`
	StartLine int           `json:"startLine" doc:"Line of the version, or number of the message; of a passage, the first line that the context contains."`
	EndLine   int           `json:"endLine"`
	Version   int           `json:"version,omitempty" doc:"Of the document."`
	Scope     memory.Scope  `json:"scope,omitempty" doc:"Missing for what another program has provided."`
	Agent     string        `json:"agent,omitempty" doc:"Whose memory it is; missing for GLOBAL."`
	Fact      *uuid.UUID    `json:"fact,omitempty"`
	Score     float64       `json:"score" doc:"Of the search; of facts, their trust."`
	Tokens    int           `json:"tokens,omitempty"`
	Text      string        `json:"text,omitempty" doc:"As far as it still exists; never of what another program has provided."`
}

// InjectionDetailView is the whole record of a context.
type InjectionDetailView struct {
	Injection InjectionView `json:"injection"`
	Choices   []ChoiceView  `json:"choices" doc:"In the order of layers, best first."`
}

func (s *Handlers) getInjection(ctx context.Context, in *injectionInput) (*rest.Reply[InjectionDetailView], error) {
	injection, err := uuidAt("injection", in.Injection)
	if err != nil {
		return nil, err
	}
	id, _, err := s.NeedOwner(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	view, err := s.Explain(ctx, id, injection, in.About)
	if err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// Explain returns every candidate of a context with its outcome. About keeps those that contain it, or are the fact with that id,
// and adds facts that match and were not candidates.
func (s *Handlers) Explain(ctx context.Context, id memory.Identity, injection uuid.UUID, about string) (InjectionDetailView, error) {
	record, err := s.Injection(ctx, id, injection)
	if err != nil {
		return InjectionDetailView{}, err
	}
	view := InjectionDetailView{Injection: viewInjection(record), Choices: []ChoiceView{}}
	var all []ChoiceView
	texts := sourceTexts{store: s.Store, id: id, versions: map[sourceVersion][]string{}}
	for _, c := range record.Choices {
		v := viewChoice(c)
		if v.Text, err = texts.shown(ctx, c); err != nil {
			return InjectionDetailView{}, err
		}
		all = append(all, v)
		if about == "" || v.Fact != nil && v.Fact.String() == about || mentions(v.Text, about) {
			view.Choices = append(view.Choices, v)
		}
	}
	if about != "" {
		absent, err := s.absent(ctx, id, record, all, texts, about)
		if err != nil {
			return InjectionDetailView{}, err
		}
		view.Choices = append(view.Choices, absent...)
	}
	return view, nil
}

func viewChoice(c stored.Choice) ChoiceView {
	v := ChoiceView{
		Outcome: "injected", Reason: c.Omitted, Layer: c.Layer, Corpus: c.Corpus, Path: c.Path, StartLine: c.From, EndLine: c.To,
		Version: c.Version, Scope: c.Scope, Agent: c.Agent, Score: c.Score, Tokens: c.Tokens,
	}
	if c.Omitted != "" {
		v.Outcome = "omitted"
	}
	if n := len(c.Shown); n > 0 {
		v.StartLine, v.EndLine = c.Shown[0].From, c.Shown[n-1].To
	}
	if c.Fact != uuid.Nil {
		v.Fact = &c.Fact
	}
	return v
}

// mentions reports whether a text contains words, in any case.
func mentions(text, words string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(words))
}

// mostAbsent bounds the facts that are explained although they were not candidates.
const mostAbsent = 20

// absent returns facts that match and were not candidates, with the reason.
func (s *Handlers) absent(
	ctx context.Context, id memory.Identity, record stored.Injection, candidates []ChoiceView, texts sourceTexts, about string,
) ([]ChoiceView, error) {
	found, err := s.factsAbout(ctx, id, about)
	if err != nil {
		return nil, err
	}
	documents, err := s.Store.Documents(ctx, id, gate.DocumentFilter{})
	if err != nil {
		return nil, err
	}
	var absent []ChoiceView
	for _, f := range found {
		if slices.ContainsFunc(candidates, func(c ChoiceView) bool { return c.Fact != nil && *c.Fact == f.ID || strings.Contains(c.Text, f.Text) }) {
			continue
		}
		within, err := texts.contain(ctx, record.Choices, f.Statement.Text)
		if err != nil {
			return nil, err
		}
		reason := "not_found"
		switch {
		case f.Archived:
			reason = "archived"
		case f.At.After(record.At):
			reason = "later"
		case slices.ContainsFunc(documents, func(d gate.DocumentEntry) bool { return d.ID == f.Document && d.Enabled }):
			reason = "prompt"
		case record.Skipped != "" && record.Skipped != "nothing":
			reason = "skipped"
		case within:
			reason = "excerpt"
		}
		absent = append(absent, ChoiceView{
			Outcome: "absent", Reason: reason, Corpus: search.Memory, Path: f.Path, StartLine: f.FromLine, EndLine: f.ToLine,
			Version: f.Version, Scope: f.Scope, Agent: f.Agent, Fact: &f.ID, Score: f.Evidence.Trust(s.Now()), Text: f.Text,
		})
	}
	return absent, nil
}

// factsAbout returns the fact with an id, or those that contain words. There are none where facts are switched off.
func (s *Handlers) factsAbout(ctx context.Context, id memory.Identity, about string) ([]stored.Fact, error) {
	if fact, err := uuid.Parse(about); err == nil {
		h, err := s.Store.Fact(ctx, id, fact)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrFactsOff):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []stored.Fact{h.Now().Fact}, nil
	}
	list, err := s.Store.ByTrust(ctx, id, stored.Query{Text: about, Archived: true, Page: store.Page{Limit: mostAbsent}})
	if errors.Is(err, store.ErrFactsOff) {
		return nil, nil
	}
	return list.Items, err
}

// sourceTexts reads the texts of choices, each document once.
type sourceTexts struct {
	store    *store.Store
	id       memory.Identity
	versions map[sourceVersion][]string // lines
}

type sourceVersion struct {
	source  uuid.UUID
	version int
}

// shown returns what the context contains of a choice; empty: it exists no longer, or belongs to another agent.
func (s sourceTexts) shown(ctx context.Context, c stored.Choice) (string, error) {
	if len(c.Shown) == 0 {
		return s.of(ctx, c)
	}
	var parts []string
	for _, lines := range c.Shown {
		c.From, c.To = lines.From, lines.To
		part, err := s.of(ctx, c)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n"), nil
}

// contain reports whether the whole passage of a choice contains a statement.
func (s sourceTexts) contain(ctx context.Context, choices []stored.Choice, statement string) (bool, error) {
	for _, c := range choices {
		text, err := s.of(ctx, c)
		if err != nil || strings.Contains(text, statement) {
			return err == nil, err
		}
	}
	return false, nil
}

// of returns the whole text of a choice; empty: it exists no longer, or belongs to another agent.
func (s sourceTexts) of(ctx context.Context, c stored.Choice) (string, error) {
	if c.Agent != "" && c.Agent != s.id.Agent || !recall.IsOwn(c.Corpus) || c.Corpus == toolbox.Outside { // another program keeps it
		return "", nil
	}
	if name, is := strings.CutPrefix(c.Path, recall.SessionsFolder); is && c.Corpus == search.Sessions {
		messages, err := s.store.Messages(ctx, s.id, name, int64(c.From)-1, c.To-c.From+1)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		var lines []string
		for _, m := range messages {
			lines = append(lines, m.Content)
		}
		return strings.Join(lines, "\n"), nil
	}
	key := sourceVersion{c.Source, c.Version}
	lines, known := s.versions[key]
	if !known {
		version, err := s.store.VersionOf(ctx, s.id, memory.Ref{Scope: c.Scope, Path: c.Path}, c.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		lines = strings.Split(version.Content, "\n")
		s.versions[key] = lines
	}
	return strings.Join(lines[min(c.From-1, len(lines)):min(c.To, len(lines))], "\n"), nil
}
