package imports

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// Limits of an archive, measured while it is inflated: what it says about itself is not believed. An export of years has
// some gigabytes of JSON, which deflates to between a fifth and a twentieth.
const (
	// MaxInflatedBytes bounds what is inflated of an archive each time it is read.
	MaxInflatedBytes = 16 << 30
	// maxInflation bounds how much larger than its deflated form an entry may become, once it has freeInflation.
	// Deflate reaches 1,032; text stays far below 100.
	maxInflation  = 200
	freeInflation = 16 << 20
)

// ErrDamagedArchive is wrapped by the errors of an archive that cannot be read, or that is made to exhaust who reads it.
var ErrDamagedArchive = errors.New("the archive cannot be read")

// Zip lists the files of an archive. Entries that are links, are encrypted, or have names that lead elsewhere are skipped;
// of entries with the same name only the first is read. It returns ErrTooManyFiles or an error that wraps ErrDamagedArchive.
func Zip(r io.ReaderAt, size int64) (*Tree, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", ErrDamagedArchive, err)
	}
	if len(archive.File) > MaxFiles {
		return nil, ErrTooManyFiles
	}
	entries := make(map[string]*zip.File, len(archive.File))
	t := &Tree{inflated: &atomic.Int64{}}
	hidden := map[string]bool{}
	for _, entry := range archive.File {
		name := entry.Name
		switch {
		case strings.HasSuffix(name, "/"):
			continue
		case !utf8.ValidString(name) || entry.NonUTF8 && !isASCII(name):
			t.skip(strings.ToValidUTF8(name, "\uFFFD"), reasonName)
		case !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00"):
			t.skip(cmp.Or(name, "an entry without a name"), "its name leads out of the archive, or is none that a file can have")
		case hiddenPart(name) != "":
			if part := hiddenPart(name); !hidden[part] {
				hidden[part] = true
				t.hidden = append(t.hidden, part)
			}
			if keepsState(entry) && entries[name] == nil {
				entries[name] = entry // it is read, and not moved
			}
		case entry.Mode()&fs.ModeSymlink != 0:
			t.skip(name, reasonLink)
		case !entry.Mode().IsRegular():
			t.skip(name, reasonNotFile)
		case entry.Flags&1 != 0:
			t.skip(name, "encrypted: unpack the archive, and move the folder in")
		case entries[name] != nil:
			t.skip(name, "a second entry of this name")
		default:
			entries[name] = entry
			t.files = append(t.files, file{path: name, at: entry.Modified.UTC()})
		}
	}
	slices.SortFunc(t.files, byPath)
	slices.Sort(t.hidden)
	t.open = func(name string) (io.ReadCloser, error) {
		entry := entries[name]
		if entry == nil {
			return nil, fs.ErrNotExist
		}
		inflating, err := entry.Open()
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDamagedArchive, name, err)
		}
		return &inflated{ReadCloser: inflating, name: name, deflated: int64(min(entry.CompressedSize64, uint64(size))), all: t.inflated}, nil
	}
	return t, nil
}

// keepsState reports whether an entry is what Reverie keeps of a folder, and can be read.
func keepsState(entry *zip.File) bool {
	return strings.HasSuffix(hiddenPart(entry.Name), stateFolder) && entry.Mode().IsRegular() && entry.Flags&1 == 0
}

// hiddenPart is name up to its first hidden segment; empty when it has none.
func hiddenPart(name string) string {
	at := 0
	for segment := range strings.SplitSeq(name, "/") {
		at += len(segment)
		if isHidden(segment) {
			return name[:at]
		}
		at++
	}
	return ""
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// inflated is an entry that is being read, with what it has grown to.
type inflated struct {
	io.ReadCloser
	name     string
	deflated int64 // bytes in the archive
	got      int64
	all      *atomic.Int64 // of the archive
}

func (e *inflated) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.got += int64(n)
	switch {
	case e.got > freeInflation && e.got/maxInflation > e.deflated:
		return 0, fmt.Errorf("%w: %s grows to more than %d times its size", ErrDamagedArchive, e.name, maxInflation)
	case e.all.Add(int64(n)) > MaxInflatedBytes:
		return 0, fmt.Errorf("%w: it inflates to more than %d GiB", ErrDamagedArchive, MaxInflatedBytes>>30)
	case err != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("%w: %s: %w", ErrDamagedArchive, e.name, err)
	}
	return n, err
}
