package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gateFolder is the folder of the gate in the module, and gateFiles its files that write documents, versions and the journal; empty: any of
// the folder.
const gateFolder = "store/gate"

var gateFiles = []string{"document.go", "documents.go", "journal.go"}

// gateTables are the tables that only the gate writes, besides the eraser. Deletions empty all tables of their target by a function of the
// database that reads the names from the catalogue.
var gateTables = []string{"documents", "document_versions", "journal"}

// eraser is the file that erases words in place, under a role that may write nothing else (TestEveryPlaceOfWordsCanBeErased).
const eraser = "store/erase/redact.go"

// emptier is the file that empties all tables of databases for tests.
const emptier = "devenv/devtest/template.go"

var (
	anyTable = `(?:"?public"?\s*\.\s*)?"?(?:` + strings.Join(gateTables, "|") + `)"?`
	// writesTables finds the statements that insert, update or delete rows of the tables, in SQL and in PL/pgSQL.
	writesTables = regexp.MustCompile(
		`(?is)\b(?:insert\s+into|update(?:\s+only)?|delete\s+from(?:\s+only)?|truncate(?:\s+table)?(?:\s+only)?|merge\s+into(?:\s+only)?|copy)\s+` +
			anyTable + `(?:[^\w.]|$)`)
	// writesAny finds a write whose table is not constant.
	writesAny = regexp.MustCompile(
		`(?is)\b(?:(?:insert\s+into|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+\x00|update\s+\x00[^;]*\bset\b)`,
	)
	sqlComments = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
)

// findsWrite reports whether SQL writes rows of the tables, or writes a table that it does not name.
func findsWrite(sql string) bool {
	sql = sqlComments.ReplaceAllString(sql, " ")
	return writesTables.MatchString(sql) || writesAny.MatchString(sql)
}

// literals returns the strings of an expression, concatenated as at run time, with NUL for every part that is not a literal.
func literals(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if e.Kind != token.STRING || err != nil {
			return "\x00"
		}
		return strings.NewReplacer("%s", "\x00", "%v", "\x00").Replace(text)
	case *ast.ParenExpr:
		return literals(e.X)
	case *ast.BinaryExpr:
		return literals(e.X) + literals(e.Y)
	}
	return "\x00"
}

// tableWrites returns the places of a Go source that write rows of the tables by their SQL, or copy into them.
func tableWrites(t *testing.T, name string, source any) []string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	note := func(at token.Pos) { found = append(found, files.Position(at).String()) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CompositeLit: // pgx.Identifier{"documents"}, as CopyFrom takes it
			if of, ok := n.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Identifier" && len(n.Elts) > 0 {
				if slices.Contains(gateTables, literals(n.Elts[len(n.Elts)-1])) {
					note(n.Pos())
				}
			}
		case *ast.BinaryExpr:
			if findsWrite(literals(n)) {
				note(n.Pos())
			}
			return false
		case *ast.BasicLit:
			if findsWrite(literals(n)) {
				note(n.Pos())
			}
		}
		return true
	})
	return found
}

// moduleRoot returns the folder of go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
}

// There is one way to a document, a version and an event: no other code of the module, no function of the database and no cascade writes
// one.
func TestOneGate(t *testing.T) {
	t.Parallel()
	root := moduleRoot(t)
	inside := map[string]int{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		switch {
		case strings.HasSuffix(name, "_test.go"):
		case strings.HasSuffix(name, ".sql"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if writesTables.MatchString(sqlComments.ReplaceAllString(string(text), " ")) {
				t.Errorf("%s writes documents or events: only the gate may", path)
			}
		case strings.HasSuffix(name, ".go"):
			found := tableWrites(t, path, nil)
			if folder == gateFolder && (len(gateFiles) == 0 || slices.Contains(gateFiles, name)) {
				inside[name] += len(found)
				return nil
			}
			if file := folder + "/" + name; (file == eraser || file == emptier) && len(found) == 1 {
				return nil
			}
			for _, at := range found {
				t.Errorf("%s writes documents or events: send them through the gate", at)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range gateFiles {
		if inside[name] == 0 {
			t.Errorf("%s of the gate writes no document or event: take it off the list", name)
		}
	}
	if len(inside) == 0 {
		t.Error("the gate's own statements are not found")
	}

	tables := strings.Join(gateTables, "|")
	s := openStore(t)
	for what, sql := range map[string]string{
		"function": `
select p.proname || ': ' || p.prosrc
from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.prosrc ~* '\m(` + tables + `)\M'`,
		"rule": `
select rulename || ': ' || definition
from pg_rules
where definition ~* '\m(` + tables + `)\M' and rulename <> '_RETURN'`,
	} {
		for _, text := range column(t, s, sql) {
			if findsWrite(text) {
				t.Errorf("%s %s writes documents or events", what, text)
			}
		}
	}
	for _, key := range column(t, s, `
select conname
from pg_constraint
where contype = 'f' and conrelid = any (string_to_array('`+tables+`', '|')::regclass[])
    and (confdeltype not in ('a', 'r') or confupdtype not in ('a', 'r'))`) {
		t.Errorf("foreign key %s changes documents or events by a cascade", key)
	}
}

// column reads the texts of a statement about the catalogue.
func column(t *testing.T, s *Store, sql string) (texts []string) {
	t.Helper()
	rows, err := s.db.Pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// The test above finds a second way however it is written.
func TestFindsTableWrites(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"`insert into documents (a) values (1)`",
		"\"UPDATE only public.document_versions SET content = ''\"",
		"`delete from \"documents\"`",
		"`with x as (\n    update documents -- all of them\n    set deleted = true\n) select 1`",
		"`insert into /* quick */ document_versions select 1`",
		"\"truncate documents\"",
		"`merge into documents d using x on true when matched then delete`",
		"\"copy documents from stdin\"",
		"\"insert into \" + \"documents\" + \" values (1)\"",
		"\"update \" + table + \" set deleted = true\"",
		"`delete from %s where true`",
		"pgx.Identifier{\"documents\"}",
		"`with x as (select 1) insert into journal (kind) select 'x' from x`",
		"pgx.Identifier{\"public\", \"journal\"}",
	} {
		if found := tableWrites(t, "x.go", "package x\n\nvar x = "+expression+"\n"); len(found) == 0 {
			t.Errorf("%s is not found", expression)
		}
	}
	for _, expression := range []string{
		"`select * from documents for update`", "`insert into documents_seen values (1)`", "`for no key update of d`",
		"`on conflict do update set documents = 1`", "\"update the documents\"", "\"with --update, documents are replaced\"",
	} {
		if found := tableWrites(t, "x.go", "package x\n\nvar x = "+expression+"\n"); len(found) > 0 {
			t.Errorf("%s counts as a write", expression)
		}
	}
}
