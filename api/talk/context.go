package talk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
	"reverie/providers"
	"reverie/recall"
	"reverie/search"
	"reverie/store/gate"
	"reverie/window"
)

// maxContextBody holds a message and the definitions of many tools.
const maxContextBody = 8 << 20

func (s *Handlers) contextRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "assemble-context", Method: http.MethodPost, Path: "/api/v1/agents/{agent}/context", Tag: "chat", Need: memory.RoleMember,
		Act: rest.Changes, Summary: "Assemble the context for a model", Body: maxContextBody, Timeout: rest.MaxWait + rest.RequestTimeout,
		Errors: []int{http.StatusUnprocessableEntity},
		Doc: "The messages of one turn, fitted into the window: the enabled documents as the system prompt, the summary of earlier turns, the " +
			"last turns word by word, what memory recalls, and the current message last; with a ledger of where the tokens went. Stores nothing " +
			"that was said. When the window is fuller than its share, earlier messages are flushed and summarised first, up to wait; wait=0s " +
			"sends what fits at once. 422 window_too_large when system prompt, tools and message alone do not fit; 503 with Retry-After when " +
			"what has to leave the window cannot be saved yet.",
	}, s.assembleContext)
}

// toolInput is a tool that the model will be offered.
type toolInput struct {
	Name        string          `json:"name" minLength:"1" maxLength:"128"`
	Description string          `json:"description,omitempty" maxLength:"65536"`
	Parameters  json.RawMessage `json:"parameters,omitempty" doc:"JSON schema of its arguments."`
}

type contextInput struct {
	rest.AgentParam
	rest.WaitParam
	AsOf string `query:"asOf" maxLength:"40" doc:"A context of what was known then: documents, facts, and what was said until then. It has no conversation, and is not recorded. RFC 3339, or a date in the agent's time zone, of which it is the end. Missing: now." example:"2026-05-31"`
	Body struct {
		rest.PersonBody
		Conversation   string      `json:"conversation,omitempty" maxLength:"255" doc:"The client's id of the conversation. Empty, or one that does not exist yet: there is nothing before the message." example:"c1"`
		Message        string      `json:"message" minLength:"1" maxLength:"262144" doc:"What the model is to answer." example:"Where do I live?"`
		Name           string      `json:"name,omitempty" maxLength:"200" doc:"Name of the speaker."`
		Speaker        string      `json:"speaker,omitempty" maxLength:"128" doc:"Who speaks, where the owner is a group: each message of a person then begins with who said it, and what is recalled names the person." example:"feishu:ou_1"`
		Tools          []toolInput `json:"tools,omitempty" maxItems:"256" nullable:"false" doc:"Tools sent with the context; their tokens are reserved."`
		Model          string      `json:"model,omitempty" maxLength:"200" doc:"Model whose tokens are counted; empty: the configured model."`
		MaxInputTokens int         `json:"maxInputTokens,omitempty" minimum:"0" maximum:"10000000" doc:"Tokens of the window; 0: the agent's setting, else the server's (128,000)."`
	}
}

// Resolve checks what a schema cannot.
func (in *contextInput) Resolve(huma.Context) []error {
	return checkMessage(in.Body.Message)
}

// checkMessage checks the current message.
func checkMessage(message string) []error {
	var errs []error
	complain := func(format string, args ...any) {
		errs = append(errs, &huma.ErrorDetail{Location: "body.message", Message: fmt.Sprintf(format, args...)})
	}
	if n := len(message); n > memory.MaxMessageBytes && utf8.RuneCountInString(message) <= memory.MaxMessageBytes {
		complain("it has %d bytes, at most %d are allowed: split it", n, memory.MaxMessageBytes)
	}
	if message != "" && strings.TrimSpace(message) == "" {
		complain("it says nothing")
	}
	return errs
}

// contextView is an assembled context, with reasons.
type contextView struct {
	Messages    []windowMessage   `json:"messages" doc:"In the order in which they are sent."`
	MorningCard *rest.MorningCard `json:"morningCard,omitempty" doc:"To be shown to the person: with the first context of a day, what the latest dream changed, until it is seen."`
	MadeContext
}

// windowMessage is one message of a window.
type windowMessage struct {
	Kind       window.Kind         `json:"kind" enum:"system,summary,goal,gap,history,recall,current" doc:"What it is. Only system is a system message: what is summarised or recalled is data."`
	Role       string              `json:"role" enum:"system,user,assistant,tool"`
	Name       string              `json:"name,omitempty"`
	Content    string              `json:"content"`
	ToolCalls  []rest.ToolCallView `json:"toolCalls,omitempty" nullable:"false"`
	ToolCallID string              `json:"toolCallId,omitempty"`
	Seq        int64               `json:"seq,omitempty" doc:"Number of a stored message."`
	Tokens     int                 `json:"tokens"`
	Cut        window.Cut          `json:"cut,omitempty" doc:"Not the whole of what was said: trimmed to head and tail, or cleared to one line."`
}

func viewWindowMessage(m window.Message) windowMessage {
	v := windowMessage{
		Kind:       m.Kind,
		Role:       m.Role,
		Name:       m.Name,
		Content:    m.Content,
		ToolCallID: m.ToolCallID,
		Seq:        m.Seq,
		Tokens:     m.Tokens,
		Cut:        m.Cut,
	}
	for _, call := range m.ToolCalls {
		v.ToolCalls = append(v.ToolCalls, rest.ToolCallView(call))
	}
	return v
}

// MadeContext describes how a context was made.
type MadeContext struct {
	Ledger    window.Ledger  `json:"ledger" doc:"Tokens by part of the context."`
	Model     string         `json:"model,omitempty" doc:"Model whose tokens were counted."`
	Counter   counterView    `json:"counter"`
	Recalled  []recalledView `json:"recalled" doc:"Passages of memory that are in the context, best first."`
	Omitted   int            `json:"omitted,omitempty" doc:"Passages that did not fit."`
	Injection uuid.UUID      `json:"injection" doc:"Record of what was chosen and why: GET …/injections/{injection}. Zero with asOf."`
	Skipped   string         `json:"skipped,omitempty" doc:"Why nothing that matches the message was recalled: trivial (the message needs no memory), off, disabled, nothing (was found), unavailable."`
	Providers []providedView `json:"providers,omitempty" nullable:"false" doc:"Providers of memory that were asked as well."`
	Summary   *summaryRef    `json:"summary,omitempty" doc:"Summary of earlier turns."`
	Unsent    int64          `json:"unsent,omitempty" doc:"Messages up to this number that are in the window neither directly nor through the summary. They are flushed: what was durable in them is in memory."`
	Compact   int64          `json:"compact,omitempty" doc:"Up to where earlier turns are still to be summarised."`
	Flushing  bool           `json:"flushing,omitempty" doc:"A flush of earlier messages was started."`
}

// providedView reports the outcome of the question to an external program.
type providedView struct {
	ID       string            `json:"id" example:"wiki"`
	Passages int               `json:"passages" doc:"What it has recalled; recalled has those that are in the context."`
	Failed   providers.Failure `json:"failed,omitempty" enum:"timeout,connection,status,malformed,too_large,cooling" doc:"Why it recalled nothing."`
	Ms       float64           `json:"ms"`
}

type counterView struct {
	Name  string `json:"name" doc:"Vocabulary that tokens were counted with; estimate when the model's is not known." example:"o200k_base"`
	Exact bool   `json:"exact"`
}

// summaryRef names the compaction whose summary is in a context.
type summaryRef struct {
	Compaction uuid.UUID `json:"compaction"`
	To         int64     `json:"to" doc:"Last message that the summary covers."`
	Tokens     int       `json:"tokens"`
	Model      string    `json:"model" doc:"Who wrote it."`
}

// recalledView is a passage of memory that is in a context.
type recalledView struct {
	Corpus       search.Corpus `json:"corpus" doc:"memory, sessions, backend (an external MCP server; the line is the id there), or the id of a provider of memory." example:"memory"`
	Path         string        `json:"path" example:"MEMORY.md"`
	StartLine    int           `json:"startLine" doc:"Line of the document, or number of the message."`
	EndLine      int           `json:"endLine"`
	Citation     string        `json:"citation" example:"MEMORY.md#L12"`
	Scope        memory.Scope  `json:"scope,omitempty" doc:"Missing for what another program has provided."`
	Agent        string        `json:"agent,omitempty" doc:"Whose memory it is: this agent's, or that of its leader. Missing for GLOBAL."`
	Version      int           `json:"version,omitempty" doc:"Version of the document."`
	Conversation string        `json:"conversation,omitempty"`
	Role         string        `json:"role,omitempty" doc:"Role of the speaker."`
	Person       memory.Owner  `json:"person,omitempty" doc:"In a group: the person who said it, or whose section of MEMORY.md contains it." example:"feishu:ou_1"`
	Text         string        `json:"text" doc:"What was found."`
	Score        float64       `json:"score"`
	At           *time.Time    `json:"at,omitempty" doc:"When it was said or written."`
	Tokens       int           `json:"tokens" doc:"Number of tokens in the context."`
	Layer        string        `json:"layer,omitempty" enum:"identity,trusted,matched,provided" doc:"Why it is in the context: it is about the person, among the most trusted, matches the message, or another program has provided it."`
	Fact         *uuid.UUID    `json:"fact,omitempty" doc:"Of what does not depend on the message."`
}

func viewRecalled(h recall.Hit, tokens int) recalledView {
	v := recalledView{
		Corpus: h.Corpus, Path: h.Path, StartLine: h.FromLine, EndLine: h.ToLine, Citation: recall.Citation(h.Path, h.FromLine, h.ToLine),
		Scope: h.Source.Scope, Agent: h.Source.Agent, Version: h.Source.Version, Conversation: h.Source.Conversation, Role: h.Message.Role,
		Text: h.Snippet, Score: h.Score, Tokens: tokens,
	}
	if !h.At.IsZero() {
		v.At = &h.At
	}
	return v
}

// viewUsed returns the view of a passage that a context or an answer contains.
func viewUsed(r chat.Recalled) recalledView {
	v := viewRecalled(r.Hit, r.Tokens)
	v.Person, v.Layer = r.Person, r.Layer.String()
	if r.Fact != uuid.Nil {
		v.Fact = &r.Fact
	}
	return v
}

func viewMade(c chat.Context) MadeContext {
	v := MadeContext{
		Ledger: c.Ledger, Model: c.Model, Counter: counterView{c.Counter.Name, c.Counter.Exact},
		Recalled: rest.Views(c.Recalled, viewUsed),
		Omitted:  c.Omitted, Injection: c.Injection, Skipped: c.Skipped, Unsent: c.Unsent, Compact: c.Compact, Flushing: c.Flushing,
	}
	for _, p := range c.Asked {
		v.Providers = append(v.Providers, providedView{p.Provider, len(p.Block) + len(p.Hits), p.Failed, rest.Milliseconds(p.Took)})
	}
	if c.Compaction != nil {
		v.Summary = &summaryRef{c.Compaction.ID, c.Compaction.To, c.Compaction.SummaryTokens, c.Compaction.Model}
	}
	return v
}

func (s *Handlers) assembleContext(ctx context.Context, in *contextInput) (*rest.Reply[contextView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	b := in.Body
	id, agent, err := s.NeedOwner(ctx, in.Agent, b.Person())
	if err != nil {
		return nil, err
	}
	speaker, err := rest.SpeakerOf(b.Speaker, "body.speaker")
	if err != nil {
		return nil, err
	}
	asOf, err := pastOf(in, agent, s.Now())
	if err != nil {
		return nil, err
	}
	release, err := s.TakeTurn()
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, wait+chat.AnswerTime)
	defer cancel()
	made, err := s.turns.Context(ctx, id, agent, chat.ContextRequest{
		Conversation: b.Conversation, Message: b.Message, Name: b.Name, Speaker: speaker, Model: b.Model, MaxTokens: b.MaxInputTokens,
		NoWait: wait == 0, AsOf: asOf,
		Tools: rest.Views(b.Tools, func(t toolInput) window.Tool { return window.Tool(t) }),
	})
	if err != nil {
		return nil, err
	}
	view := contextView{Messages: rest.Views(made.Messages, viewWindowMessage), MadeContext: viewMade(made)}
	if asOf.IsZero() {
		view.MorningCard = s.firstOfDay(ctx, id, agent)
	}
	return rest.OK(view), nil
}

// pastOf returns the time of which a context is made; zero: now.
func pastOf(in *contextInput, agent gate.Agent, now time.Time) (time.Time, error) {
	zone, err := agent.Location()
	if err != nil {
		return time.Time{}, err
	}
	at, err := recall.ParsePast(in.AsOf, zone, now)
	if bad, is := errors.AsType[*recall.InvalidError](err); is {
		return at, fault.InvalidAt("query.asOf", "%s", bad.Problem)
	}
	if !at.IsZero() && in.Body.Conversation != "" {
		return at, fault.InvalidAt("body.conversation", "leave it out with asOf: the context has what memory knew, and no conversation")
	}
	return at, err
}

// firstOfDay returns the morning card with the first context of a day; nil: there is none, or it was shown. A failure does not fail the
// context.
func (s *Handlers) firstOfDay(ctx context.Context, id memory.Identity, agent gate.Agent) *rest.MorningCard {
	zone, err := agent.Location()
	if err != nil || s.CardsOff || !s.turns.Settings.With(agent.Settings).MemoryEnabled {
		return nil
	}
	today := s.Now().In(zone)
	card, err := s.CardOf(ctx, id, today)
	if err == nil && card != nil {
		err = s.Store.ShowMorningCard(ctx, id, today)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "Could not show the morning card", "error", err, "agent", agent.ID)
		return nil
	}
	return card
}
