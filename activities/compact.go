package activities

import (
	"context"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// Summariser writes summaries of earlier turns: a model with its prompt, or the built-in engine. The answer is the summary.
type Summariser interface {
	Summarise(ctx context.Context, in memory.SummaryInput) (memory.Answer, error)
	// SummaryMaker names, without asking anybody, the words or rules and the model with which summaries are made: with the
	// same name, the same messages give a summary that need not be made again. model is that of the settings; empty: the default.
	SummaryMaker(model string) string
}

// ReasonEmptySummary means that a model's summary said nothing, or nothing that may stand in a context window.
const ReasonEmptySummary memory.ReasonCode = "empty_summary"

// SummaryPartBytes bounds the messages of one part of a summary: 24,000 tokens of Chinese (three bytes to a token), 18,000 of
// English (four). A model reads that in seconds, and takes in what is in the middle of it.
const SummaryPartBytes = 72_000

// BeginCompaction opens a compaction, or finds the one that was made or is being made of the same contents.
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

// summariser is who writes.
func (a *Activities) summariser(s memory.CompactSettings, fallback bool) Summariser {
	if s.Paid && !fallback && a.Summariser != nil {
		return a.Summariser
	}
	return a.Rules
}

// Summarise brings the summary of an open compaction up to date with the next part of its messages, and saves it. A part that
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
