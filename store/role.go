package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"reverie/store/pg"
)

// RoleError means that the login may not become AppRole, or that AppRole may not become EraserRole, and that the login may not change
// that.
type RoleError struct {
	Login string
	Role  string // that is missing, or is not granted
	// Statements grant the role. An administrator of the cluster runs them, in any of its databases.
	Statements []string
}

func (e *RoleError) Error() string {
	what := fmt.Sprintf("%v; login %s", pg.ErrNoRole, e.Login)
	if e.Role == pg.EraserRole {
		what = "role " + pg.AppRole + " may not become " + pg.EraserRole
	}
	return fmt.Sprintf("%s. As a superuser (or a role with the admin option on %s), run this in any database of the cluster, "+
		"and start again:\n\n    %s\n", what, e.Role, strings.Join(e.Statements, "\n    "))
}

// Unwrap returns ErrNoRole.
func (e *RoleError) Unwrap() error { return pg.ErrNoRole }

const (
	// Since version 16 the creator of a role is a member that may not become it.
	sqlRoleState = `
select current_user, quote_ident(current_user), r.rolname is not null, coalesce(pg_has_role(current_user, r.oid,
    case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false)
from (select) one
left join pg_roles r on r.rolname = '` + pg.AppRole + `'`

	sqlRoleCreate = `create role ` + pg.AppRole + ` nologin nosuperuser nocreatedb nocreaterole nobypassrls`
	sqlRoleGrant  = `grant ` + pg.AppRole + ` to current_user`

	sqlEraserState = `
select e.rolname is not null, coalesce(not pg_has_role(r.oid, e.oid, 'USAGE') and pg_has_role(r.oid, e.oid,
    case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false),
    current_setting('server_version_num')::int >= 160000
from (select) one
left join pg_roles r on r.rolname = '` + pg.AppRole + `'
left join pg_roles e on e.rolname = '` + pg.EraserRole + `'`

	sqlAppLogsIn = `select coalesce(bool_or(rolcanlogin), false) from pg_roles where rolname = '` + pg.AppRole + `'`
	sqlAppLogin  = `alter role ` + pg.AppRole + ` login noinherit password '…';`

	sqlEraserCreate = `create role ` + pg.EraserRole + ` nologin nosuperuser nocreatedb nocreaterole nobypassrls`
	sqlEraserGrant  = `grant ` + pg.EraserRole + ` to ` + pg.AppRole
	// Until version 15 a member either inherits the rights of all its roles or of none. AppRole has no other.
	sqlInheritNothing = `alter role ` + pg.AppRole + ` noinherit`
	inheritNothing    = ` with inherit false, set true`
)

// ensureRoles creates both roles and grants them. What the login may not do is in one error.
func ensureRoles(ctx context.Context, db *sql.DB) error {
	err := ensureRole(ctx, db)
	refused, is := errors.AsType[*RoleError](err)
	if err != nil && !is {
		return err
	}
	eraser := ensureEraser(ctx, db)
	if also, too := errors.AsType[*RoleError](eraser); too && is {
		refused.Statements = append(refused.Statements, also.Statements...)
		return refused
	}
	if is {
		return refused
	}
	return eraser
}

// ensureEraser creates EraserRole and makes AppRole a member that does not inherit its rights, unless it is one.
func ensureEraser(ctx context.Context, db *sql.DB) error {
	var exists, member, options bool
	if err := db.QueryRowContext(ctx, sqlEraserState).Scan(&exists, &member, &options); err != nil {
		return err
	}
	if member {
		return nil
	}
	var statements []string
	if !exists {
		statements = append(statements, sqlEraserCreate)
	}
	if options {
		statements = append(statements, sqlEraserGrant+inheritNothing)
	} else {
		statements = append(statements, sqlInheritNothing, sqlEraserGrant)
	}
	for i, statement := range statements {
		_, err := db.ExecContext(ctx, statement)
		switch {
		case err == nil || alreadyThere(err):
		case denied(err):
			refused := &RoleError{Role: pg.EraserRole}
			for _, left := range statements[i:] {
				refused.Statements = append(refused.Statements, left+";")
			}
			return refused
		default:
			return err
		}
	}
	return nil
}

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
	refused := &RoleError{Login: login, Role: pg.AppRole}
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
	return is && (refused.Code == "42710" || refused.Code == "23505" || refused.Code == "XX000") // a tuple was concurrently updated
}

// denied reports whether the login may not do it, or the role is missing because it could not be created.
func denied(err error) bool {
	refused, is := errors.AsType[*pgconn.PgError](err)
	return is && (refused.Code == "42501" || refused.Code == "42704")
}

// LoginAdvice returns what an administrator has to do before API and workers can log in as AppRole, the last line being the statement;
// empty: they can. Those with another login need nothing: roles say nothing about which one a deployment uses.
func LoginAdvice(ctx context.Context, url string) (advice string, err error) {
	err = withProvider(url, func(db *sql.DB, _ *goose.Provider) error {
		var can bool
		if err := db.QueryRowContext(ctx, sqlAppLogsIn).Scan(&can); err != nil || can {
			return err
		}
		advice = pg.AppRole + " cannot log in. If the database URL of API or worker names it, run this as a superuser, with its password:\n    " +
			sqlAppLogin
		return nil
	})
	return advice, err
}
