package web

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/web/view"
)

// archived lists archived statements, the latest first. The search text is in the form, not in the address.
func (q *request) archived() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	page := view.Archive{Keyword: strings.TrimSpace(q.r.PostFormValue("keyword"))}
	listed, err := q.Store.Archived(q.Context, q.id, page.Keyword, store.Page{Limit: maxFacts, Cursor: q.r.URL.Query().Get("cursor")})
	if err != nil {
		return nil, err
	}
	if page.More = page.Keyword != "" && listed.Next != ""; !page.More { // the next page could not know the words
		page.Next = listed.Next
	}
	names := q.authors()
	for _, w := range listed.Items {
		page.Items = append(page.Items, view.ArchivedFact{
			Fact: q.viewFact(w.Fact), By: names.of(w.Author), Reason: w.Reason, Editable: q.mayEdit(memory.Document{Scope: w.Scope}),
		})
	}
	return view.ArchivePage(q.frame("facts", "Archived facts"), page), nil
}

// changeFact edits, restores or forgets a fact, in the name of the signed-in person.
func (q *request) changeFact() (templ.Component, error) {
	id, err := q.factID()
	if err != nil {
		return nil, err
	}
	frame := q.frame("facts", "Fact")
	switch q.r.PostFormValue("do") {
	case "edit":
		return q.editFact(id)
	case "restore":
		if err := q.FactHandlers.Restore(q.Context, q.id, id); err != nil {
			return nil, err
		}
		return q.redirect(view.FactURL(frame, id.String()) + "?done=back")
	case "forget":
		if _, err := q.TalkHandlers.ForgetFact(q.Context, q.id, q.agent, id, q.r.PostFormValue("erase") != "", false, ""); err != nil {
			return nil, err
		}
		return q.redirect(view.URL(frame, "facts") + "?done=forgotten")
	}
	return nil, fault.New(fault.InvalidRequest, "Edit the fact, restore it or forget it")
}

// editFact puts other words in place of a fact, in its document.
func (q *request) editFact(id uuid.UUID) (templ.Component, error) {
	history, err := q.Store.Fact(q.Context, q.id, id)
	if err != nil {
		return nil, err
	}
	now, text := history.Now(), strings.TrimSpace(q.text("text"))
	if !now.Ended.IsZero() {
		return nil, fault.New(fault.NotFound, "The fact is no longer in its document")
	}
	if !markdown.HasText(text) || strings.Contains(text, "\n") || utf8.RuneCountInString(text) > facts.MaxText {
		return q.showFact(id, text, "Write a statement on one line, of at most 600 characters.")
	}
	ref := memory.Ref{Scope: now.Scope, Path: now.Path}
	d, err := q.Store.Document(q.Context, q.id, ref)
	if err != nil {
		return nil, err
	}
	entries := markdown.EntriesOf(d.Content)
	at := slices.IndexFunc(entries, func(e markdown.Entry) bool { return e.ID == now.Entry })
	if at < 0 {
		return nil, fault.New(fault.Conflict, "%s was changed by another write: read it again", d.Path)
	}
	span := memory.LineSpan{From: entries[at].FromLine - 1, To: entries[at].ToLine}
	if lines := strings.Split(d.Content, "\n"); strings.HasPrefix(strings.TrimSpace(lines[span.From]), "|") {
		return q.showFact(id, text, "This statement is a row of a table: edit the document.")
	}
	_, err = q.apply(memory.Change{
		Ref: ref, Op: memory.OpReplace, Content: memory.WithLineAt(d.Content, []memory.LineSpan{span}, text), Base: d.Version, Reason: "edited",
	})
	if problem, is := asInvalid(err); is {
		return q.showFact(id, text, problem)
	}
	if quarantined, is := errors.AsType[*store.QuarantineError](err); is {
		return q.showFact(id, text, "Nothing was saved: "+quarantined.Error()+". Reword it.")
	}
	if err != nil {
		return nil, err
	}
	return q.redirect(view.DocumentURL(q.frame("", ""), "memory", ref.Path, string(ref.Scope)) + "&done=edited#L" + strconv.Itoa(entries[at].FromLine))
}
