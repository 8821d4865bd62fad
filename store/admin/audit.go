package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// AuditEntry records a request of a key for others: what was read or changed, by its ids, and never its contents.
type AuditEntry struct {
	ID        uuid.UUID // set when it is stored
	At        time.Time
	Key       uuid.UUID
	Role      memory.Role
	Address   string // of the client
	Request   string // id of the request, as in the log
	Operation string // operationId of the API
	Changes   bool   // or it reads
	Agent     string // empty: the workspace
	Owner     memory.Owner
	Targets   map[string]string // ids and paths by the name of their parameter
	Status    int               // HTTP
}

// AuditFilter selects entries. Zero values select all.
type AuditFilter struct {
	Agent        string
	Owner        memory.Owner
	Key          uuid.UUID
	Operation    string
	Kind         AuditKind
	Since, Until time.Time // from Since to before Until
}

// AuditKind selects reads or changes.
type AuditKind string

// Kinds of entries.
const (
	AuditReads   AuditKind = "reads"
	AuditChanges AuditKind = "changes"
)

const (
	sqlAuditInsert = `
insert into audit_log (workspace_id, audit_id, at, key_id, role, address, request_id, operation, changes, agent_id, owner_key, targets, status)
select @workspace, e.*
from unnest(@ids::uuid[], @at::timestamptz[], @keys::uuid[], @roles::text[], @addresses::text[], @requests::text[], @operations::text[],
    @changes::boolean[], @agents::text[], @owners::text[], @targets::jsonb[], @status::int[]) e`

	auditRows = `
select audit_id, at, key_id, role, address, request_id, operation, changes, agent_id, owner_key, targets, status
from audit_log
where workspace_id = @workspace and audit_id < @before and `

	auditFilter = ` and (@owner_key::text = '' or owner_key = @owner_key)
    and (@operation::text = '' or operation = @operation)
    and (@kind::text = '' or changes = (@kind = 'changes'))
    and (@since::timestamptz is null or at >= @since)
    and (@until::timestamptz is null or at < @until)
order by audit_id desc
limit @limit`

	// Lists of the workspace, of an agent, and of a key.
	sqlAudit        = auditRows + `true` + auditFilter
	sqlAuditOfAgent = auditRows + `agent_id = @of_agent and (@key::uuid is null or key_id = @key)` + auditFilter
	sqlAuditOfKey   = auditRows + `key_id = @key` + auditFilter

	sqlAuditExpire = `select reverie_expire_audit(@before)`
)

func scanAudit(row pgx.CollectableRow) (AuditEntry, error) {
	return pgx.RowToStructByPos[AuditEntry](row)
}

// RecordAudit appends entries of one workspace. It takes no identity, because it records what identities do.
func (s *Admin) RecordAudit(ctx context.Context, workspace string, entries []AuditEntry) error {
	n := len(entries)
	ids, at, keys, roles := make([]uuid.UUID, n), make([]time.Time, n), make([]uuid.UUID, n), make([]string, n)
	addresses, requests, operations, changes := make([]string, n), make([]string, n), make([]string, n), make([]bool, n)
	agents, owners, targets, status := make([]string, n), make([]string, n), make([]string, n), make([]int, n)
	for i, e := range entries {
		ids[i], at[i], keys[i], roles[i] = pg.NewID(), e.At, e.Key, string(e.Role)
		addresses[i], requests[i], operations[i], changes[i] = e.Address, e.Request, e.Operation, e.Changes
		agents[i], owners[i], status[i] = e.Agent, string(e.Owner), e.Status
		encoded, err := json.Marshal(e.Targets)
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		targets[i] = string(encoded)
	}
	recorder := pg.Settings{Workspace: workspace, Purpose: pg.PurposeAudit}
	_, err := pg.Run(ctx, s.db, &pg.Tx{Settings: recorder, Mode: pg.SQLBegin}, func(t *pg.Tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlAuditInsert, t.Args(pgx.NamedArgs{
			"ids": ids, "at": at, "keys": keys, "roles": roles, "addresses": addresses, "requests": requests, "operations": operations,
			"changes": changes, "agents": agents, "owners": owners, "targets": targets, "status": status,
		}))
		return struct{}{}, t.Finish(ctx, b)
	})
	return err
}

// Audit lists entries of the workspace, newest first. An admin that is limited to some agents sees the entries of these. It needs an
// admin.
func (s *Admin) Audit(ctx context.Context, id memory.Identity, f AuditFilter, p pg.Page) (pg.Listed[AuditEntry], error) {
	if err := pg.RequireAdmin(id); err != nil {
		return pg.Listed[AuditEntry]{}, err
	}
	from, err := pg.ParseCursor(p.Cursor)
	if err != nil {
		return pg.Listed[AuditEntry]{}, err
	}
	sql, limit := sqlAudit, pg.LimitOf(p.Limit)
	switch {
	case f.Agent != "":
		sql = sqlAuditOfAgent
	case f.Key != uuid.Nil:
		sql = sqlAuditOfKey
	}
	rows, err := pg.ReadAll(ctx, s.db, id.For("", memory.NoOwner), sql, pgx.NamedArgs{
		"before": from.ID, "of_agent": f.Agent, "key": pg.IDOrNull(f.Key), "owner_key": f.Owner, "operation": f.Operation, "kind": f.Kind,
		"since": pg.TimeOrNull(f.Since), "until": pg.TimeOrNull(f.Until), "limit": limit + 1,
	}, scanAudit)
	if err != nil {
		return pg.Listed[AuditEntry]{}, err
	}
	return pg.NewListed(rows, limit, func(e AuditEntry) pg.Cursor { return pg.Cursor{At: e.At, ID: e.ID} }), nil
}

// ExpireAudit deletes entries from before a time, of all workspaces, at most 10,000 of them and none of the latest day. It takes no
// identity because the sweep works for the deployment.
func (s *Admin) ExpireAudit(ctx context.Context, before time.Time) (n int, err error) {
	return pg.Run(ctx, s.db, &pg.Tx{Mode: pg.SQLBegin}, func(t *pg.Tx) (n int, err error) {
		b := &pgx.Batch{}
		b.Queue(sqlAuditExpire, t.Args(pgx.NamedArgs{"before": before})).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
		err = t.Finish(ctx, b)
		return n, err
	})
}
