package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"reverie/dream/notes"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/search"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/talk"
)

// IndexSource is a document or conversation whose index entry is wrong.
type IndexSource struct {
	Corpus search.Corpus
	Scope  memory.Scope
	Owner  memory.Owner
	UID    uuid.UUID
	Path   string // of a document that exists
}

// BrokenVersion is a current version whose content does not match its hash.
type BrokenVersion struct {
	Document uuid.UUID
	Scope    memory.Scope
	Owner    memory.Owner
	Path     string
	Version  int
	// Proven is the latest earlier version whose content matches its hash; 0: none.
	Proven int
}

// OpenRun is a record that a workflow has opened and not ended.
type OpenRun struct {
	Kind            string // extraction, flush, compaction or dream
	ID              uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	WorkflowID, Run string
	From, To        int64 // of a flush: the messages that are not done
	Pending         bool  // of an extraction: its conversation has messages that wait
	// Of a compaction and a dream: what started it.
	Trigger string
	// Of a dream.
	Mode   memory.DreamMode
	Night  string
	AsOf   time.Time
	DryRun bool
}

// Kinds of OpenRun.
const (
	OpenExtraction = "extraction"
	OpenFlush      = "flush"
	OpenCompaction = "compaction"
	OpenDream      = "dream"
)

func scanOpenRun(row pgx.CollectableRow) (x OpenRun, err error) {
	var asOf *time.Time
	err = row.Scan(&x.Kind, &x.ID, &x.Owner, &x.OwnerID, &x.WorkflowID, &x.Run, &x.From, &x.To, &x.Pending, &x.Trigger, &x.Mode, &x.Night,
		&asOf, &x.DryRun)
	x.AsOf = pg.TimeOf(asOf)
	return x, err
}

// WaitingOwner has messages that nothing has processed.
type WaitingOwner struct {
	Owner   memory.Owner
	OwnerID uuid.UUID
}

// FedStatement is an open candidate whose text a dream wrote itself.
type FedStatement struct {
	Owner memory.Owner
	Entry markdown.EntryID
}

// Examination has the findings about one agent that the database alone shows, as references without contents.
type Examination struct {
	Missing    []IndexSource   // documents without an entry in the index
	Superseded []IndexSource   // entries whose document no longer exists or has another version
	Orphans    int             // rows of units and vectors that belong to no entry
	Broken     []BrokenVersion // documents
	Open       []OpenRun
	Waiting    []WaitingOwner
	Staged     []StagedWork
	Fed        []FedStatement // candidates
	FedNotes   []IndexSource  // daily notes that hold text of a dream
}

// GLOBAL rows have no agent: @common is empty for identities that may repair them, and otherwise the agent itself.
const (
	sqlDoctorDocuments = `
select d.document_id, d.scope, d.owner_key, d.path, x.source_uid is null
from documents d
left join index_sources x on x.workspace_id = d.workspace_id and x.agent_id = d.agent_id
    and x.corpus = 'memory' and x.source_uid = d.document_id
where d.workspace_id = @workspace and d.agent_id in (@agent, @common) and not d.deleted and d.version > 0
    and (x.source_uid is null or x.index_format <> '' and x.version <> d.version)`

	sqlDoctorSources = `
select x.corpus, x.scope, x.owner_key, x.source_uid
from index_sources x
where x.workspace_id = @workspace and x.agent_id in (@agent, @common) and case x.corpus
    when 'memory' then not exists (
        select from documents d
        where d.workspace_id = x.workspace_id and d.agent_id = x.agent_id and d.document_id = x.source_uid and not d.deleted)
    else not exists (
        select from conversations c
        where c.workspace_id = x.workspace_id and c.agent_id = x.agent_id and c.conversation_uid = x.source_uid)
    end`

	orphaned = `
where i.workspace_id = @workspace and i.agent_id in (@agent, @common) and not exists (
    select from index_sources x
    where x.group_no = i.group_no and x.workspace_id = i.workspace_id and x.agent_id = i.agent_id)`

	sqlDoctorOrphans = `
select (select count(*) from index_fresh i ` + orphaned + `)
    + (select count(*) from index_vectors i ` + orphaned + `)
    + (select count(*) from index_vectors_large i ` + orphaned + `)
    + (select count(*) from index_progress i ` + orphaned + `)`

	sqlDoctorBroken = `
select d.document_id, d.scope, d.owner_key, d.path, d.version, coalesce((
    select max(p.version)
    from document_versions p
    where p.workspace_id = d.workspace_id and p.agent_id = d.agent_id and p.document_id = d.document_id and p.version < d.version
        and not p.deleted and p.sha256 = sha256(convert_to(p.content, 'UTF8'))), 0)
from documents d ` + gate.CurrentVersion + `
where d.workspace_id = @workspace and d.agent_id in (@agent, @common) and v.sha256 <> sha256(convert_to(v.content, 'UTF8'))
order by d.scope, d.path collate "C"`

	openExtraction = `
select 'extraction', x.extraction_id, x.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = x.workspace_id and o.agent_id = x.agent_id and o.owner_key = x.owner_key),
    x.workflow_id, x.run_id, x.from_seq, x.to_seq,
    coalesce((
        select c.complete_seq > c.considered_seq
        from conversations c
        where c.workspace_id = x.workspace_id and c.agent_id = x.agent_id and c.conversation_uid = x.conversation_uid), false),
    '', '', '', null::timestamptz, false`

	openFlush = `
union all
select 'flush', f.flush_id, f.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = f.workspace_id and o.agent_id = f.agent_id and o.owner_key = f.owner_key),
    f.workflow_id, f.run_id, f.done_seq + 1, f.to_seq, false, '', '', '', null, false`

	openCompaction = `
union all
select 'compaction', c.compaction_id, c.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = c.workspace_id and o.agent_id = c.agent_id and o.owner_key = c.owner_key),
    c.workflow_id, c.run_id, 0, 0, false, c.trigger_source, '', '', null, false`

	openDream = `
union all
select 'dream', d.dream_id, d.owner_key, (
        select o.owner_id
        from owners o
        where o.workspace_id = d.workspace_id and o.agent_id = d.agent_id and o.owner_key = d.owner_key),
    d.workflow_id, d.run_id, 0, 0, false, d.trigger_source, d.mode, d.night, d.as_of, d.dry_run`

	sqlDoctorOpen = openExtraction + `
from extractions x
where x.workspace_id = @workspace and x.agent_id = @agent and x.finished_at is null` + openFlush + `
from flushes f
where f.workspace_id = @workspace and f.agent_id = @agent and f.outcome = 'running' and (f.workflow_id <> '' or f.opened_at < @before)` +
		openCompaction + `
from compactions c
where c.workspace_id = @workspace and c.agent_id = @agent and c.outcome = 'running'` + openDream + `
from dreams d
where d.workspace_id = @workspace and d.agent_id = @agent and d.finished_at is null and (d.workflow_id <> '' or d.started_at < @before)`

	// By the key: a plan that is made before there are statistics would read everything that is open.
	sqlOpenRun = openExtraction + `
from (
    select *
    from extractions
    where workspace_id = @workspace and agent_id = @agent and extraction_id = @record and @kind = 'extraction'
    offset 0
) x
where x.finished_at is null` + openFlush + `
from (
    select *
    from flushes
    where workspace_id = @workspace and agent_id = @agent and flush_id = @record and @kind = 'flush'
    offset 0
) f
where f.outcome = 'running'` + openCompaction + `
from (
    select *
    from compactions
    where workspace_id = @workspace and agent_id = @agent and compaction_id = @record and @kind = 'compaction'
    offset 0
) c
where c.outcome = 'running'` + openDream + `
from (
    select *
    from dreams
    where workspace_id = @workspace and agent_id = @agent and dream_id = @record and @kind = 'dream'
    offset 0
) d
where d.finished_at is null`

	sqlDoctorWaiting = `
select distinct o.owner_key, o.owner_id
from conversations c
join owners o using (workspace_id, agent_id, owner_key)
where c.workspace_id = @workspace and c.agent_id = @agent and c.complete_seq > c.considered_seq and c.pending_since < @before`

	sqlDoctorStatements = `
select owner_key, entry_id, text
from dream_entries
where workspace_id = @workspace and agent_id = @agent and status = 'open'`

	sqlDoctorNotes = gate.DocumentColumns + `octet_length(v.content), v.content
from documents d ` + gate.CurrentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and not d.deleted and d.path ~ '^memory/[0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*\.md$'`
)

// Examine looks for damage in everything of the identity's agent, and in GLOBAL documents when the identity may write them; it
// needs an admin that reads every owner. Messages, staged work and unclaimed records count as waiting if they are from before the
// given time. It changes nothing.
func (s *Admin) Examine(ctx context.Context, id memory.Identity, before time.Time) (Examination, error) {
	if err := pg.RequireTender(id); err != nil {
		return Examination{}, err
	}
	if err := pg.RequireAgent(id); err != nil {
		return Examination{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (e Examination, err error) {
		b := &pgx.Batch{}
		args := t.Args(pgx.NamedArgs{"before": before, "common": commonOf(id)})
		b.Queue(sqlDoctorDocuments, args).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				x, missing := IndexSource{Corpus: search.Memory}, false
				if err := rows.Scan(&x.UID, &x.Scope, &x.Owner, &x.Path, &missing); err != nil {
					return err
				}
				switch {
				case missing && memory.Searchable(x.Path):
					e.Missing = append(e.Missing, x)
				case !missing:
					e.Superseded = append(e.Superseded, x)
				}
			}
			return rows.Err()
		})
		pg.All(b.Queue(sqlDoctorSources, args), &e.Superseded, func(row pgx.CollectableRow) (x IndexSource, err error) {
			err = row.Scan(&x.Corpus, &x.Scope, &x.Owner, &x.UID)
			return x, err
		})
		b.Queue(sqlDoctorOrphans, args).QueryRow(func(row pgx.Row) error { return row.Scan(&e.Orphans) })
		pg.All(b.Queue(sqlDoctorBroken, args), &e.Broken, pgx.RowToStructByPos[BrokenVersion])
		pg.All(b.Queue(sqlDoctorOpen, args), &e.Open, scanOpenRun)
		pg.All(b.Queue(sqlDoctorWaiting, args), &e.Waiting, pgx.RowToStructByPos[WaitingOwner])
		pg.All(b.Queue(sqlDoctorStaged, args), &e.Staged, scanStagedWork)
		b.Queue(sqlDoctorStatements, args).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				var x FedStatement
				var text string
				if err := rows.Scan(&x.Owner, &x.Entry, &text); err != nil {
					return err
				}
				if notes.MachineText(text) {
					e.Fed = append(e.Fed, x)
				}
			}
			return rows.Err()
		})
		b.Queue(sqlDoctorNotes, args).Query(func(rows pgx.Rows) error {
			for rows.Next() { // one by one: there may be years of them
				d, err := gate.ScanContent(rows)
				if err != nil {
					return err
				}
				if slices.ContainsFunc(markdown.EntriesOf(d.Content), func(x markdown.Entry) bool { return notes.MachineText(x.Text) }) {
					e.FedNotes = append(e.FedNotes, IndexSource{search.Memory, d.Scope, d.Owner, d.ID, d.Path})
				}
			}
			return rows.Err()
		})
		err = t.Finish(ctx, b)
		return e, err
	})
}

// commonOf returns the agent_id of GLOBAL rows, which is empty, for an identity that may repair them, and otherwise the identity's
// agent.
func commonOf(id memory.Identity) string {
	if pg.ReachOf(id) == pg.ReachGlobal {
		return ""
	}
	return id.Agent
}

// MendIndex indexes a source again in its current state; of a missing one it removes everything.
func (s *Admin) MendIndex(ctx context.Context, id memory.Identity, x IndexSource) error {
	if err := pg.RequireTender(id); err != nil {
		return err
	}
	of := indexes.Indexed{Partition: indexes.Partition{Corpus: x.Corpus, Agent: id.Agent, Scope: x.Scope, Owner: x.Owner}, UID: x.UID}
	if x.Scope == memory.ScopeGlobal {
		of.Agent = ""
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) { return none, of.Reindex(ctx, t) })
	return err
}

// DropOrphans removes rows of the index that belong to no entry, and returns their number.
func (s *Admin) DropOrphans(ctx context.Context, id memory.Identity) (int, error) {
	if err := pg.RequireTender(id); err != nil {
		return 0, err
	}
	return pg.InTx(ctx, s.db, id, func(t *pg.Tx) (dropped int, err error) {
		b := &pgx.Batch{}
		for _, table := range []string{"fresh", "vectors", "vectors_large", "progress"} {
			b.Queue(
				"delete from index_"+table+" i "+orphaned, t.Args(pgx.NamedArgs{"common": commonOf(id)}),
			).Exec(func(tag pgconn.CommandTag) error {
				dropped += int(tag.RowsAffected())
				return nil
			})
		}
		err = t.Finish(ctx, b)
		return dropped, err
	})
}

const sqlDoctorReject = `
update dream_entries set status = 'rejected', reason_code = 'contaminated', changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and entry_id = @entry and status = 'open'`

// RejectFed rejects a candidate that a dream wrote itself, so that no dream promotes it. The identity is its owner's.
func (s *Admin) RejectFed(ctx context.Context, id memory.Identity, entry markdown.EntryID) error {
	if err := pg.RequireAdmin(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlDoctorReject, t.Args(pgx.NamedArgs{"entry": entry}))
		return none, t.Finish(ctx, b)
	})
	return err
}

// EndAbandoned ends a record whose workflow ended without ending it; the identity is its owner's. An extraction, a compaction or a
// dream fails; a flush waits for the next request.
func (s *Admin) EndAbandoned(ctx context.Context, id memory.Identity, x OpenRun) error {
	if err := pg.RequireAdmin(id); err != nil {
		return err
	}
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "doctor", WorkflowID: x.WorkflowID, RunID: x.Run}
	var err error
	switch x.Kind {
	case OpenExtraction:
		_, err = talk.New(s.db).RecordOutcome(ctx, id, x.ID, talk.Ending{Outcome: memory.OutcomeFailed, ReasonCode: dreams.DreamAbandoned})
	case OpenFlush:
		_, err = talk.New(s.db).EndFlushStep(
			ctx, id, x.ID, talk.FlushEnd{From: x.From, To: x.To, Outcome: memory.OutcomeWaiting, ReasonCode: dreams.DreamAbandoned},
		)
	case OpenCompaction:
		err = talk.New(s.db).EndCompaction(ctx, id, x.ID, memory.OutcomeFailed, dreams.DreamAbandoned)
	case OpenDream:
		_, err = dreams.New(s.db).EndDream(ctx, id, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeFailed, ReasonCode: dreams.DreamAbandoned})
	default:
		err = &pg.InvalidError{Field: "kind", Problem: fmt.Sprintf("%q is not a kind of record", x.Kind)}
	}
	return err
}

// NoteFixed records in the journal what the doctor fixed, by code.
func (s *Admin) NoteFixed(ctx context.Context, id memory.Identity, code string, n int) error {
	if err := pg.RequireAdmin(id); err != nil {
		return err
	}
	_, err := pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		b := &pgx.Batch{}
		detail := map[string]any{"code": code, "count": n}
		if err := gate.QueueEvent(b, t, gate.JournalEvent{Kind: gate.EventDoctorFixed, Agent: id.Agent, Detail: detail}); err != nil {
			return none, err
		}
		return none, t.Finish(ctx, b)
	})
	return err
}

// Kinds of StagedWork.
const (
	StagedWrite    = "write"    // of a business process
	StagedImport   = "import"   // of another system's data
	StagedSnapshot = "snapshot" // an archive
)

// StagedWork refers to work that was accepted for a workflow long ago and has not ended.
type StagedWork struct {
	Kind  string
	ID    uuid.UUID
	Owner memory.Owner
	// Parts of the workflow's id: the request of a write, the format of an import, the archive of a snapshot, and whether the
	// snapshot belongs to an owner or a preview.
	RequestID, Format string
	Archive           [32]byte
	Particular        bool
	Cancelled         bool // of an import: nothing more is moved in, and something still waits
}

const sqlDoctorStaged = `
select 'write', write_id, owner_key, requested_id, '', ''::bytea, false, false
from memory_writes
where workspace_id = @workspace and agent_id = @agent and outcome = 'staged' and staged_at < @before
union all
select 'import', i.import_id, i.owner_key, '', i.format, ''::bytea, false, i.state = 'cancelled'
from imports i
where i.workspace_id = @workspace and i.agent_id = @agent and (i.state = 'running' and i.started_at < @before
    or i.state = 'cancelled' and i.finished_at < @before and exists (
        select from import_items x
        where x.workspace_id = i.workspace_id and x.agent_id = i.agent_id and x.import_id = i.import_id and x.outcome = ''))
union all
select 'snapshot', import_id, owner_key, '', '', archive_sha256, owner_key <> '' or token <> '', false
from snapshot_imports
where workspace_id = @workspace and agent_id = @agent and outcome = 'running' and requested_at < @before`

func scanStagedWork(row pgx.CollectableRow) (x StagedWork, err error) {
	var archive []byte
	err = row.Scan(&x.Kind, &x.ID, &x.Owner, &x.RequestID, &x.Format, &archive, &x.Particular, &x.Cancelled)
	copy(x.Archive[:], archive)
	return x, err
}
