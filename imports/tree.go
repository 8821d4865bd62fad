package imports

import (
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
