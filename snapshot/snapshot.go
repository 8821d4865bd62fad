// Package snapshot is an agent's documents as one archive: writing it so that the same documents give the same bytes, and
// reading it as something that anybody may have made. It is pure.
//
// An archive is a ZIP file. manifest.json comes first and says whose documents they are, of when, and what each of them is;
// then the documents by name: TEAM documents under their path, PERSONAL ones of one owner under personal/. Whose they are is
// not told: the owner is that of the request, at both ends.
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
	// MaxArchiveBytes bounds the archive as it is sent.
	MaxArchiveBytes = 16 << 20
	// MaxEntries bounds its entries, folders and manifest among them.
	MaxEntries = 500
	// MaxEntryBytes bounds one entry, inflated; it is what a document may have.
	MaxEntryBytes = memory.MaxDocumentBytes
	// MaxTotalBytes bounds all entries together, inflated.
	MaxTotalBytes = 16 << 20
)

// File is one document of an archive.
type File struct {
	memory.Ref // TEAM or PERSONAL
	Content    string
	// Prompt is the document's place in the system prompt; nil: the archive does not say.
	Prompt *Prompt
}

// Prompt is a document's place in the system prompt.
type Prompt struct {
	Enabled   bool `json:"enabled"`
	SortOrder int  `json:"sortOrder"`
}

// Origin says where the documents of an archive come from.
type Origin struct {
	// ExportedAt is when the newest of them was changed: the moment that the archive shows.
	ExportedAt time.Time `json:"exportedAt"`
	AgentID    string    `json:"agentId"`
	AgentName  string    `json:"agentName"`
}

// personalFolder is where PERSONAL documents stand in an archive.
const personalFolder = "personal/"

// Name is the name of a document's entry.
func Name(ref memory.Ref) string {
	if ref.Scope == memory.ScopePersonal {
		return personalFolder + ref.Path
	}
	return ref.Path
}

// Version is that of the manifest.
const Version = 1

// Manifest says what an archive is. It is not signed: it tells what was exported, and proves nothing about who made it.
type Manifest struct {
	Version int `json:"version"`
	Origin
	Files []Entry `json:"files"`
}

// Entry is what a manifest says about a document.
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

// encode is the one way in which a manifest is written.
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

// maxSortOrder bounds a sort order on both sides.
const maxSortOrder = 1_000_000

// parseManifest reads a manifest. Fields that it does not know are left alone: later versions may have more.
func parseManifest(data []byte) (*Manifest, error) {
	var m Manifest
	if !utf8.Valid(data) {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "write it in UTF-8")
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "it is not the JSON object that a snapshot has")
	}
	if m.Version != Version {
		return nil, refuseEntry(CodeUnknownVersion, manifestName, "its version is %d, this server reads version %d", m.Version, Version)
	}
	for _, text := range []string{m.AgentID, m.AgentName} {
		if len(text) > maxOriginText || strings.ContainsRune(text, 0) {
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "the agent's id and name have at most %d bytes, and no NUL", maxOriginText)
		}
	}
	if year := m.ExportedAt.Year(); year < 1 || year > 9999 {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "exportedAt is no moment of ours")
	}
	if len(m.Files) > MaxEntries {
		return nil, refuseEntry(CodeInvalidManifest, manifestName, "it lists %d documents, at most %d are allowed", len(m.Files), MaxEntries)
	}
	seen := map[memory.Ref]bool{}
	for _, e := range m.Files {
		switch {
		case e.Scope != memory.ScopeTeam && e.Scope != memory.ScopePersonal:
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "documents are TEAM or PERSONAL")
		case len(e.Path) > memory.MaxPathBytes || strings.ContainsRune(e.Path, 0):
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "paths have at most %d bytes, and no NUL", memory.MaxPathBytes)
		case e.SortOrder < -maxSortOrder || e.SortOrder > maxSortOrder:
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "sortOrder is from %d to %d", -maxSortOrder, maxSortOrder)
		case seen[e.ref()]:
			return nil, refuseEntry(CodeInvalidManifest, manifestName, "it lists a document twice")
		}
		seen[e.ref()] = true
	}
	return &m, nil
}

// tells reports whether the manifest is that of exactly these files, unchanged.
func (m *Manifest) tells(files []File) bool {
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

// rootDocuments are the documents outside of memory/ that a snapshot carries.
var rootDocuments = []string{
	memory.AgentsPath, memory.MemoryPath, memory.ProfilePath, memory.SoulPath, "KNOWLEDGE.md", "DREAMS.md",
}

// dated finds a name that begins with a day or, on its own, a month.
var dated = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:\D.*)?\.md$|^(\d{4}-\d{2})\.md$`)

// Listed reports whether a snapshot carries a document of this path: one of the documents that every agent may have at its
// root, or anything under memory/ whose name is a real date where it looks like one. Otherwise the reason says why not.
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

// refOf is the document that an entry of this name is.
func refOf(name string) memory.Ref {
	if path, personal := strings.CutPrefix(name, personalFolder); personal {
		return memory.Ref{Scope: memory.ScopePersonal, Path: path}
	}
	return memory.Ref{Scope: memory.ScopeTeam, Path: name}
}

// checkName refuses names that mean something else outside of an archive than in it, and returns the name in Unicode normal
// form C. A folder's ends in a slash.
func checkName(raw string) (string, error) {
	if !utf8.ValidString(raw) {
		return "", refuseEntry(CodeNameEncoding, raw, "write names in UTF-8")
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
		problem = "remove the characters that cannot be seen"
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

// sameName is equal for names that are one on some file system: whatever their case, and a file and a folder alike.
func sameName(name string) string {
	return norm.NFC.String(cases.Fold().String(strings.TrimSuffix(name, "/")))
}

// archives are endings and beginnings of archives and compressed files, which are never opened.
var (
	archiveEndings    = []string{".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst", ".jar"}
	archiveBeginnings = []string{"PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"}
)

// isArchive reports whether an entry is an archive itself.
func isArchive(name, content string) bool {
	for _, ending := range archiveEndings {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return true
		}
	}
	return slices.ContainsFunc(archiveBeginnings, func(b string) bool { return strings.HasPrefix(content, b) })
}
