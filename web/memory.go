package web

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/tokencount"
	"reverie/store"
	"reverie/store/gate"
	"reverie/web/view"
)

func (b *Browser) memoryRoutes() {
	b.page(rest.Route{ID: "page-memory", Path: base + "/memory", Summary: "Documents", Need: memory.RoleViewer}, (*request).memory)
	b.page(rest.Route{
		ID: "page-document", Path: base + "/memory/{path}", Rest: "path", Summary: "A document with its origins", Need: memory.RoleViewer,
	}, (*request).document)
}

// maxNotes is the number of documents outside of the prompt, and of deleted ones, that a page lists, newest first.
const maxNotes = 100

func (q *request) memory() (templ.Component, error) {
	if err := q.enterLive(); err != nil {
		return nil, err
	}
	frame := q.follow(q.frame("memory", "Memory"))
	listed, err := q.Store.ReadableDocuments(q.Context, q.id, gate.DocumentFilter{IncludeDeleted: true})
	if err != nil {
		return nil, err
	}
	injected, err := q.Store.PromptDocuments(q.Context, q.id, time.Time{})
	if err != nil {
		return nil, err
	}
	page := view.Memory{Total: len(listed), From: max(0, atoi(q.r.URL.Query().Get("from")))}
	skipped := 0
	names, inPrompt := q.authors(), map[memory.Ref]bool{}
	for _, d := range injected {
		inPrompt[memory.Ref{Scope: d.Scope, Path: d.Path}] = true
		tokens := tokencount.Estimate(d.Content)
		page.Tokens += tokens
		e := entry(d, len(d.Content), tokens, names)
		e.Editable = q.mayEdit(d)
		page.Injected = append(page.Injected, e)
	}
	slices.SortStableFunc(listed, func(a, b gate.DocumentEntry) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for _, d := range listed {
		e := entry(d.Document, d.Bytes, 0, names)
		e.Editable = q.mayEdit(d.Document)
		switch {
		case inPrompt[memory.Ref{Scope: d.Scope, Path: d.Path}] && !d.Deleted:
		case d.Deleted && len(page.Deleted) < maxNotes:
			page.Deleted = append(page.Deleted, e)
		case d.Deleted:
			page.MoreDeleted++
		case skipped < page.From:
			skipped++
		case len(page.Others) < maxNotes:
			page.Others = append(page.Others, e)
		default:
			page.More++
		}
	}
	return view.MemoryPage(frame, page), nil
}

func entry(d memory.Document, bytes, tokens int, names authors) view.Entry {
	return view.Entry{
		Path: d.Path, Scope: string(d.Scope), Version: d.Version, Bytes: bytes, Tokens: tokens, At: d.UpdatedAt, By: names.of(d.UpdatedBy),
	}
}

// authors names authors: to an administrator keys by their names, to others their own only.
type authors struct {
	own   gate.Key
	names func() map[string]string // nil: other people are nameless
}

// authors reads the names of keys when a page shows another person's, and where the caller may know them.
func (q *request) authors() authors {
	return authors{own: q.key, names: sync.OnceValue(func() map[string]string {
		names := map[string]string{}
		if keys, err := q.Store.Keys(q.Context, q.key.Identity()); err == nil {
			for _, k := range keys {
				names[k.ID.String()] = k.Name
			}
		}
		return names
	})}
}

func (a authors) of(by memory.Author) view.Author {
	v := view.Author{Kind: string(by.Kind), Name: by.ID}
	if by.Kind == memory.AuthorWorkflow && strings.HasPrefix(by.WorkflowID, memory.ProcessPrefix) {
		v.Name = view.Process
	}
	if by.Kind == memory.AuthorUser {
		switch {
		case by.ID == a.own.ID.String():
			v.Name = "you"
		case a.names != nil:
			v.Name = a.names()[by.ID]
		default:
			v.Name = ""
		}
	}
	return v
}

// path returns the document's path in the address.
func (q *request) path() (string, error) {
	path, err := memory.ParsePath(q.r.PathValue("path"))
	if err != nil {
		return "", fault.New(fault.NotFound, "There is no such document")
	}
	return path, nil
}

// scope returns the scope in the query; empty: the document that the path means to the owner.
func (q *request) scope() memory.Scope {
	switch s := memory.Scope(q.r.URL.Query().Get("scope")); s {
	case memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal:
		return s
	}
	return ""
}

// found finds the document in the address.
func (q *request) found() (memory.Document, error) {
	path, err := q.path()
	if err != nil {
		return memory.Document{}, err
	}
	if err := q.enter(); err != nil {
		return memory.Document{}, err
	}
	return q.Document(q.Context, q.id, path, q.scope())
}

func (q *request) document() (templ.Component, error) {
	d, err := q.found()
	if p, is := errors.AsType[*fault.Problem](err); is && p.Code == 404 && q.agent.ID != "" {
		return q.redirect(view.DocumentURL(q.frame("", ""), "history", q.r.PathValue("path"), string(q.scope()))) // it may have been deleted
	}
	if err != nil {
		return nil, err
	}
	lines, err := q.blame(d)
	if err != nil {
		return nil, err
	}
	var talks []string
	for _, l := range lines {
		talks = append(talks, l.Conversation)
	}
	where, err := q.conversationIDs(talks)
	if err != nil {
		return nil, err
	}
	names := q.authors()
	page := view.Document{Entry: entry(d, d.Size(), tokencount.Estimate(d.Content), names), Enabled: d.Enabled}
	page.Editable = q.mayEdit(d)
	origin := func(l memory.BlameLine) view.Origin {
		o := view.Origin{
			Version: l.Version, By: names.of(l.Author), At: l.At, Reason: l.Reason, From: l.From, To: l.To, Messages: l.Messages,
			Conversation: where[l.Conversation],
		}
		if l.Conversation != "" {
			o.Said = true
		}
		return o
	}
	if q.r.URL.Query().Get("view") == "source" {
		page.Source = view.SourceRows(lines, origin)
	} else {
		page.Rows = view.Rendered(d.Content, lines, origin)
	}
	return view.DocumentPage(q.frame("memory", d.Path), page), nil
}

// blame returns the origins of the lines of a document. Of one that is a leader's, a member of a team sees no origins.
func (q *request) blame(d memory.Document) ([]memory.BlameLine, error) {
	lines, err := q.Store.Blame(q.Context, q.id, memory.Ref{Scope: d.Scope, Path: d.Path}, d.Version)
	if !errors.Is(err, store.ErrNotFound) {
		return lines, err
	}
	lines = nil
	for line := range strings.SplitSeq(strings.TrimSuffix(d.Content, "\n"), "\n") {
		lines = append(lines, memory.BlameLine{Line: line, Version: d.Version, Author: d.UpdatedBy, At: d.UpdatedAt})
	}
	return lines, nil
}

// mayEdit reports whether the caller may change a document of its scope.
func (q *request) mayEdit(d memory.Document) bool {
	switch {
	case !q.mayWrite() || d.Agent != "" && d.Agent != q.agent.ID: // a leader's
		return false
	case d.Scope == memory.ScopePersonal:
		return true
	case d.Scope == memory.ScopeGlobal:
		return q.key.Role == memory.RoleAdmin && q.key.Agents == nil && !q.id.Pinned
	}
	return !q.id.Pinned
}

// maxSources bounds the conversations of a page that are looked up.
const maxSources = 20

// conversationIDs returns our ids of conversations by the client's names, as far as the caller may read them.
func (q *request) conversationIDs(names []string) (map[string]string, error) {
	found := map[string]string{}
	id, err := rest.MayReadMessages(q.id)
	if err != nil {
		return found, nil //nolint:nilerr // who may not read what was said gets no links
	}
	var wanted []string
	for _, name := range names {
		if name != "" && !slices.Contains(wanted, name) && len(wanted) < maxSources {
			wanted = append(wanted, name)
		}
	}
	if len(wanted) == 0 {
		return found, nil
	}
	conversations, err := q.Store.ConversationsNamed(q.Context, id, wanted)
	several := map[string]bool{} // owners have a conversation of one name
	for _, c := range conversations {
		_, several[c.ID] = found[c.ID]
		found[c.ID] = c.UID.String()
	}
	maps.DeleteFunc(found, func(name, _ string) bool { return several[name] })
	return found, err
}

// missing reports whether something does not exist for the caller.
func missing(err error) bool {
	p, is := errors.AsType[*fault.Problem](err)
	return errors.Is(err, store.ErrNotFound) || is && p.Code == 404
}
