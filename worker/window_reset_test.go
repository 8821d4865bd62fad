package worker

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/workflows"
)

// ended runs a Compact and waits for it.
func (w *windows) ended(ctx context.Context, in workflows.CompactInput) (out workflows.CompactResult, err error) {
	run, err := workflows.StartCompact(ctx, w.client, in)
	if err != nil {
		return out, err
	}
	return out, run.Get(ctx, &out)
}

// compact is run for what has to go well.
func (w *windows) compact(t *testing.T, in workflows.CompactInput) workflows.CompactResult {
	t.Helper()
	out, err := w.ended(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A flush and a compaction that are done again from any of their steps, or started once more, find what is there: nothing is
// noted or summarised twice, and nobody is asked.
func TestWindowsAreResetAtAnyStep(t *testing.T) {
	w := newWindows(t, 1, nil)
	ref, conversation := w.talk(t, "case-1", 50)
	in := workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 40, Trigger: memory.CompactByTurn,
		Settings: w.settings(setting.FlushFallback),
	}
	first := w.compact(t, in)
	asked := w.model.Stats().Requests
	d := dreamWorld{world: w.world}
	flushID := workflows.FlushID(conversation, 1, 40)
	resets := 0
	for _, id := range []string{flushID, in.ID()} {
		run := w.client.GetWorkflow(t.Context(), id, "").GetRunID()
		for _, event := range d.history(t, id, run) {
			if event.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
				continue
			}
			d.reset(t, id, run, event.GetEventId())
			resets++
			var again workflows.CompactResult
			if err := w.client.GetWorkflow(t.Context(), id, "").Get(t.Context(), &again); err != nil || again.Outcome != memory.OutcomeWritten {
				t.Errorf("reset at event %d, %s ended as %+v (%v)", event.GetEventId(), id, again, err)
			}
			if id == in.ID() && again.Compaction != first.Compaction {
				t.Errorf("reset at event %d, it is compaction %s, it was %s", event.GetEventId(), again.Compaction, first.Compaction)
			}
		}
	}
	flushes := w.wantFlushed(t, "case-1", 40)
	run, err := w.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: flushID, TaskQueue: workflows.TaskQueue},
		workflows.FlushName,
		workflows.FlushInput{OwnerRef: ref, Conversation: conversation, Flush: flushes[0].ID, From: 1, To: 40, Settings: in.Settings.Flush})
	if err != nil {
		t.Fatal(err)
	}
	var out workflows.FlushResult
	if err := run.Get(t.Context(), &out); err != nil || out.Flush != flushes[0].ID || out.Outcome != memory.OutcomeWritten {
		t.Errorf("started once more it ended as %+v (%v)", out, err)
	}
	w.wantFlushed(t, "case-1", 40)
	if n := w.model.Stats().Requests; n != asked || resets < 6 {
		t.Errorf("after %d resets the model was asked %d times, at first %d", resets, n, asked)
	}
}

// A flush that is reset while the model is asked is taken over by the new run; what the old one brings too late is refused.
func TestAFlushIsResetWhileAModelWrites(t *testing.T) {
	asked, answer := make(chan struct{}, 4), make(chan struct{})
	w := newWindows(t, 1, func(r llmtest.Request) llmtest.Reply {
		if r.Number <= 2 {
			asked <- struct{}{}
		}
		if r.Number == 1 {
			<-answer
		}
		return llmtest.Honest()
	})
	ref, conversation := w.talk(t, "case-1", 20)
	in := workflows.CompactInput{
		OwnerRef: ref, Conversation: conversation, To: 20, Trigger: memory.CompactByTurn, FlushOnly: true,
		Settings: w.settings(setting.FlushFallback),
	}
	if _, err := workflows.StartCompact(t.Context(), w.client, in); err != nil {
		t.Fatal(err)
	}
	<-asked
	d := dreamWorld{world: w.world}
	id := workflows.FlushID(conversation, 1, 20)
	run := w.client.GetWorkflow(t.Context(), id, "").GetRunID()
	last := int64(0)
	for _, event := range d.history(t, id, run) {
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			last = event.GetEventId()
		}
	}
	d.reset(t, id, run, last)
	<-asked
	close(answer)
	out := w.compact(t, in)
	if out.Outcome == memory.OutcomeFailed {
		t.Errorf("it ended as %+v", out)
	}
	w.wantFlushed(t, "case-1", 20)
	if n := w.model.Stats().Requests; n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
}

// The time that a window waits for rules in an emergency.
func TestHowLongRulesTake(t *testing.T) {
	w := newWindows(t, 1, nil)
	for _, messages := range []int{20, 1000} {
		name := "case-" + uuid.NewString()[:4]
		ref, conversation := w.talk(t, name, messages)
		in := workflows.CompactInput{
			OwnerRef: ref, Conversation: conversation, To: int64(messages), Trigger: memory.CompactByOverflow,
			Settings: w.settings(setting.FlushFallback),
		}
		in.Settings.Paid, in.Settings.Flush.Paid = false, false
		began := time.Now()
		out := w.compact(t, in)
		took := time.Since(began)
		began = time.Now()
		again := w.compact(t, in)
		if out.Outcome != memory.OutcomeWritten || again.Compaction != out.Compaction || len(again.Flushes) != 0 {
			t.Errorf("%+v, then %+v", out, again)
		}
		t.Logf("%d messages: %s, once more %s", messages, took.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
		w.wantFlushed(t, name, messages)
	}
}
