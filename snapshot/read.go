package snapshot

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"reverie/memory"
)

// Archive is what an archive has, after every byte of it was looked at.
type Archive struct {
	SHA256   [sha256.Size]byte // of the archive
	Bytes    int               // of the archive
	Manifest *Manifest         // nil: it has none, which is fine
	Files    []File            // by name
	Skipped  []Skipped         // in the order of the archive
	// Genuine says that the manifest tells of exactly these files as they are.
	Genuine bool
	// Edited are documents that are not what the manifest says: somebody changed them in the archive.
	Edited map[memory.Ref]bool
}

// Has reports whether there are documents of a scope.
func (a Archive) Has(scope memory.Scope) bool {
	return slices.ContainsFunc(a.Files, func(f File) bool { return f.Scope == scope })
}

// Read reads an archive that anybody may have made. Every entry is inflated, within the limits, whether it is a document or
// not: an archive that lies in one place is refused as a whole, as a *RefusedError. An entry that is no document is skipped.
func Read(data []byte) (Archive, error) {
	switch {
	case len(data) == 0:
		return Archive{}, refuse(CodeEmpty, "there is no archive: send a ZIP file")
	case len(data) > MaxArchiveBytes:
		return Archive{}, refuse(CodeTooLarge, "it has %d bytes, at most %d are allowed", len(data), MaxArchiveBytes)
	}
	records, err := directory(data)
	if err != nil {
		return Archive{}, err
	}
	a := Archive{SHA256: sha256.Sum256(data), Bytes: len(data)}
	seen := map[string]bool{}
	left := int64(MaxTotalBytes)
	for _, r := range records {
		name, err := checkName(r.name)
		if err != nil {
			return Archive{}, err
		}
		same := sameName(name)
		if seen[same] {
			return Archive{}, refuseEntry(CodeDuplicateName, r.name, "there is another one of this name, or one that differs by case alone")
		}
		seen[same] = true
		content, err := r.inflate(left)
		if err != nil {
			return Archive{}, err
		}
		left -= int64(len(content))
		if err := a.take(name, content); err != nil {
			return Archive{}, err
		}
	}
	if len(a.Files) == 0 {
		return Archive{}, refuse(CodeNoDocuments, "there is no document in it that could be imported: put MEMORY.md, memory/… and the like at its top")
	}
	sortFiles(a.Files)
	a.compare()
	return a, nil
}

// inflate unpacks an entry, of which there may be as much as is left of the archive's share.
func (r *record) inflate(left int64) (string, error) {
	packed := bytes.NewReader(r.data)
	from := io.Reader(packed)
	if r.method == methodDeflated {
		from = flate.NewReader(packed)
	}
	var content strings.Builder
	n, err := io.Copy(&content, io.LimitReader(from, min(left, MaxEntryBytes)+1))
	switch {
	case n > MaxEntryBytes:
		return "", refuseEntry(CodeEntryTooLarge, r.name, "it has more than %d bytes", MaxEntryBytes)
	case n > left:
		return "", refuse(CodeTotalTooLarge, "its entries have more than %d bytes together", MaxTotalBytes)
	case err != nil:
		return "", refuseEntry(CodeMalformed, r.name, "it cannot be unpacked")
	case n != r.size || packed.Len() > 0:
		return "", refuseEntry(CodeWrongSize, r.name, "it is longer or shorter than it says")
	case crc32.ChecksumIEEE([]byte(content.String())) != r.checksum:
		return "", refuseEntry(CodeWrongChecksum, r.name, "its checksum is wrong: it was damaged on the way")
	}
	return content.String(), nil
}

// take decides what an entry is.
func (a *Archive) take(name, content string) error {
	skip := func(reason Reason) error {
		a.Skipped = append(a.Skipped, Skipped{Filename: name, Reason: reason})
		return nil
	}
	if name == manifestName {
		manifest, err := parseManifest([]byte(content))
		a.Manifest = manifest
		if err != nil {
			return err
		}
		return skip(SkippedManifest)
	}
	if strings.HasSuffix(name, "/") {
		return skip(SkippedFolder)
	}
	ref := refOf(name)
	listed, reason := Listed(ref.Path)
	switch {
	case isArchive(name, content):
		return skip(SkippedArchive)
	case !listed:
		return skip(reason)
	case memory.ValidContent(content) != nil: // its length is checked
		return skip(SkippedNoText)
	}
	a.Files = append(a.Files, File{Ref: ref, Content: content})
	return nil
}

// compare tells files by the manifest: their places in the system prompt, and which are not as it says.
func (a *Archive) compare() {
	if a.Manifest == nil {
		return
	}
	listed := map[memory.Ref]Entry{}
	for _, e := range a.Manifest.Files {
		listed[e.ref()] = e
	}
	a.Edited = map[memory.Ref]bool{}
	for i := range a.Files {
		f := &a.Files[i]
		e, known := listed[f.Ref]
		if known {
			f.Prompt = &Prompt{Enabled: e.Enabled, SortOrder: e.SortOrder}
			delete(listed, f.Ref)
		}
		if sum := sha256.Sum256([]byte(f.Content)); !known || e.SHA256 != hex.EncodeToString(sum[:]) {
			a.Edited[f.Ref] = true
		}
	}
	there := map[string]bool{}
	for _, s := range a.Skipped {
		there[s.Filename] = true
	}
	for _, e := range a.Manifest.Files {
		if _, missing := listed[e.ref()]; missing && !there[Name(e.ref())] {
			a.Skipped = append(a.Skipped, Skipped{Filename: Name(e.ref()), Reason: SkippedMissing})
		}
	}
	a.Genuine = a.Manifest.tells(a.Files)
}
