// Package memory is the domain of Reverie, free of I/O: paths, owners and scopes, transcripts, proposals and their guards,
// merging, blame, scanning and budgets. It imports nothing of the other rooms.
package memory

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Scope says who reads a document.
type Scope string

const (
	// ScopePersonal documents are read by their owner only.
	ScopePersonal Scope = "PERSONAL"
	// ScopeTeam documents are read by everyone who uses the agent.
	ScopeTeam Scope = "TEAM"
	// ScopeGlobal documents are read by all agents of the workspace; only admins write them.
	ScopeGlobal Scope = "GLOBAL"
)

// Valid reports whether s is one of the three scopes.
func (s Scope) Valid() bool { return s == ScopePersonal || s == ScopeTeam || s == ScopeGlobal }

// The core documents that every agent has.
const (
	AgentsPath  = "AGENTS.md"
	SoulPath    = "SOUL.md"
	ProfilePath = "PROFILE.md"
	MemoryPath  = "MEMORY.md"
)

// Ref names a document: scope and path, within the identity's agent and owner.
type Ref struct {
	Scope Scope
	Path  string
}

// Document is the current state of a document.
type Document struct {
	ID        uuid.UUID
	Scope     Scope
	Agent     string // whose it is; empty when GLOBAL
	Owner     Owner  // NoOwner unless PERSONAL
	Path      string
	Enabled   bool // rendered into the system prompt
	SortOrder int  // ascending order in the system prompt
	Deleted   bool
	Version   int // the version shown; 1 is the first
	Content   string
	SHA256    [32]byte // of Content
	UpdatedAt time.Time
	UpdatedBy Author
}

// Size is the document's size in bytes.
func (d Document) Size() int { return len(d.Content) }

// Op is how a change is applied to the document as it is at that moment.
type Op string

const (
	// OpReplace sets the whole content. It needs Base when the document exists: a stale base is merged three ways by line.
	OpReplace Op = "replace"
	// OpAppend adds to the end after a blank line, creating the document from Create when there is none. It is never stale.
	OpAppend Op = "append"
	// OpDelete marks the document as deleted; its versions stay and Undelete brings it back.
	OpDelete Op = "delete"
	// OpUndelete brings a deleted document back as it was.
	OpUndelete Op = "undelete"
	// OpRestore makes the content of version Restore current again, as a new version.
	OpRestore Op = "restore"
	// OpMerge applies Strategy to the document as it is under the lock, so that it is never stale.
	OpMerge Op = "merge"
	// OpImport moves a document in from another system: Import says what becomes of one that is there. It is never stale.
	OpImport Op = "import"
)

// Change is one requested change of one document.
type Change struct {
	Ref
	Op      Op
	Content string // for OpReplace, OpAppend and OpMerge
	// Base is the version that the author had seen; 0 means: the document did not exist. Ignored by OpAppend and OpMerge.
	Base int
	// Force replaces without looking at Base: the author accepts to overwrite (the old version stays in the history).
	Force   bool
	Create  string // for OpAppend: what a new document starts with, such as "# 2026-11-21\n"
	Restore int    // for OpRestore
	// Strategy is how OpMerge puts Content into the document.
	Strategy Strategy
	Import   ImportPolicy // for OpImport
	From     string       // for OpImport: what the other system is called
	Reason   string
	Sources  Sources
}

// Receipt is the answer to a write; the same idempotency key gives the same receipt again.
type Receipt struct {
	Key     string          `json:"key"`
	Token   string          `json:"token"` // read-your-writes: a read that carries it sees at least this write
	Changes []ChangeReceipt `json:"changes"`
	// Replayed is true when the key was known and nothing was written now. It is not stored.
	Replayed bool `json:"-"`
}

// ChangeReceipt tells what became of one change.
type ChangeReceipt struct {
	Document uuid.UUID `json:"document"`
	Scope    Scope     `json:"scope"`
	Path     string    `json:"path"`
	Version  int       `json:"version"`
	Created  bool      `json:"created"`
	Changed  bool      `json:"changed"` // false when the content was already the same: no version was made
	Merged   bool      `json:"merged"`
	Added    int       `json:"added"`   // lines
	Removed  int       `json:"removed"` // lines
	Bytes    int       `json:"bytes"`   // size of the document now
	SHA256   string    `json:"sha256"`
	Verdict  Verdict   `json:"verdict"` // of the scan: allow or redact; quarantined content is never written
	// Withheld is true when statements were left out that a person had wanted forgotten.
	Withheld bool `json:"withheld,omitempty"`
}

// MaxDocumentBytes bounds the content of a document.
const MaxDocumentBytes = 1 << 20

// ErrInvalidContent is wrapped by every error of ValidContent.
var ErrInvalidContent = errors.New("invalid content")

// ErrContentTooLarge is the ErrInvalidContent that is wrapped by the error about too many bytes.
var ErrContentTooLarge = fmt.Errorf("%w", ErrInvalidContent)

// ValidContent checks that s can be the content of a document: UTF-8 without NUL, at most MaxDocumentBytes long. The error
// says what to do and repeats nothing of s.
func ValidContent(s string) error {
	switch {
	case len(s) > MaxDocumentBytes:
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrContentTooLarge, len(s), MaxDocumentBytes)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: write it in UTF-8", ErrInvalidContent)
	case strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("%w: remove the NUL characters", ErrInvalidContent)
	}
	return nil
}
