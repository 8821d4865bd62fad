package pg

import (
	"cmp"
	"fmt"
	"strings"

	"reverie/memory"
)

// SQLIdentity sets the identity of the transaction. It always sets all settings, so that none is left over from an earlier
// transaction of the connection.
const SQLIdentity = `select
    set_config('reverie.workspace', $1, true),
    set_config('reverie.agent', $2, true),
    set_config('reverie.agents', $3, true),
    set_config('reverie.owner', $4, true),
    set_config('reverie.any_owner', $5, true),
    set_config('reverie.admin', $6, true),
    set_config('reverie.writes', $7, true),
    set_config('reverie.key_hash', $8, true),
    set_config('reverie.purpose', $9, true)`

// Settings is an identity as the database's policies see it (migrations/0001_foundation.sql defines each setting). The zero value
// sees nothing.
type Settings struct {
	Workspace, Agent, agents, owner string
	AnyOwner, admin                 bool
	writes                          Reach
	KeyHash                         string
	Purpose                         purpose
}

// Args returns the arguments of SQLIdentity.
func (s Settings) Args() []any {
	return []any{
		s.Workspace, s.Agent, s.agents, s.owner, onOff(s.AnyOwner), onOff(s.admin), s.writes.String(), s.KeyHash, string(s.Purpose),
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return ""
}

// purpose widens what a transaction may read for a query that the store makes for itself.
type purpose string

// Purposes. The first two allow reading rows of all owners that wait for work.
const (
	PurposeSweep  purpose = "sweep"
	PurposeStatus purpose = "status"
	// PurposeProof allows reading the one key whose id is in key_hash; the caller then has to prove that it knows the secret.
	PurposeProof purpose = "proof"
	// PurposeSession allows opening, reading and ending the one web session whose hash is in key_hash.
	PurposeSession purpose = "session"
	// PurposeAudit allows appending to the audit log of the workspace.
	PurposeAudit purpose = "audit"
	// PurposeDelivery allows reading and replacing the secrets that sign webhooks.
	PurposeDelivery purpose = "delivery"
)

// Reach is the widest scope that an identity may write.
type Reach int

// The widest scope that an identity may write.
const (
	reachNone Reach = iota
	ReachPersonal
	ReachTeam
	ReachGlobal
)

func (r Reach) String() string { return [...]string{"none", "personal", "team", "global"}[r] }

// ReachOf returns what an identity may write: nothing for a viewer, PERSONAL for a pinned credential, GLOBAL for an admin who is
// not limited to some agents, and otherwise TEAM.
func ReachOf(id memory.Identity) Reach {
	switch {
	case !id.Role.Includes(memory.RoleMember):
		return reachNone
	case id.Pinned:
		return ReachPersonal
	case id.Role.Includes(memory.RoleAdmin) && id.Agents == nil:
		return ReachGlobal
	default:
		return ReachTeam
	}
}

// isAdmin reports whether an identity may manage the agents that it may use.
func isAdmin(id memory.Identity) bool { return id.Role.Includes(memory.RoleAdmin) && !id.Pinned }

// SettingsOf checks an identity before any SQL is sent and returns it as settings.
func SettingsOf(id memory.Identity) (Settings, error) {
	if id.Workspace == "" || !id.Role.Valid() {
		return Settings{}, fmt.Errorf("%w: the request has no identity", ErrForbidden)
	}
	if id.Agent != "" && !id.MayUseAgent(id.Agent) {
		return Settings{}, fmt.Errorf("%w: the credential is not for agent %s", ErrForbidden, id.Agent)
	}
	agents := "*"
	if id.Agents != nil {
		for _, agent := range id.Agents {
			if !memory.ValidSlug(agent) { // a comma or an asterisk would widen the list
				return Settings{}, fmt.Errorf("%w: the credential is limited to %q, which is not an agent", ErrForbidden, agent)
			}
		}
		agents = strings.Join(id.Agents, ",")
	}
	return Settings{
		Workspace: id.Workspace,
		Agent:     id.Agent,
		agents:    agents,
		owner:     string(id.Owner),
		AnyOwner:  id.AnyOwner && !id.Pinned,
		admin:     isAdmin(id),
		writes:    ReachOf(id),
	}, nil
}

// RequireAgent refuses an identity that names no agent.
func RequireAgent(id memory.Identity) error {
	if id.Agent == "" {
		return &InvalidError{Field: "agent", Problem: "name the agent"}
	}
	return nil
}

// RequireOwner refuses an identity that names no owner or no agent.
func RequireOwner(id memory.Identity) error {
	if id.Owner == memory.NoOwner {
		return &InvalidError{Field: "owner", Problem: "name the owner, by owner, by channel and sender, or by endUserId"}
	}
	return RequireAgent(id)
}

// RequireWrite refuses read-only identities.
func RequireWrite(id memory.Identity) error {
	if ReachOf(id) == reachNone {
		return fmt.Errorf("%w: the credential is read-only", ErrForbidden)
	}
	return nil
}

// RequireAgentWrite refuses identities that name no agent or are read-only.
func RequireAgentWrite(id memory.Identity) error { return cmp.Or(RequireAgent(id), RequireWrite(id)) }

// RequireOwnerWrite refuses identities that name no owner or are read-only.
func RequireOwnerWrite(id memory.Identity) error { return cmp.Or(RequireOwner(id), RequireWrite(id)) }

// RequireGlobal refuses all but admins of the whole workspace.
func RequireGlobal(id memory.Identity) error {
	if ReachOf(id) != ReachGlobal {
		return fmt.Errorf("%w: an admin of the whole workspace is required", ErrForbidden)
	}
	return nil
}

// RequireAdmin refuses all but admins.
func RequireAdmin(id memory.Identity) error {
	if !isAdmin(id) {
		return fmt.Errorf("%w: an admin is required", ErrForbidden)
	}
	return nil
}

// IsTender reports whether an identity may write what is derived for every owner: reverie_tends of the database.
func IsTender(id memory.Identity) bool { return isAdmin(id) && id.AnyOwner }

// RequireTender refuses all but admins that read every owner: derived data is built and removed for all owners together.
func RequireTender(id memory.Identity) error {
	if !IsTender(id) {
		return fmt.Errorf("%w: an admin that reads every owner is required", ErrForbidden)
	}
	return nil
}
