package activities

import (
	"strings"
	"testing"
	"time"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
)

// What a model invents is dropped with a reason; the rest is written.
func TestInventedLinesOfAFlushAreDropped(t *testing.T) {
	w := newFlushWorld(t, llmtest.Always(llmtest.Answer(
		`{"should_update":true,"reason":"a garden","daily_entry":"## 10:00 Garden\n\n- Plants an oak in the garden.\n- Paid 300 for Karl's elms."}`)))
	in := w.plan(t)
	if out := must(t, w.world, w.ProposeFlush, in); !out.HasDraft {
		t.Fatalf("proposed %+v", out)
	}
	w.commit(t, in, false)
	if note := w.note(t); !strings.Contains(note, "oak") || strings.Contains(note, "300") {
		t.Errorf("noted %q", note)
	}
	violations := w.record(t, in).Steps[0].Violations
	if len(violations) != 1 || violations[0].Code != proposals.ViolationUngrounded || !strings.Contains(violations[0].Message, `number "300"`) {
		t.Errorf("violations %+v", violations)
	}
}

// The record of an extraction shows what was dropped; if nothing is left, that is its reason.
func TestInventedLinesOfAnExtractionAreDropped(t *testing.T) {
	for entry, want := range map[string]memory.ReasonCode{
		`- Plants an oak in the garden.\n- Paid 300 for Karl's elms.`: "", `- Paid 300 for Karl's elms.`: ReasonUngrounded,
	} {
		w := newFlushWorld(t, llmtest.Always(llmtest.Answer(
			`{"should_update":true,"reason":"a garden","daily_entry":"## 10:00 Garden\n\n`+entry+`","memory_update":"","profile_update":"","retired":[]}`)))
		out := must(t, w.world, w.Propose, ProposeInput{
			OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, First: true, Settings: setting.DefaultExtractSettings(),
		})
		if out.ReasonCode != want || out.HasDraft != (want == "") {
			t.Fatalf("proposed %+v, want %q", out, want)
		}
		if out.HasDraft {
			must(t, w.world, w.Apply, ApplyInput{OwnerRef: w.ref, Extraction: out.Extraction})
		}
		record, err := w.Store.Extraction(t.Context(), w.id, out.Extraction)
		if err != nil {
			t.Fatal(err)
		}
		if len(record.Violations) != 1 || record.Violations[0].Code != proposals.ViolationUngrounded {
			t.Errorf("%s: violations %+v", record.Outcome, record.Violations)
		}
	}
}

// A summary keeps only lines whose values were said.
func TestInventedLinesOfASummaryAreDropped(t *testing.T) {
	in := proposals.SummaryInput{Messages: []memory.Message{{Role: memory.RoleOfUser, Content: "The budget is 4,000.", CreatedAt: time.Now()}}}
	if got := proposals.GroundSummary("- Budget: 4,000\n- Deadline: 2031-05-05", in); got != "- Budget: 4,000" {
		t.Errorf("%q", got)
	}
}
