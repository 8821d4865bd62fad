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

// maxDocument bounds a document, in bytes, like the server.
const maxDocument = 1 << 20

// File is the file of a place.
type File struct {
	name    string // below the root as the file system spells it, which may be in another normal form
	Sum     Sum
	Problem string // why it cannot be a document; its Sum is empty then
}

// Listing is the content of a folder.
type Listing struct {
	Files map[string]File // by place
	// Moving are places at which something happens just now, or did within the settling time.
	Moving map[string]bool
	// Ignored are names that are not synced and are no programs' passing files, with the reason.
	Ignored map[string]string
	// Look is when to look again because of Moving.
	Look time.Time
}

// sight is a file as it was last seen. A file whose print is the same is not read again.
type sight struct {
	print fingerprint
	since time.Time // when this print was first seen
	sum   Sum       // empty: not read yet
	why   string
}

// fingerprint tells versions of a file apart without reading it.
type fingerprint struct {
	size  int64
	time  time.Time
	inode uint64
}

// Scan lists the folder. A file counts once nothing has happened to it for the settling time and no program has it open for
// writing; a file that is gone, once it has been gone for that long.
func (f *Folder) Scan() (*Listing, error) {
	l := &Listing{Files: map[string]File{}, Moving: map[string]bool{}, Ignored: map[string]string{}}
	err := filepath.WalkDir(f.root, func(file string, d fs.DirEntry, err error) error {
		if file == f.root {
			return err
		}
		if errors.Is(err, fs.ErrNotExist) { // gone meanwhile
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
			l.Ignored[name] = why // what was known below it is not gone: it cannot be seen
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
		return skip("it is no ordinary file")
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

// look reads a file that has settled.
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
	if age(now, info.ModTime()) < tick { // the next change may leave the same print
		seen.sum, seen.why = "", ""
	}
	f.sights[place] = seen
	return nil
}

// tick is the resolution of the modification times of file systems, with a margin.
const tick = 50 * time.Millisecond

// patienceFactor times the settling time bounds the wait for a program that keeps an unchanged file open for writing.
const patienceFactor = 20

// age returns the time since a modification; 0 for one in the future.
func age(now, at time.Time) time.Duration { return max(now.Sub(at), 0) }

func (l *Listing) moving(place string, look time.Time) {
	l.Moving[place] = true
	if l.Look.IsZero() || look.Before(l.Look) {
		l.Look = look
	}
}

// missing finds known files that are gone, and have not been gone for long.
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

// hides reports whether a place or a folder above it is ignored: what is not looked at is not gone.
func (l *Listing) hides(place string) bool {
	for at := place; at != "."; at = path.Dir(at) {
		if _, ignored := l.Ignored[at]; ignored {
			return true
		}
	}
	return false
}

// errMoved means that a file is not what it was a moment ago.
var errMoved = errors.New("the file was changed meanwhile")

// readDocument reads the file that was seen as print. Its error explains why it cannot be a document.
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

// unusableError means that a file can be no document.
type unusableError struct{ why string }

func (e *unusableError) Error() string { return e.why }

// readText reads a file as a document's text.
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

// reasonOf is an error of the file system without the path, which is named beside it.
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
