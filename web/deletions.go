package web

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/deletion"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) deletionRoutes() {
	const path, talk = base + "/deletions", base + "/conversations/{conversation}/deletion"
	b.page(rest.Route{
		ID: "page-deletions", Path: path, Summary: "Delete all memory of a person; deletions and their receipts", Need: memory.RoleMember,
	}, (*request).deletions)
	b.page(rest.Route{
		ID: "page-delete-owner", Method: http.MethodPost, Path: path, Summary: "Delete all memory of a person", Need: memory.RoleMember,
		Act: rest.Changes, Body: maxForm,
	}, (*request).deleteOwner)
	b.page(rest.Route{
		ID: "page-cancel-deletion", Method: http.MethodPost, Path: path + "/{deletion}", Summary: "Cancel a deletion that has not started",
		Need: memory.RoleMember, Act: rest.Changes, Body: maxForm,
	}, (*request).cancelDeletion)
	b.page(rest.Route{
		ID: "page-deletion", Path: talk, Summary: "What would be deleted of a conversation", Need: memory.RoleMember,
	}, (*request).deletion)
	b.page(rest.Route{
		ID: "page-delete-conversation", Method: http.MethodPost, Path: talk, Summary: "Delete a conversation", Need: memory.RoleMember,
		Act: rest.Changes, Body: maxForm,
	}, (*request).deleteConversation)
}

// mayDelete reports whether the caller may delete conversations and all memory of the person whose memory is shown.
func (q *request) mayDelete() bool { return q.id.Owner != memory.NoOwner && q.mayRevoke() }

// deletes refuses whoever may not delete the memory that is shown.
func (q *request) deletes() error {
	if q.mayDelete() {
		return nil
	}
	return fault.New(fault.Forbidden, "An administrator deletes a person's memory, or the person with their own key")
}

// deletions shows what a deletion of the person would delete, and the deletions that were requested; of shared memory, those of all persons.
func (q *request) deletions() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	reader, err := rest.MayReadMessages(q.id)
	if err != nil {
		return nil, err
	}
	page := view.Deletions{Next: q.r.URL.Query().Get("cursor")}
	first := page.Next == ""
	listed, err := q.Store.Deletions(q.Context, reader, store.Page{Cursor: page.Next})
	if err != nil {
		return nil, err
	}
	page.Next = listed.Next
	for _, d := range listed.Items {
		page.Items = append(page.Items, q.viewDeletion(d))
	}
	requested := slices.ContainsFunc(listed.Items, func(d deletion.Deletion) bool {
		return d.Kind == deletion.Owner && (d.State == deletion.Waiting || d.State == deletion.Started)
	})
	if first && q.mayDelete() && !requested {
		planned, err := q.planned(deletion.Target{Kind: deletion.Owner})
		switch {
		case errors.Is(err, store.ErrNotFound): // nothing is stored
		case err != nil:
			return nil, err
		default:
			page.Planned = &planned
		}
	}
	return view.DeletionsPage(q.frame("memory", "Delete"), page), nil
}

// planned returns what a deletion would delete.
func (q *request) planned(of deletion.Target) (view.Deletion, error) {
	d, err := q.Store.PreviewDeletion(q.Context, q.id, of)
	if err != nil {
		return view.Deletion{}, err
	}
	v := q.viewDeletion(d)
	v.NotReached, v.Grace = d.NotReached(), q.DeletionGrace
	return v, nil
}

func (q *request) viewDeletion(d deletion.Deletion) view.Deletion {
	v := view.Deletion{
		ID: d.ID.String(), Kind: string(d.Kind), Owner: string(d.Owner), Conversation: d.Conversation, State: string(d.State), At: d.RequestedAt,
		Due: d.Due, Ended: d.FinishedAt, Revoked: d.Revoked, Tables: d.Tables,
		MayCancel: d.State == deletion.Waiting && q.mayWrite() && (q.key.Role == memory.RoleAdmin && !q.id.Pinned || q.id.Pinned && d.ByOwner),
	}
	for _, table := range slices.Sorted(maps.Keys(d.Counts)) {
		v.Rows = append(v.Rows, view.TableRows{Table: table, Rows: d.Counts[table]})
	}
	if d.State == deletion.Done {
		v.NotReached = d.NotReached()
		if d.Kind == deletion.Owner {
			v.Owner = "" // it is a hash
		}
	}
	return v
}

// confirmed refuses whoever may not delete, and a form whose box was not ticked.
func (q *request) confirmed() error {
	if err := q.deletes(); err != nil {
		return err
	}
	if q.r.PostFormValue("sure") == "" {
		return fault.New(fault.InvalidRequest, "Tick the box first: what is deleted cannot be brought back")
	}
	return nil
}

func (q *request) deleteOwner() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	if err := q.confirmed(); err != nil {
		return nil, err
	}
	return q.requested(deletion.Target{Kind: deletion.Owner})
}

// requested requests a deletion, and shows the list of them.
func (q *request) requested(of deletion.Target) (templ.Component, error) {
	of.Grace = q.DeletionGrace
	rest.Touch(q.Context, "target", string(of.Kind))
	if _, err := q.StartDeletion(q.Context, q.id, of); err != nil {
		return nil, err
	}
	if !q.id.Pinned && of.Kind == deletion.Owner { // whose pages are gone soon
		q.whom = view.Shared
	}
	return q.redirect(view.URL(q.frame("", ""), "deletions") + "?done=deleting")
}

// toDelete returns the conversation in the address.
func (q *request) toDelete() (talk.Conversation, error) {
	c, _, err := q.taughtBy()
	if err == nil && q.id.Owner == memory.NoOwner { // an administrator looks at all of them
		q.id = q.id.For(q.agent.ID, c.Owner)
	}
	return c, err
}

func (q *request) deletion() (templ.Component, error) {
	c, err := q.toDelete()
	if err != nil {
		return nil, err
	}
	if err := q.deletes(); err != nil {
		return nil, err
	}
	page, err := q.planned(deletion.Target{Kind: deletion.Conversation, Conversation: c.ID})
	if err != nil {
		return nil, err
	}
	return view.DeletionPage(q.frame("conversations", "Delete"), viewConversation(c), page), nil
}

func (q *request) deleteConversation() (templ.Component, error) {
	c, err := q.toDelete()
	if err != nil {
		return nil, err
	}
	if err := q.confirmed(); err != nil {
		return nil, err
	}
	return q.requested(deletion.Target{Kind: deletion.Conversation, Conversation: c.ID, Keeps: q.r.PostFormValue("keep") != ""})
}

func (q *request) cancelDeletion() (templ.Component, error) {
	uid, err := q.uid("deletion")
	if err != nil {
		return nil, err
	}
	if err := q.enter(); err != nil {
		return nil, err
	}
	reader, err := rest.MayReadMessages(q.id)
	if err != nil {
		return nil, err
	}
	if _, err := q.CancelDeletion(q.Context, reader, uid); err != nil {
		return nil, err
	}
	return q.redirect(view.URL(q.frame("", ""), "deletions") + "?done=kept")
}
