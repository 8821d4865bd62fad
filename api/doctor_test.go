package api_test

import (
	"crypto/sha256"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"reverie/api"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/talk"
)

type examined struct {
	Healthy  bool
	Findings []struct {
		Code, Means, Fix string
		Count            int
		Examples         []string
	}
	Unchecked []string
	Fixed     []struct {
		Code  string
		Count int
	}
}

func (e examined) counts() map[string]int {
	found := map[string]int{}
	for _, f := range e.Findings {
		found[f.Code] = f.Count
	}
	return found
}

// subject holds a separate agent whose doctor runs with a clock two hours ahead; no worker runs.
type subject struct {
	*harness
	client client.Client
	name   string
	db     *pgx.Conn
}

func newSubject(t *testing.T) *subject {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: devtest.Temporal(t).Address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	p := &subject{client: c, name: "sick-" + uuid.NewString()[:8]}
	p.harness = start(t, func(o *api.Options) {
		o.Temporal, o.DreamSchedule = c, setting.DefaultDreamSchedule()
		o.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	})
	if p.db, err = pgx.Connect(t.Context(), p.database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.db.Close(t.Context()) })
	p.agent(p.name)
	return p
}

func (p *subject) examine(fix bool) examined {
	p.t.Helper()
	r := request{method: "GET", path: "/api/v1/agents/" + p.name + "/doctor", key: p.admin}
	if fix {
		r.method, r.path = "POST", r.path+"/fix"
	}
	return as[examined](p.harness, p.want(p.do(r), 200))
}

func (p *subject) damage(sql string, args ...any) {
	p.t.Helper()
	if tag, err := p.db.Exec(p.t.Context(), sql, args...); err != nil || tag.RowsAffected() == 0 {
		p.t.Fatalf("%s: %v, %v", sql, tag, err)
	}
}

func (p *subject) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// until waits until the doctor finds exactly this: changes in Temporal become visible with a delay.
func (p *subject) until(want map[string]int) {
	p.t.Helper()
	var found map[string]int
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if found = p.examine(false).counts(); maps.Equal(found, want) {
			return
		}
	}
	p.t.Fatalf("the doctor finds %v, want %v", found, want)
}

// cures checks that the doctor finds exactly this, however often it looks, repairs it, and finds nothing afterwards.
func (p *subject) cures(want map[string]int) {
	p.t.Helper()
	for range 2 { // looking changes nothing
		p.until(want)
	}
	for _, f := range p.examine(false).Findings {
		if f.Means == "" || f.Fix == "" || f.Code != "index_orphans" && len(f.Examples) == 0 {
			p.t.Errorf("%+v does not say what it is", f)
		}
	}
	fixed := map[string]int{}
	for _, f := range p.examine(true).Fixed {
		fixed[f.Code] = f.Count
	}
	if !maps.Equal(fixed, want) {
		p.t.Errorf("put right: %v, want %v", fixed, want)
	}
	p.until(map[string]int{})
	if again := p.examine(true); !again.Healthy || len(again.Fixed) > 0 {
		p.t.Errorf("a second time: %+v", again)
	}
}

// TestDoctorPutsRight checks that every kind of damage is found, explained, repaired on request and gone afterwards.
func TestDoctorPutsRight(t *testing.T) {
	p := newSubject(t)
	ctx := t.Context()
	p.examine(true) // its schedule
	p.until(map[string]int{})
	mine := memory.Identity{
		Workspace: workspace,
		Agent:     p.name,
		Owner:     "user:7",
		Role:      memory.RoleMember,
		Author:    memory.Author{Kind: memory.AuthorUser, ID: "key"},
	}
	root := memory.Identity{
		Workspace: workspace,
		Agent:     p.name,
		Role:      memory.RoleAdmin,
		Author:    memory.Author{Kind: memory.AuthorUser, ID: "key"},
	}
	for _, text := range []string{"- one\n", "- two\n"} {
		_, err := p.store.Apply(
			ctx,
			mine,
			"",
			[]memory.Change{
				{Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "MEMORY.md"}, Op: memory.OpReplace, Content: text, Force: true},
			},
		)
		p.must(err)
		_, err = p.store.Apply(
			ctx,
			root,
			"",
			[]memory.Change{
				{Ref: memory.Ref{Scope: memory.ScopeGlobal, Path: "rules.md"}, Op: memory.OpReplace, Content: text, Force: true},
			},
		)
		p.must(err)
	}
	t.Run("index", func(t *testing.T) {
		for _, path := range []string{"MEMORY.md", "rules.md"} {
			p.damage(
				`update index_sources set version = 1 where source_uid = (select document_id from documents where path = $1 `+
					`and scope in ('PERSONAL', 'GLOBAL'))`,
				path,
			)
		}
		for _, agent := range []string{p.name, ""} {
			p.damage(
				`insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format, `+
					`embed_due, token, changed_at)
				values ($1, $2, 'memory', case when $2 = '' then 'GLOBAL' else 'TEAM' end, '', gen_random_uuid(), 1, 0, 0, '', false, 0, now())`,
				workspace,
				agent,
			)
			p.damage(
				`insert into index_progress (workspace_id, agent_id, scope, owner_key, space_id, group_no, done) values ($1, $2, `+
					`case when $2 = '' then 'GLOBAL' else 'TEAM' end, '', 1, 4711, 1)`,
				workspace,
				agent,
			)
		}
		p.cures(map[string]int{"index_superseded": 4, "index_orphans": 2})
		p.damage(
			`delete from index_fresh where group_no in (select group_no from index_sources x join documents d on d.document_id = x.source_uid ` +
				`where d.path in ('MEMORY.md', 'rules.md') and d.scope <> 'TEAM')`,
		)
		p.damage(
			`delete from index_sources where source_uid in (select document_id from documents where path in ('MEMORY.md', 'rules.md') ` +
				`and scope <> 'TEAM')`,
		)
		p.cures(map[string]int{"index_missing": 2})
	})
	t.Run("hash", func(t *testing.T) {
		p.damage(
			`update document_versions set content = '- poison' where version = 2 and document_id in (select document_id from documents ` +
				`where path in ('MEMORY.md', 'rules.md') and scope <> 'TEAM')`,
		)
		p.cures(map[string]int{"hash_mismatch": 2})
	})
	t.Run("dreams", func(t *testing.T) {
		for range 2 { // one that no workflow took up, and one whose workflow was ended from outside
			dreamer := mine
			dreamer.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "x"}
			_, err := p.store.BeginDream(
				ctx,
				dreamer,
				dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, Settings: setting.DefaultDreamSettings()},
			)
			p.must(err)
			p.cures(map[string]int{"record_abandoned": 1})
			dreamer.Author.WorkflowID = "dream/" + uuid.NewString()
			dreamer.Author.RunID = p.terminated(dreamer.Author.WorkflowID)
			_, err = p.store.BeginDream(
				ctx,
				dreamer,
				dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, Settings: setting.DefaultDreamSettings()},
			)
			p.must(err)
			p.cures(map[string]int{"record_abandoned": 1})
		}
	})
	t.Run("messages", func(t *testing.T) {
		stored, err := p.store.AppendMessages(
			ctx,
			mine,
			talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, TurnComplete: true, Messages: []memory.Message{
				{
					ID:        "1",
					Role:      memory.RoleOfUser,
					Content:   "I like tea.",
					CreatedAt: time.Now(),
				}, {ID: "2", Role: memory.RoleOfAssistant, Content: "Noted.", CreatedAt: time.Now()},
			}},
		)
		p.must(err)
		extract := mine
		extract.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "x", WorkflowID: "extract/" + uuid.NewString()}
		extract.Author.RunID = p.terminated(extract.Author.WorkflowID)
		_, err = p.store.BeginExtraction(ctx, extract, talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: 2})
		p.must(err)
		p.damage(`update conversations set pending_since = now() - interval '1 hour' where conversation_uid = $1`, stored.ConversationUID)
		p.cures(map[string]int{"record_abandoned": 1, "messages_stuck": 1})
		// A flush that was ended from outside waits for the next request.
		flush := "flush/" + uuid.NewString()
		p.damage(
			`insert into flushes (workspace_id, agent_id, flush_id, owner_key, conversation_id, conversation_uid, from_seq, to_seq, done_seq, `+
				`outcome, workflow_id, run_id, opened_at)
			select workspace_id, agent_id, gen_random_uuid(), owner_key, conversation_id, conversation_uid, 1, 2, 0, 'running', $2, $3, now()
			from conversations where conversation_uid = $1`,
			stored.ConversationUID,
			flush,
			p.terminated(flush),
		)
		p.cures(map[string]int{"record_abandoned": 1})
		var outcome memory.Outcome
		p.must(p.db.QueryRow(ctx, "select outcome from flushes where workflow_id = $1 and done_seq = 0", flush).Scan(&outcome))
		if outcome != memory.OutcomeWaiting {
			t.Errorf("the flush is %s", outcome)
		}
	})
	t.Run("staged", func(t *testing.T) {
		stage := func(name string) {
			p.damage(
				`insert into memory_writes (workspace_id, agent_id, write_id, request_id, request_hash, key_id, owner_key, scope, path, strategy, `+
					`content, reason, outcome, staged_at, due_at)
				select workspace_id, $1, gen_random_uuid(), $2, sha256(''), key_id, '', 'TEAM', 'memory/a.md', 'append', 'x', '', 'staged', now(), `+
					`now() from api_keys limit 1`,
				p.name,
				name,
			)
			p.damage(
				`insert into imports (workspace_id, agent_id, import_id, owner_key, format, on_conflict, extract, state, writes, author_id, `+
					`created_at, started_at)
				values ($1, $2, gen_random_uuid(), 'user:7', 'mem0', 'merge', false, 'running', 'team', 'key', now(), now())`,
				workspace,
				p.name,
			)
			archive := sha256.Sum256([]byte(name))
			p.damage(
				`insert into snapshot_imports (workspace_id, agent_id, import_id, owner_key, archive_sha256, archive_bytes, choice, token, pinned, `+
					`author_id, outcome, requested_at)
				values ($1, $2, gen_random_uuid(), 'user:7', $3, 1, 'all', '', false, 'key', 'running', now())`,
				workspace,
				p.name,
				archive[:],
			)
		}
		stage("without")
		p.cures(map[string]int{"write_stuck": 1, "import_stuck": 1, "snapshot_stuck": 1})
		// Workflows ended from outside right after their start are found again.
		for _, id := range p.running() {
			p.must(p.client.TerminateWorkflow(ctx, id, "", "for a test"))
		}
		p.cures(map[string]int{"write_stuck": 1, "import_stuck": 1, "snapshot_stuck": 1, "messages_stuck": 1, "record_abandoned": 1})
		p.damage(
			`insert into imports (workspace_id, agent_id, import_id, owner_key, format, on_conflict, extract, state, writes, author_id, `+
				`created_at, started_at, finished_at)
			values ($1, $2, gen_random_uuid(), 'user:7', 'zep', 'merge', false, 'cancelled', 'team', 'key', now(), now(), now())`,
			workspace,
			p.name,
		)
		p.damage(
			`insert into import_items (workspace_id, agent_id, import_id, owner_key, item_key, kind, whose, happened_at, target, payload)
			select workspace_id, agent_id, import_id, owner_key, 'k', 0, 'user:7', now(), 'a.md', 'x'::bytea from imports where format = 'zep'`,
		)
		p.cures(map[string]int{"import_stuck": 1})
	})
	t.Run("schedule", func(t *testing.T) {
		for _, patch := range []admin.AgentPatch{
			{Settings: &setting.AgentSettings{DreamCron: "30 4 * * 1-5"}},
			{TimeZone: new("Asia/Tokyo")},
			{Settings: &setting.AgentSettings{DreamingEnabled: new(false)}},
			{Settings: &setting.AgentSettings{}},
		} {
			_, err := p.store.UpdateAgent(ctx, root, patch) // bypasses the API, which would notify Temporal
			p.must(err)
			p.cures(map[string]int{"schedule_differs": 1})
		}
	})
	t.Run("candidates", func(t *testing.T) {
		p.damage(`insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, text, first_seen, last_seen, changed_at)
			values ($1, $2, 'user:7', 'e1', 'open', 'Likes tea. <!-- memory/2026-01-28.md:4 score 0.81 -->', now(), now(), now())`, workspace,
			p.name)
		p.cures(map[string]int{"candidate_contaminated": 1})
	})
	// A note with dream output in it needs a person: fix leaves it and reports it.
	_, err := p.store.Apply(ctx, mine, "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: "memory/2026-11-21.md"}, Op: memory.OpReplace,
		Content: "# 2026-11-21\n\n- Likes tea. <!-- memory/2026-01-28.md:4 score 0.81 -->\n",
	}})
	p.must(err)
	for range 2 {
		if left := p.examine(true); left.Healthy || len(left.Fixed) > 0 || len(left.Findings) != 1 ||
			left.Findings[0].Code != "note_contaminated" ||
			left.Findings[0].Fix != "" {
			t.Errorf("a note with a dream's text: %+v", left)
		}
	}
}

// terminated starts a workflow and ends it from outside; it returns its run.
func (p *subject) terminated(id string) (run string) {
	p.t.Helper()
	started, err := p.client.ExecuteWorkflow(p.t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "nobody"}, "Nothing")
	p.must(err)
	p.must(p.client.TerminateWorkflow(p.t.Context(), id, "", "for a test"))
	return started.GetRunID()
}

// running returns the workflows of the agent that the doctor has started.
func (p *subject) running() (ids []string) {
	p.t.Helper()
	var write, snapshot, move, owner string
	p.must(p.db.QueryRow(p.t.Context(), `
select (select 'write-memory/' || workspace_id || '.' || agent_id || '/' || request_id || '/' || write_id from memory_writes),
    (select 'import/' || workspace_id || '.' || agent_id || '/' || encode(archive_sha256, 'hex') || '/' || import_id from snapshot_imports),
    (select 'import-from/' || workspace_id || '.' || agent_id || '/' || import_id from imports),
    (select 'inbox/' || workspace_id || '.' || agent_id || '/' || owner_id from owners where owner_key = 'user:7')`).Scan(&write,
		&snapshot, &move, &owner))
	return []string{write, snapshot, move, owner}
}

// TestDoctorWithoutTemporal: what cannot be looked at is said, and only admins examine.
func TestDoctorWithoutTemporal(t *testing.T) {
	h := start(t)
	h.agent("ada")
	found := as[examined](h, h.want(h.get("/api/v1/agents/ada/doctor"), 200))
	if found.Healthy || len(found.Findings) > 0 || len(found.Unchecked) != 2 {
		t.Errorf("%+v", found)
	}
	pinned := h.key("pinned", memory.RoleMember, "api:42")
	for method, path := range map[string]string{"GET": "/api/v1/agents/ada/doctor", "POST": "/api/v1/agents/ada/doctor/fix"} {
		h.wantError(h.do(request{method: method, path: path, key: pinned}), 403, "forbidden")
	}
	h.wantError(h.get("/api/v1/agents/nobody/doctor"), 404, "not_found")
}
