package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Programs of the operator get the events of an agent like endpoints do, but from inside the server, which adds the contents. They have a
// place in the journal, retries and a list of what they have refused; a row names the program and has neither an address nor a secret.

// fromTheStart is the age up to which an agent's whole journal is for a program: one that is found a moment after it was made loses
// nothing, and a program that is configured for an old agent does not get all that it has been through.
const fromTheStart = time.Hour

const sqlProgramsMissing = `
select a.workspace_id, a.agent_id, @program::text, a.created_at
from agents a
where (@all or a.agent_id = any (@agents::text[])) and not exists (
    select from webhooks w
    where w.workspace_id = a.workspace_id and w.agent_id = a.agent_id and w.program = @program)
limit @limit`

// MissingProgram is an agent whose events a program does not get yet.
type MissingProgram struct {
	Workspace, Agent, Program string
	CreatedAt                 time.Time // of the agent
}

// MissingPrograms lists agents of all workspaces, of some names or with nil of all, in whose journal a program has no place yet. It takes
// no identity because the sweep works for the deployment.
func (s *Notifying) MissingPrograms(ctx context.Context, program string, agents []string, limit int) ([]MissingProgram, error) {
	return pg.SweepAll(ctx, s.db, sqlProgramsMissing, pgx.NamedArgs{
		"program": program, "all": agents == nil, "agents": pg.TextsOf(agents), "limit": pg.LimitOf(limit),
	}, pgx.RowToStructByPos[MissingProgram])
}

// AddProgram has a program get the events of the identity's agent from now on, those of a new agent from its first one. One that gets them
// already keeps its place. The identity is that of OpenWebhook.
func (s *Notifying) AddProgram(ctx context.Context, id memory.Identity, m MissingProgram) error {
	if err := pg.RequireTender(id); err != nil {
		return err
	}
	from := gate.JournalCursor{}
	if s.db.Now().Sub(m.CreatedAt) > fromTheStart {
		var err error
		if from, err = gate.New(s.db).JournalEnd(ctx, id); err != nil {
			return err
		}
	}
	_, err := pg.InTx(ctx, s.db, as(id, Webhook{}), func(t *pg.Tx) (w Webhook, err error) {
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlWebhookInsert, t.Args(pgx.NamedArgs{
			"webhook": pg.NewID(), "key": uuid.Nil, "program": m.Program, "url": "", "kinds": []string{}, "transaction": from.Transaction,
			"event": from.Event,
		})), &found, &w, scan)
		return w, t.Finish(ctx, b)
	})
	return err
}

// ofProgram refuses what only endpoints have.
func ofProgram(w Webhook) error {
	return &pg.ConflictError{
		Code:    pg.CodeOfProgram,
		Message: "the program " + w.Program + " is configured by the operator of the server: it can only be paused and resumed",
	}
}
