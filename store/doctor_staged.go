package store

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// Kinds of StagedWork.
const (
	StagedWrite    = "write"    // of a business process
	StagedImport   = "import"   // of what moves in
	StagedSnapshot = "snapshot" // an archive
)

// StagedWork was accepted for a workflow long ago and has not ended, by references only.
type StagedWork struct {
	Kind  string
	ID    uuid.UUID
	Owner memory.Owner
	// What names its workflow: the request of a write, the format of an import, the archive of a snapshot, and whether that is of
	// an owner or bound to a preview.
	RequestID, Format string
	Archive           [32]byte
	Particular        bool
	Cancelled         bool // of an import: nothing more is moved in, and something still waits
}

const sqlDoctorStaged = `
select 'write', write_id, owner_key, request_id, '', ''::bytea, false, false
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
