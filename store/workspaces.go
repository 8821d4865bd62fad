package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

const sqlWorkspaceEnsure = `
insert into workspaces (workspace_id, name, created_at)
values (@workspace, @name, @now)
on conflict do nothing`

// EnsureWorkspace makes a workspace unless it exists; an existing one keeps its name. It is for the process that sets a
// deployment up, which is why it takes no identity.
func (s *Store) EnsureWorkspace(ctx context.Context, slug, name string) error {
	if !memory.ValidSlug(slug) {
		return &InvalidError{Field: "workspace", Problem: "use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit"}
	}
	if name == "" {
		name = slug
	}
	if err := validName("name", name); err != nil {
		return err
	}
	_, err := inTx(ctx, s, operator(slug), func(t *tx) (struct{}, error) {
		b := &pgx.Batch{}
		b.Queue(sqlWorkspaceEnsure, t.args(pgx.NamedArgs{"name": name}))
		return struct{}{}, t.finish(ctx, b)
	})
	return err
}

// operator is the identity of whoever runs the deployment, in one workspace.
func operator(workspace string) memory.Identity {
	return memory.Identity{
		Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "configuration"},
	}
}
