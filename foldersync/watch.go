package foldersync

import (
	"io/fs"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// watcher tells that something happened in a folder or below it. What it was, a scan finds out.
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

// follow ends when the watcher is closed. An error, such as events that were lost, is answered by looking.
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

// add watches a folder and those below it. What cannot be watched is found by the scans that come anyway.
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
