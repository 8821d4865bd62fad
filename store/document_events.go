package store

import (
	"github.com/google/uuid"

	"reverie/memory"
)

// changeDetail is what the journal says about a write, besides which document and version it was.
type changeDetail struct {
	Op       memory.Op        `json:"op,omitempty"`
	Strategy memory.Strategy  `json:"strategy,omitempty"` // of a merge
	Verdict  memory.Verdict   `json:"verdict"`
	Findings []memory.Finding `json:"findings,omitempty"` // class, rule and line, never the text
	Added    int              `json:"added,omitempty"`    // lines
	Removed  int              `json:"removed,omitempty"`  // lines
	Merged   bool             `json:"merged,omitempty"`
}

// changeEvent is the event of a new version.
func changeEvent(d *document, c *checked, v memory.Version) event {
	kind := EventDocumentWritten
	switch c.Op {
	case memory.OpDelete:
		kind = EventDocumentDeleted
	case memory.OpUndelete:
		kind = EventDocumentUndeleted
	}
	return event{
		kind: kind, agent: d.agent, scope: d.ref.Scope, owner: d.owner, path: d.ref.Path, version: v.Number,
		document: uuid.NullUUID{UUID: d.id, Valid: true},
		detail: changeDetail{
			Op: c.Op, Strategy: c.Strategy, Verdict: c.verdict, Findings: c.findings, Added: v.Added, Removed: v.Removed, Merged: v.Merged,
		},
	}
}

// quarantineEvent is the event of a text that was refused. It names no stored document: there may be none.
func quarantineEvent(id memory.Identity, refusal *QuarantineError) event {
	scope := refusal.Ref.Scope
	return event{
		kind: EventDocumentQuarantined, agent: rowAgent(id, scope), scope: scope, owner: rowOwner(id, scope), path: refusal.Ref.Path,
		detail: changeDetail{Verdict: memory.VerdictQuarantine, Findings: refusal.Findings},
	}
}

// promptEvent is the event of a document whose place in the system prompt was set.
func promptEvent(id memory.Identity, d memory.Document) event {
	return event{
		kind: EventDocumentPrompt, agent: rowAgent(id, d.Scope), scope: d.Scope, owner: d.Owner, path: d.Path, version: d.Version,
		document: uuid.NullUUID{UUID: d.ID, Valid: true},
		detail: struct {
			Enabled   bool `json:"enabled"`
			SortOrder int  `json:"sortOrder"`
		}{d.Enabled, d.SortOrder},
	}
}
