package store

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/devenv/devtest"
	"reverie/language/analysis"
	"reverie/memory"
	"reverie/search"
	"reverie/store/admin"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/talk"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	url := devtest.Database(t, migrated)
	s := must[*Store](t)(Open(t.Context(), url, pg.Options{}))
	t.Cleanup(s.Close)
	makeAgent(t, s, "acme", "ada")
	root := must[*pgx.Conn](t)(pgx.Connect(t.Context(), url))
	t.Cleanup(func() { _ = root.Close(t.Context()) })
	damage := func(sql string) {
		t.Helper()
		if tag, err := root.Exec(t.Context(), sql); err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %v, %v", sql, tag, err)
		}
	}
	doctor := adminOf("acme").For("ada", "")
	doctor.AnyOwner = true
	soon := time.Now().Add(time.Hour)
	examine := func() admin.Examination {
		t.Helper()
		return must[admin.Examination](t)(s.Examine(t.Context(), doctor, soon))
	}

	// A life: versions, deletions, conversations, an extraction, statements.
	id := member("user:7")
	write(t, s, id, replace(personal("MEMORY.md"), 0, "- likes tea\n"))
	write(t, s, id, replace(personal("MEMORY.md"), 1, "- likes tea\n- and cake\n"))
	write(t, s, id, replace(team("memory/gone.md"), 0, "gone\n"))
	write(t, s, id, memory.Change{Ref: team("memory/gone.md"), Op: memory.OpDelete})
	write(t, s, id, replace(team("memory/lost.md"), 0, "lost\n"))
	write(t, s, id, replace(personal("memory/2026-11-20.md"), 0, "# 2026-11-20\n\n- The port is 5434\n"))
	run := workflow("user:7", "r")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), run, turn("c", "a", 4)))
	next, _, err := s.NextRange(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	x := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), run, next.Range))
	if e := examine(); len(e.Missing)+len(e.Superseded)+e.Orphans+len(e.Broken)+len(e.Fed)+len(e.FedNotes) != 0 || len(e.Waiting) != 1 ||
		len(e.Open) != 1 || e.Open[0].ID != x.ID || !e.Open[0].Pending {
		t.Fatalf("an agent after a busy life: %+v", e)
	}

	damage(`delete from index_sources where source_uid = (select document_id from documents where path = 'memory/lost.md')`)
	damage(
		`update index_sources set version = 1 where source_uid = (select document_id from documents where path = 'MEMORY.md' ` +
			`and scope = 'PERSONAL')`,
	)
	damage(
		`insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format, ` +
			`embed_due, token, changed_at)
		values ('acme', 'ada', 'memory', 'TEAM', '', gen_random_uuid(), 1, 0, 0, '', false, 0, now())`)
	damage(
		`insert into index_progress (workspace_id, agent_id, scope, owner_key, space_id, group_no, done) ` +
			`values ('acme', 'ada', 'TEAM', '', 1, 4711, 1)`,
	)
	damage(
		`update document_versions set content = '- likes poison' where version = 2 and document_id = (select document_id from documents ` +
			`where path = 'MEMORY.md' and scope = 'PERSONAL')`,
	)
	damage(`insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, text, first_seen, last_seen, changed_at)
		values ('acme', 'ada', 'user:7', 'e1', 'open', 'Likes tea. <!-- memory/2026-01-28.md:4 score 0.81 -->', now(), now(), now())`)
	write(
		t, s, id, replace(personal("memory/2026-11-21.md"), 0, "# 2026-11-21\n\n- Likes tea. <!-- memory/2026-01-28.md:4 score 0.81 -->\n"),
	)

	e := examine()
	switch {
	case len(e.Missing) != 1 || e.Missing[0].Path != "memory/lost.md":
		t.Errorf("missing: %+v", e.Missing)
	case len(e.Superseded) != 2:
		t.Errorf("superseded: %+v", e.Superseded)
	case e.Orphans < 2: // the unit of the lost document, and the progress of nothing
		t.Errorf("%d orphans", e.Orphans)
	case len(e.Broken) != 1 || e.Broken[0].Version != 2 || e.Broken[0].Proven != 1 || e.Broken[0].Owner != "user:7":
		t.Errorf("broken: %+v", e.Broken)
	case len(e.Fed) != 1 || e.Fed[0].Entry != "e1":
		t.Errorf("fed: %+v", e.Fed)
	case len(e.FedNotes) != 1 || e.FedNotes[0].Path != "memory/2026-11-21.md":
		t.Errorf("notes: %+v", e.FedNotes)
	}

	for _, source := range append(e.Missing, e.Superseded...) {
		if err := s.MendIndex(t.Context(), doctor, source); err != nil {
			t.Fatal(err)
		}
	}
	if dropped := must[int](t)(s.DropOrphans(t.Context(), doctor)); dropped == 0 {
		t.Error("no orphan was dropped")
	}
	own := root7(doctor)
	write(t, s, own, memory.Change{Ref: personal("MEMORY.md"), Op: memory.OpRestore, Restore: e.Broken[0].Proven})
	for range 2 {
		if err := s.RejectFed(t.Context(), own, "e1"); err != nil {
			t.Fatal(err)
		}
		if err := s.EndAbandoned(t.Context(), own, e.Open[0]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.NoteFixed(t.Context(), doctor, "index_missing", 1); err != nil {
		t.Fatal(err)
	}
	if kinds := query[string](t, s, doctor, `select detail ->> 'code' from journal where kind = 'memory.doctor.fixed'`); len(kinds) != 1 ||
		kinds[0] != "index_missing" {
		t.Errorf("the journal tells %q", kinds)
	}
	if e = examine(); len(e.Missing)+len(e.Superseded)+e.Orphans+len(e.Broken)+len(e.Fed)+len(e.Open) != 0 {
		t.Errorf("afterwards: %+v", e)
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))); d.Content != "- likes tea\n" || d.Version != 3 {
		t.Errorf("MEMORY.md is version %d, %q", d.Version, d.Content)
	}
	if found := must[indexes.Collected](t)(
		s.Collect(t.Context(), id, []search.Corpus{search.Memory}, analysis.NewQuery("lost", time.Now())),
	).Collections; len(found) != 1 || len(found[0].Units) == 0 {
		t.Errorf("the lost document is not found: %+v", found)
	}

	for name, other := range map[string]memory.Identity{"a member": id, "an admin of one owner": own} {
		if _, err := s.Examine(t.Context(), other, soon); !is(pg.ErrForbidden)(err) {
			t.Errorf("%s examines: %v", name, err)
		}
	}
}

// root7 returns an admin about one owner.
func root7(id memory.Identity) memory.Identity {
	id = id.For(id.Agent, "user:7")
	id.AnyOwner = false
	return id
}
