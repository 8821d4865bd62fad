package store

import (
	"fmt"
	"strings"

	"reverie/memory"
)

// groupOf is where a row, read as JSON, is.
func groupOf(table string, row map[string]any) group {
	text := func(column string) string {
		value, _ := row[column].(string)
		return value
	}
	g := group{table: table, workspace: text("workspace_id"), agent: text("agent_id"), owner: text("owner_key"), scope: text("scope")}
	if table == "api_keys" {
		g.owner = ""
	}
	return g
}

// rawInsert inserts a row that is given as JSON.
func rawInsert(table string) string {
	if table == "journal" { // its number is made by the database
		return `
insert into journal (workspace_id, agent_id, owner_key, scope, kind, document_id, path, version, author_kind, author_id, workflow_id, run_id, detail, at)
select workspace_id, agent_id, owner_key, scope, kind, document_id, path, version, author_kind, author_id, workflow_id, run_id, detail, at
from jsonb_populate_record(null::journal, $1)`
	}
	// Some have numbers that the database makes; a copy has one of its own.
	return fmt.Sprintf("insert into %s overriding system value select * from jsonb_populate_record(null::%s, $1)", table, table)
}

// ownRows is the condition under which a row is one that id may change.
func ownRows(table string, id memory.Identity) string {
	conditions := []string{fmt.Sprintf("workspace_id = '%s'", id.Workspace)}
	for _, t := range tenantTables {
		if t.name != table {
			continue
		}
		for _, column := range t.columns {
			switch column {
			case "agent_id":
				if table == "agents" && id.Role == memory.RoleAdmin && id.Agents == nil {
					continue
				}
				conditions = append(conditions, fmt.Sprintf("agent_id in ('%s', '')", id.Agent))
			case "owner_key":
				own := fmt.Sprintf("'%s', ''", id.Owner)
				if strings.HasPrefix(table, "dream") && reachOf(id) >= reachTeam {
					own += ", 'system'" // who may write what is shared
				}
				conditions = append(conditions, fmt.Sprintf("owner_key in (%s)", own))
			}
		}
	}
	return strings.Join(conditions, " and ")
}

// maySee says which rows an identity may be shown. It is written without a look at the policies.
func maySee(id memory.Identity, g group) bool {
	of := tag{g.workspace, g.agent, g.owner}
	switch {
	case g.table == "workspaces" || g.table == "model_usage": // counts, for budgets of the workspace
		of.owner = "GLOBAL"
	case g.table == "api_keys" || g.table == "journal" && g.scope == "" && g.agent == "":
		of.owner = "KEY"
	case g.table == "agents":
		of.owner = "AGENT"
	case g.table == "journal" && g.scope == "":
		return id.Role == memory.RoleAdmin && !id.Pinned && sees(id, tag{g.workspace, g.agent, "TEAM"})
	case g.table == "imports" || g.table == "import_items":
		own := g
		own.owner = string(id.Owner)
		return mayImport(id, g) || id.AnyOwner && !id.Pinned && mayImport(id, own)
	case g.table == "index_spaces":
		of.owner = "TEAM"
		if g.agent == "" {
			of.owner = "GLOBAL"
		}
	case g.table == "embedding_cache":
		return g.workspace == id.Workspace && id.Role == memory.RoleAdmin && !id.Pinned && id.AnyOwner
	case strings.HasPrefix(g.table, "dream") && g.owner == string(memory.SystemOwner):
		of.owner = "TEAM"
	case g.table == "recalls" || g.table == "flush_steps": // wherever the note stands
		return sees(id, of)
	case g.table == "snapshot_imports" && g.owner == "": // what was imported for everybody
		of.owner = "TEAM"
	case g.table == "snapshot_archives" && g.owner == "":
		return sees(id, tag{g.workspace, g.agent, "TEAM"}) && (id.Owner == memory.NoOwner || id.AnyOwner && !id.Pinned)
	case g.table == "write_ledger":
		return g.workspace == id.Workspace && g.agent == id.Agent && g.owner == string(id.Owner)
	case g.scope != "" && g.scope != string(memory.ScopePersonal):
		of.owner = g.scope
	}
	return sees(id, of)
}
