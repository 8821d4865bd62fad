// Package memory is the domain of Reverie, free of I/O: paths, owners and identities, documents and their changes, messages, and
// the settings of extractions, flushes and dreams.
package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"reverie/memory/markdown"
	"reverie/scan"
)

// Scope is the set of people who can read a document.
type Scope string

const (
	// ScopePersonal documents are readable by their owner only.
	ScopePersonal Scope = "PERSONAL"
	// ScopeTeam documents are readable by everyone who uses the agent.
	ScopeTeam Scope = "TEAM"
	// ScopeGlobal documents are readable by all agents of the workspace. Only admins write them.
	ScopeGlobal Scope = "GLOBAL"
)

// Valid reports whether s is one of the three scopes.
func (s Scope) Valid() bool { return s == ScopePersonal || s == ScopeTeam || s == ScopeGlobal }

// The core documents of every agent.
const (
	AgentsPath  = "AGENTS.md"
	SoulPath    = "SOUL.md"
	ProfilePath = "PROFILE.md"
	MemoryPath  = "MEMORY.md"
)

// Ref names a document by scope and path, within an identity's agent and owner.
type Ref struct {
	Scope Scope
	Path  string
}

// Document is the current state of a document.
type Document struct {
	ID        uuid.UUID
	Scope     Scope
	Agent     string // empty for GLOBAL documents
	Owner     Owner  // NoOwner unless PERSONAL
	Path      string
	Enabled   bool // included in the system prompt
	SortOrder int  // ascending in the system prompt
	Deleted   bool
	Version   int // version of Content; 1 is the first
	Content   string
	SHA256    [32]byte // of Content
	UpdatedAt time.Time
	UpdatedBy Author
}

// Size returns the size of the content in bytes.
func (d Document) Size() int { return len(d.Content) }

// Op selects how a change is applied to the current document.
type Op string

const (
	// OpReplace sets the whole content. It requires Base if the document exists; a stale base is merged three ways by line.
	OpReplace Op = "replace"
	// OpAppend adds to the end after a blank line, and creates a missing document from Create. It is never stale.
	OpAppend Op = "append"
	// OpDelete marks the document as deleted. Its versions stay, and OpUndelete restores it.
	OpDelete Op = "delete"
	// OpUndelete restores a deleted document unchanged.
	OpUndelete Op = "undelete"
	// OpRestore makes the content of version Restore current, as a new version.
	OpRestore Op = "restore"
	// OpMerge applies Strategy to the current document under its lock, so that it is never stale.
	OpMerge Op = "merge"
	// OpImport imports a document from another system. Import decides what happens to an existing one. It is never stale.
	OpImport Op = "import"
)

// Change is a requested change of one document.
type Change struct {
	Ref
	Op      Op
	Content string // for OpReplace, OpAppend and OpMerge
	// Base is the version that the author has read; 0 means that the document did not exist. OpAppend and OpMerge ignore
	// it.
	Base int
	// Force replaces without checking Base. The old version stays in the history.
	Force   bool
	Create  string // for OpAppend: the beginning of a new document, such as "# 2026-11-21\n"
	Restore int    // for OpRestore
	// Strategy selects how OpMerge combines Content with the document.
	Strategy markdown.Strategy
	Import   ImportPolicy // for OpImport
	From     string       // for OpImport: name of the other system
	Reason   string
	Sources  Sources
	// Redacted are secrets that the author has replaced in Content before; they are recorded with those that the gate finds.
	Redacted []scan.Finding
	// Once leaves out the statements that the change adds and the document has got since the author read it: for OpReplace
	// those of versions after Base, in the same or in other words, for OpAppend those that the document has word for word.
	Once bool
	// Patch makes OpReplace never stale. Where others have changed the same lines, theirs stay, and the lines that the change
	// adds are put beside them.
	Patch bool
}

// Receipt is the result of a write. The same idempotency key returns the same receipt.
type Receipt struct {
	Key     string          `json:"key"`
	Token   string          `json:"token"` // read-your-writes: a read with this token sees at least this write
	Changes []ChangeReceipt `json:"changes"`
	// Replayed is true if the key was known and nothing was written this time. It is not stored.
	Replayed bool `json:"-"`
}

// ChangeReceipt is the result of one change.
type ChangeReceipt struct {
	Document uuid.UUID    `json:"document"` // zero: there is none, because all of it waits
	Scope    Scope        `json:"scope"`
	Path     string       `json:"path"`
	Version  int          `json:"version"` // 0: there is no document
	Created  bool         `json:"created"`
	Changed  bool         `json:"changed"` // false if nothing new was written: it was there already, or waits
	Merged   bool         `json:"merged"`
	Added    int          `json:"added"`   // lines
	Removed  int          `json:"removed"` // lines
	Bytes    int          `json:"bytes"`   // size of the document
	SHA256   string       `json:"sha256"`
	Verdict  scan.Verdict `json:"verdict"` // of the scan: allow or redact; quarantined content is never written
	// Withheld is true if statements that a person had asked to forget were left out.
	Withheld bool `json:"withheld,omitempty"`
	// Held is the number of statements that were left out because they instruct the assistant: they wait for a person.
	Held int `json:"held,omitempty"`
	// Aside is the number of statements that may instruct the assistant: they are in the note AsideIn instead.
	Aside   int    `json:"aside,omitempty"`
	AsideIn string `json:"asideIn,omitempty"`
	// Waiting is the number of lines that a person must approve; Approval is where they wait. With Waiting and no Approval, all of them
	// wait already or were refused before.
	Waiting  int       `json:"waiting,omitempty"`
	Approval uuid.UUID `json:"approval,omitzero"`
}

// MaxDocumentBytes bounds the content of a document.
const MaxDocumentBytes = 1 << 20

// ErrInvalidContent is wrapped by every error of ValidContent.
var ErrInvalidContent = errors.New("invalid content")

// ErrContentTooLarge wraps ErrInvalidContent for content over MaxDocumentBytes.
var ErrContentTooLarge = fmt.Errorf("%w", ErrInvalidContent)

// ValidContent checks that s can be stored as a document: UTF-8 without NUL, at most MaxDocumentBytes long. The error names
// the correction and repeats nothing of s.
func ValidContent(s string) error {
	switch {
	case len(s) > MaxDocumentBytes:
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrContentTooLarge, len(s), MaxDocumentBytes)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: use UTF-8", ErrInvalidContent)
	case strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("%w: remove the NUL characters", ErrInvalidContent)
	}
	return nil
}

// ImportPolicy decides what happens to an imported document whose path already exists. A document that is missing, deleted
// or unchanged since it was seeded is written under every policy.
type ImportPolicy string

const (
	// ImportMerge appends what the document lacks, under a heading.
	ImportMerge ImportPolicy = "merge"
	// ImportKeep keeps the existing document.
	ImportKeep ImportPolicy = "keep"
	// ImportOverwrite replaces the document. The previous version stays in the history.
	ImportOverwrite ImportPolicy = "overwrite"
)

// Valid reports whether p is one of the three policies.
func (p ImportPolicy) Valid() bool {
	return p == ImportMerge || p == ImportKeep || p == ImportOverwrite
}

// Outcomes of writes and imports, besides those of extractions.
const (
	// OutcomeUnchanged means that the document already had the content.
	OutcomeUnchanged Outcome = "unchanged"
	// OutcomeMerged means that missing statements were appended to an existing document.
	OutcomeMerged Outcome = "merged"
)

// Limits of imports. The size of a batch is bounded by the limit of API requests.
const (
	MaxImportItems  = 100_000 // per import
	MaxImportBatch  = 1000    // items per upload
	MaxImportKey    = 300     // bytes, of an item's key
	MaxImportLabel  = 200     // bytes, of a source's name
	MaxImportSource = 128     // bytes, of a source's identifier, such as a hash in hexadecimal
)

// IsSeed reports whether a document is unchanged since it was seeded, by this release or an earlier one.
func IsSeed(path, content string) bool {
	return slices.ContainsFunc(everySeed(), func(s Seed) bool { return s.Path == path && s.Content == content })
}

// ImportedHeading begins the heading of statements that an import has added to a document.
const ImportedHeading = "## Imported from "

// MergeImported appends the statements of incoming that current lacks under a heading "## Imported from <from>"; see
// AddMissing.
func MergeImported(current, incoming, from string) string {
	return markdown.AddMissing(current, incoming, ImportedHeading+from)
}
