package imports

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

var update = flag.Bool("update", false, "write the golden files")

// changed is the modification time of all fixture files.
var changed = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// fixture returns a folder or a file of testdata as a source.
func fixture(tb testing.TB, name string) fstest.MapFS {
	tb.Helper()
	files := fstest.MapFS{}
	root := filepath.Join("testdata", name)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		rel, relErr := filepath.Rel(root, path)
		if relErr != nil || rel == "." {
			rel = filepath.Base(path)
		}
		files[filepath.ToSlash(rel)] = &fstest.MapFile{Data: content, Mode: 0o644, ModTime: changed}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func folder(tb testing.TB, files fstest.MapFS) *Tree {
	tb.Helper()
	tree, err := Folder(files)
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}

// jsonFile returns a source of one file.
func jsonFile(content string) *Tree {
	return File("export.json", changed, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil })
}

// all reads a source to its end, and checks the guarantees for every source.
func all(tb testing.TB, s *Source) ([]Item, []Skipped, error) {
	tb.Helper()
	var items []Item
	var skipped []Skipped
	for item, err := range s.Items(func(one Skipped) { skipped = append(skipped, one) }) {
		if err != nil {
			return items, skipped, err
		}
		items = append(items, item)
	}
	check(tb, s, items, skipped)
	return items, skipped, nil
}

// check checks the guarantees that every reader makes.
func check(tb testing.TB, s *Source, items []Item, skipped []Skipped) {
	tb.Helper()
	keys := map[string]bool{}
	for _, item := range items {
		if keys[item.Key] || !strings.HasPrefix(item.Key, string(s.Format)+"/") || len(item.Key) > 300 {
			tb.Errorf("key %q is not one of its own", item.Key)
		}
		keys[item.Key] = true
		switch {
		case (item.Document == nil) == (item.Conversation == nil):
			tb.Errorf("%s is not exactly one of both", item.Key)
		case item.Document != nil:
			checkDocument(tb, *item.Document)
		default:
			checkConversation(tb, *item.Conversation)
		}
	}
	for _, one := range skipped {
		if one.Source == "" || one.Reason == "" {
			tb.Errorf("%+v does not say what and why", one)
		}
	}
}

func checkDocument(tb testing.TB, d Document) {
	tb.Helper()
	if path, err := memory.ParsePath(d.Path); err != nil || path != d.Path {
		tb.Errorf("path %q: %v", d.Path, err)
	}
	if err := memory.ValidContent(d.Content); err != nil || strings.TrimSpace(d.Content) == "" {
		tb.Errorf("the content of %s cannot be that of a document: %v", d.Path, err)
	}
	if d.Scope != memory.ScopePersonal && d.Scope != memory.ScopeTeam || d.Scope == memory.ScopeTeam && d.Owner != memory.NoOwner {
		tb.Errorf("%s has scope %s and owner %q", d.Path, d.Scope, d.Owner)
	}
	checkOwner(tb, d.Owner)
}

func checkOwner(tb testing.TB, owner memory.Owner) {
	tb.Helper()
	if owner != memory.NoOwner {
		if _, err := memory.ParseOwner(string(owner)); err != nil {
			tb.Error(err)
		}
	}
}

func checkConversation(tb testing.TB, c Conversation) {
	tb.Helper()
	checkOwner(tb, c.Owner)
	if c.ID == "" || len(c.ID) > memory.MaxConversation || len(c.Messages) == 0 || len(c.Messages) > memory.MaxBatchMessages ||
		!utf8.ValidString(c.ID) {
		tb.Errorf("conversation %q with %d messages", c.ID, len(c.Messages))
	}
	ids, last, size := map[string]bool{}, time.Time{}, 0
	for _, m := range c.Messages {
		size += len(m.Content)
		switch {
		case m.ID == "" || ids[m.ID] || len(m.ID) > memory.MaxMessageID || !utf8.ValidString(m.ID) || strings.ContainsRune(m.ID, 0):
			tb.Errorf("message id %q is not one of its own", m.ID)
		case m.CreatedAt.IsZero() || m.CreatedAt.Before(last):
			tb.Errorf("message %s was said at %s, behind one of %s", m.ID, m.CreatedAt, last)
		case m.Role != memory.RoleOfUser && m.Role != memory.RoleOfAssistant:
			tb.Errorf("message %s has role %q", m.ID, m.Role)
		case m.Content == "" || len(m.Content) > memory.MaxMessageBytes || !utf8.ValidString(m.Content) || strings.ContainsRune(m.Content, 0):
			tb.Errorf("message %s has %d bytes that cannot be stored", m.ID, len(m.Content))
		case len(m.Name) > 255 || !utf8.ValidString(m.Name) || strings.ContainsRune(m.Name, 0):
			tb.Errorf("message %s has the name %q", m.ID, m.Name)
		}
		ids[m.ID], last = true, m.CreatedAt
	}
	if size > MaxItemBytes && len(c.Messages) > 1 {
		tb.Errorf("an item of %d bytes", size)
	}
}

// shown prints what was read, in readable form.
func shown(format Format, items []Item, skipped []Skipped) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format: %s\n", format)
	for _, item := range items {
		fmt.Fprintf(&b, "\n%s\n", item.Key)
		if d := item.Document; d != nil {
			fmt.Fprintf(&b, "document %s %s owner=%q from %q at %s\n%s", d.Path, d.Scope, d.Owner, d.Source, stamp(d.At), indented(d.Content))
			continue
		}
		c := item.Conversation
		fmt.Fprintf(&b, "conversation %s owner=%q title=%q\n", c.ID, c.Owner, c.Title)
		for _, m := range c.Messages {
			fmt.Fprintf(&b, "  %s %s %s %q\n%s", m.ID, stamp(m.CreatedAt), m.Role, m.Name, indented(m.Content+"\n"))
		}
	}
	b.WriteString("\nskipped:\n")
	for _, one := range skipped {
		fmt.Fprintf(&b, "- %s: %s", one.Source, one.Reason)
		if one.Count > 0 {
			fmt.Fprintf(&b, " (%d)", one.Count)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Format(time.RFC3339Nano)
}

func indented(text string) string {
	return "    | " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    | ") + "\n"
}

// fixtures are the sources in testdata.
var fixtures = []struct {
	name   string
	format Format
}{
	{"openclaw", OpenClaw},
	{"mateclaw", MateClaw},
	{"reverie", Reverie},
	{"goclaw.jsonl", GoClaw},
	{"microclaw", MicroClaw},
	{"mem0.json", Mem0},
	{"zep.json", Zep},
	{"zep-legacy.json", Zep},
	{"chatgpt", ChatGPT},
	{"claude", Claude},
	{"markdown", Markdown},
	{"locomo.json", LoCoMo},
}

func TestEveryFormatIsDetectedAndRead(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			s, err := Open(folder(t, fixture(t, f.name)), Options{Owners: Owners{Default: "user:marta"}})
			if err != nil {
				t.Fatal(err)
			}
			if s.Format != f.format {
				t.Errorf("it is taken for %s", s.Format)
			}
			items, skipped, err := all(t, s)
			if err != nil {
				t.Fatal(err)
			}
			got, golden := shown(s.Format, items, skipped), filepath.Join("testdata", "golden", f.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, _, err := all(t, s)
			if diff := cmp.Diff(items, again); diff != "" || err != nil {
				t.Errorf("reading again gives something else, error %v (-first +second):\n%s", err, diff)
			}
			given, err := Open(folder(t, fixture(t, f.name)), Options{Format: f.format, Owners: Owners{Default: "user:marta"}})
			if err != nil {
				t.Fatal(err)
			}
			if named, _, err := all(t, given); err != nil || cmp.Diff(items, named) != "" {
				t.Errorf("with its format given it reads differently, error %v:\n%s", err, cmp.Diff(items, named))
			}
		})
	}
}

// Every format has a fixture.
func TestFormatsAreComplete(t *testing.T) {
	for _, format := range Formats() {
		if !slices.ContainsFunc(fixtures, func(f struct {
			name   string
			format Format
		},
		) bool {
			return f.format == format
		}) {
			t.Errorf("%s has no fixture", format)
		}
		if readers[format] == nil {
			t.Errorf("%s has no reader", format)
		}
	}
	if len(Formats()) != len(readers) {
		t.Errorf("%d formats and %d readers", len(Formats()), len(readers))
	}
}

// archived returns a zip of files, below folder if that is not empty.
func archived(tb testing.TB, folder string, files fstest.MapFS) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		header := &zip.FileHeader{Name: folder + name, Method: zip.Deflate, Modified: files[name].ModTime}
		entry, err := w.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(files[name].Data)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestAnArchiveReadsLikeItsFolder(t *testing.T) {
	for _, f := range fixtures {
		for _, wrapper := range []string{"", "export/", "a/b/"} {
			s, err := Open(folder(t, fixture(t, f.name)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := all(t, s)
			if err != nil {
				t.Fatal(err)
			}
			content := archived(t, wrapper, fixture(t, f.name))
			tree, err := Zip(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			z, err := Open(tree, Options{})
			if err != nil {
				t.Fatalf("%s in %q: %v", f.name, wrapper, err)
			}
			got, _, err := all(t, z)
			if f.format == Markdown && wrapper != "" {
				continue // folder names matter in this format; paths preserve them
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s in %q, error %v (-folder +archive):\n%s", f.name, wrapper, err, diff)
			}
		}
	}
}

func TestReadingStopsWithItsConsumer(t *testing.T) {
	for _, f := range fixtures {
		s, err := Open(folder(t, fixture(t, f.name)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range s.Items(nil) {
			if err != nil {
				t.Error(err)
			}
			n++
			break
		}
		if n != 1 {
			t.Errorf("%s: %d items", f.name, n)
		}
	}
}
