package dreams

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory/markdown"
	"reverie/store/gate"
	"reverie/store/pg"
)

const (
	// Decisions of people hold whatever a dream decides, and so does an earlier status that this dream has not judged. Days and
	// times accumulate, so that updates of a concurrent dream are not lost.
	sqlDreamEntries = `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, reason_code, text, aliases, mention_days, asked,
    light_hits, light_at, rem_hits, rem_at, first_seen, last_seen, dream_id, changed_at)
select @workspace, @agent, @owner, s.entry_id, s.status, s.reason_code, s.text, string_to_array(s.aliases, ' '),
    string_to_array(s.days, ' '), s.asked, s.light_hits, s.light_at, s.rem_hits, s.rem_at, s.first_seen, s.last_seen, s.dream_id, @now
from unnest(@entries::text[], @statuses::text[], @reason_codes::text[], @texts::text[], @aliases::text[], @days::text[],
    @asked::boolean[], @light_hits::int[], @light_at::timestamptz[], @rem_hits::int[], @rem_at::timestamptz[],
    @first_seen::timestamptz[], @last_seen::timestamptz[], @dreams::uuid[])
    s (entry_id, status, reason_code, text, aliases, days, asked, light_hits, light_at, rem_hits, rem_at, first_seen, last_seen, dream_id)
order by s.entry_id
on conflict (workspace_id, agent_id, owner_key, entry_id) do update set
    status = case when dream_entries.status in ('confirmed', 'edited', 'forgotten', 'held') or not excluded.entry_id = any (@judged::text[])
        then dream_entries.status else excluded.status end,
    reason_code = case when dream_entries.status in ('confirmed', 'edited', 'forgotten', 'held')
            or not excluded.entry_id = any (@judged::text[]) and dream_entries.status <> 'open'
        then dream_entries.reason_code else excluded.reason_code end,
    dream_id = case when dream_entries.status in ('confirmed', 'edited', 'forgotten', 'held') or not excluded.entry_id = any (@judged::text[])
        then dream_entries.dream_id else excluded.dream_id end,
    aliases = array(
        select a
        from unnest(dream_entries.aliases || excluded.aliases) with ordinality u (a, n)
        group by a
        order by min(n)
        limit @most_aliases),
    mention_days = array(
        select d
        from (select distinct d from unnest(dream_entries.mention_days || excluded.mention_days) u (d) order by d desc limit @most_days) l
        order by d),
    asked = dream_entries.asked or excluded.asked,
    light_hits = greatest(dream_entries.light_hits, excluded.light_hits),
    light_at = greatest(dream_entries.light_at, excluded.light_at),
    rem_hits = greatest(dream_entries.rem_hits, excluded.rem_hits),
    rem_at = greatest(dream_entries.rem_at, excluded.rem_at),
    first_seen = least(dream_entries.first_seen, excluded.first_seen),
    last_seen = greatest(dream_entries.last_seen, excluded.last_seen),
    changed_at = excluded.changed_at
returning entry_id, status`
)

// maxAliases is the number of other wordings of a statement that are stored.
const maxAliases = 64

// StateAfter is the state of a statement after the dream, with the state before.
type StateAfter struct {
	dream.State
	before   dream.State
	judged   bool // its verdict determines the status
	promoted bool
}

// statesAfter returns the states of the statements that the dream weighed. Nothing counts as promoted unless it was written.
func (o *OpenDream) statesAfter(weighed []dream.Candidate, written func(markdown.EntryID) bool) ([]StateAfter, error) {
	zone, err := o.agent.Location()
	if err != nil {
		return nil, err
	}
	truths := map[markdown.EntryID]bool{}
	for _, truth := range o.Reflection.Truths {
		truths[truth.Candidate] = true
	}
	after := make([]StateAfter, len(weighed))
	for i, c := range weighed {
		after[i] = o.stateAfter(c, truths[c.ID], written(c.ID), zone)
	}
	return after, nil
}

func (o *OpenDream) stateAfter(c dream.Candidate, truth, written bool, zone *time.Location) StateAfter {
	s := c.Before
	s.ID, s.Text = c.ID, cmp.Or(s.Text, c.Text)
	s.Aliases = slices.Concat(c.Before.Aliases, c.Aliases)
	if c.Before.ID != "" && c.Before.ID != c.ID {
		s.Aliases = append(s.Aliases, c.Before.ID)
	}
	s.Aliases = firstOf(slices.DeleteFunc(s.Aliases, func(id markdown.EntryID) bool { return id == c.ID }), maxAliases)
	s.MentionDays = slices.Concat(c.Before.MentionDays, c.Signals.MentionDays)
	slices.Sort(s.MentionDays)
	s.MentionDays = slices.Compact(s.MentionDays)
	s.MentionDays = s.MentionDays[max(0, len(s.MentionDays)-dream.MaxDays):]
	s.Asked = s.Asked || c.Signals.Asked
	s.LightHits, s.LightAt = hit(s.LightHits, s.LightAt, o.AsOf, zone)
	if truth {
		s.REMHits, s.REMAt = hit(s.REMHits, s.REMAt, o.AsOf, zone)
	}
	if s.FirstSeen.IsZero() {
		s.FirstSeen = o.AsOf
	}
	if c.Signals.LastSeen.After(s.LastSeen) {
		s.LastSeen = c.Signals.LastSeen
	}
	if s.LastSeen.IsZero() {
		s.LastSeen = o.AsOf
	}
	out := StateAfter{State: s, before: c.Before}
	out.judge(c, o.ID, written)
	return out
}

// judge sets the status that follows from the verdict. Decisions of people hold.
func (s *StateAfter) judge(c dream.Candidate, dreamID uuid.UUID, written bool) {
	s.Status = cmp.Or(c.Before.Status, dream.Open)
	switch s.Status {
	case dream.Confirmed, dream.Edited, dream.Forgotten, dream.Held:
		return
	}
	switch {
	case c.Verdict == dream.VerdictPromoted && written:
		s.Status, s.ReasonCode, s.Dream, s.judged, s.promoted = dream.Promoted, c.ReasonCode, dreamID, true, true
	case c.Verdict == dream.VerdictRejected && c.ReasonCode == dream.ReasonCorrected:
		s.Status, s.ReasonCode, s.Dream, s.judged = dream.Rejected, c.ReasonCode, dreamID, true
	case c.Verdict == dream.VerdictKept: // also what was rejected or removed from MEMORY.md before
		s.Status, s.ReasonCode, s.Dream, s.judged = dream.Open, c.ReasonCode, uuid.Nil, true
	case s.Status == dream.Open:
		s.ReasonCode = c.ReasonCode
	}
}

// hit counts one more day with a dream. Two dreams of one day, or one of a day before the last, count once.
func hit(hits int, last, asOf time.Time, zone *time.Location) (int, time.Time) {
	if !last.IsZero() && dream.DayOf(asOf.In(zone)) <= dream.DayOf(last.In(zone)) {
		return hits, last
	}
	return hits + 1, asOf
}

// firstOf returns at most limit distinct values of list, in order.
func firstOf(list []markdown.EntryID, limit int) []markdown.EntryID {
	var out []markdown.EntryID
	for _, id := range list {
		if len(out) < limit && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// SettleStates writes the states. It refuses the draft when a person has forgotten, edited or rejected a promoted statement since
// it was weighed.
func (o *OpenDream) SettleStates(ctx context.Context, states []StateAfter) error {
	if len(states) == 0 {
		return nil
	}
	var now, written []dream.State
	b := &pgx.Batch{}
	args := o.statesArgs(states)
	pg.All(b.Queue(gate.SQLDreamEntriesLock, args), &now, func(row pgx.CollectableRow) (s dream.State, err error) {
		err = row.Scan(&s.ID, &s.Status, &s.ReasonCode)
		return s, err
	})
	pg.All(b.Queue(sqlDreamEntries, args), &written, func(row pgx.CollectableRow) (s dream.State, err error) {
		err = row.Scan(&s.ID, &s.Status)
		return s, err
	})
	if err := o.T.Send(ctx, b); err != nil {
		return err
	}
	before := map[markdown.EntryID]dream.State{}
	for _, s := range states {
		if s.promoted {
			before[s.ID] = s.before
		}
	}
	barred := func(s dream.State) bool {
		was, promoted := before[s.ID]
		return promoted && s.Status != cmp.Or(was.Status, dream.Open) &&
			(s.Status == dream.Forgotten || s.Status == dream.Edited || s.Status == dream.Rejected)
	}
	if slices.ContainsFunc(now, barred) || slices.ContainsFunc(written, barred) {
		return o.stale(0, 0)
	}
	return nil
}

// statesArgs returns states as arguments, one array for each column.
func (o *OpenDream) statesArgs(states []StateAfter) pgx.NamedArgs {
	n := len(states)
	entries, statuses, codes := make([]string, n), make([]string, n), make([]string, n)
	texts, aliases, days := make([]string, n), make([]string, n), make([]string, n)
	asked, lightHits, remHits := make([]bool, n), make([]int, n), make([]int, n)
	lightAt, remAt, first, last := make([]*time.Time, n), make([]*time.Time, n), make([]time.Time, n), make([]time.Time, n)
	dreams, judged := make([]uuid.NullUUID, n), []string{}
	for i, s := range states {
		if s.judged {
			judged = append(judged, string(s.ID))
		}
		entries[i], statuses[i], codes[i], texts[i] = string(s.ID), string(s.Status), s.ReasonCode, pg.Storable(s.Text)
		aliases[i], asked[i], lightHits[i], remHits[i] = joinedEntries(s.Aliases), s.Asked, s.LightHits, s.REMHits
		lightAt[i], remAt[i], first[i], last[i] = pg.TimeOrNull(s.LightAt), pg.TimeOrNull(s.REMAt), s.FirstSeen, s.LastSeen
		dreams[i], days[i] = pg.IDOrNull(s.Dream), strings.Join(pg.TextsOf(s.MentionDays), " ")
	}
	return o.T.Args(pgx.NamedArgs{
		"entries": entries, "statuses": statuses, "reason_codes": codes, "texts": texts, "aliases": aliases, "days": days,
		"asked": asked, "light_hits": lightHits, "light_at": lightAt, "rem_hits": remHits, "rem_at": remAt,
		"first_seen": first, "last_seen": last, "dreams": dreams, "judged": judged, "most_aliases": maxAliases, "most_days": dream.MaxDays,
	})
}
