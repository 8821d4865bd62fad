package activities

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// Metrics are told of flushes that were acknowledged or wait, and of summaries that were written, each once.
func TestFlushesAndCompactionsAreObserved(t *testing.T) {
	w := newFlushWorld(t, nil)
	var flushes []Flushed
	var compactions []Compacted
	w.options.ObserveFlush = func(f Flushed) {
		if (f.Took > 0) != (f.Outcome != memory.OutcomeWaiting) {
			t.Errorf("a flush took %s: %+v", f.Took, f)
		}
		f.Took, f.Usage = 0, memory.Usage{Calls: f.Usage.Calls}
		flushes = append(flushes, f)
	}
	w.options.ObserveCompaction = func(c Compacted) {
		if c.Took <= 0 || c.TokensBefore <= 0 || c.TokensAfter <= 0 {
			t.Errorf("compacted %+v", c)
		}
		compactions = append(compactions, Compacted{Trigger: c.Trigger, Fallback: c.Fallback, Usage: memory.Usage{Calls: c.Usage.Calls}})
	}
	w.use(t, w.options)
	in := w.plan(t)
	must(t, w.world, w.HoldFlush, HoldFlushInput{FlushRef: in.FlushRef, ReasonCode: "cancelled"})
	must(t, w.world, w.ProposeFlush, in)
	if len(flushes) != 1 {
		t.Errorf("a draft is no flush: %+v", flushes)
	}
	w.commit(t, in, false)
	must(t, w.world, w.ProposeFlush, in) // it is found acknowledged
	w.say(t, memory.TriggerCron, talked...)
	must(t, w.world, w.ProposeFlush, w.plan(t))
	if diff := cmp.Diff([]Flushed{
		{Outcome: memory.OutcomeWaiting, ReasonCode: "cancelled"},
		{Outcome: memory.OutcomeWritten, Messages: 4, Usage: memory.Usage{Calls: 1}},
		{Outcome: memory.OutcomeNothing, ReasonCode: memory.GateSource, Messages: 4},
	}, flushes); diff != "" {
		t.Errorf("flushes (-want +got):\n%s", diff)
	}
	s := memory.DefaultWindowSettings()
	s.Paid = true
	summarise := w.begin(t, s.Compact(w.settings.Extract))
	must(t, w.world, w.Summarise, summarise)
	must(t, w.world, w.Summarise, summarise) // it is there already
	if diff := cmp.Diff([]Compacted{{Trigger: memory.CompactByTurn, Usage: memory.Usage{Calls: 1}}}, compactions); diff != "" {
		t.Errorf("compactions (-want +got):\n%s", diff)
	}
}
