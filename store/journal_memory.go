package store

import (
	"encoding/hex"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/search"
)

// recallDetail is what the journal tells of a recall: not what was asked nor what was found, but where.
type recallDetail struct {
	QueryHash string      `json:"queryHash"` // hexadecimal, keyed with the workspace by who recorded it
	Synthetic bool        `json:"synthetic"`
	Results   int         `json:"results"`
	Hits      []recallHit `json:"hits"`
}

// recallHit is one result, the best first.
type recallHit struct {
	Corpus    search.Corpus `json:"corpus"`
	Scope     memory.Scope  `json:"scope"`
	Path      string        `json:"path"`
	StartLine int           `json:"startLine"`
	EndLine   int           `json:"endLine"`
	Score     float64       `json:"score"`
}

// queueRecallEvent queues what the journal tells of a recall, in the identity that the transaction has at that moment.
func queueRecallEvent(b *pgx.Batch, t *tx, r Recall) error {
	scope := memory.ScopePersonal
	if r.Identity.Owner == memory.NoOwner {
		scope = memory.ScopeTeam
	}
	detail := recallDetail{QueryHash: hex.EncodeToString(r.QueryHash[:]), Synthetic: r.Synthetic, Results: len(r.Hits), Hits: make([]recallHit, len(r.Hits))}
	for i, h := range r.Hits {
		detail.Hits[i] = recallHit{h.Corpus, h.Scope, h.Path, h.FromLine, h.ToLine, h.Score}
	}
	return queueEvent(b, t, event{
		kind: EventRecallRecorded, agent: r.Identity.Agent, scope: scope, owner: rowOwner(r.Identity, scope), detail: detail,
	})
}

// promotionDetail is what the journal tells of statements that a dream wrote to MEMORY.md: their hashes.
type promotionDetail struct {
	Dream    uuid.UUID        `json:"dream"`
	Promoted int              `json:"promoted"`
	Entries  []memory.EntryID `json:"entries"`
}

// queuePromotionEvent queues what the journal tells of a MEMORY.md that a dream has written.
func (o *openDream) queuePromotionEvent(b *pgx.Batch, written memory.ChangeReceipt, weighed []dream.Candidate) error {
	detail := promotionDetail{Dream: o.ID, Entries: []memory.EntryID{}}
	for _, c := range weighed {
		if c.Verdict == dream.VerdictPromoted {
			detail.Entries = append(detail.Entries, c.ID)
		}
	}
	detail.Promoted = len(detail.Entries)
	e := o.event(EventPromotionApplied, detail)
	e.path, e.version, e.document = written.Path, written.Version, uuid.NullUUID{UUID: written.Document, Valid: true}
	return queueEvent(b, o.t, e)
}

// dreamDetail is what the journal tells of a dream that has ended.
type dreamDetail struct {
	Dream      uuid.UUID           `json:"dream"`
	Mode       memory.DreamMode    `json:"mode"`
	Trigger    memory.DreamTrigger `json:"trigger"`
	Night      string              `json:"night,omitempty"`
	DryRun     bool                `json:"dryRun"`
	ReplayOf   *uuid.UUID          `json:"replayOf,omitempty"`
	Outcome    memory.Outcome      `json:"outcome"`
	ReasonCode memory.ReasonCode   `json:"reasonCode,omitempty"`
	Counts     *DreamCounts        `json:"counts,omitempty"` // none of a dream that was abandoned
	Changed    int                 `json:"changed"`          // documents
}

// queueCompletedEvent queues what the journal tells of the dream's end.
func (o *openDream) queueCompletedEvent(b *pgx.Batch, e dreamEnd) error {
	detail := dreamDetail{
		Dream: o.ID, Mode: o.Mode, Trigger: o.Trigger, Night: o.Night, DryRun: o.DryRun, Outcome: e.Outcome, ReasonCode: e.ReasonCode, Counts: &o.Counts,
	}
	if o.ReplayOf != uuid.Nil {
		detail.ReplayOf = &o.ReplayOf
	}
	for _, change := range e.changes {
		if change.Changed {
			detail.Changed++
		}
	}
	return queueEvent(b, o.t, o.event(EventDreamCompleted, detail))
}

// event is one of the dream, for those who read what it is about.
func (o *openDream) event(kind EventKind, detail any) event {
	scope := dreamScope(o.Owner)
	return event{kind: kind, agent: o.t.id.Agent, scope: scope, owner: rowOwner(o.t.id, scope), detail: detail}
}
