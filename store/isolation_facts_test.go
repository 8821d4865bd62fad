package store

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store/facts"
	"reverie/store/pg"
)

// factColumns are the columns of facts that a writer sets.
const factColumns = `workspace_id, agent_id, scope, owner_key, document_id, entry_id, version, ended, fact_id, at, ended_at, text, heading,
    category, kind, subject, attribute, value, single, confidence, valid_from, valid_to, source, place, day, prior, half_life, shown, days,
    helpful, unhelpful, seen`

// someFeedback is feedback as a person gives it.
var someFeedback = facts.Feedback{Opinion: facts.Helpful, Weight: 1, Reason: "asked"}

// addFacts gives feedback about a fact of every partition, so that every table has rows.
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
			if err := w.RecordInjection(t.Context(), id, worldInjection(id)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// anyFact draws a fact and returns whose it is.
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

// anyInjection draws a record and returns whose it is.
func (w *world) anyInjection(t *rapid.T) (injection uuid.UUID, of tag) {
	if err := w.root.QueryRow(t.Context(), "select injection_id from injections order by md5(injection_id::text || $1) limit 1",
		fmt.Sprint(rapid.Int().Draw(t, "seed"))).Scan(&injection); err != nil {
		t.Fatal(err)
	}
	return injection, w.tagOf(t, "select workspace_id, agent_id, owner_key from injections where injection_id = $1", injection)
}

var factCalls = map[string]call{
	"MostTrusted": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		trusted, err := w.MostTrusted(t.Context(), id, rapid.Bool().Draw(t, "identity"), 5)
		return trusted, nil, err
	},
	"Doubted": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		doubted, err := w.Doubted(t.Context(), id)
		return doubted, nil, err
	},
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
	"RecordInjection": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RecordInjection(t.Context(), id, worldInjection(id))
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
	"Fact": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		fact, of := w.anyFact(t)
		wordings, err := w.Fact(t.Context(), id, fact)
		return wordings, &of, err
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
	"RebuildFacts": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RebuildFacts(t.Context(), id)
	},
	"DeriveFacts": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.DeriveFacts(t.Context(), id, 3)
		return nil, nil, err
	},
}
