package imports

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzExports reads arbitrary input as every format: reading ends, gives a reason, and is repeatable.
func FuzzExports(f *testing.F) {
	for _, name := range []string{
		"mem0.json", "zep.json", "zep-legacy.json", "goclaw.jsonl", "locomo.json", "chatgpt/conversations.json",
		"claude/conversations.json", "claude/memories.json",
	} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for _, format := range Formats() {
			f.Add(string(format), string(content))
		}
	}
	for _, h := range hostile {
		if len(h.content) < 10_000 {
			f.Add(string(h.format), h.content)
		}
	}
	f.Fuzz(func(t *testing.T, format, content string) {
		s, err := Open(jsonFile(content), Options{Format: Format(format), Owners: Owners{Default: "user:u"}})
		if err != nil {
			return
		}
		items, skipped, err := all(t, s)
		again, skippedAgain, errAgain := all(t, s)
		if diff := cmp.Diff(items, again) + cmp.Diff(skipped, skippedAgain); diff != "" || (err == nil) != (errAgain == nil) {
			t.Errorf("reading again gives something else, errors %v and %v:\n%s", err, errAgain, diff)
		}
	})
}

// FuzzRecords compares the scanner with the standard library's decoder: of valid JSON, every element is returned
// unchanged.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		`[1,"a",{"b":[null,true]},-1.5e3]`, `{"results":[{"a":1},2],"more":{"x":"\"]}"}}`, "{\"a\":1}\n{\"a\":2}\n", ` [ ] `, "\xef\xbb\xbf[{}]",
		`{"results":[]}`, `[[[]],"\\\""]`, `{"results":7,"results":[1]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		var got []string
		err := records("x", strings.NewReader(content), nil, func(found record) error {
			got = append(got, string(found.raw))
			return nil
		})
		var elements []json.RawMessage
		if json.Unmarshal([]byte(content), &elements) == nil && strings.HasPrefix(strings.TrimLeft(content, " \t\r\n"), "[") {
			if err != nil || len(got) != len(elements) {
				t.Fatalf("%d of %d elements, error %v", len(got), len(elements), err)
			}
			for i := range elements {
				if got[i] != string(elements[i]) {
					t.Errorf("element %d is %q, want %q", i, got[i], elements[i])
				}
			}
		}
		if _, damaged := errors.AsType[*DamagedError](err); err != nil && !damaged {
			t.Errorf("error %v", err)
		}
		// The same input with containers: only DamagedError is allowed, and elements are JSON if the input is.
		valid := json.Valid([]byte(content))
		err = records("x", strings.NewReader(content), []string{"results"}, func(found record) error {
			if valid && !json.Valid(found.raw) {
				t.Errorf("%q is no JSON", found.raw)
			}
			return nil
		})
		if valid && err != nil && strings.ContainsAny(strings.TrimSpace(content)[:1], "[{") {
			t.Errorf("error %v", err)
		}
	})
}

// FuzzArchives reads arbitrary input as an archive.
func FuzzArchives(f *testing.F) {
	for _, one := range fixtures {
		f.Add(archived(f, "", fixture(f, one.name)))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		tree, err := Zip(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return
		}
		s, err := Open(tree, Options{})
		if err != nil {
			return
		}
		_, _, _ = all(t, s) // errors are allowed; items are checked
	})
}

// FuzzTimes parses arbitrary input as a time.
func FuzzTimes(f *testing.F) {
	for _, seed := range []string{
		"1700000000.5", "1700000000500", "2024-01-31", "2024-01-31T10:00:00Z", "2024-01-31 10:00:00.123+02",
		"-1e400", "NaN", "9999999999999999",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if at := timeOf(text); !at.IsZero() && (at.Year() < firstYear || at.Year() > lastYear || at.Location().String() != "UTC") {
			t.Errorf("%q is %s", text, at)
		}
	})
}
