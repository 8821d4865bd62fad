package workflows

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/temporal"

	"reverie/activities"
	"reverie/memory"
)

// Temporal's UI shows of a flush how far it is, from its first moment, and in the end who did it, in counts and ids.
func TestWhatIsShownOfAFlush(t *testing.T) {
	e := newFlushEnv(t, 1, 20, memory.FlushFallback)
	e.model = func(n int) (activities.FlushStepResult, error) {
		if n == 0 {
			return activities.FlushStepResult{HasDraft: true}, nil
		}
		return activities.FlushStepResult{}, temporal.NewApplicationError("away", activities.TypeUnavailable)
	}
	e.took = time.Second
	var first, later string
	e.RegisterDelayedCallback(func() { first = detailsOf(t, e.TestWorkflowEnvironment) }, 500*time.Millisecond)
	e.RegisterDelayedCallback(func() { later = detailsOf(t, e.TestWorkflowEnvironment) }, 10*time.Second)
	out, err := e.run(t)
	e.wantAcknowledged(t, out, err, true, false, true)
	record := "\n- flush `" + e.in.Flush.String() + "`\n- its record: `GET /api/v1/agents/" + e.in.Agent + "/conversations/…/flushes`"
	ended := detailsOf(t, e.TestWorkflowEnvironment)
	for _, c := range []struct{ want, got string }{
		{"Phase: **saving**; of messages 1 to 20, none are saved.\n" + record, first},
		{"Phase: **saving**; of messages 1 to 20, those up to 10 are saved.\n" + record, later},
		{"Phase: **acknowledged**; of messages 1 to 20, those up to 20 are saved.\n\n- outcome: **written**" +
			"\n- rules did (a part of) it in place of the model (deadline)" + record, ended},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("shown (-want +got):\n%s", d)
		}
	}
}
