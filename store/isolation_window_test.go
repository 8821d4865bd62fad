package store

import (
	"maps"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
)

// addWindow gives a place's conversation a flush that is acknowledged, one that goes on with a draft, a summary, and one that is
// being written.
func (w *world) addWindow(t *testing.T, id memory.Identity, p *place) {
	t.Helper()
	note := func(f Flush) {
		load := must[FlushLoad](t)(w.LoadFlush(t.Context(), id, f.ID, memory.DefaultExtractSettings()))
		if err := w.SaveFlushDraft(t.Context(), id, f.ID, taggedDraft(id, load)); err != nil {
			t.Fatal(err)
		}
	}
	f := planned(t, w.Store, id, p.uid, 4)
	extracted := FlushEnd{From: 1, To: 2, Outcome: memory.OutcomeNothing, ReasonCode: "extracted"}
	must[FlushResult](t)(w.EndFlushStep(t.Context(), id, f.ID, extracted))
	note(f)
	if done := must[FlushResult](t)(w.CommitFlush(t.Context(), id, f.ID, 3, "")); !done.Flush.Acknowledged() {
		t.Fatalf("not acknowledged: %+v", done.Flush)
	}
	p.flush = f.ID
	note(planned(t, w.Store, id, p.uid, 6))
	p.compaction = summarised(t, w.Store, id, summary(p.uid, 4), p.tag.String()).ID
	open := summary(p.uid, 4)
	open.Maker = p.tag.String()
	must[Compaction](t)(w.BeginCompaction(t.Context(), id, open))
}

// taggedDraft is a draft for a load in an identity's words.
func taggedDraft(id memory.Identity, l FlushLoad) FlushDraft {
	says := scopeTag(id, l.Scope).String()
	return FlushDraft{From: l.From, To: l.To, Scope: l.Scope, Today: l.Today, Entry: "- " + says + "\n", Reason: says, Model: "p/m"}
}

// anyOpen is a flush or compaction that goes on, of the identity's owner if there is one; where none does, one that has ended.
// from is the first message that is not done, and as is the identity as the run that has it in hand.
func (w *world) anyOpen(t *rapid.T, id memory.Identity, table, key, ended string) (found uuid.UUID, from int64, of tag, as memory.Identity) {
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

func (w *world) anyCompaction(t *rapid.T, id memory.Identity) (compaction uuid.UUID, from int64, of tag, as memory.Identity) {
	return w.anyOpen(t, id, "compactions", "compaction_id", "finished_at")
}

func init() { maps.Copy(calls, windowCalls) }

// windowCalls are the calls of what context windows are made of.
var windowCalls = map[string]call{
	"LoadWindow": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		conversation := rapid.SampledFrom([]string{"", w.anyPlace(t, id).conversation}).Draw(t, "conversation")
		load, err := w.LoadWindow(t.Context(), id, WindowRequest{Conversation: conversation, Window: 1000, MaxBytes: 1 << 20})
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
		f, err := w.BeginFlush(t.Context(), runOf(id, newID().String()), flush)
		return f, &of, err
	},
	"LoadFlush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, _, of, as := w.anyFlush(t, id)
		settings := memory.DefaultExtractSettings()
		settings.OwnerIsolation = rapid.Bool().Draw(t, "isolation")
		load, err := w.LoadFlush(t.Context(), as, flush, settings)
		return []any{load, load.Draft}, &of, err
	},
	"SaveFlushDraft": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, from, of, as := w.anyFlush(t, id)
		scope := rapid.SampledFrom([]memory.Scope{memory.ScopePersonal, memory.ScopeTeam}).Draw(t, "scope")
		load := FlushLoad{From: from, To: from, Scope: scope, Today: testClock}
		return nil, &of, w.SaveFlushDraft(t.Context(), as, flush, taggedDraft(id, load))
	},
	"CommitFlush": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, from, of, as := w.anyFlush(t, id)
		result, err := w.CommitFlush(t.Context(), as, flush, from, rapid.SampledFrom([]string{"", newID().String()}).Draw(t, "key"))
		return result, &of, err
	},
	"EndFlushStep": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		flush, from, of, as := w.anyFlush(t, id)
		end := FlushEnd{From: from, To: from, Outcome: memory.OutcomeWaiting, Violations: []memory.Violation{{Code: "v", Message: of.String()}}}
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
		list, err := w.Flushes(t.Context(), id, w.anyPlace(t, id).conversation, Page{Limit: MaxPage})
		return flushTags(id, list.Items), nil, err
	},
	"BeginCompaction": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		p := w.anyPlace(t, id)
		r := summary(p.uid, rapid.Int64Range(1, 8).Draw(t, "to"))
		r.Maker = rapid.SampledFrom([]string{r.Maker, "other"}).Draw(t, "maker")
		r.Settings.Window = rapid.SampledFrom([]int{500, 1000, 2000}).Draw(t, "window")
		c, err := w.BeginCompaction(t.Context(), runOf(id, newID().String()), r)
		return []any{c, flushTags(id, c.Receipts)}, &p.tag, err
	},
	"LoadSummary": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, _, of, as := w.anyCompaction(t, id)
		part, err := w.LoadSummary(t.Context(), as, compaction, rapid.IntRange(0, 1000).Draw(t, "bytes"))
		return part, &of, err
	},
	"SaveSummary": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		compaction, from, of, as := w.anyCompaction(t, id)
		c, err := w.SaveSummary(t.Context(), as, compaction, SummaryStep{
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
		list, err := w.Compactions(t.Context(), id, w.anyPlace(t, id).conversation, Page{Limit: MaxPage})
		tags := []any{list}
		for _, c := range list.Items {
			tags = append(tags, flushTags(id, c.Receipts))
		}
		return tags, nil, err
	},
}

// flushTags are whose flushes an answer is about.
func flushTags(id memory.Identity, flushes []Flush) (tags []tag) {
	for _, f := range flushes {
		tags = append(tags, tag{id.Workspace, id.Agent, string(f.Owner)})
	}
	return tags
}
