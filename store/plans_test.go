package store

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"reverie/devenv/devtest"
	"reverie/store/pg"
)

// broad are the statements that read many rows on purpose: lists for operators, and what counts or sweeps.
var broad = []string{
	"sqlAgents", "sqlKeys", "sqlKeyReplace", "sqlConversationsOfAll", "sqlDocumentsOfAll", "sqlDocumentsOfAllAsOf", "sqlUsageOfDay", "sqlUsageByDay", "sqlBacklog", "sqlWorkspaces", "sqlDepths", "sqlDepthsExpire",
	"sqlImportsRunning", "sqlAudit", "sqlOwnersUnsignalled", "sqlOwnersStalled", "sqlConversationsIdle", "sqlComponents", "sqlSchemaVersion",
	// Pages for people: the owners of an agent, and its latest events, which are read backwards until enough are the reader's.
	"sqlOwners", "sqlJournalLatest",
	// The facts of a past time are all that there were.
	"sqlFactsAsOf",
	// Maintenance of an index reads all of an agent.
	"sqlIndexStale", "sqlStaleSources", "sqlStaleCount", "sqlPackPartition", "sqlDueSources", "sqlSpaces", "sqlSpaceDue", "sqlCorpusStatus",
	"sqlIndexedAgents", "sqlDreamingAgents", "sqlNewsOwners", "sqlSpacesDue", "sqlSourcesDue",
	// What a person asks for once per dream reads all of the dream's statements; roles are looked up once per migration.
	"sqlEntriesBefore", "sqlEntriesWeighedLock", "sqlRoleState", "sqlEraserState", "sqlAppLogsIn",
	// Once per dream, the writes of all documents of an agent are counted.
	"sqlSoulDue",
	// A budget of the workspace counts what all agents used on a day.
	"sqlModelUse", "sqlUsageByAgent",
	// Erasing reads the catalogue, and empties a cache.
	"sqlPlaces", "sqlNames", "sqlCacheErase",
	// A deletion looks at all that an owner has said and imported.
	"sqlOwnersWords", "sqlLearnedHistories", "sqlRestedDreams", "sqlDreamsUndone", "sqlOriginImports", "sqlOriginItems", "sqlOriginWrites",
	"sqlOriginOwners", "sqlRevokedTalks", "sqlMessagesRevoked", "sqlRunsRevoked", "sqlRevocations", "sqlRevocationsDue", "sqlHeldTexts", "sqlStagedRefused", "sqlProposalsDropped", "sqlRevocation", "sqlDeletionWorkflows", "sqlDeletions", "sqlDeletionsDue", "sqlTargetLeads",
	"sqlForgetFormat", "sqlMarkAll", "sqlBehindAll",
	// Work that waits to be restarted.
	"sqlSnapshotsWaiting", "sqlWritesDue", "sqlOpenExtractions", "sqlOpenFlushes", "sqlOpenCompactions", "sqlOpenDreams", "sqlDueAgents",
	// The endpoints of an agent, at most a hundred, and those of all workspaces for the sweep.
	"sqlWebhooks", "sqlWebhookCount", "sqlWebhooksDue",
	// A doctor examines all of an agent.
	"sqlDoctorBroken", "sqlDoctorDocuments", "sqlDoctorNotes", "sqlDoctorOpen", "sqlDoctorOrphans", "sqlDoctorSources",
	"sqlDoctorStaged", "sqlDoctorStatements", "sqlDoctorWaiting",
}

// tables whose whole key is shorter than three columns, and spaces, of which an agent has one or two.
var shortKeys = []string{
	"agents_pkey", "api_keys_pkey", "api_keys_hash_key", "web_sessions_hash_key", "api_keys_by_id", "workspaces_pkey", "index_sources_by_group",
	"index_spaces_pkey", "index_spaces_live", "index_spaces_by_identity",
	"leases_pkey", "souls_pkey",
	"facts_by_id",
}

// Plans are made before there are statistics and then kept. On empty tables already, every statement must find its rows
// by the most selective key or index, and not by one that reads all of an agent's or an owner's rows: each use of an
// index gives more than workspace and agent, and no rows are compared one by one.
func TestPlansBeforeStatistics(t *testing.T) {
	t.Parallel()
	s := must[*Store](t)(Open(t.Context(), devtest.Database(t, migratedOnly), pg.Options{}))
	t.Cleanup(s.Close)
	makeAgent(t, s, "acme", "ada")
	acquired, err := s.db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer acquired.Release()
	conn := acquired.Conn()
	if _, err := conn.Exec(t.Context(), "set plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	statements := sqlConstants(t, ".")
	// Queries of PostgreSQL itself for foreign keys.
	statements["foreign key of messages"] = `
select 1 from only conversations x
where workspace_id = $1 and agent_id = $2 and conversation_uid = $3 and owner_key = $4
for key share of x`
	statements["foreign key of versions"] = `
select 1 from only documents x
where workspace_id = $1 and agent_id = $2 and document_id = $3 and scope = $4 and owner_key = $5
for key share of x`
	checked := 0
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		word, _, _ := strings.Cut(strings.TrimSpace(statements[name]), " ")
		if slices.Contains(broad, name) || !slices.Contains([]string{"select", "insert", "update", "with"}, strings.Fields(word)[0]) {
			continue
		}
		plan, err := genericPlan(t.Context(), conn, name, statements[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, fault := range planFaults(plan) {
			t.Errorf("%s: %s\n%s", name, fault, strings.Join(plan, "\n"))
		}
		checked++
	}
	if checked < 40 {
		t.Errorf("%d statements were looked at, there are more", checked)
	}
}

// migratedOnly prepares a database that no other test fills: a table that was emptied keeps its pages, which the planner counts.
func migratedOnly(ctx context.Context, url string) error { return migrated(ctx, url) }

// genericPlan returns the plan of a statement for any arguments.
func genericPlan(ctx context.Context, conn *pgx.Conn, name, statement string) ([]string, error) {
	sql, _, err := pgx.NamedArgs{}.RewriteQuery(ctx, conn, statement, nil)
	if err != nil {
		return nil, err
	}
	prepared, err := conn.Prepare(ctx, name, sql)
	if err != nil {
		return nil, err
	}
	arguments := ""
	if n := len(prepared.ParamOIDs); n > 0 {
		arguments = "(" + strings.TrimSuffix(strings.Repeat("null,", n), ",") + ")"
	}
	rows, err := conn.Query(ctx, `explain (costs off) execute "`+name+`" `+arguments, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

var indexUse = regexp.MustCompile(`(?:using|Bitmap Index Scan on) (\w+)`)

// planFaults returns the places of a plan that read more than they need.
func planFaults(plan []string) []string {
	var faults []string
	index := ""
	for _, line := range plan {
		switch {
		case strings.Contains(line, "Seq Scan"), strings.Contains(line, "Join Filter"), strings.Contains(line, "Hash Cond"):
			faults = append(faults, strings.TrimSpace(line))
		case indexUse.MatchString(line):
			index = indexUse.FindStringSubmatch(line)[1]
		case strings.Contains(line, "Index Cond"):
			if strings.Count(line, " AND ") < 2 && !slices.Contains(shortKeys, index) {
				faults = append(faults, index+" by "+strings.TrimSpace(line))
			}
		}
	}
	return faults
}

// The sweep for due agents skips from key to key: with many sources it reads no table as a whole and sorts none, so that one page costs as
// much as its agents and not as what they have indexed.
func TestDueAgentsIsIndexed(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	for _, sql := range []string{
		`
insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format, embed_due, token, changed_at)
select workspace_id, agent_id, corpus, scope, owner_key, gen_random_uuid(), version, head, units, index_format, false, token, changed_at
from index_sources
cross join generate_series(1, 2000)`, "analyze index_sources",
		// So small a table is read as a whole once the server has counted it. Changing a table's settings stops a count that runs.
		"alter table index_fresh set (autovacuum_enabled = false)",
		"delete from pg_statistic where starelid = 'index_fresh'::regclass",
		"update pg_class set relpages = 0, reltuples = -1, relallvisible = 0 where relname like 'index\\_fresh%'",
	} {
		if _, err := w.root.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	acquired, err := w.db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer acquired.Release()
	if _, err := acquired.Exec(t.Context(), "set plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	plan, err := genericPlan(t.Context(), acquired.Conn(), "sqlDueAgents", sqlConstants(t, ".")["sqlDueAgents"])
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	for _, line := range plan {
		if !strings.Contains(line, " on index_sources") && !strings.Contains(line, " on index_fresh") {
			continue
		}
		if reads++; strings.Contains(line, "Seq Scan") || strings.Contains(line, "Bitmap Heap Scan") {
			t.Errorf("it reads more than it needs: %s", strings.TrimSpace(line))
		}
	}
	if reads < 8 {
		t.Errorf("only %d places read sources and fresh rows", reads)
	}
	if t.Failed() {
		t.Log(strings.Join(plan, "\n"))
	}
}
