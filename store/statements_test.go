package store

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Every statement of the package is a constant whose name begins with sql. Each must be one that the migrated schema
// understands, with all columns and types; the role that prepares them is the application's.
func TestStatementsFitTheSchema(t *testing.T) {
	s := openStore(t)
	conn, err := s.db.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	statements := sqlConstants(t)
	if len(statements) < 40 {
		t.Fatalf("found %d statements, there are more: is the search broken?", len(statements))
	}
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		sql, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), conn.Conn(), statements[name], nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := conn.Conn().Prepare(t.Context(), name, sql); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sqlConstants evaluates the package's constants whose names begin with sql.
func sqlConstants(t *testing.T) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	// Only the constants are wanted: what cannot be resolved without the imports does not matter.
	config := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := config.Check("store", files, parsed, nil)
	statements := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !strings.HasPrefix(name, "sql") {
			continue
		}
		if c.Val().Kind() != constant.String {
			t.Fatal(fmt.Errorf("%s is no string", name))
		}
		sql := constant.StringVal(c.Val())
		statements[name] = sql
	}
	return statements
}
