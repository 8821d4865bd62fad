package web

import (
	"net/http"
	"regexp"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/web/view"
)

func (b *Browser) heldRoutes() {
	b.page(rest.Route{ID: "page-held", Path: base + "/held", Summary: "Statements that wait for a person", Need: memory.RoleMember}, (*request).held)
	b.page(rest.Route{
		ID: "page-decide", Method: http.MethodPost, Path: base + "/held", Summary: "Accept or refuse a held statement", Need: memory.RoleMember,
		Act: rest.Changes, Body: maxForm,
	}, (*request).decide)
}

// holder enters and names the owner of the waiting statements: those of the shared memory are for administrators.
func (q *request) holder() (memory.Identity, error) {
	if err := q.enter(); err != nil {
		return q.id, err
	}
	if q.id.Owner != memory.NoOwner {
		return q.id, nil
	}
	if q.key.Role != memory.RoleAdmin {
		return q.id, fault.New(fault.Forbidden, "Only administrators can review held statements of shared memory")
	}
	return q.id.For(q.agent.ID, memory.SystemOwner), nil
}

func (q *request) held() (templ.Component, error) {
	id, err := q.holder()
	if err != nil {
		return nil, err
	}
	states, err := q.Store.Held(q.Context, id)
	if err != nil {
		return nil, err
	}
	var items []view.Held
	for _, s := range states {
		items = append(items, view.Held{Entry: string(s.ID), Text: s.Text, Rule: s.ReasonCode, Since: s.FirstSeen, Last: s.LastSeen})
	}
	return view.HeldPage(q.frame("held", "Waiting for you"), items), nil
}

var entryID = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (q *request) decide() (templ.Component, error) {
	id, err := q.holder()
	if err != nil {
		return nil, err
	}
	entry, what := q.r.PostFormValue("entry"), q.r.PostFormValue("decision")
	if !entryID.MatchString(entry) || what != "accept" && what != "refuse" {
		return nil, fault.New(fault.InvalidRequest, "Choose a statement, and accept or refuse it")
	}
	rest.Touch(q.Context, "entry", entry)
	owner := id.Owner
	if err := q.DreamHandlers.Decide(q.Context, q.agent.ID, owner, markdown.EntryID(entry), what == "accept"); err != nil {
		return nil, err
	}
	done := map[string]string{"accept": "accepted", "refuse": "refused"}[what]
	return q.redirect(view.URL(q.frame("", ""), "held") + "?done=" + done)
}
