package worker

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/talk"
	"reverie/workflows"
)

// A model is away and its owner goes on talking: the Inbox continues as new again and again, long before an execution's limit of
// 10,000 signals, while one Extract waits for the model. When it is back, everything is extracted.
func TestABusyOwnerInAnOutage(t *testing.T) {
	var away atomic.Bool
	away.Store(true)
	w := newWindows(t, 1, func(llmtest.Request) llmtest.Reply {
		if away.Load() {
			return llmtest.Status(503)
		}
		return llmtest.Honest()
	})
	ref, _ := w.talk(t, "case-1", 4)
	signal := func() error { return workflows.TurnCompleted(t.Context(), w.client, ref, setting.Timing{}) }
	if err := signal(); err != nil {
		t.Fatal(err)
	}
	id := workflows.InboxID(ref)
	first, err := w.client.DescribeWorkflowExecution(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	const turns = 4500 // more events than the server suggests for one history
	began := time.Now()
	var all sync.WaitGroup
	var sent atomic.Int32
	for range 32 {
		all.Go(func() {
			for sent.Add(1) <= turns {
				if err := signal(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	run := first.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		was, err := w.client.DescribeWorkflowExecution(t.Context(), id, run)
		if err != nil {
			t.Fatal(err)
		}
		status := was.GetWorkflowExecutionInfo().GetStatus()
		if status == enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
			t.Logf("%d turns in %s; the first execution had %d events", turns, took.Round(time.Millisecond), was.GetWorkflowExecutionInfo().GetHistoryLength())
			break
		}
		if status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || time.Now().After(deadline) {
			t.Fatalf("the Inbox is %s after %d events", status, was.GetWorkflowExecutionInfo().GetHistoryLength())
		}
	}
	records := func() []talk.Extraction {
		t.Helper()
		found, err := w.store.Extractions(t.Context(), owner("case-1"), talk.ExtractionFilter{}, store.Page{})
		if err != nil {
			t.Fatal(err)
		}
		return found.Items
	}
	// Signals precede the server's own work on an execution, such as starting Extract.
	open := records()
	for deadline := time.Now().Add(time.Minute); len(open) == 0 && time.Now().Before(deadline); open = records() {
		time.Sleep(100 * time.Millisecond)
	}
	if len(open) != 1 || !open[0].Open() {
		t.Fatalf("extractions are %+v", open)
	}
	away.Store(false)
	for deadline := time.Now().Add(6 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if all := records(); !all[0].Open() {
			if len(all) != 1 || all[0].Outcome != memory.OutcomeWritten || all[0].To != 4 {
				t.Fatalf("extractions are %+v", all)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it still waits: %+v", records())
		}
	}
}
