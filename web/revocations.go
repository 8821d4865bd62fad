package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"reverie/api/fault"
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
		ID: "page-revocation", Path: path, Summary: "Preview the revocation of a conversation", Need: memory.RoleMember,
	}, (*request).revocation)
	b.page(rest.Route{
		ID: "page-revoke", Method: http.MethodPost, Path: path, Summary: "Revoke a conversation", Need: memory.RoleMember,
		Body: maxForm,
	}, (*request).revoke)
	b.page(rest.Route{
		ID: "page-source", Path: base + "/revocations", Summary: "Preview the revocation of an import, a connector or a key",
		Need: memory.RoleMember,
	}, (*request).source)
	b.page(rest.Route{
		ID: "page-revoke-source", Method: http.MethodPost, Path: base + "/revocations", Summary: "Revoke a source",
		Need: memory.RoleMember, Body: maxForm,
	}, (*request).revokeSource)
}

// sourceOf reads a source from a form.
func (q *request) sourceOf(field func(string) string) (view.Revocation, revocation.Source, error) {
	page := view.Revocation{
		Kind: field("kind"), Source: strings.TrimSpace(field("source")), Since: field("since"), Until: field("until"),
	}
	of := revocation.Source{Kind: revocation.Kind(page.Kind), ID: page.Source}
	for text, at := range map[string]*time.Time{page.Since: &of.Since, page.Until: &of.Until} {
		if text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return page, of, fault.Invalid(fault.Fault{Location: "since", Message: "give days as 2026-01-31"})
		}
		*at = day
	}
	if of.Until != (time.Time{}) {
		of.Until = of.Until.AddDate(0, 0, 1) // the whole day
	}
	rest.Touch(q.Context, "kind", page.Kind)
	rest.Touch(q.Context, "source", page.Source)
	return page, of, nil
}

// source shows what the revocation of a source would remove, or asks for one.
func (q *request) source() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	page, of, err := q.sourceOf(q.r.URL.Query().Get)
	if err != nil {
		return nil, err
	}
	frame := q.frame("memory", "Revoke a source")
	if page.Source == "" {
		return view.SourcePage(frame, page), nil
	}
	if err := q.weigh(of, &page); err != nil {
		return nil, err
	}
	return view.SourcePage(frame, page), nil
}

func (q *request) revokeSource() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	switch {
	case q.mayRevoke():
	case q.id.Owner == memory.NoOwner: // shared memory is an administrator's
		return nil, fault.New(fault.NotFound, "Only administrators can revoke sources of shared memory")
	default:
		return nil, fault.New(fault.Forbidden, "Only administrators, or a person with their own key, can revoke sources")
	}
	_, of, err := q.sourceOf(q.text)
	if err != nil {
		return nil, err
	}
	if _, err := q.StartRevocation(q.Context, q.id, of); err != nil {
		return nil, err
	}
	return q.redirect(view.URL(q.frame("", ""), "revocations") + "?done=taken-back")
}

// mayRevoke reports whether the caller may revoke a conversation.
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
	page := view.Revocation{Talk: viewConversation(c)}
	if err := q.weigh(of, &page); err != nil {
		return nil, err
	}
	return view.RevocationPage(q.frame("conversations", "Revoke"), page), nil
}

// weigh adds to a page what the revocation of a source would remove.
func (q *request) weigh(of revocation.Source, page *view.Revocation) error {
	found, next, err := q.Revocable(q.Context, q.id, of, memory.NoOwner)
	if err != nil {
		return err
	}
	page.More = next != memory.NoOwner
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
	return nil
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
