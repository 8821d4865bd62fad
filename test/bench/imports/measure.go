package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/enums/v1"

	"reverie/activities"
	"reverie/imports"
	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/store/transfer"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// measure runs the measurements one after the other.
func (w *world) measure(ctx context.Context) (report, error) {
	r := report{Conversations: w.conversations, Messages: w.conversations * w.messages, Owners: w.owners}
	db, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return r, err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	if r.Copy, err = timed(func() error { return w.copy(ctx, db) }); err != nil {
		return r, fmt.Errorf("copy: %w", err)
	}
	if r.Floor, err = timed(func() error { return w.floor(ctx, db) }); err != nil {
		return r, fmt.Errorf("floor: %w", err)
	}
	before, stood := services.UsedCPU(), 0
	if r.Bare, err = timed(func() error { stood, err = w.bare(ctx); return err }); err != nil {
		return r, fmt.Errorf("bare workflows: %w", err)
	}
	r.Bare *= float64(w.conversations) / float64(stood)
	r.OfBare.used(services.UsedCPU().Since(before), stood)
	id := w.identity()
	id.Agent = agent
	var made transfer.Import
	before = services.UsedCPU()
	if r.Stage, err = timed(func() error { made, err = w.stage(ctx, id); return err }); err != nil {
		return r, fmt.Errorf("stage: %w", err)
	}
	if r.Run, err = timed(func() error { made, err = w.move(ctx, id, made); return err }); err != nil {
		return r, fmt.Errorf("import: %w", err)
	}
	calls := w.calls.Total()
	r.Each.used(services.UsedCPU().Since(before), w.conversations)
	r.Each.Trips, r.Each.Statements = float64(calls.Trips)/float64(w.conversations), float64(calls.Statements)/float64(w.conversations)
	if err := w.count(ctx, db, &r.Each); err != nil {
		return r, fmt.Errorf("histories: %w", err)
	}
	r.Written = made.Outcomes[memory.OutcomeWritten]
	r.Total = r.Stage + r.Run
	r.ToFloor, r.ToCopy, r.ToBare, r.StageToCopy = r.Total/r.Floor, r.Total/r.Copy, r.Run/r.Bare, r.Stage/r.Copy
	return r, w.check(ctx, db, made)
}

// timed returns the duration of do, in seconds.
func timed(do func() error) (float64, error) {
	began := time.Now()
	err := do()
	return time.Since(began).Seconds(), err
}

// copy writes the messages into a plain table by COPY, the fastest way.
func (w *world) copy(ctx context.Context, db *pgx.Conn) error {
	const table = "create table plain (conversation text, seq bigint, id text, role text, content text, said_at timestamptz, primary key (conversation, seq))"
	if _, err := db.Exec(ctx, table); err != nil {
		return err
	}
	var rows [][]any
	for _, c := range w.talks {
		for i, m := range c.Messages {
			rows = append(rows, []any{c.ID, i + 1, m.ID, m.Role, m.Content, m.CreatedAt})
		}
	}
	_, err := db.CopyFrom(ctx, pgx.Identifier{"plain"}, []string{"conversation", "seq", "id", "role", "content", "said_at"},
		pgx.CopyFromRows(rows))
	return err
}

// floor calls the engine directly, one conversation after the other, and inserts messages and results, in one
// transaction per conversation.
func (w *world) floor(ctx context.Context, db *pgx.Conn) error {
	const tables = `
create table floor_messages (conversation text, seq bigint, id text, role text, content text, said_at timestamptz, primary key (conversation, seq));
create table floor_notes (conversation text primary key, answer text)`
	if _, err := db.Exec(ctx, tables); err != nil {
		return err
	}
	engine, settings := extractive.New(), setting.DefaultExtractSettings()
	for _, c := range w.talks {
		var messages []memory.Message
		batch := &pgx.Batch{}
		batch.Queue("begin")
		for i, m := range c.Messages {
			m.Seq = int64(i + 1)
			messages = append(messages, m)
			batch.Queue("insert into floor_messages values ($1, $2, $3, $4, $5, $6)", c.ID, m.Seq, m.ID, m.Role, m.Content, m.CreatedAt)
		}
		answer, err := engine.Propose(ctx, proposals.ExtractionInput{
			Agent: agent, Today: c.Messages[len(c.Messages)-1].CreatedAt, Transcript: transcripts.Transcript(messages, settings),
			ProfileMaxChars: settings.ProfileMaxChars, MemoryMaxChars: settings.MemoryMaxChars,
		})
		if err != nil {
			return err
		}
		batch.Queue("insert into floor_notes values ($1, $2)", c.ID, answer.Raw)
		batch.Queue("commit")
		if err := db.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
	}
	return nil
}

// stage uploads the conversations, as the API does.
func (w *world) stage(ctx context.Context, id memory.Identity) (transfer.Import, error) {
	made, err := w.store.CreateImport(ctx, id,
		transfer.NewImport{Source: "bench", Format: "bench", OnConflict: memory.ImportMerge, Extract: true})
	if err != nil {
		return made, err
	}
	var items []transfer.ImportItem
	for _, c := range w.talks {
		payload, err := json.Marshal(imports.Item{Key: c.ID, Conversation: &c})
		if err != nil {
			return made, err
		}
		items = append(items, transfer.ImportItem{
			Key: c.ID, Conversation: true, Whose: c.Owner, At: c.Messages[len(c.Messages)-1].CreatedAt, Target: c.ID,
			Messages: len(c.Messages), Payload: payload,
		})
	}
	for batch := range slices.Chunk(items, 200) {
		if _, err := w.store.StageImport(ctx, id, made.ID, batch); err != nil {
			return made, err
		}
	}
	return made, nil
}

// move runs the import and waits for its end.
func (w *world) move(ctx context.Context, id memory.Identity, made transfer.Import) (transfer.Import, error) {
	if _, err := w.store.StartImport(ctx, id, made.ID); err != nil {
		return made, err
	}
	ref := activities.AgentRef{Workspace: id.Workspace, Agent: id.Agent}
	if err := workflows.StartImport(ctx, w.temporal, workflows.ImportInput{AgentRef: ref, Import: made.ID, Format: made.Format}); err != nil {
		return made, err
	}
	if err := w.temporal.GetWorkflow(ctx, workflows.ImportID(id.Workspace, id.Agent, made.ID), "").Get(ctx, nil); err != nil {
		return made, err
	}
	return w.store.ImportOf(ctx, id, made.ID)
}

// check verifies the run: every message is stored once, and processed by one extraction.
func (w *world) check(ctx context.Context, db *pgx.Conn, made transfer.Import) error {
	if made.State != transfer.ImportDone || made.Items != w.conversations ||
		made.Outcomes[memory.OutcomeFailed]+made.Outcomes[memory.OutcomeSkipped] > 0 {
		return fmt.Errorf("the import ended as %s with %v of %d items", made.State, made.Outcomes, made.Items)
	}
	const sql = `
select
    (select count(*) from messages),
    (select coalesce(sum(to_seq - from_seq + 1), 0) from extractions where outcome in ('written', 'nothing')),
    (select count(*) from conversations where cursor_seq < last_seq),
    (select count(*) from import_items where payload is not null)`
	var messages, extracted, pending, left int
	if err := db.QueryRow(ctx, sql).Scan(&messages, &extracted, &pending, &left); err != nil {
		return err
	}
	if want := w.conversations * w.messages; messages != want || extracted != want || pending != 0 || left != 0 {
		return fmt.Errorf("%d messages are stored and %d extracted, want %d; %d conversations are pending, and %d items still have contents",
			messages, extracted, want, pending, left)
	}
	return nil
}

// steps is the average cost of a conversation.
type steps struct {
	Workflows  float64 `json:"workflows"`
	Tasks      float64 `json:"workflowTasks"`
	Steps      float64 `json:"steps"`      // through a task queue
	LocalSteps float64 `json:"localSteps"` // within a workflow task
	Updates    float64 `json:"updates"`
	Events     float64 `json:"events"`
	Trips      float64 `json:"trips"` // to the database, including the upload
	Statements float64 `json:"statements"`
	// CPU time in milliseconds.
	Worker   float64 `json:"workerCPU"` // including the benchmark itself
	Database float64 `json:"databaseCPU"`
	Temporal float64 `json:"temporalCPU"`
}

func (s *steps) used(cpu services.CPU, conversations int) {
	n := float64(conversations)
	s.Worker, s.Database, s.Temporal = 1000*cpu.Worker.Seconds()/n, 1000*cpu.Database.Seconds()/n, 1000*cpu.Temporal.Seconds()/n
}

// count counts events in the histories of the workflows that extracted conversations.
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
