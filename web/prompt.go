package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/web/view"
)

func (b *Browser) promptRoutes() {
	b.page(rest.Route{
		ID: "page-prompt", Method: http.MethodPost, Path: base + "/memory", Summary: "Choose and order the documents of the system prompt",
		Need: memory.RoleMember, Act: rest.Changes, Body: maxForm,
	}, (*request).prompt)
}

// prompt moves one document in the system prompt, takes it out or puts it in.
func (q *request) prompt() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	move, document, _ := strings.Cut(q.r.PostFormValue("move"), " ") // a button has one value: "up PERSONAL notes/a.md"
	scope, path, _ := strings.Cut(document, " ")
	path, err := memory.ParsePath(path)
	ref := memory.Ref{Scope: memory.Scope(scope), Path: path}
	if err != nil || !slices.Contains([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal}, ref.Scope) {
		return nil, fault.New(fault.InvalidRequest, "Choose a document")
	}
	if err := rest.CanHave(q.id, ref.Scope); err != nil {
		return nil, err
	}
	rest.Touch(q.Context, "path", ref.Path)
	files, err := q.promptFiles(ref.Scope)
	if err != nil {
		return nil, err
	}
	at := slices.Index(files, ref.Path)
	switch {
	case move == "in" && at < 0:
		files = append(files, ref.Path)
	case move == "out" && at >= 0:
		files = slices.Delete(files, at, at+1)
	case move == "up" && at > 0:
		files[at-1], files[at] = files[at], files[at-1]
	case move == "down" && at >= 0 && at < len(files)-1:
		files[at], files[at+1] = files[at+1], files[at]
	case slices.Contains([]string{"in", "out", "up", "down"}, move): // somebody else was faster
	default:
		return nil, fault.New(fault.InvalidRequest, "Move the document up or down, put it into the prompt or take it out")
	}
	if _, err := q.FileHandlers.SetPromptFiles(q.Context, q.id, ref.Scope, files); err != nil {
		return nil, err
	}
	return q.redirect(view.URL(q.frame("", ""), "memory") + "?done=moved")
}

// promptFiles returns the documents of a scope that are in the system prompt, in order.
func (q *request) promptFiles(scope memory.Scope) (paths []string, err error) {
	documents, err := q.Store.PromptDocuments(q.Context, q.id, time.Time{})
	for _, d := range documents {
		if d.Scope == scope && (d.Agent == "" || d.Agent == q.agent.ID) { // not those of a leader
			paths = append(paths, d.Path)
		}
	}
	return paths, err
}
