package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/web/view"
)

func (b *Browser) editRoutes() {
	b.page(rest.Route{
		ID: "page-edit", Path: base + "/edit/{path}", Rest: "path", Summary: "Edit a document", Need: memory.RoleMember,
	}, (*request).editPage)
	b.page(rest.Route{
		ID: "page-save", Method: http.MethodPost, Path: base + "/edit/{path}", Rest: "path", Summary: "Save a document", Need: memory.RoleMember,
		Body: rest.MaxDocumentBody,
	}, (*request).save)
	b.page(rest.Route{
		ID: "page-delete", Method: http.MethodPost, Path: base + "/delete/{path}", Rest: "path", Summary: "Delete a document",
		Need: memory.RoleMember, Body: maxForm,
	}, (*request).remove)
}

func (q *request) editPage() (templ.Component, error) {
	d, err := q.found()
	if err != nil {
		return nil, err
	}
	return view.EditPage(q.frame("memory", "Edit "+d.Path), view.Edit{
		Path: d.Path, Scope: string(d.Scope), Base: d.Version, Content: d.Content,
	}), nil
}

// save writes what a person edited, on the version that they had read. What others changed concurrently is merged by the gate; where both
// changed the same lines, the page shows both sides, and the person chooses.
func (q *request) save() (templ.Component, error) {
	path, err := q.path()
	if err != nil {
		return nil, err
	}
	if err := q.enter(); err != nil {
		return nil, err
	}
	edit := view.Edit{
		Path: path, Scope: string(q.scope()), Base: atoi(q.r.PostFormValue("base")), Content: q.text("content"), Reason: q.r.PostFormValue("reason"),
	}
	ref := memory.Ref{Scope: q.scope(), Path: path}
	if ref.Scope == "" || edit.Base < 1 {
		return nil, fault.New(fault.InvalidRequest, "The form is incomplete: open the document again")
	}
	if head := atoi(q.r.PostFormValue("head")); head > 0 {
		if edit.Content, err = q.resolved(ref, edit, head); err != nil {
			return nil, err
		}
		edit.Base = head
	}
	changed, err := q.apply(memory.Change{Ref: ref, Op: memory.OpReplace, Content: edit.Content, Reason: edit.Reason, Base: edit.Base})
	var (
		stale       *store.StaleBaseError
		quarantined *store.QuarantineError
		invalid     *store.InvalidError
	)
	frame := q.frame("memory", "Edit "+path)
	switch {
	case errors.As(err, &stale):
		q.render(http.StatusConflict, view.ConflictPage(frame, conflict(edit, stale)))
		return nil, nil
	case errors.As(err, &quarantined):
		edit.Problem = "Nothing was saved: " + quarantined.Error() + ". Reword these lines."
	case errors.As(err, &invalid):
		edit.Problem = "Nothing was saved: " + invalid.Problem + "."
	case err != nil:
		return nil, err
	case !changed:
		return q.redirect(view.DocumentURL(frame, "memory", path, edit.Scope) + "&done=unchanged")
	default:
		return q.redirect(view.DocumentURL(frame, "memory", path, edit.Scope) + "&done=saved")
	}
	q.render(http.StatusUnprocessableEntity, view.EditPage(frame, edit))
	return nil, nil
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func conflict(edit view.Edit, stale *store.StaleBaseError) view.Conflict {
	c := view.Conflict{Edit: edit, Head: stale.Head}
	c.Content = stale.Yours
	for _, x := range stale.Conflicts {
		c.Sides = append(c.Sides, view.Sides{Base: x.Base.Text, Yours: x.Ours.Text, Theirs: x.Theirs.Text})
	}
	return c
}

// resolved returns the document as a person decided about each conflict. On both sides of a merge the conflicting lines are replaced by
// those that were chosen, so that the merge of everything else is the gate's.
func (q *request) resolved(ref memory.Ref, edit view.Edit, head int) (string, error) {
	base, err := q.version(ref, edit.Base)
	if err != nil {
		return "", err
	}
	theirs, err := q.version(ref, head)
	if err != nil {
		return "", err
	}
	merged, conflicts := markdown.Merge3(base, edit.Content, theirs)
	if len(conflicts) == 0 {
		return merged, nil
	}
	ours := edit.Content
	for i, c := range slices.Backward(conflicts) { // from the end, so that earlier lines keep their numbers
		chosen := q.r.PostFormValue("choice" + strconv.Itoa(i))
		var text string
		switch chosen {
		case "yours":
			text = c.Ours.Text
		case "theirs":
			text = c.Theirs.Text
		case "both":
			text = withBreak(c.Theirs.Text) + c.Ours.Text
		default:
			return "", fault.New(fault.InvalidRequest, "Choose a side for each conflict: go back to the form")
		}
		ours, theirs = replaceLines(ours, c.Ours, text), replaceLines(theirs, c.Theirs, text)
	}
	merged, conflicts = markdown.Merge3(base, ours, theirs)
	if len(conflicts) > 0 {
		return "", fault.New(fault.Conflict, "The two sides cannot be joined: copy your text, and edit the current version")
	}
	return merged, nil
}

func withBreak(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// replaceLines replaces a range of lines of a text.
func replaceLines(text string, side markdown.Side, with string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from, to := min(max(side.From-1, 0), len(lines)), min(max(side.To, 0), len(lines))
	to = max(from, to)
	if to < len(lines) || strings.HasSuffix(text, "\n") {
		with = withBreak(with)
	}
	return strings.Join(lines[:from], "") + with + strings.Join(lines[to:], "")
}

func (q *request) remove() (templ.Component, error) {
	d, err := q.found()
	if err != nil {
		return nil, err
	}
	base := atoi(q.r.PostFormValue("base"))
	if base < 1 {
		return nil, fault.New(fault.InvalidRequest, "The form is incomplete: open the document again")
	}
	ref := memory.Ref{Scope: d.Scope, Path: d.Path}
	_, err = q.apply(memory.Change{Ref: ref, Op: memory.OpDelete, Base: base, Reason: "deleted on the page"})
	if _, stale := errors.AsType[*store.StaleBaseError](err); stale {
		return nil, fault.New(fault.Conflict, "The document was changed since you opened it: read it again, then delete it")
	}
	if err != nil {
		return nil, err
	}
	return q.redirect(view.DocumentURL(q.frame("", ""), "history", d.Path, string(d.Scope)) + "&done=deleted")
}
