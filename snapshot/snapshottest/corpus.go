package snapshottest

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"reverie/snapshot"
)

// plain returns a valid document.
func plain(name string) forged { return forged{name: name, content: "# " + name + "\n"} }

// of returns an archive of a valid document and others.
func of(entries ...forged) archive {
	return archive{entries: append([]forged{plain("MEMORY.md")}, entries...)}
}

// Hostile is a malicious archive, and the code with which it must be refused.
type Hostile struct {
	Name string
	Make func(testing.TB) []byte
	Code snapshot.Code
}

func made(a archive) func(testing.TB) []byte { return a.bytes }

// Corpus returns malicious and damaged archives. Each also contains a valid document, which must not be imported.
func Corpus() []Hostile {
	zeros := strings.Repeat("\x00", snapshot.MaxEntryBytes)
	extra := func(id uint16, body string) string {
		return string(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, id), uint16(len(body)))) + body
	}
	unix := func(mode uint32) uint32 { return mode << modeInUpper }
	corpus := []Hostile{
		{"nothing", func(testing.TB) []byte { return nil }, snapshot.CodeEmpty},
		{"text", func(testing.TB) []byte { return []byte("# MEMORY\n") }, snapshot.CodeNotAnArchive},
		{"too many bytes", func(testing.TB) []byte { return make([]byte, snapshot.MaxArchiveBytes+1) }, snapshot.CodeTooLarge},
		{"no entries", made(archive{}), snapshot.CodeNoDocuments},
		{"no document", made(archive{entries: []forged{{name: "photo.png", content: "x"}}}), snapshot.CodeNoDocuments},

		// Three kinds of bombs, and the ways around limits.
		{"one entry of zeros", func(tb testing.TB) []byte {
			tb.Helper()
			return of(forged{name: "memory/zeros.md", content: strings.Repeat(zeros, 64), method: methodDeflated}).bytes(tb)
		}, snapshot.CodeEntryTooLarge},
		{"one entry of zeros that says it is small", func(tb testing.TB) []byte {
			tb.Helper()
			return of(forged{name: "memory/zeros.md", content: strings.Repeat(zeros, 64), method: methodDeflated, size: new(uint32(10))}).bytes(tb)
		}, snapshot.CodeEntryTooLarge},
		{"seventeen entries of a megabyte", func(tb testing.TB) []byte {
			tb.Helper()
			packed := deflate(tb, zeros)
			a := of()
			for n := range 17 {
				a.entries = append(a.entries, forged{
					name: fmt.Sprintf("memory/%d.md", n), packed: packed, method: methodDeflated,
					size: new(uint32(snapshot.MaxEntryBytes)), checksum: new(crc32.ChecksumIEEE([]byte(zeros))),
				})
			}
			return a.bytes(tb)
		}, snapshot.CodeTotalTooLarge},
		{"all entries are the same bytes", func(tb testing.TB) []byte {
			tb.Helper()
			a := archive{entries: []forged{{name: "memory/0.md", content: zeros, method: methodDeflated}}}
			packed := deflate(tb, zeros)
			for n := range 400 {
				a.entries = append(a.entries, forged{
					name: fmt.Sprintf("memory/%d.md", n+1), content: zeros, packed: packed,
					method: methodDeflated, share: 1, localName: "memory/0.md",
				})
			}
			return a.bytes(tb)
		}, snapshot.CodeMalformed}, // the name in the local header differs
		{"entries that quote each other's headers", overlapping, snapshot.CodeOverlapping},

		{"501 entries", func(tb testing.TB) []byte {
			tb.Helper()
			a := of()
			for n := range snapshot.MaxEntries {
				a.entries = append(a.entries, plain(fmt.Sprintf("memory/%d.md", n)))
			}
			return a.bytes(tb)
		}, snapshot.CodeTooManyEntries},
		{"501 folders", func(tb testing.TB) []byte {
			tb.Helper()
			a := of()
			for n := range snapshot.MaxEntries {
				a.entries = append(a.entries, forged{name: fmt.Sprintf("f%d/", n)})
			}
			return a.bytes(tb)
		}, snapshot.CodeTooManyEntries},
		{"501 entries that say they are 5", func(tb testing.TB) []byte {
			tb.Helper()
			a := of()
			for n := range snapshot.MaxEntries {
				a.entries = append(a.entries, plain(fmt.Sprintf("memory/%d.md", n)))
			}
			a.count = new(uint16(5))
			return a.bytes(tb)
		}, snapshot.CodeMalformed},
		{"more entries than there are", made(archive{entries: []forged{plain("MEMORY.md")}, count: new(uint16(2))}), snapshot.CodeMalformed},

		// Sizes and checksums.
		{"longer than it says", made(of(forged{name: "memory/a.md", content: "abc", size: new(uint32(2))})), snapshot.CodeWrongSize},
		{
			"shorter than it says", made(of(forged{name: "memory/a.md", content: "abc", method: methodDeflated, size: new(uint32(4))})),
			snapshot.CodeWrongSize,
		},
		{
			"data behind the deflated end",
			made(of(forged{name: "memory/a.md", content: "", method: methodDeflated, packed: []byte("\x03\x00hidden")})), snapshot.CodeWrongSize,
		},
		{
			"packed beyond the end", made(of(forged{name: "memory/a.md", content: "abc", packedSize: new(uint32(1 << 30))})),
			snapshot.CodeMalformed,
		},
		{"a wrong checksum", made(of(forged{name: "memory/a.md", content: "abc", checksum: new(uint32(7))})), snapshot.CodeWrongChecksum},
		{
			"a wrong checksum of what is no document", made(of(forged{name: "photo.png", content: "abc", checksum: new(uint32(7))})),
			snapshot.CodeWrongChecksum,
		},
		{"deflate that is none", made(of(forged{
			name: "memory/a.md", content: "abc", method: methodDeflated,
			packed: []byte("\xff\xff\xff"),
		})), snapshot.CodeMalformed},
		{"zip64 sizes", made(of(forged{name: "memory/a.md", content: "abc", size: new(uint32(noSize32))})), snapshot.CodeZip64},
		{
			"a zip64 field", made(of(forged{name: "memory/a.md", content: "abc", extra: extra(extraZip64, strings.Repeat("\x00", 16))})),
			snapshot.CodeZip64,
		},
		{"a zip64 end", func(tb testing.TB) []byte {
			tb.Helper()
			data := of().bytes(tb)
			end := len(data) - endSize
			locator := make([]byte, locatorSize)
			binary.LittleEndian.PutUint32(locator, locatorSignature)
			return append(append(append([]byte{}, data[:end]...), locator...), data[end:]...)
		}, snapshot.CodeZip64},
		{"as many entries as zip64 has", made(archive{entries: []forged{plain("MEMORY.md")}, count: new(uint16(noSize16))}), snapshot.CodeZip64},

		// Structure.
		{"bytes in front", made(archive{before: "#!/bin/sh\n", entries: []forged{plain("MEMORY.md")}}), snapshot.CodeDataOutside},
		{"bytes behind the entries", made(archive{between: "hidden", entries: []forged{plain("MEMORY.md")}}), snapshot.CodeDataOutside},
		{
			"bytes between entries", made(archive{entries: []forged{{name: "MEMORY.md", content: "a", behind: "hidden"}, plain("SOUL.md")}}),
			snapshot.CodeDataOutside,
		},
		{"bytes behind the end", func(tb testing.TB) []byte {
			tb.Helper()
			return append(of().bytes(tb), "hidden"...)
		}, snapshot.CodeNotAnArchive},
		{
			"the directory somewhere else", made(archive{entries: []forged{plain("MEMORY.md")}, offset: new(uint32(1 << 20))}),
			snapshot.CodeMalformed,
		},
		{"an entry somewhere else", made(of(forged{name: "memory/a.md", content: "abc", offset: new(uint32(3))})), snapshot.CodeMalformed},
		{
			"an entry beyond the archive", made(of(forged{name: "memory/a.md", content: "abc", offset: new(uint32(1 << 24))})),
			snapshot.CodeMalformed,
		},
		{"two names", made(of(forged{name: "memory/a.md", content: "abc", localName: "memory/b.md"})), snapshot.CodeMalformed},
		{"a second name in a field", made(of(forged{
			name: "memory/a.md", content: "abc",
			extra: extra(extraPath, "\x01\x00\x00\x00\x00SOUL.md"),
		})), snapshot.CodeAmbiguous},
		{"two ends", func(tb testing.TB) []byte {
			tb.Helper()
			inner := archive{}.bytes(tb)
			a := of()
			a.comment = string(inner)
			return a.bytes(tb)
		}, snapshot.CodeAmbiguous},
		{"a second end that is too long", func(tb testing.TB) []byte {
			tb.Helper()
			inner := archive{}.bytes(tb)
			inner[len(inner)-1] = 0xff // other readers take it for the end, and reject it as damaged or read it anyway
			a := of()
			a.comment = string(inner)
			return a.bytes(tb)
		}, snapshot.CodeAmbiguous},
		{"several disks", made(archive{entries: []forged{plain("MEMORY.md")}, disk: 1}), snapshot.CodeMalformed},

		// Entries that are never read.
		{"encrypted", made(of(forged{name: "memory/a.md", content: "abc", flags: flagEncrypted})), snapshot.CodeEncrypted},
		{"strongly encrypted", made(of(forged{name: "memory/a.md", content: "abc", flags: flagStrong | flagEncrypted})), snapshot.CodeEncrypted},
		{
			"flags that contradict", made(of(forged{name: "memory/a.md", content: "abc", localFlags: new(uint16(flagEncrypted))})),
			snapshot.CodeMalformed,
		},
		{"bzip2", made(of(forged{name: "memory/a.md", content: "abc", method: 12})), snapshot.CodeUnsupported},
		{"a method of its own", made(of(forged{name: "memory/a.md", content: "abc", method: 99})), snapshot.CodeUnsupported},
		{"a symbolic link", made(of(forged{name: "memory/a.md", content: "/etc/passwd", attributes: unix(0o120777)})), snapshot.CodeSpecialFile},
		{"a device", made(of(forged{name: "memory/a.md", content: "", attributes: unix(0o020666)})), snapshot.CodeSpecialFile},
		{"a pipe", made(of(forged{name: "memory/a.md", content: "", attributes: unix(0o010666)})), snapshot.CodeSpecialFile},
		{
			"a program that runs as another", made(of(forged{name: "memory/a.md", content: "x", attributes: unix(0o104755)})),
			snapshot.CodeSpecialFile,
		},
		{"a link on Windows", made(of(forged{name: "memory/a.md", content: "x", attributes: dosReparse})), snapshot.CodeSpecialFile},
		{"a folder with contents", made(of(forged{name: "memory/", content: "x"})), snapshot.CodeSpecialFile},
		{
			"a folder that is called a file", made(of(forged{name: "memory/a.md", content: "x", attributes: unix(0o040755)})),
			snapshot.CodeSpecialFile,
		},

		// The manifest.
		{"a manifest that is no JSON", made(of(forged{name: manifestName, content: "hello"})), snapshot.CodeInvalidManifest},
		{"a manifest in UTF-16", made(of(forged{name: manifestName, content: "\xff\xfe{\x00}\x00"})), snapshot.CodeInvalidManifest},
		{"a manifest of tomorrow", made(of(forged{name: manifestName, content: `{"version":2}`})), snapshot.CodeUnknownVersion},
		{
			"a manifest of everybody's documents",
			made(of(forged{
				name:    manifestName,
				content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","files":[{"path":"MEMORY.md","scope":"GLOBAL"}]}`,
			})),
			snapshot.CodeInvalidManifest,
		},
		{
			"a manifest that lists one twice",
			made(of(forged{
				name:    manifestName,
				content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","files":[{"path":"MEMORY.md","scope":"TEAM"},{"path":"MEMORY.md","scope":"TEAM"}]}`,
			})), snapshot.CodeInvalidManifest,
		},
		{
			"a manifest with a sort order of its own",
			made(of(forged{
				name:    manifestName,
				content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","files":[{"path":"MEMORY.md","scope":"TEAM","sortOrder":2000000}]}`,
			})),
			snapshot.CodeInvalidManifest,
		},
		{
			"a manifest with a name as long as a book",
			made(of(forged{
				name:    manifestName,
				content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","agentName":"` + strings.Repeat("x", 300) + `"}`,
			})),
			snapshot.CodeInvalidManifest,
		},
		{"a manifest with a NUL", made(of(forged{
			name:    manifestName,
			content: `{"version":1,"exportedAt":"2026-11-01T08:00:00Z","agentName":"\u0000"}`,
		})), snapshot.CodeInvalidManifest},
	}
	for what, names := range map[snapshot.Code][]string{
		snapshot.CodeUnsafeName: {
			"/etc/passwd", "/MEMORY.md", "../MEMORY.md", "memory/../../SOUL.md", "memory/..", "./SOUL.md", "memory//a.md", "//server/a.md",
			`memory\a.md`,
			`..\SOUL.md`, "C:/SOUL.md", "c:SOUL.md", "memory/a\x00.md", "memory/a\n.md", "memory/\u202edm.a", "memory/\u200b.md", "..",
		},
		snapshot.CodeNameEncoding: {"memory/\xff\xfe.md", "memory/caf\x82.md", "\xc0\xae\xc0\xae/SOUL.md", "memory/\xed\xa0\x80.md"},
		snapshot.CodeDuplicateName: {
			"MEMORY.md", "memory.md", "Memory.MD", "MEMORY.md/",
		},
	} {
		for _, name := range names {
			corpus = append(corpus, Hostile{fmt.Sprintf("name %q", name), made(of(forged{name: name})), what})
		}
	}
	for name, pair := range map[string][2]string{
		"composed and not": {"memory/caf\u00e9.md", "memory/cafe\u0301.md"}, "case": {"memory/a.md", "memory/A.md"},
		"sharp s": {"memory/ss.md", "memory/ß.md"},
	} {
		corpus = append(corpus, Hostile{"one name twice: " + name, made(of(plain(pair[0]), plain(pair[1]))), snapshot.CodeDuplicateName})
	}
	return corpus
}

// overlapping returns two entries with shared data: the first contains the header and data of the second in an
// uncompressed block.
func overlapping(tb testing.TB) []byte {
	tb.Helper()
	inner := archive{entries: []forged{plain("memory/b.md")}}.bytes(tb)
	local := string(inner[:localSize+len("memory/b.md")+len("# memory/b.md\n")])
	a := archive{entries: []forged{{name: "memory/a.md", content: local}, plain("memory/b.md")}}
	// The second entry points to the header inside the first one's data, and has no separate bytes.
	second := a.bytes(tb)
	at := uint32(strings.Index(string(second), local))
	first := localSize + len("memory/a.md") + len(local)
	a.entries[1].offset = new(at)
	whole := a.bytes(tb)
	cut := len(local)
	whole = append(whole[:first:first], whole[first+cut:]...)
	end := len(whole) - endSize
	binary.LittleEndian.PutUint32(whole[end+16:], uint32(first))
	return whole
}

// Honest returns a valid archive with a stored entry, a deflated one, and one with a data descriptor.
func Honest(tb testing.TB) []byte {
	tb.Helper()
	return of(forged{name: "memory/a.md", content: "some words", method: methodDeflated},
		forged{name: "memory/b.md", content: "more", descriptor: true}).bytes(tb)
}
