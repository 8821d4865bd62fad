package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/deletion"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/pg"
	"reverie/store/talk"
)

// deleter is the identity of the steps of deletions.
func deleter(workspace, agent string) memory.Identity {
	return memory.Identity{Workspace: workspace, Agent: agent, AnyOwner: true, Role: memory.RoleAdmin}
}

// person returns a person with a key of their own.
func person(owner memory.Owner) memory.Identity {
	id := member(owner)
	id.Pinned = true
	return id
}

// deleteWhole requests and carries out a deletion.
func deleteWhole(t *testing.T, s *Store, id memory.Identity, of deletion.Target) deletion.Deletion {
	t.Helper()
	d := must[deletion.Deletion](t)(s.RequestDeletion(t.Context(), id, of))
	run := deleter(id.Workspace, id.Agent)
	if d = must[deletion.Deletion](t)(s.StartDeletion(t.Context(), run, d.ID)); d.State != deletion.Started {
		t.Fatalf("%+v", d)
	}
	for n := int64(1); n > 0; {
		n = must[int64](t)(s.DeleteRows(t.Context(), run, d.ID))
	}
	d, left, err := s.EndDeletion(t.Context(), run, d.ID, 1)
	if err != nil || len(left) > 0 || d.State != deletion.Done || d.Tables == 0 {
		t.Fatalf("left %v, %v: %+v", left, err, d)
	}
	return d
}

// In every table that has rows of tenants, a phrase is planted in the rows of a target. Once it is deleted, no row of it is left
// and no other row has changed.
func TestDeleteEverywhere(t *testing.T) {
	t.Parallel()
	for _, kind := range []deletion.Kind{deletion.Conversation, deletion.Owner, deletion.Agent} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := makeWorld(t)
			of := w.places[0]
			id := adminOf(of.workspace).For(of.agent, memory.Owner(of.owner))
			must[facts.Listed](t)(w.ByTrust(t.Context(), member(id.Owner), facts.Query{}))
			if _, err := w.root.Exec(t.Context(), "update agents set settings = settings - 'leader'"); err != nil { // who leads is not deleted
				t.Fatal(err)
			}
			rows := w.targetRows(t, of, kind)
			planted := w.plantIn(t, rows)
			others := w.otherRows(t, rows)
			target := deletion.Target{Kind: kind, Conversation: of.conversation, Keeps: true}
			shown := must[deletion.Deletion](t)(w.PreviewDeletion(t.Context(), id, target))
			if len(shown.Counts) < len(planted) {
				t.Errorf("planted in %v, the preview counts %v", planted, shown.Counts)
			}
			d := deleteWhole(t, w.Store, id, target)
			for table, n := range shown.Counts {
				if d.Counts[table] < n && table != "deletions" {
					t.Errorf("%s: %d rows were shown, %d deleted", table, n, d.Counts[table])
				}
			}
			for table, condition := range rows {
				var n int
				if err := w.root.QueryRow(t.Context(), "select count(*) from "+table+" where "+condition).Scan(&n); err != nil {
					t.Fatalf("%s: %v", table, err)
				}
				if n > 0 {
					t.Errorf("%d rows are left in %s", n, table)
				}
			}
			if text := w.dump(t); strings.Contains(text, secret) {
				at := strings.Index(text, secret)
				t.Errorf("the dump: … %s …", text[max(0, at-500):min(len(text), at+100)])
			}
			after := w.otherRows(t, rows)
			for table, digest := range others {
				if after[table] != digest && !slices.Contains([]string{"model_usage", "deletions", "index_graves", "audit_log"}, table) {
					t.Errorf("other rows of %s have changed", table)
				}
			}
			t.Logf("%d tables: %v", d.Tables, d.Counts)
		})
	}
}

// targetRows returns the condition of a target's rows in every table of tenants, by its columns alone.
func (w *world) targetRows(t *testing.T, of place, kind deletion.Kind) map[string]string {
	t.Helper()
	rows := map[string]string{}
	var group int64
	if err := w.root.QueryRow(t.Context(), "select group_no from index_sources where source_uid = $1", of.uid).Scan(&group); err != nil {
		t.Fatal(err)
	}
	here := fmt.Sprintf("workspace_id = '%s' and agent_id = '%s'", of.workspace, of.agent)
	for _, table := range tenantTables {
		has := func(column string) bool { return slices.Contains(table.columns, column) }
		switch {
		case !has("agent_id") || table.name == "deletions":
		case kind == deletion.Agent && table.name == "audit_log":
			rows[table.name] = here + " and owner_key <> '' and owner_key <> 'deleted'"
		case kind == deletion.Agent:
			rows[table.name] = here
		case !has("owner_key"):
		case kind == deletion.Owner:
			rows[table.name] = here + fmt.Sprintf(" and owner_key = '%s'", of.owner)
		case slices.Contains([]string{"conversations", "messages", "extractions", "flushes", "flush_steps", "compactions", "approvals"}, table.name):
			rows[table.name] = here + fmt.Sprintf(" and conversation_uid = '%s'", of.uid)
		case slices.Contains([]string{"index_sources", "recalls"}, table.name):
			rows[table.name] = here + fmt.Sprintf(" and source_uid = '%s'", of.uid)
		case slices.Contains([]string{"index_fresh", "index_progress", "index_vectors", "index_vectors_large"}, table.name):
			rows[table.name] = here + fmt.Sprintf(" and group_no = %d", group)
		case table.name == "journal":
			rows[table.name] = here + fmt.Sprintf(" and owner_key = '%s' and detail ->> 'conversation' = '%s'", of.owner, of.conversation)
		}
	}
	return rows
}

// plantIn writes the secret into every column of some rows that may have words, and returns the tables.
func (w *world) plantIn(t *testing.T, of map[string]string) (planted []string) {
	t.Helper()
	rows := must[pgx.Rows](t)(w.root.Query(t.Context(), plantedColumns))
	type place struct{ table, column, kind string }
	var places []place
	var p place
	var erasable bool
	if _, err := pgx.ForEachRow(rows, []any{&p.table, &p.column, &p.kind, &erasable}, func() error {
		if (erasable || p.table == "facts" && p.column == "text") && p.column != "sha256" {
			places = append(places, p)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		condition, concerned := of[p.table]
		if !concerned {
			continue
		}
		if p.table == "import_items" {
			condition += " and payload is not null"
		}
		value := map[string]string{
			"text": p.column + " || ' ' || @text", "text[]": p.column + " || array[@text]", "bytea": "convert_to(@text, 'UTF8')",
			"jsonb": "jsonb_build_object('deep', jsonb_build_array(1, @text::text))",
		}[p.kind]
		if p.table == "dream_candidates" || p.table == "journal" {
			value = p.column + " || jsonb_build_object('deep', @text::text)"
		}
		tag, err := w.root.Exec(t.Context(), fmt.Sprintf("update %s set %s = %s where %s", p.table, p.column, value, condition),
			pgx.NamedArgs{"text": secret})
		if err != nil {
			t.Fatalf("%s.%s: %v", p.table, p.column, err)
		}
		if tag.RowsAffected() > 0 && !slices.Contains(planted, p.table) {
			planted = append(planted, p.table)
		}
	}
	return planted
}

// otherRows returns a digest of the rows of every table that are not of a target.
func (w *world) otherRows(t *testing.T, rows map[string]string) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for _, table := range tenantTables {
		condition := "true"
		if of, concerned := rows[table.name]; concerned {
			condition = "(" + of + ") is not true"
		}
		var digest string
		if err := w.root.QueryRow(t.Context(), "select coalesce(md5(string_agg(r::text, '' order by r::text)), '') from "+table.name+" r where "+
			condition).Scan(&digest); err != nil {
			t.Fatalf("%s: %v", table.name, err)
		}
		digests[table.name] = digest
	}
	return digests
}

// From its start a deletion refuses every write about its target, and those of workflows that were started before it also afterwards. A person
// who comes back starts over.
func TestNothingIsWrittenIntoADeletion(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	id := member("user:7")
	say := func() error { _, err := s.AppendMessages(ctx, id, turn("c", uuid.NewString(), 2)); return err }
	note := func(id memory.Identity) error {
		_, err := s.Apply(ctx, id, "", []memory.Change{{Ref: personal("a.md"), Op: memory.OpAppend, Content: "- x\n"}})
		return err
	}
	if err := say(); err != nil {
		t.Fatal(err)
	}
	beingDeleted := func(err error) bool {
		conflict, is := asConflict(err)
		return is && conflict.Code == pg.CodeBeingDeleted
	}
	ownerID := must[uuid.UUID](t)(s.OwnerID(ctx, id))
	step := workflow("user:7", "r")
	step.OwnerID = ownerID
	if err := note(step); err != nil {
		t.Fatal(err)
	}
	run := deleter("acme", "ada")

	d := must[deletion.Deletion](t)(s.RequestDeletion(ctx, person("user:7"), deletion.Target{Kind: deletion.Conversation, Conversation: "c"}))
	must[deletion.Deletion](t)(s.StartDeletion(ctx, run, d.ID))
	if err := say(); !beingDeleted(err) {
		t.Errorf("into a conversation: %v", err)
	}
	if _, err := s.AppendMessages(ctx, id, turn("other", "x", 2)); err != nil {
		t.Errorf("into another one: %v", err)
	}
	for must[int64](t)(s.DeleteRows(ctx, run, d.ID)) > 0 {
	}
	if err := say(); !beingDeleted(err) {
		t.Errorf("again into a conversation: %v", err)
	}
	if _, _, err := s.EndDeletion(ctx, run, d.ID, 1); err != nil {
		t.Fatal(err)
	}
	if err := say(); err != nil {
		t.Errorf("a new one with its id: %v", err)
	}

	d = must[deletion.Deletion](t)(s.RequestDeletion(ctx, person("user:7"), deletion.Target{Kind: deletion.Owner}))
	must[deletion.Deletion](t)(s.StartDeletion(ctx, run, d.ID))
	for name, err := range map[string]error{"say": say(), "note": note(id), "step": note(step)} {
		if !beingDeleted(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := note(member("user:8")); err != nil {
		t.Errorf("another owner: %v", err)
	}
	for must[int64](t)(s.DeleteRows(ctx, run, d.ID)) > 0 {
	}
	if _, _, err := s.EndDeletion(ctx, run, d.ID, 1); err != nil {
		t.Fatal(err)
	}
	if err := note(step); !beingDeleted(err) {
		t.Errorf("a late step: %v", err)
	}
	if err := note(id); err != nil {
		t.Errorf("who comes back: %v", err)
	}
	if err := note(step); !beingDeleted(err) {
		t.Errorf("a late step, of who came back: %v", err)
	}
	if seen := must[deletion.Deletion](t)(s.Deletion(ctx, person("user:7"), d.ID)); seen.State != deletion.Done || strings.Contains(string(seen.Owner), "user:7") {
		t.Errorf("the receipt of the person: %+v", seen)
	}
	if _, err := s.Deletion(ctx, person("user:8"), d.ID); !is(pg.ErrNotFound)(err) {
		t.Errorf("the receipt of another person: %v", err)
	}

	admins := adminOf("acme").For("ada", memory.NoOwner)
	d = must[deletion.Deletion](t)(s.RequestDeletion(ctx, admins, deletion.Target{Kind: deletion.Agent}))
	must[deletion.Deletion](t)(s.StartDeletion(ctx, run, d.ID))
	for name, err := range map[string]error{"say": say(), "note": note(id), "team": second(s.Apply(ctx, id, "", []memory.Change{
		{Ref: team("a.md"), Op: memory.OpAppend, Content: "- x\n"},
	}))} {
		if !beingDeleted(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for must[int64](t)(s.DeleteRows(ctx, run, d.ID)) > 0 {
	}
	if _, _, err := s.EndDeletion(ctx, run, d.ID, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(ctx, adminOf("acme"), admin.NewAgent{ID: "ada"}); err != nil {
		t.Errorf("an agent with its id: %v", err)
	}
	if err := note(member("user:9")); err != nil {
		t.Errorf("of the new agent: %v", err)
	}
}

// A write that has begun before a deletion starts is waited for, and one that begins later is refused: no row survives a race.
func TestDeletionsRaceWrites(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	for round := range 10 {
		owner := memory.Owner(fmt.Sprintf("user:%d", round))
		id := member(owner)
		must[talk.Stored](t)(s.AppendMessages(ctx, id, turn("c", "first", 2)))
		d := must[deletion.Deletion](t)(s.RequestDeletion(ctx, person(owner), deletion.Target{Kind: deletion.Owner}))
		ended := make(chan error, 4)
		for writer := range cap(ended) {
			go func() {
				for n := 0; ; n++ {
					_, err := s.AppendMessages(ctx, id, turn(fmt.Sprint("c", writer), fmt.Sprint(n), 2))
					if err == nil {
						_, err = s.Apply(ctx, id, "", []memory.Change{{Ref: personal("a.md"), Op: memory.OpAppend, Content: fmt.Sprintf("- %d of %d\n", n, writer)}})
					}
					if err != nil {
						ended <- err
						return
					}
				}
			}()
		}
		run := deleter("acme", "ada")
		must[deletion.Deletion](t)(s.StartDeletion(ctx, run, d.ID))
		for range cap(ended) {
			if conflict, is := asConflict(<-ended); !is || conflict.Code != pg.CodeBeingDeleted {
				t.Fatalf("a writer: %v", conflict)
			}
		}
		for must[int64](t)(s.DeleteRows(ctx, run, d.ID)) > 0 {
		}
		if d, left, err := s.EndDeletion(ctx, run, d.ID, 1); err != nil || d.State != deletion.Done {
			t.Fatalf("%v, %v", left, err)
		}
	}
}

func asConflict(err error) (*pg.ConflictError, bool) {
	conflict, is := err.(*pg.ConflictError) //nolint:errorlint // returned as it is
	return conflict, is
}

// Who may delete what.
func TestWhoMayDelete(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	for _, owner := range []memory.Owner{"user:7", "user:8"} {
		must[talk.Stored](t)(s.AppendMessages(ctx, member(owner), turn("c", "m", 2)))
	}
	limited := adminOf("acme").For("ada", "user:7")
	limited.Agents = []string{"ada"}
	pinnedAdmin := limited
	pinnedAdmin.Pinned = true
	everyone := adminOf("acme").For("ada", memory.NoOwner)
	everyone.AnyOwner = true
	viewer := person("user:7")
	viewer.Role = memory.RoleViewer
	for name, c := range map[string]struct {
		id      memory.Identity
		allowed []deletion.Kind
	}{
		"person":       {person("user:7"), []deletion.Kind{deletion.Conversation, deletion.Owner}},
		"pinned admin": {pinnedAdmin, []deletion.Kind{deletion.Conversation, deletion.Owner}},
		"viewer":       {viewer, nil},
		"member":       {member("user:7"), nil},
		"admin":        {adminOf("acme").For("ada", "user:7"), []deletion.Kind{deletion.Conversation, deletion.Owner, deletion.Agent}},
		"limited":      {limited, []deletion.Kind{deletion.Conversation, deletion.Owner, deletion.Agent}},
	} {
		for _, kind := range []deletion.Kind{deletion.Conversation, deletion.Owner, deletion.Agent} {
			target := deletion.Target{Kind: kind, Conversation: "c", Grace: time.Hour}
			_, err := s.PreviewDeletion(ctx, c.id, target)
			if allowed := slices.Contains(c.allowed, kind); allowed != (err == nil) || !allowed && !is(pg.ErrForbidden)(err) {
				t.Errorf("%s previews the deletion of a %s: %v", name, kind, err)
			}
			d, err := s.RequestDeletion(ctx, c.id, target)
			if allowed := slices.Contains(c.allowed, kind); allowed != (err == nil) || !allowed && !is(pg.ErrForbidden)(err) {
				t.Errorf("%s deletes a %s: %v", name, kind, err)
			}
			if err == nil {
				again := must[deletion.Deletion](t)(s.RequestDeletion(ctx, c.id, target))
				if again.ID != d.ID {
					t.Errorf("%s deletes a %s twice", name, kind)
				}
				if _, err := s.CancelDeletion(ctx, person("user:8"), d.ID); !is(pg.ErrNotFound)(err) {
					t.Errorf("another person cancels: %v", err)
				}
				if _, err := s.CancelDeletion(ctx, member("user:7"), d.ID); err == nil {
					t.Error("a member cancels")
				}
				if _, err := s.CancelDeletion(ctx, person("user:7"), d.ID); (err == nil) != d.ByOwner {
					t.Errorf("the person cancels what %s requested: %v", name, err)
				}
				if got := must[deletion.Deletion](t)(s.CancelDeletion(ctx, everyone, d.ID)); got.State != deletion.Cancelled {
					t.Errorf("%+v", got)
				}
			}
		}
	}
	if _, err := s.RequestDeletion(ctx, person("user:8"), deletion.Target{Kind: deletion.Conversation, Conversation: "d"}); !is(pg.ErrNotFound)(err) {
		t.Errorf("no such conversation: %v", err)
	}
	if _, err := s.RequestDeletion(ctx, person("user:9"), deletion.Target{Kind: deletion.Owner}); !is(pg.ErrNotFound)(err) {
		t.Errorf("no such owner: %v", err)
	}
}

// What is requested with a key that is revoked before the deletion starts is not done.
func TestARevokedKeyDeletesNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	must[talk.Stored](t)(s.AppendMessages(ctx, member("user:7"), turn("c", "m", 2)))
	_, key, err := s.CreateKey(ctx, adminOf("acme"), admin.NewKey{Name: "k", Role: memory.RoleMember, Owner: "user:7"})
	if err != nil {
		t.Fatal(err)
	}
	d := must[deletion.Deletion](t)(s.RequestDeletion(ctx, key.Identity().For("ada", "user:7"), deletion.Target{Kind: deletion.Owner}))
	if err := s.RevokeKey(ctx, adminOf("acme"), key.ID); err != nil {
		t.Fatal(err)
	}
	if d = must[deletion.Deletion](t)(s.StartDeletion(ctx, deleter("acme", "ada"), d.ID)); d.State != deletion.Cancelled {
		t.Errorf("%+v", d)
	}
	if _, err := s.DeleteRows(ctx, deleter("acme", "ada"), d.ID); !is(pg.ErrForbidden)(err) {
		t.Errorf("rows of a cancelled deletion: %v", err)
	}
}

// Every table of tenants has the policies with which deletions read and delete its rows.
func TestEveryTableCanBeDeletedFrom(t *testing.T) {
	t.Parallel()
	w := makeWorld(t)
	policies := map[string][]string{}
	rows := must[pgx.Rows](t)(w.root.Query(t.Context(), "select tablename::text, array_agg(policyname::text) from pg_policies group by 1"))
	var table string
	var names []string
	if _, err := pgx.ForEachRow(rows, []any{&table, &names}, func() error {
		policies[table] = slices.Clone(names)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, table := range tenantTables {
		if !slices.Contains(table.columns, "agent_id") {
			continue
		}
		for _, name := range []string{"deletion_rows", "deletion_removes"} {
			if !slices.Contains(policies[table.name], name) {
				t.Errorf("table %s has no policy %s: a later migration creates it (0026_deletion.sql); it has %v", table.name, name, slices.Sorted(maps.Keys(policies)))
			}
		}
	}
}

// What was learned from a deleted conversation only goes with it, from every version too; what a person wrote, what another document has from
// elsewhere and what was said in another conversation stays.
func TestRevokeLearned(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	id := member("user:7")
	must[talk.Stored](t)(s.AppendMessages(ctx, id, turn("c1", "a", 2)))
	other := turn("c2", "b", 2)
	other.Messages[0].Content = "By the way, I keep bees in Bern."
	must[talk.Stored](t)(s.AppendMessages(ctx, id, other))
	learn := func(path, conversation, content string) {
		t.Helper()
		write(t, s, workflow("user:7", "r"), memory.Change{
			Ref: personal(path), Op: memory.OpAppend, Content: content, Sources: memory.Sources{Conversation: conversation, From: 1, To: 2},
		})
	}
	write(t, s, id, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Force: true, Content: "# Memory\n\n- Has a dog named Rex.\n"})
	learn("memory/2026-11-20.md", "c1", "## 10:00 Talk\n\n- Drives a "+secret+" car.\n- Keeps bees in Bern.\n- Has a dog named Rex.\n- Likes the opera in Vienna.\n")
	learn("memory/2026-11-21.md", "c2", "- Likes the opera in Vienna.\n")
	dreamt := workflow("user:7", "d")
	dreamt.Author.Kind = memory.AuthorDream
	write(t, s, dreamt, memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- Drives a " + secret + " car. <!-- memory/2026-11-20.md:3 score 0.80 -->\n",
	})
	d := must[deletion.Deletion](t)(s.RequestDeletion(ctx, person("user:7"), deletion.Target{Kind: deletion.Conversation, Conversation: "c1"}))
	run := deleter("acme", "ada")
	must[deletion.Deletion](t)(s.StartDeletion(ctx, run, d.ID))
	own := run.For("ada", "user:7")
	own.Author = memory.Author{Kind: memory.AuthorUser, ID: d.Author}
	of := dreams.RevokeRequest{Deletion: d.ID, Origin: dreams.Origin{Conversations: map[string]bool{"c1": true}}}
	for _, want := range []int{1, 0} { // with what the dream has made of it; a repetition finds nothing
		if n := must[dreams.Revoked](t)(s.Revoke(ctx, own, of)).Statements; n != want {
			t.Errorf("%d statements, want %d", n, want)
		}
	}
	if got := contentOf(t, s, id, "memory/2026-11-20.md"); got != "## 10:00 Talk\n\n- Keeps bees in Bern.\n- Has a dog named Rex.\n- Likes the opera in Vienna.\n" {
		t.Errorf("%q", got)
	}
	if got := contentOf(t, s, id, memory.MemoryPath); strings.TrimSpace(got) != "# Memory\n\n- Has a dog named Rex." {
		t.Errorf("%q", got)
	}
	for must[int64](t)(s.DeleteRows(ctx, run, d.ID)) > 0 {
	}
	if d, left, err := s.EndDeletion(ctx, run, d.ID, 1); err != nil || d.State != deletion.Done || d.Revoked != 1 {
		t.Errorf("%v, %v: %+v", left, err, d)
	}
	for _, content := range query[string](t, s, id, "select content from document_versions where owner_key = 'user:7'") {
		if strings.Contains(content, secret) {
			t.Errorf("a version: %q", content)
		}
	}
	// It may be learned again.
	learn("memory/2026-11-22.md", "c2", "- Drives a "+secret+" car.\n")
	if got := contentOf(t, s, id, "memory/2026-11-22.md"); !strings.Contains(got, secret) {
		t.Errorf("%q", got)
	}
}

// An agent that leads others is not deleted.
func TestALeaderIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	member := setting.AgentSettings{Leader: "ada"}
	if _, err := s.CreateAgent(t.Context(), adminOf("acme"), admin.NewAgent{ID: "bob", Settings: member}); err != nil {
		t.Fatal(err)
	}
	_, err := s.RequestDeletion(t.Context(), adminOf("acme").For("ada", memory.NoOwner), deletion.Target{Kind: deletion.Agent})
	if conflict, is := asConflict(err); !is || conflict.Code != pg.CodeLeads {
		t.Errorf("%v", err)
	}
}

// Anyone who asks for the progress of a deletion does not hold it up: each request leaves an entry in the audit log.
func TestADeletionEndsWhileSomebodyAsks(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx, run := t.Context(), deleter("acme", "ada")
	d := must[deletion.Deletion](t)(s.RequestDeletion(ctx, adminOf("acme").For("ada", memory.NoOwner), deletion.Target{Kind: deletion.Agent}))
	must[deletion.Deletion](t)(s.StartDeletion(ctx, run, d.ID))
	for must[int64](t)(s.DeleteRows(ctx, run, d.ID)) > 0 {
	}
	asked := admin.AuditEntry{At: testClock, Role: memory.RoleAdmin, Operation: "getDeletion", Agent: "ada", Status: 200}
	for range 20 { // however often the rows are deleted before, another entry comes
		if err := s.RecordAudit(ctx, "acme", []admin.AuditEntry{asked}); err != nil {
			t.Fatal(err)
		}
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	began := make(chan struct{})
	go func() {
		for n := 0; asking.Err() == nil; n++ {
			if n == 1 {
				close(began)
			}
			if err := s.RecordAudit(asking, "acme", []admin.AuditEntry{asked}); err != nil && asking.Err() == nil {
				t.Error(err)
			}
		}
	}()
	<-began
	if d, left, err := s.EndDeletion(ctx, run, d.ID, 1); err != nil || d.State != deletion.Done {
		t.Fatalf("%v: %v left", err, left)
	}
}
