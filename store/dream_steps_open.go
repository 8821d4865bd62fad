package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
)

// openDream is the record of a dream while it is locked. Documents and states are locked after it.
type openDream struct {
	Dream
	t       *tx
	memory  []memory.Document // MEMORY.md, and the shared one beside a personal one, as they are
	replays dream.Pins        // of a replay: what its original had pinned
	agent   Agent
	draft   *draftKept
}

const (
	sqlDreamLock = dreamColumns + `x.diff, x.raw, x.draft` + dreamFrom + `
    and x.dream_id = @dream and x.owner_key = @owner
for no key update of x`

	// Which MEMORY.md a dream is about, and which it knows.
	sqlDreamMemories = `
select d.document_id, d.scope, d.version, v.sha256
from (values ('PERSONAL', @owner::text), ('TEAM', '')) s (scope, owner_key)
cross join lateral (
    select *
    from documents d
    where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = s.scope and d.owner_key = s.owner_key and d.path = 'MEMORY.md'
    limit 1
) d ` + currentVersion

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
    ` + usageAdded + `,
    phase = 'writing',` + dreamGoesOn

	sqlDreamCandidatesDrop = `
delete from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream`

	// Staged ones are new; later their verdicts come in, and where they were staged stays.
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

// dreamGoesOn ends the statement of a step that was done.
const dreamGoesOn = `
    outcome = 'running',
    reason_code = '',
    waiting_until = null,
    changed_at = @now
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner`

// withDream locks a dream and calls fn with it, whatever state it is in.
func withDream[T any](ctx context.Context, s *Store, id memory.Identity, dreamID uuid.UUID, fn func(*openDream) (T, error)) (T, error) {
	if err := mayDream(id); err != nil {
		var none T
		return none, err
	}
	return inTx(ctx, s, id, func(t *tx) (T, error) {
		var none T
		var original Dream
		var states []dream.State
		var found, agent, repeats bool
		o := &openDream{t: t}
		args := t.args(pgx.NamedArgs{"dream": dreamID})
		b := &pgx.Batch{}
		one(b.Queue(sqlDreamLock, args), &found, func(row pgx.CollectableRow) (err error) { o.Dream, err = scanDreamAnd(row, &o.draft); return err })
		one(b.Queue(sqlDreamOriginal, args), &repeats, func(row pgx.CollectableRow) (err error) {
			original, err = scanDreamAnd(row, &states)
			return err
		})
		one(b.Queue(sqlAgent, args), &agent, func(row pgx.CollectableRow) (err error) { o.agent, err = scanAgent(row); return err })
		all(b.Queue(sqlDreamMemories, args), &o.memory, func(row pgx.CollectableRow) (d memory.Document, err error) {
			var sha []byte
			err = row.Scan(&d.ID, &d.Scope, &d.Version, &sha)
			copy(d.SHA256[:], sha)
			return d, err
		})
		if err := t.send(ctx, b); err != nil {
			return none, err
		}
		switch {
		case !found:
			return none, noDream(dreamID)
		case !agent:
			return none, fmt.Errorf("agent %s: %w", id.Agent, ErrNotFound)
		}
		o.replays = original.Pins
		return fn(o)
	})
}

// dreamStep locks a dream that the identity's run has in its hands, and does what fn queues.
func (s *Store) dreamStep(ctx context.Context, id memory.Identity, dreamID uuid.UUID, fn func(*openDream, *pgx.Batch) error) error {
	_, err := withDream(ctx, s, id, dreamID, func(o *openDream) (none struct{}, err error) {
		if !o.Open() || !o.mine() {
			return none, dreamSuperseded(dreamID)
		}
		b := &pgx.Batch{}
		if err := fn(o, b); err != nil {
			return none, err
		}
		return none, o.t.finish(ctx, b)
	})
	return err
}

// mine reports whether the identity's run has the dream in its hands.
func (o *openDream) mine() bool {
	return o.WorkflowID == o.t.id.Author.WorkflowID && o.RunID == o.t.id.Author.RunID
}

func (o *openDream) args() pgx.NamedArgs { return o.t.args(pgx.NamedArgs{"dream": o.ID}) }

// real reports whether the dream changes anything but its own record.
func (o *openDream) real() bool { return !o.DryRun && o.ReplayOf == uuid.Nil }

// memories are pins of MEMORY.md and of the shared one beside a personal one, as they are now; of a replay as they were.
func (o *openDream) memories() []dream.PinnedDocument {
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
			p = pinned(o.replays, memory.MemoryPath, scope)
		}
		pins = append(pins, p)
	}
	return pins
}

// pinned is the pin of a document; without one it says that there was no document.
func pinned(pins dream.Pins, path string, scope memory.Scope) dream.PinnedDocument {
	for _, p := range pins.Documents {
		if p.Path == path && p.Scope == string(scope) {
			return p
		}
	}
	return dream.PinnedDocument{Path: path, Scope: string(scope)}
}

// queueCandidates queues saving candidates in their order.
func (o *openDream) queueCandidates(b *pgx.Batch, candidates []dream.Candidate) error {
	n := len(candidates)
	if n == 0 {
		return nil
	}
	entries, verdicts, codes := make([]string, n), make([]string, n), make([]string, n)
	scores, bodies := make([]float64, n), make([]string, n)
	for i, c := range candidates {
		body, err := jsonOf("candidate", c)
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

// maxDreamCandidates bounds what one dream weighs, whatever its settings say.
const maxDreamCandidates = 5000

// validCandidates checks that candidates can be told apart and are not too many.
func validCandidates(candidates []dream.Candidate) error {
	if len(candidates) > maxDreamCandidates {
		return &InvalidError{Field: "candidates", Problem: fmt.Sprintf("there are %d, at most %d are weighed", len(candidates), maxDreamCandidates)}
	}
	seen := make(map[memory.EntryID]bool, len(candidates))
	for _, c := range candidates {
		if c.ID == "" || seen[c.ID] {
			return &InvalidError{Field: "candidates", Problem: "each needs an identity of its own"}
		}
		seen[c.ID] = true
	}
	return nil
}
