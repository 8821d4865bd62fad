// Package snapshot writes an agent's documents to an archive, deterministically, and reads archives from untrusted
// sources. It performs no I/O.
//
// An archive is a ZIP file. manifest.json is the first file and describes the origin, the time and each document; the
// documents follow in order of name: TEAM documents under their path, PERSONAL ones of one owner under personal/. The
// archive does not name the owner: export and import use the owner of the request.
package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/memory"
)

// Limits of an archive. They are measured while it is inflated, whatever its headers say.
const (
	// MaxArchiveBytes bounds the archive as sent.
	MaxArchiveBytes = 16 << 20
	// MaxEntries bounds the entries, including folders and the manifest.
	MaxEntries = 500
	// MaxEntryBytes bounds one entry, inflated; it is the limit of a document.
	MaxEntryBytes = memory.MaxDocumentBytes
	// MaxTotalBytes bounds all entries together, inflated.
	MaxTotalBytes = 16 << 20
)

// File is one document of an archive.
type File struct {
	memory.Ref // TEAM or PERSONAL
	Content    string
	// Prompt is the document's place in the system prompt; nil: not specified.
	Prompt *Prompt
}

// Prompt is a document's place in the system prompt.
type Prompt struct {
	Enabled   bool `json:"enabled"`
	SortOrder int  `json:"sortOrder"`
}

// Origin describes where the documents of an archive come from.
type Origin struct {
	// ExportedAt is the time of the newest change: the point in time that the archive represents.
	ExportedAt time.Time `json:"exportedAt"`
	AgentID    string    `json:"agentId"`
	AgentName  string    `json:"agentName"`
}

// personalFolder contains the PERSONAL documents of an archive.
const personalFolder = "personal/"

// Name returns the name of a document's entry.
func Name(ref memory.Ref) string {
	if ref.Scope == memory.ScopePersonal {
		return personalFolder + ref.Path
	}
	return ref.Path
}

// Version is the version of the manifest format.
const Version = 1

// Manifest describes an archive. It is not signed, so it does not prove who made the archive.
type Manifest struct {
	Version int `json:"version"`
	Origin
	Files []Entry `json:"files"`
}

// Entry describes a document in a manifest.
type Entry struct {
	Path   string       `json:"path"`
	Scope  memory.Scope `json:"scope"`
	SHA256 string       `json:"sha256"` // hex, of the content
	Bytes  int          `json:"bytes"`
	Prompt
}

func (e Entry) ref() memory.Ref { return memory.Ref{Scope: e.Scope, Path: e.Path} }

// manifestOf describes files, in their order.
func manifestOf(origin Origin, files []File) Manifest {
	m := Manifest{Version: Version, Origin: origin, Files: []Entry{}}
	m.ExportedAt = origin.ExportedAt.UTC().Truncate(time.Microsecond)
	for _, f := range files {
		sum := sha256.Sum256([]byte(f.Content))
		e := Entry{Path: f.Path, Scope: f.Scope, SHA256: hex.EncodeToString(sum[:]), Bytes: len(f.Content)}
		if f.Prompt != nil {
			e.Prompt = *f.Prompt
		}
		m.Files = append(m.Files, e)
	}
	return m
}

// encode returns the canonical form of a manifest.
func (m Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// maxOriginText bounds the agent's id and name in a manifest, in bytes.
const maxOriginText = 255

// maxSortOrder bounds the absolute value of a sort order.
const maxSortOrder = 1_000_000

// parseManifest parses a manifest. It ignores unknown fields, which later versions may add.
func parseManifest(data []byte) (*Manifest, error) {
	var m Manifest
	if !utf8.Valid(data) {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "it must be UTF-8")
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "it is not a valid manifest in JSON")
	}
	if m.Version != Version {
		return nil, refuseEntry(CodeUnknownVersion, manifestName, "version %d is not supported, only version %d", m.Version, Version)
	}
	for _, text := range []string{m.AgentID, m.AgentName} {
		if len(text) > maxOriginText || strings.ContainsRune(text, 0) {
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "the agent's id and name must have at most %d bytes and no NUL",
				maxOriginText)
		}
	}
	if year := m.ExportedAt.Year(); year < 1 || year > 9999 {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "exportedAt is not a valid time")
	}
	if len(m.Files) > MaxEntries {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "it lists %d documents, at most %d are allowed", len(m.Files), MaxEntries)
	}
	seen := map[memory.Ref]bool{}
	for _, e := range m.Files {
		switch {
		case e.Scope != memory.ScopeTeam && e.Scope != memory.ScopePersonal:
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "documents must be TEAM or PERSONAL")
		case len(e.Path) > memory.MaxPathBytes || strings.ContainsRune(e.Path, 0):
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "paths must have at most %d bytes and no NUL", memory.MaxPathBytes)
		case e.SortOrder < -maxSortOrder || e.SortOrder > maxSortOrder:
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "sortOrder must be from %d to %d", -maxSortOrder, maxSortOrder)
		case seen[e.ref()]:
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "it lists a document twice")
		}
		seen[e.ref()] = true
	}
	return &m, nil
}

// describes reports whether the manifest describes exactly these files, unchanged.
func (m *Manifest) describes(files []File) bool {
	if m == nil || len(m.Files) != len(files) {
		return false
	}
	want := manifestOf(m.Origin, files)
	for i, e := range want.Files {
		if m.Files[i] != e {
			return false
		}
	}
	return true
}

const (
	manifestName = "manifest.json"
	notesFolder  = "memory/"
)

// rootDocuments are the documents outside of memory/ that a snapshot includes.
var rootDocuments = []string{
	memory.AgentsPath, memory.MemoryPath, memory.ProfilePath, memory.SoulPath, "KNOWLEDGE.md", "DREAMS.md",
}

// dated matches a name that begins with a day or consists of a month.
var dated = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:\D.*)?\.md$|^(\d{4}-\d{2})\.md$`)

// Listed reports whether a snapshot includes documents of this path: one of the documents that every agent may have
// at its root, or anything under memory/ whose name, if it looks like a date, is a valid one. Otherwise it returns
// the reason.
func Listed(path string) (bool, Reason) {
	if slices.Contains(rootDocuments, path) {
		return true, ""
	}
	if !strings.HasPrefix(path, notesFolder) {
		return false, SkippedUnlisted
	}
	if clean, err := memory.ParsePath(path); err != nil || clean != path {
		return false, SkippedUnlisted
	}
	if parts := dated.FindStringSubmatch(path[strings.LastIndex(path, "/")+1:]); parts != nil {
		_, noDay := time.Parse(time.DateOnly, parts[1])
		_, noMonth := time.Parse("2006-01", parts[2])
		if noDay != nil && noMonth != nil {
			return false, SkippedNoSuchDate
		}
	}
	return true, ""
}

// refOf returns the document for an entry's name.
func refOf(name string) memory.Ref {
	if path, personal := strings.CutPrefix(name, personalFolder); personal {
		return memory.Ref{Scope: memory.ScopePersonal, Path: path}
	}
	return memory.Ref{Scope: memory.ScopeTeam, Path: name}
}

// checkName refuses names that mean something else outside of the archive, and returns the name in Unicode normal
// form C. The name of a folder ends with a slash.
func checkName(raw string) (string, error) {
	if !utf8.ValidString(raw) {
		return "", refuseEntry(CodeNameEncoding, raw, "names must be UTF-8")
	}
	name := norm.NFC.String(raw)
	problem := ""
	switch {
	case name == "":
		problem = "it has no name"
	case strings.Contains(name, `\`):
		problem = "use / between folders, not a backslash"
	case strings.HasPrefix(name, "/"):
		problem = "remove the leading /, names are relative"
	case len(name) > 1 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z':
		problem = "remove the drive letter, names are relative"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
		problem = "remove invisible characters"
	default:
		for segment := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
			if segment == "" || segment == "." || segment == ".." {
				problem = `remove empty names, "." and ".."`
			}
		}
	}
	if problem != "" {
		return "", refuseEntry(CodeUnsafeName, raw, "%s", problem)
	}
	return name, nil
}

// sameName returns a key that is equal for names that collide on some file system: ignoring case, and for a file and
// a folder alike.
func sameName(name string) string {
	return norm.NFC.String(cases.Fold().String(strings.TrimSuffix(name, "/")))
}

// Endings and beginnings of archives and compressed files, which are never opened.
var (
	archiveEndings    = []string{".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst", ".jar"}
	archiveBeginnings = []string{
		"PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07", "\xfd7zXZ\x00",
		"\x28\xb5\x2f\xfd",
	}
)

// isArchive reports whether an entry is itself an archive.
func isArchive(name, content string) bool {
	for _, ending := range archiveEndings {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return true
		}
	}
	return slices.ContainsFunc(archiveBeginnings, func(b string) bool { return strings.HasPrefix(content, b) })
}
