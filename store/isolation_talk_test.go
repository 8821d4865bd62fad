package store

import (
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/talk"
)

func init() { maps.Copy(calls, talkCalls) }

// talkCalls are the calls about owners, conversations, messages and extractions.
var talkCalls = map[string]call{
	"OwnerID": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.OwnerID(t.Context(), id)
		return nil, nil, err
	},
	"EnsureOwner": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		owner, err := w.EnsureOwner(t.Context(), id)
		if err != nil {
			return nil, nil, err
		}
		return w.tagOfOwner(t, owner), nil, nil
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
	"ModelUse": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		use, err := w.ModelUse(t.Context(), id, w.db.Now())
		return use.Settings, nil, err
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
	"ConversationsNamed": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.ConversationsNamed(t.Context(), id, []string{w.anyPlace(t, id).conversation, w.anyPlace(t, id).conversation})
		var tags []tag
		for _, c := range found {
			tags = append(tags, conversationTag(id, c, err)...)
		}
		return tags, nil, err
	},
	"Entrance": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		entrance, err := w.Entrance(t.Context(), id, p.ownerID, true)
		return []any{entrance.Agent, entrance.Owner}, &p.tag, err
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
		for _, p := range placed { // it finds only messages that the identity may read
			if own, err := w.MessagesByID(t.Context(), id, p.Conversation, []string{p.ID}); err != nil || len(own) != 1 || own[0].Seq != p.Seq {
				t.Errorf("%+v is not a message of %+v: %v", p, id, err)
			}
		}
		return nil, nil, err
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

// conversationTag returns the tag of the conversation in an answer.
func conversationTag(id memory.Identity, c talk.Conversation, err error) []tag {
	if err != nil {
		return nil
	}
	return []tag{{id.Workspace, id.Agent, string(c.Owner)}}
}

func (w *world) tagOfConversation(t *rapid.T, uid uuid.UUID) tag {
	return w.tagOf(t, "select workspace_id, agent_id, owner_key from conversations where conversation_uid = $1", uid)
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
		standing := []*facts.Standing{{Limit: 5}, {AboutPerson: true, Limit: 5}}
		load, err := w.LoadWindow(t.Context(), id, talk.WindowRequest{
			Conversation: conversation, Window: 1000, MaxBytes: 1 << 20, Standing: standing,
		})
		return []any{load, standing}, nil, err
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
