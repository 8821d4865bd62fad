package foldersync

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// text reads the text of a file. It returns errMoved if the file changed since it was listed.
func (f *Folder) text(file File) (string, error) {
	text, err := readText(f.path(file.name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && SumOf(text) != file.Sum {
		return "", errMoved
	}
	return text, err
}

func (f *Folder) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// put writes text to a place whose content is as listed in file, or that has no file. It returns errMoved and changes
// nothing if the place has other content.
func (f *Folder) put(where string, file File, text string) error {
	name := where
	if file.name != "" {
		name = file.name
	}
	target := f.path(name)
	if err := f.realFolders(name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), folderMode); err != nil {
		return err
	}
	mode := fs.FileMode(fileMode)
	if info, err := os.Lstat(target); err == nil && file.Sum != "" {
		mode = info.Mode().Perm()
	}
	side, err := f.putAside(aside{Place: where, Expected: file.Sum, New: SumOf(text)})
	if err != nil {
		return err
	}
	f.step("write " + where)
	if err := writeWhole(side, []byte(text), mode); err != nil {
		return errors.Join(err, f.clear(side))
	}
	if err := os.Chmod(side, mode); err != nil { // override the umask
		return errors.Join(err, f.clear(side))
	}
	f.step("place " + where)
	if file.Sum == "" {
		err := place(side, target)
		if errors.Is(err, fs.ErrExist) {
			err = errMoved
		}
		return errors.Join(err, f.clear(side))
	}
	return f.exchange(side, target, file.Sum)
}

// exchange swaps the file side with target, if target has the expected text. The old text is kept as side until sweep. If
// the swap took away another text, exchange swaps back and returns errMoved.
func (f *Folder) exchange(side, target string, expected Sum) error {
	if now, err := readText(target); err != nil || SumOf(now) != expected {
		return errors.Join(errMoved, f.clear(side))
	}
	if err := swap(side, target); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errMoved
		}
		return errors.Join(err, f.clear(side))
	}
	f.step("check " + target)
	was, err := readText(side)
	if err == nil && SumOf(was) == expected {
		f.asides[side] = f.now() // a program may still write to it
		return nil
	}
	err = swap(side, target)
	f.asides[side] = f.now()
	return errors.Join(errMoved, err)
}

// remove deletes the file at a place, if its content is as listed. Otherwise it returns errMoved.
func (f *Folder) remove(where string, file File) error {
	target := f.path(file.name)
	if err := f.realFolders(file.name); err != nil {
		return err
	}
	if !f.spelledSo(target) {
		return errMoved
	}
	side, err := f.putAside(aside{Place: where, Expected: file.Sum})
	if err != nil {
		return err
	}
	f.step("take " + where)
	if now, err := readText(target); err != nil || SumOf(now) != file.Sum {
		return errors.Join(errMoved, f.clear(side))
	}
	if err := os.Rename(target, side); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errMoved
		}
		return errors.Join(err, f.clear(side))
	}
	f.step("check " + where)
	f.asides[side] = f.now()
	if was, err := readText(side); err != nil || SumOf(was) != file.Sum {
		return errors.Join(errMoved, place(side, target)) // if that fails, sweep keeps the text
	}
	f.prune(path.Dir(where))
	return nil
}

// spelledSo reports whether a file has exactly this name. On a case-insensitive file system the path may resolve to a file
// with other case.
func (f *Folder) spelledSo(target string) bool {
	if !f.folds {
		return true
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() == filepath.Base(target) {
			return true
		}
	}
	return false
}

// prune removes folders that have become empty.
func (f *Folder) prune(folder string) {
	for ; folder != "." && folder != "/"; folder = path.Dir(folder) {
		if os.Remove(f.path(folder)) != nil { // it is not empty
			return
		}
	}
}

// keep writes text to a conflict file beside a place and returns its name. If a conflict file with the same text exists,
// keep returns that name.
func (f *Folder) keep(where, text string) (string, error) {
	if err := f.realFolders(where); err != nil {
		return "", err
	}
	folder := f.path(path.Dir(where))
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := path.Join(path.Dir(where), e.Name())
		if !conflictOf(where, name) {
			continue
		}
		if kept, err := readText(f.path(name)); err == nil && kept == text {
			return name, nil
		}
	}
	side, err := f.putAside(aside{Place: where, New: SumOf(text)})
	if err != nil {
		return "", err
	}
	if err := writeWhole(side, []byte(text), fileMode); err != nil {
		return "", errors.Join(err, f.clear(side))
	}
	f.step("keep " + where)
	for number := 1; ; number++ {
		name := conflictPlace(where, f.now(), number)
		err := place(side, f.path(name))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return name, errors.Join(err, f.clear(side))
	}
}

// realFolders returns an error for a place below a symbolic link, which may lead out of the folder.
func (f *Folder) realFolders(name string) error {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		info, err := os.Lstat(f.path(at))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder, or is a symbolic link to one", at)
		}
	}
	return nil
}

// aside describes a file in the folder "aside": a text to be placed, or a text that was replaced. A text with neither of the
// two checksums was written during the replacement.
type aside struct {
	Place    string `json:"place"`
	Expected Sum    `json:"expected,omitempty"` // checksum of the replaced text
	New      Sum    `json:"new,omitempty"`      // checksum of the new text
}

// putAside reserves a name in the folder "aside" and stores its description.
func (f *Folder) putAside(a aside) (string, error) {
	encoded, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	for number := f.now().UnixNano(); ; number++ {
		side := filepath.Join(f.own, "aside", strconv.FormatInt(number, 36))
		if _, err := os.Lstat(side + noteSuffix); err == nil {
			continue
		}
		return side, writeWhole(side+noteSuffix, encoded, 0o600)
	}
}

const noteSuffix = ".json"

// clear removes a file from the folder "aside".
func (f *Folder) clear(side string) error {
	delete(f.asides, side)
	for _, name := range []string{side, side + ".part", side + noteSuffix} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// kept is a conflict file with a text that was written during a replacement.
type kept struct{ place, name string }

// sweep checks the files that were put aside longer ago than the settling time, and removes them. A text that is neither the
// old nor the new one was written during the replacement; sweep keeps it as a conflict file.
func (f *Folder) sweep() ([]kept, error) {
	var found []kept
	for side, since := range f.asides {
		if f.now().Before(since.Add(f.grace())) {
			continue
		}
		k, err := f.sweepOne(side)
		if err != nil {
			return found, err
		}
		if k.name != "" {
			found = append(found, k)
		}
	}
	return found, nil
}

// grace returns the time for which a replaced text is kept: an editor may still have it open.
func (f *Folder) grace() time.Duration { return max(f.settle, time.Millisecond) }

// due returns the time of the next sweep, or zero if there is nothing to check.
func (f *Folder) due() (at time.Time) {
	for _, since := range f.asides {
		if due := since.Add(f.grace()); at.IsZero() || due.Before(at) {
			at = due
		}
	}
	return at
}

func (f *Folder) sweepOne(side string) (kept, error) {
	content, err := os.ReadFile(side + noteSuffix)
	if err != nil {
		return kept{}, err
	}
	var a aside
	if err := json.Unmarshal(content, &a); err != nil { // interrupted before the text was written
		return kept{}, f.clear(side)
	}
	text, err := os.ReadFile(side)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{}, f.clear(side)
	}
	if err != nil {
		return kept{}, err
	}
	if sum := SumOf(string(text)); sum == a.Expected || sum == a.New {
		return kept{}, f.clear(side)
	}
	name, err := f.keep(a.Place, string(text))
	if err != nil {
		return kept{}, err
	}
	return kept{a.Place, name}, f.clear(side)
}

// recover finishes the replacements of an earlier, interrupted process.
func (f *Folder) recover() error {
	folder := filepath.Join(f.own, "aside")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(folder, e.Name())
		switch {
		case strings.HasSuffix(file, noteSuffix):
			f.asides[strings.TrimSuffix(file, noteSuffix)] = time.Time{}
		case strings.HasSuffix(file, oldSuffix):
			if err := f.putBack(file); err != nil {
				return err
			}
		case strings.HasSuffix(file, ".part"):
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// putBack finishes an interrupted swapInSteps.
func (f *Folder) putBack(old string) error {
	side := strings.TrimSuffix(old, oldSuffix)
	content, err := os.ReadFile(side + noteSuffix)
	if err != nil {
		return err
	}
	var a aside
	if err := json.Unmarshal(content, &a); err != nil {
		return err
	}
	err = place(old, f.path(a.Place))
	if errors.Is(err, fs.ErrExist) { // the new text is there
		return os.Rename(old, side)
	}
	return err
}

// oldSuffix is the suffix of the file that swapInSteps has moved away.
const oldSuffix = ".old"

// swapInSteps is swap for file systems without an atomic exchange. If it is interrupted, b is missing until recover restores it.
func swapInSteps(a, b string) error {
	if err := os.Rename(b, a+oldSuffix); err != nil {
		return err
	}
	if err := place(a, b); err != nil {
		return errors.Join(err, place(a+oldSuffix, b))
	}
	return os.Rename(a+oldSuffix, a)
}

// place moves a file to a new name. It returns fs.ErrExist if the name is taken.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system has no hard links: check, then move.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
