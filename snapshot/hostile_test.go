package snapshot_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"reverie/memory"
	"reverie/snapshot"
	"reverie/snapshot/snapshottest"
)

// Every hostile archive is refused as a whole, with its code, quickly, and within the memory limits.
func TestHostileArchivesAreRefused(t *testing.T) {
	for _, h := range snapshottest.Corpus() {
		t.Run(h.Name, func(t *testing.T) {
			data := h.Make(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			got, err := snapshot.Read(data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			var refused *snapshot.RefusedError
			if !errors.As(err, &refused) || refused.Code != h.Code || refused.Problem == "" {
				t.Fatalf("%v, want %s", err, h.Code)
			}
			if len(got.Files) > 0 {
				t.Errorf("%d documents are taken all the same", len(got.Files))
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8*snapshot.MaxTotalBytes {
				t.Errorf("%d bytes were allocated", allocated)
			}
			if took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// Archives at exactly the limits are read, and one byte more is refused, whatever the compression and the kind of
// entry.
func TestLimitsAreExact(t *testing.T) {
	packed := func(entries int, size int, more ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		add := func(name, content string) {
			w, err := z.Create(name)
			if err == nil {
				_, err = io.WriteString(w, content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for n := range entries {
			add(fmt.Sprintf("memory/%d.md", n), strings.Repeat("x", size))
		}
		for _, name := range more {
			add(name, "x")
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		data []byte
		want snapshot.Code
	}{
		{"an entry of a megabyte", packed(1, snapshot.MaxEntryBytes), ""},
		{"an entry of a megabyte and a byte", packed(1, snapshot.MaxEntryBytes+1), snapshot.CodeEntryTooLarge},
		{"sixteen megabytes", packed(16, snapshot.MaxEntryBytes), ""},
		{"sixteen megabytes and a byte", packed(16, snapshot.MaxEntryBytes, "photo.png"), snapshot.CodeTotalTooLarge},
		{"500 entries", packed(snapshot.MaxEntries, 1), ""},
		{"500 entries and a photo", packed(snapshot.MaxEntries, 1, "photo.png"), snapshot.CodeTooManyEntries},
	} {
		_, err := snapshot.Read(c.data)
		refused, is := errors.AsType[*snapshot.RefusedError](err)
		if is != (c.want != "") || is && refused.Code != c.want || err != nil && !is {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Changing or removing a byte of a valid archive never changes its meaning: it is refused, or the byte has no
// meaning.
func TestDamagedArchives(t *testing.T) {
	honest := snapshottest.Honest(t)
	want, err := snapshot.Read(honest)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range honest {
		if _, err := snapshot.Read(honest[:cut]); err == nil {
			t.Errorf("the first %d of %d bytes are an archive", cut, len(honest))
		}
	}
	for at := range honest {
		for bit := range 8 {
			damaged := append([]byte(nil), honest...)
			damaged[at] ^= 1 << bit
			got, err := snapshot.Read(damaged)
			if err != nil {
				continue
			}
			for i, f := range got.Files {
				if len(got.Files) != len(want.Files) || f.Content != want.Files[i].Content || f.Ref != want.Files[i].Ref {
					t.Fatalf("bit %d of byte %d changed, and it reads as %+v", bit, at, got.Files)
				}
			}
		}
	}
}

// Any input is either read or refused, and what is read can be written and read again.
func FuzzRead(f *testing.F) {
	for _, h := range snapshottest.Corpus() {
		if data := h.Make(f); len(data) < 1<<16 {
			f.Add(data)
		}
	}
	honest, err := snapshot.Write(snapshot.Origin{},
		[]snapshot.File{{Ref: memory.Ref{Scope: memory.ScopeTeam, Path: "MEMORY.md"}, Content: "m"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(honest)
	f.Add(snapshottest.Honest(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := snapshot.Read(data)
		if err != nil {
			if _, is := errors.AsType[*snapshot.RefusedError](err); !is {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		for _, file := range got.Files {
			if listed, _ := snapshot.Listed(file.Path); !listed || len(file.Content) > snapshot.MaxEntryBytes {
				t.Fatalf("%q is taken", file.Path)
			}
		}
		othersReadTheSame(t, data, got)
		again, err := snapshot.Write(snapshot.Origin{}, got.Files)
		if refused, is := errors.AsType[*snapshot.RefusedError](err); is && refused.Code == snapshot.CodeTooLarge {
			return // it was compressed better
		} else if err != nil {
			t.Fatal(err)
		}
		back, err := snapshot.Read(again)
		if err != nil || len(back.Files) != len(got.Files) {
			t.Fatalf("%d documents became %d (%v)", len(got.Files), len(back.Files), err)
		}
		for i, file := range back.Files {
			if file.Ref != got.Files[i].Ref || file.Content != got.Files[i].Content {
				t.Fatalf("%+v became %+v", got.Files[i], file)
			}
		}
	})
}

// othersReadTheSame compares the files of an archive with those found by another ZIP reader: none may be ambiguous.
func othersReadTheSame(t *testing.T, data []byte, got snapshot.Archive) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("we read it, others do not: %v", err)
	}
	contents := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatalf("%q: %v", f.Name, err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%q: %v", f.Name, err)
		}
		contents[norm.NFC.String(f.Name)] = string(content)
	}
	entries := len(got.Files)
	for _, s := range got.Skipped {
		if s.Reason != snapshot.SkippedMissing {
			entries++
		}
	}
	if len(contents) != entries || len(z.File) != entries {
		t.Fatalf("we read %d entries, others %d", entries, len(z.File))
	}
	for _, file := range got.Files {
		if content, there := contents[snapshot.Name(file.Ref)]; !there || content != file.Content {
			t.Fatalf("%s: we read %q, others %q", snapshot.Name(file.Ref), file.Content, content)
		}
	}
}
