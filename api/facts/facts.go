// Package facts serves facts: lists by trust, what is known of one, feedback, and deriving them again.
package facts

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/files"
	"reverie/api/rest"
	"reverie/facts"
	"reverie/memory"
	"reverie/store"
	stored "reverie/store/facts"
)

// Paths of facts, and the original ones.
const (
	factsPath    = "/api/v1/agents/{agent}/facts"
	factPath     = factsPath + "/{fact}"
	originalPath = "/api/v1/memory/{agent}/facts"
)

// Handlers serve facts.
type Handlers struct{ *rest.Server }

// Register adds the operations about facts.
func Register(k *rest.Server) *Handlers {
	s := &Handlers{k}
	rest.Register(s.Server, rest.Route{
		ID: "list-facts", Method: http.MethodGet, Path: factsPath, Original: originalPath, Tag: "facts", Need: memory.RoleViewer,
		Summary: "List facts, the most trusted first", Errors: []int{http.StatusGone},
		Doc: "Shared ones, and those of the owner that is named or that the key is pinned to. The same words in several documents are one fact. With asOf, " +
			"what was believed at that time and how far; lines and uses are missing then.",
	}, s.listFacts)
	rest.Register(s.Server, rest.Route{
		ID: "get-fact", Method: http.MethodGet, Path: factPath, Tag: "facts", Need: memory.RoleViewer,
		Summary: "Read what is known of a fact", Errors: []int{http.StatusGone},
		Doc: "Every term of its trust, its wordings, feedback, and its story: where it was said and noted, how it changed and what was thought " +
			"of it. Also of a fact that is no longer in its document.",
	}, s.getFact)
	s.contradictionRoutes()
	s.archiveRoutes()
	s.feedbackRoutes()
	s.rebuildRoutes()
	s.injectionRoutes()
	s.consolidationRoutes()
	return s
}

type factsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	files.AsOfParam
	Keyword   string         `query:"keyword" maxLength:"256" doc:"Part of the statement, its subject or its value, in any case."`
	Attribute string         `query:"attribute" maxLength:"256" doc:"Only with this attribute." example:"home"`
	Path      string         `query:"path" maxLength:"255" doc:"Only of this document." example:"MEMORY.md"`
	Category  facts.Category `query:"category" enum:"user_pref,project,reference,feedback,general" doc:"Only of this category."`
	Kind      facts.Kind     `query:"kind" enum:"PROFILE,KNOWLEDGE,EVENT" doc:"Only of this kind."`
	MinTrust  float64        `query:"minTrust" minimum:"0" maximum:"1" doc:"Minimum trust."`
	Archived  bool           `query:"includeArchived" doc:"Also those in the archives of documents."`
}

// factView is a fact in lists.
type factView struct {
	ID         uuid.UUID      `json:"id" doc:"It does not change with edits around the statement and small edits of it."`
	Number     int64          `json:"number" doc:"The first 48 bits of the id: by it tools name the fact." example:"48018786218833"`
	Text       string         `json:"text" example:"Lives in Bern."`
	Heading    string         `json:"heading" doc:"Nearest heading above."`
	Path       string         `json:"path" example:"MEMORY.md"`
	StartLine  int            `json:"startLine,omitempty" doc:"From 1, inclusive; missing: it is no longer in the document."`
	EndLine    int            `json:"endLine,omitempty"`
	Version    int            `json:"version" doc:"Of the document, that had these words first."`
	SourceRef  string         `json:"sourceRef" doc:"Document and heading." example:"structured/user.md#diet"`
	Category   facts.Category `json:"category" enum:"user_pref,project,reference,feedback,general"`
	Kind       facts.Kind     `json:"kind" enum:"PROFILE,KNOWLEDGE,EVENT"`
	Subject    string         `json:"subject" doc:"Empty, as attribute and value, if the statement cannot be read so."`
	Attribute  string         `json:"attribute" example:"home"`
	Value      string         `json:"value" example:"Bern"`
	Predicate  string         `json:"predicate" doc:"The same as attribute."`
	Object     string         `json:"object" doc:"The same as value."`
	Confidence float64        `json:"confidence" doc:"That subject, attribute and value are what the statement says, 0 to 1."`
	Trust      float64        `json:"trust" doc:"0 to 1, at the time of the request."`
	Source     facts.Source   `json:"source" enum:"person,edit,model,engine,import" doc:"Who it comes from."`
	Days       int            `json:"days" doc:"Distinct days on which it was noted."`
	ValidFrom  time.Time      `json:"validFrom"`
	ValidTo    *time.Time     `json:"validTo,omitempty"`
	NotedAt    time.Time      `json:"notedAt" doc:"Of the version."`
	Archived   bool           `json:"archived" doc:"It is in the archive of its document and is not shown to models."`
	EndedAt    *time.Time     `json:"endedAt,omitempty" doc:"When it went; missing: it is current."`
	LastUsedAt *time.Time     `json:"lastUsedAt,omitempty" doc:"In a search result, in the last 90 days."`
	UseCount   int            `json:"useCount" doc:"Search results that contained it, in the last 90 days."`
	Scope      memory.Scope   `json:"scope"`
	Owner      memory.Owner   `json:"owner,omitempty" doc:"Of what is PERSONAL."`
}

// FactPage is a page of facts by a name that the OpenAPI document sees.
type FactPage = rest.Page[factView]

type factsView struct {
	FactPage
	Behind bool `json:"behind" doc:"The worker has not yet derived the facts of some changed documents."`
}

func (s *Handlers) listFacts(ctx context.Context, in *factsInput) (*rest.Reply[factsView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	at, err := in.AsOfParam.Time(agent, s.Now())
	if err != nil {
		return nil, err
	}
	query := stored.Query{
		Text: in.Keyword, Attribute: in.Attribute, Path: in.Path, Category: in.Category, Kind: in.Kind, MinTrust: in.MinTrust,
		Archived: in.Archived,
		Page:     store.Page{Limit: in.Limit, Cursor: in.Cursor},
	}
	view := s.viewFact
	var listed stored.Listed
	if at.IsZero() {
		listed, err = s.Store.ByTrust(ctx, id, query)
	} else {
		listed, err = s.Store.ByTrustAsOf(ctx, id, query, at)
		view = func(f stored.Fact) factView {
			v := s.viewFact(f)
			v.Trust = f.Evidence.Trust(at)
			return v
		}
	}
	if err != nil {
		return nil, err
	}
	return rest.OK(factsView{rest.Page[factView]{Items: rest.Views(listed.Items, view), Next: listed.Next}, listed.Behind}), nil
}

func (s *Handlers) viewFact(f stored.Fact) factView {
	return factView{
		ID: f.ID, Number: stored.Number(f.ID), Archived: f.Archived, Text: f.Text, Heading: f.Heading,
		Path: f.Path, StartLine: f.FromLine, EndLine: f.ToLine, Version: f.Version,
		SourceRef: sourceRef(f), Category: f.Category, Kind: f.Kind, Subject: f.SubjectAsSaid(),
		Attribute: f.Attribute, Value: f.Value, Predicate: f.Attribute, Object: f.Value, Confidence: f.Confidence,
		Trust: f.Evidence.Trust(s.Now()), Source: f.Evidence.Source, Days: f.Evidence.Days, ValidFrom: f.From, ValidTo: timeOrNone(f.To),
		NotedAt: f.At, EndedAt: timeOrNone(f.Ended), LastUsedAt: timeOrNone(f.Used.Last), UseCount: f.Used.Times, Scope: f.Scope, Owner: f.Owner,
	}
}

// sourceRef names the document and the section of a fact.
func sourceRef(f stored.Fact) string {
	if f.Heading == "" {
		return f.Path
	}
	return f.Path + "#" + strings.Join(strings.Fields(strings.ToLower(f.Heading)), "-")
}

func timeOrNone(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// FactParam is the fact that a request is about.
type FactParam struct {
	Fact string `path:"fact" format:"uuid" doc:"Id of the fact."`
}

// FactInput is a request about one fact.
type FactInput struct {
	rest.AgentParam
	FactParam
	rest.PersonParams
}

// uuidAt parses an id in the path.
func uuidAt(field, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, fault.InvalidAt("path."+field, "it is not a UUID")
	}
	return id, nil
}

// knownFactView is a fact with its history.
type knownFactView struct {
	Fact     factView           `json:"fact"`
	Explain  []trustTermView    `json:"explain" doc:"Terms of the trust: the sum of the others, limited to 0 to 1, times age."`
	Wordings []factWordingView  `json:"wordings" doc:"The first one first."`
	Feedback []factFeedbackView `json:"feedback" doc:"The first one first."`
	Story    []factEventView    `json:"story" doc:"In the order of time, with the same words in other documents."`
}

type trustTermView struct {
	Term  string  `json:"term" enum:"prior,helpful,unhelpful,days,age"`
	Value float64 `json:"value"`
	Why   string  `json:"why" example:"source: person"`
}

type factWordingView struct {
	Text         string           `json:"text"`
	Version      int              `json:"version" doc:"Of the document, that had these words first."`
	At           time.Time        `json:"at"`
	EndedAt      *time.Time       `json:"endedAt,omitempty"`
	Author       files.AuthorView `json:"author"`
	Reason       string           `json:"reason"`
	Conversation string           `json:"conversation,omitempty"`
	Seqs         []int64          `json:"seqs,omitempty" nullable:"false" doc:"Numbers of the messages it came from; of a range, the first and the last one."`
}

type factEventView struct {
	Kind    stored.EventKind `json:"kind" enum:"said,noted,promoted,written,reworded,corrected,removed,helpful,confirmed,unhelpful,heard,undone"`
	At      time.Time        `json:"at"`
	Fact    uuid.UUID        `json:"fact" doc:"The same words in another document are another fact."`
	Text    string           `json:"text,omitempty" doc:"Of a correction, the new statement."`
	Path    string           `json:"path,omitempty"`
	Version int              `json:"version,omitempty" doc:"Of the document."`

	Author       *files.AuthorView `json:"author,omitempty" doc:"Missing for what was said or undone."`
	Reason       string            `json:"reason,omitempty"`
	Conversation string            `json:"conversation,omitempty"`
	Seqs         []int64           `json:"seqs,omitempty" nullable:"false" doc:"Numbers of the messages it came from; of a range, the first and the last one."`
}

func (s *Handlers) getFact(ctx context.Context, in *FactInput) (*rest.Reply[knownFactView], error) {
	fact, err := uuidAt("fact", in.Fact)
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	return s.known(ctx, id, fact)
}

// known answers with what is known of a fact.
func (s *Handlers) known(ctx context.Context, id memory.Identity, fact uuid.UUID) (*rest.Reply[knownFactView], error) {
	h, err := s.Store.Fact(ctx, id, fact)
	if err != nil {
		return nil, err
	}
	story, err := s.Store.Story(ctx, id, fact)
	if err != nil {
		return nil, err
	}
	now := h.Now()
	return rest.OK(knownFactView{
		Fact:    s.viewFact(now.Fact),
		Explain: rest.Views(now.Explain(s.Now()), func(t facts.Term) trustTermView { return trustTermView{t.Name, t.Value, t.Why} }),
		Wordings: rest.Views(h.Wordings, func(w stored.Wording) factWordingView {
			return factWordingView{w.Text, w.Version, w.At, timeOrNone(w.Ended), files.ViewAuthor(w.Author), w.Reason, w.Sources.Conversation, w.Sources.Seqs}
		}),
		Feedback: rest.Views(h.Feedback, viewFeedback),
		Story:    rest.Views(story, viewEvent),
	}), nil
}

func viewEvent(e stored.Event) factEventView {
	v := factEventView{
		Kind: e.Kind, At: e.At, Fact: e.Fact, Text: e.Text, Path: e.Path, Version: e.Version, Reason: e.Reason,
		Conversation: e.Conversation, Seqs: e.Seqs,
	}
	if e.Author.Kind != "" {
		author := files.ViewAuthor(e.Author)
		v.Author = &author
	}
	return v
}
