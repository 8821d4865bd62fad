package store

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	statements "reverie/facts"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/facts"
	"reverie/store/pg"
)

// factColumns are the columns of facts that a writer sets.
const factColumns = `workspace_id, agent_id, scope, owner_key, document_id, entry_id, version, ended, fact_id, at, ended_at, text, heading,
    category, kind, subject, attribute, value, single, confidence, valid_from, valid_to, source, place, day, prior, half_life, shown, days,
    helpful, unhelpful, seen, archived`

// someFeedback is feedback as a person gives it.
var someFeedback = facts.Feedback{Opinion: facts.Helpful, Weight: 1, Reason: "asked"}

// someContradictions makes two facts of every partition contradict one another.
const someContradictions = `
with pairs as (
    select distinct on (a.workspace_id, a.agent_id, a.scope, a.owner_key) a.*, b.fact_id as other, b.entry_id as words
    from facts a
    join facts b on b.workspace_id = a.workspace_id and b.agent_id = a.agent_id and b.scope = a.scope and b.owner_key = a.owner_key
        and b.ended is null and b.entry_id > a.entry_id
    where a.workspace_id = $1 and a.scope <> 'GLOBAL' and a.ended is null
), claims as (
    insert into fact_claims (workspace_id, agent_id, scope, owner_key, claim, document_id, entry_id, said)
    select workspace_id, agent_id, scope, owner_key, 'claim', document_id, entry_id, '{}' from pairs
    on conflict do nothing
)
insert into fact_contradictions (workspace_id, agent_id, scope, owner_key, contradiction_id, scope_a, entry_a, fact_a, scope_b, entry_b, fact_b,
    meaning_a, meaning_b, why, found_at)
select workspace_id, agent_id, scope, owner_key, md5(fact_id::text || other)::uuid, scope, entry_id, fact_id, scope, words, other, 'a', 'b', 'values', now()
from pairs
on conflict do nothing`

// addFacts gives feedback about a fact of every partition, and contradictions, so that every table has rows.
func (w *world) addFacts(t *testing.T, workspace string) {
	t.Helper()
	for _, agent := range worldAgents {
		for _, owner := range worldOwners {
			id := memory.Identity{Workspace: workspace, Agent: agent, Owner: owner, Role: memory.RoleMember}
			for _, f := range factsOf(t, w.Store, id, facts.Query{Page: pg.Page{Limit: 3}}) {
				if f.Scope == memory.ScopeGlobal {
					continue
				}
				must[uuid.UUID](t)(w.GiveFeedback(t.Context(), id, f.ID, someFeedback))
			}
			if owner != memory.NoOwner {
				if err := w.ShowMorningCard(t.Context(), id, testClock); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.RecordInjections(t.Context(), []facts.Injected{{Injection: worldInjection(id), Identity: id}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := w.root.Exec(t.Context(), someContradictions, workspace); err != nil {
		t.Fatal(err)
	}
}

// anyFact draws a fact and returns its owner.
func (w *world) anyFact(t *rapid.T) (uuid.UUID, tag) {
	var ids []uuid.UUID
	rows, err := w.root.Query(t.Context(), "select distinct fact_id from facts order by 1")
	if err != nil {
		t.Fatal(err)
	}
	var id uuid.UUID
	for rows.Next() {
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	id = rapid.SampledFrom(ids).Draw(t, "fact")
	return id, w.tagOf(t, "select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from facts where fact_id = $1 limit 1", id)
}

// anyContradiction draws a contradiction and returns its owner.
func (w *world) anyContradiction(t *rapid.T) (id uuid.UUID, of tag) {
	if err := w.root.QueryRow(t.Context(), "select contradiction_id from fact_contradictions order by md5(contradiction_id::text || $1) limit 1",
		fmt.Sprint(rapid.Int().Draw(t, "seed"))).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id, w.tagOf(t, "select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from fact_contradictions where contradiction_id = $1", id)
}

// everySaid returns the statements of everybody.
func (w *world) everySaid(t *rapid.T) (all string) {
	if err := w.root.QueryRow(t.Context(), "select coalesce(string_agg(text, chr(10)), '') from facts").Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// anyEvent draws an event of feedback.
func (w *world) anyEvent(t *rapid.T) (fact, event uuid.UUID) {
	if err := w.root.QueryRow(t.Context(), "select fact_id, event_id from fact_events order by md5(event_id::text || $1) limit 1",
		fmt.Sprint(rapid.Int().Draw(t, "seed"))).Scan(&fact, &event); err != nil {
		t.Fatal(err)
	}
	return fact, event
}

func init() { maps.Copy(calls, factCalls) }

// worldInjection returns a record whose conversation names its owner.
func worldInjection(id memory.Identity) facts.Injection {
	scope := memory.ScopePersonal
	if id.Owner == memory.NoOwner {
		scope = memory.ScopeTeam
	}
	return facts.Injection{
		ID: pg.NewID(), At: testClock, Conversation: scopeTag(id, scope).String(),
		Choices: []facts.Choice{{Layer: "matched", Source: pg.NewID()}},
	}
}

// anyInjection draws a record and returns its owner.
func (w *world) anyInjection(t *rapid.T) (injection uuid.UUID, of tag) {
	if err := w.root.QueryRow(t.Context(), "select injection_id from injections order by md5(injection_id::text || $1) limit 1",
		fmt.Sprint(rapid.Int().Draw(t, "seed"))).Scan(&injection); err != nil {
		t.Fatal(err)
	}
	const tagged = "select workspace_id, agent_id, coalesce(nullif(owner_key, ''), 'TEAM') from injections where injection_id = $1"
	return injection, w.tagOf(t, tagged, injection)
}

var factCalls = map[string]call{
	"MorningCard": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		card, err := w.MorningCard(t.Context(), id, testClock)
		return card, nil, err
	},
	"SeeMorningCard": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		var dream uuid.UUID
		if err := w.root.QueryRow(t.Context(), "select dream_id from dreams order by md5(dream_id::text || $1) limit 1",
			fmt.Sprint(rapid.Int().Draw(t, "seed"))).Scan(&dream); err != nil {
			t.Fatal(err)
		}
		return nil, nil, w.SeeMorningCard(t.Context(), id, dream)
	},
	"ShowMorningCard": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.ShowMorningCard(t.Context(), id, testClock)
	},
	"ByTrustAsOf": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.ByTrustAsOf(t.Context(), id, facts.Query{}, w.db.Now())
		return list, nil, err
	},
	"RecordInjections": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RecordInjections(t.Context(), []facts.Injected{{Injection: worldInjection(id), Identity: id}})
	},
	"Injections": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Injections(t.Context(), id, "", pg.Page{})
		return list, nil, err
	},
	"Injection": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		injection, of := w.anyInjection(t)
		in, err := w.Injection(t.Context(), id, injection)
		return in, &of, err
	},
	// It takes no identity and shows nothing.
	"ExpireInjections": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.ExpireInjections(t.Context(), testClock.AddDate(-1, 0, 0))
		return nil, nil, err
	},
	"ByTrust": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		page, err := w.ByTrust(t.Context(), id, facts.Query{Text: rapid.SampledFrom([]string{"", "acme", "ada"}).Draw(t, "text")})
		return page, nil, err
	},
	"Archived": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		page, err := w.Archived(t.Context(), id, rapid.SampledFrom([]string{"", "acme", "ada"}).Draw(t, "text"), pg.Page{})
		return page, nil, err
	},
	"Fact": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, of := w.anyFact(t)
		wordings, err := w.Fact(t.Context(), id, fact)
		return wordings, &of, err
	},
	"Numbered": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, of := w.anyFact(t)
		found, err := w.Numbered(t.Context(), id, facts.Number(fact))
		return found, &of, err
	},
	"OfDocuments": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal}).Draw(t, "scope")
		found, err := w.OfDocuments(t.Context(), id, scope, memory.MemoryPath, memory.ProfilePath)
		return found, nil, err
	},
	"Recalled": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
		found, err := w.Recalled(t.Context(), id, scope, scopeTag(id, scope).String(), time.Time{}, time.Now().AddDate(100, 0, 0))
		return found, nil, err
	},
	"Withdrawn": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
		gone, err := w.Withdrawn(t.Context(), id, scope, memory.ProfilePath, memory.MemoryPath)
		return gone, nil, err
	},
	"Stated": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, of := w.anyFact(t)
		var document uuid.UUID
		var entry markdown.EntryID
		if err := w.root.QueryRow(t.Context(), "select document_id, entry_id from facts where fact_id = $1 order by version desc limit 1",
			fact).Scan(&document, &entry); err != nil {
			t.Fatal(err)
		}
		found, err := w.Stated(t.Context(), id, document, entry)
		return found, &of, err
	},
	"Story": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, of := w.anyFact(t)
		events, err := w.Story(t.Context(), id, fact)
		return events, &of, err
	},
	"GiveFeedback": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, of := w.anyFact(t)
		_, err := w.GiveFeedback(t.Context(), id, fact, someFeedback)
		return nil, &of, err
	},
	"UndoFeedback": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, event := w.anyEvent(t)
		return nil, nil, w.UndoFeedback(t.Context(), id, fact, event)
	},
	"Contradictions": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		state := rapid.SampledFrom([]facts.ContradictionState{facts.StateOpen, facts.StateDoubtful, facts.StateSuperseded, facts.StateResolved}).Draw(t, "state")
		page, err := w.Contradictions(t.Context(), id, state, pg.Page{})
		return page, nil, err
	},
	"Disagreements": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		all, err := w.Disagreements(t.Context(), id, w.everySaid(t))
		return all, nil, err
	},
	"DisagreementsWithin": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		all, err := w.DisagreementsWithin(t.Context(), id, statements.Disagreements{More: true}, w.everySaid(t))
		return all, nil, err
	},
	"Contradiction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		contradiction, of := w.anyContradiction(t)
		c, err := w.Contradiction(t.Context(), id, contradiction)
		return c, &of, err
	},
	"SettleContradiction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		contradiction, of := w.anyContradiction(t)
		return nil, &of, w.SettleContradiction(t.Context(), id, contradiction, facts.Ignore)
	},
	"ResolveContradiction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		contradiction, of := w.anyContradiction(t)
		_, err := w.ResolveContradiction(t.Context(), id, contradiction, rapid.SampledFrom([]facts.Resolution{facts.KeepA, facts.KeepB, facts.Ignore}).Draw(t, "as"), "")
		return nil, &of, err
	},
	"Superseded": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		people, err := w.Superseded(t.Context(), id, testClock)
		return people, nil, err
	},
	"InDoubt": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		people, err := w.InDoubt(t.Context(), id, testClock)
		return people, nil, err
	},
	"SettleDoubtful": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		contradiction, _ := w.anyContradiction(t)
		return nil, nil, w.SettleDoubtful(t.Context(), id, []facts.Contradiction{{ID: contradiction}}, facts.Compatible)
	},
	"RebuildFacts": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RebuildFacts(t.Context(), id)
	},
	"DeriveFacts": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.DeriveFacts(t.Context(), id, 3)
		return nil, nil, err
	},
}
