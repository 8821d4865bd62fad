package web

import (
	"slices"
	"time"

	"github.com/a-h/templ"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/approvals"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) overviewRoutes() {
	b.page(rest.Route{ID: "page-overview", Path: "/", Summary: "Agents and their health", Need: memory.RoleViewer}, (*request).overview)
}

// maxShown bounds the agents that an overview shows with their health; each costs some queries. Others are only named.
const maxShown = 8

func (q *request) overview() (templ.Component, error) {
	agents, err := q.Store.Agents(q.Context, q.key.Identity())
	if err != nil {
		return nil, err
	}
	status, err := q.Status(q.Context)
	if err != nil {
		return nil, err
	}
	page := view.Overview{State: status.State, Degraded: status.Degraded, Version: status.Version, Model: status.Model.Name, Person: q.key.Identity().Pinned}
	if status.Backlog != nil {
		b := status.Backlog
		page.Backlog = &view.Backlog{
			Conversations: b.PendingConversations, Messages: b.PendingMessages, Waiting: b.Waiting, Quarantined: b.Quarantined, Writes: b.StagedWrites,
		}
	}
	if status.Today != nil {
		page.Today = &view.Spent{Calls: status.Today.Calls, Tokens: status.Today.InputTokens + status.Today.OutputTokens, Cost: status.Today.CostMicros}
		page.Today.MaxTokens, page.Today.MaxCost = q.Chat.Budget.Tokens, q.Chat.Budget.CostMicros
	}
	slices.SortStableFunc(agents, func(a, b gate.Agent) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for i, agent := range agents {
		card := view.Agent{ID: agent.ID, Name: agent.Name, Zone: agent.TimeZone, Whom: q.ownSegment(), Chooses: q.mayWrite() && !page.Person}
		card.Paused = q.Chat.Models.With(agent.Settings).Paused
		if i < maxShown {
			if err := q.health(&card, agent); err != nil {
				return nil, err
			}
			page.Agents = append(page.Agents, card)
		} else {
			page.Others = append(page.Others, card)
		}
	}
	return view.OverviewPage(q.frame("overview", "Overview"), page), nil
}

// health reads how an agent is: its last extraction, its last dream, and what changed today.
func (q *request) health(card *view.Agent, agent gate.Agent) error {
	id, err := q.EnterGone(q.Context, agent.ID, rest.Person{}) // it was read with the others
	if err != nil {
		return err
	}
	reader, full := rest.AcrossOwners(id)
	runs, err := q.Store.Extractions(q.Context, reader, talk.ExtractionFilter{}, store.Page{Limit: 1})
	if err != nil {
		return err
	}
	for _, x := range runs.Items {
		card.Extracted = &view.Last{At: x.StartedAt, Outcome: string(x.Outcome), Code: string(x.ReasonCode)}
	}
	dreamt, err := q.Store.Dreams(q.Context, reader, dreams.DreamFilter{Real: true}, store.Page{Limit: 1})
	if err != nil {
		return err
	}
	for _, d := range dreamt.Items {
		if reader.AnyOwner || d.Owner == reader.Owner {
			card.Dreamt = &view.Last{At: d.StartedAt, Outcome: string(d.Outcome), Code: string(d.ReasonCode)}
		}
	}
	if approvals.MayApprove(id) == nil {
		if card.Approvals, err = q.Store.WaitingLines(q.Context, reader); err != nil {
			return err
		}
	}
	if !full { // who may not read what was said is not shown what changed
		return nil
	}
	zone, err := agent.Location()
	if err != nil {
		return err
	}
	now := q.Now().In(zone)
	card.Now = now
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	events, err := q.Store.Latest(q.Context, reader, changeKinds, allAuthors, q.Now().Add(time.Hour), maxToday)
	if err != nil {
		return err
	}
	names := authors{own: q.key}
	for _, e := range events {
		if e.At.Before(midnight) {
			break
		}
		card.Today = append(card.Today, changeEvent(e, names))
	}
	card.TodayMore = len(card.Today) == maxToday
	return nil
}

// maxToday bounds the changes of a day that an overview shows.
const maxToday = 6

var allAuthors = []memory.AuthorKind{
	memory.AuthorUser, memory.AuthorTool, memory.AuthorImport, memory.AuthorWorkflow, memory.AuthorDream, memory.AuthorSeed,
}
