package foldersync

import (
	"errors"
	"io/fs"
	"os"
)

// oldSuffix names what swapInSteps took out of the way.
const oldSuffix = ".old"

// swapInSteps is swap for file systems that cannot do it at once. Cut off in the middle, b is missing and recover puts it back.
func swapInSteps(a, b string) error {
	if err := os.Rename(b, a+oldSuffix); err != nil {
		return err
	}
	if err := place(a, b); err != nil {
		return errors.Join(err, place(a+oldSuffix, b))
	}
	return os.Rename(a+oldSuffix, a)
}

// place moves a file to a name that must be free: it returns fs.ErrExist when it is not.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// No links here: look, then move.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
