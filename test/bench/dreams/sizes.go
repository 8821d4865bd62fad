package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// size is the average cost of one dream with the model, for owners with such a week.
type size struct {
	Name     string `json:"name"`
	Week     week   `json:"week"`
	Dreams   int    `json:"dreams"`
	NoteSize int    `json:"noteCharacters"` // of all notes of the week

	Requests     float64 `json:"requests"` // to the model
	InputTokens  float64 `json:"inputTokens"`
	OutputTokens float64 `json:"outputTokens"`

	HistoryBytes  float64 `json:"historyBytes"` // of Dream
	HistoryEvents float64 `json:"historyEvents"`
	NightBytes    int64   `json:"nightHistoryBytes"` // of the one DreamNight that started them
	NightEvents   int64   `json:"nightHistoryEvents"`

	DatabaseBytes float64            `json:"databaseBytes"` // including indexes
	Rows          map[string]float64 `json:"rows"`          // by table, if any
}

// sizes measures dreams of both kinds of weeks.
func (b *bench) sizes(ctx context.Context) ([]size, error) {
	stop, err := b.world.work(ctx, true, parallelSized)
	if err != nil {
		return nil, err
	}
	defer stop()
	var out []size
	for _, s := range []size{{Name: "usual", Week: usualWeek}, {Name: "large", Week: largeWeek}} {
		services.Say("bench", fmt.Sprintf("%d dreams of %s weeks", b.sized, s.Name))
		s.Dreams = b.sized
		if err := b.world.measureSize(ctx, "size-"+s.Name, &s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// parallelSized is the number of owners who dream at once while sizes are measured.
const parallelSized = 8

// measureSize measures the dreams of an agent.
func (w *world) measureSize(ctx context.Context, agent string, s *size) error {
	if err := w.populate(ctx, agent, s.Dreams, s.Week); err != nil {
		return err
	}
	for n := range s.Dreams {
		for _, note := range newWriter(w.seed, fmt.Sprint(agent, "/", n)).notes(s.Week) {
			s.NoteSize += len(note)
		}
	}
	s.NoteSize /= s.Dreams
	refs, err := w.news(ctx, agent)
	if err != nil {
		return err
	}
	tablesBefore, err := w.tables(ctx)
	if err != nil {
		return err
	}
	tokensBefore := w.server.Stats()
	run, err := w.startNight(ctx, agent, parallelSized)
	if err != nil {
		return err
	}
	var result workflows.DreamNightResult
	if err := run.Get(ctx, &result); err != nil {
		return err
	}
	if result.Outcomes[string(memory.OutcomeWritten)] != s.Dreams {
		return errNotDreamt(agent, result, s.Dreams)
	}
	each := float64(s.Dreams)
	tokens := w.server.Stats()
	s.Requests = float64(tokens.Requests-tokensBefore.Requests) / each
	s.InputTokens = float64(tokens.InputTokens-tokensBefore.InputTokens) / each
	s.OutputTokens = float64(tokens.OutputTokens-tokensBefore.OutputTokens) / each
	tables, err := w.tables(ctx)
	if err != nil {
		return err
	}
	s.Rows = map[string]float64{}
	var grownBytes int64
	for name, after := range tables {
		grownBytes += after.bytes - tablesBefore[name].bytes
		if grown := after.rows - tablesBefore[name].rows; grown != 0 {
			s.Rows[name] = float64(grown) / each
		}
	}
	s.DatabaseBytes = float64(grownBytes) / each
	var historyBytes, historyEvents int64
	for _, ref := range refs {
		bytes, events, err := w.history(ctx, workflows.DreamID(ref))
		if err != nil {
			return err
		}
		historyBytes, historyEvents = historyBytes+bytes, historyEvents+events
	}
	s.HistoryBytes, s.HistoryEvents = float64(historyBytes)/each, float64(historyEvents)/each
	s.NightBytes, s.NightEvents, err = w.history(ctx, run.GetID())
	return err
}

// history returns the size of the history of a workflow's last run.
func (w *world) history(ctx context.Context, id string) (bytes, events int64, err error) {
	answer, err := w.temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return 0, 0, err
	}
	info := answer.GetWorkflowExecutionInfo()
	return info.GetHistorySizeBytes(), info.GetHistoryLength(), nil
}

// table is the size of a table.
type table struct{ rows, bytes int64 }

// tables returns the sizes of all tables of the schema, after removing free space.
func (w *world) tables(ctx context.Context) (_ map[string]table, err error) {
	db, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	if _, err := db.Exec(ctx, "vacuum full"); err != nil {
		return nil, err
	}
	rows, err := db.Query(ctx, `
		select c.relname
		from pg_class c
		join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = 'public' and c.relkind = 'r'`)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	out := map[string]table{}
	for _, name := range names {
		var t table
		quoted := pgx.Identifier{name}.Sanitize()
		if err := db.QueryRow(ctx, "select count(*), pg_total_relation_size($1::regclass) from "+quoted, quoted).Scan(&t.rows,
			&t.bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = t
	}
	return out, nil
}
