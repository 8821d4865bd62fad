package memory

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Role determines what a credential may do. Each role includes the previous ones: viewer < member < admin.
type Role string

const (
	// RoleViewer reads.
	RoleViewer Role = "viewer"
	// RoleMember reads, writes messages and memory, and may name the owner of each request.
	RoleMember Role = "member"
	// RoleAdmin also manages agents, keys and memory shared by the whole workspace.
	RoleAdmin Role = "admin"
)

var roleRank = map[Role]int{RoleViewer: 1, RoleMember: 2, RoleAdmin: 3}

// Valid reports whether r is one of the three roles.
func (r Role) Valid() bool { return roleRank[r] > 0 }

// Includes reports whether r may do everything that need may do. An unknown role includes nothing.
func (r Role) Includes(need Role) bool {
	return r.Valid() && need.Valid() && roleRank[r] >= roleRank[need]
}

// Owner identifies the person whose memory a row belongs to, as one prefixed string such as "user:7", "feishu:ou_1" or
// "api:42". The empty owner means shared memory.
type Owner string

const (
	// NoOwner is the owner of shared rows, and of requests that name no owner.
	NoOwner Owner = ""
	// SystemOwner is the owner of traffic without a person (cron, internal jobs).
	SystemOwner Owner = "system"
	// MaxOwnerBytes bounds an owner key.
	MaxOwnerBytes = 128
)

// ErrInvalidOwner is wrapped by every error of ParseOwner, ParsePerson and OwnerOf.
var ErrInvalidOwner = errors.New("invalid owner")

// ParseOwner validates a prefixed owner key: "system" or "<prefix>:<id>", at most MaxOwnerBytes of printable UTF-8, without
// spaces around the parts.
func ParseOwner(s string) (Owner, error) {
	if s == string(SystemOwner) {
		return SystemOwner, nil
	}
	prefix, id, found := strings.Cut(s, ":")
	switch {
	case !found || prefix == "" || id == "":
		return "", fmt.Errorf("%w %q: write it as <channel>:<id>, user:<id> or api:<id>", ErrInvalidOwner, s)
	case len(s) > MaxOwnerBytes:
		return "", fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrInvalidOwner, len(s), MaxOwnerBytes)
	case !utf8.ValidString(s) || strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return "", fmt.Errorf("%w: remove the characters that cannot be printed", ErrInvalidOwner)
	case strings.TrimSpace(id) != id || strings.TrimSpace(prefix) != prefix:
		return "", fmt.Errorf("%w %q: remove the spaces around its parts", ErrInvalidOwner, s)
	}
	return Owner(s), nil
}

// OwnerOf returns the owner that a request names in one of three ways: an owner key, a channel with its sender, or the end
// user of an API integration. It returns NoOwner if the request names nobody, and an error if it names different people.
func OwnerOf(owner, channel, sender, endUserID string) (Owner, error) {
	var named []string
	if owner != "" {
		named = append(named, owner)
	}
	switch {
	case channel != "" && sender != "":
		if channel == "web" {
			channel = "user" // the web console names its people by user id
		}
		named = append(named, channel+":"+sender)
	case channel != "" || sender != "":
		return "", fmt.Errorf("%w: give both channel and sender", ErrInvalidOwner)
	}
	if endUserID != "" {
		named = append(named, "api:"+endUserID)
	}
	named = slices.Compact(named)
	switch len(named) {
	case 0:
		return NoOwner, nil
	case 1:
		return ParseOwner(named[0])
	default:
		return "", fmt.Errorf("%w: the request names %d people, name one", ErrInvalidOwner, len(named))
	}
}

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// ValidSlug reports whether s can name a workspace or an agent: 1 to 63 characters of a-z, 0-9, "-" and "_", beginning with
// a letter or digit.
func ValidSlug(s string) bool { return slugPattern.MatchString(s) }

// Author identifies who made a version.
type Author struct {
	Kind       AuthorKind
	ID         string // key id, tool name, engine or model name
	WorkflowID string // for workflows only
	RunID      string // for workflows only
}

// ProcessPrefix begins the ids of workflows that write for business processes.
const ProcessPrefix = "write-memory/"

// AuthorKind distinguishes people from models and programs. Guards protect what a person wrote.
type AuthorKind string

const (
	// AuthorUser is a person using the API, the CLI or a page.
	AuthorUser AuthorKind = "user"
	// AuthorWorkflow is an extraction, a flush, or a business process.
	AuthorWorkflow AuthorKind = "workflow"
	// AuthorTool is an agent using a memory tool.
	AuthorTool AuthorKind = "tool"
	// AuthorImport is a snapshot or an import from another system.
	AuthorImport AuthorKind = "import"
	// AuthorSeed marks the initial text of every new agent.
	AuthorSeed AuthorKind = "seed"
	// AuthorDream is a dream. Later dreams ignore what it writes as news and as candidates.
	AuthorDream AuthorKind = "dream"
)

// Identity is the subject of a store call. The database checks it in every transaction and shows and accepts only permitted
// rows. A zero Identity sees nothing.
type Identity struct {
	Workspace string
	// Agent is the agent that the call concerns; empty for calls about the workspace (agents, keys).
	Agent string
	// Agents limits the credential to these agents; nil allows all agents of the workspace.
	Agents []string
	// Owner is the person whose PERSONAL rows are visible; NoOwner sees shared rows only.
	Owner Owner
	// OwnerID is the opaque id of Owner that a workflow was started for; zero: unknown. Once that owner is deleted, writes are refused,
	// even when there is one with the same key again.
	OwnerID uuid.UUID
	// AnyOwner shows rows of every owner of Agent, for example to find a conversation's owner or to list outcomes. It never
	// widens what may be written.
	AnyOwner bool
	// Pinned limits the credential to Owner. It never writes shared memory.
	Pinned bool
	Role   Role
	Author Author
	// Key is the id of the credential that a request came with; empty: none did. What it proposes it does not approve.
	Key string
}

// MayUseAgent reports whether the credential may use an agent.
func (id Identity) MayUseAgent(agent string) bool {
	return id.Agents == nil || slices.Contains(id.Agents, agent)
}

// For returns the identity for another agent and owner.
func (id Identity) For(agent string, owner Owner) Identity {
	id.Agent, id.Owner, id.OwnerID = agent, owner, uuid.Nil
	return id
}

// OwnerRef identifies an owner of an agent in workflow inputs and ids. Owner is an opaque id that does not identify the
// person.
type OwnerRef struct {
	Workspace string    `json:"workspace"`
	Agent     string    `json:"agent"`
	Owner     uuid.UUID `json:"owner"`
}

// InvalidError means that an argument cannot be used. Problem describes how to fix it.
type InvalidError struct {
	Field   string // as the API names it, such as messages[3].content
	Problem string
	Cause   error
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Problem }

// Unwrap returns the typed error that caused it, or nil.
func (e *InvalidError) Unwrap() error { return e.Cause }

// Plural formats a number with the form that fits it: "1 source waits", "2 sources wait".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// MaxName is the longest name, in bytes.
const MaxName = 255

// ValidName checks a display name.
func ValidName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return &InvalidError{Field: field, Problem: "give a name"}
	}
	return ValidText(field, name, MaxName)
}

// ValidText checks a text that is stored: UTF-8 without NUL, at most limit bytes. It returns an *InvalidError.
func ValidText(field, s string, limit int) error {
	switch {
	case len(s) > limit:
		return &InvalidError{Field: field, Problem: fmt.Sprintf("%d bytes, at most %d allowed", len(s), limit)}
	case !utf8.ValidString(s):
		return &InvalidError{Field: field, Problem: "must be valid UTF-8"}
	case strings.ContainsRune(s, 0):
		return &InvalidError{Field: field, Problem: "must not contain NUL characters"}
	}
	return nil
}
