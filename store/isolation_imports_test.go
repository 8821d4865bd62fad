package store

import (
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
)

// mayImport says whether an identity works with the imports of an owner, and with those of several when there is none.
func mayImport(id memory.Identity, g group) bool {
	return g.workspace == id.Workspace && g.agent == id.Agent && id.Agent != "" && id.MayUseAgent(id.Agent) &&
		id.Role.Includes(memory.RoleMember) && (g.owner == string(id.Owner) && (g.owner != "" || !id.Pinned))
}

// importTag is whose words an import of an identity has.
func importTag(id memory.Identity) string {
	if id.Owner == memory.NoOwner {
		return scopeTag(id, memory.ScopeTeam).String()
	}
	return scopeTag(id, memory.ScopePersonal).String()
}

// addImport gives a place an import with an item that waits and one that is settled.
func (w *world) addImport(t *testing.T, id memory.Identity) {
	t.Helper()
	says := importTag(id)
	made := must[Import](t)(w.CreateImport(t.Context(), id, NewImport{Source: says, Format: "mem0", Label: says, OnConflict: memory.ImportMerge}))
	items := []ImportItem{{Key: says + "1", Target: says, Payload: []byte(says)}, {Key: says + "2", Target: says, Payload: []byte(says)}}
	must[StagedItems](t)(w.StageImport(t.Context(), id, made.ID, items))
	settled := []ImportSettled{{Key: says + "2", Outcome: memory.OutcomeWritten}}
	if err := w.SettleImport(t.Context(), id, made.ID, settled); err != nil {
		t.Fatal(err)
	}
}

// anyImport is an import of the world, with whose it is; nil: of several owners.
func (w *world) anyImport(t *rapid.T) (uuid.UUID, *tag) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('id', import_id, 'workspace', workspace_id, 'agent', agent_id, 'owner', owner_key)
from imports
order by import_id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collectMaps(rows)
	if err != nil || len(all) == 0 {
		t.Fatal("there are no imports", err)
	}
	text := func(row map[string]any, name string) string { value, _ := row[name].(string); return value }
	row := rapid.SampledFrom(all).Draw(t, "import")
	of := tag{text(row, "workspace"), text(row, "agent"), text(row, "owner")}
	if of.owner == "" {
		return uuid.MustParse(text(row, "id")), nil
	}
	return uuid.MustParse(text(row, "id")), &of
}

func init() { maps.Copy(calls, importCalls) }

// moved is a call that moves an import on.
func moved(move func(*rapid.T, *world, memory.Identity, uuid.UUID) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		imported, of := w.anyImport(t)
		answer, err := move(t, w, id, imported)
		return answer, of, err
	}
}

// importCalls are the calls about what moves in.
var importCalls = map[string]call{
	"CreateImport": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		says := importTag(id)
		made, err := w.CreateImport(t.Context(), id, NewImport{Source: newID().String(), Format: "mem0", Label: says, OnConflict: memory.ImportKeep})
		return made, nil, err
	},
	"Imports": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Imports(t.Context(), id, Page{Limit: MaxPage})
		return listed, nil, err
	},
	"ImportOf": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.ImportOf(t.Context(), id, imported)
	}),
	"StageImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		says := importTag(id)
		return w.StageImport(t.Context(), id, imported, []ImportItem{{Key: newID().String(), Target: says, Payload: []byte(says)}})
	}),
	"StartImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.StartImport(t.Context(), id, imported)
	}),
	"CancelImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.CancelImport(t.Context(), id, imported)
	}),
	"EndImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.EndImport(t.Context(), id, imported)
	}),
	"LeaveImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.LeaveImport(t.Context(), id, imported)
	}),
	"NextImportItems": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		_, items, err := w.NextImportItems(t.Context(), id, imported, 10)
		return items, err
	}),
	"ImportItems": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.ImportItems(t.Context(), id, imported, ImportFilter{Any: true}, Page{})
	}),
	"SettleImport": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) { // what it does not see it does not settle
		imported, _ := w.anyImport(t)
		return nil, nil, w.SettleImport(t.Context(), id, imported, []ImportSettled{{Key: importTag(id) + "1", Outcome: memory.OutcomeWritten}})
	},
	"RunningImports": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) { // references alone, for the sweep
		_, err := w.RunningImports(t.Context(), time.Now().Add(time.Hour), RunningImport{}, MaxPage)
		return nil, nil, err
	},
	"ImportedConversation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		out, err := w.ImportedConversation(t.Context(), id, p.uid)
		return out, &p.tag, err
	},
}
