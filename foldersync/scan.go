package foldersync

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/text/unicode/norm"
)

// maxDocument is the maximum size of a document in bytes, the same as on the server.
const maxDocument = 1 << 20

// File is the file at a place.
type File struct {
	name    string // path below the root, as stored in the file system; its Unicode normal form may differ
	Sum     Sum
	Problem string // why it cannot be a document; Sum is then empty
}

// Listing is the content of a folder.
type Listing struct {
	Files map[string]File // by place
	// Moving holds the places that changed within the settling time or are being written to.
	Moving map[string]bool
	// Ignored maps names that are not synced to the reason. Hidden and temporary files are not listed.
	Ignored map[string]string
	// Look is the time of the next scan for the places in Moving; zero if there are none.
	Look time.Time
}

// sight is the last observed state of a file. A file with an unchanged fingerprint is not read again.
type sight struct {
	print fingerprint
	since time.Time // first time with this fingerprint
	sum   Sum       // empty: not read yet
	why   string
}

// fingerprint identifies a version of a file without reading it.
type fingerprint struct {
	size  int64
	time  time.Time
	inode uint64
}

// Scan lists the folder. It reads a file once it has been unchanged for the settling time and no program has it open for
// writing. It reports a file as deleted once it has been missing for that time.
func (f *Folder) Scan() (*Listing, error) {
	l := &Listing{Files: map[string]File{}, Moving: map[string]bool{}, Ignored: map[string]string{}}
	err := filepath.WalkDir(f.root, func(file string, d fs.DirEntry, err error) error {
		if file == f.root {
			return err
		}
		if errors.Is(err, fs.ErrNotExist) { // deleted during the scan
			return nil
		}
		return f.visit(l, file, d, err)
	})
	if err != nil {
		return nil, err
	}
	f.missing(l)
	for place := range f.sights {
		if _, there := l.Files[place]; !there && !l.Moving[place] {
			delete(f.sights, place)
		}
	}
	return l, nil
}

func (f *Folder) visit(l *Listing, file string, d fs.DirEntry, failed error) error {
	relative, err := filepath.Rel(f.root, file)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(relative)
	skip := func(why string) error {
		if why != "" {
			l.Ignored[name] = why // files below it are not deleted, only not visible
		}
		if d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	switch {
	case d == nil || isHidden(d.Name()) || isTemporary(name):
		return skip("")
	case failed != nil:
		return skip("cannot be read: " + reasonOf(failed))
	case d.Type()&fs.ModeSymlink != 0:
		return skip("symbolic links are not followed")
	case d.IsDir():
		return nil
	case !d.Type().IsRegular():
		return skip("it is not a regular file")
	case !strings.HasSuffix(name, documentSuffix):
		return skip("only files whose name ends in .md are documents")
	case isConflict(name):
		return nil
	}
	place := norm.NFC.String(name)
	if other, twice := l.Files[place]; twice {
		return skip("there is " + other.name + " of the same name")
	}
	return f.look(l, place, name, file)
}

// look reads a file if it has settled.
func (f *Folder) look(l *Listing, place, name, file string) error {
	delete(f.gone, place)
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		l.Files[place] = File{name: name, Problem: reasonOf(err)}
		return nil
	}
	now := f.now()
	seen, found := f.sights[place]
	if is := printOf(info); !found || seen.print != is {
		seen = sight{print: is, since: now}
	}
	if seen.sum == "" && seen.why == "" {
		quiet := max(now.Sub(seen.since), age(now, info.ModTime()))
		if quiet < f.settle || quiet < patienceFactor*f.settle && beingWritten(file) {
			f.sights[place] = seen
			l.moving(place, now.Add(f.settle-min(quiet, f.settle/2)))
			return nil
		}
		seen.sum, seen.why, err = readDocument(file, seen.print)
		if errors.Is(err, errMoved) {
			l.moving(place, now.Add(f.settle))
			return nil
		}
		if err != nil {
			seen.why = reasonOf(err)
		}
	}
	l.Files[place] = File{name: name, Sum: seen.sum, Problem: seen.why}
	if age(now, info.ModTime()) < tick { // the next change may have the same fingerprint
		seen.sum, seen.why = "", ""
	}
	f.sights[place] = seen
	return nil
}

// tick is the resolution of file modification times, with a margin.
const tick = 50 * time.Millisecond

// patienceFactor times the settling time is the maximum wait for a program that keeps an unchanged file open for writing.
const patienceFactor = 20

// age returns the time since a modification, or 0 if it is in the future.
func age(now, at time.Time) time.Duration { return max(now.Sub(at), 0) }

func (l *Listing) moving(place string, look time.Time) {
	l.Moving[place] = true
	if l.Look.IsZero() || look.Before(l.Look) {
		l.Look = look
	}
}

// missing marks known files as moving that were deleted within the settling time.
func (f *Folder) missing(l *Listing) {
	now := f.now()
	for place, k := range f.records.known {
		if _, there := l.Files[place]; there || k.base == "" || l.Moving[place] || l.hides(place) {
			continue
		}
		since, known := f.gone[place]
		if !known {
			since = now
			f.gone[place] = now
		}
		if quiet := now.Sub(since); quiet < f.settle {
			l.moving(place, now.Add(f.settle-quiet))
		}
	}
}

// hides reports whether a place or a folder above it is ignored. Such a place does not count as deleted.
func (l *Listing) hides(place string) bool {
	for at := place; at != "."; at = path.Dir(at) {
		if _, ignored := l.Ignored[at]; ignored {
			return true
		}
	}
	return false
}

// errMoved means that a file changed since it was listed.
var errMoved = errors.New("the file was changed concurrently")

// readDocument reads a file with the given fingerprint. why explains why it cannot be a document. It returns errMoved if
// the file changed.
func readDocument(file string, is fingerprint) (sum Sum, why string, err error) {
	text, err := readText(file)
	if refused, found := errors.AsType[*unusableError](err); found {
		return "", refused.why, nil
	}
	if err != nil {
		return "", "", err
	}
	info, err := os.Lstat(file)
	if err != nil || printOf(info) != is {
		return "", "", errMoved
	}
	return SumOf(text), "", nil
}

// unusableError means that a file cannot be a document.
type unusableError struct{ why string }

func (e *unusableError) Error() string { return e.why }

// readText reads a file as the text of a document.
func readText(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxDocument:
		return "", &unusableError{fmt.Sprintf("it has more than %d bytes: split it", maxDocument)}
	case !utf8.Valid(content):
		return "", &unusableError{"it is not UTF-8: save it in that encoding"}
	case strings.ContainsRune(string(content), 0):
		return "", &unusableError{"it has a NUL character: remove it"}
	}
	return string(content), nil
}

// reasonOf returns the message of a file system error without the path.
func reasonOf(err error) string {
	if failed, found := errors.AsType[*fs.PathError](err); found {
		return failed.Err.Error()
	}
	if failed, found := errors.AsType[*os.LinkError](err); found {
		return failed.Err.Error()
	}
	return err.Error()
}

// watcher reports that something changed in a folder or below it. A scan finds out what.
type watcher struct {
	*fsnotify.Watcher
	root    string
	changed chan struct{} // holds one
}

func watch(root string) (*watcher, error) {
	under, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{Watcher: under, root: root, changed: make(chan struct{}, 1)}
	w.add(root)
	go w.follow()
	return w, nil
}

// follow forwards events until the watcher is closed. An error, such as lost events, counts as a change.
func (w *watcher) follow() {
	for {
		select {
		case e, open := <-w.Events:
			if !open {
				return
			}
			if isHidden(filepath.Base(e.Name)) || e.Has(fsnotify.Chmod) && e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				w.add(e.Name)
			}
		case _, open := <-w.Errors:
			if !open {
				return
			}
		}
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
}

// add watches a folder and those below it. Regular scans find changes in folders that cannot be watched.
func (w *watcher) add(folder string) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { //nolint:gosec // the person who runs it names the folder
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // it is gone or cannot be read: there is nothing to watch
		}
		if path != w.root && isHidden(d.Name()) {
			return fs.SkipDir
		}
		_ = w.Add(path)
		return nil
	})
}
