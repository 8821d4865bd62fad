package api

import (
	"context"
	"net/http"
	"time"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store/admin"
)

func (s *Server) queueRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-queues", Method: http.MethodGet, Path: "/api/v1/queues", Tag: "operation", Need: memory.RoleAdmin,
		Summary: "Read how much waited in each queue over time",
		Doc: "The work of the workspace by kind, and the task queues of the deployment, sampled every five minutes and kept for a week. " +
			"For keys that are not limited to agents or an owner.",
	}, s.queues)
}

type queuesInput struct {
	rest.ListParams

	Hours int `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"How far back."`
}

type queuesView struct {
	rest.Page[queueView]

	StepSeconds int         `json:"stepSeconds" doc:"Each sample is the most of a step."`
	Queues      []queueView `json:"queues" deprecated:"true" doc:"Same as items."`
}

type queueView struct {
	Name    string      `json:"name" example:"messages" doc:"messages, turns, postponed, quarantine and writes: as in the backlog of the status; else a task queue."`
	Kind    string      `json:"kind" enum:"work,tasks"`
	Samples []depthView `json:"samples"`
}

type depthView struct {
	At    time.Time `json:"at" doc:"Begin of the step."`
	Depth int64     `json:"depth"`
}

func (s *Server) queues(ctx context.Context, in *queuesInput) (*rest.Reply[queuesView], error) {
	all, step, err := s.QueueDepths(ctx, rest.CallerOf(ctx).Identity(), in.Hours)
	if err != nil {
		return nil, err
	}
	queues := []queueView{}
	for _, d := range all {
		if n := len(queues); n == 0 || queues[n-1].Name != d.Queue {
			kind := "work"
			if d.Tasks {
				kind = "tasks"
			}
			queues = append(queues, queueView{Name: d.Queue, Kind: kind})
		}
		last := &queues[len(queues)-1]
		last.Samples = append(last.Samples, depthView{d.At, d.Depth})
	}
	part, err := rest.Part(queues, in.ListParams, func(q queueView) queueView { return q })
	if err != nil {
		return nil, err
	}
	page := part.Body.Data
	return rest.OK(queuesView{Page: page, StepSeconds: int(step.Seconds()), Queues: page.Items}), nil
}

// QueueDepths returns how much waited in each queue in the last hours, at most a hundred samples of each, and the length of a step.
func (s *Server) QueueDepths(ctx context.Context, id memory.Identity, hours int) ([]admin.Depth, time.Duration, error) {
	step := max(15*time.Minute, time.Duration(hours)*time.Hour/84).Truncate(15 * time.Minute) //nolint:mnd // 84 steps: two hours in a week
	since := s.Now().Add(-time.Duration(hours) * time.Hour).Truncate(step)
	all, err := s.Store.Depths(ctx, id, since, step)
	return all, step, err
}
