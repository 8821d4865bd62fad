package foldersync

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// aside tells what a file in the folder "aside" is: a text on its way to a place, or one that was taken away from there. Neither
// is anything new, unless somebody changed it at that very moment.
type aside struct {
	Place    string `json:"place"`
	Expected Sum    `json:"expected,omitempty"` // what was taken away
	New      Sum    `json:"new,omitempty"`      // what came
}

// putAside makes a name in the folder "aside", with what is to be known about it.
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

// clear removes what stands aside.
func (f *Folder) clear(side string) error {
	delete(f.asides, side)
	for _, name := range []string{side, side + ".part", side + noteSuffix} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// kept is a text that came at the moment in which its file was replaced.
type kept struct{ place, name string }

// sweep looks through what was put aside longer ago than the settling time. What is neither the old nor the new text was
// written by somebody at the very moment of replacing: it is kept as a conflict file.
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

// grace is how long what was replaced is kept: an editor may still have it open.
func (f *Folder) grace() time.Duration { return max(f.settle, time.Millisecond) }

// due is when the next sweep has something to do; zero: nothing is aside.
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
	if err := json.Unmarshal(content, &a); err != nil { // cut off before anything was put there
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

// recover finishes what an earlier process left aside when it was cut off.
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

// putBack ends a swapInSteps that was cut off.
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
