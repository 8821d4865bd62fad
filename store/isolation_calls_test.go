package store

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// call makes one call of a method as id, with arguments that point anywhere in the world. It returns what the call
// answered, and the tag of the place whose ids it used if the method is to find nothing with those of others.
type call func(t *rapid.T, w *world, id memory.Identity) (answer any, used *tag, err error)

// calls has one entry for every exported method of *Store: TestIsolation fails when one is missing.
var calls = map[string]call{
	"Apply": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		ref := anyRef(t)
		c := memory.Change{
			Ref: ref, Content: scopeTag(id, ref.Scope).String(), Reason: scopeTag(id, ref.Scope).String(),
			Force: rapid.Bool().Draw(t, "force"), Restore: 1, Strategy: markdown.StrategyOverwrite,
			Op: rapid.SampledFrom(
				[]memory.Op{
					memory.OpReplace, memory.OpAppend, memory.OpAppend, memory.OpMerge, memory.OpDelete, memory.OpUndelete,
					memory.OpRestore,
				},
			).Draw(t, "op"),
		}
		key := rapid.SampledFrom([]string{"", "key shared.mdTEAM", pg.NewID().String()}).Draw(t, "key")
		receipt, err := w.Apply(t.Context(), id, key, []memory.Change{c})
		return receipt, nil, err
	},
	"Document": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, err := w.Document(t.Context(), id, anyRef(t))
		return d, nil, err
	},
	"VisibleDocument": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d, err := w.VisibleDocument(t.Context(), id, anyRef(t).Path)
		return d, nil, err
	},
	"Documents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Documents(t.Context(), id, gate.DocumentFilter{IncludeDeleted: true, AsOf: anyTime(t)})
		var tags []tag
		for _, d := range list { // without contents, so the tags are made of what the rows say, and of which rows they are
			tags = append(tags, w.tagOfDocument(t, d.ID))
		}
		return tags, nil, err
	},
	"PromptDocuments": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.PromptDocuments(t.Context(), id, anyTime(t))
		return list, nil, err
	},
	"DocumentAsOf": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		ref := anyRef(t)
		return w.DocumentAsOf(t.Context(), id, ref.Path, ref.Scope, time.Now())
	}),
	"DocumentsWith": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		var anybodys []uuid.UUID
		if err := w.root.QueryRow(t.Context(), "select array_agg(document_id) from documents").Scan(&anybodys); err != nil {
			t.Fatal(err)
		}
		found, err := w.DocumentsWith(t.Context(), id, anybodys, [][]string{{"a"}}, pg.MaxPage)
		return found, nil, err
	},
	"SetPrompt": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		on, order := rapid.Bool().Draw(t, "enabled"), rapid.IntRange(0, 9).Draw(t, "order")
		d, err := w.SetPrompt(t.Context(), id, anyRef(t), &on, &order)
		return d, nil, err
	},
	"History": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		versions, err := w.History(t.Context(), id, anyRef(t), 0, pg.MaxPage)
		return versions, nil, err // the reasons have the tags
	},
	"VersionOf": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		v, err := w.VersionOf(t.Context(), id, anyRef(t), rapid.IntRange(1, 3).Draw(t, "version"))
		return v, nil, err
	},
	"Blame": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		lines, err := w.Blame(t.Context(), id, anyRef(t), 0)
		return lines, nil, err
	},
	"Blames": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		lines, err := w.Blames(t.Context(), id, []memory.Ref{anyRef(t), anyRef(t)})
		return lines, nil, err
	},
	"Journal": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		events, err := w.Journal(t.Context(), id, gate.JournalFilter{Limit: pg.MaxPage})
		var tags []tag
		for _, e := range events.Events {
			tags = append(tags, w.tagOfEvent(t, e.ID))
		}
		return tags, nil, err
	},
	"JournalEnd": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.JournalEnd(t.Context(), id)
		return nil, nil, err // a number of the whole database, and of nobody
	},
	"DueAgents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		due, err := w.DueAgents(t.Context(), allWork(), true, indexes.AgentRef{})
		for _, agent := range due {
			if agent.Workspace == "" {
				t.Fatalf("not a reference: %+v", agent)
			}
		}
		return nil, nil, err
	},
	"IndexedAgents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		agents, err := w.IndexedAgents(t.Context(), indexes.AgentRef{}, 100)
		for _, agent := range agents {
			if agent.Workspace == "" {
				t.Fatalf("not a reference: %+v", agent)
			}
		}
		return nil, nil, err
	},
	"OpenRecords": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		records, err := w.OpenRecords(t.Context(), allWork())
		for _, x := range records {
			if x.Workspace == "" || x.Agent == "" || x.Kind == "" || x.ID == uuid.Nil {
				t.Fatalf("not a reference: %+v", x)
			}
		}
		return nil, nil, err
	},
	"JournalHolders": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		holders, err := w.JournalHolders(t.Context())
		return holders, nil, err
	},
	"Busy":  func(*rapid.T, *world, memory.Identity) (any, *tag, error) { return nil, nil, nil }, // like Close
	"Close": func(*rapid.T, *world, memory.Identity) (any, *tag, error) { return nil, nil, nil }, // it has no rows to do with
}

// allWork takes all work of the deployment.
func allWork() pg.Lease {
	return pg.Lease{Before: time.Now().Add(time.Hour), Until: time.Now(), Limit: pg.MaxPage}
}

// anyPlace draws the home of id, if it has one, or another place.
func (w *world) anyPlace(t *rapid.T, id memory.Identity) place {
	p := rapid.SampledFrom(w.places).Draw(t, "place")
	home := slices.IndexFunc(w.places, func(p place) bool { return p.tag == scopeTag(id, memory.ScopePersonal) })
	if home >= 0 && rapid.Bool().Draw(t, "own place") {
		p = w.places[home]
	}
	return p
}

func anyRef(t *rapid.T) memory.Ref {
	return memory.Ref{
		Scope: rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal}).Draw(t, "scope"),
		Path:  rapid.SampledFrom([]string{"shared.md", "MEMORY.md", "memory/2026-11-21.md"}).Draw(t, "path"),
	}
}

// tagOf... ask the database, as the one who sees everything, whose a row is.
func (w *world) tagOfDocument(t *rapid.T, id uuid.UUID) tag {
	return w.tagOf(
		t,
		"select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from documents where document_id = $1", id,
	)
}

func (w *world) tagOfEvent(t *rapid.T, id int64) tag {
	return w.tagOf(t, `
select workspace_id, agent_id, case when scope = 'PERSONAL' then owner_key when scope <> '' then scope `+
		`when agent_id = '' then 'KEY' else 'AGENT' end
from journal where event_id = $1`, id)
}

func (w *world) tagOf(t *rapid.T, sql string, id any) (of tag) {
	t.Helper()
	if err := w.root.QueryRow(t.Context(), sql, id).Scan(&of.workspace, &of.agent, &of.owner); err != nil {
		t.Fatal(fmt.Errorf("whose is %v: %w", id, err))
	}
	return of
}

func init() { maps.Copy(calls, forgetCalls) }

// forgetCalls are the calls of what people want forgotten.
var forgetCalls = map[string]call{
	"Forget": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		r := dreams.ForgetRequest{
			Ref: anyRef(t), FromLine: 1, ToLine: rapid.IntRange(1, 50).Draw(t, "to"), Erase: rapid.Bool().Draw(t, "erase"),
			Preview: rapid.Bool().Draw(t, "preview"),
		}
		if rapid.Bool().Draw(t, "by a pattern") { // that nothing has: otherwise the world would lose its tags
			r.Ref.Path, r.FromLine, r.ToLine, r.Pattern = "", 0, 0, "nothing of the kind"
		}
		receipt, err := w.Forget(t.Context(), id, r)
		return receipt, nil, err
	},
}

func init() { maps.Copy(calls, receiptCalls) }

// receiptCalls lists the calls that return a write's receipt again. A receipt names a path and a document, no contents.
var receiptCalls = map[string]call{
	"Receipt": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		receipt, found, err := w.Receipt(
			t.Context(), id, rapid.SampledFrom([]string{"key shared.mdPERSONAL", "key shared.mdTEAM"}).Draw(t, "key"),
		)
		if err != nil || !found {
			return nil, nil, err
		}
		var tags []tag
		for _, c := range receipt.Changes {
			tags = append(tags, w.tagOfDocument(t, c.Document))
		}
		return tags, nil, nil
	},
	"ReceiptOfVersion": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		receipt, err := w.ReceiptOfVersion(t.Context(), id, anyRef(t), rapid.IntRange(1, 3).Draw(t, "version"))
		if err != nil {
			return nil, nil, err
		}
		return w.tagOfDocument(t, receipt.Changes[0].Document), nil, nil
	},
}

// readBy returns a call that reads as a member: its results are compared with what a member may see.
func readBy(read func(*rapid.T, *world, memory.Identity) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		member, shown := asMember(t, id)
		answer, err := read(t, w, member)
		if err != nil {
			return nil, nil, err
		}
		for _, of := range tagsIn(answer) {
			if !shown(of) {
				t.Fatalf("a member shows %v to %+v", of, member)
			}
		}
		return nil, nil, nil
	}
}
