package setting

import (
	"time"

	"reverie/memory"
)

// ApprovalRule says which automatic changes of memory a person must approve.
type ApprovalRule string

// Approval rules.
const (
	// ApprovalOff: none.
	ApprovalOff ApprovalRule = "off"
	// ApprovalAll: every one.
	ApprovalAll ApprovalRule = "all"
	// ApprovalShared: those of documents that several people share (TEAM, GLOBAL), and of SOUL.md.
	ApprovalShared ApprovalRule = "shared"
	// ApprovalRemovals: those that remove or replace a line. What only adds is written.
	ApprovalRemovals ApprovalRule = "removals"
)

// ApprovalExpiry decides what happens to lines that nobody has decided about in time.
type ApprovalExpiry string

// Expiry policies.
const (
	ApprovalRefuse ApprovalExpiry = "refuse"
	ApprovalApply  ApprovalExpiry = "apply"
)

// ApprovalSettings are the resolved settings of approvals. The zero value requires none.
type ApprovalSettings struct {
	Rule   ApprovalRule   `json:"rule" from:"Approvals"`
	Days   int            `json:"days" from:"ApprovalDays"`
	Expiry ApprovalExpiry `json:"expiry" from:"ApprovalExpiry"`
}

// Approval returns the settings of approvals.
func (s Settings) Approval() ApprovalSettings {
	var out ApprovalSettings
	s.Resolve(&out)
	return out
}

// With returns s with the agent's overrides.
func (s ApprovalSettings) With(a AgentSettings) ApprovalSettings {
	a.Override(&s)
	return s
}

// Holds reports whether a person must approve automatic changes of a document: all of them, or only those that remove a line.
func (s ApprovalSettings) Holds(ref memory.Ref) (all, removals bool) {
	switch s.Rule {
	case ApprovalAll:
		return true, true
	case ApprovalShared:
		all = ref.Scope != memory.ScopePersonal || ref.Path == memory.SoulPath
		return all, all
	case ApprovalRemovals:
		return false, true
	}
	return false, false
}

// Expires returns when lines that wait from now on expire.
func (s ApprovalSettings) Expires(now time.Time) time.Time { return now.AddDate(0, 0, s.Days) }
