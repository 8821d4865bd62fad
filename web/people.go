package web

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/web/view"
)

// base is the path of the pages about one memory: that of an agent and an owner. Owners may be phone numbers, so addresses have their
// opaque ids.
const base = "/agents/{agent}/of/{owner}"

func (b *Browser) peopleRoutes() {
	b.page(rest.Route{ID: "page-people", Path: "/agents/{agent}", Summary: "Whose memory", Need: memory.RoleViewer}, (*request).people)
	b.page(rest.Route{
		ID: "page-find-person", Method: http.MethodPost, Path: "/agents/{agent}", Summary: "Find a person", Need: memory.RoleMember, Act: rest.Reads,
		Body: maxForm,
	}, (*request).findPerson)
}

// maxPeople bounds the list of owners. Others are found by their key.
const maxPeople = 200

func (q *request) people() (templ.Component, error) {
	agent := q.r.PathValue("agent")
	if q.key.Identity().Pinned {
		return q.redirect(view.MemoryURL(agent, view.Me))
	}
	if !q.mayWrite() { // a viewer reads what is shared
		return q.redirect(view.MemoryURL(agent, view.Shared))
	}
	return q.choosePerson("")
}

func (q *request) choosePerson(problem string) (templ.Component, error) {
	id, found, err := q.Enter(q.Context, q.r.PathValue("agent"), rest.Person{})
	if err != nil {
		return nil, err
	}
	page := view.People{Agent: found.ID, AgentName: found.Name, Problem: problem}
	if everybody, full := rest.AcrossOwners(id); full { // only an administrator sees who there is
		owners, err := q.Store.Owners(q.Context, everybody, maxPeople)
		if err != nil {
			return nil, err
		}
		page.Listed = true
		for _, o := range owners {
			page.Owners = append(page.Owners, view.Owner{Key: string(o.Key), ID: o.ID.String(), Latest: o.Latest})
		}
	}
	return view.PeoplePage(q.frame("people", "Whose memory?"), page), nil
}

func (q *request) findPerson() (templ.Component, error) {
	id, found, err := q.NeedOwner(q.Context, q.r.PathValue("agent"), rest.Person{Owner: q.r.PostFormValue("owner"), Location: "form"})
	if p, is := errors.AsType[*fault.Problem](err); is && p.Code == http.StatusUnprocessableEntity {
		return q.choosePerson("Write an owner key such as api:42 or feishu:ou_1.")
	}
	if err != nil {
		return nil, err
	}
	ownerID, err := q.Store.OwnerID(q.Context, id)
	if errors.Is(err, store.ErrNotFound) {
		return q.choosePerson("Nothing is stored about this person yet.")
	}
	if err != nil {
		return nil, err
	}
	return q.redirect(view.MemoryURL(found.ID, ownerID.String()))
}
