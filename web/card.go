package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/web/view"
)

func (b *Browser) cardRoutes() {
	b.page(rest.Route{ID: "page-card", Path: base + "/card", Summary: "The morning card", Need: memory.RoleViewer}, (*request).card)
	b.page(rest.Route{
		ID: "page-card-seen", Method: http.MethodPost, Path: base + "/card", Summary: "Mark a morning card as seen", Need: memory.RoleMember,
		Act: rest.Changes, Body: maxForm,
	}, (*request).seeCard)
	b.page(rest.Route{
		ID: "page-entry", Method: http.MethodPost, Path: base + "/dreams/{report}/entries/{entry}",
		Summary: "Confirm, edit or forget what a dream promoted", Need: memory.RoleMember, Act: rest.Changes, Body: maxForm,
	}, (*request).entry)
}

// maxCardFacts bounds the facts of a card that the page shows.
const maxCardFacts = 20

// enterPerson enters the memory of a person. Shared memory has no such page.
func (q *request) enterPerson() error {
	err := q.enter()
	if err == nil && q.id.Owner == memory.NoOwner {
		err = fault.New(fault.NotFound, "This belongs to a person: choose whose memory to look at first")
	}
	return err
}

func (q *request) card() (templ.Component, error) {
	if err := q.enterPerson(); err != nil {
		return nil, err
	}
	return q.showCard("", "", "")
}

// showCard shows the card. The problem is about the fact that is named, whose text is kept.
func (q *request) showCard(entry, text, problem string) (templ.Component, error) {
	page := view.Card{Failed: entry, Text: text, Problem: problem, Off: q.CardsOff}
	frame := q.frame("timeline", "Morning card")
	if page.Off {
		return view.CardPage(frame, page), nil
	}
	card, err := q.CardOf(q.Context, q.id, time.Time{})
	if err != nil || card == nil {
		return view.CardPage(frame, page), err
	}
	page.Dream, page.At, page.Reason, page.Topic = card.ReportID.String(), card.StartedAt, card.LLMReason, card.Topic
	page.Promoted, page.Rejected = card.PromotedCount, card.RejectedCount
	page.Shared = card.Owner != q.id.Owner
	page.Diff = view.SideBySide(card.MemoryDiff)
	page.Editable = q.mayWrite() && !page.Shared
	for _, f := range card.Facts[:min(len(card.Facts), maxCardFacts)] {
		page.Facts = append(page.Facts, view.CardFact{Entry: f.Entry, Text: markdown.WithoutComments(f.Text), Status: string(f.Status)})
	}
	page.More = len(card.Facts) - len(page.Facts)
	return view.CardPage(frame, page), nil
}

func (q *request) seeCard() (templ.Component, error) {
	if err := q.enterPerson(); err != nil {
		return nil, err
	}
	report, err := uuid.Parse(q.r.PostFormValue("report"))
	if err != nil || q.CardsOff {
		return nil, fault.New(fault.InvalidRequest, "There is no card to be seen")
	}
	rest.Touch(q.Context, "report", report.String())
	if err := q.Store.SeeMorningCard(q.Context, q.id, report); err != nil {
		return nil, err
	}
	return q.redirect(view.URL(q.frame("", ""), "card") + "?done=seen")
}

// entry confirms, edits or forgets one statement of a dream.
func (q *request) entry() (templ.Component, error) {
	d, _, err := q.dreamOf()
	if err == nil && d.Owner != q.id.Owner {
		err = fault.New(fault.NotFound, "There is no such dream of a person")
	}
	if err != nil {
		return nil, err
	}
	entry := q.r.PathValue("entry")
	if !entryID.MatchString(entry) {
		return nil, fault.New(fault.NotFound, "There is no such page")
	}
	what, text := q.r.PostFormValue("decision"), ""
	if what == "edit" {
		text = strings.TrimSpace(q.r.PostFormValue("text"))
	}
	err = q.DreamHandlers.Change(q.Context, q.agent.ID, d.Owner, d.ID, markdown.EntryID(entry), what, text)
	if p, is := errors.AsType[*fault.Problem](err); is && what == "edit" && p.Code == http.StatusUnprocessableEntity {
		return q.showCard(entry, text, "Write a statement on one line, of at most 500 characters.")
	}
	if err != nil {
		return nil, err
	}
	done := map[string]string{"confirm": "confirmed", "edit": "edited", "forget": "forgotten"}[what]
	return q.redirect(view.URL(q.frame("", ""), "card") + "?done=" + done)
}
