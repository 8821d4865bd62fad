package store

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing/fstest"
	"time"

	"reverie/migrations"
)

// Programs use the database while it migrates. A migration that takes its tables one after the other may wait for one that a program
// uses while that program waits for another one, and PostgreSQL ends the program's work as a deadlock: a second after the program began
// to wait, however short the migration's wait is. So a migration takes all its tables first, in less than a second in all, or gives way.

// migrateLocksWait bounds the time in which a migration takes its tables. It is below PostgreSQL's deadlock_timeout of a second.
const migrateLocksWait = 800 * time.Millisecond

// lockTables takes the tables of a comma-separated list that exist, or every table for an empty one. A cancelled statement is reported as
// an unavailable lock: gaveWay.
const lockTables = `
set local statement_timeout = %d;
-- +goose StatementBegin
do $lock$
declare
    named constant text[] := string_to_array('%s', ',');
    tables constant text := (
        select string_agg(quote_ident(relname), ', ' order by relname) from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
            and relname <> 'goose_db_version' and (relname = any (named) or cardinality(named) = 0));
begin
    if tables is not null then
        execute 'lock table ' || tables || ' in access exclusive mode';
    end if;
exception when query_canceled then
    raise exception 'programs use tables of this migration' using errcode = 'lock_not_available';
end
$lock$;
-- +goose StatementEnd
set local statement_timeout to default;
`

var (
	sqlComment = regexp.MustCompile(`(?m)--.*$`)
	sqlWord    = regexp.MustCompile(`[a-z_][a-z0-9_]*`)
	sqlCatalog = regexp.MustCompile(`\bpg_(?:class|policies|tables)\b`)
)

const upMark, downMark = "-- +goose Up\n", "-- +goose Down\n"

// lockingMigrations returns the migrations, each of which first takes the tables that it names, or every table if it finds them in the
// catalog.
func lockingMigrations() (fs.FS, error) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{} // the only file system in memory of the standard library
	for _, name := range names {
		content, err := migrations.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text, err := locking(string(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files, nil
}

// locking returns a migration that first takes its tables.
func locking(migration string) (string, error) {
	head, rest, isUp := strings.Cut(migration, upMark)
	up, _, _ := strings.Cut(rest, downMark)
	if !isUp || strings.Contains(head, "NO TRANSACTION") {
		return "", fmt.Errorf("want %q before everything, in a transaction", strings.TrimSpace(upMark))
	}
	up = sqlComment.ReplaceAllString(up, "")
	words := ""
	if !sqlCatalog.MatchString(up) {
		words = strings.Join(sqlWord.FindAllString(up, -1), ",")
	}
	return head + upMark + fmt.Sprintf(lockTables, migrateLocksWait.Milliseconds(), words) + rest, nil
}
