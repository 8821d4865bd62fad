package imports

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// ErrTooManyFiles is returned if a source has more than MaxFiles files.
var ErrTooManyFiles = fmt.Errorf("more than %d files: choose the folder that contains the memory", MaxFiles)

// Tree lists the regular files of a source, by path with slashes. Links are not followed, and hidden files (a leading
// dot) are not listed.
type Tree struct {
	files   []file // by path
	hidden  []string
	skipped []Skipped
	open    func(name string) (io.ReadCloser, error)
	prefix  string // prefix of the names that open accepts
	// inflated counts the bytes inflated from an archive; nil if the tree is not an archive.
	inflated *atomic.Int64
}

// file is one regular file.
type file struct {
	path string
	at   time.Time // zero if unknown
}

// Reasons for skipping files.
const (
	reasonLink       = "a link: links are not followed, copy what it points to into the folder"
	reasonNotFile    = "not a regular file"
	reasonName       = "its name is not UTF-8: rename it"
	reasonHidden     = "hidden: state of the other program"
	reasonNoText     = "not UTF-8 text: save it as UTF-8"
	reasonTooLarge   = "larger than 1 MiB: split it into several documents"
	reasonEmpty      = "empty"
	reasonPermission = "cannot be read: check its permissions"
	reasonNoMemory   = "not Markdown"
	reasonTwice      = "has the same id as another item of this source, which is imported"
	reasonNothing    = "contains nothing to import"
	reasonNoDate     = "has no date anywhere"
	reasonUnread     = "is not valid in this format"
	reasonTooLong    = "larger than 64 MiB"
	reasonOtherKind  = "outside of the folder that contains the memory"
)

// Folder lists the files of a folder. Use os.OpenRoot's FS, so that nothing outside can be opened even if the folder
// changes concurrently. It returns ErrTooManyFiles, or the error of reading the root of fsys.
func Folder(fsys fs.FS) (*Tree, error) {
	t := &Tree{open: func(name string) (io.ReadCloser, error) { return fsys.Open(name) }}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, broken error) error {
		if name == "." {
			return broken
		}
		switch {
		case broken != nil:
			t.skip(name, reasonPermission)
			return fs.SkipDir
		case !utf8.ValidString(name):
			t.skip(strings.ToValidUTF8(name, "\uFFFD"), reasonName)
			return dirOrNil(entry)
		case isHidden(entry.Name()):
			t.hidden = append(t.hidden, name)
			return dirOrNil(entry)
		case entry.IsDir():
			return nil
		case entry.Type()&fs.ModeSymlink != 0:
			t.skip(name, reasonLink)
			return nil
		case !entry.Type().IsRegular():
			t.skip(name, reasonNotFile)
			return nil
		}
		f := file{path: name}
		if info, err := entry.Info(); err == nil {
			f.at = info.ModTime().UTC()
		}
		return t.add(f)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.files, byPath)
	return t, nil
}

// File returns a source of one file. Its name is used where the content has none.
func File(name string, at time.Time, open func() (io.ReadCloser, error)) *Tree {
	return &Tree{files: []file{{path: name, at: at.UTC()}}, open: func(string) (io.ReadCloser, error) { return open() }}
}

func dirOrNil(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// isHidden reports whether a name is one of state files, or of files that archivers and package managers add.
func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || name == "__MACOSX" || name == "node_modules"
}

func (t *Tree) add(f file) error {
	if len(t.files)+len(t.skipped) >= MaxFiles {
		return ErrTooManyFiles
	}
	t.files = append(t.files, f)
	return nil
}

func (t *Tree) skip(source, reason string) {
	t.skipped = append(t.skipped, Skipped{Source: source, Reason: reason})
}

func byPath(a, b file) int { return strings.Compare(a.path, b.path) }

// has reports whether there is a file of this path.
func (t *Tree) has(name string) bool {
	_, found := slices.BinarySearchFunc(t.files, file{path: name}, byPath)
	return found
}

// hasFolder reports whether there are files below the folder.
func (t *Tree) hasFolder(folder string) bool {
	at, _ := slices.BinarySearchFunc(t.files, file{path: folder + "/"}, byPath)
	return at < len(t.files) && strings.HasPrefix(t.files[at].path, folder+"/")
}

// below returns the tree of one folder.
func (t *Tree) below(folder string) *Tree {
	sub := &Tree{open: t.open, prefix: t.prefix + folder + "/", skipped: slices.Clone(t.skipped), inflated: t.inflated}
	for _, f := range t.files {
		if rest, inside := strings.CutPrefix(f.path, folder+"/"); inside {
			sub.files = append(sub.files, file{rest, f.at})
		} else {
			sub.skipped = append(sub.skipped, Skipped{Source: f.path, Reason: reasonOtherKind})
		}
	}
	for _, name := range t.hidden {
		if rest, inside := strings.CutPrefix(name, folder+"/"); inside {
			sub.hidden = append(sub.hidden, rest)
		}
	}
	return sub
}

// wrapper returns the one folder that contains everything, as created by archivers; empty if there is none.
func (t *Tree) wrapper() string {
	if len(t.files) == 0 {
		return ""
	}
	first, _, nested := strings.Cut(t.files[0].path, "/")
	if !nested {
		return ""
	}
	for _, f := range t.files {
		if !strings.HasPrefix(f.path, first+"/") {
			return ""
		}
	}
	return first
}

// named returns the files that match.
func (t *Tree) named(match func(name string) bool) []file {
	var out []file
	for _, f := range t.files {
		if match(f.path) {
			out = append(out, f)
		}
	}
	return out
}

// isJSON reports whether a name is that of an export.
func isJSON(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// read returns the content of a file of at most limit bytes, or errTooLarge.
func (t *Tree) read(name string, limit int) ([]byte, error) {
	r, err := t.open(t.prefix + name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(content) > limit {
		err = errTooLarge
	}
	return content, err
}

var errTooLarge = errors.New("too large")

// Limits of an archive, measured while it is inflated, because its headers cannot be trusted. An export of years has
// some gigabytes of JSON, which deflates to between a fifth and a twentieth.
const (
	// MaxInflatedBytes bounds the bytes inflated from an archive in one pass.
	MaxInflatedBytes = 16 << 30
	// maxInflation bounds the compression ratio of an entry, once it exceeds freeInflation bytes. Deflate reaches
	// 1,032; text stays far below 100.
	maxInflation  = 200
	freeInflation = 16 << 20
)

// ErrDamagedArchive is wrapped by the errors of an archive that cannot be read, or that is made to exhaust its
// reader.
var ErrDamagedArchive = errors.New("the archive cannot be read")

// Zip lists the files of an archive. It skips entries that are links, are encrypted, or have names that lead outside;
// of entries with the same name only the first is read. It returns ErrTooManyFiles or an error that wraps
// ErrDamagedArchive.
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
			t.skip(cmp.Or(name, "an entry without a name"), "its name leads outside of the archive, or is not a valid file name")
		case hiddenPart(name) != "":
			if part := hiddenPart(name); !hidden[part] {
				hidden[part] = true
				t.hidden = append(t.hidden, part)
			}
			if keepsState(entry) && entries[name] == nil {
				entries[name] = entry // read, but not imported
			}
		case entry.Mode()&fs.ModeSymlink != 0:
			t.skip(name, reasonLink)
		case !entry.Mode().IsRegular():
			t.skip(name, reasonNotFile)
		case entry.Flags&1 != 0:
			t.skip(name, "encrypted: unpack the archive and import the folder")
		case entries[name] != nil:
			t.skip(name, "a second entry with this name")
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

// keepsState reports whether an entry is readable state that Reverie stores in a folder.
func keepsState(entry *zip.File) bool {
	return strings.HasSuffix(hiddenPart(entry.Name), stateFolder) && entry.Mode().IsRegular() && entry.Flags&1 == 0
}

// hiddenPart returns name up to its first hidden segment; empty if it has none.
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

// inflated reads an entry and counts its inflated bytes.
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
