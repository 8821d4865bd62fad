package store

import (
	"cmp"
	"fmt"
	"strings"

	"reverie/memory"
)

// sqlIdentity sets the identity of the transaction. It always sets all settings, so that none is left over from an earlier
// transaction of the connection.
const sqlIdentity = `select
    set_config('reverie.workspace', $1, true),
    set_config('reverie.agent', $2, true),
    set_config('reverie.agents', $3, true),
    set_config('reverie.owner', $4, true),
    set_config('reverie.any_owner', $5, true),
    set_config('reverie.admin', $6, true),
    set_config('reverie.writes', $7, true),
    set_config('reverie.key_hash', $8, true),
    set_config('reverie.purpose', $9, true)`

// settings is an identity as the database's policies see it (migrations/0001_foundation.sql defines each setting). The zero value
// sees nothing.
type settings struct {
	workspace, agent, agents, owner string
	anyOwner, admin                 bool
	writes                          reach
	keyHash                         string
	purpose                         purpose
}

func (s settings) args() []any {
	return []any{
		s.workspace, s.agent, s.agents, s.owner, onOff(s.anyOwner), onOff(s.admin), s.writes.String(), s.keyHash, string(s.purpose),
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

const (
	purposeSweep  purpose = "sweep"
	purposeStatus purpose = "status"
	// purposeProof allows reading the one key whose id is in key_hash; the caller then has to prove that it knows the secret.
	purposeProof purpose = "proof"
)

// reach is the widest scope that an identity may write.
type reach int

const (
	reachNone reach = iota
	reachPersonal
	reachTeam
	reachGlobal
)

func (r reach) String() string { return [...]string{"none", "personal", "team", "global"}[r] }

// reachOf returns what an identity may write: nothing for a viewer, PERSONAL for a pinned credential, GLOBAL for an admin who is
// not limited to some agents, and otherwise TEAM.
func reachOf(id memory.Identity) reach {
	switch {
	case !id.Role.Includes(memory.RoleMember):
		return reachNone
	case id.Pinned:
		return reachPersonal
	case id.Role.Includes(memory.RoleAdmin) && id.Agents == nil:
		return reachGlobal
	default:
		return reachTeam
	}
}

// isAdmin reports whether an identity may manage the agents that it may use.
func isAdmin(id memory.Identity) bool { return id.Role.Includes(memory.RoleAdmin) && !id.Pinned }

// settingsOf checks an identity before any SQL is sent and returns it as settings.
func settingsOf(id memory.Identity) (settings, error) {
	if id.Workspace == "" || !id.Role.Valid() {
		return settings{}, fmt.Errorf("%w: the request has no identity", ErrForbidden)
	}
	if id.Agent != "" && !id.MayUseAgent(id.Agent) {
		return settings{}, fmt.Errorf("%w: the credential is not for agent %s", ErrForbidden, id.Agent)
	}
	agents := "*"
	if id.Agents != nil {
		for _, agent := range id.Agents {
			if !memory.ValidSlug(agent) { // a comma or an asterisk would widen the list
				return settings{}, fmt.Errorf("%w: the credential is limited to %q, which is no agent", ErrForbidden, agent)
			}
		}
		agents = strings.Join(id.Agents, ",")
	}
	return settings{
		workspace: id.Workspace,
		agent:     id.Agent,
		agents:    agents,
		owner:     string(id.Owner),
		anyOwner:  id.AnyOwner && !id.Pinned,
		admin:     isAdmin(id),
		writes:    reachOf(id),
	}, nil
}

// requireAgent refuses an identity that names no agent.
func requireAgent(id memory.Identity) error {
	if id.Agent == "" {
		return &InvalidError{Field: "agent", Problem: "name the agent"}
	}
	return nil
}

// requireOwner refuses an identity that names no owner or no agent.
func requireOwner(id memory.Identity) error {
	if id.Owner == memory.NoOwner {
		return &InvalidError{Field: "owner", Problem: "name the owner, by owner, by channel and sender, or by endUserId"}
	}
	return requireAgent(id)
}

// requireWrite refuses read-only identities.
func requireWrite(id memory.Identity) error {
	if reachOf(id) == reachNone {
		return fmt.Errorf("%w: the credential is read-only", ErrForbidden)
	}
	return nil
}

// requireAgentWrite refuses identities that name no agent or are read-only.
func requireAgentWrite(id memory.Identity) error { return cmp.Or(requireAgent(id), requireWrite(id)) }

// requireOwnerWrite refuses identities that name no owner or are read-only.
func requireOwnerWrite(id memory.Identity) error { return cmp.Or(requireOwner(id), requireWrite(id)) }

// requireGlobal refuses all but admins of the whole workspace.
func requireGlobal(id memory.Identity) error {
	if reachOf(id) != reachGlobal {
		return fmt.Errorf("%w: an admin of the whole workspace is required", ErrForbidden)
	}
	return nil
}

// requireAdmin refuses all but admins.
func requireAdmin(id memory.Identity) error {
	if !isAdmin(id) {
		return fmt.Errorf("%w: an admin is required", ErrForbidden)
	}
	return nil
}

// requireTender refuses all but admins that read every owner: derived data is built and removed for all owners together.
func requireTender(id memory.Identity) error {
	if !isAdmin(id) || !id.AnyOwner {
		return fmt.Errorf("%w: an admin that reads every owner is required", ErrForbidden)
	}
	return nil
}
