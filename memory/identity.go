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

// Role is what a credential allows. Each role includes the ones before it: viewer < member < admin.
type Role string

const (
	// RoleViewer only reads.
	RoleViewer Role = "viewer"
	// RoleMember reads, writes messages and memory, and may name the owner of each request.
	RoleMember Role = "member"
	// RoleAdmin also manages agents, keys and memory shared by the whole workspace.
	RoleAdmin Role = "admin"
)

var roleRank = map[Role]int{RoleViewer: 1, RoleMember: 2, RoleAdmin: 3}

// Valid reports whether r is one of the three roles.
func (r Role) Valid() bool { return roleRank[r] > 0 }

// Includes reports whether r allows everything that need allows. An unknown role includes nothing.
func (r Role) Includes(need Role) bool {
	return r.Valid() && need.Valid() && roleRank[r] >= roleRank[need]
}

// Owner says whose memory a row is: one prefixed string such as "user:7", "feishu:ou_1" or "api:42".
// The empty owner stands for nobody in particular: shared memory only.
type Owner string

const (
	// NoOwner is the owner of shared rows and of requests that name nobody.
	NoOwner Owner = ""
	// SystemOwner is the owner of traffic without a person behind it (cron, internal jobs).
	SystemOwner Owner = "system"
	// MaxOwnerBytes bounds an owner key; a longer one is refused.
	MaxOwnerBytes = 128
)

// ErrInvalidOwner is wrapped by every error that ParseOwner and OwnerOf return.
var ErrInvalidOwner = errors.New("invalid owner")

// ParseOwner checks a prefixed owner key: "system" or "<prefix>:<id>", at most MaxOwnerBytes of printable UTF-8 without spaces around it.
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
		return "", fmt.Errorf("%w: it contains characters that cannot be printed", ErrInvalidOwner)
	case strings.TrimSpace(id) != id || strings.TrimSpace(prefix) != prefix:
		return "", fmt.Errorf("%w %q: remove the spaces around its parts", ErrInvalidOwner, s)
	}
	return Owner(s), nil
}

// OwnerOf normalises the three ways in which a request may name a person: a ready owner key, a channel with its sender,
// or the end user of an API integration. Naming nobody gives NoOwner; naming two different people is an error.
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
		return "", fmt.Errorf("%w: channel and sender belong together, give both", ErrInvalidOwner)
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
		return "", fmt.Errorf("%w: the request names %d different people, name one", ErrInvalidOwner, len(named))
	}
}

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// ValidSlug reports whether s can name a workspace or an agent: 1 to 63 of a-z, 0-9, "-" and "_", beginning with a letter or digit.
func ValidSlug(s string) bool { return slugPattern.MatchString(s) }

// Author is who made a version.
type Author struct {
	Kind       AuthorKind
	ID         string // key id, tool name, engine or model name
	WorkflowID string // set for workflows
	RunID      string // set for workflows
}

// AuthorKind tells people, models and machinery apart; guards protect what a person wrote.
type AuthorKind string

const (
	// AuthorUser is a person editing through the API, the CLI or a page.
	AuthorUser AuthorKind = "user"
	// AuthorWorkflow is an extraction or a flush.
	AuthorWorkflow AuthorKind = "workflow"
	// AuthorTool is an agent writing through a memory tool.
	AuthorTool AuthorKind = "tool"
	// AuthorImport is a snapshot or a migration from another system.
	AuthorImport AuthorKind = "import"
	// AuthorSeed is the text that every new agent starts with.
	AuthorSeed AuthorKind = "seed"
	// AuthorDream is a dream: what it writes is no news for the next one, and never becomes a candidate.
	AuthorDream AuthorKind = "dream"
)

// Identity is on whose behalf a store call is made. The database sees it in every transaction and shows and accepts
// only rows that it may see; a zero Identity sees nothing.
type Identity struct {
	Workspace string
	// Agent is the one agent that the call concerns; empty for calls about the workspace (agents, keys).
	Agent string
	// Agents limits the credential to these agents; nil means all of the workspace.
	Agents []string
	// Owner is the person whose PERSONAL rows are visible; NoOwner sees shared rows only.
	Owner Owner
	// AnyOwner lets the call see rows of every owner of Agent: the summarize endpoint finding a conversation's real
	// owner, an operator listing outcomes. It never widens what may be written.
	AnyOwner bool
	// Pinned credentials speak for Owner only; they never write shared memory.
	Pinned bool
	Role   Role
	Author Author
}

// MayUseAgent reports whether the credential is allowed to work with agent.
func (id Identity) MayUseAgent(agent string) bool {
	return id.Agents == nil || slices.Contains(id.Agents, agent)
}

// For returns the same identity about another agent and owner.
func (id Identity) For(agent string, owner Owner) Identity {
	id.Agent, id.Owner = agent, owner
	return id
}

// OwnerRef names one owner of one agent by references only, as workflow inputs and ids do: Owner is opaque and says
// nothing about the person.
type OwnerRef struct {
	Workspace string    `json:"workspace"`
	Agent     string    `json:"agent"`
	Owner     uuid.UUID `json:"owner"`
}
