// Package talk serves conversations: messages, turns, contexts, extractions, compactions and memory tools.
package talk

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
	"reverie/store"
	"reverie/store/talk"
)

// Handlers serve conversations: messages, turns, contexts, extractions and compactions.
type Handlers struct {
	*rest.Server
	turns *chat.Service
}

// Register adds the operations about conversations.
func Register(k *rest.Server) *Handlers {
	s := &Handlers{Server: k}
	s.turns = s.chatService()
	s.conversationRoutes()
	s.messageRoutes()
	s.summarizeRoutes()
	s.extractionRoutes()
	s.chatRoutes()
	s.contextRoutes()
	s.compactionRoutes()
	s.rememberRoutes()
	s.toolRoutes()
	return s
}

// Turns returns the service of turns.
func (s *Handlers) Turns() *chat.Service { return s.turns }

func (s *Handlers) conversationRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-conversations", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/conversations", Tag: "conversations",
		Need: memory.RoleViewer, Summary: "List conversations, latest first",
		Doc: "Lists those of the owner named in the request or pinned to the key, or else of all owners (who they are is shown to admins only).",
	}, s.listConversations)
}

type conversationView struct {
	ID            string         `json:"id"`
	Owner         memory.Owner   `json:"owner,omitempty"`
	TriggerSource memory.Trigger `json:"triggerSource"`
	LastSeq       int64          `json:"lastSeq" doc:"Last message stored; messages are numbered from 1."`
	CompleteSeq   int64          `json:"completeSeq" doc:"Last message of a completed turn."`
	ConsideredSeq int64          `json:"consideredSeq" doc:"Last message examined for extraction, including messages skipped by a gate."`
	CursorSeq     int64          `json:"cursorSeq" doc:"Last message whose extraction is settled."`
	PendingSince  *time.Time     `json:"pendingSince,omitempty" doc:"Time since which messages have been waiting for extraction."`
	CreatedAt     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updatedAt" doc:"When messages were last stored."`
	LastMessageAt *time.Time     `json:"lastMessageAt,omitempty" doc:"The time of the last message, which of an imported conversation is the original one."`
}

func viewConversation(c talk.Conversation) conversationView {
	return conversationView{
		ID: c.ID, Owner: c.Owner, TriggerSource: c.Trigger,
		LastSeq: c.Last, CompleteSeq: c.Complete, ConsideredSeq: c.Considered, CursorSeq: c.Cursor,
		PendingSince: c.PendingSince, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, LastMessageAt: c.LastAt,
	}
}

type conversationsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

func (s *Handlers) listConversations(ctx context.Context, in *conversationsInput) (*rest.Reply[rest.Page[conversationView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	listed, err := s.Store.Conversations(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	out := rest.Page[conversationView]{Items: rest.Views(listed.Items, viewConversation), Next: listed.Next}
	if !full {
		for i := range out.Items {
			out.Items[i].Owner = memory.NoOwner
		}
	}
	return rest.OK(out), nil
}

func (s *Handlers) messageRoutes() {
	const path = "/api/v1/agents/{agent}/conversations/{conversation}/messages"
	rest.Register(s.Server, rest.Route{
		ID: "add-messages", Method: http.MethodPost, Act: rest.Changes, Path: path, Tag: "conversations",
		Need: memory.RoleMember, Summary: "Store messages, and complete a turn",
		Status: http.StatusAccepted, Body: rest.MaxBodyBytes, Errors: []int{http.StatusConflict},
		Example: map[string]any{
			"endUserId": "42", "turnComplete": true,
			"messages": []any{
				map[string]any{"id": "m1", "role": "user", "content": "I moved to Bern."},
				map[string]any{"id": "m2", "role": "assistant", "content": "Noted: you live in Bern now."},
			},
		},
		Doc: "Stores the batch as a whole, in order. A message whose id is stored already is left unchanged, so that a batch can be sent again. " +
			"With turnComplete an extraction is scheduled; it waits for a quiet moment and for the owner's cooldown. " +
			"While workflows cannot be reached, messages are still stored and extraction.status is pending.",
	}, s.addMessages)
	rest.Register(s.Server, rest.Route{
		ID: "list-messages", Method: http.MethodGet, Path: path, Tag: "conversations",
		Need: memory.RoleViewer, Summary: "Read messages, oldest first",
	}, s.listMessages)
}

type addMessagesInput struct {
	rest.AgentParam
	rest.ConversationParam
	Body struct {
		Owner         string              `json:"owner,omitempty" maxLength:"128" doc:"Owner key; or give channel and sender, or endUserId." example:"user:7"`
		Channel       string              `json:"channel,omitempty" maxLength:"128"`
		Sender        string              `json:"sender,omitempty" maxLength:"128"`
		EndUserID     string              `json:"endUserId,omitempty" maxLength:"128" example:"42"`
		TriggerSource memory.Trigger      `json:"triggerSource,omitempty" enum:"web,channel,api,cron" default:"api" doc:"Where the conversation comes from; cron conversations are stored and never extracted."`
		TurnComplete  bool                `json:"turnComplete,omitempty" default:"false" doc:"The last message ends a turn: what is stored may be extracted."`
		Messages      []rest.MessageInput `json:"messages" minItems:"1" maxItems:"1000" nullable:"false"`
	}
}

type addedView struct {
	Conversation string             `json:"conversation"`
	Stored       int                `json:"stored" doc:"New messages."`
	Duplicates   int                `json:"duplicates" doc:"Messages that were stored before."`
	LastSeq      int64              `json:"lastSeq" doc:"Number of the conversation's last message."`
	TurnComplete bool               `json:"turnComplete"`
	Token        string             `json:"token,omitempty" doc:"Names what was stored now, for a search that is to see its vectors (after); missing when nothing new was stored that can be found."`
	Extraction   rest.ScheduledView `json:"extraction"`
}

func (s *Handlers) addMessages(ctx context.Context, in *addMessagesInput) (*rest.Reply[addedView], error) {
	b := in.Body
	id, agent, err := s.NeedOwner(
		ctx,
		in.Agent,
		rest.PersonBody{Owner: b.Owner, Channel: b.Channel, Sender: b.Sender, EndUserID: b.EndUserID}.Person(),
	)
	if err != nil {
		return nil, err
	}
	stored, err := s.Store.AppendMessages(ctx, id, talk.Batch{
		Conversation: in.Conversation, Trigger: b.TriggerSource, TurnComplete: b.TurnComplete, Messages: s.Messages(b.Messages),
	})
	if err != nil {
		return nil, err
	}
	if stored.Token != "" {
		s.IndexChanged(id, memory.ScopePersonal)
	}
	return rest.Accepted(addedView{
		Conversation: in.Conversation, Stored: stored.Stored, Duplicates: stored.Duplicates, LastSeq: stored.LastSeq,
		TurnComplete: b.TurnComplete, Token: stored.Token, Extraction: s.Schedule(ctx, id, agent, in.Conversation, stored),
	}), nil
}

type messagesInput struct {
	rest.AgentParam
	rest.ConversationParam
	rest.PersonParams
	Cursor int64 `query:"cursor" minimum:"0" doc:"The value of next on the previous page; missing: from the first message."`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Messages."`
	After  int64 `query:"after" minimum:"0" deprecated:"true" doc:"Same as cursor: messages after this number."`
}

type messageView struct {
	Seq          int64               `json:"seq"`
	ID           string              `json:"id"`
	Role         string              `json:"role"`
	Name         string              `json:"name,omitempty"`
	Content      string              `json:"content"`
	FinishReason string              `json:"finishReason,omitempty"`
	CreatedAt    time.Time           `json:"createdAt"`
	ToolCalls    []rest.ToolCallView `json:"toolCalls,omitempty" nullable:"false" doc:"Tool calls of an assistant message."`
	ToolCallID   string              `json:"toolCallId,omitempty" doc:"The call that a tool message answers."`
}

// messagesView is a part of a conversation.
type messagesView struct {
	Items []messageView `json:"items"`
	Next  int64         `json:"next,omitempty" doc:"Send it as cursor to get the next page; missing on the last one."`
}

func (s *Handlers) listMessages(ctx context.Context, in *messagesInput) (*rest.Reply[messagesView], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, conversation, err := s.ReadConversation(ctx, id, in.Conversation)
	if err != nil {
		return nil, err
	}
	messages, err := s.Store.Messages(ctx, id, in.Conversation, cmp.Or(in.Cursor, in.After), in.Limit)
	if err != nil {
		return nil, err
	}
	out := messagesView{}
	if n := len(messages); n > 0 && messages[n-1].Seq < conversation.Last {
		out.Next = messages[n-1].Seq
	}
	out.Items = rest.Views(messages, messageOf)
	return rest.OK(out), nil
}

func messageOf(m memory.Message) messageView {
	view := messageView{
		Seq: m.Seq, ID: m.ID, Role: m.Role, Name: m.Name, Content: m.Content, FinishReason: m.FinishReason, CreatedAt: m.CreatedAt,
		ToolCallID: m.ToolCallID,
	}
	for _, call := range m.ToolCalls {
		view.ToolCalls = append(view.ToolCalls, rest.ToolCallView(call))
	}
	return view
}
