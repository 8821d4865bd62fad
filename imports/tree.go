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

// ErrTooManyFiles is returned when a source has more than MaxFiles files.
var ErrTooManyFiles = fmt.Errorf("more than %d files: name the folder that has the memory", MaxFiles)

// Tree is what a source consists of: regular files, each by a path with slashes. Links are not followed, and what lies
// behind a name with a leading dot is not listed.
type Tree struct {
	files   []file // by path
	hidden  []string
	skipped []Skipped
	open    func(name string) (io.ReadCloser, error)
	prefix  string // of the names that open knows
	// inflated counts what reading has inflated of an archive; nil when the tree is none.
	inflated *atomic.Int64
}

// file is one regular file.
type file struct {
	path string
	at   time.Time // zero when it is not known
}

// Reasons for which files are left where they are.
const (
	reasonLink       = "a link: links are not followed, copy what it points to into the folder"
	reasonNotFile    = "not a regular file"
	reasonName       = "its name is not UTF-8: rename it"
	reasonHidden     = "hidden: the state of the program that keeps it"
	reasonNoText     = "not UTF-8 text: save it as UTF-8"
	reasonTooLarge   = "larger than 1 MiB: split it into several documents"
	reasonEmpty      = "empty"
	reasonPermission = "cannot be read: look at its permissions"
	reasonNoMemory   = "not Markdown"
	reasonTwice      = "has the same id as another one of this source, which is moved"
	reasonUnheard    = "says nothing that could be moved"
	reasonNoDate     = "has no date anywhere"
	reasonUnread     = "cannot be read as this format has it"
	reasonTooLong    = "larger than 64 MiB"
	reasonOtherKind  = "outside of the folder that has the memory"
)

// Folder lists the files of a folder. Give it os.OpenRoot's FS, so that nothing outside can be opened whatever happens
// to the folder meanwhile. It returns ErrTooManyFiles, or what fsys fails with at its root.
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

// File is a source of one file. Its name serves for what has no other name.
func File(name string, at time.Time, open func() (io.ReadCloser, error)) *Tree {
	return &Tree{files: []file{{path: name, at: at.UTC()}}, open: func(string) (io.ReadCloser, error) { return open() }}
}

func dirOrNil(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// isHidden finds the names of state, and of what archivers and package managers add.
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

// below is the tree of one folder.
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

// wrapper is the one folder that everything lies in, as archivers make it; empty when there is none.
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

// isJSON finds exports.
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

// read returns the content of a file of at most limit bytes; longer ones give errTooLarge.
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
