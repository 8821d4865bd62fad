package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
)

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
