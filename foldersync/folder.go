package foldersync

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"reverie/memory"
)

const (
	folderMode = 0o755
	fileMode   = 0o644
)

// ErrInUse means that another process works with the folder.
var ErrInUse = errors.New("another process works with this folder")

// Identity identifies the agent and owner of the documents in a folder.
type Identity struct {
	Agent string `json:"agent"`
	// Made is the creation time of the agent. It distinguishes agents that had the same name.
	Made  time.Time    `json:"made"`
	Owner memory.Owner `json:"owner,omitempty"` // of the documents at the root; empty: shared or unknown
	// Asked is the owner as given by the user; empty if the key is pinned to an owner.
	Asked string `json:"asked,omitempty"`
	// Personal is true if the root holds an owner's documents. The owner may be known to the server only.
	Personal bool `json:"personal"`
}

// Folder is a folder locked by this process. Close releases it.
type Folder struct {
	root    string
	own     string // below root
	lock    *flock.Flock
	records *records
	folds   bool // the file system is case-insensitive
	sights  map[string]sight
	gone    map[string]time.Time // when a known file was first found missing
	asides  map[string]time.Time // when a text was put aside
	settle  time.Duration
	now     func() time.Time
	// step is called before each effect with its name. Tests interrupt there.
	step func(string)
}

// Open creates the folder if necessary and locks it for this process. Files are read once they have been unchanged for
// settle. It returns ErrInUse if another process has locked the folder.
func Open(root string, settle time.Duration, now func() time.Time) (*Folder, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() { //nolint:gosec // the person who runs it names the folder
		return nil, fmt.Errorf("%s is a file: put it into a folder, and name the folder", root)
	}
	if err := os.MkdirAll(root, folderMode); err != nil { //nolint:gosec // the person who runs it names the folder
		return nil, fmt.Errorf("the folder %s cannot be made: %w", root, err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	f := &Folder{
		root: root, own: filepath.Join(root, stateFolder, "sync"), settle: settle, now: now, step: func(string) {},
		sights: map[string]sight{}, gone: map[string]time.Time{}, asides: map[string]time.Time{},
	}
	if err := os.MkdirAll(filepath.Join(f.own, "aside"), 0o700); err != nil { //nolint:gosec // as above
		return nil, err
	}
	f.lock = flock.New(filepath.Join(f.own, "lock"))
	got, err := f.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", root, err)
	}
	if !got {
		return nil, fmt.Errorf("%s: %w: stop it, or take another folder", root, ErrInUse)
	}
	if err := f.begin(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Folder) begin() (err error) {
	if f.records, err = openRecords(filepath.Join(f.own, "records")); err != nil {
		return err
	}
	if f.folds, err = foldsCase(f.own); err != nil {
		return err
	}
	return f.recover()
}

// Close releases the folder.
func (f *Folder) Close() error { return f.lock.Close() }

// Root returns the absolute path of the folder.
func (f *Folder) Root() string { return f.root }

// foldsCase reports whether the file system is case-insensitive. It creates a probe file.
func foldsCase(folder string) (bool, error) {
	probe := filepath.Join(folder, "case")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		return false, err
	}
	defer os.Remove(probe) //nolint:errcheck // a leftover is harmless
	_, err := os.Lstat(filepath.Join(folder, "CASE"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Bind records the identity of the folder's documents. It returns an error if the folder belongs to another identity.
func (f *Folder) Bind(id Identity) error {
	file := filepath.Join(f.own, "folder.json")
	content, err := os.ReadFile(file)
	var was Identity
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(content, &was); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := was.admits(id); err != nil {
			return fmt.Errorf("%s: %w", f.root, err)
		}
		if id.Owner == "" {
			id.Owner = was.Owner
		}
	}
	encoded, err := json.Marshal(id)
	if err != nil || string(encoded) == strings.TrimSpace(string(content)) {
		return err
	}
	return writeWhole(file, encoded, 0o600)
}

// Bound reports whether the folder is synchronized with an agent.
func (f *Folder) Bound() bool {
	_, err := os.Lstat(filepath.Join(f.own, "folder.json"))
	return err == nil
}

// admits returns an error if the documents belong to another agent or owner.
func (id Identity) admits(other Identity) error {
	const way = "take another folder, or remove its .reverie/sync to start over with what is in it"
	switch {
	case id.Agent != other.Agent:
		return fmt.Errorf("this folder is synced with the agent %s: %s", id.Agent, way)
	case !id.Made.Equal(other.Made):
		return fmt.Errorf("the agent %s is not the one that this folder was synced with: it was created later: %s", id.Agent, way)
	case id.Personal != other.Personal:
		return fmt.Errorf("this folder has %s and not %s: %s", id.whose(), other.whose(), way)
	case !id.sameOwner(other):
		return fmt.Errorf("this folder has documents of %s: %s", cmp.Or(string(id.Owner), "another owner"), way)
	}
	return nil
}

// sameOwner reports whether two identities have the same owner. If the owner of one is unknown because there are no
// documents, the owners given by the user are compared.
func (id Identity) sameOwner(other Identity) bool {
	if id.Owner != "" && other.Owner != "" {
		return id.Owner == other.Owner
	}
	return id.Asked == other.Asked && (id.Asked != "" || id.Owner == "")
}

func (id Identity) whose() string {
	if id.Personal {
		return "an owner's documents at its root"
	}
	return "shared documents at its root"
}

// record is the stored state of the document at one place. It is stored after the effect that it describes, except for a
// write to the server, which is recorded first.
type record struct {
	Place string `json:"place"`
	// Base is the last text that both sides had; nil: none.
	Base    *string  `json:"base,omitempty"`
	Pending *pending `json:"pending,omitempty"`
	// Held marks a file that is missing with all others: the document is not deleted without DeleteAll.
	Held bool `json:"held,omitempty"`
}

// pending is a write without a receipt. Repeated with the same key it is the same write, and its receipt reports
// the result.
type pending struct {
	Local   string  `json:"local"`             // text of the file
	Content *string `json:"content,omitempty"` // text to send, if different
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

// known is the part of a record that is cached in memory.
type known struct {
	base    Sum
	pending bool
	held    bool
}

// records stores the records of a folder, one file each, named after the place.
type records struct {
	folder string
	known  map[string]known // by place
}

// openRecords reads the existing records. An unreadable record counts as missing: both sides are then compared without a
// base, and differences are kept as conflicts.
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
			_ = os.Remove(filepath.Join(folder, e.Name())) // incomplete record
			continue
		}
		r, err := readRecord(filepath.Join(folder, e.Name()))
		if err != nil || out.file(r.Place) != filepath.Join(folder, e.Name()) {
			continue
		}
		out.known[r.Place] = known{r.base(), r.Pending != nil, r.Held}
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

// get returns the record of a place, or an empty one.
func (r *records) get(place string) (*record, error) {
	out, err := readRecord(r.file(place))
	if errors.Is(err, fs.ErrNotExist) {
		return &record{Place: place}, nil
	}
	return out, err
}

// put writes a record atomically.
func (r *records) put(rec *record) error {
	encoded, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if err := writeWhole(r.file(rec.Place), encoded, 0o600); err != nil {
		return err
	}
	r.known[rec.Place] = known{rec.base(), rec.Pending != nil, rec.Held}
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

// writeWhole writes a file atomically, also in case of a power failure.
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
