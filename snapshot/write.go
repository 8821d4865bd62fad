package snapshot

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"reverie/memory"
)

const (
	dosEpoch     = 0x21      // 1980-01-01, the first date in ZIP: entries have no time
	madeOnUnix   = 3<<8 | 20 // with the permissions of a plain file
	plainFile    = 0o100644 << 16
	namesAreUTF8 = 0x800
)

// Write returns the archive of documents. The same input gives the same bytes: entries are stored uncompressed, since
// a compressor's output may change with its version. It returns a *RefusedError if the archive could not be read
// back: too many documents, too large in total, or two names that differ only in case.
func Write(origin Origin, files []File) ([]byte, error) {
	files = slices.Clone(files)
	sortFiles(files)
	if err := exportable(files); err != nil {
		return nil, err
	}
	manifest, err := manifestOf(origin, files).encode()
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := store(z, manifestName, manifest); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := store(z, Name(f.Ref), []byte(f.Content)); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if b.Len() > MaxArchiveBytes {
		return nil, refuse(CodeTooLarge, "the archive would have %d bytes, at most %d are allowed: export fewer documents", b.Len(),
			MaxArchiveBytes)
	}
	return b.Bytes(), nil
}

// store adds an entry without time, comment or extra field.
func store(z *zip.Writer, name string, content []byte) error {
	w, err := z.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Store, Flags: namesAreUTF8, CreatorVersion: madeOnUnix, ExternalAttrs: plainFile,
		ModifiedDate: dosEpoch, CRC32: crc32.ChecksumIEEE(content), //nolint:staticcheck // the raw field is written
		CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
	})
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

// Fits returns a *RefusedError if documents are too many, or too large in total, for one archive.
func Fits(documents, bytes int) error {
	switch {
	case documents+1 > MaxEntries: // the manifest is an entry, too
		return refuse(CodeTooManyEntries, "%d documents, at most %d fit into an archive: export fewer documents", documents, MaxEntries-1)
	case bytes > MaxTotalBytes:
		return refuse(CodeTotalTooLarge, "the documents have %d bytes in total, at most %d fit into an archive: export fewer documents",
			bytes, MaxTotalBytes)
	}
	return nil
}

// exportable refuses documents that could not be imported again.
func exportable(files []File) error {
	total := 0
	for _, f := range files {
		total += len(f.Content)
	}
	if err := Fits(len(files), total); err != nil {
		return err
	}
	seen := map[string]string{}
	for _, f := range files {
		name := Name(f.Ref)
		if listed, _ := Listed(f.Path); !listed || f.Scope == memory.ScopeGlobal {
			return refuseEntry(CodeCannotBeExported, name, "snapshots do not include this document")
		}
		if other, twice := seen[sameName(name)]; twice {
			return refuseEntry(CodeDuplicateName, name, "%s differs from it only in case: rename one of them", other)
		}
		seen[sameName(name)] = name
	}
	return nil
}

// sortFiles sorts files by the names of their entries.
func sortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(Name(a.Ref), Name(b.Ref)) })
}

// State describes a document without its content.
type State struct {
	memory.Ref
	Prompt
	SHA256 [sha256.Size]byte // of the content
}

// Digest returns a hash that identifies a set of documents, independent of their order.
func Digest(states []State) [sha256.Size]byte {
	states = slices.Clone(states)
	slices.SortFunc(states, func(a, b State) int { return strings.Compare(Name(a.Ref), Name(b.Ref)) })
	var text strings.Builder
	for _, s := range states {
		fmt.Fprintf(&text, "%q %s %t %d\n", Name(s.Ref), hex.EncodeToString(s.SHA256[:]), s.Enabled, s.SortOrder)
	}
	return sha256.Sum256([]byte(text.String()))
}

// Base is the version of a document that an import would change; 0: it does not exist.
type Base struct {
	memory.Ref
	Version int
	Prompt
	// After is the SHA-256 of the resulting content. It reveals changes that are not in a version, such as a
	// statement forgotten elsewhere.
	After [sha256.Size]byte
}

// Token binds an import to an archive, the choice of documents, the versions that it would change, and the resulting
// contents. It changes when any of these does.
func Token(archive [sha256.Size]byte, choice Choice, bases []Base) string {
	bases = slices.Clone(bases)
	slices.SortFunc(bases, func(a, b Base) int { return strings.Compare(Name(a.Ref), Name(b.Ref)) })
	h := sha256.New()
	h.Write(archive[:])
	fmt.Fprintf(h, "%s\n", choice)
	for _, b := range bases {
		fmt.Fprintf(h, "%q %t %d ", Name(b.Ref), b.Enabled, b.SortOrder)
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(b.Version)))
		h.Write(b.After[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// IsToken reports whether a text has the form of a Token.
func IsToken(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}
