package main

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"

	"reverie/memory"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// steps is what a conversation takes, on average.
type steps struct {
	Workflows  float64 `json:"workflows"`
	Tasks      float64 `json:"workflowTasks"`
	Steps      float64 `json:"steps"`      // through a task queue
	LocalSteps float64 `json:"localSteps"` // within a workflow task
	Updates    float64 `json:"updates"`
	Events     float64 `json:"events"`
	Trips      float64 `json:"trips"` // to the database, uploading included
	Statements float64 `json:"statements"`
	// CPU time in milliseconds.
	Worker   float64 `json:"workerCPU"` // and the benchmark itself
	Database float64 `json:"databaseCPU"`
	Temporal float64 `json:"temporalCPU"`
}

func (s *steps) used(cpu services.CPU, conversations int) {
	n := float64(conversations)
	s.Worker, s.Database, s.Temporal = 1000*cpu.Worker.Seconds()/n, 1000*cpu.Database.Seconds()/n, 1000*cpu.Temporal.Seconds()/n
}

// count reads the histories of the workflows that had conversations extracted.
func (w *world) count(ctx context.Context, db *pgx.Conn, s *steps) error {
	rows, err := db.Query(ctx, "select distinct workflow_id, run_id from extractions")
	if err != nil {
		return err
	}
	type run struct{ ID, Run string }
	runs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[run])
	if err != nil {
		return err
	}
	if rows, err = db.Query(ctx, "select owner_id from owners"); err != nil {
		return err
	}
	owners, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	for _, owner := range owners {
		runs = append(runs, run{ID: workflows.InboxID(memory.OwnerRef{Workspace: services.Workspace, Agent: agent, Owner: owner})})
	}
	counts := map[enums.EventType]float64{}
	for _, one := range runs {
		events := w.temporal.GetWorkflowHistory(ctx, one.ID, one.Run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				return err
			}
			counts[event.GetEventType()]++
			s.Events++
		}
	}
	n := float64(w.conversations)
	s.Events /= n
	s.Workflows = counts[enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED] / n
	s.Tasks = counts[enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED] / n
	s.Steps = counts[enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED] / n
	s.LocalSteps = counts[enums.EVENT_TYPE_MARKER_RECORDED] / n
	s.Updates = counts[enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED] / n
	return nil
}
