package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/web/view"
)

func (b *Browser) historyRoutes() {
	b.page(rest.Route{
		ID: "page-history", Path: base + "/history/{path}", Rest: "path", Summary: "Versions of a document", Need: memory.RoleViewer,
	}, (*request).history)
	b.page(rest.Route{
		ID: "page-compare", Path: base + "/compare/{path}", Rest: "path", Summary: "Two versions of a document", Need: memory.RoleViewer,
	}, (*request).compare)
	b.page(rest.Route{
		ID: "page-restore", Method: http.MethodPost, Path: base + "/restore/{path}", Rest: "path", Summary: "Restore a version",
		Need: memory.RoleMember, Body: maxForm,
	}, (*request).restore)
}

// past finds the document in the address, which may be deleted.
func (q *request) past() (memory.Ref, error) {
	path, err := q.path()
	if err != nil {
		return memory.Ref{}, err
	}
	if err := q.enter(); err != nil {
		return memory.Ref{}, err
	}
	if scope := q.scope(); scope != "" {
		return memory.Ref{Scope: scope, Path: path}, rest.CanHave(q.id, scope)
	}
	d, err := q.Store.VisibleDocument(q.Context, q.id, path)
	if errors.Is(err, store.ErrNotFound) {
		return q.deleted(path)
	}
	return memory.Ref{Scope: d.Scope, Path: path}, err
}

// deleted finds a path without a current document: the one with versions that would come first if it were restored.
func (q *request) deleted(path string) (ref memory.Ref, err error) {
	for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal} {
		if scope == memory.ScopePersonal && q.id.Owner == memory.NoOwner {
			continue
		}
		ref = memory.Ref{Scope: scope, Path: path}
		if _, err := q.Store.History(q.Context, q.id, ref, 0, 1); !errors.Is(err, store.ErrNotFound) {
			return ref, err
		}
	}
	return ref, nil
}

// maxVersions is the number of versions on a page.
const maxVersions = 50

func (q *request) history() (templ.Component, error) {
	ref, err := q.past()
	if err != nil {
		return nil, err
	}
	before := q.number("before")
	versions, err := q.Store.History(q.Context, q.id, ref, before, maxVersions)
	if err != nil {
		return nil, err
	}
	names := q.authors()
	page := view.History{Path: ref.Path, Scope: string(ref.Scope), Editable: q.mayEdit(memory.Document{Scope: ref.Scope, Agent: ""})}
	for _, v := range versions {
		page.Versions = append(page.Versions, view.Version{
			Number: v.Number, By: names.of(v.Author), At: v.CreatedAt, Reason: v.Reason, Added: v.Added, Removed: v.Removed, Merged: v.Merged,
			Deleted: v.Deleted, Newest: before == 0 && v.Number == versions[0].Number, Said: v.Sources.Conversation != "",
			From: v.Sources.From, To: v.Sources.To,
		})
	}
	if n := len(versions); n == maxVersions && versions[n-1].Number > 1 {
		page.Next = versions[n-1].Number
	}
	return view.HistoryPage(q.frame("memory", "History of "+ref.Path), page), nil
}

// number returns a number of the query; 0: there is none.
func (q *request) number(name string) int {
	n, err := strconv.Atoi(q.r.URL.Query().Get(name))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (q *request) compare() (templ.Component, error) {
	ref, err := q.past()
	if err != nil {
		return nil, err
	}
	to := q.number("to")
	if to == 0 {
		return nil, fault.New(fault.NotFound, "Choose a version to compare")
	}
	from := to - 1
	if q.r.URL.Query().Has("from") {
		from = q.number("from")
	}
	before, err := q.version(ref, from)
	if err != nil {
		return nil, err
	}
	after, err := q.version(ref, to)
	if err != nil {
		return nil, err
	}
	page := view.Compare{
		Path: ref.Path, Scope: string(ref.Scope), From: from, To: to, Rows: view.SideBySide(markdown.UnifiedDiff("a", "b", before, after)),
	}
	page.Added, page.Removed = markdown.DiffStat(before, after)
	return view.ComparePage(q.frame("memory", "Compare versions of "+ref.Path), page), nil
}

// version returns the text of a version; before the first one there was none.
func (q *request) version(ref memory.Ref, number int) (string, error) {
	if number == 0 {
		return "", nil
	}
	v, err := q.Store.VersionOf(q.Context, q.id, ref, number)
	return v.Content, err
}

func (q *request) restore() (templ.Component, error) {
	ref, err := q.past()
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(q.r.PostFormValue("version"))
	if err != nil || number < 1 {
		return nil, fault.New(fault.InvalidRequest, "Choose a version to restore")
	}
	change := memory.Change{
		Ref: ref, Op: memory.OpRestore, Restore: number, Reason: "restored version " + strconv.Itoa(number),
	}
	if q.r.PostFormValue("deleted") == "true" {
		change = memory.Change{Ref: ref, Op: memory.OpUndelete, Reason: "brought back"}
	}
	if _, err := q.apply(change); err != nil {
		return nil, err
	}
	return q.redirect(view.DocumentURL(q.frame("", ""), "memory", ref.Path, string(ref.Scope)) + "&done=restored")
}

// apply makes one change of a document through the gate.
func (q *request) apply(change memory.Change) (changed bool, err error) {
	receipt, err := q.Store.Apply(q.Context, q.id, "", []memory.Change{change})
	if err != nil {
		return false, err
	}
	if changed = receipt.Changes[0].Changed; changed {
		q.IndexChanged(q.id, change.Scope)
	}
	return changed, nil
}
