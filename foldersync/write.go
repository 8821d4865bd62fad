package foldersync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// text reads the text at a place. It returns errMoved when that is not what was listed.
func (f *Folder) text(file File) (string, error) {
	text, err := readText(f.path(file.name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && SumOf(text) != file.Sum {
		return "", errMoved
	}
	return text, err
}

func (f *Folder) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// put makes text the content of a place that has what is listed as file, or nothing. It returns errMoved, and changes
// nothing, when there is something else.
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
	if err := os.Chmod(side, mode); err != nil { // whatever the umask says
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

// exchange puts what stands aside into a file that has the expected text, which then stands aside until sweep. When the file
// had another text it is put back.
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
		f.asides[side] = f.now() // somebody may still be writing into it
		return nil
	}
	err = swap(side, target)
	f.asides[side] = f.now()
	return errors.Join(errMoved, err)
}

// remove takes the file of a place away, if it has what is listed. It returns errMoved when it has something else.
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
		return errors.Join(errMoved, place(side, target)) // when that fails, sweep keeps it
	}
	f.prune(path.Dir(where))
	return nil
}

// spelledSo reports whether a file is called exactly so: where case is ignored, another one may answer to its name.
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

// keep writes text beside a place, as a conflict file, and returns its name. A text that is kept there already is not kept
// twice.
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

// realFolders refuses a place below a symbolic link, which leads out of the folder.
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
			return fmt.Errorf("%s is no folder, or a symbolic link to one", at)
		}
	}
	return nil
}
