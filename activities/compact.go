package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// Summariser writes summaries of earlier turns: a model with its prompt, or the built-in engine. It returns the
// summary.
type Summariser interface {
	Summarise(ctx context.Context, in memory.SummaryInput) (memory.Answer, error)
	// SummaryMaker returns the name of what makes summaries: the prompt version or rules, and the model. It asks no
	// model. With the same name, the same messages give a summary that need not be made again. model comes from the
	// settings; empty: the default.
	SummaryMaker(model string) string
}

// ReasonEmptySummary means that a model's summary was empty or contained nothing that may be put into a context
// window.
const ReasonEmptySummary memory.ReasonCode = "empty_summary"

// SummaryPartBytes bounds the messages of one part of a summary: 24,000 tokens of Chinese (three bytes per token),
// 18,000 of English (four). A model reads that in seconds without losing the middle.
const SummaryPartBytes = 72_000

// BeginCompaction opens a compaction, or returns the existing one for the same contents.
func (a *Activities) BeginCompaction(ctx context.Context, in BeginCompactionInput) (BeginCompactionResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return BeginCompactionResult{}, err
	}
	record, err := a.Store.BeginCompaction(ctx, id, store.CompactionRequest{
		Conversation: in.Conversation, To: in.To, Trigger: in.Trigger, Settings: in.Settings,
		Maker: a.summariser(in.Settings, false).SummaryMaker(in.Settings.Model),
	})
	if err != nil {
		return BeginCompactionResult{}, recordError(err, "compaction")
	}
	return BeginCompactionResult{Compaction: record.ID, Ended: record.FinishedAt != nil}, nil
}

// summariser returns the engine to use.
func (a *Activities) summariser(s memory.CompactSettings, fallback bool) Summariser {
	if s.Paid && !fallback && a.Summariser != nil {
		return a.Summariser
	}
	return a.Rules
}

// Summarise extends the summary of an open compaction with the next part of its messages, and saves it. A part that
// was saved before is not written again.
func (a *Activities) Summarise(ctx context.Context, in SummariseInput) (SummariseResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return SummariseResult{}, err
	}
	limit := SummaryPartBytes
	if in.MaxBytes > 0 {
		limit = min(limit, in.MaxBytes)
	}
	part, err := a.Store.LoadSummary(ctx, id, in.Compaction, limit)
	switch {
	case err != nil:
		return SummariseResult{}, recordError(err, "compaction")
	case part.Compaction.FinishedAt != nil:
		return SummariseResult{Ended: true, Done: part.Compaction.Done}, nil
	}
	s := summarising{
		Activities: a, in: in, id: id, part: part, engine: a.summariser(in.Settings, in.Fallback),
		asksModel: in.Settings.Paid && !in.Fallback && a.Summariser != nil,
		count:     llm.CounterFor(in.Settings.Model).Count,
	}
	return s.run(ctx)
}

// BeginCompactionInput opens a compaction.
type BeginCompactionInput struct {
	memory.OwnerRef
	Conversation uuid.UUID              `json:"conversation"`
	To           int64                  `json:"to"`
	Trigger      memory.CompactTrigger  `json:"trigger"`
	Settings     memory.CompactSettings `json:"settings"`
}

// BeginCompactionResult identifies the compaction.
type BeginCompactionResult struct {
	Compaction uuid.UUID `json:"compaction"`
	Ended      bool      `json:"ended,omitempty"` // the same summary already existed
}

// SummariseInput asks for one part of a summary.
type SummariseInput struct {
	memory.OwnerRef
	Compaction uuid.UUID              `json:"compaction"`
	Settings   memory.CompactSettings `json:"settings"`
	Fallback   bool                   `json:"fallback,omitempty"` // by rules, instead of the model
	Why        memory.ReasonCode      `json:"why,omitempty"`      // reason for the fallback
	// MaxBytes bounds the messages of this part after a model's context was too small; 0: SummaryPartBytes.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// SummariseResult is the progress of the summary.
type SummariseResult struct {
	Ended    bool              `json:"ended,omitempty"`
	Done     int64             `json:"done"`
	FallBack memory.ReasonCode `json:"fallBack,omitempty"` // why the model cannot do it
	TooLong  bool              `json:"tooLong,omitempty"`  // the model's context is too small for this part
	Usage    memory.Usage      `json:"usage,omitzero"`
}

// Flushed is a flush that was acknowledged, or interrupted until the next request, for metrics.
type Flushed struct {
	Outcome    memory.Outcome // written, nothing or waiting
	ReasonCode memory.ReasonCode
	Fallback   bool // rules did all or part of it instead of the model
	Messages   int64
	Usage      memory.Usage
	Took       time.Duration // until it was acknowledged; 0: not acknowledged
}

// Compacted is a compaction whose summary is written, for metrics.
type Compacted struct {
	Trigger                   memory.CompactTrigger
	Fallback                  bool // rules did all or part of it instead of the model
	TokensBefore, TokensAfter int
	Usage                     memory.Usage
	Took                      time.Duration
}

// observeFlush reports a flush that was acknowledged or waits. A step that is retried may report twice.
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

// observeCompaction reports a compaction that has ended. A step that is retried may report twice.
func (a *Activities) observeCompaction(c store.Compaction) {
	if a.ObserveCompaction == nil || c.FinishedAt == nil {
		return
	}
	a.ObserveCompaction(Compacted{
		Trigger: c.Trigger, Fallback: c.Fallback, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter,
		Usage: c.Usage, Took: c.FinishedAt.Sub(c.StartedAt),
	})
}
