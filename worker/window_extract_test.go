package worker

import (
	"strings"
	"sync/atomic"
	"testing"

	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/workflows"
)

// The ordinary extraction comes to the same messages later. What the model has noted stays as it is; what rules noted in its
// place becomes the model's. Either way each message is noted once.
func TestAnExtractionFollowsAFlush(t *testing.T) {
	for name, away := range map[string]bool{"by the model": false, "by rules": true} {
		t.Run(name, func(t *testing.T) {
			var isAway atomic.Bool
			isAway.Store(away)
			w := newWindows(t, 1, func(llmtest.Request) llmtest.Reply {
				if isAway.Load() {
					return llmtest.Unauthorized()
				}
				return llmtest.Honest()
			})
			ref, conversation := w.talk(t, "case-1", 40)
			in := workflows.CompactInput{
				OwnerRef: ref, Conversation: conversation, To: 40, Trigger: memory.CompactByTurn,
				Settings: w.settings(setting.FlushFallback),
			}
			if out := w.compact(t, in); out.Fallback != away {
				t.Errorf("it ended as %+v", out)
			}
			w.wantFlushed(t, "case-1", 40)
			isAway.Store(false)
			out, err := workflows.ExtractNow(t.Context(), w.client, ref, setting.Timing{},
				workflows.ExtractNowInput{RequestID: "1", Conversation: conversation})
			if err != nil || out.Outcome == memory.OutcomeFailed || out.Outcome == memory.OutcomeSkipped {
				t.Fatalf("extracted %+v (%v)", out, err)
			}
			w.wantFlushed(t, "case-1", 40) // still once each, and in order
			note, err := w.store.Document(t.Context(), owner("case-1"),
				memory.Ref{Scope: memory.ScopePersonal, Path: memory.DailyNotePath(w.today())})
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(note.Content, "## 10:00 Oaks"); n != 2 { // the model's headings, one for each step
				t.Errorf("%d entries are the model's:\n%s", n, note.Content)
			}
		})
	}
}
