// Package recall serves searches, excerpts of their results, and the index.
package recall

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/language/date"
	"reverie/memory"
	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/fuse"
	"reverie/search/keyword"
	"reverie/store/gate"
)

const recallPath = "/api/v1/agents/{agent}/memory"

// recallHandlers serve searches and the index.
type recallHandlers struct{ *rest.Server }

// Register adds the operations about searches.
func Register(k *rest.Server) { (&recallHandlers{k}).recallRoutes() }

func (s *recallHandlers) recallRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "search-memory", Method: http.MethodPost, Act: rest.Reads, Path: recallPath + "/search", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Search memory", Body: rest.MaxSearchBody, Invalid: fault.InvalidSearch,
		Example: map[string]any{"endUserId": "42", "query": "Where do I live?"},
		Doc: "Finds passages of documents and messages that answer a question: shared ones, and those of the owner that is named or that the " +
			"key is pinned to. A request without an owner finds what is shared. By words, and by vectors where an embedding provider is configured; when that " +
			"is away, by words at once, marked degraded. A blank question is refused; one of punctuation alone finds nothing and costs nothing.",
	}, s.searchMemory)
	s.keywordRoutes()
	s.recallGetRoutes()
	s.recallStatusRoutes()
	s.reindexRoutes()
	s.spaceRoutes()
}

type searchInput struct {
	rest.AgentParam
	rest.PersonParams
	Past string `query:"asOf" maxLength:"40" doc:"Search what was known at that time: documents as they were, and what was said until then, by words alone. RFC 3339, or a date in the agent's time zone, of which it is the end. Missing: now." example:"2026-05-31"`
	Body struct {
		Owner      string         `json:"owner,omitempty" maxLength:"128" doc:"Owner key; or give channel and sender, or endUserId. May be in the query instead." example:"user:7"`
		Channel    string         `json:"channel,omitempty" maxLength:"128"`
		Sender     string         `json:"sender,omitempty" maxLength:"128"`
		EndUserID  string         `json:"endUserId,omitempty" maxLength:"128" example:"42"`
		Query      string         `json:"query" maxLength:"4096" pattern:"\\S" patternDescription:"not blank" doc:"The question, in any language. Phrases in quotes and identifiers match literally." example:"When did Grace move to Hamburg?"`
		MaxResults *int           `json:"maxResults,omitempty" minimum:"1" maximum:"50" doc:"Missing: the agent's setting, else the server's (6)."`
		MinScore   *float64       `json:"minScore,omitempty" minimum:"0" maximum:"1" doc:"Minimum score; if no result reaches it, matches by words are answered anyway. Missing: the agent's setting, else the server's (0.25)."`
		Corpus     search.Corpus  `json:"corpus,omitempty" maxLength:"63" default:"all" doc:"memory: documents; sessions: what was said; the id of a provider of memory: what that program knows; all: each of them, balanced."`
		From       string         `json:"from,omitempty" maxLength:"40" doc:"Only what was said or written from then on: RFC 3339, or a date in the agent's time zone." example:"2026-05-01"`
		To         string         `json:"to,omitempty" maxLength:"40" doc:"Only what was said or written before; a date includes its day." example:"2026-05-31"`
		Now        string         `json:"now,omitempty" maxLength:"40" doc:"The time from which relative dates of the query (\"last week\") and ages (decay) are computed: RFC 3339, or a date in the agent's time zone. Missing: now, and for ages the newest message. It hides nothing." example:"2026-05-31"`
		AsOf       string         `json:"asOf,omitempty" maxLength:"40" deprecated:"true" doc:"Same as now. asOf of the query searches the past."`
		Archived   bool           `json:"includeArchived,omitempty" doc:"Also what is archived in documents. It no longer holds, and is left out otherwise."`
		Explain    bool           `json:"explain,omitempty" doc:"Include every component of every score, and why candidates were dropped."`
		After      string         `json:"after,omitempty" maxLength:"20" pattern:"^[0-9]*$" patternDescription:"the token of a receipt" doc:"Token of a write's receipt: with wait, the search waits for its vectors. Lexical search is always current."`
		Wait       string         `json:"wait,omitempty" maxLength:"20" doc:"How long to wait for after, such as 2s; at most 10s. Missing: not at all."`
		Synthetic  bool           `json:"synthetic,omitempty" doc:"Do not record results as recalled. For tests, operators' tools and dreams."`
		Options    recall.Options `json:"options,omitzero" doc:"Other options than the agent's or the server's, for this search."`
	}
}

// searchMemory answers a search. When search is unavailable, the error has the shape that an agent's tool expects.
func (s *recallHandlers) searchMemory(ctx context.Context, in *searchInput) (*rest.Reply[searchView], error) {
	out, err := s.search(ctx, in)
	if err == nil {
		return out, nil
	}
	explained := s.Explain(ctx, err)
	if p, is := errors.AsType[*fault.Problem](explained); is && p.Code >= http.StatusInternalServerError {
		p.Data = failedSearch{[]foundView{}, UnavailableView{
			Disabled: true, Unavailable: true, Error: p.Msg,
			Warning: "Memory could not be searched. Do not conclude from this that nothing is known.", Action: "Search again later.",
		}}
	}
	return nil, explained
}

// failedSearch is the data of a failed search, in the form that an agent's tool knows.
type failedSearch struct {
	Results []foundView `json:"results"`
	UnavailableView
}

func (s *recallHandlers) search(ctx context.Context, in *searchInput) (*rest.Reply[searchView], error) {
	who, err := oneOf(
		in.Person(),
		rest.PersonBody{Owner: in.Body.Owner, Channel: in.Body.Channel, Sender: in.Body.Sender, EndUserID: in.Body.EndUserID}.Person(),
	)
	if err != nil {
		return nil, err
	}
	id, agent, err := s.Enter(ctx, in.Agent, who)
	if err != nil {
		return nil, err
	}
	request, err := searchRequest(in, agent)
	if err != nil {
		return nil, invalidSearch("body.", err)
	}
	if request.Past, err = recall.ParsePast(in.Past, request.Zone, s.Now()); err != nil {
		return nil, invalidSearch("query.", err)
	}
	found, err := s.Search.Search(ctx, id, request)
	if err != nil {
		return nil, invalidSearch("body.", err)
	}
	return rest.OK(s.viewSearch(found)), nil
}

// oneOf returns the person that a request names in its query or in its body.
func oneOf(query, body rest.Person) (rest.Person, error) {
	inQuery := query.Owner+query.Channel+query.Sender+query.EndUserID != ""
	inBody := body.Owner+body.Channel+body.Sender+body.EndUserID != ""
	switch {
	case inQuery && inBody:
		return rest.Person{}, fault.InvalidAt("body.owner", "the query names a person already: name one person in one place")
	case inBody:
		return body, nil
	}
	return query, nil
}

func searchRequest(in *searchInput, agent gate.Agent) (recall.Request, error) {
	b := in.Body
	zone, err := agent.Location()
	if err != nil {
		return recall.Request{}, err
	}
	r := recall.Request{
		Query: b.Query, Corpus: b.Corpus, MaxResults: b.MaxResults, MinScore: b.MinScore, Archived: b.Archived, Explain: b.Explain,
		Synthetic: b.Synthetic, Options: b.Options, Agent: agent.Settings, Zone: zone,
	}
	if r.From, r.To, err = recall.ParsePeriod(b.From, b.To, zone); err != nil {
		return r, err
	}
	if r.Now, err = recall.ParseNow(cmp.Or(b.Now, b.AsOf), zone); err != nil {
		return r, err
	}
	if b.After != "" {
		if r.After, err = strconv.ParseInt(b.After, 10, 64); err != nil {
			return r, &recall.InvalidError{Field: "after", Problem: "it is not the token of a receipt"}
		}
	}
	if b.Wait != "" {
		if r.Wait, err = time.ParseDuration(b.Wait); err != nil {
			return r, &recall.InvalidError{Field: "wait", Problem: "write a duration such as 2s"}
		}
	}
	return r, nil
}

// invalidSearch gives the faults of a request their HTTP form; other errors stay as they are. at is in front of the names of
// the fields.
func invalidSearch(at string, err error) error {
	var found []fault.Fault
	for _, one := range joined(err) {
		if bad, is := errors.AsType[*recall.InvalidError](one); is {
			found = append(found, fault.Fault{Location: at + bad.Field, Message: bad.Problem})
		}
	}
	if found == nil {
		return err
	}
	p := fault.New(fault.InvalidSearch, "%s", fault.Text(found))
	p.Data = fault.Faults{Faults: found}
	return p
}

// joined returns the errors that were joined into one.
func joined(err error) []error {
	if several, is := err.(interface{ Unwrap() []error }); is {
		return several.Unwrap()
	}
	return []error{err}
}

// searchView is the answer to a search, in the shape that agents' tools know.
type searchView struct {
	Results       []foundView        `json:"results" doc:"Results, best first."`
	Provider      string             `json:"provider" doc:"Embedding provider; none: lexical search only."`
	Model         string             `json:"model" doc:"Embedding model; empty when there is none."`
	Fallback      *fallbackView      `json:"fallback,omitempty" doc:"Vectors are configured and had no part in this answer."`
	Citations     string             `json:"citations" enum:"on,off" doc:"Results carry citations."`
	Mode          recall.Mode        `json:"mode" enum:"lexical,hybrid" doc:"How the answer was found: by words alone, or by words and vectors."`
	Degraded      bool               `json:"degraded" doc:"Vectors are configured and had no part in this answer; fallback says why."`
	Staleness     staleView          `json:"staleness" doc:"Content not yet covered by vectors. Lexical search is always current."`
	Waited        string             `json:"waited" doc:"How long it waited for vectors." example:"0s"`
	Disagreements []disagreementView `json:"disagreements,omitempty" nullable:"false" doc:"Pairs of statements in the results that cannot both hold."`
	Providers     []supplementView   `json:"providers,omitempty" nullable:"false" doc:"Providers of memory that were asked as well."`
	Debug         debugView          `json:"debug"`
	Explain       *explainView       `json:"explain,omitempty"`
	UnavailableView
}

// supplementView reports the outcome of the question to an external program.
type supplementView struct {
	Corpus search.Corpus `json:"corpus" example:"wiki"`
	Hits   int           `json:"hits" doc:"Passages that it has found."`
	Failed string        `json:"failed,omitempty" enum:"timeout,connection,status,malformed,too_large,cooling" doc:"Why it was not searched."`
	Ms     float64       `json:"ms"`
}

// disagreementView is two statements that cannot both hold.
type disagreementView struct {
	Older      string `json:"older"`
	Newer      string `json:"newer"`
	Superseded bool   `json:"superseded" doc:"The newer one says that something has changed, and counts. Otherwise nobody has decided."`
}

// UnavailableView answers a search while memory is unavailable, with the next step.
type UnavailableView struct {
	Disabled    bool   `json:"disabled,omitempty" doc:"Nothing was searched."`
	Unavailable bool   `json:"unavailable,omitempty"`
	Error       string `json:"error,omitempty"`
	Warning     string `json:"warning,omitempty" doc:"Message for the agent to relay."`
	Action      string `json:"action,omitempty" doc:"What to do about it."`
}

// foundView is one result.
type foundView struct {
	Corpus       search.Corpus `json:"corpus" doc:"memory, sessions, or the id of a provider of memory." example:"memory"`
	Source       search.Corpus `json:"source" doc:"The same as corpus."`
	Path         string        `json:"path" doc:"Path of the document, or sessions/ and the conversation." example:"memory/2026-11-21.md"`
	StartLine    int           `json:"startLine" doc:"Line of the document, or number of the message; from 1, inclusive."`
	EndLine      int           `json:"endLine"`
	Citation     string        `json:"citation" example:"memory/2026-11-21.md#L3-L7"`
	Score        float64       `json:"score" doc:"0 to 1."`
	VectorScore  float64       `json:"vectorScore"`
	TextScore    float64       `json:"textScore"`
	Snippet      string        `json:"snippet" maxLength:"700" doc:"The part of the passage that shows best why it was found."`
	Scope        memory.Scope  `json:"scope,omitempty" doc:"Missing for what another program knows."`
	Agent        string        `json:"agent,omitempty" doc:"Whose memory it is: this agent's, or that of its leader. Missing for GLOBAL."`
	Owner        memory.Owner  `json:"owner,omitempty" doc:"Owner of a PERSONAL document."`
	Version      int           `json:"version,omitempty" doc:"Version of the document."`
	Conversation string        `json:"conversation,omitempty"`
	MessageIDs   []string      `json:"messageIds,omitempty" nullable:"false" doc:"Ids of the messages."`
	Role         string        `json:"role,omitempty" doc:"Role of the speaker."`
	Name         string        `json:"name,omitempty" doc:"Name of the person who said it."`
	At           *time.Time    `json:"at,omitempty" doc:"When it was said or written."`
	SupersededBy string        `json:"supersededBy,omitempty" doc:"Citation of the result above that states a newer value of the same thing." example:"sessions/c1#L12"`

	Explain *recall.Explanation `json:"explain,omitempty"`
}

type fallbackView struct {
	From   string        `json:"from" doc:"Provider and model that should have had a part."`
	Reason recall.Reason `json:"reason" enum:"embedding_timeout,embedding_failed,no_vectors,other_model,vectors_unavailable"`
	Text   string        `json:"text" doc:"The reason, for people."`
}

type staleView struct {
	Pending int64      `json:"pending" doc:"Documents and conversations that wait for vectors."`
	Since   *time.Time `json:"since,omitempty" doc:"When the oldest of them was written."`
}

type debugView struct {
	Backend        string      `json:"backend" doc:"What ranked the documents: postgresql, the built-in index, or the id of the search backend."`
	BackendFailed  string      `json:"backendFailed,omitempty" doc:"Why the built-in index answered in place of the search backend, for people."`
	ConfiguredMode recall.Mode `json:"configuredMode" enum:"lexical,hybrid"`
	EffectiveMode  recall.Mode `json:"effectiveMode" enum:"lexical,hybrid"`
	SearchMs       float64     `json:"searchMs"`
	Hits           int         `json:"hits" doc:"Candidates before the selection."`
}

// explainView explains a search.
type explainView struct {
	Terms   []termView    `json:"terms" doc:"Terms of the question."`
	Phrases []string      `json:"phrases"`
	Periods []periodView  `json:"periods" doc:"Stretches of time that the question names."`
	Corpora []corpusView  `json:"corpora"`
	Dropped []droppedView `json:"dropped" doc:"Candidates that are not among the results, best first in each corpus."`
	Stages  []stageView   `json:"stages" doc:"Duration of each step."`
}

type termView struct {
	Text  string   `json:"text"`
	Forms []string `json:"forms" doc:"The word as it is compared, and its stems."`
	Stop  bool     `json:"stop" doc:"Too common to affect the ranking."`
}

type periodView struct {
	Text string    `json:"text"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

type corpusView struct {
	Corpus   search.Corpus `json:"corpus"`
	Units    int           `json:"units" doc:"Passages in view."`
	Lexical  int           `json:"lexical" doc:"Found by words."`
	Dense    int           `json:"dense" doc:"Found by vectors."`
	Compared int           `json:"compared" doc:"Vectors in view."`
	Votes    fuse.Votes    `json:"votes" doc:"Weights of the two lists for this question."`
}

type droppedView struct {
	Corpus    search.Corpus      `json:"corpus"`
	Path      string             `json:"path"`
	StartLine int                `json:"startLine"`
	EndLine   int                `json:"endLine"`
	Score     float64            `json:"score"`
	Reason    choose.DropReason  `json:"reason" enum:"outside-period,personal-copy,same-message,repeated,in-document,below-floor,too-similar,beyond-limit"`
	Explain   recall.Explanation `json:"explain"`
}

type stageView struct {
	Name string  `json:"name"`
	Ms   float64 `json:"ms"`
}

// errMemoryOff answers searches and reads while memory is off.
const errMemoryOff = "memory is switched off for this agent"

// backend names the store of the index.
const backend = "postgresql"

func (s *recallHandlers) viewSearch(r recall.Response) searchView {
	v := searchView{
		Results: rest.Views(r.Results, viewFound), Provider: r.Embedding.Provider, Model: r.Embedding.Model, Citations: "on",
		Mode: r.Mode, Degraded: r.Degraded, Staleness: staleView{r.Staleness.Pending, r.Staleness.Since},
		Waited: r.Waited.Round(time.Millisecond).String(),
		Debug: debugView{
			ConfiguredMode: recall.Lexical, EffectiveMode: r.Mode, SearchMs: rest.Milliseconds(r.Took), Hits: r.Found,
		},
	}
	for _, d := range r.Disagreements {
		v.Disagreements = append(v.Disagreements, disagreementView{scan.Redacted(d.Older), scan.Redacted(d.Newer), d.Superseded})
	}
	if v.Provider == "" {
		v.Provider = "none"
	}
	if len(s.Search.Embedders) > 0 {
		v.Debug.ConfiguredMode = recall.Hybrid
	}
	if r.Degraded {
		v.Fallback = &fallbackView{From: r.Embedding.Provider + "/" + r.Embedding.Model, Reason: r.Reason, Text: r.Reason.String()}
	}
	for _, s := range r.Supplements {
		v.Providers = append(v.Providers, supplementView{s.Corpus, len(s.Hits), s.Failed, rest.Milliseconds(s.Took)})
	}
	v.Debug.Backend = cmp.Or(r.Backend, backend)
	v.Debug.BackendFailed = r.BackendFailed
	if r.Disabled {
		v.UnavailableView = UnavailableView{
			Disabled: true, Unavailable: true, Error: errMemoryOff,
			Warning: "Memory was not searched: it is switched off for this agent.",
			Action:  "Switch it on with PATCH /api/v1/agents/{agent} {\"settings\": {\"memoryEnabled\": true}}, then search again.",
		}
	}
	if r.Trace != nil {
		v.Explain = viewTrace(*r.Trace)
	}
	return v
}

func viewFound(h recall.Hit) foundView {
	v := foundView{
		Corpus: h.Corpus, Source: h.Corpus, Path: h.Path, StartLine: h.FromLine, EndLine: h.ToLine,
		Citation: recall.Citation(h.Path, h.FromLine, h.ToLine), Score: h.Score, VectorScore: h.VectorScore, TextScore: h.TextScore,
		Snippet: h.Snippet, Scope: h.Source.Scope, Agent: h.Source.Agent, Owner: h.Source.Owner, Version: h.Source.Version,
		Conversation: h.Source.Conversation, SupersededBy: h.SupersededBy,
		Role: h.Message.Role, Name: h.Message.Name, Explain: h.Explanation,
	}
	if h.Message.ID != "" {
		v.MessageIDs = []string{h.Message.ID}
	}
	if !h.At.IsZero() {
		v.At = &h.At
	}
	return v
}

func viewTrace(t recall.Trace) *explainView {
	return &explainView{
		Terms:   rest.Views(t.Terms, func(t recall.TermTrace) termView { return termView(t) }),
		Phrases: rest.Views(t.Phrases, func(p string) string { return p }),
		Periods: rest.Views(t.Periods, func(p date.Period) periodView { return periodView(p) }),
		Corpora: rest.Views(t.Corpora, func(c recall.CorpusTrace) corpusView { return corpusView(c) }),
		Dropped: rest.Views(t.Dropped, func(d recall.DroppedHit) droppedView {
			return droppedView{d.Corpus, d.Path, d.FromLine, d.ToLine, d.Score, d.Reason, *d.Explanation}
		}),
		Stages: rest.Views(t.Stages, func(s recall.Stage) stageView { return stageView{s.Name, rest.Milliseconds(s.Took)} }),
	}
}

func (s *recallHandlers) keywordRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "search-keywords", Method: http.MethodPost, Act: rest.Reads, Path: recallPath + "/keyword", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Search documents by keyword", Body: rest.MaxSearchBody, Invalid: fault.InvalidSearch,
		Doc: "Finds words literally, ignoring case, in the visible documents that have every word. Of Chinese, Japanese and Korean words of more than two " +
			"characters, one pair of neighbouring characters suffices. A line scores by how many of the words and pairs it has, and by its " +
			"document: MEMORY 1, PROFILE 0.9, AGENTS 0.8, memory/ 0.7, others 0.2; at most five lines of a document. Matches are marked [[so]] " +
			"in the snippet.",
	}, s.searchKeywords)
}

type keywordInput struct {
	rest.AgentParam
	rest.PersonParams
	Body struct {
		Query string        `json:"query" minLength:"2" maxLength:"64" doc:"2 to 64 characters; at most six words count." example:"blue cabinet"`
		Scope keyword.Scope `json:"scope,omitempty" enum:"all,memory,profile,persona" default:"all" doc:"memory: MEMORY.md and daily notes; profile: PROFILE.md; persona: AGENTS.md."`
		Limit int           `json:"limit,omitempty" minimum:"1" maximum:"30" default:"10" doc:"Lines."`

		Archived bool `json:"includeArchived,omitempty" doc:"Also lines in the archives of documents."`
	}
}

type keywordsView struct {
	Query     string              `json:"query"`
	Scope     keyword.Scope       `json:"scope"`
	TotalHits int                 `json:"totalHits" doc:"Number of lines in hits."`
	Hits      []recall.KeywordHit `json:"hits" doc:"Results, best first."`
	Hint      string              `json:"hint,omitempty" doc:"What to do when nothing was found."`
	Disabled  bool                `json:"disabled,omitempty" doc:"Nothing was searched."`
	Error     string              `json:"error,omitempty"`
}

func (s *recallHandlers) searchKeywords(ctx context.Context, in *keywordInput) (*rest.Reply[keywordsView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	view := keywordsView{Query: in.Body.Query, Scope: in.Body.Scope, Hits: []recall.KeywordHit{}}
	found, err := s.Search.Keywords(
		ctx,
		id,
		recall.KeywordRequest{Query: in.Body.Query, Scope: in.Body.Scope, Limit: in.Body.Limit, Archived: in.Body.Archived, Agent: agent.Settings},
	)
	if err != nil {
		return nil, invalidSearch("body.", err)
	}
	if found.Disabled {
		view.Disabled, view.Error = true, errMemoryOff
		return rest.OK(view), nil
	}
	view.Hits = append(view.Hits, found.Hits...)
	view.TotalHits = len(view.Hits)
	if view.TotalHits == 0 {
		view.Hint = "No document has all of these words: try fewer or other ones, or memory/search, which also finds what says it " +
			"differently, and what was said."
	}
	return rest.OK(view), nil
}
