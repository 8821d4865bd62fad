package store

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Every statement of the package is a constant whose name begins with sql. Each must be one that the migrated schema
// understands, with all columns and types; the role that prepares them is the application's.
func TestStatementsFitTheSchema(t *testing.T) {
	s := openStore(t)
	conn, err := s.db.Pool.Acquire(t.Context())
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

// sqlConstants evaluates the constants of all store packages whose names begin with sql or SQL, by name with sql in front.
func sqlConstants(t *testing.T) map[string]string {
	t.Helper()
	statements, imported := map[string]string{}, checked{}
	for _, folder := range storePackages {
		files := token.NewFileSet()
		var parsed []*ast.File
		entries, err := os.ReadDir(filepath.Join(".", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, filepath.Join(".", folder, entry.Name()), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		// Imports that no constant needs stay unresolved, which is no error here.
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
