package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
)

// call makes one call of a method as id, with arguments that point anywhere in the world. It returns what the call
// answered, and the tag of the place whose ids it used if the method is to find nothing with those of others.
type call func(t *rapid.T, w *world, id memory.Identity) (answer any, used *tag, err error)

// calls has one entry for every exported method of *Store: TestIsolation fails when one is missing.
var calls = map[string]call{
	"Agent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		a, err := w.Agent(t.Context(), id)
		return a, nil, err
	},
	"Agents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		a, err := w.Agents(t.Context(), id)
		return a, nil, err
	},
	"CreateAgent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		agent := rapid.SampledFrom([]string{"ada", "bob", "", ""}).Draw(t, "new agent")
		if agent == "" {
			agent = newID().String()
		}
		a, err := w.CreateAgent(t.Context(), id, NewAgent{ID: agent, Name: tag{id.Workspace, agent, "AGENT"}.String()})
		return a, nil, err
	},
	"UpdateAgent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		name := tag{id.Workspace, id.Agent, "AGENT"}.String() + newID().String()
		a, err := w.UpdateAgent(t.Context(), id, AgentPatch{Name: &name})
		return a, nil, err
	},
	"CreateKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		of := tag{id.Workspace, "", "KEY"}
		secret, key, err := w.CreateKey(t.Context(), id, NewKey{Name: of.String(), Role: memory.RoleMember, Owner: "user:1"})
		if err == nil {
			w.keys[secret], w.keyIDs[key.ID] = of, of
		}
		return key, nil, err
	},
	"Keys": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		keys, err := w.Keys(t.Context(), id)
		return keys, nil, err
	},
	"RevokeKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		key := rapid.SampledFrom(sortedKeys(w.keyIDs, uuid.UUID.String)).Draw(t, "key")
		of := w.keyIDs[key]
		return nil, &of, w.RevokeKey(t.Context(), id, key)
	},
	"ResolveOwner": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		owner, err := w.ResolveOwner(t.Context(), id, p.ownerID)
		return owner, &p.tag, err
	},
	"Signalled": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.Signalled(t.Context(), id, rapid.Int64Range(0, 5).Draw(t, "turn"))
	},
	"Conversation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		c, err := w.Conversation(t.Context(), id, w.anyPlace(t, id).conversation)
		return conversationTag(id, c, err), nil, err
	},
	"ConversationByUID": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		c, err := w.ConversationByUID(t.Context(), id, p.uid)
		return conversationTag(id, c, err), &p.tag, err
	},
	"Conversations": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Conversations(t.Context(), id, Page{Limit: MaxPage})
		var tags []tag
		for _, c := range list.Items {
			tags = append(tags, conversationTag(id, c, err)...)
		}
		return tags, nil, err
	},
	"AppendMessages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		b := taggedTurn(scopeTag(id, memory.ScopePersonal), w.anyPlace(t, id).conversation, rapid.SampledFrom([]string{"m", newID().String()}).Draw(t, "ids"), 2)
		stored, err := w.AppendMessages(t.Context(), id, b)
		return stored, nil, err
	},
	"CompleteTurn": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		stored, err := w.CompleteTurn(t.Context(), id, w.anyPlace(t, id).conversation)
		return stored, nil, err
	},
	"Messages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		messages, err := w.Messages(t.Context(), id, w.anyPlace(t, id).conversation, 0, MaxPage)
		return messages, nil, err
	},
	"MessagesByID": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		messages, err := w.MessagesByID(t.Context(), id, w.anyPlace(t, id).conversation, []string{"m1", "m2"})
		return messages, nil, err
	},
	"Apply": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		ref := anyRef(t)
		c := memory.Change{
			Ref: ref, Content: scopeTag(id, ref.Scope).String(), Reason: scopeTag(id, ref.Scope).String(), Force: rapid.Bool().Draw(t, "force"), Restore: 1, Strategy: memory.StrategyOverwrite,
			Op: rapid.SampledFrom([]memory.Op{memory.OpReplace, memory.OpAppend, memory.OpAppend, memory.OpMerge, memory.OpDelete, memory.OpUndelete, memory.OpRestore}).Draw(t, "op"),
		}
		key := rapid.SampledFrom([]string{"", "key shared.mdTEAM", newID().String()}).Draw(t, "key")
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
		list, err := w.Documents(t.Context(), id, DocumentFilter{IncludeDeleted: true})
		var tags []tag
		for _, d := range list { // without contents, so the tags are made of what the rows say, and of which rows they are
			tags = append(tags, w.tagOfDocument(t, d.ID))
		}
		return tags, nil, err
	},
	"PromptDocuments": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.PromptDocuments(t.Context(), id)
		return list, nil, err
	},
	"DocumentsWith": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		var anybodys []uuid.UUID
		if err := w.root.QueryRow(t.Context(), "select array_agg(document_id) from documents").Scan(&anybodys); err != nil {
			t.Fatal(err)
		}
		found, err := w.DocumentsWith(t.Context(), id, anybodys, []string{"a"}, MaxPage)
		return found, nil, err
	},
	"SetPrompt": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		on, order := rapid.Bool().Draw(t, "enabled"), rapid.IntRange(0, 9).Draw(t, "order")
		d, err := w.SetPrompt(t.Context(), id, anyRef(t), &on, &order)
		return d, nil, err
	},
	"History": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		versions, err := w.History(t.Context(), id, anyRef(t), 0, MaxPage)
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
	"Journal": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		events, err := w.Journal(t.Context(), id, JournalFilter{Limit: MaxPage})
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
	"NextRange": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		next, found, err := w.NextRange(t.Context(), id)
		if found {
			return w.tagOfConversation(t, next.ConversationUID), nil, err
		}
		return next, nil, err
	},
	"ConversationRange": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		next, found, err := w.ConversationRange(t.Context(), id, p.uid)
		if found {
			return next, &p.tag, err
		}
		return next, nil, err
	},
	"BeginExtraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		r := Range{ConversationUID: p.uid, From: 3, To: 4}
		if rapid.Bool().Draw(t, "retry") {
			r = Range{ConversationUID: p.uid, From: 1, To: 2, RetryOf: p.quarantined}
		}
		x, err := w.BeginExtraction(t.Context(), runOf(id, "w"), r)
		return x, &p.tag, err
	},
	"LoadExtraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		settings := memory.DefaultExtractSettings()
		settings.OwnerIsolation = rapid.Bool().Draw(t, "isolation")
		load, err := w.LoadExtraction(t.Context(), id, Range{ConversationUID: p.uid, From: 1, To: 6}, settings)
		return load, &p.tag, err
	},
	"SaveDraft": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		d := Draft{Changes: []memory.Change{{Ref: anyRef(t), Op: memory.OpAppend, Content: scopeTag(id, memory.ScopePersonal).String()}}, To: 4, Noted: p.flush}
		d.Changes[0].Content = scopeTag(id, d.Changes[0].Scope).String()
		return nil, &p.tag, w.SaveDraft(t.Context(), runOf(id, "w"), p.open, d)
	},
	"CommitExtraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		result, err := w.CommitExtraction(t.Context(), runOf(id, "w"), Commit{ExtractionID: p.open})
		return result, &p.tag, err
	},
	"RecordOutcome": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		e := Ending{Outcome: memory.OutcomeWaiting, Until: testClock, Reason: scopeTag(id, memory.ScopePersonal).String()}
		result, err := w.RecordOutcome(t.Context(), runOf(id, "w"), p.open, e)
		return result, &p.tag, err
	},
	"Extraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		x, err := w.Extraction(t.Context(), id, rapid.SampledFrom([]uuid.UUID{p.open, p.quarantined}).Draw(t, "extraction"))
		return x, &p.tag, err
	},
	"Extractions": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Extractions(t.Context(), id, ExtractionFilter{}, Page{Limit: MaxPage})
		return list, nil, err
	},
	"AddUsage": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.AddUsage(t.Context(), id, "model", memory.Usage{Calls: 1, InputTokens: 10})
	},
	"SpentToday": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		spent, err := w.SpentToday(t.Context(), id, time.Now())
		var want int
		if e := w.root.QueryRow(t.Context(), "select coalesce(sum(calls), 0) from model_usage where workspace_id = $1", id.Workspace).Scan(&want); e != nil {
			t.Fatal(e)
		}
		if err == nil && spent.Calls != want {
			t.Fatalf("spent %d calls, the workspace has %d", spent.Calls, want)
		}
		return spent, nil, err
	},
	"Backlog": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		backlog, err := w.Backlog(t.Context(), id)
		var want int
		if e := w.root.QueryRow(t.Context(), `
select count(*) from conversations where workspace_id = $1 and complete_seq > considered_seq and ($2::text[] is null or agent_id = any ($2))`,
			id.Workspace, id.Agents).Scan(&want); e != nil {
			t.Fatal(e)
		}
		if err == nil && backlog.PendingConversations != want {
			t.Fatalf("backlog counts %d conversations, the workspace has %d for %v", backlog.PendingConversations, want, id.Agents)
		}
		return backlog, nil, err
	},

	// These take no identity. They show nothing of a tenant, or only to whom has its secret.
	"Authenticate": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		secret := rapid.SampledFrom(append(sortedKeys(w.keys, func(s string) string { return s }), "rv_unknown", "")).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err == nil && (key.Workspace != w.keys[secret].workspace || key.Name != w.keys[secret].String()) {
			t.Fatalf("the secret of %v gives %+v", w.keys[secret], key)
		}
		return nil, nil, err
	},
	"EnsureWorkspace": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.EnsureWorkspace(t.Context(), rapid.SampledFrom(worldWorkspaces).Draw(t, "workspace"), "other name")
	},
	"EnsureKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		// A key of the other workspace: it must not be taken over.
		secret := rapid.SampledFrom(sortedKeys(w.keys, func(s string) string { return s })).Draw(t, "secret")
		other := worldWorkspaces[0]
		if w.keys[secret].workspace == other {
			other = worldWorkspaces[1]
		}
		err := w.EnsureKey(t.Context(), other, "configured", secret, memory.RoleAdmin)
		if !conflict(CodeKeyOfAnotherWorkspace)(err) {
			t.Fatalf("a key of another workspace: %v", err)
		}
		return nil, nil, nil
	},
	"Unsignalled": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		turns, err := w.Unsignalled(t.Context(), time.Now().Add(time.Hour), 100)
		return nil, nil, onlyReferences(t, turns, err)
	},
	"Stalled": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		turns, err := w.Stalled(t.Context(), time.Now().Add(time.Hour), 100)
		return nil, nil, onlyReferences(t, turns, err)
	},
	"DueAgents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		due, err := w.DueAgents(t.Context(), true, 100)
		for _, agent := range due {
			if agent.Workspace == "" {
				t.Fatalf("not a reference: %+v", agent)
			}
		}
		return nil, nil, err
	},
	"IndexedAgents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		agents, err := w.IndexedAgents(t.Context(), AgentRef{}, 100)
		for _, agent := range agents {
			if agent.Workspace == "" {
				t.Fatalf("not a reference: %+v", agent)
			}
		}
		return nil, nil, err
	},
	"ReportComponent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.ReportComponent(t.Context(), "model", "ok", "")
	},
	"Components": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		components, err := w.Components(t.Context())
		return components, nil, err
	},
	"Ping": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.Ping(t.Context())
	},
	"Close": func(*rapid.T, *world, memory.Identity) (any, *tag, error) { return nil, nil, nil }, // it has no rows to do with
}

func onlyReferences(t *rapid.T, turns []UnsignalledTurn, err error) error {
	t.Helper()
	for _, turn := range turns {
		if turn.Owner == uuid.Nil || turn.Workspace == "" || turn.Agent == "" {
			t.Fatalf("not a reference: %+v", turn)
		}
	}
	return err
}

// anyPlace is where id is at home, if anywhere, or some other place.
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

// conversationTag is whose conversation an answer is about.
func conversationTag(id memory.Identity, c Conversation, err error) []tag {
	if err != nil {
		return nil
	}
	return []tag{{id.Workspace, id.Agent, string(c.Owner)}}
}

// tagOf... ask the database, as the one who sees everything, whose a row is.
func (w *world) tagOfDocument(t *rapid.T, id uuid.UUID) tag {
	return w.tagOf(t, "select workspace_id, agent_id, case scope when 'PERSONAL' then owner_key else scope end from documents where document_id = $1", id)
}

func (w *world) tagOfEvent(t *rapid.T, id int64) tag {
	return w.tagOf(t, `
select workspace_id, agent_id, case when scope = 'PERSONAL' then owner_key when scope <> '' then scope when agent_id = '' then 'KEY' else 'AGENT' end
from journal where event_id = $1`, id)
}

func (w *world) tagOfConversation(t *rapid.T, uid uuid.UUID) tag {
	return w.tagOf(t, "select workspace_id, agent_id, owner_key from conversations where conversation_uid = $1", uid)
}

func (w *world) tagOf(t *rapid.T, sql string, id any) (of tag) {
	t.Helper()
	if err := w.root.QueryRow(t.Context(), sql, id).Scan(&of.workspace, &of.agent, &of.owner); err != nil {
		t.Fatal(fmt.Errorf("whose is %v: %w", id, err))
	}
	return of
}
