package store

import (
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/store/dreams"
	"reverie/store/pg"
)

// asDream is an identity as the workflow of its dream.
func asDream(id memory.Identity) memory.Identity {
	id.Author = memory.Author{Kind: memory.AuthorDream, ID: "rules", WorkflowID: "dream/test", RunID: "run"}
	return id
}

// storedDream stores a dream of the identity's owner as if it had been dreamed: what is not given is that of a nightly dream
// that has written. Its candidates are ranked in the order in which they are given.
func storedDream(t tester, s *Store, id memory.Identity, x dreams.Dream, candidates ...dream.Candidate) dreams.Dream {
	t.Helper()
	if x.ID == uuid.Nil {
		x.ID = pg.NewID()
	}
	if x.Mode == "" {
		x.Mode = memory.DreamNightly
	}
	if x.Trigger == "" {
		x.Trigger = memory.DreamBySchedule
	}
	if x.Outcome == "" {
		x.Outcome = memory.OutcomeWritten
	}
	if x.StartedAt.IsZero() {
		x.StartedAt = s.db.Now()
	}
	if !x.Open() {
		x.Phase = memory.DreamEnded
		if x.FinishedAt == nil {
			x.FinishedAt = &x.StartedAt
		}
	} else if x.Phase == "" {
		x.Phase = memory.DreamLightSleep
	}
	changed := x.StartedAt
	if x.FinishedAt != nil {
		changed = *x.FinishedAt
	}
	set := everything(t, id)
	exec := func(sql string, args ...any) {
		t.Helper()
		must[int64](t)(rawAs(t, s, set, sql, args...))
	}
	exec(`insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
select $1, $2, $3, $4, now() on conflict do nothing`, id.Workspace, id.Agent, id.Owner, pg.NewID())
	changes := x.Changes
	if changes == nil {
		changes = []memory.ChangeReceipt{}
	}
	exec(`insert into dreams (workspace_id, agent_id, dream_id, owner_key, mode, trigger_source, topic, night, dry_run, replay_of, scope,
    as_of, from_day, phase, outcome, reason_code, reason, settings, counts, changes, diff, raw, started_at, finished_at, changed_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`,
		id.Workspace, id.Agent, x.ID, id.Owner, x.Mode, x.Trigger, x.Topic, x.Night, x.DryRun, pg.IDOrNull(x.ReplayOf), dreams.DreamScope(id.Owner),
		pg.TimeOrNull(x.AsOf), x.From, x.Phase, x.Outcome, x.ReasonCode, x.Reason, x.Settings, x.Counts, changes, x.Diff, x.Raw,
		x.StartedAt, x.FinishedAt, changed)
	for i, c := range candidates {
		exec(`insert into dream_candidates (workspace_id, agent_id, dream_id, owner_key, entry_id, place, rank, verdict, reason_code, score, body)
values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10)`,
			id.Workspace, id.Agent, x.ID, id.Owner, c.ID, i+1, c.Verdict, c.ReasonCode, c.Score, c)
	}
	return must[dreams.Dream](t)(s.Dream(t.Context(), id, x.ID))
}

// storedState stores what is known of a statement.
func storedState(t tester, s *Store, id memory.Identity, state dream.State) {
	t.Helper()
	if state.Status == "" {
		state.Status = dream.Open
	}
	seen := state.LastSeen
	if seen.IsZero() {
		seen = s.db.Now()
	}
	must[int64](t)(rawAs(t, s, everything(t, id), `
insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
select $1, $2, $3, $4, now() on conflict do nothing`, id.Workspace, id.Agent, id.Owner, pg.NewID()))
	must[int64](t)(rawAs(t, s, everything(t, id), `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, reason_code, text, aliases, mention_days, first_seen, last_seen, dream_id, changed_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $10)`,
		id.Workspace, id.Agent, id.Owner, state.ID, state.Status, state.ReasonCode, state.Text, pg.TextsOf(state.Aliases),
		pg.TextsOf(state.MentionDays),
		seen, pg.IDOrNull(state.Dream)))
}

// weighed returns a candidate.
func weighed(text string, verdict dream.Verdict) dream.Candidate {
	return dream.Candidate{
		ID: memory.ItemID(text), Text: text, Verdict: verdict, Score: .8, Places: []dream.Place{},
		Signals: dream.Signals{MentionDays: []dream.Day{"2026-11-20"}, LastSeen: testClock.Add(-24 * time.Hour)},
	}
}

// wrote applies changes as a dream and returns their receipts.
func wrote(t tester, s *Store, id memory.Identity, changes ...memory.Change) []memory.ChangeReceipt {
	t.Helper()
	return must[memory.Receipt](t)(s.Apply(t.Context(), asDream(id), "", changes)).Changes
}
