package activities

import (
	"context"
	"testing"

	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
)

// broken is an engine with a bug that the messages show.
type broken struct{ extractive.Engine }

func (broken) Propose(context.Context, proposals.ExtractionInput) (proposals.Answer, error) {
	return beyond()
}

func (broken) Flush(context.Context, proposals.ExtractionInput) (proposals.Answer, error) {
	return beyond()
}

func (broken) Summarise(context.Context, proposals.SummaryInput) (proposals.Answer, error) {
	return beyond()
}

func beyond() (proposals.Answer, error) {
	answers := make([]proposals.Answer, 0)
	return answers[len(answers)], nil
}

// A panic ends the step with a reason: a retry would panic again and hold up the messages after.
func TestPanicsEndTheStep(t *testing.T) {
	breakAll := func(w *flushWorld) {
		o := w.options
		o.Proposer, o.Flusher, o.Summariser, o.Rules = broken{}, broken{}, broken{}, broken{}
		w.use(t, o)
	}
	w := newFlushWorld(t, nil)
	breakAll(w)
	out := must(t, w.world, w.Propose, ProposeInput{
		OwnerRef: w.ref, Conversation: w.conversation, From: 1, To: 4, First: true, Settings: setting.DefaultExtractSettings(),
	})
	if out.Outcome != memory.OutcomeQuarantined || out.ReasonCode != ReasonPanic || out.To != 4 {
		t.Errorf("extraction %+v", out)
	}

	w = newFlushWorld(t, nil)
	breakAll(w)
	in := w.plan(t)
	if out := must(t, w.world, w.ProposeFlush, in); out.FallBack != ReasonPanic {
		t.Errorf("flush by the model %+v", out)
	}
	in.Fallback = true
	if out := must(t, w.world, w.ProposeFlush, in); !out.Acknowledged || out.ReasonCode != ReasonPanic {
		t.Errorf("flush by rules %+v", out)
	}

	w, s := newCompactWorld(t, nil)
	breakAll(w)
	part := w.begin(t, s)
	if out := must(t, w.world, w.Summarise, part); out.FallBack != ReasonPanic {
		t.Errorf("summary by the model %+v", out)
	}
	part.Fallback, part.Why = true, ReasonPanic
	if out := must(t, w.world, w.Summarise, part); !out.Ended || out.Done != 4 {
		t.Errorf("summary by rules %+v", out)
	}
}
