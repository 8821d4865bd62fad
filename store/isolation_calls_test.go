package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/memory/writereq"
	"reverie/search"
	snap "reverie/snapshot"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
	"reverie/store/talk"
	"reverie/store/transfer"
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
			agent = pg.NewID().String()
		}
		a, err := w.CreateAgent(t.Context(), id, admin.NewAgent{ID: agent, Name: tag{id.Workspace, agent, "AGENT"}.String()})
		return a, nil, err
	},
	"UpdateAgent": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		name := tag{id.Workspace, id.Agent, "AGENT"}.String() + pg.NewID().String()
		a, err := w.UpdateAgent(t.Context(), id, admin.AgentPatch{Name: &name})
		return a, nil, err
	},
	"CreateKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		of := tag{id.Workspace, "", "KEY"}
		secret, key, err := w.CreateKey(t.Context(), id, admin.NewKey{Name: of.String(), Role: memory.RoleMember, Owner: "user:1"})
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
	"RotateKey": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		key := rapid.SampledFrom(sortedKeys(w.keyIDs, uuid.UUID.String)).Draw(t, "key")
		of := w.keyIDs[key]
		rotated, err := w.RotateKey(t.Context(), id, key, admin.MaxOverlap, nil)
		if err == nil {
			w.keys[rotated.Secret], w.keyIDs[rotated.New.ID] = of, of
		}
		return rotated, &of, err
	},
	// Sessions take no identity: their tokens are credentials.
	"StartSession": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		secrets := sortedKeys(w.keys, func(s string) string { return s })
		secret := rapid.SampledFrom(secrets).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err != nil {
			return nil, nil, err
		}
		token, _, err := w.StartSession(t.Context(), key)
		w.sessions[token] = w.keys[secret]
		return nil, nil, err
	},
	"SessionKey": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		tokens := append(sortedKeys(w.sessions, func(s string) string { return s }), "unknown", "")
		token := rapid.SampledFrom(tokens).Draw(t, "token")
		key, err := w.SessionKey(t.Context(), token)
		if err == nil && (key.Workspace != w.sessions[token].workspace || key.Name != w.sessions[token].String()) {
			t.Fatalf("the session of %v gives %+v", w.sessions[token], key)
		}
		return nil, nil, err
	},
	"EndSession": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		return nil, nil, w.EndSession(t.Context(), pg.NewID().String())
	},
	// It takes no identity, because it records what identities do.
	"RecordAudit": func(_ *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		entry := admin.AuditEntry{
			At: w.db.Now(), Role: id.Role, Agent: id.Agent, Owner: id.Owner, Operation: auditTag(id.Workspace, id.Agent).String(),
			Targets: map[string]string{},
		}
		return nil, nil, w.RecordAudit(context.Background(), id.Workspace, []admin.AuditEntry{entry})
	},
	"Audit": func(_ *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Audit(context.Background(), id, admin.AuditFilter{}, pg.Page{Limit: pg.MaxPage})
		return list, nil, err
	},
	// It takes no identity and shows nothing.
	"ExpireAudit": func(_ *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		n, err := w.ExpireAudit(context.Background(), w.db.Now().Add(time.Hour))
		if n > 0 {
			return tag{"the latest day", "", "expired"}, nil, err
		}
		return nil, nil, err
	},
	"OwnerID": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.OwnerID(t.Context(), id)
		return nil, nil, err
	},
	"Owners": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		owners, err := w.Owners(t.Context(), id, 0)
		var shown []tag
		for _, o := range owners {
			shown = append(shown, tag{id.Workspace, id.Agent, string(o.Key)})
		}
		return shown, nil, err
	},
	"Latest": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		kinds := []gate.EventKind{gate.EventDocumentWritten, gate.EventDocumentDeleted, gate.EventDreamCompleted}
		events, err := w.Latest(t.Context(), id, kinds, []memory.AuthorKind{memory.AuthorUser, memory.AuthorDream}, w.db.Now().Add(time.Hour), 0)
		return events, nil, err
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
		list, err := w.Conversations(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		var tags []tag
		for _, c := range list.Items {
			tags = append(tags, conversationTag(id, c, err)...)
		}
		return tags, nil, err
	},
	"AppendMessages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		b := taggedTurn(
			scopeTag(id, memory.ScopePersonal), w.anyPlace(t, id).conversation,
			rapid.SampledFrom([]string{"m", pg.NewID().String()}).Draw(t, "ids"), 2,
		)
		stored, err := w.AppendMessages(t.Context(), id, b)
		return stored, nil, err
	},
	"CompleteTurn": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		stored, err := w.CompleteTurn(t.Context(), id, w.anyPlace(t, id).conversation)
		return stored, nil, err
	},
	"Messages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		messages, err := w.Messages(t.Context(), id, w.anyPlace(t, id).conversation, 0, pg.MaxPage)
		return messages, nil, err
	},
	"MessagesByID": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		messages, err := w.MessagesByID(t.Context(), id, w.anyPlace(t, id).conversation, []string{"m1", "m2"})
		return messages, nil, err
	},
	"PlaceMessages": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		named := rapid.SampledFrom([]string{"", w.anyPlace(t, id).conversation}).Draw(t, "conversation")
		placed, err := w.PlaceMessages(t.Context(), id, named, []string{"m1", "m2"})
		for _, p := range placed { // what it finds is what this identity reads
			if own, err := w.MessagesByID(t.Context(), id, p.Conversation, []string{p.ID}); err != nil || len(own) != 1 || own[0].Seq != p.Seq {
				t.Errorf("%+v is not a message of %+v: %v", p, id, err)
			}
		}
		return nil, nil, err
	},
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
		r := talk.Range{ConversationUID: p.uid, From: 3, To: 4}
		if rapid.Bool().Draw(t, "retry") {
			r = talk.Range{ConversationUID: p.uid, From: 1, To: 2, RetryOf: p.quarantined}
		}
		x, err := w.BeginExtraction(t.Context(), runOf(id, "w"), r)
		return x, &p.tag, err
	},
	"LoadExtraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		settings := setting.DefaultExtractSettings()
		settings.OwnerIsolation = rapid.Bool().Draw(t, "isolation")
		load, err := w.LoadExtraction(t.Context(), id, talk.Range{ConversationUID: p.uid, From: 1, To: 6}, settings)
		return load, &p.tag, err
	},
	"SaveDraft": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		d := talk.Draft{
			Changes: []memory.Change{{Ref: anyRef(t), Op: memory.OpAppend, Content: scopeTag(id, memory.ScopePersonal).String()}},
			To:      4, Noted: p.flush,
		}
		d.Changes[0].Content = scopeTag(id, d.Changes[0].Scope).String()
		return nil, &p.tag, w.SaveDraft(t.Context(), runOf(id, "w"), p.open, d)
	},
	"CommitExtraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		result, err := w.CommitExtraction(t.Context(), runOf(id, "w"), talk.Commit{ExtractionID: p.open})
		return result, &p.tag, err
	},
	"RecordOutcome": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		e := talk.Ending{Outcome: memory.OutcomeWaiting, Until: testClock, Reason: scopeTag(id, memory.ScopePersonal).String()}
		result, err := w.RecordOutcome(t.Context(), runOf(id, "w"), p.open, e)
		return result, &p.tag, err
	},
	"Extraction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		x, err := w.Extraction(t.Context(), id, rapid.SampledFrom([]uuid.UUID{p.open, p.quarantined}).Draw(t, "extraction"))
		return x, &p.tag, err
	},
	"Extractions": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Extractions(t.Context(), id, talk.ExtractionFilter{}, pg.Page{Limit: pg.MaxPage})
		return list, nil, err
	},
	"AddUsage": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.AddUsage(t.Context(), id, "model", memory.Usage{Calls: 1, InputTokens: 10})
	},
	"UsageByDay": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		spent, err := w.UsageByDay(t.Context(), id, time.Now())
		var want int
		if e := w.root.QueryRow(
			t.Context(), "select coalesce(sum(calls), 0) from model_usage where workspace_id = $1", id.Workspace,
		).Scan(&want); e != nil {
			t.Fatal(e)
		}
		got := 0
		for _, u := range spent {
			got += u.Calls
		}
		if err == nil && got != want {
			t.Fatalf("%d calls are listed, the workspace has %d", got, want)
		}
		return nil, nil, err
	},
	"SpentToday": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		spent, err := w.SpentToday(t.Context(), id, time.Now())
		var want int
		if e := w.root.QueryRow(
			t.Context(), "select coalesce(sum(calls), 0) from model_usage where workspace_id = $1", id.Workspace,
		).Scan(&want); e != nil {
			t.Fatal(e)
		}
		if err == nil && spent.Calls != want {
			t.Fatalf("spent %d calls, the workspace has %d", spent.Calls, want)
		}
		return spent, nil, err
	},
	"Backlog": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		backlog, err := w.Backlog(t.Context(), id)
		var want, staged int
		if e := w.root.QueryRow(t.Context(), `
select (select count(*) from conversations c where workspace_id = $1 and ($2::text[] is null or agent_id = any ($2))
    and (complete_seq > considered_seq or exists (
        select from extractions x
        where x.workspace_id = $1 and x.conversation_uid = c.conversation_uid and x.outcome = 'failed'
            and least(x.to_seq, c.considered_seq) > c.cursor_seq))),
    (select count(*) from memory_writes where workspace_id = $1 and outcome = 'staged' and ($2::text[] is null or agent_id = any ($2)))`,
			id.Workspace, id.Agents).Scan(&want, &staged); e != nil {
			t.Fatal(e)
		}
		if err == nil && (backlog.PendingConversations != want || backlog.StagedWrites != staged) {
			t.Fatalf("backlog counts %d conversations and %d writes, the workspace has %d and %d for %v",
				backlog.PendingConversations, backlog.StagedWrites, want, staged, id.Agents)
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
		if !conflict(pg.CodeKeyOfAnotherWorkspace)(err) {
			t.Fatalf("a key of another workspace: %v", err)
		}
		return nil, nil, nil
	},
	"Unsignalled": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		turns, err := w.Unsignalled(t.Context(), allWork())
		return nil, nil, onlyReferences(t, turns, err)
	},
	"Stalled": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		turns, err := w.Stalled(t.Context(), allWork())
		return nil, nil, onlyReferences(t, turns, err)
	},
	"Idle": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.Idle(t.Context(), allWork(), time.Second)
		for _, x := range found {
			if x.Workspace == "" || x.Agent == "" || x.UID == uuid.Nil {
				t.Fatalf("not a reference: %+v", x)
			}
		}
		return nil, nil, err
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
	// A lease is no tenant's.
	"Lead": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.Lead(t.Context(), "sweeps", id.Agent, time.Minute)
		return nil, nil, err
	},
	"Resign": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.Resign(t.Context(), "sweeps", id.Agent)
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

func onlyReferences(t *rapid.T, turns []talk.UnsignalledTurn, err error) error {
	t.Helper()
	for _, turn := range turns {
		if turn.Owner == uuid.Nil || turn.Workspace == "" || turn.Agent == "" {
			t.Fatalf("not a reference: %+v", turn)
		}
	}
	return err
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

// conversationTag returns the tag of the conversation in an answer.
func conversationTag(id memory.Identity, c talk.Conversation, err error) []tag {
	if err != nil {
		return nil
	}
	return []tag{{id.Workspace, id.Agent, string(c.Owner)}}
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

// mayImport reports whether an identity may work with the imports of an owner, or without one with those of several owners.
func mayImport(id memory.Identity, g group) bool {
	return g.workspace == id.Workspace && g.agent == id.Agent && id.Agent != "" && id.MayUseAgent(id.Agent) &&
		id.Role.Includes(memory.RoleMember) && (g.owner == string(id.Owner) && (g.owner != "" || !id.Pinned))
}

// importTag returns the tag of the contents of an identity's import.
func importTag(id memory.Identity) string {
	if id.Owner == memory.NoOwner {
		return scopeTag(id, memory.ScopeTeam).String()
	}
	return scopeTag(id, memory.ScopePersonal).String()
}

// addImport gives a place an import with an item that waits and one that is settled.
func (w *world) addImport(t *testing.T, id memory.Identity) {
	t.Helper()
	says := importTag(id)
	made := must[transfer.Import](t)(
		w.CreateImport(t.Context(), id, transfer.NewImport{Source: says, Format: "mem0", Label: says, OnConflict: memory.ImportMerge}),
	)
	items := []transfer.ImportItem{
		{Key: says + "1", Target: says, Payload: []byte(says)}, {Key: says + "2", Target: says, Payload: []byte(says)},
	}
	must[transfer.StagedItems](t)(w.StageImport(t.Context(), id, made.ID, items))
	settled := []transfer.ImportSettled{{Key: says + "2", Outcome: memory.OutcomeWritten}}
	if err := w.SettleImport(t.Context(), id, made.ID, settled); err != nil {
		t.Fatal(err)
	}
}

// anyImport returns an import of the world and its tag; nil: of several owners.
func (w *world) anyImport(t *rapid.T) (uuid.UUID, *tag) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('id', import_id, 'workspace', workspace_id, 'agent', agent_id, 'owner', owner_key)
from imports
order by import_id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collectMaps(rows)
	if err != nil || len(all) == 0 {
		t.Fatal("there are no imports", err)
	}
	text := func(row map[string]any, name string) string { value, _ := row[name].(string); return value }
	row := rapid.SampledFrom(all).Draw(t, "import")
	of := tag{text(row, "workspace"), text(row, "agent"), text(row, "owner")}
	if of.owner == "" {
		return uuid.MustParse(text(row, "id")), nil
	}
	return uuid.MustParse(text(row, "id")), &of
}

func init() { maps.Copy(calls, importCalls) }

// moved returns a call that moves an import on.
func moved(move func(*rapid.T, *world, memory.Identity, uuid.UUID) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		imported, of := w.anyImport(t)
		answer, err := move(t, w, id, imported)
		return answer, of, err
	}
}

// importCalls are the calls about what moves in.
var importCalls = map[string]call{
	"CreateImport": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		says := importTag(id)
		made, err := w.CreateImport(
			t.Context(), id, transfer.NewImport{Source: pg.NewID().String(), Format: "mem0", Label: says, OnConflict: memory.ImportKeep},
		)
		return made, nil, err
	},
	"Imports": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Imports(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return listed, nil, err
	},
	"ImportOf": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.ImportOf(t.Context(), id, imported)
	}),
	"StageImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		says := importTag(id)
		return w.StageImport(t.Context(), id, imported, []transfer.ImportItem{{Key: pg.NewID().String(), Target: says, Payload: []byte(says)}})
	}),
	"StartImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.StartImport(t.Context(), id, imported)
	}),
	"CancelImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.CancelImport(t.Context(), id, imported)
	}),
	"EndImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.EndImport(t.Context(), id, imported)
	}),
	"LeaveImport": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.LeaveImport(t.Context(), id, imported)
	}),
	"NextImportItems": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		_, items, err := w.NextImportItems(t.Context(), id, imported, 10)
		return items, err
	}),
	"ImportItems": moved(func(t *rapid.T, w *world, id memory.Identity, imported uuid.UUID) (any, error) {
		return w.ImportItems(t.Context(), id, imported, transfer.ImportFilter{Any: true}, pg.Page{})
	}),
	"SettleImport": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) { // what it does not see it does not settle
		imported, _ := w.anyImport(t)
		return nil, nil, w.SettleImport(
			t.Context(), id, imported, []transfer.ImportSettled{{Key: importTag(id) + "1", Outcome: memory.OutcomeWritten}},
		)
	},
	"RunningImports": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) { // references alone, for the sweep
		_, err := w.RunningImports(t.Context(), allWork())
		return nil, nil, err
	},
	"ImportedConversation": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		out, err := w.ImportedConversation(t.Context(), id, p.uid)
		return out, &p.tag, err
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

// addSnapshot adds an open import with its archive to a place; a place without an owner gets one of shared documents.
func (w *world) addSnapshot(t *testing.T, id memory.Identity) {
	t.Helper()
	must[transfer.SnapshotImport](t)(w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopePersonal), false)))
	must[transfer.SnapshotImport](t)(w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopeTeam), true)))
}

// snapshotOfTag returns an archive whose bytes name its owner; the store does not read them.
func snapshotOfTag(of tag, shared bool) transfer.SnapshotRequest {
	data := []byte(of.String())
	return transfer.SnapshotRequest{Archive: sha256.Sum256(data), Data: data, Choice: snap.ChooseAll, Shared: shared}
}

// snapshotTags returns the tags of the imports in an answer.
func snapshotTags(id memory.Identity, imports ...transfer.SnapshotImport) (tags []tag) {
	for _, i := range imports {
		of := tag{id.Workspace, id.Agent, string(i.Owner)}
		if i.Owner == memory.NoOwner {
			of.owner = "TEAM"
		}
		tags = append(tags, of)
	}
	return tags
}

// anySnapshot returns an import of any owner, and its tag.
func (w *world) anySnapshot(t *rapid.T) (uuid.UUID, tag) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('id', import_id, 'workspace', workspace_id, 'agent', agent_id, 'owner', coalesce(nullif(owner_key, ''), 'TEAM'))
from snapshot_imports
order by import_id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[map[string]string])
	if err != nil || len(all) == 0 {
		t.Fatal("no imports", err)
	}
	row := rapid.SampledFrom(all).Draw(t, "import")
	return uuid.MustParse(row["id"]), tag{row["workspace"], row["agent"], row["owner"]}
}

// takenOf returns documents of an identity, as an archive would have them.
func takenOf(t *rapid.T, id memory.Identity) snap.Taken {
	scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
	file := snap.File{
		Ref: memory.Ref{Scope: scope, Path: "shared.md"}, Content: scopeTag(id, scope).String(), Prompt: &snap.Prompt{Enabled: true},
	}
	return snap.Taken{Files: []snap.Checked{{File: file}}}
}

func init() { maps.Copy(calls, snapshotCalls) }

// snapshotCalls are the calls of snapshots.
var snapshotCalls = map[string]call{
	"StageSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		shared := rapid.Bool().Draw(t, "shared")
		i, err := w.StageSnapshot(t.Context(), id, snapshotOfTag(scopeTag(id, memory.ScopePersonal), shared))
		return snapshotTags(id, i), nil, err
	},
	"Snapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, err := w.Snapshot(t.Context(), id, which)
		return snapshotTags(id, i), &of, err
	},
	"LoadSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, _, err := w.LoadSnapshot(t.Context(), id, which, true)
		return snapshotTags(id, i), &of, err
	},
	"Snapshots": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Snapshots(t.Context(), id, pg.Page{Limit: pg.MaxPage})
		return snapshotTags(id, list.Items...), nil, err
	},
	"WaitingSnapshots": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.WaitingSnapshots(t.Context(), allWork())
		return nil, nil, err // references only, as its type has nothing else
	},
	"PreviewSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p, err := w.PreviewSnapshot(t.Context(), id, snap.Archive{}, snap.ChooseAll, takenOf(t, id))
		return p, nil, err
	},
	"CommitSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, err := w.CommitSnapshot(t.Context(), id, which, snap.Archive{}, takenOf(t, id), nil)
		return snapshotTags(id, i), &of, err
	},
	"RefuseSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		which, of := w.anySnapshot(t)
		i, err := w.RefuseSnapshot(t.Context(), id, which, "forbidden")
		return snapshotTags(id, i), &of, err
	},
	"ExportSnapshot": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		e, err := w.ExportSnapshot(
			t.Context(), id, rapid.SampledFrom([]snap.Choice{snap.ChooseAll, snap.ChooseTeam, snap.ChoosePersonal}).Draw(t, "choice"), "",
		)
		return e, nil, err
	},
}

func init() { maps.Copy(calls, teamCalls) }

// worldMember is the agent of every workspace of the world that reads behind its leader, the first agent.
const worldMember = "cleo"

// addMember makes the member of a workspace's team.
func (w *world) addMember(t *testing.T, workspace string) {
	t.Helper()
	name := tag{workspace, worldMember, "AGENT"}.String()
	settings := setting.AgentSettings{Leader: worldAgents[0]}
	must[gate.Agent](t)(w.CreateAgent(t.Context(), adminOf(workspace),
		admin.NewAgent{ID: worldMember, Name: name, TimeZone: "UTC", Settings: settings}))
}

// asMember makes a caller one of the member of a team, sometimes with a credential that names the member and not the leader, and
// returns which tags it may see. The rule is written independently of the policies.
func asMember(t *rapid.T, id memory.Identity) (member memory.Identity, shown func(tag) bool) {
	member = id.For(worldMember, id.Owner)
	if slices.Contains(member.Agents, worldAgents[0]) && rapid.Bool().Draw(t, "names the member") {
		member.Agents = []string{worldMember}
	}
	leader := member
	leader.Agent, leader.Agents, leader.AnyOwner = worldAgents[0], nil, false
	return member, func(of tag) bool {
		return sees(member, of) || member.MayUseAgent(worldMember) && of.agent == worldAgents[0] && of.owner != "AGENT" && sees(leader, of)
	}
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

// teamCalls are the calls of members of a team.
var teamCalls = map[string]call{
	"Leader": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		leader, member, err := w.Leader(t.Context(), id)
		if member &&
			(leader.Owner != id.Owner || leader.AnyOwner || leader.Workspace != id.Workspace || leader.Role != memory.RoleViewer ||
				!id.MayUseAgent(id.Agent)) {
			t.Fatalf("%+v reads as %+v", id, leader)
		}
		return nil, err
	}),
	"ReadableDocument": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		return w.ReadableDocument(t.Context(), id, anyRef(t).Path)
	}),
	"ReadableDocuments": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		list, err := w.ReadableDocuments(t.Context(), id, gate.DocumentFilter{IncludeDeleted: true, AsOf: anyTime(t)})
		var tags []tag
		for _, d := range list {
			tags = append(tags, w.tagOfDocument(t, d.ID))
		}
		return tags, err
	}),
}

func init() { maps.Copy(calls, writeCalls) }

// mayWriteScope reports whether an identity may write rows of a scope, in a group of its agent.
func mayWriteScope(id memory.Identity, g group) bool {
	switch memory.Scope(g.scope) {
	case memory.ScopePersonal:
		return g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case memory.ScopeTeam:
		return !id.Pinned
	default:
		return id.Role == memory.RoleAdmin && !id.Pinned && id.Agents == nil
	}
}

// writeTag returns the tag of a write.
func writeTag(id memory.Identity, w transfer.MemoryWrite) tag {
	of := id
	of.Owner = w.Owner
	return scopeTag(of, w.Scope)
}

// taggedWrite returns a request in an identity's words.
func taggedWrite(t *rapid.T, id memory.Identity) writereq.Request {
	ref := anyRef(t)
	return writereq.Request{
		RequestID: rapid.SampledFrom([]string{"r1", "r2", pg.NewID().String()}).Draw(t, "request"), Scope: ref.Scope, Target: ref.Path,
		Strategy: markdown.StrategyAppend, Content: scopeTag(id, ref.Scope).String(), Reason: scopeTag(id, ref.Scope).String(),
	}
}

// keyOf returns a key of the identity's workspace, or of any one if there is none.
func (w *world) keyOf(t *rapid.T, id memory.Identity) uuid.UUID {
	all := sortedKeys(w.keyIDs, uuid.UUID.String)
	own := slices.DeleteFunc(slices.Clone(all), func(key uuid.UUID) bool { return w.keyIDs[key].workspace != id.Workspace })
	if len(own) == 0 {
		own = all
	}
	return rapid.SampledFrom(own).Draw(t, "key")
}

// addWrite gives a place a write that waits.
func (w *world) addWrite(t *testing.T, id memory.Identity) {
	t.Helper()
	keys := sortedKeys(w.keyIDs, uuid.UUID.String)
	own := slices.IndexFunc(keys, func(key uuid.UUID) bool { return w.keyIDs[key].workspace == id.Workspace })
	for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam} {
		says := scopeTag(id, scope).String()
		must[transfer.MemoryWrite](t)(w.StageWrite(t.Context(), id, keys[own], writereq.Request{
			RequestID: string(scope) + string(id.Owner), Scope: scope, Target: "shared.md", Strategy: markdown.StrategyAppend,
			Content: says, Reason: says,
		}))
	}
}

// writeCalls are the calls about what business processes write.
var writeCalls = map[string]call{
	"StageWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		staged, err := w.StageWrite(t.Context(), id, w.keyOf(t, id), taggedWrite(t, id))
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, staged), nil, nil
	},
	// It takes no identity: it writes with the rights of the requesting credential. Here it gets a request of the caller.
	"CommitWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		ref := memory.Ref{Scope: memory.ScopePersonal, Path: "MEMORY.md"}
		staged, err := w.StageWrite(t.Context(), id, w.keyOf(t, id), writereq.Request{
			RequestID: pg.NewID().String(), Scope: ref.Scope, Target: ref.Path, Strategy: markdown.StrategyAppend,
			Content: scopeTag(id, ref.Scope).String(),
		})
		if err != nil {
			return nil, nil, err
		}
		done, err := w.CommitWrite(
			t.Context(), transfer.WriteRef{Workspace: id.Workspace, Agent: id.Agent, Write: staged.ID}, memory.Author{WorkflowID: "write"},
		)
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, done), nil, nil
	},
	"MemoryWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.MemoryWrite(t.Context(), id, rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "request"))
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, found), nil, nil
	},
	"StagedWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.StagedWrite(t.Context(), id, pg.NewID())
		if own, staged := w.StageWrite(t.Context(), id, w.keyOf(t, id), taggedWrite(t, id)); staged == nil {
			found, err = w.StagedWrite(t.Context(), id, own.ID)
		}
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, found), nil, nil
	},
	"MemoryWrites": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.MemoryWrites(t.Context(), id, "", pg.Page{Limit: pg.MaxPage})
		var tags []tag
		for _, one := range list.Items {
			tags = append(tags, writeTag(id, one))
		}
		return tags, nil, err
	},
	// It takes no identity and shows references only.
	"DueWrites": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		due, err := w.DueWrites(t.Context(), allWork())
		for _, ref := range due {
			if ref.Workspace == "" || ref.Agent == "" || ref.Write == uuid.Nil || ref.RequestID == "" {
				t.Fatalf("not a reference: %+v", ref)
			}
		}
		return nil, nil, err
	},
	// A key is shown to callers that prove to know its secret.
	"AuthenticateProof": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		secret := rapid.SampledFrom(sortedKeys(w.keys, func(s string) string { return s })).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err != nil {
			return nil, nil, err
		}
		message := []byte("message")
		if !sees(id, w.keys[secret]) { // it is not theirs: they cannot know the secret
			secret = "guessed"
		}
		found, err := w.AuthenticateProof(t.Context(), key.ID, message, proofOf(secret, message))
		return found, nil, err
	},
}

func init() { maps.Copy(calls, doctorCalls) }

// strayIndex puts an entry of the index that belongs to nothing under every owner of the world, and returns how to take them away.
func (w *world) strayIndex(t *rapid.T) (stray map[uuid.UUID]tag, clean func()) {
	rows, err := w.root.Query(t.Context(), `
insert into index_sources (workspace_id, agent_id, corpus, scope, owner_key, source_uid, version, head, units, index_format, `+
		`embed_due, token, changed_at)
select workspace_id, agent_id, 'memory', 'PERSONAL', owner_key, gen_random_uuid(), 1, 0, 0, '', false, 0, now()
from owners
where owner_key like 'user:%'
returning source_uid, workspace_id, agent_id, owner_key`)
	if err != nil {
		t.Fatal(err)
	}
	stray = map[uuid.UUID]tag{}
	var uid uuid.UUID
	var of tag
	if _, err := pgx.ForEachRow(rows, []any{&uid, &of.workspace, &of.agent, &of.owner},
		func() error { stray[uid] = of; return nil }); err != nil {
		t.Fatal(err)
	}
	return stray, func() {
		if _, err := w.root.Exec(
			t.Context(), "delete from index_sources where source_uid = any ($1)", sortedKeys(stray, uuid.UUID.String),
		); err != nil {
			t.Fatal(err)
		}
	}
}

// tagOfStaged returns the tag of staged work.
func (w *world) tagOfStaged(t *rapid.T, x admin.StagedWork) tag {
	table, column := map[string]string{
		admin.StagedWrite: "memory_writes", admin.StagedImport: "imports", admin.StagedSnapshot: "snapshot_imports",
	}[x.Kind], "import_id"
	scope := "coalesce(nullif(owner_key, ''), 'TEAM')"
	if x.Kind == admin.StagedWrite {
		column, scope = "write_id", "case scope when 'PERSONAL' then owner_key else scope end"
	}
	return w.tagOf(t, "select workspace_id, agent_id, "+scope+" from "+table+" where "+column+" = $1", x.ID)
}

// doctorCalls are the calls of the doctor.
var doctorCalls = map[string]call{
	"Examine": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		stray, clean := w.strayIndex(t)
		defer clean()
		e, err := w.Examine(t.Context(), id, time.Now().Add(time.Hour))
		if err != nil {
			return nil, nil, err
		}
		var tags []tag
		found := 0
		for _, x := range e.Superseded {
			if of, ok := stray[x.UID]; ok {
				found++
				tags = append(tags, of)
			}
		}
		for _, of := range stray {
			if of.workspace == id.Workspace && of.agent == id.Agent {
				found--
			}
		}
		if found != 0 {
			t.Fatalf("%+v misses %d entries that belong to nothing", id, -found)
		}
		for _, x := range e.Missing {
			tags = append(tags, w.tagOfDocument(t, x.UID))
		}
		for _, x := range e.FedNotes {
			tags = append(tags, w.tagOfDocument(t, x.UID))
		}
		for _, x := range e.Broken {
			tags = append(tags, w.tagOfDocument(t, x.Document))
		}
		for _, x := range e.Open {
			tags = append(tags, w.tagOfOwner(t, x.OwnerID))
		}
		for _, x := range e.Staged {
			tags = append(tags, w.tagOfStaged(t, x))
		}
		for _, x := range e.Waiting {
			tags = append(tags, w.tagOfOwner(t, x.OwnerID))
		}
		return tags, nil, nil
	},
	"MendIndex": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		rows, err := w.root.Query(t.Context(), "select scope, owner_key, document_id, path from documents order by document_id")
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x admin.IndexSource, err error) {
			x.Corpus = search.Memory
			err = row.Scan(&x.Scope, &x.Owner, &x.UID, &x.Path)
			return x, err
		})
		if err != nil {
			t.Fatal(err)
		}
		// Of a document that it does not see nothing is indexed, and what is indexed of others stays.
		return nil, nil, w.MendIndex(t.Context(), id, rapid.SampledFrom(all).Draw(t, "source"))
	},
	"DropOrphans": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.DropOrphans(t.Context(), id)
		return nil, nil, err
	},
	"RejectFed": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.RejectFed(t.Context(), id, worldEntry) // everybody has one of that name
	},
	"EndAbandoned": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		var x admin.OpenRun
		var of tag
		as := id
		switch x.Kind = rapid.SampledFrom([]string{"extraction", "flush", "compaction", "dream"}).Draw(t, "kind"); x.Kind {
		case "extraction":
			p := w.anyPlace(t, id)
			x.ID, of, as = p.quarantined, p.tag, runOf(id, "q") // it has ended: it is what it was
		case "flush":
			x.ID, x.From, of, as = w.anyFlush(t, id)
			x.To = x.From
		case "compaction":
			x.ID, _, of, as = w.anyCompaction(t, id)
			defer w.reopen(t, x.ID)
		case "dream":
			x.ID, of, as = w.anyOpenDream(t, id)
		}
		x.WorkflowID, x.Run = as.Author.WorkflowID, as.Author.RunID
		return nil, &of, w.EndAbandoned(t.Context(), id, x)
	},
	"EndCompaction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, _, of, _ := w.anyCompaction(t, id)
		defer w.reopen(t, compaction)
		return nil, &of, w.EndCompaction(t.Context(), id, compaction, memory.OutcomeSkipped, "test")
	},
	"OpenRun": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dream, of, _ := w.anyOpenDream(t, id)
		x, err := w.OpenRun(t.Context(), id, admin.OpenDream, dream)
		if err != nil {
			return nil, nil, err
		}
		if x.ID != dream {
			t.Fatalf("asked for %s, got %+v", dream, x)
		}
		return of, nil, nil
	},
	"NoteFixed": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		return nil, nil, w.NoteFixed(t.Context(), id, "index_missing", 1)
	},
}

// addWindow gives a place's conversation a flush that is acknowledged, one that goes on with a draft, a summary, and one that is
// being written.
func (w *world) addWindow(t *testing.T, id memory.Identity, p *place) {
	t.Helper()
	note := func(f talk.Flush) {
		load := must[talk.FlushLoad](t)(w.LoadFlush(t.Context(), id, f.ID, setting.DefaultExtractSettings()))
		if err := w.SaveFlushDraft(t.Context(), id, f.ID, taggedDraft(id, load)); err != nil {
			t.Fatal(err)
		}
	}
	f := planned(t, w.Store, id, p.uid, 4)
	extracted := talk.FlushEnd{From: 1, To: 2, Outcome: memory.OutcomeNothing, ReasonCode: "extracted"}
	must[talk.FlushResult](t)(w.EndFlushStep(t.Context(), id, f.ID, extracted))
	note(f)
	if done := must[talk.FlushResult](t)(w.CommitFlush(t.Context(), id, f.ID, 3)); !done.Flush.Acknowledged() {
		t.Fatalf("not acknowledged: %+v", done.Flush)
	}
	p.flush = f.ID
	note(planned(t, w.Store, id, p.uid, 6))
	p.compaction = summarised(t, w.Store, id, summary(p.uid, 4), p.tag.String()).ID
	open := summary(p.uid, 4)
	open.Maker = p.tag.String()
	must[talk.Compaction](t)(w.BeginCompaction(t.Context(), id, open))
}

// taggedDraft returns a draft for a load in an identity's words.
func taggedDraft(id memory.Identity, l talk.FlushLoad) talk.FlushDraft {
	says := scopeTag(id, l.Scope).String()
	return talk.FlushDraft{From: l.From, To: l.To, Scope: l.Scope, Today: l.Today, Entry: "- " + says + "\n", Reason: says, Model: "p/m"}
}

// anyOpen returns a flush or compaction that goes on, of the identity's owner if there is one; where none does, one that has ended.
// from is the first message that is not done, and as is the identity as the run that has it in hand.
func (w *world) anyOpen(
	t *rapid.T, id memory.Identity, table, key, ended string,
) (found uuid.UUID, from int64, of tag, as memory.Identity) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('id', `+key+`, 'done', done_seq, 'workflow', workflow_id, 'run', run_id, 'workspace', workspace_id,
    'agent', agent_id, 'owner', owner_key)
from `+table+`
order by `+ended+` is not null, `+key)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collectMaps(rows)
	if err != nil || len(all) == 0 {
		t.Fatal("nothing goes on in ", table, err)
	}
	text := func(row map[string]any, name string) string { value, _ := row[name].(string); return value }
	row := rapid.SampledFrom(all).Draw(t, table)
	if rapid.Bool().Draw(t, "own of "+table) {
		for _, own := range all {
			if text(own, "workspace") == id.Workspace && text(own, "agent") == id.Agent && text(own, "owner") == string(id.Owner) {
				row = own
				break
			}
		}
	}
	done, _ := row["done"].(float64)
	as = id
	as.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "p/m", WorkflowID: text(row, "workflow"), RunID: text(row, "run")}
	return uuid.MustParse(text(row, "id")), int64(done) + 1, tag{text(row, "workspace"), text(row, "agent"), text(row, "owner")}, as
}

func (w *world) anyFlush(t *rapid.T, id memory.Identity) (flush uuid.UUID, from int64, of tag, as memory.Identity) {
	return w.anyOpen(t, id, "flushes", "flush_id", "acknowledged_at")
}

// reopen lets a compaction go on that a call has ended.
func (w *world) reopen(t *rapid.T, compaction uuid.UUID) {
	if _, err := w.root.Exec(t.Context(), `
update compactions set outcome = 'running', reason_code = '', finished_at = null
where compaction_id = $1 and outcome in ('skipped', 'failed')`, compaction); err != nil {
		t.Error(err)
	}
}

func (w *world) anyCompaction(t *rapid.T, id memory.Identity) (compaction uuid.UUID, from int64, of tag, as memory.Identity) {
	return w.anyOpen(t, id, "compactions", "compaction_id", "finished_at")
}

func init() { maps.Copy(calls, windowCalls) }

// windowCalls are the calls of what context windows are made of.
var windowCalls = map[string]call{
	"LoadWindow": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		conversation := rapid.SampledFrom([]string{"", w.anyPlace(t, id).conversation}).Draw(t, "conversation")
		load, err := w.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: conversation, Window: 1000, MaxBytes: 1 << 20})
		return load, nil, err
	},
	"PlanFlush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		f, needed, err := w.PlanFlush(t.Context(), id, p.uid, rapid.Int64Range(1, 8).Draw(t, "to"))
		if !needed {
			return f, nil, err
		}
		return f, &p.tag, err
	},
	"BeginFlush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, _, of, _ := w.anyFlush(t, id)
		f, err := w.BeginFlush(t.Context(), runOf(id, pg.NewID().String()), flush)
		return f, &of, err
	},
	"LoadFlush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, _, of, as := w.anyFlush(t, id)
		settings := setting.DefaultExtractSettings()
		settings.OwnerIsolation = rapid.Bool().Draw(t, "isolation")
		load, err := w.LoadFlush(t.Context(), as, flush, settings)
		return []any{load, load.Draft}, &of, err
	},
	"SaveFlushDraft": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, from, of, as := w.anyFlush(t, id)
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
		load := talk.FlushLoad{From: from, To: from, Scope: scope, Today: testClock}
		return nil, &of, w.SaveFlushDraft(t.Context(), as, flush, taggedDraft(id, load))
	},
	"CommitFlush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, from, of, as := w.anyFlush(t, id)
		result, err := w.CommitFlush(t.Context(), as, flush, from)
		return result, &of, err
	},
	"EndFlushStep": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, from, of, as := w.anyFlush(t, id)
		end := talk.FlushEnd{
			From: from, To: from, Outcome: memory.OutcomeWaiting, Violations: []proposals.Violation{{Code: "v", Message: of.String()}},
		}
		end.Violations[0].Message = scopeTag(id, memory.ScopePersonal).String()
		if rapid.IntRange(0, 9).Draw(t, "ends") == 0 {
			end.Outcome = memory.OutcomeNothing
		}
		result, err := w.EndFlushStep(t.Context(), as, flush, end)
		return result, &of, err
	},
	"Flush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, _, of, _ := w.anyFlush(t, id)
		if p := w.anyPlace(t, id); rapid.Bool().Draw(t, "of a place") {
			flush, of = p.flush, p.tag
		}
		f, err := w.Flush(t.Context(), id, flush)
		return f, &of, err
	},
	"Flushes": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Flushes(t.Context(), id, w.anyPlace(t, id).conversation, pg.Page{Limit: pg.MaxPage})
		return flushTags(id, list.Items), nil, err
	},
	"BeginCompaction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		r := summary(p.uid, rapid.Int64Range(1, 8).Draw(t, "to"))
		r.Maker = rapid.SampledFrom([]string{r.Maker, "other"}).Draw(t, "maker")
		r.Settings.Window = rapid.SampledFrom([]int{500, 1000, 2000}).Draw(t, "window")
		c, err := w.BeginCompaction(t.Context(), runOf(id, pg.NewID().String()), r)
		return []any{c, flushTags(id, c.Receipts)}, &p.tag, err
	},
	"LoadSummary": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, _, of, as := w.anyCompaction(t, id)
		part, err := w.LoadSummary(t.Context(), as, compaction, rapid.IntRange(0, 1000).Draw(t, "bytes"))
		return part, &of, err
	},
	"SaveSummary": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, from, of, as := w.anyCompaction(t, id)
		c, err := w.SaveSummary(t.Context(), as, compaction, talk.SummaryStep{
			To: from, Summary: scopeTag(id, memory.ScopePersonal).String(), Model: "p/m", Usage: memory.Usage{Calls: 1},
		})
		return []any{c, flushTags(id, c.Receipts)}, &of, err
	},
	"Compaction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, _, of, _ := w.anyCompaction(t, id)
		if p := w.anyPlace(t, id); rapid.Bool().Draw(t, "of a place") {
			compaction, of = p.compaction, p.tag
		}
		c, err := w.Compaction(t.Context(), id, compaction)
		return []any{c, flushTags(id, c.Receipts)}, &of, err
	},
	"Compactions": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Compactions(t.Context(), id, w.anyPlace(t, id).conversation, pg.Page{Limit: pg.MaxPage})
		tags := []any{list}
		for _, c := range list.Items {
			tags = append(tags, flushTags(id, c.Receipts))
		}
		return tags, nil, err
	},
}

// flushTags returns the tags of the flushes in an answer.
func flushTags(id memory.Identity, flushes []talk.Flush) (tags []tag) {
	for _, f := range flushes {
		tags = append(tags, tag{id.Workspace, id.Agent, string(f.Owner)})
	}
	return tags
}

// anyTime returns now, or the zero time, which means the same.
func anyTime(t *rapid.T) time.Time {
	return rapid.SampledFrom([]time.Time{{}, time.Now().Add(time.Hour)}).Draw(t, "as of")
}
