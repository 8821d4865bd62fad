package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/memory"
)

// StagedDream is what light sleep found.
type StagedDream struct {
	AsOf       time.Time
	From       dream.Day
	Scope      memory.Scope
	Pins       dream.Pins
	Candidates []dream.Candidate
	// States are those of earlier dreams that matter for these candidates, and those that must not come back; a replay uses
	// them again.
	States []dream.State
}

// DreamStage is a dream in the middle, for REM and deep sleep.
type DreamStage struct {
	Dream      Dream
	Agent      Agent
	Now        time.Time // in the agent's time zone
	AsOf       time.Time // in the agent's time zone
	Candidates []dream.Candidate
	States     []dream.State
	// Files are the documents that the dream may write, as they are now (of a replay: MEMORY.md as it was).
	Files     compose.Files
	Shared    string      // content of the TEAM MEMORY.md when the dream's scope is PERSONAL
	Protected []string    // lines of MEMORY.md that a person wrote or confirmed
	Notes     []DreamNote // that were looked at, newest first, without Lines
	// Recalls are those of the window.
	Recalls []Recalled
}

// DreamDraft is a dream that is ready to be committed.
type DreamDraft struct {
	Ranking dream.Ranking
	Changes []memory.Change
	Diff    string
	// Outcome is what it ends as: written, nothing or quarantined. A commit that changes MEMORY.md is written, one that does not
	// is nothing, unless it is quarantined.
	Outcome       memory.Outcome
	ReasonCode    memory.ReasonCode
	Reason        string
	Raw           string // the model's output; kept of quarantined dreams, dry runs and replays
	Violations    []memory.Violation
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
}

// DreamEnding is how a dream ends without a commit, or why it waits.
type DreamEnding struct {
	Outcome       memory.Outcome // nothing, skipped, failed or waiting
	ReasonCode    memory.ReasonCode
	Reason        string
	Until         time.Time // of waiting
	Model         string
	PromptVersion string
	Usage         memory.Usage
	// Heard is true when the owner's news were looked at, so that they are news no more (outcome nothing).
	Heard bool
	// News is the mark of the news that were looked at, when nothing was staged; 0: that of the pins.
	News int64
}

// StageDream saves what light sleep found, in place of an earlier attempt. Phase becomes rem. MEMORY.md, and the shared one
// beside a personal one, are pinned as they are now. It costs two round trips, as the other steps do.
func (s *Store) StageDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, d StagedDream) error {
	if err := validCandidates(d.Candidates); err != nil {
		return err
	}
	return s.dreamStep(ctx, id, dreamID, func(o *openDream, b *pgx.Batch) error {
		if d.Scope != o.Scope {
			return &InvalidError{Field: "scope", Problem: fmt.Sprintf("the dream is of %s memory", o.Scope)}
		}
		pins := d.Pins
		pins.Documents = append(slices.Clone(d.Pins.Documents), o.memories()...)
		args, err := jsonArgs(o.args(), map[string]any{
			"pins": pins, "states": orEmpty(d.States), "counts": DreamCounts{Candidates: len(d.Candidates)},
		})
		if err != nil {
			return err
		}
		args["as_of"], args["from"] = d.AsOf, d.From
		b.Queue(sqlDreamStaged, args)
		b.Queue(sqlDreamCandidatesDrop, args)
		return o.queueCandidates(b, d.Candidates)
	})
}

// ReflectDream saves what REM found, with each likely truth in its candidate. Phase becomes deep.
func (s *Store) ReflectDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, r dream.Reflection) error {
	return s.dreamStep(ctx, id, dreamID, func(o *openDream, b *pgx.Batch) error {
		counts := o.Counts
		counts.Themes, counts.Truths = len(r.Themes), len(r.Truths)
		args, err := jsonArgs(o.args(), map[string]any{"reflection": r, "counts": counts})
		if err != nil {
			return err
		}
		ids, confidences := make([]string, len(r.Truths)), make([]float64, len(r.Truths))
		for i, truth := range r.Truths {
			ids[i], confidences[i] = string(truth.Candidate), truth.Confidence
		}
		args["entries"], args["confidences"] = ids, confidences
		b.Queue(sqlDreamReflected, args)
		b.Queue(sqlDreamTruths, args)
		return nil
	})
}

// draftKept is what of a draft waits in the record for the commit; the rest stands in columns of its own.
type draftKept struct {
	Changes    []memory.Change   `json:"changes"`
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
}

// DraftDream saves verdicts and changes for CommitDream, in place of an earlier draft. Phase becomes writing. The changes
// are of documents of the dream's scope. What was spent counts even when the draft comes too late.
func (s *Store) DraftDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, d DreamDraft) error {
	switch d.Outcome {
	case memory.OutcomeWritten, memory.OutcomeNothing, memory.OutcomeQuarantined:
	default:
		return &InvalidError{Field: "outcome", Problem: "use written, nothing or quarantined"}
	}
	if err := validCandidates(d.Ranking.Candidates); err != nil {
		return err
	}
	err := s.dreamStep(ctx, id, dreamID, func(o *openDream, b *pgx.Batch) error {
		changes, err := o.draftChanges(d.Changes)
		if err != nil {
			return err
		}
		args, err := jsonArgs(o.args(), map[string]any{
			"pins": o.pinsOf(changes), "counts": countsOf(d.Ranking, o.Counts), "violations": storableViolations(d.Violations),
			"contradictions": orEmpty(d.Ranking.Contradictions),
			"draft":          draftKept{Changes: changes, Outcome: d.Outcome, ReasonCode: d.ReasonCode},
		})
		if err != nil {
			return err
		}
		args["reason"], args["diff"], args["raw"] = storable(d.Reason), storable(d.Diff), storable(d.Raw)
		addUsageArgs(args, d.Model, d.PromptVersion, d.Usage)
		b.Queue(sqlDreamDrafted, args)
		if err := o.queueCandidates(b, d.Ranking.Candidates); err != nil {
			return err
		}
		queueUsage(b, o.t, d.Model, d.Usage)
		return nil
	})
	var conflict *ConflictError
	if errors.As(err, &conflict) && d.Usage != (memory.Usage{}) {
		return errors.Join(err, s.AddUsage(ctx, id, d.Model, d.Usage))
	}
	return err
}

// draftChanges checks the changes of a draft: what the database or the gate cannot take is found now, not by the commit.
func (o *openDream) draftChanges(changes []memory.Change) ([]memory.Change, error) {
	changes = slices.Clone(changes)
	for i, change := range changes {
		if change.Scope != o.Scope {
			return nil, &InvalidError{Field: fmt.Sprintf("changes[%d].scope", i), Problem: fmt.Sprintf("the dream is of %s memory", o.Scope)}
		}
		for _, text := range []string{change.Content, change.Create} {
			if err := validContent(fmt.Sprintf("changes[%d].content", i), text); err != nil {
				return nil, err
			}
		}
		changes[i].Reason = storableReason(change.Reason)
	}
	return changes, nil
}

// pinsOf are the pins with MEMORY.md at the version that the draft was made of.
func (o *openDream) pinsOf(changes []memory.Change) dream.Pins {
	pins := o.Pins
	pins.Documents = slices.Clone(pins.Documents)
	for _, change := range changes {
		if change.Path != memory.MemoryPath || change.Op != memory.OpReplace || o.ReplayOf != uuid.Nil {
			continue
		}
		for i, p := range pins.Documents {
			if p.Path == change.Path && p.Scope == string(change.Scope) && p.Version != change.Base {
				pins.Documents[i].Version, pins.Documents[i].SHA256 = change.Base, ""
			}
		}
	}
	return pins
}

// countsOf adds the verdicts of a ranking to what was counted before.
func countsOf(r dream.Ranking, counts DreamCounts) DreamCounts {
	counts.Promoted, counts.Kept, counts.Rejected = 0, 0, 0
	for _, c := range r.Candidates {
		switch c.Verdict {
		case dream.VerdictPromoted:
			counts.Promoted++
		case dream.VerdictKept:
			counts.Kept++
		case dream.VerdictRejected:
			counts.Rejected++
		}
	}
	return counts
}
