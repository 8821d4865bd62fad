package recall

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/scan"
	"reverie/search"
	"reverie/search/excerpt"
	"reverie/store"
)

func (s *recallHandlers) recallGetRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "get-memory", Method: http.MethodGet, Path: recallPath + "/get", Tag: "recall", Need: memory.RoleViewer,
		Summary: "Read an excerpt of a search result", Invalid: fault.InvalidSearch,
		Doc: "Lines of a document, or messages of a conversation (path sessions/ and its id, a line for each message), at most 12,000 " +
			"characters. While more follows, truncated is true: nextFrom, and nextSkip when a line is longer than an excerpt, are where to go " +
			"on. What does not exist is an empty text.",
	}, s.getMemory)
}

type getMemoryInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.ScopeParam
	Path   string        `query:"path" required:"true" minLength:"1" maxLength:"300" doc:"As in a result: of a document, or sessions/ and the id of a conversation." example:"MEMORY.md"`
	From   int           `query:"from" minimum:"1" default:"1" doc:"First line, or number of the first message."`
	Lines  int           `query:"lines" minimum:"1" maximum:"5000" default:"120" doc:"How many lines or messages."`
	Skip   int           `query:"skip" minimum:"0" doc:"Characters of the first line that are known already: nextSkip of the excerpt before."`
	Corpus search.Corpus `query:"corpus" enum:"memory,sessions,all" default:"all" doc:"Where path is looked for."`
}

// excerptView is a part of a document or of a conversation.
type excerptView struct {
	Path         string        `json:"path"`
	Corpus       search.Corpus `json:"corpus,omitempty" enum:"memory,sessions" doc:"Missing when nothing was found."`
	Text         string        `json:"text" doc:"Whole lines, or a part of one that is longer than an excerpt."`
	From         int           `json:"from"`
	Lines        int           `json:"lines" doc:"How many lines text has; 0 after the end."`
	Total        int           `json:"total" doc:"Lines of the document, or messages of the conversation."`
	Truncated    bool          `json:"truncated,omitempty" doc:"More follows."`
	NextFrom     int           `json:"nextFrom,omitempty" doc:"Send it as from to continue."`
	NextSkip     int           `json:"nextSkip,omitempty" doc:"Send it as skip to continue."`
	Notice       string        `json:"notice,omitempty" doc:"What an agent should know about the end of text."`
	Citation     string        `json:"citation,omitempty" example:"MEMORY.md#L1-L120"`
	Scope        memory.Scope  `json:"scope,omitempty"`
	Agent        string        `json:"agent,omitempty" doc:"Whose memory it is: this agent's, or that of its leader. Missing for GLOBAL."`
	Owner        memory.Owner  `json:"owner,omitempty"`
	Version      int           `json:"version,omitempty" doc:"Version of the document."`
	Conversation string        `json:"conversation,omitempty"`
	MessageIDs   []string      `json:"messageIds,omitempty" nullable:"false" doc:"Ids of the messages in text."`
	Disabled     bool          `json:"disabled,omitempty" doc:"Nothing was read."`
	Error        string        `json:"error,omitempty"`
}

func (s *recallHandlers) getMemory(ctx context.Context, in *getMemoryInput) (*rest.Reply[excerptView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	nothing := excerptView{Path: in.Path, From: in.From}
	if !s.Search.Defaults.With(agent.Settings).Enabled {
		nothing.Disabled, nothing.Error = true, errMemoryOff
		return rest.OK(nothing), nil
	}
	if name, is := strings.CutPrefix(in.Path, recall.SessionsFolder); is && in.Corpus != search.Memory {
		view, found, err := s.conversationExcerpt(ctx, id, name, in)
		if err != nil || found || in.Corpus == search.Sessions || !strings.HasSuffix(in.Path, ".md") {
			return rest.OK(view), err
		}
	}
	if in.Corpus == search.Sessions {
		return nil, invalidSearch(
			"query.",
			&recall.InvalidError{Field: "path", Problem: "a conversation is " + recall.SessionsFolder + " and its id"},
		)
	}
	view, err := s.documentExcerpt(ctx, id, in)
	return rest.OK(view), err
}

// documentExcerpt reads a document; one that does not exist is empty.
func (s *recallHandlers) documentExcerpt(ctx context.Context, id memory.Identity, in *getMemoryInput) (excerptView, error) {
	view := excerptView{Path: in.Path, From: in.From}
	path, err := memory.ParsePath(in.Path)
	if err != nil {
		return view, invalidSearch("query.", &recall.InvalidError{Field: "path", Problem: err.Error()})
	}
	d, err := s.Document(ctx, id, path, in.Scope)
	if p, is := errors.AsType[*fault.Problem](err); is && p.Name == fault.NotFound {
		return view, nil
	}
	if err != nil {
		return view, err
	}
	view.Path, view.Corpus, view.Scope, view.Owner, view.Version, view.Agent = d.Path, search.Memory, d.Scope, d.Owner, d.Version, d.Agent
	view.fill(excerpt.Of(scan.Redacted(d.Content), excerpt.Options{From: in.From, Lines: in.Lines, Skip: in.Skip}))
	return view, nil
}

// conversationExcerpt reads messages of a conversation, each as one line; one that does not exist, or that the caller may
// not know of, is empty and not found.
func (s *recallHandlers) conversationExcerpt(
	ctx context.Context,
	id memory.Identity,
	name string,
	in *getMemoryInput,
) (view excerptView, found bool, err error) {
	view = excerptView{Path: in.Path, From: in.From}
	id, conversation, err := s.ReadConversation(ctx, id, name)
	if p, is := errors.AsType[*fault.Problem](err); is && p.Name == fault.NotFound {
		return view, false, nil
	}
	if err != nil {
		return view, false, err
	}
	messages, err := s.Store.Messages(ctx, id, name, int64(in.From-1), min(in.Lines, store.MaxPage))
	if err != nil {
		return view, false, err
	}
	view.Corpus, view.Scope, view.Owner, view.Conversation = search.Sessions, memory.ScopePersonal, conversation.Owner, name
	if len(messages) == 0 {
		view.Total = int(conversation.Last)
		return view, true, nil
	}
	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&text, "%s: %s\n", speaker(m), strings.Join(strings.Fields(scan.Redacted(m.Content)), " "))
	}
	view.fill(excerpt.Of(text.String(), excerpt.Options{Skip: in.Skip}).Behind(in.From - 1))
	view.Total = int(conversation.Last)
	if last := in.From + view.Lines - 1; !view.Truncated && last < view.Total {
		view.Truncated, view.NextFrom = true, last+1
		view.Notice = excerpt.ReadOn(view.NextFrom, 0)
	}
	for _, m := range messages[:view.Lines] {
		view.MessageIDs = append(view.MessageIDs, m.ID)
	}
	return view, true, nil
}

// speaker names the author of a message.
func speaker(m memory.Message) string {
	if m.Name != "" {
		return strings.Join(strings.Fields(m.Name), " ")
	}
	return strings.ToUpper(m.Role[:1]) + m.Role[1:]
}

// fill copies the text and lines read.
func (v *excerptView) fill(e excerpt.Excerpt) {
	v.Text, v.From, v.Lines, v.Total = e.Text, e.From, e.Lines, e.Total
	v.Truncated, v.NextFrom, v.NextSkip = e.Truncated, e.NextFrom, e.NextSkip
	if e.Lines > 0 {
		v.Citation = recall.Citation(v.Path, v.From, v.From+v.Lines-1)
	}
	if e.Truncated {
		v.Notice = excerpt.ReadOn(v.NextFrom, v.NextSkip)
	}
}
