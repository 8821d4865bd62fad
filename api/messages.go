package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"reverie/memory"
	"reverie/store"
)

func (s *Server) messageRoutes() {
	const path = "/api/v1/agents/{agent}/conversations/{conversation}/messages"
	register(s, route{
		id: "add-messages", method: http.MethodPost, path: path, tag: "conversations",
		need: memory.RoleMember, summary: "Store messages, and complete a turn",
		status: http.StatusAccepted, body: MaxBodyBytes, errors: []int{http.StatusConflict},
		example: map[string]any{
			"endUserId": "42", "turnComplete": true,
			"messages": []any{
				map[string]any{"id": "m1", "role": "user", "content": "I moved to Bern."},
				map[string]any{"id": "m2", "role": "assistant", "content": "Noted: you live in Bern now."},
			},
		},
		doc: "Stores the batch as a whole, in order. A message whose id is stored already is left alone, so that a batch can be sent again. " +
			"With turnComplete an extraction is scheduled; it waits for a quiet moment and for the owner's cooldown. " +
			"While workflows cannot be reached, messages are stored all the same and extraction.status is pending.",
	}, s.addMessages)
	register(s, route{
		id: "list-messages", method: http.MethodGet, path: path, tag: "conversations",
		need: memory.RoleViewer, summary: "Read messages, oldest first",
	}, s.listMessages)
}

// ConversationParam is the conversation that a request is about.
type ConversationParam struct {
	Conversation string `path:"conversation" maxLength:"255" doc:"The client's id of the conversation; percent-encode a slash." example:"c1"`
}

// toolCallView is what a model asked of a tool, both ways.
type toolCallView struct {
	ID        string `json:"id" minLength:"1" maxLength:"128" doc:"Unique within the message; the tool's message names it." example:"call_1"`
	Name      string `json:"name" minLength:"1" maxLength:"200" doc:"Of the tool." example:"memory_search"`
	Arguments string `json:"arguments" maxLength:"262144" doc:"As the model wrote them: JSON in a string, kept as it is." example:"{\"query\":\"tea\"}"`
}

type messageInput struct {
	ID           string         `json:"id" minLength:"1" maxLength:"128" doc:"The client's id, unique within the conversation; a message is stored once." example:"m1"`
	Role         string         `json:"role" enum:"user,assistant,tool,system"`
	Name         string         `json:"name,omitempty" maxLength:"200" doc:"Of the speaker or tool."`
	Speaker      string         `json:"speaker,omitempty" maxLength:"128" doc:"Of a user message in a group: the id of who said it. It is stored with the name: Ada <feishu:ou_1>." example:"feishu:ou_1"`
	Content      string         `json:"content" maxLength:"262144" doc:"UTF-8, at most 256 KiB."`
	FinishReason string         `json:"finishReason,omitempty" maxLength:"64" doc:"Of an assistant message, as the provider says it."`
	CreatedAt    *time.Time     `json:"createdAt,omitempty" doc:"When it was said; missing: now."`
	ToolCalls    []toolCallView `json:"toolCalls,omitempty" maxItems:"64" nullable:"false" doc:"Of an assistant message: what it asks of tools, at most 256 KiB together."`
	ToolCallID   string         `json:"toolCallId,omitempty" maxLength:"128" doc:"Of a tool message: the id of the call that it answers. A call and its answer stay together in context windows."`
}

// Resolve checks what a schema cannot: sizes in bytes, and characters that PostgreSQL cannot hold.
func (m *messageInput) Resolve(_ huma.Context, at *huma.PathBuffer) []error {
	var errs []error
	complain := func(field, format string, args ...any) {
		errs = append(errs, &huma.ErrorDetail{Location: at.With(field), Message: fmt.Sprintf(format, args...)})
	}
	if n := len(m.Content); n > memory.MaxMessageBytes && utf8.RuneCountInString(m.Content) <= memory.MaxMessageBytes {
		complain("content", "it has %d bytes, at most %d are allowed: split the message", n, memory.MaxMessageBytes)
	}
	if n := len(m.ID); n > memory.MaxMessageID && utf8.RuneCountInString(m.ID) <= memory.MaxMessageID {
		complain("id", "it has %d bytes, at most %d are allowed", n, memory.MaxMessageID)
	}
	for field, value := range map[string]string{"id": m.ID, "name": m.Name, "content": m.Content, "finishReason": m.FinishReason, "toolCallId": m.ToolCallID} {
		if strings.ContainsRune(value, 0) {
			complain(field, "it contains the character U+0000: remove it")
		}
	}
	if _, err := speakerOf(m.Speaker, ""); err != nil {
		complain("speaker", "it is no person: letters, digits and ._:@+=/~- as in feishu:ou_1")
	}
	for i, call := range m.ToolCalls {
		for field, value := range map[string]string{"id": call.ID, "name": call.Name, "arguments": call.Arguments} {
			if strings.ContainsRune(value, 0) {
				complain(fmt.Sprintf("toolCalls[%d].%s", i, field), "it contains the character U+0000: remove it")
			}
		}
	}
	return errs
}

type addMessagesInput struct {
	AgentParam
	ConversationParam
	Body struct {
		Owner         string         `json:"owner,omitempty" maxLength:"128" doc:"Owner key; or give channel and sender, or endUserId." example:"user:7"`
		Channel       string         `json:"channel,omitempty" maxLength:"128"`
		Sender        string         `json:"sender,omitempty" maxLength:"128"`
		EndUserID     string         `json:"endUserId,omitempty" maxLength:"128" example:"42"`
		TriggerSource memory.Trigger `json:"triggerSource,omitempty" enum:"web,channel,api,cron" default:"api" doc:"Where the conversation comes from; cron conversations are stored and never extracted."`
		TurnComplete  bool           `json:"turnComplete,omitempty" default:"false" doc:"The last message ends a turn: what is stored may be extracted."`
		Messages      []messageInput `json:"messages" minItems:"1" maxItems:"1000" nullable:"false"`
	}
}

type addedView struct {
	Conversation string        `json:"conversation"`
	Stored       int           `json:"stored" doc:"New messages."`
	Duplicates   int           `json:"duplicates" doc:"Messages that were stored before."`
	LastSeq      int64         `json:"lastSeq" doc:"Number of the conversation's last message."`
	TurnComplete bool          `json:"turnComplete"`
	Token        string        `json:"token,omitempty" doc:"Names what was stored now, for a search that is to see its vectors (after); missing when nothing new was stored that can be found."`
	Extraction   scheduledView `json:"extraction"`
}

type scheduledView struct {
	Status     string `json:"status" enum:"scheduled,pending,none" doc:"scheduled: a workflow has taken the turn; pending: workflows cannot be reached, and the turn is delivered when they are back; none: no new turn was completed."`
	WorkflowID string `json:"workflowId,omitempty"`
	Link       string `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Outcomes   string `json:"outcomes,omitempty" doc:"Where the outcome will be."`
}

func (s *Server) addMessages(ctx context.Context, in *addMessagesInput) (*reply[addedView], error) {
	b := in.Body
	id, agent, err := s.needOwner(ctx, in.Agent, person{b.Owner, b.Channel, b.Sender, b.EndUserID, "body"})
	if err != nil {
		return nil, err
	}
	stored, err := s.Store.AppendMessages(ctx, id, store.Batch{
		Conversation: in.Conversation, Trigger: b.TriggerSource, TurnComplete: b.TurnComplete, Messages: s.messages(b.Messages),
	})
	if err != nil {
		return nil, err
	}
	if stored.Token != "" {
		s.indexChanged(id, memory.ScopePersonal)
	}
	return accepted(addedView{
		Conversation: in.Conversation, Stored: stored.Stored, Duplicates: stored.Duplicates, LastSeq: stored.LastSeq,
		TurnComplete: b.TurnComplete, Token: stored.Token, Extraction: s.schedule(ctx, id, agent, in.Conversation, stored),
	}), nil
}

func (s *Server) messages(in []messageInput) []memory.Message {
	now := s.Now()
	out := make([]memory.Message, len(in))
	for i, m := range in {
		out[i] = memory.Message{ID: m.ID, Role: m.Role, Name: memory.SpeakerName(m.Name, memory.Owner(m.Speaker)), Content: m.Content, FinishReason: m.FinishReason, CreatedAt: now, ToolCallID: m.ToolCallID}
		if m.CreatedAt != nil {
			out[i].CreatedAt = *m.CreatedAt
		}
		for _, call := range m.ToolCalls {
			out[i].ToolCalls = append(out[i].ToolCalls, memory.ToolCall(call))
		}
	}
	return out
}

type messagesInput struct {
	AgentParam
	ConversationParam
	PersonParams
	Cursor int64 `query:"cursor" minimum:"0" doc:"The next of the page before; missing: from the first message."`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Messages."`
	After  int64 `query:"after" minimum:"0" deprecated:"true" doc:"Same as cursor: messages behind this number."`
}

type messageView struct {
	Seq          int64          `json:"seq"`
	ID           string         `json:"id"`
	Role         string         `json:"role"`
	Name         string         `json:"name,omitempty"`
	Content      string         `json:"content"`
	FinishReason string         `json:"finishReason,omitempty"`
	CreatedAt    time.Time      `json:"createdAt"`
	ToolCalls    []toolCallView `json:"toolCalls,omitempty" nullable:"false" doc:"What an assistant message asks of tools."`
	ToolCallID   string         `json:"toolCallId,omitempty" doc:"The call that a tool message answers."`
}

// messagesView is a part of a conversation.
type messagesView struct {
	Items []messageView `json:"items"`
	Next  int64         `json:"next,omitempty" doc:"Send it as cursor to get the next page; missing on the last one."`
}

func (s *Server) listMessages(ctx context.Context, in *messagesInput) (*reply[messagesView], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	if id, err = mayReadMessages(id); err != nil {
		return nil, err
	}
	conversation, err := s.conversation(ctx, id, in.Conversation)
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
	out.Items = views(messages, messageOf)
	return ok(out), nil
}

func messageOf(m memory.Message) messageView {
	view := messageView{
		Seq: m.Seq, ID: m.ID, Role: m.Role, Name: m.Name, Content: m.Content, FinishReason: m.FinishReason, CreatedAt: m.CreatedAt,
		ToolCallID: m.ToolCallID,
	}
	for _, call := range m.ToolCalls {
		view.ToolCalls = append(view.ToolCalls, toolCallView(call))
	}
	return view
}

// mayReadMessages is the identity that reads what was said: that of an owner, or of all for an admin who names nobody.
func mayReadMessages(id memory.Identity) (memory.Identity, error) {
	id, full := acrossOwners(id)
	switch {
	case full:
		return id, nil
	case !id.Role.Includes(memory.RoleMember):
		return id, problem(nameOwnerNotAllowed, "a viewer key reads conversations only when it is pinned to their owner")
	}
	return id, problem(nameOwnerRequired, "say whose conversation it is: owner, or channel and sender, or endUserId (in the query)")
}
