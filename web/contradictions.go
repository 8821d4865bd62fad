package web

import (
	"maps"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/web/view"
)

func (b *Browser) contradictionRoutes() {
	b.page(rest.Route{
		ID: "page-contradictions", Path: base + "/contradictions", Summary: "Statements that cannot both hold", Need: memory.RoleViewer,
	}, (*request).contradictions)
	b.page(rest.Route{
		ID: "page-resolve", Method: http.MethodPost, Path: base + "/contradictions/{contradiction}",
		Summary: "Decide which of two statements holds", Need: memory.RoleMember, Act: rest.Changes, Body: maxForm,
	}, (*request).resolve)
}

// maxPairs is the number of contradictions on a page.
const maxPairs = 10

func (q *request) contradictions() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	return q.inbox("", "", "")
}

// inbox lists contradictions. The problem is about the decision on the pair that is named, whose text is kept.
func (q *request) inbox(pair, text, problem string) (templ.Component, error) {
	state := stored.StateOpen
	switch s := stored.ContradictionState(q.r.URL.Query().Get("state")); s {
	case stored.StateSuperseded, stored.StateResolved:
		state = s
	}
	listed, err := q.Store.Contradictions(q.Context, q.id, state, store.Page{Limit: maxPairs, Cursor: q.r.URL.Query().Get("cursor")})
	if err != nil {
		return nil, err
	}
	page := view.Contradictions{State: string(state), Next: listed.Next, Failed: pair, Text: text, Problem: problem}
	origins := q.origins()
	for _, c := range listed.Items {
		p := view.Pair{ID: c.ID.String(), Why: string(c.Why), FoundAt: c.FoundAt, Resolution: string(c.Resolution), ResolvedAt: c.ResolvedAt}
		p.Editable = q.mayEdit(memory.Document{Scope: c.Scope})
		if c.Author.Kind != "" {
			p.By = origins.names.of(c.Author)
		}
		for i, f := range []stored.Fact{c.A, c.B} {
			side := &p.Sides[i]
			side.Fact = q.viewFact(f)
			side.Editable = q.mayEdit(memory.Document{Scope: f.Scope})
			if side.Origin, err = origins.of(f); err != nil {
				return nil, err
			}
		}
		page.Pairs = append(page.Pairs, p)
	}
	return view.ContradictionsPage(q.frame("facts", "Contradictions"), page), nil
}

// origins finds where facts were said. It reads each document, and looks up each conversation, once.
type origins struct {
	*request
	names     authors
	documents map[memory.Ref][]memory.BlameLine
	where     map[string]string // ids of conversations
}

func (q *request) origins() *origins {
	return &origins{request: q, names: q.authors(), documents: map[memory.Ref][]memory.BlameLine{}, where: map[string]string{}}
}

// of returns the origin of the line of a fact; that of one that is in no document is empty.
func (o *origins) of(f stored.Fact) (view.Origin, error) {
	ref := memory.Ref{Scope: f.Scope, Path: f.Path}
	lines, known := o.documents[ref]
	if !known && f.FromLine > 0 && len(o.documents) < maxBlamed {
		var err error
		if lines, err = o.Store.Blame(o.Context, o.id, ref, 0); err != nil && !missing(err) {
			return view.Origin{}, err
		}
		o.documents[ref] = lines
	}
	if f.FromLine < 1 || f.FromLine > len(lines) {
		return view.Origin{}, nil
	}
	l := lines[f.FromLine-1]
	if _, known := o.where[l.Conversation]; !known && l.Conversation != "" {
		where, err := o.conversationIDs([]string{l.Conversation})
		if err != nil {
			return view.Origin{}, err
		}
		maps.Copy(o.where, where)
	}
	return view.Origin{
		Version: l.Version, By: o.names.of(l.Author), At: l.At, Reason: l.Reason, From: l.From, To: l.To, Messages: l.Messages,
		Said: l.Conversation != "", Conversation: o.where[l.Conversation],
	}, nil
}

func (q *request) resolve() (templ.Component, error) {
	id, err := q.uid("contradiction")
	if err != nil {
		return nil, err
	}
	if err := q.enter(); err != nil {
		return nil, err
	}
	resolution, text := stored.Resolution(q.r.PostFormValue("resolution")), strings.TrimSpace(q.r.PostFormValue("text"))
	if resolution != stored.Merge {
		text = ""
	}
	c, err := q.Store.ResolveContradiction(q.Context, q.id, id, resolution, text)
	if problem, is := asInvalid(err); is && resolution == stored.Merge {
		return q.inbox(id.String(), text, problem)
	} else if is {
		return nil, fault.New(fault.InvalidRequest, "Keep one of the two, merge them, or ignore the contradiction")
	}
	if err != nil {
		return nil, err
	}
	for _, f := range []stored.Fact{c.A, c.B} {
		q.IndexChanged(q.id, f.Scope)
	}
	return q.redirect(view.URL(q.frame("", ""), "contradictions") + "?done=resolved")
}
