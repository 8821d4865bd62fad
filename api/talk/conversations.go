package talk

import (
	"context"
	"net/http"
	"time"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
)

func (s *talkRoom) conversationRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-conversations", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/conversations", Tag: "conversations",
		Need: memory.RoleViewer, Summary: "List conversations, the latest first",
		Doc: "Of the owner that is named or that the key is pinned to; naming nobody, of all owners (whose they are is shown to admins only).",
	}, s.listConversations)
}

type conversationView struct {
	ID            string         `json:"id"`
	Owner         memory.Owner   `json:"owner,omitempty"`
	TriggerSource memory.Trigger `json:"triggerSource"`
	LastSeq       int64          `json:"lastSeq" doc:"Last message stored; messages are numbered from 1."`
	CompleteSeq   int64          `json:"completeSeq" doc:"Last message of a completed turn."`
	ConsideredSeq int64          `json:"consideredSeq" doc:"How far extraction has looked; a closed gate moves it too."`
	CursorSeq     int64          `json:"cursorSeq" doc:"How far messages are accounted for."`
	PendingSince  *time.Time     `json:"pendingSince,omitempty" doc:"Since when something waits to be looked at."`
	CreatedAt     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updatedAt"`
}

func viewConversation(c store.Conversation) conversationView {
	return conversationView{
		ID: c.ID, Owner: c.Owner, TriggerSource: c.Trigger,
		LastSeq: c.Last, CompleteSeq: c.Complete, ConsideredSeq: c.Considered, CursorSeq: c.Cursor,
		PendingSince: c.PendingSince, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

type conversationsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

func (s *talkRoom) listConversations(ctx context.Context, in *conversationsInput) (*rest.Reply[rest.Page[conversationView]], error) {
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
