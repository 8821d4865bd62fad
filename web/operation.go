package web

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"reverie/api/doctor"
	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) operationRoutes() {
	b.page(rest.Route{ID: "page-usage", Path: "/usage", Summary: "Usage and cost of models", Need: memory.RoleAdmin}, (*request).usage)
	b.page(rest.Route{
		ID: "page-budget", Method: http.MethodPost, Path: "/agents/{agent}/budget",
		Summary: "Pause and resume the models of an agent, or give it a budget", Need: memory.RoleAdmin, Act: rest.Changes, Body: maxForm,
	}, (*request).budget)
	b.page(rest.Route{ID: "page-queues", Path: "/queues", Summary: "How much waits, over time", Need: memory.RoleAdmin}, (*request).queues)
	b.page(rest.Route{
		ID: "page-doctor", Path: "/agents/{agent}/doctor", Summary: "Damage of an agent", Need: memory.RoleAdmin,
	}, (*request).doctor)
	b.page(rest.Route{
		ID: "page-fix", Method: http.MethodPost, Path: "/agents/{agent}/doctor", Summary: "Repair an agent", Need: memory.RoleAdmin,
		Act: rest.Changes, Body: maxForm, Timeout: rest.MaxWait,
	}, (*request).fix)
}

// usageDays is the number of days that the page of usage shows.
const usageDays = 30

func (q *request) usage() (templ.Component, error) {
	id := q.key.Identity()
	if id.Pinned {
		return nil, fault.New(fault.Forbidden, "Usage is of the whole workspace: a key pinned to an owner does not see it")
	}
	now := q.Now()
	spent, err := q.Store.UsageByDay(q.Context, id, now.AddDate(0, 0, 1-usageDays))
	if err != nil {
		return nil, err
	}
	page := view.Usage{MaxTokens: q.Chat.Budget.Tokens, MaxCost: q.Chat.Budget.CostMicros, Renewal: memory.BudgetRenewal(now)}
	byDay := map[time.Time]int{}
	for n := range usageDays {
		day := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -n)
		byDay[day] = n
		page.Days = append(page.Days, view.UsageDay{Day: day})
	}
	for _, u := range spent {
		n, found := byDay[u.Day.UTC()]
		if !found {
			continue
		}
		d, m := &page.Days[n], view.ModelUsage{Model: u.Model, Calls: u.Calls, Input: int64(u.InputTokens), Output: int64(u.OutputTokens), Cost: u.CostMicros}
		d.Models = append(d.Models, m)
		d.Calls, d.Tokens, d.Cost = d.Calls+m.Calls, d.Tokens+m.Input+m.Output, d.Cost+m.Cost
		page.Tokens, page.Cost = page.Tokens+m.Input+m.Output, page.Cost+m.Cost
	}
	waiting, err := q.Store.Backlog(q.Context, id)
	if err != nil {
		return nil, err
	}
	page.Backlog = &view.Backlog{
		Conversations: waiting.PendingConversations, Messages: waiting.PendingMessages, Waiting: waiting.Waiting, Quarantined: waiting.Quarantined,
		Writes: waiting.StagedWrites,
	}
	if page.Agents, err = q.agentsUsage(); err != nil {
		return nil, err
	}
	frame := q.frame("usage", "Usage")
	frame.Charts = true
	return view.UsagePage(frame, page), nil
}

// agentsUsage returns today's usage and the budget of each agent.
func (q *request) agentsUsage() (shown []view.AgentUsage, err error) {
	agents, err := q.Agents(q.Context)
	if err != nil {
		return nil, err
	}
	spent, err := q.Store.UsageByAgent(q.Context, q.key.Identity(), q.Now())
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		models := q.Chat.Models.With(a.Settings)
		budget := models.Budget()
		u := view.AgentUsage{ID: a.ID, Name: a.Name, Paused: models.Paused, MaxTokens: budget.Tokens, MaxCost: budget.CostMicros}
		if at := slices.IndexFunc(spent, func(s talk.SpentBy) bool { return s.Agent == a.ID }); at >= 0 {
			used := spent[at].Usage
			u.Calls, u.Tokens, u.Cost, u.Spent = used.Calls, int64(used.InputTokens+used.OutputTokens), used.CostMicros, budget.Spent(used)
		}
		shown = append(shown, u)
	}
	return shown, nil
}

// budget pauses or resumes the use of models by an agent, or sets its budget of a day.
func (q *request) budget() (templ.Component, error) {
	done := q.r.PostFormValue("do")
	var change func(*setting.AgentSettings)
	switch done {
	case "pause", "resume":
		change = func(s *setting.AgentSettings) { s.ModelPaused = new(done == "pause") }
	case "budget":
		tokens, wrong := strconv.ParseInt(cmp.Or(q.r.PostFormValue("tokens"), "0"), 10, 32)
		cost, bad := strconv.ParseFloat(cmp.Or(q.r.PostFormValue("cost"), "0"), 64)
		if wrong != nil || bad != nil || tokens < 0 || !(cost >= 0 && cost <= maxBudget) {
			return nil, fault.New(fault.InvalidRequest, "Give the budget of a day as a number of tokens and US dollars, or leave it empty")
		}
		change = func(s *setting.AgentSettings) { s.BudgetTokens, s.BudgetCost = new(int(tokens)), &cost }
	default:
		return nil, fault.New(fault.InvalidRequest, "Pause or resume the agent, or give it a budget")
	}
	if err := q.ChangeSettings(q.Context, q.r.PathValue("agent"), change); err != nil {
		return nil, err
	}
	return q.redirect("/usage?done=" + done)
}

// maxBudget bounds the US dollars of a day, so that millionths of them fit.
const maxBudget = 1e9

// queues shows how much waited in the last day, or week.
func (q *request) queues() (templ.Component, error) {
	days := 1
	if q.r.URL.Query().Get("days") == "7" {
		days = 7
	}
	all, _, err := q.QueueDepths(q.Context, q.key.Identity(), 24*days)
	if err != nil {
		return nil, err
	}
	work, tasks := view.QueueGroup{ID: "work", Title: "Work that waits"}, view.QueueGroup{ID: "tasks", Title: "Task queues of Temporal"}
	for _, d := range all {
		if d.Tasks {
			addDepth(&tasks, d)
		} else {
			addDepth(&work, d)
		}
	}
	frame := q.frame("queues", "Queues")
	frame.Charts = true
	return view.QueuesPage(frame, view.Queues{Days: days, From: q.Now().AddDate(0, 0, -days), To: q.Now(), Groups: []view.QueueGroup{work, tasks}}), nil
}

// addDepth adds one sample to a group. Samples come by queue, and of a queue the first one first.
func addDepth(g *view.QueueGroup, d admin.Depth) {
	column := slices.Index(g.Names, d.Queue)
	if column < 0 {
		column = len(g.Names)
		g.Names = append(g.Names, d.Queue)
		for i := range g.Rows {
			g.Rows[i].Depths = append(g.Rows[i].Depths, -1)
		}
	}
	at, found := slices.BinarySearchFunc(g.Rows, d.At, func(r view.QueueRow, t time.Time) int { return r.At.Compare(t) })
	if !found {
		g.Rows = slices.Insert(g.Rows, at, view.QueueRow{At: d.At, Depths: slices.Repeat([]int64{-1}, len(g.Names))})
	}
	g.Rows[at].Depths[column] = d.Depth
}

func (q *request) doctor() (templ.Component, error) {
	found, err := q.DoctorHandlers.Examine(q.Context, q.r.PathValue("agent"))
	return q.examination(found, err)
}

func (q *request) fix() (templ.Component, error) {
	found, err := q.DoctorHandlers.Fix(q.Context, q.r.PathValue("agent"))
	return q.examination(found, err)
}

func (q *request) examination(found doctor.ExaminationView, err error) (templ.Component, error) {
	if err != nil {
		return nil, err
	}
	page := view.Examination{Agent: found.Agent, Healthy: found.Healthy, Unchecked: found.Unchecked}
	for _, f := range found.Findings {
		page.Findings = append(page.Findings, view.Finding{Code: f.Code, Means: f.Means, Fix: f.Fix, Count: f.Count, Examples: f.Examples})
	}
	for _, f := range found.Fixed {
		page.Fixed = append(page.Fixed, view.Finding{Code: f.Code, Count: f.Count})
	}
	return view.DoctorPage(q.frame("doctor", "Doctor"), page), nil
}

// asInvalid returns what is wrong with an argument.
func asInvalid(err error) (string, bool) {
	invalid, is := errors.AsType[*store.InvalidError](err)
	if !is {
		return "", false
	}
	return invalid.Field + ": " + invalid.Problem, true
}
