package store

import (
	"database/sql"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"reverie/devenv/devtest"
	"reverie/test/release"
)

// Every statement of the package is a constant whose name begins with sql. Each must be one that the migrated schema
// understands, with all columns and types; the role that prepares them is the application's.
func TestStatementsFitTheSchema(t *testing.T) { planAll(t, sqlConstants(t, ".")) }

// Migrations run before processes are replaced, and a release that is rolled back meets the newer schema: every statement of the
// previous release must still be one that the migrated schema understands. A migration only adds what the current release needs, and a
// later one removes what only the previous one needed.
func TestStatementsOfThePreviousReleaseFitTheSchema(t *testing.T) {
	dir := t.TempDir()
	if err := release.Extract(t.Context(), dir, "store", "migrations"); err != nil {
		t.Fatal(err)
	}
	planAll(t, sqlConstants(t, filepath.Join(dir, "store")))
	checkAddedColumns(t, filepath.Join(dir, "migrations"))
}

// planAll prepares and plans statements: only the planner looks for the index of an "on conflict".
func planAll(t *testing.T, statements map[string]string) {
	t.Helper()
	s := openStore(t, ownConnections)
	pooled, err := s.db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pooled.Release()
	conn := pooled.Conn()
	if _, err := conn.Exec(t.Context(), "set plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	if len(statements) < 250 {
		t.Fatalf("found %d statements, there are more: is the search broken?", len(statements))
	}
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		if _, err := genericPlan(t.Context(), conn, name, statements[name]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkAddedColumns checks that rows can be inserted without what migrations after those in a folder have added.
func checkAddedColumns(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations in %s, %v", len(files), folder, err)
	}
	before := devtest.Database(t, nil)
	latest, err := goose.NumericComponent(slices.Max(files))
	if err != nil {
		t.Fatal(err)
	}
	if err := withProvider(before, func(_ *sql.DB, p *goose.Provider) error {
		_, err := p.UpTo(t.Context(), latest)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	old, now := columns(t, before), columns(t, devtest.Database(t, migrated))
	for table, needed := range now {
		if old[table] == nil {
			continue
		}
		for column, required := range needed {
			if was, existed := old[table][column]; required && !was {
				t.Errorf("%s.%s is required, which the previous release does not know (it had the column: %v): give it a default, or allow null",
					table, column, existed)
			}
		}
	}
}

// columns returns for each column of each table whether an insert must give it a value.
func columns(t *testing.T, url string) map[string]map[string]bool {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `
select table_name::text, column_name::text, is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'
from information_schema.columns
where table_schema = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]bool{}
	var table, column string
	var required bool
	if _, err := pgx.ForEachRow(rows, []any{&table, &column, &required}, func() error {
		if out[table] == nil {
			out[table] = map[string]bool{}
		}
		out[table][column] = required
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// storePackages are the packages of the store in import order.
var storePackages = []string{"pg", "facts", "indexes", "gate", "talk", "dreams", "transfer", "admin", ""}

// checked resolves imports of store packages that were checked before. Constants need no others.
type checked map[string]*types.Package

func (c checked) Import(path string) (*types.Package, error) {
	if pkg := c[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("%s is not needed", path)
}

// sqlConstants evaluates the constants of all store packages below a folder whose names begin with sql or SQL, by name with sql in front.
func sqlConstants(t *testing.T, store string) map[string]string {
	t.Helper()
	statements, imported := map[string]string{}, checked{}
	for _, folder := range storePackages {
		files := token.NewFileSet()
		var parsed []*ast.File
		entries, err := os.ReadDir(filepath.Join(store, folder))
		if errors.Is(err, fs.ErrNotExist) && store != "." {
			continue // a package that the previous release does not have
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, filepath.Join(store, folder, entry.Name()), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		// Imports that no constant needs stay unresolved, which is not an error here.
		path := strings.TrimSuffix("reverie/store/"+folder, "/")
		config := types.Config{Importer: imported, Error: func(error) {}}
		pkg, _ := config.Check(path, files, parsed, nil)
		imported[path] = pkg
		for _, name := range pkg.Scope().Names() {
			c, ok := pkg.Scope().Lookup(name).(*types.Const)
			if !ok || !strings.HasPrefix(strings.ToLower(name), "sql") {
				continue
			}
			if c.Val().Kind() != constant.String {
				t.Fatal(fmt.Errorf("%s of %s is not a string", name, path))
			}
			name = "sql" + name[len("sql"):]
			if statements[name] != "" {
				t.Fatalf("two packages have a statement named %s", name)
			}
			statements[name] = constant.StringVal(c.Val())
		}
	}
	return statements
}
