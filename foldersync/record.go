package foldersync

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// record is what is known about the document of one place. It is written after the effect that it tells of; only a write that
// is on its way to the server is written down before.
type record struct {
	Place string `json:"place"`
	// Base is what both sides last had in common; nil: nothing.
	Base    *string  `json:"base,omitempty"`
	Pending *pending `json:"pending,omitempty"`
}

// pending is a write whose receipt is not there yet. Made again with the same key it is the same write, and its receipt tells
// what became of it.
type pending struct {
	Local   string  `json:"local"`             // what the file had
	Content *string `json:"content,omitempty"` // what is sent, when it is something else
	Match   string  `json:"match,omitempty"`
	Key     string  `json:"key"`
}

func (p pending) content() string {
	if p.Content == nil {
		return p.Local
	}
	return *p.Content
}

func (r *record) base() Sum {
	if r == nil || r.Base == nil {
		return ""
	}
	return SumOf(*r.Base)
}

// known is what is kept in memory of a record.
type known struct {
	base    Sum
	pending bool
}

// records are the records of a folder: one file each, named after the place.
type records struct {
	folder string
	known  map[string]known // by place
}

// openRecords reads what there is. A record that cannot be read is as good as none: the two sides are compared anew, and what
// differs is kept as a conflict.
func openRecords(folder string) (*records, error) {
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	out := &records{folder: folder, known: map[string]known{}}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			_ = os.Remove(filepath.Join(folder, e.Name())) // half of a record
			continue
		}
		r, err := readRecord(filepath.Join(folder, e.Name()))
		if err != nil || out.file(r.Place) != filepath.Join(folder, e.Name()) {
			continue
		}
		out.known[r.Place] = known{r.base(), r.Pending != nil}
	}
	return out, nil
}

func (r *records) file(place string) string {
	return filepath.Join(r.folder, string(SumOf(place))[:32]+".json")
}

func readRecord(file string) (*record, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := &record{}
	if err := json.Unmarshal(content, out); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return out, nil
}

// get is the record of a place; an empty one when there is none.
func (r *records) get(place string) (*record, error) {
	out, err := readRecord(r.file(place))
	if errors.Is(err, fs.ErrNotExist) {
		return &record{Place: place}, nil
	}
	return out, err
}

// put writes a record as a whole.
func (r *records) put(rec *record) error {
	encoded, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if err := writeWhole(r.file(rec.Place), encoded, 0o600); err != nil {
		return err
	}
	r.known[rec.Place] = known{rec.base(), rec.Pending != nil}
	return nil
}

func (r *records) drop(place string) error {
	delete(r.known, place)
	err := os.Remove(r.file(place))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeWhole writes a file that is there as a whole or not at all, also after a power failure.
func writeWhole(file string, content []byte, mode fs.FileMode) error {
	part := file + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(part, file)
}
