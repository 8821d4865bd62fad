package store

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/search"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
)

func init() { maps.Copy(calls, adminCalls) }

// adminCalls are the calls about agents, keys, sessions, usage and processes.
var adminCalls = map[string]call{
	"Agent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		a, err := w.Agent(t.Context(), id)
		return a, nil, err
	},
	"Agents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		a, err := w.Agents(t.Context(), id)
		return a, nil, err
	},
	"CreateAgent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		agent := rapid.SampledFrom([]string{"ada", "bob", "", ""}).Draw(t, "new agent")
		if agent == "" {
			agent = pg.NewID().String()
		}
		a, err := w.CreateAgent(t.Context(), id, admin.NewAgent{ID: agent, Name: tag{id.Workspace, agent, "AGENT"}.String()})
		return a, nil, err
	},
	"UpdateAgent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		name := tag{id.Workspace, id.Agent, "AGENT"}.String() + pg.NewID().String()
		a, err := w.UpdateAgent(t.Context(), id, admin.AgentPatch{Name: &name})
		return a, nil, err
	},
	"CreateKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		of := tag{id.Workspace, "", "KEY"}
		secret, key, err := w.CreateKey(t.Context(), id, admin.NewKey{Name: of.String(), Role: memory.RoleMember, Owner: "user:1"})
		if err == nil {
			w.keys[secret], w.keyIDs[key.ID] = of, of
		}
		return key, nil, err
	},
	"Keys": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		keys, err := w.Keys(t.Context(), id)
		return keys, nil, err
	},
	"RevokeKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		key := rapid.SampledFrom(sortedKeys(w.keyIDs, uuid.UUID.String)).Draw(t, "key")
		of := w.keyIDs[key]
		return nil, &of, w.RevokeKey(t.Context(), id, key)
	},
	"RotateKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		key := rapid.SampledFrom(sortedKeys(w.keyIDs, uuid.UUID.String)).Draw(t, "key")
		of := w.keyIDs[key]
		rotated, err := w.RotateKey(t.Context(), id, key, admin.MaxOverlap, nil)
		if err == nil {
			w.keys[rotated.Secret], w.keyIDs[rotated.New.ID] = of, of
		}
		return rotated, &of, err
	},
	// Sessions take no identity: their tokens are credentials.
	"StartSession": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		secrets := sortedKeys(w.keys, func(s string) string { return s })
		secret := rapid.SampledFrom(secrets).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err != nil {
			return nil, nil, err
		}
		token, _, err := w.StartSession(t.Context(), key)
		w.sessions[token] = w.keys[secret]
		return nil, nil, err
	},
	"SessionKey": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		tokens := append(sortedKeys(w.sessions, func(s string) string { return s }), "unknown", "")
		token := rapid.SampledFrom(tokens).Draw(t, "token")
		key, err := w.SessionKey(t.Context(), token)
		if err == nil && (key.Workspace != w.sessions[token].workspace || key.Name != w.sessions[token].String()) {
			t.Fatalf("the session of %v gives %+v", w.sessions[token], key)
		}
		return nil, nil, err
	},
	"KeyHolds": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		key := rapid.SampledFrom(append(sortedKeys(w.keyIDs, uuid.UUID.String), uuid.Max)).Draw(t, "key")
		err := w.KeyHolds(t.Context(), key.String())
		if key == uuid.Max && !is(pg.ErrUnauthorized)(err) {
			t.Fatalf("an unknown key: %v", err)
		}
		return nil, nil, err
	},
	"KnownKeys": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		secrets := sortedKeys(w.keys, func(s string) string { return s })
		known, err := w.KnownKeys(t.Context(), append([]string{"unknown", ""}, secrets...))
		if err == nil && (len(known) != len(secrets) || known["unknown"]) {
			t.Fatalf("of %d keys, %d are known: %v", len(secrets), len(known), known["unknown"])
		}
		return nil, nil, err
	},
	"KnownSessions": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		tokens := sortedKeys(w.sessions, func(s string) string { return s })
		known, err := w.KnownSessions(t.Context(), append([]string{"unknown", ""}, tokens...))
		if err == nil && (len(known) != len(tokens) || known["unknown"]) {
			t.Fatalf("of %d sessions, %d are known: %v", len(tokens), len(known), known["unknown"])
		}
		return nil, nil, err
	},
	"EndSession": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		return nil, nil, w.EndSession(t.Context(), pg.NewID().String())
	},
	// It takes no identity, because it records what identities do.
	"RecordAudit": func(_ *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		entry := admin.AuditEntry{
			At: w.db.Now(), Role: id.Role, Agent: id.Agent, Owner: id.Owner, Operation: auditTag(id.Workspace, id.Agent).String(),
			Targets: map[string]string{},
		}
		return nil, nil, w.RecordAudit(context.Background(), id.Workspace, []admin.AuditEntry{entry})
	},
	"Audit": func(_ *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Audit(context.Background(), id, admin.AuditFilter{}, pg.Page{Limit: pg.MaxPage})
		return list, nil, err
	},
	// It takes no identity and shows nothing.
	"ExpireAudit": func(_ *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		n, err := w.ExpireAudit(context.Background(), w.db.Now().Add(time.Hour))
		if n > 0 {
			return tag{"the latest day", "", "expired"}, nil, err
		}
		return nil, nil, err
	},
	// It takes no identity and shows nothing: the sweep samples the queues of all workspaces.
	"SampleDepths": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.SampleDepths(t.Context(), w.db.Now(), map[string]int64{"reverie": 1})
		return nil, nil, err
	},
	"Depths": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		all, err := w.Depths(t.Context(), id, time.Now().AddDate(-100, 0, 0), time.Hour)
		if err == nil && (id.Pinned || id.Agents != nil) {
			t.Fatalf("%+v sees %d depths", id, len(all))
		}
		return all, nil, err
	},
	"AddUsage": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.AddUsage(t.Context(), id, "model", memory.Usage{Calls: 1, InputTokens: 10})
	},
	"UsageByDay": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		spent, err := w.UsageByDay(t.Context(), id, time.Now())
		var want int
		if e := w.root.QueryRow(
			t.Context(), "select coalesce(sum(calls), 0) from model_usage where workspace_id = $1", id.Workspace,
		).Scan(&want); e != nil {
			t.Fatal(e)
		}
		got := 0
		for _, u := range spent {
			got += u.Calls
		}
		if err == nil && got != want {
			t.Fatalf("%d calls are listed, the workspace has %d", got, want)
		}
		return nil, nil, err
	},
	"UsageByAgent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		now := time.Now()
		spent, err := w.UsageByAgent(t.Context(), id, now)
		for _, u := range spent {
			calls := 0
			if e := w.root.QueryRow(
				t.Context(), "select sum(calls) from model_usage where workspace_id = $1 and day = $2 and agent_id = $3", id.Workspace,
				now.UTC().Format(time.DateOnly), u.Agent,
			).Scan(&calls); e != nil || calls != u.Calls {
				t.Fatalf("%d calls of %s, not %d: %v", u.Calls, u.Agent, calls, e)
			}
		}
		return nil, nil, err
	},
	"SpentToday": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		now := time.Now() // the world may have been made before midnight
		spent, err := w.SpentToday(t.Context(), id, now)
		var want int
		if e := w.root.QueryRow(
			t.Context(), "select coalesce(sum(calls), 0) from model_usage where workspace_id = $1 and day = $2", id.Workspace, now.UTC().Format(time.DateOnly),
		).Scan(&want); e != nil {
			t.Fatal(e)
		}
		if err == nil && spent.Calls != want {
			t.Fatalf("spent %d calls, the workspace has %d", spent.Calls, want)
		}
		return spent, nil, err
	},

	// These take no identity. They show nothing of a tenant, or only to whom has its secret.
	"Authenticate": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		secret := rapid.SampledFrom(append(sortedKeys(w.keys, func(s string) string { return s }), "rv_unknown", "")).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err == nil && (key.Workspace != w.keys[secret].workspace || key.Name != w.keys[secret].String()) {
			t.Fatalf("the secret of %v gives %+v", w.keys[secret], key)
		}
		return nil, nil, err
	},
	"EnsureWorkspace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.EnsureWorkspace(t.Context(), rapid.SampledFrom(worldWorkspaces).Draw(t, "workspace"), "other name")
	},
	"EnsureKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		// A key of the other workspace: it must not be taken over.
		secret := rapid.SampledFrom(sortedKeys(w.keys, func(s string) string { return s })).Draw(t, "secret")
		other := worldWorkspaces[0]
		if w.keys[secret].workspace == other {
			other = worldWorkspaces[1]
		}
		err := w.EnsureKey(t.Context(), other, "configured", secret, memory.RoleAdmin)
		if !conflict(pg.CodeKeyOfAnotherWorkspace)(err) {
			t.Fatalf("a key of another workspace: %v", err)
		}
		return nil, nil, nil
	},
	// A lease is no tenant's.
	"Lead": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.Lead(t.Context(), "sweeps", id.Agent, time.Minute)
		return nil, nil, err
	},
	"Resign": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.Resign(t.Context(), "sweeps", id.Agent)
	},
	"ReportComponent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.ReportComponent(t.Context(), "model", "ok", "")
	},
	"Components": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		components, err := w.Components(t.Context())
		return components, nil, err
	},
	"Ping": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.Ping(t.Context())
	},
}

func init() { maps.Copy(calls, teamCalls) }

// worldMember is the agent of every workspace of the world that reads behind its leader, the first agent.
const worldMember = "cleo"

// addMember makes the member of a workspace's team.
func (w *world) addMember(t *testing.T, workspace string) {
	t.Helper()
	name := tag{workspace, worldMember, "AGENT"}.String()
	settings := setting.AgentSettings{Leader: worldAgents[0]}
	must[gate.Agent](t)(w.CreateAgent(t.Context(), adminOf(workspace),
		admin.NewAgent{ID: worldMember, Name: name, TimeZone: "UTC", Settings: settings}))
}

// asMember makes a caller one of the member of a team, sometimes with a credential that names the member and not the leader, and
// returns which tags it may see. The rule is written independently of the policies.
func asMember(t *rapid.T, id memory.Identity) (member memory.Identity, shown func(tag) bool) {
	member = id.For(worldMember, id.Owner)
	if slices.Contains(member.Agents, worldAgents[0]) && rapid.Bool().Draw(t, "names the member") {
		member.Agents = []string{worldMember}
	}
	leader := member
	leader.Agent, leader.Agents, leader.AnyOwner = worldAgents[0], nil, false
	return member, func(of tag) bool {
		return sees(member, of) || member.MayUseAgent(worldMember) && of.agent == worldAgents[0] && of.owner != "AGENT" && sees(leader, of)
	}
}

// teamCalls are the calls of members of a team.
var teamCalls = map[string]call{
	"Leader": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		leader, member, err := w.Leader(t.Context(), id)
		if member &&
			(leader.Owner != id.Owner || leader.AnyOwner || leader.Workspace != id.Workspace || leader.Role != memory.RoleViewer ||
				!id.MayUseAgent(id.Agent)) {
			t.Fatalf("%+v reads as %+v", id, leader)
		}
		return nil, err
	}),
	"ReadableDocument": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		return w.ReadableDocument(t.Context(), id, anyRef(t).Path)
	}),
	"ReadableDocuments": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		list, err := w.ReadableDocuments(t.Context(), id, gate.DocumentFilter{IncludeDeleted: true, AsOf: anyTime(t)})
		var tags []tag
		for _, d := range list {
			tags = append(tags, w.tagOfDocument(t, d.ID))
		}
		return tags, err
	}),
}

func init() { maps.Copy(calls, doctorCalls) }

// strayIndex puts an entry of the index that belongs to nothing under every owner of the world, and returns how to take them away.
func (w *world) strayIndex(t *rapid.T) (stray map[uuid.UUID]tag, clean func()) {
	rows, err := w.root.Query(t.Context(), `
insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format, `+
		`embed_due, token, changed_at)
select workspace_id, agent_id, 'memory', 'PERSONAL', owner_key, gen_random_uuid(), 1, 0, 0, '', false, 0, now()
from owners
where owner_key like 'user:%'
returning source_uid, workspace_id, agent_id, owner_key`)
	if err != nil {
		t.Fatal(err)
	}
	stray = map[uuid.UUID]tag{}
	var uid uuid.UUID
	var of tag
	if _, err := pgx.ForEachRow(rows, []any{&uid, &of.workspace, &of.agent, &of.owner},
		func() error { stray[uid] = of; return nil }); err != nil {
		t.Fatal(err)
	}
	return stray, func() {
		if _, err := w.root.Exec(
			t.Context(), "delete from index_sources where source_uid = any ($1)", sortedKeys(stray, uuid.UUID.String),
		); err != nil {
			t.Fatal(err)
		}
	}
}

// tagOfStaged returns the tag of staged work.
func (w *world) tagOfStaged(t *rapid.T, x admin.StagedWork) tag {
	table, column := map[string]string{
		admin.StagedWrite: "memory_writes", admin.StagedImport: "imports", admin.StagedSnapshot: "snapshot_imports",
	}[x.Kind], "import_id"
	scope := "coalesce(nullif(owner_key, ''), 'TEAM')"
	if x.Kind == admin.StagedWrite {
		column, scope = "write_id", "case scope when 'PERSONAL' then owner_key else scope end"
	}
	return w.tagOf(t, "select workspace_id, agent_id, "+scope+" from "+table+" where "+column+" = $1", x.ID)
}

// doctorCalls are the calls of the doctor.
var doctorCalls = map[string]call{
	"Examine": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		stray, clean := w.strayIndex(t)
		defer clean()
		e, err := w.Examine(t.Context(), id, time.Now().Add(time.Hour))
		if err != nil {
			return nil, nil, err
		}
		var tags []tag
		found := 0
		for _, x := range e.Superseded {
			if of, ok := stray[x.UID]; ok {
				found++
				tags = append(tags, of)
			}
		}
		for _, of := range stray {
			if of.workspace == id.Workspace && of.agent == id.Agent {
				found--
			}
		}
		if found != 0 {
			t.Fatalf("%+v misses %d entries that belong to nothing", id, -found)
		}
		for _, x := range e.Missing {
			tags = append(tags, w.tagOfDocument(t, x.UID))
		}
		for _, x := range e.FedNotes {
			tags = append(tags, w.tagOfDocument(t, x.UID))
		}
		for _, x := range e.Broken {
			tags = append(tags, w.tagOfDocument(t, x.Document))
		}
		for _, x := range e.Open {
			tags = append(tags, w.tagOfOwner(t, x.OwnerID))
		}
		for _, x := range e.Staged {
			tags = append(tags, w.tagOfStaged(t, x))
		}
		for _, x := range e.Waiting {
			tags = append(tags, w.tagOfOwner(t, x.OwnerID))
		}
		return tags, nil, nil
	},
	"MendIndex": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		rows, err := w.root.Query(t.Context(), "select scope, owner_key, document_id, path from documents order by document_id")
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x admin.IndexSource, err error) {
			x.Corpus = search.Memory
			err = row.Scan(&x.Scope, &x.Owner, &x.UID, &x.Path)
			return x, err
		})
		if err != nil {
			t.Fatal(err)
		}
		// Of a document that it does not see nothing is indexed, and what is indexed of others stays.
		return nil, nil, w.MendIndex(t.Context(), id, rapid.SampledFrom(all).Draw(t, "source"))
	},
	"DropOrphans": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.DropOrphans(t.Context(), id)
		return nil, nil, err
	},
	"RejectFed": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RejectFed(t.Context(), id, worldEntry) // everybody has one of that name
	},
	"EndAbandoned": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		var x admin.OpenRun
		var of tag
		as := id
		switch x.Kind = rapid.SampledFrom([]string{"extraction", "flush", "compaction", "dream"}).Draw(t, "kind"); x.Kind {
		case "extraction":
			p := w.anyPlace(t, id)
			x.ID, of, as = p.quarantined, p.tag, runOf(id, "q") // it has ended, and is unchanged
		case "flush":
			x.ID, x.From, of, as = w.anyFlush(t, id)
			x.To = x.From
		case "compaction":
			x.ID, _, of, as = w.anyCompaction(t, id)
			defer w.reopen(t, x.ID)
		case "dream":
			x.ID, of, as = w.anyOpenDream(t, id)
		}
		x.WorkflowID, x.Run = as.Author.WorkflowID, as.Author.RunID
		return nil, &of, w.EndAbandoned(t.Context(), id, x)
	},
	"EndCompaction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, _, of, _ := w.anyCompaction(t, id)
		defer w.reopen(t, compaction)
		return nil, &of, w.EndCompaction(t.Context(), id, compaction, memory.OutcomeSkipped, "test")
	},
	"OpenRun": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dream, of, _ := w.anyOpenDream(t, id)
		x, err := w.OpenRun(t.Context(), id, admin.OpenDream, dream)
		if err != nil {
			return nil, nil, err
		}
		if x.ID != dream {
			t.Fatalf("asked for %s, got %+v", dream, x)
		}
		return of, nil, nil
	},
	"NoteFixed": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.NoteFixed(t.Context(), id, "index_missing", 1)
	},
}
