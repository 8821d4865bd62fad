package dreams

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/pg"
)

// NewDream describes a dream to begin.
type NewDream struct {
	// ID names a dream that was queued before; zero: a new one, or the one of the same night.
	ID       uuid.UUID
	Mode     memory.DreamMode
	Trigger  memory.DreamTrigger
	Topic    string
	Night    string // see Dream.Night
	AsOf     time.Time
	DryRun   bool
	ReplayOf uuid.UUID
	Settings setting.DreamSettings
	// Request is the key of a repeatable request, unique for its owner, including dry runs and replays: the dream of the first
	// request is returned as it is, open or not. Empty: no key.
	Request string
}

// Limits of a dream's topic and night, in bytes.
const (
	MaxTopic = 500
	maxNight = 64
)

// DreamAbandoned is the reason of a dream whose workflow ended without ending it, which is detected when the next one begins.
const DreamAbandoned memory.ReasonCode = "abandoned"

const (
	// Finds the dream that a request names, in this order: by id, by request, by run, by night.
	sqlDreamFind = dreamColumns + `x.diff, x.raw` + dreamFrom + `
    and x.dream_id = (
        select f.dream_id
        from (
            (select dream_id, 1 as place
            from dreams
            where workspace_id = @workspace and agent_id = @agent and dream_id = @named::uuid and owner_key = @owner
            limit 1)
            union all
            (select dream_id, 2
            from dreams
            where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and request = @request and request <> ''
            limit 1)
            union all
            (select dream_id, 3
            from dreams
            where workspace_id = @workspace and agent_id = @agent and workflow_id = @workflow and run_id = @run and run_id <> ''
                and owner_key = @owner and @named is null
            limit 1)
            union all
            (select dream_id, 4
            from dreams
            where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and night = @night and night <> ''
                and not dry_run and outcome not in ('failed', 'skipped') and again_as is null and not @dry_run::boolean
            limit 1)
        ) f
        order by f.place
        limit 1)`

	sqlDreamInsert = `
insert into dreams (workspace_id, agent_id, dream_id, owner_key, mode, trigger_source, topic, night, request, dry_run, replay_of,
    again_of, scope, as_of, from_day, phase, outcome, settings, workflow_id, run_id, started_at, changed_at)
values (@workspace, @agent, @dream, @owner, @mode, @trigger, @topic, @night, @request, @dry_run, @replay_of,
    @again_of, @scope, @as_of, @from, case when @workflow = '' then 'queued' else 'light' end, 'running', @settings, @workflow, @run, @now, @now)`

	// Another run starts over; the same run continues.
	sqlDreamTake = `
update dreams set
    phase = case when workflow_id = @workflow and run_id = @run then phase else 'light' end,
    draft = case when workflow_id = @workflow and run_id = @run then draft end,
    outcome = 'running',
    reason_code = '',
    reason = '',
    waiting_until = null,
    settings = coalesce(settings, @settings),
    workflow_id = @workflow,
    run_id = @run,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner and finished_at is null`

	// A workflow id has one run at a time: dreams that an earlier run has left open are never continued.
	sqlDreamsLeft = `
select dream_id
from dreams
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and finished_at is null
    and workflow_id = @workflow and workflow_id <> '' and run_id <> @run`

	sqlDreamsAbandon = `
update dreams set
    phase = 'ended',
    outcome = 'failed',
    reason_code = @abandoned,
    draft = null,
    waiting_until = null,
    finished_at = @now,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = any (@left::uuid[]) and owner_key = @owner and finished_at is null
    and workflow_id = @workflow and run_id <> @run
returning dream_id, mode, trigger_source, night, dry_run, replay_of`
)

// BeginDream finds or creates the dream that d describes, and assigns it to the identity's workflow and run. For an author without
// a workflow, such as the API, it waits for one (phase queued). A dream with the same id, night, request or run that has ended is
// returned as it is (!Open()). An open one is taken over: writes of its previous run are refused from then on (*ConflictError with
// CodeSuperseded). Dreams that an earlier run of the same workflow id has left open end as failed (DreamAbandoned).
//
// A night that failed or was skipped may be dreamed again. It returns ErrNotFound when the dream to replay does not exist.
func (s *Dreaming) BeginDream(ctx context.Context, id memory.Identity, d NewDream) (Dream, error) {
	if err := mayDream(id); err != nil {
		return Dream{}, err
	}
	if err := d.validate(); err != nil {
		return Dream{}, err
	}
	var begun Dream
	var err error
	for range beginRounds {
		begun, err = pg.InTx(ctx, s.db, id, func(t *pg.Tx) (Dream, error) { return d.begin(ctx, t) })
		same := pg.IsUnique(err, "dreams_of_night") || pg.IsUnique(err, "dreams_of_request") || pg.IsUnique(err, "dreams_pkey")
		if !same { // otherwise another transaction has just begun it
			break
		}
	}
	return begun, err
}

// beginRounds is the number of attempts to find a dream that is created concurrently.
const beginRounds = 3

// mayDream refuses identities that may not write the documents of their owner's dreams.
func mayDream(id memory.Identity) error {
	if err := pg.RequireOwner(id); err != nil {
		return err
	}
	return gate.MayWrite(id, DreamScope(id.Owner))
}

func (d NewDream) validate() error {
	if !d.Mode.Valid() {
		return &pg.InvalidError{Field: "mode", Problem: "use nightly, focused, promote or rem"}
	}
	switch d.Trigger {
	case memory.DreamBySchedule, memory.DreamByRequest, memory.DreamByReplay:
	default:
		return &pg.InvalidError{Field: "trigger", Problem: "use schedule, request or replay"}
	}
	if d.Mode == memory.DreamFocused && d.Topic == "" && d.ID == uuid.Nil { // the record of one that was queued has it
		return &pg.InvalidError{Field: "topic", Problem: "name the topic"}
	}
	if err := memory.ValidText("topic", d.Topic, MaxTopic); err != nil {
		return err
	}
	if err := memory.ValidText("night", d.Night, maxNight); err != nil {
		return err
	}
	return memory.ValidText("request", d.Request, gate.MaxKey)
}

// begin finds or creates the dream.
func (d NewDream) begin(ctx context.Context, t *pg.Tx) (Dream, error) {
	var known, original Dream
	var found, replayable bool
	var left []uuid.UUID
	dreamID := d.ID
	if dreamID == uuid.Nil {
		dreamID = pg.NewID()
	}
	args := d.args(t, dreamID)
	b := &pgx.Batch{}
	pg.One(b.Queue(sqlDreamFind, t.Args(args)), &found, &known, scanDream)
	pg.All(b.Queue(sqlDreamsLeft, t.Args(args)), &left, pgx.RowTo[uuid.UUID])
	if d.ReplayOf != uuid.Nil {
		queueDream(b, t, d.ReplayOf, &original, &replayable)
	}
	if err := t.Send(ctx, b); err != nil {
		return Dream{}, err
	}
	if found && (!known.Open() || t.ID.Author.WorkflowID == "") {
		return known, nil
	}
	b = &pgx.Batch{}
	if found {
		dreamID = known.ID
		args["dream"] = dreamID
		b.Queue(sqlDreamTake, t.Args(args))
	} else {
		if d.ReplayOf != uuid.Nil {
			if err := d.replay(original, replayable, args); err != nil {
				return Dream{}, err
			}
		}
		b.Queue(gate.SQLOwnerEnsure, t.Args(pgx.NamedArgs{"owner_id": pg.NewID()}))
		b.Queue(sqlDreamInsert, t.Args(args))
	}
	left = slices.DeleteFunc(left, func(id uuid.UUID) bool { return id == dreamID })
	if len(left) > 0 {
		var err error
		if b, err = abandon(ctx, t, b, args, left); err != nil {
			return Dream{}, err
		}
	}
	var begun Dream
	queueDream(b, t, dreamID, &begun, &found)
	if err := t.Finish(ctx, b); err != nil {
		return Dream{}, err
	}
	if !found {
		return Dream{}, noDream(dreamID)
	}
	return begun, nil
}

// abandon queues the end of dreams in b, sends it, and returns a batch with their events.
func abandon(ctx context.Context, t *pg.Tx, b *pgx.Batch, args pgx.NamedArgs, left []uuid.UUID) (*pgx.Batch, error) {
	args["left"] = left
	var ended []dreamDetail
	pg.All(b.Queue(sqlDreamsAbandon, t.Args(args)), &ended, func(row pgx.CollectableRow) (d dreamDetail, err error) {
		d.Outcome, d.ReasonCode = memory.OutcomeFailed, DreamAbandoned
		return d, row.Scan(&d.Dream, &d.Mode, &d.Trigger, &d.Night, &d.DryRun, &d.ReplayOf)
	})
	if err := t.Send(ctx, b); err != nil {
		return nil, err
	}
	b = &pgx.Batch{}
	events := make([]gate.JournalEvent, len(ended))
	for i, detail := range ended {
		events[i] = dreamEvent(t, t.ID.Owner, gate.EventDreamCompleted, detail)
	}
	return b, gate.QueueEvent(b, t, events...)
}

// replay sets a new dream to the window of an earlier one.
func (d NewDream) replay(original Dream, found bool, args pgx.NamedArgs) error {
	switch {
	case !found:
		return fmt.Errorf("to replay: %w", noDream(d.ReplayOf))
	case original.AsOf.IsZero():
		return &pg.InvalidError{Field: "dream", Problem: "it ended before it read anything; there is nothing to replay"}
	}
	args["as_of"], args["from"] = original.AsOf, original.From
	return nil
}

func (d NewDream) args(t *pg.Tx, dreamID uuid.UUID) pgx.NamedArgs {
	args := pgx.NamedArgs{
		"dream": dreamID, "named": pg.IDOrNull(d.ID), "mode": d.Mode, "trigger": d.Trigger, "topic": d.Topic, "night": d.Night,
		"request": d.Request, "dry_run": d.DryRun || d.ReplayOf != uuid.Nil, "replay_of": pg.IDOrNull(d.ReplayOf),
		"again_of": nil, "scope": DreamScope(t.ID.Owner), "as_of": pg.TimeOrNull(d.AsOf), "from": "", "settings": nil,
		"workflow": t.ID.Author.WorkflowID, "run": t.ID.Author.RunID, "abandoned": DreamAbandoned,
	}
	if d.Settings != (setting.DreamSettings{}) {
		args["settings"] = d.Settings
	}
	return args
}
