package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/web/view"
)

func (b *Browser) dreamRoutes() {
	b.page(rest.Route{
		ID: "page-dream", Path: base + "/dreams/{report}", Summary: "The report of a dream", Need: memory.RoleViewer,
	}, (*request).dream)
	action := func(name, path, summary string, do answer) {
		b.page(rest.Route{
			ID: name, Method: http.MethodPost, Path: base + "/dreams" + path, Summary: summary, Need: memory.RoleMember, Act: rest.Changes, Body: maxForm,
			Timeout: rest.MaxWait,
		}, do)
	}
	action("page-dream-now", "", "Dream now", (*request).dreamNow)
	action("page-dream-undo", "/{report}/undo", "Undo a dream", (*request).undoDream)
	action("page-dream-again", "/{report}/again", "Undo a dream and dream again", (*request).dreamAgain)
}

// maxCandidates is the number of candidates on the page of a dream, best first.
const maxCandidates = 100

// dreamOf finds the dream in the address. One of the shared memory is for those who see everybody's.
func (q *request) dreamOf() (dreams.Dream, memory.Identity, error) {
	record, err := q.uid("report")
	if err != nil {
		return dreams.Dream{}, memory.Identity{}, err
	}
	if err := q.enter(); err != nil {
		return dreams.Dream{}, memory.Identity{}, err
	}
	id, full := rest.AcrossOwners(q.id)
	d, err := q.Store.Dream(q.Context, id, record)
	if err == nil && (!full || !id.AnyOwner && d.Owner != id.Owner) {
		err = fault.New(fault.NotFound, "There is no such dream of this memory")
	}
	return d, id, err
}

func (q *request) dream() (templ.Component, error) {
	d, id, err := q.dreamOf()
	if err != nil {
		return nil, err
	}
	page := view.DreamReport{Dream: viewDream(d), Link: q.Workflows.Link(d.WorkflowID), Diff: view.SideBySide(d.Diff)}
	listed, err := q.Store.DreamCandidates(q.Context, id, d.ID, "", store.Page{Limit: maxCandidates})
	if err != nil {
		return nil, err
	}
	page.More = listed.Next != ""
	for _, c := range listed.Items {
		page.Candidates = append(page.Candidates, viewCandidate(c, d))
	}
	for _, t := range d.Reflection.Themes {
		page.Themes = append(page.Themes, t.Tag)
	}
	for _, c := range d.Contradictions {
		page.Contradictions = append(page.Contradictions, view.Contradiction{Older: c.OlderText, Newer: c.NewerText, Why: c.Why, Settled: c.Settled})
	}
	for _, v := range d.Violations {
		page.Violations = append(page.Violations, v.Message)
	}
	page.Undoable = q.mayWrite() && d.Outcome == memory.OutcomeWritten && !d.DryRun && d.RevertedAt.IsZero() && len(page.Changes) > 0
	page.Replayable = q.mayWrite() && !page.Open && d.Pins.Material != ""
	if d.ReplayOf != uuid.Nil {
		page.ReplayOf = d.ReplayOf.String()
	}
	return view.DreamPage(q.frame("timeline", "Dream"), page), nil
}

func viewDream(d dreams.Dream) view.Dream {
	v := view.Dream{
		ID: d.ID.String(), Owner: string(d.Owner), Mode: string(d.Mode), Trigger: string(d.Trigger), Topic: d.Topic, DryRun: d.DryRun, Phase: string(d.Phase),
		Outcome: string(d.Outcome), Code: string(d.ReasonCode), Reason: d.Reason, At: d.StartedAt, Ended: d.FinishedAt, Model: d.Model,
		Candidates: d.Counts.Candidates, Promoted: d.Counts.Promoted, Kept: d.Counts.Kept, Rejected: d.Counts.Rejected,
		Changes: viewChanges(d.Changes), Undone: !d.RevertedAt.IsZero(), UndoneAt: d.RevertedAt, Open: d.Open(), Raw: d.Raw,
		Tokens: d.Usage.InputTokens + d.Usage.OutputTokens, Cost: d.Usage.CostMicros,
	}
	if d.AgainAs != uuid.Nil {
		v.AgainAs = d.AgainAs.String()
	}
	if d.AgainOf != uuid.Nil {
		v.AgainOf = d.AgainOf.String()
	}
	return v
}

// viewCandidate shows a candidate with the parts of its score as they were weighed.
func viewCandidate(c dream.Candidate, d dreams.Dream) view.Candidate {
	w, parts := d.Settings.Weights, c.Components
	total := w.Frequency + w.Relevance + w.Diversity + w.Recency + w.Consolidation + w.Conceptual
	if total == 0 {
		total = 1
	}
	v := view.Candidate{Text: c.Text, Verdict: string(c.Verdict), Reason: c.Reason, Code: c.ReasonCode, Score: c.Score, Line: c.Line, Person: c.Person}
	for _, p := range []struct {
		name        string
		value, part float64
	}{
		{"frequency", parts.Frequency, w.Frequency / total},
		{"relevance", parts.Relevance, w.Relevance / total},
		{"diversity", parts.Diversity, w.Diversity / total},
		{"recency", parts.Recency, w.Recency / total},
		{"consolidation", parts.Consolidation, w.Consolidation / total},
		{"concepts", parts.Conceptual, w.Conceptual / total},
		{"light boost", parts.LightBoost, 1},
		{"REM boost", parts.REMBoost, 1},
	} {
		v.Parts = append(v.Parts, view.Part{Name: p.name, Value: p.value, Share: p.value * p.part})
	}
	for _, g := range c.Gates {
		v.Gates = append(v.Gates, view.Gate{Name: g.Name, Value: g.Value, Need: g.Need, Passed: g.Passed})
	}
	for _, p := range c.Places {
		place := view.Place{Day: string(p.Day), Path: p.Path, Line: p.FromLine}
		if p.ConversationUID != uuid.Nil {
			place.Talk = p.ConversationUID.String()
		}
		if len(p.Messages) > 0 {
			place.Message = p.Messages[0]
		}
		v.Places = append(v.Places, place)
	}
	return v
}

func (q *request) dreamNow() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	made, err := q.DreamHandlers.Dream(q.Context, q.agent.ID, q.id.Owner, "")
	if err != nil {
		return nil, err
	}
	return q.redirect(view.DreamURL(q.frame("", ""), made.String()))
}

func (q *request) undoDream() (templ.Component, error) {
	d, _, err := q.dreamOf()
	if err != nil {
		return nil, err
	}
	if err := q.DreamHandlers.Undo(q.Context, q.agent.ID, d.Owner, d.ID); err != nil {
		return nil, err
	}
	return q.redirect(view.DreamURL(q.frame("", ""), d.ID.String()) + "?done=undone")
}

func (q *request) dreamAgain() (templ.Component, error) {
	d, _, err := q.dreamOf()
	if err != nil {
		return nil, err
	}
	made, err := q.DreamHandlers.Again(q.Context, q.agent.ID, d.Owner, d.ID, "")
	if err != nil {
		return nil, err
	}
	return q.redirect(view.DreamURL(q.frame("", ""), made.String()))
}

func (b *Browser) scheduleRoutes() {
	b.page(rest.Route{ID: "page-schedules", Path: "/schedules", Summary: "When agents dream next", Need: memory.RoleAdmin}, (*request).schedules)
}

// maxSchedules bounds the agents whose schedule is shown; Temporal is asked for each.
const maxSchedules = 50

func (q *request) schedules() (templ.Component, error) {
	id := q.key.Identity()
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "Schedules are of agents: a key pinned to an owner does not see them")
	}
	agents, err := q.Store.Agents(q.Context, id)
	if err != nil {
		return nil, err
	}
	page := view.Schedules{More: max(0, len(agents)-maxSchedules)}
	for _, agent := range agents[:len(agents)-page.More] {
		s := q.DreamHandlers.Schedule(q.Context, id.For(agent.ID, memory.NoOwner), agent)
		row := view.Schedule{Agent: agent.ID, Name: agent.Name, State: s.State, Cron: s.Cron, Zone: s.TimeZone}
		if s.Next != nil {
			row.Next = *s.Next
			if zone, err := agent.Location(); err == nil {
				row.Local = s.Next.In(zone).Format("Mon 2 Jan, 15:04")
			}
		}
		page.Items = append(page.Items, row)
	}
	return view.SchedulesPage(q.frame("schedules", "Schedules"), page), nil
}
