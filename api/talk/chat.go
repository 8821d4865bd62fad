package talk

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/talk"
)

// turnTime bounds a turn that is answered at once, and streamTime a streamed one: a model may be called many
// times in it, and a full window is flushed and summarised first.
const (
	turnTime   = rest.MaxWait + rest.RequestTimeout
	streamTime = rest.FollowTime
)

const chatPath = "/api/v1/chat"

func (s *Handlers) chatRoutes() {
	const doc = "Stores the message, makes the context, asks the model with the memory tools, stores what came of it and has it extracted. " +
		"A message that asks to remember something is saved at once, without a model, and answered with a receipt. " +
		"Without a model, the answer is what memory holds, with citations. A message whose answer is stored is answered with it again."
	rest.Register(s.Server, rest.Route{
		ID: "chat", Method: http.MethodPost, Path: chatPath, Tag: "chat", Need: memory.RoleMember, Summary: "Answer a message",
		Act: rest.Changes, Body: maxContextBody,
		Timeout: turnTime, Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusBadGateway},
		Doc: doc + " When the client hangs up, nothing of an answer is stored, and the message stays.",
	}, s.chat)
	s.chatStreamRoutes(doc)
}

type chatInput struct {
	Body struct {
		rest.PersonBody
		AgentID        string         `json:"agentId" minLength:"1" maxLength:"63" doc:"Id of the agent." example:"ada"`
		ConversationID string         `json:"conversationId,omitempty" maxLength:"255" doc:"The client's id of the conversation; made when it is new, and named by the server when it is empty." example:"c1"`
		Message        string         `json:"message" minLength:"1" maxLength:"262144" doc:"What to answer; UTF-8, at most 256 KiB." example:"Where do I live?"`
		MessageID      string         `json:"messageId,omitempty" maxLength:"128" doc:"The client's id of the message: sent again, it is the same message. Empty: one is made."`
		Name           string         `json:"name,omitempty" maxLength:"200" doc:"Name of the speaker."`
		Speaker        string         `json:"speaker,omitempty" maxLength:"128" doc:"Who speaks, where the owner is a group: their memories have a separate section." example:"feishu:ou_1"`
		Model          string         `json:"model,omitempty" maxLength:"200" doc:"Instead of the agent's or the server's."`
		MaxInputTokens int            `json:"maxInputTokens,omitempty" minimum:"0" maximum:"10000000" doc:"Tokens of the window; 0: the agent's setting, else the server's."`
		TriggerSource  memory.Trigger `json:"triggerSource,omitempty" enum:"web,channel,api" default:"api" doc:"Where a new conversation comes from."`
	}
}

// Resolve checks what a schema cannot.
func (in *chatInput) Resolve(huma.Context) []error {
	return checkMessage(in.Body.Message)
}

// turnView is an answer.
type turnView struct {
	Conversation string          `json:"conversationId"`
	MessageID    string          `json:"messageId" doc:"Id of the message that was answered."`
	AnswerID     string          `json:"answerId,omitempty"`
	Answer       string          `json:"answer"`
	Model        string          `json:"model" doc:"Who answered: a model, builtin/recall (from memory alone), builtin/remember or builtin/forget."`
	Finish       string          `json:"finish" enum:"stop,length,tool_limit" doc:"Why it ends: the model was done, the answer was cut, or no more tools were allowed."`
	Rounds       int             `json:"rounds" doc:"Number of model calls."`
	Usage        memory.Usage    `json:"usage"`
	Replayed     bool            `json:"replayed,omitempty" doc:"The message was answered before; this is that answer."`
	Remembered   *rememberedView `json:"remembered,omitempty" doc:"What the message asked to remember."`
	Forgotten    *forgottenView  `json:"forgotten,omitempty" doc:"What the message asked to forget, when it was forgotten."`
	Quoted       []recalledView  `json:"quoted,omitempty" nullable:"false" doc:"Without a model: the statements of memory that the answer quotes."`
	ToolCalls    []toolUseView   `json:"toolCalls" doc:"What the model did with the tools, in order."`
	Context      MadeContext     `json:"context" doc:"Context of the last model call."`
	LastSeq      int64           `json:"lastSeq,omitempty" doc:"Number of the conversation's last message."`
	Token        string          `json:"token,omitempty" doc:"Names what was stored, for a search that is to see its vectors (after)."`
}

// toolUseView is one call of a tool.
type toolUseView struct {
	ID        string         `json:"id"`
	Name      string         `json:"name" example:"memory_search"`
	Arguments string         `json:"arguments" doc:"JSON, as the model wrote them."`
	IsError   bool           `json:"isError,omitempty"`
	Content   string         `json:"content" doc:"What the model was shown: JSON."`
	Found     []recalledView `json:"found,omitempty" nullable:"false" doc:"Passages that it showed."`
	Written   *writtenView   `json:"written,omitempty" doc:"Result of a write."`
	Took      float64        `json:"tookMs"`
}

func viewToolUse(u chat.ToolUse) toolUseView {
	v := toolUseView{
		ID:        u.Call.ID,
		Name:      u.Call.Name,
		Arguments: u.Call.Arguments,
		IsError:   u.Result.IsError,
		Content:   u.Result.Content,
		Took:      rest.Milliseconds(u.Took),
	}
	if u.Result.Written != nil {
		written := viewWritten(*u.Result.Written)
		v.Written = &written
	}
	for _, h := range u.Result.Found {
		v.Found = append(v.Found, viewRecalled(h, 0))
	}
	return v
}

func viewTurn(t chat.Turn) turnView {
	v := turnView{
		Conversation: t.Conversation, MessageID: t.MessageID, AnswerID: t.AnswerID, Answer: t.Answer, Model: t.Model, Finish: t.Finish,
		Rounds: t.Rounds, Usage: t.Usage, Replayed: t.Replayed, ToolCalls: rest.Views(t.Calls, viewToolUse), Context: viewMade(t.Context),
		LastSeq: t.Stored.LastSeq, Token: t.Stored.Token,
	}
	for _, q := range t.Quoted {
		v.Quoted = append(v.Quoted, viewUsed(q))
	}
	if t.Remembered != nil {
		remembered := viewRemembered(*t.Remembered)
		v.Remembered = &remembered
	}
	if t.Forgotten != nil {
		forgotten := viewForgotten(*t.Forgotten, false)
		v.Forgotten = &forgotten
	}
	return v
}

// asked holds a message to be answered, and the identity it is answered for.
type asked struct {
	id      memory.Identity
	agent   gate.Agent
	request chat.TurnRequest
}

func (s *Handlers) asked(ctx context.Context, in *chatInput) (asked, error) {
	b := in.Body
	id, agent, err := s.NeedOwner(ctx, b.AgentID, b.Person())
	if err != nil {
		return asked{}, err
	}
	speaker, err := rest.SpeakerOf(b.Speaker, "body.speaker")
	if err != nil {
		return asked{}, err
	}
	return asked{id, agent, chat.TurnRequest{
		Speaker:      speaker,
		Conversation: b.ConversationID, MessageID: b.MessageID, Message: b.Message, Name: b.Name, Trigger: b.TriggerSource,
		Model: b.Model, MaxTokens: b.MaxInputTokens,
	}}, nil
}

func (s *Handlers) chat(ctx context.Context, in *chatInput) (*rest.Reply[turnView], error) {
	a, err := s.asked(ctx, in)
	if err != nil {
		return nil, err
	}
	release, err := s.TakeTurn()
	if err != nil {
		return nil, err
	}
	defer release()
	turn, err := s.turns.Turn(ctx, a.id, a.agent, a.request, nil)
	if err != nil {
		return nil, err
	}
	return rest.OK(viewTurn(turn)), nil
}

// chatService makes the service of turns from the server's parts.
func (s *Handlers) chatService() *chat.Service {
	o := s.Chat
	if o.Settings == (setting.WindowSettings{}) {
		o.Settings = setting.DefaultWindowSettings()
	}
	if o.Extract == (setting.ExtractSettings{}) {
		o.Extract = setting.DefaultExtractSettings()
	}
	o.Store, o.Search, o.Now, o.Log = s.Store, s.Search, s.Now, s.Log
	o.Tools = s.Tools
	o.Compactor = compactor{s.Workflows, s.Stopping}
	o.Stored = s.turnStored
	return &chat.Service{Options: o}
}

// turnStored starts the extraction and indexing of a turn, as for messages that are posted.
func (s *Handlers) turnStored(ctx context.Context, id memory.Identity, agent gate.Agent, conversation string, stored talk.Stored) {
	if stored.Token != "" {
		s.IndexChanged(id, memory.ScopePersonal)
	}
	s.Schedule(ctx, id, agent, conversation, stored)
}

// compactSettings returns the settings for compacting an agent's conversations.
func (s *Handlers) compactSettings(agent gate.Agent) setting.CompactSettings {
	return s.turns.Settings.With(agent.Settings).Compact(s.turns.Extract.With(agent.Settings))
}
