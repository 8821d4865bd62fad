package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
	"reverie/store"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) chatRoutes() {
	b.page(rest.Route{
		ID: "page-chat", Path: base + "/chat", Summary: "Start a conversation with the agent", Need: memory.RoleMember,
	}, (*request).newChat)
	b.page(rest.Route{
		ID: "page-say-first", Method: http.MethodPost, Path: base + "/chat", Summary: "Begin a conversation with the agent",
		Need: memory.RoleMember, Act: rest.Changes, Body: maxMessageForm, Timeout: rest.MaxWait + rest.RequestTimeout,
	}, (*request).say)
	const one = base + "/chat/{conversation}"
	b.page(rest.Route{
		ID: "page-chatting", Path: one, Summary: "A conversation with the memories of each answer", Need: memory.RoleMember,
	}, (*request).chat)
	b.page(rest.Route{
		ID: "page-say", Method: http.MethodPost, Path: one, Summary: "Say something to the agent", Need: memory.RoleMember, Act: rest.Changes,
		Body: maxMessageForm, Timeout: rest.MaxWait + rest.RequestTimeout,
	}, (*request).say)
}

const (
	// playground begins the names of conversations that the page starts.
	playground = "playground-"
	// maxExplained bounds the latest answers that are shown with their memories; each costs some queries.
	maxExplained = 3
)

func (q *request) newChat() (templ.Component, error) {
	if err := q.enterPerson(); err != nil {
		return nil, err
	}
	return q.chatPage(talk.Conversation{}, view.Chat{})
}

func (q *request) chat() (templ.Component, error) {
	c, err := q.chatOf()
	if err != nil {
		return nil, err
	}
	return q.chatPage(c, view.Chat{})
}

// chatOf finds the conversation in the address. Without one, it is a new one.
func (q *request) chatOf() (talk.Conversation, error) {
	if q.r.PathValue("conversation") == "" {
		return talk.Conversation{}, q.enterPerson()
	}
	uid, err := q.uid("conversation")
	if err != nil {
		return talk.Conversation{}, err
	}
	if err := q.enterPerson(); err != nil {
		return talk.Conversation{}, err
	}
	c, err := q.Store.ConversationByUID(q.Context, q.id, uid)
	if err == nil {
		rest.Touch(q.Context, "conversation", c.ID)
	}
	return c, err
}

// chatPage shows a conversation, which may be new, and a form for what is said next. The form names its message, so that one that is sent
// twice is one message.
func (q *request) chatPage(c talk.Conversation, page view.Chat) (templ.Component, error) {
	if page.MessageID == "" {
		page.MessageID = uuid.NewString()
	}
	turns := q.TalkHandlers.Turns()
	page.NoModel = turns.Model == nil
	if c.UID != uuid.Nil {
		page.Talk = viewConversation(c)
		messages, err := q.Store.Messages(q.Context, q.id, c.ID, max(0, c.Last-maxMessages), maxMessages)
		if err != nil {
			return nil, err
		}
		if page.Lines, err = q.answered(c, messages); err != nil {
			return nil, err
		}
	}
	return view.ChatPage(q.frame("conversations", "Chat"), page), nil
}

// answered shows messages, and next to the latest answers the memories that the model got.
func (q *request) answered(c talk.Conversation, messages []memory.Message) ([]view.Message, error) {
	contexts, err := q.contexts(c.ID)
	if err != nil {
		return nil, err
	}
	lines, answers := viewMessages(messages, contexts)
	for _, i := range answers[max(0, len(answers)-maxExplained):] {
		id, err := uuid.Parse(lines[i].Injection)
		if err != nil {
			return nil, err
		}
		explained, err := q.FactHandlers.Explain(q.Context, q.id, id, "")
		if err != nil {
			return nil, err
		}
		for _, choice := range explained.Choices {
			if choice.Outcome == "injected" {
				lines[i].Used = append(lines[i].Used, viewChoice(choice, map[string]string{c.ID: c.UID.String()}))
			}
		}
		lines[i].Explained = true
	}
	return lines, nil
}

// viewMessages shows messages. It returns also which of them are answers with a record of what their context contained.
func viewMessages(messages []memory.Message, contexts map[int64]string) (lines []view.Message, answers []int) {
	context := "" // of the answer that follows
	for i, m := range messages {
		line := view.Message{Seq: m.Seq, Role: m.Role, Name: m.Name, Text: m.Content, At: m.CreatedAt, Calls: len(m.ToolCalls)}
		if m.Role == memory.RoleOfUser {
			context = contexts[m.Seq]
		} else if m.Role == memory.RoleOfAssistant && m.Content != "" && context != "" {
			line.Injection, context = context, ""
			answers = append(answers, i)
		}
		lines = append(lines, line)
	}
	return lines, answers
}

// say answers a message through the service of the API's chat, in the conversation in the address or a new one.
func (q *request) say() (templ.Component, error) {
	c, err := q.chatOf()
	if err != nil {
		return nil, err
	}
	page := view.Chat{Message: q.text("message"), MessageID: q.r.PostFormValue("id")}
	if _, err := uuid.Parse(page.MessageID); err != nil {
		page.MessageID = ""
		return q.chatPage(c, page)
	}
	switch {
	case strings.TrimSpace(page.Message) == "":
		page.Problem = "Write a message first."
	case len(page.Message) > memory.MaxMessageBytes:
		page.Problem = "That is too long for a message."
	}
	if page.Problem != "" {
		return q.chatPage(c, page)
	}
	name := c.ID
	if name == "" {
		name = playground + page.MessageID
	}
	release, err := q.TakeTurn()
	if err != nil {
		return nil, err
	}
	defer release()
	_, err = q.TalkHandlers.Turns().Turn(q.Context, q.id, q.agent, chat.TurnRequest{
		Conversation: name, MessageID: page.MessageID, Message: page.Message, Trigger: memory.TriggerWeb,
	}, nil)
	if err != nil {
		p, is := errors.AsType[*fault.Problem](q.Explain(q.Context, err))
		if !is {
			return nil, err
		}
		page.Problem = p.Msg
	}
	if found, err := q.Store.Conversation(q.Context, q.id, name); err == nil {
		c = found
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if page.Problem != "" { // the message is stored, and may be sent again
		return q.chatPage(c, page)
	}
	return q.redirect(view.ChatURL(q.frame("", ""), c.UID.String()) + "#end")
}
