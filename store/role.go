package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"reverie/store/pg"
)

// RoleError means that the login may not become AppRole, and may not change that.
type RoleError struct {
	Login string
	// Statements grant the role. An administrator of the cluster runs them, in any of its databases.
	Statements []string
}

func (e *RoleError) Error() string {
	return fmt.Sprintf("%v; login %s. As a superuser (or a role with the admin option on %s), run this in any database of the cluster, "+
		"and start again:\n\n    %s\n", pg.ErrNoRole, e.Login, pg.AppRole, strings.Join(e.Statements, "\n    "))
}

// Unwrap returns ErrNoRole.
func (e *RoleError) Unwrap() error { return pg.ErrNoRole }

const (
	// Since version 16 whoever creates a role is a member that may not become it.
	sqlRoleState = `
select current_user, quote_ident(current_user), r.rolname is not null, coalesce(pg_has_role(current_user, r.oid,
    case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false)
from (select) one
left join pg_roles r on r.rolname = '` + pg.AppRole + `'`

	sqlRoleCreate = `create role ` + pg.AppRole + ` nologin nosuperuser nocreatedb nocreaterole nobypassrls`
	sqlRoleGrant  = `grant ` + pg.AppRole + ` to current_user`
)

// ensureRole creates AppRole and makes the login a member, unless it is one.
func ensureRole(ctx context.Context, db *sql.DB) error {
	var login, quoted string
	var exists, member bool
	if err := db.QueryRowContext(ctx, sqlRoleState).Scan(&login, &quoted, &exists, &member); err != nil {
		return err
	}
	if member {
		return nil
	}
	refused := &RoleError{Login: login}
	if !exists {
		refused.Statements = append(refused.Statements, sqlRoleCreate+";")
		if _, err := db.ExecContext(ctx, sqlRoleCreate); err != nil && !alreadyThere(err) && !denied(err) {
			return err
		}
	}
	refused.Statements = append(refused.Statements, "grant "+pg.AppRole+" to "+quoted+";")
	_, err := db.ExecContext(ctx, sqlRoleGrant)
	switch {
	case err == nil || alreadyThere(err):
		return nil
	case denied(err):
		return refused
	}
	return err
}

// alreadyThere reports whether another database's migration was quicker.
func alreadyThere(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && (refused.Code == "42710" || refused.Code == "23505")
}

// denied reports whether the login may not do it, or the role is missing because it could not be created.
func denied(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && (refused.Code == "42501" || refused.Code == "42704")
}
