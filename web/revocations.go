package web

import (
	"net/http"

	"github.com/a-h/templ"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/revocation"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) revocationRoutes() {
	const path = base + "/conversations/{conversation}/revoke"
	b.page(rest.Route{
		ID: "page-revocation", Path: path, Summary: "What would be taken back of a conversation", Need: memory.RoleMember,
	}, (*request).revocation)
	b.page(rest.Route{
		ID: "page-revoke", Method: http.MethodPost, Path: path, Summary: "Take back what a conversation taught", Need: memory.RoleMember,
		Body: maxForm,
	}, (*request).revoke)
}

// mayRevoke reports whether the caller may take back what a conversation taught.
func (q *request) mayRevoke() bool {
	return q.mayWrite() && (q.id.Pinned || q.key.Role == memory.RoleAdmin)
}

// taughtBy returns the conversation in the address, as a source.
func (q *request) taughtBy() (c talk.Conversation, of revocation.Source, err error) {
	uid, err := q.uid("conversation")
	if err != nil {
		return c, of, err
	}
	if err := q.enter(); err != nil {
		return c, of, err
	}
	reader, err := rest.MayReadMessages(q.id)
	if err != nil {
		return c, of, err
	}
	c, err = q.Store.ConversationByUID(q.Context, reader, uid)
	rest.Touch(q.Context, "kind", string(revocation.Conversation))
	rest.Touch(q.Context, "source", c.ID)
	return c, revocation.Source{Kind: revocation.Conversation, ID: c.ID}, err
}

func (q *request) revocation() (templ.Component, error) {
	c, of, err := q.taughtBy()
	if err != nil {
		return nil, err
	}
	found, next, err := q.Revocable(q.Context, q.id, of, memory.NoOwner)
	if err != nil {
		return nil, err
	}
	page := view.Revocation{Talk: viewConversation(c), More: next != memory.NoOwner}
	for _, p := range found {
		page.Dreams += p.Dreams
		for _, w := range p.Weighed {
			line := view.Taught{
				Owner: string(p.Owner), Path: w.Path, Scope: string(w.Scope), Text: w.Text, Line: w.FromLine, Why: string(w.Why), In: w.In,
			}
			if w.Why == dreams.WhyGoes {
				page.Goes = append(page.Goes, line)
			} else {
				page.Stays = append(page.Stays, line)
			}
		}
	}
	return view.RevocationPage(q.frame("conversations", "Revoke"), page), nil
}

func (q *request) revoke() (templ.Component, error) {
	c, of, err := q.taughtBy()
	if err != nil {
		return nil, err
	}
	if _, err := q.StartRevocation(q.Context, q.id, of); err != nil {
		return nil, err
	}
	return q.redirect(view.URL(q.frame("", ""), "conversations") + "/" + c.UID.String() + "?done=taken-back")
}
