package recall

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
)

const recallPath = "/api/v1/agents/{agent}/memory"

// recallRoom serves searches and the index behind them.
type recallRoom struct{ *rest.Server }

// Register adds the operations about searches.
func Register(k *rest.Server) { (&recallRoom{k}).recallRoutes() }

func (s *recallRoom) recallRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "search-memory", Method: http.MethodPost, Path: recallPath + "/search", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Search what is remembered and what was said", Body: rest.MaxSearchBody, Invalid: fault.InvalidSearch,
		Example: map[string]any{"endUserId": "42", "query": "Where do I live?"},
		Doc: "Finds passages of documents and messages that answer a question: shared ones, and those of the owner that is named or that the key is pinned to. " +
			"Naming nobody finds what is shared. By words, and by vectors where an embedding provider is configured; when that is away, by words at once, marked degraded. " +
			"A question without words finds nothing and costs nothing.",
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
	Body struct {
		Owner      string         `json:"owner,omitempty" maxLength:"128" doc:"Owner key; or give channel and sender, or endUserId. May stand in the query instead." example:"user:7"`
		Channel    string         `json:"channel,omitempty" maxLength:"128"`
		Sender     string         `json:"sender,omitempty" maxLength:"128"`
		EndUserID  string         `json:"endUserId,omitempty" maxLength:"128" example:"42"`
		Query      string         `json:"query" maxLength:"4096" doc:"The question, in any language. Phrases in quotes and identifiers count where they stand literally." example:"When did Grace move to Hamburg?"`
		MaxResults *int           `json:"maxResults,omitempty" minimum:"1" maximum:"50" doc:"Missing: the agent's setting, else the server's (6)."`
		MinScore   *float64       `json:"minScore,omitempty" minimum:"0" maximum:"1" doc:"Least score; when nothing reaches it, what the words of the question find is answered all the same. Missing: the agent's setting, else the server's (0.35)."`
		Corpus     search.Corpus  `json:"corpus,omitempty" enum:"memory,sessions,all" default:"all" doc:"memory: documents; sessions: what was said; all: both, balanced."`
		From       string         `json:"from,omitempty" maxLength:"40" doc:"Only what was said or written from then on: RFC 3339, or a date in the agent's time zone." example:"2026-05-01"`
		To         string         `json:"to,omitempty" maxLength:"40" doc:"Only what was said or written before; a date includes its day." example:"2026-05-31"`
		Explain    bool           `json:"explain,omitempty" doc:"Tell every component of every score, and why candidates were dropped."`
		After      string         `json:"after,omitempty" maxLength:"20" pattern:"^[0-9]*$" patternDescription:"the token of a receipt" doc:"Token of a write's receipt: with wait, the search waits for its vectors. Words never lag behind."`
		Wait       string         `json:"wait,omitempty" maxLength:"20" doc:"How long to wait for after, such as 2s; at most 10s. Missing: not at all."`
		Synthetic  bool           `json:"synthetic,omitempty" doc:"Not a use: what is found is not remembered as recalled. For tests, tools of operators and dreams."`
		Options    recall.Options `json:"options,omitzero" doc:"Other options than the agent's or the server's, for this search."`
	}
}

// searchMemory answers a search. When the server cannot, the error tells an agent's tool so in the shape that it knows.
func (s *recallRoom) searchMemory(ctx context.Context, in *searchInput) (*rest.Reply[searchView], error) {
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

// failedSearch is what an error of a search tells an agent's tool.
type failedSearch struct {
	Results []foundView `json:"results"`
	UnavailableView
}

func (s *recallRoom) search(ctx context.Context, in *searchInput) (*rest.Reply[searchView], error) {
	who, err := oneOf(in.Person(), rest.PersonBody{Owner: in.Body.Owner, Channel: in.Body.Channel, Sender: in.Body.Sender, EndUserID: in.Body.EndUserID}.Person())
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
	found, err := s.Search.Search(ctx, id, request)
	if err != nil {
		return nil, invalidSearch("body.", err)
	}
	return rest.OK(s.viewSearch(found)), nil
}

// oneOf is the person that a request names in its query or in its body.
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

func searchRequest(in *searchInput, agent store.Agent) (recall.Request, error) {
	b := in.Body
	zone, err := agent.Location()
	if err != nil {
		return recall.Request{}, err
	}
	r := recall.Request{
		Query: b.Query, Corpus: b.Corpus, MaxResults: b.MaxResults, MinScore: b.MinScore, Explain: b.Explain,
		Synthetic: b.Synthetic, Options: b.Options, Agent: agent.Settings, Zone: zone,
	}
	if r.From, r.To, err = recall.ParsePeriod(b.From, b.To, zone); err != nil {
		return r, err
	}
	if b.After != "" {
		if r.After, err = strconv.ParseInt(b.After, 10, 64); err != nil {
			return r, &recall.InvalidError{Field: "after", Problem: "it is no token of a receipt"}
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
	p := fault.New(fault.InvalidSearch, "%s", fault.FaultText(found))
	p.Data = fault.Faults{Faults: found}
	return p
}

// joined are the errors that were joined into one.
func joined(err error) []error {
	if several, is := err.(interface{ Unwrap() []error }); is {
		return several.Unwrap()
	}
	return []error{err}
}
