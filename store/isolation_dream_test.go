package store

import (
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// worldEntry is a statement that everybody in the world has, each in their own words.
const worldEntry markdown.EntryID = "entry"

// dreamTag returns the tag of an identity's dreams.
func dreamTag(id memory.Identity) tag { return scopeTag(id, dreams.DreamScope(id.Owner)) }

// worldCandidate returns the statement of the world in an identity's words.
func worldCandidate(id memory.Identity) dream.Candidate {
	c := weighed(dreamTag(id).String(), dream.VerdictPromoted)
	c.ID, c.Line, c.Reason = worldEntry, "- "+c.Text, c.Text
	return c
}

// addDreams gives an owner a dream that has written, one that goes on, and what is known of a statement.
func (w *world) addDreams(t *testing.T, id memory.Identity) uuid.UUID {
	t.Helper()
	of := dreamTag(id).String()
	ref := memory.Ref{Scope: dreams.DreamScope(id.Owner), Path: memory.MemoryPath}
	changes := wrote(t, w.Store, id, memory.Change{Ref: ref, Op: memory.OpAppend, Content: "## Promoted\n\n- " + of + "\n", Reason: of})
	told := dreams.Dream{Topic: of, Reason: of, Diff: of, Raw: of, Changes: changes}
	written := storedDream(t, w.Store, id, told, worldCandidate(id))
	told.Outcome, told.Phase, told.Changes = memory.OutcomeRunning, memory.DreamLightSleep, nil
	storedDream(t, w.Store, id, told, worldCandidate(id))
	storedState(t, w.Store, id, dream.State{ID: worldEntry, Text: of, Status: dream.Promoted, Dream: written.ID})
	return written.ID
}

// addShared gives an agent's shared memory dreams.
func (w *world) addShared(t *testing.T, workspace, agent string) place {
	t.Helper()
	id := memory.Identity{Workspace: workspace, Agent: agent, Owner: memory.SystemOwner, Role: memory.RoleMember}
	return place{tag: dreamTag(id), dream: w.addDreams(t, id)}
}

// anyDream returns a dream of id's own agent and owner, of the shared memory, or of any owner.
func (w *world) anyDream(t *rapid.T, id memory.Identity) place {
	if !rapid.Bool().Draw(t, "shared dream") {
		return w.anyPlace(t, id)
	}
	p := rapid.SampledFrom(w.shared).Draw(t, "shared memory")
	for _, home := range w.shared {
		if home.tag == scopeTag(id, memory.ScopeTeam) && rapid.Bool().Draw(t, "own shared memory") {
			p = home
		}
	}
	return p
}

// anyOpenDream returns a dream that goes on, of the identity's owner if there is one, with the identity as its run.
func (w *world) anyOpenDream(t *rapid.T, id memory.Identity) (dreamID uuid.UUID, of tag, as memory.Identity) {
	rows, err := w.root.Query(t.Context(), `
select jsonb_build_object('dream', dream_id, 'workflow', workflow_id, 'run', run_id, 'workspace', workspace_id, 'agent', agent_id, `+
		`'owner', owner_key)
from dreams
where finished_at is null or outcome <> 'written'
order by finished_at is not null, dream_id`)
	if err != nil {
		t.Fatal(err)
	}
	open, err := collectMaps(rows)
	if err != nil || len(open) == 0 {
		t.Fatal("no dream goes on", err)
	}
	text := func(row map[string]any, name string) string { value, _ := row[name].(string); return value }
	row := rapid.SampledFrom(open).Draw(t, "open dream")
	if rapid.Bool().Draw(t, "own dream") {
		for _, own := range open {
			if text(own, "workspace") == id.Workspace && text(own, "agent") == id.Agent && text(own, "owner") == string(id.Owner) {
				row = own
				break
			}
		}
	}
	of = tag{text(row, "workspace"), text(row, "agent"), text(row, "owner")}
	if of.owner == string(memory.SystemOwner) {
		of.owner = "TEAM"
	}
	as = id
	as.Author = memory.Author{Kind: memory.AuthorDream, ID: "rules", WorkflowID: text(row, "workflow"), RunID: text(row, "run")}
	return uuid.MustParse(text(row, "dream")), of, as
}

// tagOfOwner returns the tag of an owner's id.
func (w *world) tagOfOwner(t *rapid.T, ownerID uuid.UUID) tag {
	return w.tagOf(
		t,
		"select workspace_id, agent_id, case owner_key when 'system' then 'TEAM' else owner_key end from owners where owner_id = $1",
		ownerID,
	)
}

// anyEntryChange names the statement that all owners have, as a candidate of any dream or of the last one.
func anyEntryChange(t *rapid.T, w *world, id memory.Identity) (dreams.EntryChange, *tag) {
	c := dreams.EntryChange{
		Entry: worldEntry, Text: dreamTag(id).String() + " " + pg.NewID().String(),
		Key: rapid.SampledFrom([]string{"", pg.NewID().String()}).Draw(t, "key"),
	}
	if rapid.Bool().Draw(t, "the last dream") {
		return c, nil
	}
	p := w.anyDream(t, id)
	c.Dream = p.dream
	return c, &p.tag
}

func init() { maps.Copy(calls, dreamCalls) }

// dreamCalls are the calls of what dreams do.
var dreamCalls = map[string]call{
	"Dream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyDream(t, id)
		x, err := w.Dream(t.Context(), id, p.dream)
		return x, &p.tag, err
	},
	"Dreams": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.Dreams(t.Context(), id, dreams.DreamFilter{}, pg.Page{Limit: pg.MaxPage})
		return list, nil, err
	},
	"DreamsSince": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.DreamsSince(t.Context(), id, time.Time{}, pg.MaxPage)
		return list, nil, err
	},
	"DreamCandidates": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyDream(t, id)
		list, err := w.DreamCandidates(t.Context(), id, p.dream, "", pg.Page{Limit: pg.MaxPage})
		return list, &p.tag, err
	},
	"DreamStatus": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		status, err := w.DreamStatus(t.Context(), id)
		n, want := 0, 0
		for _, count := range status.Statuses {
			n += count
		}
		if e := w.root.QueryRow(t.Context(), "select count(*) from dream_entries where workspace_id = $1 and agent_id = $2 and owner_key = $3",
			id.Workspace, id.Agent, id.Owner).Scan(&want); e != nil {
			t.Fatal(e)
		}
		if err == nil && n != want {
			t.Fatalf("%+v is told of %d statements and has %d", id, n, want)
		}
		return []any{status, status.Last, status.Running}, nil, err
	},
	"Held": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		held, err := w.Held(t.Context(), id)
		return held, nil, err
	},
	"DreamEntry": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		state, candidate, err := w.DreamEntry(t.Context(), id, worldEntry)
		return []any{state, candidate}, nil, err
	},
	"ConfirmEntry": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		c, of := anyEntryChange(t, w, id)
		receipt, err := w.ConfirmEntry(t.Context(), id, c)
		return receipt, of, err
	},
	"EditEntry": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		c, of := anyEntryChange(t, w, id)
		receipt, err := w.EditEntry(t.Context(), id, c)
		return receipt, of, err
	},
	"ForgetEntry": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		c, of := anyEntryChange(t, w, id)
		receipt, err := w.ForgetEntry(t.Context(), id, c)
		return receipt, of, err
	},
	"RevertDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyDream(t, id)
		reverted, err := w.RevertDream(t.Context(), id, p.dream, "")
		return reverted, &p.tag, err
	},
	"DreamAgain": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyDream(t, id)
		repeated, err := w.DreamAgain(t.Context(), id, p.dream, dreams.Again{Settings: setting.DefaultDreamSettings()})
		return repeated, &p.tag, err
	},
	"News": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		owners, err := w.News(t.Context(), id, uuid.Nil, pg.MaxPage)
		var tags []tag
		for _, owner := range owners {
			if owner.Owner != uuid.Nil {
				tags = append(tags, w.tagOfOwner(t, owner.Owner))
			}
		}
		return tags, nil, err
	},
	"BeginDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		d := dreams.NewDream{
			Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, Topic: dreamTag(id).String(),
			Settings: setting.DefaultDreamSettings(),
			Request:  rapid.SampledFrom([]string{"", "request"}).Draw(t, "request"), DryRun: rapid.Bool().Draw(t, "dry run"),
		}
		var of *tag
		// Elsewhere the id would be that of a new dream, which is nobody's concern.
		if p := w.anyDream(t, id); p.workspace == id.Workspace && p.agent == id.Agent && rapid.Bool().Draw(t, "of another") {
			d.ID, d.Request, of = p.dream, "", &p.tag // another request would find another dream
		}
		as := id
		as.Author = memory.Author{Kind: memory.AuthorDream, WorkflowID: "dream/" + pg.NewID().String(), RunID: "run"}
		x, err := w.BeginDream(t.Context(), as, d)
		return x, of, err
	},
	"DreamOfRequest": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		x, err := w.DreamOfRequest(t.Context(), id, "request")
		return x, nil, err
	},
	"LoadDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		load, err := w.LoadDream(t.Context(), as, dreamID)
		return load, &of, err
	},
	"StageDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		d := dreams.StagedDream{
			AsOf: testClock, From: "2026-11-14", Scope: dreams.DreamScope(id.Owner), Candidates: []dream.Candidate{worldCandidate(id)},
			States: []dream.State{{ID: worldEntry, Text: dreamTag(id).String()}},
		}
		return nil, &of, w.StageDream(t.Context(), as, dreamID, d)
	},
	"DreamStage": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		stage, err := w.DreamStage(t.Context(), as, dreamID)
		return stage, &of, err
	},
	"ReflectDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		r := dream.Reflection{
			Themes: []dream.Theme{{Tag: dreamTag(id).String()}}, Truths: []dream.Truth{{Candidate: worldEntry, Confidence: .9}},
		}
		return nil, &of, w.ReflectDream(t.Context(), as, dreamID, r)
	},
	"DraftDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		says := dreamTag(id).String()
		path := rapid.SampledFrom([]string{"memory/dreaming/deep/2026-11-21.md", memory.MemoryPath}).Draw(t, "path")
		d := dreams.DreamDraft{
			Ranking: dream.Ranking{Candidates: []dream.Candidate{worldCandidate(id)}}, Outcome: memory.OutcomeWritten, Reason: says,
			Diff: says,
			Changes: []memory.Change{
				{Ref: memory.Ref{Scope: dreams.DreamScope(id.Owner), Path: path}, Op: memory.OpAppend, Content: says, Reason: says},
			},
		}
		return nil, &of, w.DraftDream(t.Context(), as, dreamID, d)
	},
	"BeginSoul": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		run, err := w.BeginSoul(t.Context(), id, rapid.Int64Range(1, 30).Draw(t, "threshold"), func(dreams.SoulRun) bool { return true })
		return run, nil, err
	},
	"EndSoul": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		outcome := rapid.SampledFrom([]memory.Outcome{memory.OutcomeWritten, memory.OutcomeFailed}).Draw(t, "outcome")
		receipt, err := w.EndSoul(t.Context(), id, dreams.SoulEnd{Outcome: outcome, Content: "I am kind.\n"})
		return receipt, nil, err
	},
	"CommitDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		x, err := w.CommitDream(t.Context(), as, dreamID, "")
		return x, &of, err
	},
	"CommitDreamAgain": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		x, err := w.CommitDreamAgain(t.Context(), as, dreamID, "", func(s dreams.StaleDraft) (dreams.DreamDraft, bool) {
			return dreams.DreamDraft{}, rapid.Bool().Draw(t, "refused") && s.Stage.Dream.ID != dreamID
		})
		return x, &of, err
	},
	"EndDream": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		dreamID, of, as := w.anyOpenDream(t, id)
		e := dreams.DreamEnding{Outcome: memory.OutcomeWaiting, Until: testClock, Reason: dreamTag(id).String()}
		if rapid.Bool().Draw(t, "cleared") {
			e.Outcome, e.NewsSeen = memory.OutcomeNothing, true
		}
		x, err := w.EndDream(t.Context(), as, dreamID, e)
		return x, &of, err
	},

	// It takes no identity and shows nothing of a tenant but its names.
	"DreamingAgents": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		agents, err := w.DreamingAgents(t.Context(), indexes.AgentRef{}, 100)
		for _, agent := range agents {
			if agent.Workspace == "" || agent.Agent == "" || agent.TimeZone == "" {
				t.Fatalf("not a reference: %+v", agent)
			}
		}
		return nil, nil, err
	},
}
