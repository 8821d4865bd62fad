package store

import (
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/search"
)

func init() { maps.Copy(calls, doctorCalls) }

// strayIndex puts an entry of the index that belongs to nothing under every owner of the world, and returns how to take them away.
func (w *world) strayIndex(t *rapid.T) (stray map[uuid.UUID]tag, clean func()) {
	rows, err := w.root.Query(t.Context(), `
insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format, embed_due, token, changed_at)
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
	if _, err := pgx.ForEachRow(rows, []any{&uid, &of.workspace, &of.agent, &of.owner}, func() error { stray[uid] = of; return nil }); err != nil {
		t.Fatal(err)
	}
	return stray, func() {
		if _, err := w.root.Exec(t.Context(), "delete from index_sources where source_uid = any ($1)", sortedKeys(stray, uuid.UUID.String)); err != nil {
			t.Fatal(err)
		}
	}
}

// tagOfStaged is whose a staged work is.
func (w *world) tagOfStaged(t *rapid.T, x StagedWork) tag {
	table, column := map[string]string{StagedWrite: "memory_writes", StagedImport: "imports", StagedSnapshot: "snapshot_imports"}[x.Kind], "import_id"
	scope := "coalesce(nullif(owner_key, ''), 'TEAM')"
	if x.Kind == StagedWrite {
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
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x IndexSource, err error) {
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
		var x OpenRun
		var of tag
		as := id
		switch x.Kind = rapid.SampledFrom([]string{"extraction", "flush", "dream"}).Draw(t, "kind"); x.Kind {
		case "extraction":
			p := w.anyPlace(t, id)
			x.ID, of, as = p.quarantined, p.tag, runOf(id, "q") // it has ended: it is what it was
		case "flush":
			x.ID, x.From, of, as = w.anyFlush(t, id)
			x.To = x.From
		case "dream":
			x.ID, of, as = w.anyOpenDream(t, id)
		}
		x.WorkflowID, x.Run = as.Author.WorkflowID, as.Author.RunID
		return nil, &of, w.EndAbandoned(t.Context(), id, x)
	},
	"NoteFixed": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.NoteFixed(t.Context(), id, "index_missing", 1)
	},
}
