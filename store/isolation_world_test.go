package store

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/search"
	"reverie/store/admin"
	"reverie/store/deletion"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/revocation"
	"reverie/store/talk"
)

// A tag is part of everything stored in the world of the isolation test and names its owner:
// ⟦workspace|agent|owner⟧ for what is one person's, with TEAM, GLOBAL, AGENT or KEY in place of the owner for the rest.
// Names, paths and ids are the same everywhere, so that a missing condition finds rows of others.
type tag struct{ workspace, agent, owner string }

func (t tag) String() string { return fmt.Sprintf("⟦%s|%s|%s⟧", t.workspace, t.agent, t.owner) }

var tagPattern = regexp.MustCompile(`⟦([^|⟧]*)\|([^|⟧]*)\|([^|⟧]*)⟧`)

// tagsIn returns the tags that some value shows.
func tagsIn(value any) []tag {
	var tags []tag
	for _, m := range tagPattern.FindAllStringSubmatch(fmt.Sprintf("%+v", value), -1) {
		tags = append(tags, tag{m[1], m[2], m[3]})
	}
	return tags
}

// scopeTag returns the tag of a document that id writes.
func scopeTag(id memory.Identity, scope memory.Scope) tag {
	switch scope {
	case memory.ScopeGlobal:
		return tag{id.Workspace, "", "GLOBAL"}
	case memory.ScopeTeam:
		return tag{id.Workspace, id.Agent, "TEAM"}
	default:
		return tag{id.Workspace, id.Agent, string(id.Owner)}
	}
}

// place is one owner of one agent of one workspace, with ids that others try to use.
type place struct {
	tag
	conversation string // the client's id
	uid, ownerID uuid.UUID
	open         uuid.UUID // extractions
	quarantined  uuid.UUID
	dream        uuid.UUID // that has written
	flush        uuid.UUID // that is acknowledged
	compaction   uuid.UUID // that is finished
	deletion     uuid.UUID // of the conversation, which waits
	webhook      uuid.UUID
	revocation   uuid.UUID    // of the conversation, which waits
	approvals    [2]uuid.UUID // that wait: of a PERSONAL and of a TEAM document
}

// world is a store with several workspaces, agents and owners.
type world struct {
	*Store
	root     *pgx.Conn // sees everything
	places   []place
	shared   []place        // dreams of shared memories
	keys     map[string]tag // secrets
	keyIDs   map[uuid.UUID]tag
	large    map[group]string     // digests of largeVectors
	seen     int64                // the number of the last change that changes has returned
	hookKeys map[string]uuid.UUID // of webhooks, by workspace
	// sessions are tokens of the Memory Browser, with the tags of their keys.
	sessions map[string]tag
}

var (
	worldWorkspaces = []string{"acme", "globex"}
	worldAgents     = []string{"ada", "bob"}
	worldOwners     = []memory.Owner{"user:1", "user:2"}
)

func makeWorld(t *testing.T) *world {
	t.Helper()
	url := devtest.Database(t, migrated)
	s, err := Open(t.Context(), url, pg.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.ExactUnits = 2 // of the world's few
	root, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close(t.Context()) })
	var everything bool
	if err := root.QueryRow(
		t.Context(), "select rolsuper or rolbypassrls from pg_roles where rolname = current_user",
	).Scan(&everything); err != nil || !everything {
		t.Fatalf("the test's login must see everything: %v, %v", everything, err)
	}
	w := &world{Store: s, root: root, keys: map[string]tag{}, keyIDs: map[uuid.UUID]tag{}, sessions: map[string]tag{}}
	for _, workspace := range worldWorkspaces {
		if err := s.EnsureWorkspace(t.Context(), workspace, tag{workspace, "", "GLOBAL"}.String()); err != nil {
			t.Fatal(err)
		}
		w.addKeys(t, workspace)
		w.addHookKey(t, workspace)
		write(t, s, adminOf(workspace), replace(global("shared.md"), 0, tag{workspace, "", "GLOBAL"}.String()))
		for _, agent := range worldAgents {
			name := tag{workspace, agent, "AGENT"}.String()
			must[gate.Agent](t)(s.CreateAgent(t.Context(), adminOf(workspace), admin.NewAgent{ID: agent, Name: name, TimeZone: "UTC"}))
			for _, owner := range worldOwners {
				w.places = append(w.places, w.addPlace(t, workspace, agent, owner))
			}
			w.shared = append(w.shared, w.addShared(t, workspace, agent))
			several := adminOf(workspace)
			several.Agent = agent
			w.addImport(t, several)
			w.addWebhook(t, several)
			w.addIndex(t, workspace, agent)
		}
		w.addIndex(t, workspace, "")
		w.addMember(t, workspace)
		w.addAudit(t, workspace)
		w.addFacts(t, workspace)
	}
	return w
}

// addAudit records a request about every owner of the workspace, and one about the workspace.
func (w *world) addAudit(t *testing.T, workspace string) {
	t.Helper()
	entries := []admin.AuditEntry{{
		At: w.db.Now(), Role: memory.RoleAdmin, Operation: auditTag(workspace, "").String(), Targets: map[string]string{},
	}}
	for _, agent := range worldAgents {
		for _, owner := range worldOwners {
			entries = append(entries, admin.AuditEntry{
				At: w.db.Now(), Role: memory.RoleAdmin, Agent: agent, Owner: owner, Operation: auditTag(workspace, agent).String(),
				Targets: map[string]string{"path": "a.md"},
			})
		}
	}
	if err := w.RecordAudit(t.Context(), workspace, entries); err != nil {
		t.Fatal(err)
	}
	must[int](t)(w.SampleDepths(t.Context(), w.db.Now(), map[string]int64{"reverie": 1}))
}

// auditTag returns the tag of entries about an agent, or about the workspace.
func auditTag(workspace, agent string) tag {
	if agent == "" {
		return tag{workspace, "", "AUDIT"}
	}
	return tag{workspace, agent, "AUDIT"}
}

// addIndex merges what an agent has, gives it vectors, and writes all of it once more on top.
func (w *world) addIndex(t *testing.T, workspace, agent string) {
	t.Helper()
	id := adminOf(workspace)
	id.Agent, id.AnyOwner = agent, true
	for more := true; more; {
		more = must[indexes.Packed](t)(w.PackFrom(t.Context(), id, 1)).More
	}
	for _, model := range []string{"live", "building"} {
		space := must[indexes.Space](t)(w.OpenSpace(t.Context(), id, worldIdentity(model)))
		due := must[indexes.DueUnits](t)(w.DueUnits(t.Context(), id, space.ID, 100))
		if len(due.Units) == 0 {
			t.Fatalf("nothing to embed for %s of %s", agent, workspace)
		}
		must[int](t)(w.SaveVectors(t.Context(), id, space.ID, due, vectorsOf(due)))
		if model == "building" {
			must[bool](t)(w.GrowSpace(t.Context(), id, space.ID, 3))
		}
		if agent != "" {
			if err := w.LearnReputations(t.Context(), id, space.ID, someVotes()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if agent == "" {
		write(t, w.Store, adminOf(workspace), replace(global("shared.md"), 1, tag{workspace, "", "GLOBAL"}.String()+" again"))
		return
	}
	if must[*dreams.SoulRun](t)(w.BeginSoul(t.Context(), id, 1, func(dreams.SoulRun) bool { return true })) == nil {
		t.Fatalf("%s of %s begins no SOUL.md", agent, workspace)
	}
	for _, owner := range worldOwners {
		id := memory.Identity{Workspace: workspace, Agent: agent, Owner: owner, Role: memory.RoleMember}
		for _, ref := range []memory.Ref{personal("shared.md"), team("shared.md")} {
			c := memory.Change{
				Ref: ref, Op: memory.OpAppend, Content: scopeTag(id, ref.Scope).String() + " again",
				Reason: scopeTag(id, ref.Scope).String(),
			}
			must[memory.Receipt](t)(w.Apply(t.Context(), id, "", []memory.Change{c}))
		}
		if err := w.RecordRecalls(t.Context(), []dreams.Recall{worldRecall(id)}); err != nil {
			t.Fatal(err)
		}
	}
}

// worldIdentity returns an embedding model of the world, with vectors of two numbers.
func worldIdentity(model string) memory.EmbeddingIdentity {
	return memory.EmbeddingIdentity{Provider: "test", Model: model, Dimensions: 2}
}

// vectorsOf returns vectors for units.
func vectorsOf(due indexes.DueUnits) [][]float32 {
	vectors := make([][]float32, len(due.Units))
	for i := range vectors {
		vectors[i] = []float32{1, float32(i)}
	}
	return vectors
}

// worldRecall returns a recall whose path names its owner.
func worldRecall(id memory.Identity) dreams.Recall {
	scope := memory.ScopePersonal
	if id.Owner == memory.NoOwner { // nobody finds what is shared, and that somebody did is not a secret among them
		scope = memory.ScopeTeam
	}
	return dreams.Recall{
		Identity: id, Day: testClock, At: testClock, Conversation: scopeTag(id, scope).String(),
		Hits: []dreams.RecalledHit{{
			Corpus: search.Memory, Scope: scope, Source: pg.NewID(), Path: scopeTag(id, scope).String(),
			FromLine: 1, ToLine: 2, Entries: []markdown.EntryID{"a", "b"}, Score: 0.5,
		}},
	}
}

func (w *world) addKeys(t *testing.T, workspace string) {
	t.Helper()
	of := tag{workspace, "", "KEY"}
	secret, key, err := w.CreateKey(t.Context(), adminOf(workspace), admin.NewKey{Name: of.String(), Role: memory.RoleMember})
	if err != nil {
		t.Fatal(err)
	}
	w.keys[secret], w.keyIDs[key.ID] = of, of
	token, _, err := w.StartSession(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	w.sessions[token] = of
}

// addPlace fills a place: documents of both scopes, a conversation that waits, and extractions in several states.
func (w *world) addPlace(t *testing.T, workspace, agent string, owner memory.Owner) place {
	t.Helper()
	id := memory.Identity{
		Workspace: workspace, Agent: agent, Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin", WorkflowID: "world", RunID: "world"},
	}
	p := place{tag: scopeTag(id, memory.ScopePersonal), conversation: "chat " + string(owner)}
	for _, ref := range []memory.Ref{personal("shared.md"), personal(memory.MemoryPath), team("shared.md"), team("memory/2026-11-21.md")} {
		c := memory.Change{
			Ref: ref, Op: memory.OpAppend, Content: scopeTag(id, ref.Scope).String(), Reason: scopeTag(id, ref.Scope).String(),
		}
		must[memory.Receipt](t)(w.Apply(t.Context(), id, "key "+ref.Path+string(ref.Scope), []memory.Change{c}))
	}
	stored := must[talk.Stored](t)(w.AppendMessages(t.Context(), id, taggedTurn(p.tag, p.conversation, "m", 6)))
	p.uid, p.ownerID = stored.ConversationUID, stored.OwnerID
	w.addImport(t, id)
	end := func(from, to int64, run string, e talk.Ending) uuid.UUID {
		x := must[talk.Extraction](t)(w.BeginExtraction(t.Context(), runOf(id, run), talk.Range{ConversationUID: p.uid, From: from, To: to}))
		e.Reason, e.Raw = p.tag.String(), p.tag.String()
		must[talk.ExtractionResult](t)(w.RecordOutcome(t.Context(), runOf(id, run), x.ID, e))
		return x.ID
	}
	p.quarantined = end(1, 2, "q", talk.Ending{Outcome: memory.OutcomeQuarantined})
	p.open = end(3, 4, "w", talk.Ending{Outcome: memory.OutcomeWaiting, Until: testClock})
	w.addWindow(t, id, &p)
	if err := w.AddUsage(t.Context(), id, "model", memory.Usage{Calls: 1, InputTokens: 10}); err != nil {
		t.Fatal(err)
	}
	w.addSnapshot(t, id)
	w.addWrite(t, id)
	p.dream = w.addDreams(t, id)
	p.webhook = w.addWebhook(t, id)
	p.approvals = w.addApprovals(t, id)
	id.Role = memory.RoleAdmin
	p.revocation = must[[]revocation.Part](t)(w.RequestRevocation(t.Context(), id, revocation.Source{
		Kind: revocation.Conversation, ID: p.conversation,
	}))[0].ID
	p.deletion = must[deletion.Deletion](t)(w.RequestDeletion(t.Context(), id, deletion.Target{
		Kind: deletion.Conversation, Conversation: p.conversation, Grace: time.Hour,
	})).ID
	return p
}

// taggedTurn returns a turn whose text names its owner.
func taggedTurn(of tag, conversation, prefix string, n int) talk.Batch {
	b := turn(conversation, prefix, n)
	for i := range b.Messages {
		b.Messages[i].Content = of.String()
	}
	return b
}

// sees reports whether an identity may be shown a tag. It is written independently of the policies.
func sees(id memory.Identity, of tag) bool {
	if !id.Role.Valid() || id.Workspace == "" || of.workspace != id.Workspace {
		return false
	}
	switch of.owner {
	case "GLOBAL":
		return true
	case "KEY":
		return id.Role == memory.RoleAdmin && id.Agents == nil && !id.Pinned
	case "AGENT":
		return id.MayUseAgent(of.agent)
	case "AUDIT":
		return id.Role == memory.RoleAdmin && !id.Pinned && (id.Agents == nil || of.agent != "" && id.MayUseAgent(of.agent))
	case "TEAM":
		return of.agent == id.Agent && id.MayUseAgent(id.Agent)
	default:
		own := id.Owner != memory.NoOwner && of.owner == string(id.Owner)
		return of.agent == id.Agent && id.MayUseAgent(id.Agent) && (own || id.AnyOwner && !id.Pinned)
	}
}

// group is the table and the owning columns of a row, empty where the table has no such column.
type group struct{ table, workspace, agent, owner, scope string }

// mayChange reports whether an identity may change rows of a group. It is written independently of the policies.
func mayChange(id memory.Identity, g group) bool {
	if g.table == "recalls" { // a viewer's searches count as well
		return g.workspace == id.Workspace && g.agent == id.Agent && g.agent != "" && g.owner == string(id.Owner) &&
			id.Role.Valid() && id.MayUseAgent(id.Agent)
	}
	if g.table == "web_sessions" { // whoever holds a token, whatever their identity
		return false
	}
	if g.table == "audit_log" || g.table == "queue_depths" { // nobody, but for the purpose of recording what they do
		return false
	}
	if g.table == "index_reputations" { // and its questions
		return g.workspace == id.Workspace && g.agent == id.Agent && g.agent != "" && id.Role.Valid() && id.MayUseAgent(id.Agent)
	}
	if g.workspace != id.Workspace || id.Workspace == "" || !id.Role.Includes(memory.RoleMember) || !id.MayUseAgent(id.Agent) &&
		id.Agent != "" {
		return false
	}
	isAdmin := id.Role == memory.RoleAdmin && !id.Pinned
	ofAgent := g.agent == id.Agent && id.Agent != ""
	switch g.table {
	case "documents", "document_versions", "journal", "fact_events":
		switch memory.Scope(g.scope) {
		case memory.ScopePersonal:
			return ofAgent && g.owner == string(id.Owner) && id.Owner != memory.NoOwner
		case memory.ScopeTeam:
			return ofAgent && !id.Pinned
		case memory.ScopeGlobal:
			return isAdmin && id.Agents == nil
		default:
			return g.table == "journal" && isAdmin && (g.agent == "" && id.Agents == nil || ofAgent)
		}
	case "imports", "import_items":
		return mayImport(id, g)
	case "memory_writes", "approvals": // the rows are the agent's, whatever they write
		return ofAgent && mayWriteScope(id, g)
	case "index_sources", "index_fresh", "index_segments", "index_blocks", "index_graves", "index_progress", "index_vectors",
		"index_vectors_large", "facts", "fact_claims", "fact_contradictions", "fact_documents", "fact_due":
		switch memory.Scope(g.scope) {
		case memory.ScopePersonal: // what is derived is tended by an admin that reads everything
			return ofAgent && (g.owner == string(id.Owner) || isAdmin && id.AnyOwner)
		case memory.ScopeTeam:
			return ofAgent && !id.Pinned
		default:
			return isAdmin && id.Agents == nil
		}
	case "index_spaces":
		return isAdmin && g.agent == id.Agent && (g.agent != "" || id.Agents == nil)
	case "embedding_cache":
		return isAdmin && id.AnyOwner
	case "owners":
		if ofAgent && g.owner == string(memory.SystemOwner) && !id.Pinned { // what is written for all is news about it
			return true
		}
		return ofAgent && g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case "dreams", "dream_candidates", "dream_entries", "dream_news":
		if g.owner == string(memory.SystemOwner) { // who may write what is shared dreams of it and undoes it
			return ofAgent && !id.Pinned
		}
		return ofAgent && g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case "injections": // what nobody in particular was shown is recorded as well
		return ofAgent && g.owner == string(id.Owner)
	case "deletions": // of an agent: nobody in particular
		return isAdmin && ofAgent && (g.owner == "" || g.owner == string(id.Owner)) ||
			ofAgent && id.Pinned && g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case "revocations": // an admin takes back what taught anybody
		return isAdmin && ofAgent || ofAgent && id.Pinned && g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case "conversations", "messages", "extractions", "flushes", "flush_steps", "compactions", "morning_cards":
		return ofAgent && g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case "write_ledger": // the receipt of a dream of the shared memory that was undone is that of its owner
		return g.agent == id.Agent && (g.owner == string(id.Owner) || g.owner == string(memory.SystemOwner) && !id.Pinned)
	case "snapshot_imports", "snapshot_archives":
		if g.owner == "" { // of shared documents
			return ofAgent && !id.Pinned
		}
		return ofAgent && g.owner == string(id.Owner)
	case "model_usage":
		return ofAgent
	case "webhooks", "webhook_secrets", "webhook_failures":
		return ofAgent && g.owner == string(id.Owner) && id.Owner != memory.NoOwner || ofAgent && isAdmin && g.owner == ""
	case "souls":
		return ofAgent && !id.Pinned
	case "agents":
		return isAdmin && id.MayUseAgent(g.agent)
	case "api_keys":
		return isAdmin && id.Agents == nil
	}
	return false
}

// mayErase reports whether an identity may erase words in rows of a group. It is written independently of the policies.
func mayErase(id memory.Identity, g group) bool {
	if g.workspace != id.Workspace || id.Workspace == "" || !id.Role.Includes(memory.RoleMember) || !id.MayUseAgent(id.Agent) {
		return false
	}
	if g.table == "embedding_cache" { // which entries are of the words is not known
		return true
	}
	switch {
	case g.agent != id.Agent || g.agent == "":
		return false
	case memory.Scope(g.scope) == memory.ScopeTeam, g.owner == "", g.owner == string(memory.SystemOwner):
		return !id.Pinned
	}
	return g.owner == string(id.Owner) || id.AnyOwner && id.Role == memory.RoleAdmin && !id.Pinned
}

// recordChanges makes the database record the groups whose rows others than w.root insert, change or delete. It takes a fraction of the
// time of a snapshot after every call.
func (w *world) recordChanges(t *testing.T) {
	t.Helper()
	sql := `
create schema test
create table changes (number bigserial primary key, table_name text, workspace text, agent text, owner text, scope text);

create function test.record_change() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
declare
    old_row jsonb;
    new_row jsonb;
begin
    if tg_op <> 'INSERT' then
        old_row := to_jsonb(old) - ` + unrecorded + `;
    end if;
    if tg_op <> 'DELETE' then
        new_row := to_jsonb(new) - ` + unrecorded + `;
    end if;
    if old_row is distinct from new_row then
        insert into test.changes (table_name, workspace, agent, owner, scope)
        select distinct tg_argv[0], r ->> 'workspace_id', coalesce(r ->> tg_argv[1], ''), coalesce(r ->> tg_argv[2], ''),
            coalesce(r ->> tg_argv[3], '')
        from (values (old_row), (new_row)) rows (r)
        where r is not null;
    end if;
    return null;
end
$$;

-- Vectors of a space are dropped with its partition.
create function test.record_drop() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    insert into test.changes (table_name, workspace, agent, owner, scope)
    select distinct '` + largeVectors + `', '', '', '', ''
    from pg_event_trigger_dropped_objects()
    where object_type = 'table';
end
$$;
create event trigger record_drop on sql_drop execute function test.record_drop();`
	for _, table := range tenantTables {
		column := func(name string) string {
			if slices.Contains(table.columns, name) {
				return name
			}
			return "none"
		}
		sql += fmt.Sprintf(`
create trigger record_change after insert or update or delete on %[1]s
for each row when (pg_backend_pid() <> %[5]d) execute function test.record_change ('%[1]s', '%[2]s', '%[3]s', '%[4]s');`,
			table.name, column("agent_id"), column("owner_key"), column("scope"), w.root.PgConn().PID())
	}
	if _, err := w.root.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	w.large = w.digests(t, largeVectorsDigest)
}

// unrecorded are columns whose changes are not changes of a row: when a sweep looks at it again; whoever shows a key uses it.
const unrecorded = `array['due_at', 'leased_until', 'last_used_at']`

// changes returns the groups that were changed since the last call.
func (w *world) changes(t tester) []group {
	t.Helper()
	rows, err := w.root.Query(t.Context(), `
select distinct on (table_name, workspace, agent, owner, scope) max(number) over (), table_name, workspace, agent, owner, scope
from test.changes
where number > $1`, w.seen)
	if err != nil {
		t.Fatal(err)
	}
	var groups []group
	var g group
	large := false
	_, err = pgx.ForEachRow(rows, []any{&w.seen, &g.table, &g.workspace, &g.agent, &g.owner, &g.scope}, func() error {
		if g.table == largeVectors {
			large = true
			return nil
		}
		groups = append(groups, g)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if large {
		before := w.large
		w.large = w.digests(t, largeVectorsDigest)
		groups = slices.AppendSeq(groups, maps.Keys(changedGroups(before, w.large)))
	}
	return groups
}

// largeVectors is the table whose partitions are dropped as a whole.
const largeVectors = "index_vectors_large"

// snapshot digests all rows of all tables, by group.
func (w *world) snapshot(t tester) map[group]string {
	t.Helper()
	return w.digests(t, worldDigest)
}

// digests reads a digest of each group.
func (w *world) digests(t tester, sql string) map[group]string {
	t.Helper()
	rows, err := w.root.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	digests := map[group]string{}
	var g group
	var digest string
	_, err = pgx.ForEachRow(rows, []any{&g.table, &g.workspace, &g.agent, &g.owner, &g.scope, &digest}, func() error {
		digests[g] = digest
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return digests
}

// worldDigest reads every table that belongs to tenants, largeVectorsDigest only one of them.
var worldDigest, largeVectorsDigest = func() (all, large string) {
	var tables []string
	for _, table := range tenantTables {
		column := func(name string) string {
			if slices.Contains(table.columns, name) {
				return name
			}
			return "''"
		}
		owner := column("owner_key")
		if table.name == "api_keys" {
			owner = "''" // whom a key is pinned to is not whose row it is
		}
		row := "(to_jsonb(r) - " + unrecorded + ")::text"
		sql := fmt.Sprintf("select '%s', workspace_id, %s, %s, %s, md5(string_agg(%s, '|' order by %[5]s)) from %[1]s r group by 1, 2, 3, 4, 5",
			table.name, column("agent_id"), owner, column("scope"), row)
		if table.name == largeVectors {
			large = sql
		}
		tables = append(tables, sql)
	}
	return strings.Join(tables, "\nunion all\n"), large
}()

// tenantTables are the tables with a workspace; TestTenantTables holds the list against the schema.
var tenantTables = []struct {
	name    string
	columns []string
}{
	{"agents", []string{"agent_id"}},
	{"api_keys", nil},
	{"approvals", []string{"agent_id", "owner_key", "scope"}},
	{"audit_log", []string{"agent_id", "owner_key"}},
	{"compactions", []string{"agent_id", "owner_key"}},
	{"conversations", []string{"agent_id", "owner_key"}},
	{"deletions", []string{"agent_id", "owner_key"}},
	{"document_versions", []string{"agent_id", "owner_key", "scope"}},
	{"documents", []string{"agent_id", "owner_key", "scope"}},
	{"dream_candidates", []string{"agent_id", "owner_key"}},
	{"dream_entries", []string{"agent_id", "owner_key"}},
	{"revocations", []string{"agent_id", "owner_key"}},
	{"dream_news", []string{"agent_id", "owner_key"}},
	{"dreams", []string{"agent_id", "owner_key", "scope"}},
	{"embedding_cache", nil},
	{"extractions", []string{"agent_id", "owner_key"}},
	{"fact_documents", []string{"agent_id", "owner_key", "scope"}},
	{"fact_claims", []string{"agent_id", "owner_key", "scope"}},
	{"fact_contradictions", []string{"agent_id", "owner_key", "scope"}},
	{"fact_due", []string{"agent_id", "owner_key", "scope"}},
	{"fact_events", []string{"agent_id", "owner_key", "scope"}},
	{"facts", []string{"agent_id", "owner_key", "scope"}},
	{"flush_steps", []string{"agent_id", "owner_key", "scope"}},
	{"flushes", []string{"agent_id", "owner_key"}},
	{"import_items", []string{"agent_id", "owner_key"}},
	{"imports", []string{"agent_id", "owner_key"}},
	{"index_blocks", []string{"agent_id", "owner_key", "scope"}},
	{"index_fresh", []string{"agent_id", "owner_key", "scope"}},
	{"index_graves", []string{"agent_id", "owner_key", "scope"}},
	{"index_progress", []string{"agent_id", "owner_key", "scope"}},
	{"index_reputations", []string{"agent_id"}},
	{"index_segments", []string{"agent_id", "owner_key", "scope"}},
	{"index_sources", []string{"agent_id", "owner_key", "scope"}},
	{"index_spaces", []string{"agent_id"}},
	{"index_vectors", []string{"agent_id", "owner_key", "scope"}},
	{"index_vectors_large", []string{"agent_id", "owner_key", "scope"}},
	{"injections", []string{"agent_id", "owner_key"}},
	{"journal", []string{"agent_id", "owner_key", "scope"}},
	{"memory_writes", []string{"agent_id", "owner_key", "scope"}},
	{"messages", []string{"agent_id", "owner_key"}},
	{"model_usage", []string{"agent_id"}},
	{"morning_cards", []string{"agent_id", "owner_key"}},
	{"owners", []string{"agent_id", "owner_key"}},
	{"queue_depths", nil},
	{"recalls", []string{"agent_id", "owner_key", "scope"}},
	{"snapshot_archives", []string{"agent_id", "owner_key"}},
	{"snapshot_imports", []string{"agent_id", "owner_key"}},
	{"souls", []string{"agent_id"}},
	{"web_sessions", nil},
	{"webhook_failures", []string{"agent_id", "owner_key"}},
	{"webhook_secrets", []string{"agent_id", "owner_key"}},
	{"webhooks", []string{"agent_id", "owner_key"}},
	{"workspaces", nil},
	{"write_ledger", []string{"agent_id", "owner_key"}},
}

// mayRecordRecall reports whether an identity may record a recall in the journal: a viewer's searches count as well.
func mayRecordRecall(id memory.Identity, g group, row map[string]any) bool {
	if g.table != "journal" || row["kind"] != string(gate.EventRecallRecorded) {
		return false
	}
	g.table, g.owner = "recalls", string(id.Owner)
	personal := row["owner_key"] == string(id.Owner) && id.Owner != memory.NoOwner
	return mayChange(id, g) && (personal && memory.Scope(g.scope) == memory.ScopePersonal || memory.Scope(g.scope) == memory.ScopeTeam)
}
