package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"strings"
	"testing"
	"time"
)

// plain is an honest document.
func plain(name string) forged { return forged{name: name, content: "# " + name + "\n"} }

// of is an archive of an honest document and others.
func of(entries ...forged) archive {
	return archive{entries: append([]forged{plain("MEMORY.md")}, entries...)}
}

// a hostile archive, and the code with which it is refused.
type hostile struct {
	name    string
	archive func(testing.TB) []byte
	code    Code
}

func made(a archive) func(testing.TB) []byte { return a.bytes }

// corpus are archives that somebody might make to do harm, or that were damaged on the way. Each has an honest document, too,
// of which nothing may be taken.
func corpus() []hostile {
	zeros := strings.Repeat("\x00", MaxEntryBytes)
	extra := func(id uint16, body string) string {
		return string(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, id), uint16(len(body)))) + body
	}
	unix := func(mode uint32) uint32 { return mode << modeInUpper }
	corpus := []hostile{
		{"nothing", func(testing.TB) []byte { return nil }, CodeEmpty},
		{"text", func(testing.TB) []byte { return []byte("# MEMORY\n") }, CodeNotAnArchive},
		{"too many bytes", func(testing.TB) []byte { return make([]byte, MaxArchiveBytes+1) }, CodeTooLarge},
		{"no entries", made(archive{}), CodeNoDocuments},
		{"no document", made(archive{entries: []forged{{name: "photo.png", content: "x"}}}), CodeNoDocuments},

		// Bombs of three kinds, and the ways around them.
		{"one entry of zeros", func(tb testing.TB) []byte {
			return of(forged{name: "memory/zeros.md", content: strings.Repeat(zeros, 64), method: methodDeflated}).bytes(tb)
		}, CodeEntryTooLarge},
		{"one entry of zeros that says it is small", func(tb testing.TB) []byte {
			return of(forged{name: "memory/zeros.md", content: strings.Repeat(zeros, 64), method: methodDeflated, size: lie(uint32(10))}).bytes(tb)
		}, CodeEntryTooLarge},
		{"seventeen entries of a megabyte", func(tb testing.TB) []byte {
			packed := deflate(tb, zeros)
			a := of()
			for n := range 17 {
				a.entries = append(a.entries, forged{
					name: fmt.Sprintf("memory/%d.md", n), packed: packed, method: methodDeflated,
					size: lie(uint32(MaxEntryBytes)), checksum: lie(crc32.ChecksumIEEE([]byte(zeros))),
				})
			}
			return a.bytes(tb)
		}, CodeTotalTooLarge},
		{"all entries are the same bytes", func(tb testing.TB) []byte {
			a := archive{entries: []forged{{name: "memory/0.md", content: zeros, method: methodDeflated}}}
			packed := deflate(tb, zeros)
			for n := range 400 {
				a.entries = append(a.entries, forged{name: fmt.Sprintf("memory/%d.md", n+1), content: zeros, packed: packed, method: methodDeflated, share: 1, localName: "memory/0.md"})
			}
			return a.bytes(tb)
		}, CodeMalformed}, // the name beside the bytes is another one
		{"entries that quote each other's headers", overlapping, CodeOverlapping},

		{"501 entries", func(tb testing.TB) []byte {
			a := of()
			for n := range MaxEntries {
				a.entries = append(a.entries, plain(fmt.Sprintf("memory/%d.md", n)))
			}
			return a.bytes(tb)
		}, CodeTooManyEntries},
		{"501 folders", func(tb testing.TB) []byte {
			a := of()
			for n := range MaxEntries {
				a.entries = append(a.entries, forged{name: fmt.Sprintf("f%d/", n)})
			}
			return a.bytes(tb)
		}, CodeTooManyEntries},
		{"501 entries that say they are 5", func(tb testing.TB) []byte {
			a := of()
			for n := range MaxEntries {
				a.entries = append(a.entries, plain(fmt.Sprintf("memory/%d.md", n)))
			}
			a.count = lie(uint16(5))
			return a.bytes(tb)
		}, CodeMalformed},
		{"more entries than there are", made(archive{entries: []forged{plain("MEMORY.md")}, count: lie(uint16(2))}), CodeMalformed},

		// Sizes and checksums.
		{"longer than it says", made(of(forged{name: "memory/a.md", content: "abc", size: lie(uint32(2))})), CodeWrongSize},
		{"shorter than it says", made(of(forged{name: "memory/a.md", content: "abc", method: methodDeflated, size: lie(uint32(4))})), CodeWrongSize},
		{"data behind the deflated end", made(of(forged{name: "memory/a.md", content: "", method: methodDeflated, packed: []byte("\x03\x00hidden")})), CodeWrongSize},
		{"packed beyond the end", made(of(forged{name: "memory/a.md", content: "abc", packedSize: lie(uint32(1 << 30))})), CodeMalformed},
		{"a wrong checksum", made(of(forged{name: "memory/a.md", content: "abc", checksum: lie(uint32(7))})), CodeWrongChecksum},
		{"a wrong checksum of what is no document", made(of(forged{name: "photo.png", content: "abc", checksum: lie(uint32(7))})), CodeWrongChecksum},
		{"deflate that is none", made(of(forged{name: "memory/a.md", content: "abc", method: methodDeflated, packed: []byte("\xff\xff\xff")})), CodeMalformed},
		{"zip64 sizes", made(of(forged{name: "memory/a.md", content: "abc", size: lie(uint32(noSize32))})), CodeZip64},
		{"a zip64 field", made(of(forged{name: "memory/a.md", content: "abc", extra: extra(extraZip64, strings.Repeat("\x00", 16))})), CodeZip64},
		{"a zip64 end", func(tb testing.TB) []byte {
			data := of().bytes(tb)
			end := len(data) - endSize
			locator := make([]byte, locatorSize)
			binary.LittleEndian.PutUint32(locator, locatorSignature)
			return append(append(append([]byte{}, data[:end]...), locator...), data[end:]...)
		}, CodeZip64},
		{"as many entries as zip64 has", made(archive{entries: []forged{plain("MEMORY.md")}, count: lie(uint16(noSize16))}), CodeZip64},

		// Structure.
		{"bytes in front", made(archive{before: "#!/bin/sh\n", entries: []forged{plain("MEMORY.md")}}), CodeDataOutside},
		{"bytes behind the entries", made(archive{between: "hidden", entries: []forged{plain("MEMORY.md")}}), CodeDataOutside},
		{"bytes between entries", made(archive{entries: []forged{{name: "MEMORY.md", content: "a", behind: "hidden"}, plain("SOUL.md")}}), CodeDataOutside},
		{"bytes behind the end", func(tb testing.TB) []byte { return append(of().bytes(tb), "hidden"...) }, CodeNotAnArchive},
		{"the directory somewhere else", made(archive{entries: []forged{plain("MEMORY.md")}, offset: lie(uint32(1 << 20))}), CodeMalformed},
		{"an entry somewhere else", made(of(forged{name: "memory/a.md", content: "abc", offset: lie(uint32(3))})), CodeMalformed},
		{"an entry beyond the archive", made(of(forged{name: "memory/a.md", content: "abc", offset: lie(uint32(1 << 24))})), CodeMalformed},
		{"two names", made(of(forged{name: "memory/a.md", content: "abc", localName: "memory/b.md"})), CodeMalformed},
		{"a second name in a field", made(of(forged{name: "memory/a.md", content: "abc", extra: extra(extraPath, "\x01\x00\x00\x00\x00SOUL.md")})), CodeAmbiguous},
		{"two ends", func(tb testing.TB) []byte {
			inner := archive{}.bytes(tb)
			a := of()
			a.comment = string(inner)
			return a.bytes(tb)
		}, CodeAmbiguous},
		{"several disks", made(archive{entries: []forged{plain("MEMORY.md")}, disk: 1}), CodeMalformed},

		// What is not read.
		{"encrypted", made(of(forged{name: "memory/a.md", content: "abc", flags: flagEncrypted})), CodeEncrypted},
		{"strongly encrypted", made(of(forged{name: "memory/a.md", content: "abc", flags: flagStrong | flagEncrypted})), CodeEncrypted},
		{"flags that contradict", made(of(forged{name: "memory/a.md", content: "abc", localFlags: lie(uint16(flagEncrypted))})), CodeMalformed},
		{"bzip2", made(of(forged{name: "memory/a.md", content: "abc", method: 12})), CodeUnsupported},
		{"a method of its own", made(of(forged{name: "memory/a.md", content: "abc", method: 99})), CodeUnsupported},
		{"a symbolic link", made(of(forged{name: "memory/a.md", content: "/etc/passwd", attributes: unix(0o120777)})), CodeSpecialFile},
		{"a device", made(of(forged{name: "memory/a.md", content: "", attributes: unix(0o020666)})), CodeSpecialFile},
		{"a pipe", made(of(forged{name: "memory/a.md", content: "", attributes: unix(0o010666)})), CodeSpecialFile},
		{"a program that runs as another", made(of(forged{name: "memory/a.md", content: "x", attributes: unix(0o104755)})), CodeSpecialFile},
		{"a link on Windows", made(of(forged{name: "memory/a.md", content: "x", attributes: dosReparse})), CodeSpecialFile},
		{"a folder with contents", made(of(forged{name: "memory/", content: "x"})), CodeSpecialFile},
		{"a folder that is called a file", made(of(forged{name: "memory/a.md", content: "x", attributes: unix(0o040755)})), CodeSpecialFile},

		// The manifest.
		{"a manifest that is no JSON", made(of(forged{name: manifestName, content: "hello"})), CodeInvalidManifest},
		{"a manifest in UTF-16", made(of(forged{name: manifestName, content: "\xff\xfe{\x00}\x00"})), CodeInvalidManifest},
		{"a manifest of tomorrow", made(of(forged{name: manifestName, content: `{"version":2}`})), CodeUnknownVersion},
		{"a manifest of everybody's documents", made(of(forged{name: manifestName, content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","files":[{"path":"MEMORY.md","scope":"GLOBAL"}]}`})), CodeInvalidManifest},
		{"a manifest that lists one twice", made(of(forged{name: manifestName, content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","files":[{"path":"MEMORY.md","scope":"TEAM"},{"path":"MEMORY.md","scope":"TEAM"}]}`})), CodeInvalidManifest},
		{"a manifest with a sort order of its own", made(of(forged{name: manifestName, content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","files":[{"path":"MEMORY.md","scope":"TEAM","sortOrder":2000000}]}`})), CodeInvalidManifest},
		{"a manifest with a name as long as a book", made(of(forged{name: manifestName, content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","agentName":"` + strings.Repeat("x", 300) + `"}`})), CodeInvalidManifest},
		{"a manifest with a NUL", made(of(forged{name: manifestName, content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","agentName":"\u0000"}`})), CodeInvalidManifest},
	}
	for what, names := range map[Code][]string{
		CodeUnsafeName: {
			"/etc/passwd", "/MEMORY.md", "../MEMORY.md", "memory/../../SOUL.md", "memory/..", "./SOUL.md", "memory//a.md", "//server/a.md", `memory\a.md`,
			`..\SOUL.md`, "C:/SOUL.md", "c:SOUL.md", "memory/a\x00.md", "memory/a\n.md", "memory/\u202edm.a", "memory/\u200b.md", "..",
		},
		CodeNameEncoding: {"memory/\xff\xfe.md", "memory/caf\x82.md", "\xc0\xae\xc0\xae/SOUL.md", "memory/\xed\xa0\x80.md"},
		CodeDuplicateName: {
			"MEMORY.md", "memory.md", "Memory.MD", "MEMORY.md/",
		},
	} {
		for _, name := range names {
			corpus = append(corpus, hostile{fmt.Sprintf("name %q", name), made(of(forged{name: name})), what})
		}
	}
	for name, pair := range map[string][2]string{
		"composed and not": {"memory/caf\u00e9.md", "memory/cafe\u0301.md"}, "case": {"memory/a.md", "memory/A.md"}, "sharp s": {"memory/ss.md", "memory/ß.md"},
	} {
		corpus = append(corpus, hostile{"one name twice: " + name, made(of(plain(pair[0]), plain(pair[1]))), CodeDuplicateName})
	}
	return corpus
}

// overlapping are two entries whose data is the same: the first one's has the second one's header and data in it, as an
// uncompressed block quotes it.
func overlapping(tb testing.TB) []byte {
	tb.Helper()
	inner := archive{entries: []forged{plain("memory/b.md")}}.bytes(tb)
	local := string(inner[:localSize+len("memory/b.md")+len("# memory/b.md\n")])
	a := archive{entries: []forged{{name: "memory/a.md", content: local}, plain("memory/b.md")}}
	// The second entry is at the header in the first one's data, and has no bytes of its own.
	second := a.bytes(tb)
	at := uint32(strings.Index(string(second), local))
	first := localSize + len("memory/a.md") + len(local)
	a.entries[1].offset = lie(at)
	whole := a.bytes(tb)
	cut := len(local)
	whole = append(whole[:first:first], whole[first+cut:]...)
	end := len(whole) - endSize
	binary.LittleEndian.PutUint32(whole[end+16:], uint32(first))
	return whole
}

// Every hostile archive is refused as a whole, with its code, quickly, and without more memory than its limits allow.
func TestHostileArchivesAreRefused(t *testing.T) {
	for _, h := range corpus() {
		t.Run(h.name, func(t *testing.T) {
			data := h.archive(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			got, err := Read(data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Code != h.code || refused.Problem == "" {
				t.Fatalf("%v, want %s", err, h.code)
			}
			if len(got.Files) > 0 {
				t.Errorf("%d documents are taken all the same", len(got.Files))
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8*MaxTotalBytes {
				t.Errorf("%d bytes were allocated", allocated)
			}
			if took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// A byte of an honest archive that is changed or missing never makes it say something else: it is refused, or it is one of the few
// that mean nothing.
func TestDamagedArchives(t *testing.T) {
	honest := of(forged{name: "memory/a.md", content: "some words", method: methodDeflated}, forged{name: "memory/b.md", content: "more", descriptor: true}).bytes(t)
	want, err := Read(honest)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(honest) {
		if _, err := Read(honest[:cut]); err == nil {
			t.Errorf("the first %d of %d bytes are an archive", cut, len(honest))
		}
	}
	for at := range honest {
		for bit := range 8 {
			damaged := append([]byte(nil), honest...)
			damaged[at] ^= 1 << bit
			got, err := Read(damaged)
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
