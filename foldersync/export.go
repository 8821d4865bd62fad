package foldersync

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"reverie/memory"
)

// Manifest lists the files written by an export. It is stored in .reverie/export.json below the folder.
type Manifest struct {
	Version  int            `json:"version"` // 1
	Agent    string         `json:"agent"`
	Owner    memory.Owner   `json:"owner,omitempty"`
	Personal bool           `json:"personal"` // the root holds an owner's documents, and team/ the shared ones
	Files    []ManifestFile `json:"files"`    // by place
}

// ManifestFile describes a written document.
type ManifestFile struct {
	Place   string       `json:"place"` // path of the file
	Scope   memory.Scope `json:"scope"`
	Path    string       `json:"path"` // of the document
	Version int          `json:"version"`
	SHA256  Sum          `json:"sha256"`
	Bytes   int          `json:"bytes"`
}

// Exported is the outcome of an export.
type Exported struct {
	Written   []string          `json:"written"`   // places
	Unchanged []string          `json:"unchanged"` // places whose files already have the text
	Kept      map[string]string `json:"kept"`      // files not written by an export or changed since, with the reason
	Gone      []string          `json:"gone"`      // files of an earlier export whose documents no longer exist; they are not deleted
	Skipped   map[string]string `json:"skipped"`   // documents that cannot be files, with the reason
}

const manifestVersion = 1

// Export writes all documents as plain files. It replaces an existing file only if the file is unchanged since an earlier
// export, or if force is set.
func Export(ctx context.Context, folder *Folder, remote Remote, id Identity, force bool) (Exported, error) {
	if folder.Bound() {
		return Exported{}, fmt.Errorf("%s is synced by `memory sync`: export to another folder", folder.root)
	}
	e := &export{
		folder: folder, remote: remote, layout: Layout{Personal: id.Personal}, force: force, files: map[string]ManifestFile{},
		done: Exported{Written: []string{}, Unchanged: []string{}, Kept: map[string]string{}, Gone: []string{}, Skipped: map[string]string{}},
	}
	was, err := e.read()
	if err != nil {
		return e.done, err
	}
	err = e.write(ctx, was)
	now := Manifest{Version: manifestVersion, Agent: id.Agent, Owner: id.Owner, Personal: id.Personal, Files: []ManifestFile{}}
	for _, place := range slices.Sorted(maps.Keys(e.files)) {
		now.Files = append(now.Files, e.files[place])
	}
	encoded, failed := json.MarshalIndent(now, "", "  ")
	if failed == nil { // also after an interruption: the manifest lists the written files
		failed = writeWhole(e.file(), append(encoded, '\n'), fileMode)
	}
	return e.done, errors.Join(err, failed)
}

type export struct {
	folder *Folder
	remote Remote
	layout Layout
	force  bool
	files  map[string]ManifestFile // by place
	done   Exported
}

func (e *export) file() string { return filepath.Join(e.folder.root, stateFolder, "export.json") }

// read loads the manifest of an earlier export.
func (e *export) read() (Manifest, error) {
	var was Manifest
	content, err := os.ReadFile(e.file())
	if errors.Is(err, fs.ErrNotExist) {
		return was, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &was)
	}
	if err != nil {
		return was, fmt.Errorf("%s: %w", e.file(), err)
	}
	for _, f := range was.Files {
		e.files[f.Place] = f
	}
	return was, nil
}

func (e *export) write(ctx context.Context, was Manifest) error {
	entries, err := e.remote.List(ctx)
	if err != nil {
		return err
	}
	listing, err := e.folder.Scan()
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Ref.Scope, b.Ref.Scope), cmp.Compare(a.Ref.Path, b.Ref.Path))
	})
	there := map[string]bool{}
	for _, entry := range entries {
		place, err := e.layout.Place(entry.Ref)
		if err == nil && e.folder.folds && there[folded(place)] {
			err = errors.New("name collides with another document on this file system")
		}
		if err != nil {
			e.done.Skipped[entry.Ref.Path] = err.Error()
			continue
		}
		there[folded(place)] = true
		if err := e.one(ctx, place, entry, listing.Files[place]); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	for _, f := range was.Files {
		if _, left := listing.Files[f.Place]; left && !there[folded(f.Place)] {
			e.done.Gone = append(e.done.Gone, f.Place)
		}
	}
	return nil
}

// one writes one document.
func (e *export) one(ctx context.Context, place string, entry Entry, file File) error {
	earlier := e.files[place].SHA256
	switch {
	case file.Problem != "":
		e.done.Kept[place] = file.Problem
		return nil
	case file.Sum != "" && file.Sum != entry.Sum && file.Sum != earlier && !e.force:
		e.done.Kept[place] = "it is not what an export wrote; --force overwrites it"
		return nil
	}
	found, err := e.remote.Read(ctx, entry.Ref)
	if errors.Is(err, ErrGone) { // deleted since it was listed
		return nil
	}
	if err != nil {
		return err
	}
	if file.Sum == found.Sum {
		e.done.Unchanged = append(e.done.Unchanged, place)
	} else {
		err := e.folder.put(place, file, found.Content)
		if errors.Is(err, errMoved) {
			e.done.Kept[place] = "it was changed at this moment"
			return nil
		}
		if err != nil {
			return err
		}
		e.done.Written = append(e.done.Written, place)
	}
	e.files[place] = ManifestFile{place, found.Ref.Scope, found.Ref.Path, found.Version, found.Sum, len(found.Content)}
	return nil
}
