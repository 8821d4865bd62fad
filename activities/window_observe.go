package activities

import (
	"time"

	"reverie/memory"
	"reverie/store"
)

// Flushed is a flush that was acknowledged, or that was broken off and waits for the next one who asks, for metrics.
type Flushed struct {
	Outcome    memory.Outcome // written, nothing or waiting
	ReasonCode memory.ReasonCode
	Fallback   bool // rules did (a part of) it in place of the model
	Messages   int64
	Usage      memory.Usage
	Took       time.Duration // until it was acknowledged; 0: it was not
}

// Compacted is a compaction whose summary is written, for metrics.
type Compacted struct {
	Trigger                   memory.CompactTrigger
	Fallback                  bool // rules did (a part of) it in place of the model
	TokensBefore, TokensAfter int
	Usage                     memory.Usage
	Took                      time.Duration
}

// observeFlush tells of a flush that was acknowledged or waits. A step that is tried again may tell twice.
func (a *Activities) observeFlush(f store.Flush) {
	if a.ObserveFlush == nil || !f.Acknowledged() && f.Outcome != memory.OutcomeWaiting {
		return
	}
	flushed := Flushed{Outcome: f.Outcome, ReasonCode: f.ReasonCode, Fallback: f.Fallback, Messages: f.Done - f.From + 1, Usage: f.Usage}
	if f.Acknowledged() {
		flushed.Took = f.AcknowledgedAt.Sub(f.OpenedAt)
	}
	a.ObserveFlush(flushed)
}

// observeCompaction tells of a compaction that has ended. A step that is tried again may tell twice.
func (a *Activities) observeCompaction(c store.Compaction) {
	if a.ObserveCompaction == nil || c.FinishedAt == nil {
		return
	}
	a.ObserveCompaction(Compacted{
		Trigger: c.Trigger, Fallback: c.Fallback, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter,
		Usage: c.Usage, Took: c.FinishedAt.Sub(c.StartedAt),
	})
}
