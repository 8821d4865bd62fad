package dreams

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/talk"
)

// StagedDream is the result of light sleep.
type StagedDream struct {
	AsOf       time.Time
	From       dream.Day
	Scope      memory.Scope
	Pins       dream.Pins
	Candidates []dream.Candidate
	// States are those of earlier dreams that matter for these candidates, and those that must not come back. A replay uses them
	// again.
	States []dream.State
}

// DreamStage is the input of REM and deep sleep.
type DreamStage struct {
	Dream      Dream
	Agent      gate.Agent
	Now        time.Time // in the agent's time zone
	AsOf       time.Time // in the agent's time zone
	Candidates []dream.Candidate
	States     []dream.State
	// Files are the documents that the dream may write, in their current state (for a replay: MEMORY.md as it was).
	Files     compose.Files
	Shared    string      // content of the TEAM MEMORY.md when the dream's scope is PERSONAL
	Protected []string    // lines of MEMORY.md that a person wrote or confirmed
	Notes     []DreamNote // that were looked at and are still there, newest first, without Lines
	// Recalls are those of the window.
	Recalls []Recalled
}

// DreamDraft is a dream that is ready to be committed.
type DreamDraft struct {
	Ranking dream.Ranking
	Changes []memory.Change
	Diff    string
	// Outcome is written, nothing or quarantined. A commit that changes MEMORY.md ends as written, one that does not as nothing,
	// unless it is quarantined.
	Outcome       memory.Outcome
	ReasonCode    memory.ReasonCode
	Reason        string
	Raw           string // the model's output; kept of quarantined dreams, dry runs and replays
	Violations    []proposals.Violation
	Model         string
	PromptVersion string
	Usage         memory.Usage // of this attempt; added to the record and to the day's spending
}

// DreamEnding records how a dream ends without a commit, or why it waits.
type DreamEnding struct {
	Outcome       memory.Outcome // nothing, skipped, failed or waiting
	ReasonCode    memory.ReasonCode
	Reason        string
	Until         time.Time // of waiting
	Model         string
	PromptVersion string
	Usage         memory.Usage
	// NewsSeen reports whether the dream covers the owner's news, which are cleared then (outcome nothing).
	NewsSeen bool
	// News is the mark of the news that the dream covers, when nothing was staged; 0: that of the pins.
	News int64
}

// StageDream saves the result of light sleep and replaces that of an earlier attempt. Phase becomes rem. It pins the current
// MEMORY.md, and for a personal dream the shared one. It costs two round trips, as the other steps do.
func (s *Dreaming) StageDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, d StagedDream) error {
	if err := validCandidates(d.Candidates); err != nil {
		return err
	}
	return s.dreamStep(ctx, id, dreamID, func(o *OpenDream, b *pgx.Batch) error {
		if d.Scope != o.Scope {
			return &pg.InvalidError{Field: "scope", Problem: fmt.Sprintf("the dream covers %s memory", o.Scope)}
		}
		pins := d.Pins
		pins.Documents = append(slices.Clone(d.Pins.Documents), o.memories()...)
		args, err := pg.JSONArgs(o.args(), map[string]any{
			"pins": pins, "states": pg.OrEmpty(d.States), "counts": DreamCounts{Candidates: len(d.Candidates)},
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

// ReflectDream saves the result of REM, with each likely truth in its candidate. Phase becomes deep.
func (s *Dreaming) ReflectDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, r dream.Reflection) error {
	return s.dreamStep(ctx, id, dreamID, func(o *OpenDream, b *pgx.Batch) error {
		counts := o.Counts
		counts.Themes, counts.Truths = len(r.Themes), len(r.Truths)
		args, err := pg.JSONArgs(o.args(), map[string]any{"reflection": r, "counts": counts})
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

// draftKept is the part of a draft without a separate column.
type draftKept struct {
	Changes    []memory.Change   `json:"changes"`
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
}

// DraftDream saves verdicts and changes for CommitDream and replaces an earlier draft. Phase becomes writing. The changes must be
// of documents of the dream's scope. Usage counts even when the draft comes too late.
func (s *Dreaming) DraftDream(ctx context.Context, id memory.Identity, dreamID uuid.UUID, d DreamDraft) error {
	err := s.dreamStep(ctx, id, dreamID, func(o *OpenDream, b *pgx.Batch) error { return o.queueDraft(b, d) })
	var conflict *pg.ConflictError
	if errors.As(err, &conflict) && d.Usage != (memory.Usage{}) {
		return errors.Join(err, talk.New(s.db).AddUsage(ctx, id, d.Model, d.Usage))
	}
	return err
}

// queueDraft queues saving a draft, and makes it the one of o.
func (o *OpenDream) queueDraft(b *pgx.Batch, d DreamDraft) error {
	switch d.Outcome {
	case memory.OutcomeWritten, memory.OutcomeNothing, memory.OutcomeQuarantined:
	default:
		return &pg.InvalidError{Field: "outcome", Problem: "use written, nothing or quarantined"}
	}
	if err := validCandidates(d.Ranking.Candidates); err != nil {
		return err
	}
	changes, err := o.draftChanges(d.Changes)
	if err != nil {
		return err
	}
	o.draft = &draftKept{Changes: changes, Outcome: d.Outcome, ReasonCode: d.ReasonCode}
	o.Pins, o.Counts = o.pinsOf(changes), countsOf(d.Ranking, o.Counts)
	o.Reason, o.Model, o.PromptVersion = d.Reason, d.Model, d.PromptVersion
	args, err := pg.JSONArgs(o.args(), map[string]any{
		"pins": o.Pins, "counts": o.Counts, "violations": pg.StorableViolations(d.Violations),
		"contradictions": pg.OrEmpty(d.Ranking.Contradictions), "draft": o.draft,
	})
	if err != nil {
		return err
	}
	args["reason"], args["diff"], args["raw"] = pg.Storable(d.Reason), pg.Storable(d.Diff), pg.Storable(d.Raw)
	talk.AddUsageArgs(args, d.Model, d.PromptVersion, d.Usage)
	b.Queue(sqlDreamDrafted, args)
	if err := o.queueCandidates(b, d.Ranking.Candidates); err != nil {
		return err
	}
	talk.QueueUsage(b, o.T, d.Model, d.Usage)
	return nil
}

// draftChanges checks the changes of a draft, so that the commit does not fail because of the database or the gate.
func (o *OpenDream) draftChanges(changes []memory.Change) ([]memory.Change, error) {
	changes = slices.Clone(changes)
	for i, change := range changes {
		if change.Scope != o.Scope {
			return nil, &pg.InvalidError{
				Field: fmt.Sprintf("changes[%d].scope", i), Problem: fmt.Sprintf("the dream covers %s memory", o.Scope),
			}
		}
		for _, text := range []string{change.Content, change.Create} {
			if err := gate.ValidContent(fmt.Sprintf("changes[%d].content", i), text); err != nil {
				return nil, err
			}
		}
		changes[i].Reason = gate.StorableReason(change.Reason)
	}
	return changes, nil
}

// pinsOf returns the pins with MEMORY.md at the version that the draft is based on.
func (o *OpenDream) pinsOf(changes []memory.Change) dream.Pins {
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

// countsOf adds the verdicts of a ranking to the counts.
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

// OpenDream is the record of a dream while it is locked. Documents and states are locked after it.
type OpenDream struct {
	Dream
	T       *pg.Tx
	memory  []memory.Document // MEMORY.md, and the shared one beside a personal one, as they are
	replays dream.Pins        // of a replay: the pins of its original
	agent   gate.Agent
	draft   *draftKept
}

const (
	sqlDreamLock = dreamColumns + `x.diff, x.raw, x.draft` + dreamFrom + `
    and x.dream_id = @dream and x.owner_key = @owner
for no key update of x`

	// Versions and hashes of MEMORY.md, the owner's and the shared one.
	sqlDreamMemories = `
select d.document_id, d.scope, d.version, v.sha256
from (values ('PERSONAL', @owner::text), ('TEAM', '')) s (scope, owner_key)
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = s.scope and d.owner_key = s.owner_key and d.path = 'MEMORY.md'
    limit 1
) d ` + gate.CurrentVersion

	sqlDreamStaged = `
update dreams set
    as_of = @as_of,
    from_day = @from,
    pins = @pins,
    states = @states,
    counts = @counts,
    reflection = '{}',
    contradictions = '[]',
    violations = '[]',
    draft = null,
    diff = '',
    raw = '',
    phase = 'rem',` + dreamGoesOn

	sqlDreamReflected = `
update dreams set
    reflection = @reflection,
    counts = @counts,
    phase = 'deep',` + dreamGoesOn

	sqlDreamDrafted = `
update dreams set
    draft = @draft,
    pins = @pins,
    counts = @counts,
    contradictions = @contradictions,
    violations = @violations,
    reason = @reason,
    diff = @diff,
    raw = @raw,
    model = @model,
    prompt_version = @prompt_version,
    ` + talk.UsageAdded + `,
    phase = 'writing',` + dreamGoesOn

	sqlDreamCandidatesDrop = `
delete from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream`

	// Inserts staged candidates, and later updates their verdicts; their place stays.
	sqlDreamWeighed = `
insert into dream_candidates (workspace_id, agent_id, dream_id, owner_key, entry_id, place, rank, verdict, reason_code, score, body)
select @workspace, @agent, @dream, @owner, c.entry_id, c.place, c.place, c.verdict, c.reason_code, c.score, c.body
from unnest(@entries::text[], @verdicts::text[], @reason_codes::text[], @scores::float8[], @bodies::jsonb[]) with ordinality
    c (entry_id, verdict, reason_code, score, body, place)
on conflict (workspace_id, agent_id, dream_id, entry_id) do update set
    rank = excluded.rank,
    verdict = excluded.verdict,
    reason_code = excluded.reason_code,
    score = excluded.score,
    body = excluded.body`

	sqlDreamTruths = `
update dream_candidates set
    body = case when entry_id = any (@entries::text[])
        then jsonb_set(body, '{truth}', to_jsonb((@confidences::float8[])[array_position(@entries::text[], entry_id)]))
        else body - 'truth' end
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and (entry_id = any (@entries::text[]) or body ? 'truth')`
)

// dreamGoesOn ends the update of a dream that continues.
const dreamGoesOn = `
    outcome = 'running',
    reason_code = '',
    waiting_until = null,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

// withDream locks a dream in any state and calls fn with it.
func withDream[T any](ctx context.Context, db *pg.DB, id memory.Identity, dreamID uuid.UUID, fn func(*OpenDream) (T, error)) (T, error) {
	if err := mayDream(id); err != nil {
		var none T
		return none, err
	}
	return pg.InTx(ctx, db, id, func(t *pg.Tx) (T, error) {
		var none T
		var original Dream
		var states []dream.State
		var found, agent, repeats bool
		o := &OpenDream{T: t}
		args := t.Args(pgx.NamedArgs{"dream": dreamID})
		b := &pgx.Batch{}
		pg.WithRow(b.Queue(sqlDreamLock, args), &found, func(row pgx.CollectableRow) (err error) {
			o.Dream, err = scanDreamAnd(row, &o.draft)
			return err
		})
		pg.WithRow(b.Queue(sqlDreamOriginal, args), &repeats, func(row pgx.CollectableRow) (err error) {
			original, err = scanDreamAnd(row, &states)
			return err
		})
		pg.One(b.Queue(gate.SQLAgent, args), &agent, &o.agent, gate.ScanAgent)
		pg.All(b.Queue(sqlDreamMemories, args), &o.memory, func(row pgx.CollectableRow) (d memory.Document, err error) {
			var sha []byte
			err = row.Scan(&d.ID, &d.Scope, &d.Version, &sha)
			copy(d.SHA256[:], sha)
			return d, err
		})
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		switch {
		case !found:
			return none, noDream(dreamID)
		case !agent:
			return none, fmt.Errorf("agent %s: %w", id.Agent, pg.ErrNotFound)
		}
		o.replays = original.Pins
		return fn(o)
	})
}

// dreamStep locks a dream of the identity's run and sends what fn queues.
func (s *Dreaming) dreamStep(ctx context.Context, id memory.Identity, dreamID uuid.UUID, fn func(*OpenDream, *pgx.Batch) error) error {
	_, err := withDream(ctx, s.db, id, dreamID, func(o *OpenDream) (none struct{}, err error) {
		if !o.Open() || !o.mine() {
			return none, dreamSuperseded(dreamID)
		}
		b := &pgx.Batch{}
		if err := fn(o, b); err != nil {
			return none, err
		}
		return none, o.T.Finish(ctx, b)
	})
	return err
}

// mine reports whether the dream belongs to the identity's run.
func (o *OpenDream) mine() bool {
	return o.WorkflowID == o.T.ID.Author.WorkflowID && o.RunID == o.T.ID.Author.RunID
}

func (o *OpenDream) args() pgx.NamedArgs { return o.T.Args(pgx.NamedArgs{"dream": o.ID}) }

// real reports whether the dream changes anything except its own record.
func (o *OpenDream) real() bool { return !o.DryRun && o.ReplayOf == uuid.Nil }

// memories returns pins of the current MEMORY.md, and for a personal dream of the shared one; for a replay, those of its original.
func (o *OpenDream) memories() []dream.PinnedDocument {
	scopes := []memory.Scope{o.Scope}
	if o.Scope == memory.ScopePersonal {
		scopes = append(scopes, memory.ScopeTeam)
	}
	var pins []dream.PinnedDocument
	for _, scope := range scopes {
		p := dream.PinnedDocument{Path: memory.MemoryPath, Scope: string(scope)}
		for _, d := range o.memory {
			if d.Scope == scope {
				p.Document, p.Version, p.SHA256 = d.ID, d.Version, hex.EncodeToString(d.SHA256[:])
			}
		}
		if o.ReplayOf != uuid.Nil {
			p = Pinned(o.replays, memory.MemoryPath, scope)
		}
		pins = append(pins, p)
	}
	return pins
}

// Pinned returns the pin of a document, with version 0 when there was none.
func Pinned(pins dream.Pins, path string, scope memory.Scope) dream.PinnedDocument {
	for _, p := range pins.Documents {
		if p.Path == path && p.Scope == string(scope) {
			return p
		}
	}
	return dream.PinnedDocument{Path: path, Scope: string(scope)}
}

// queueCandidates queues saving candidates in order.
func (o *OpenDream) queueCandidates(b *pgx.Batch, candidates []dream.Candidate) error {
	n := len(candidates)
	if n == 0 {
		return nil
	}
	entries, verdicts, codes := make([]string, n), make([]string, n), make([]string, n)
	scores, bodies := make([]float64, n), make([]string, n)
	for i, c := range candidates {
		body, err := pg.JSONOf("candidate", c)
		if err != nil {
			return err
		}
		entries[i], verdicts[i], codes[i], scores[i], bodies[i] = string(c.ID), string(c.Verdict), c.ReasonCode, c.Score, body
	}
	args := o.args()
	maps.Copy(args, pgx.NamedArgs{"entries": entries, "verdicts": verdicts, "reason_codes": codes, "scores": scores, "bodies": bodies})
	b.Queue(sqlDreamWeighed, args)
	return nil
}

// MaxDreamCandidates bounds the candidates of one dream, whatever its settings are.
const MaxDreamCandidates = 5000

// validCandidates checks the number of candidates, and that their ids are unique.
func validCandidates(candidates []dream.Candidate) error {
	if len(candidates) > MaxDreamCandidates {
		return &pg.InvalidError{Field: "candidates", Problem: fmt.Sprintf("%d given, at most %d allowed", len(candidates), MaxDreamCandidates)}
	}
	seen := make(map[markdown.EntryID]bool, len(candidates))
	for _, c := range candidates {
		if c.ID == "" || seen[c.ID] {
			return &pg.InvalidError{Field: "candidates", Problem: "each needs its own id"}
		}
		seen[c.ID] = true
	}
	return nil
}
