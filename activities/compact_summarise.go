package activities

import (
	"cmp"
	"context"
	"errors"

	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// summarising is one attempt at a part of a summary.
type summarising struct {
	*Activities
	in        SummariseInput
	id        memory.Identity
	part      store.SummaryPart
	engine    Summariser
	asksModel bool
	count     func(string) int
	answer    memory.Answer
}

func (s *summarising) run(ctx context.Context) (SummariseResult, error) {
	if s.asksModel {
		until, err := s.spentUntil(ctx, s.id, s.Budget)
		if err != nil {
			return SummariseResult{}, err
		}
		if !until.IsZero() {
			return s.instead(ReasonBudget), nil
		}
		if s.rest.away(s.Now()) {
			return s.instead(ReasonModelAway), nil
		}
	}
	cut, err := s.ask(ctx)
	if err != nil {
		return s.modelFailed(ctx, err)
	}
	summary := memory.TidySummary(s.answer.Raw, cut, s.in.Settings.SummaryMaxTokens, s.count)
	if summary == "" && s.asksModel {
		return s.inVain(ctx, s.instead(ReasonEmptySummary))
	}
	return s.save(ctx, summary)
}

// ask is one call of the engine. cut says that the answer ends where the model's token limit was.
func (s *summarising) ask(ctx context.Context) (cut bool, err error) {
	zone, err := s.part.Agent.Location()
	if err != nil {
		return false, err
	}
	if s.asksModel {
		defer beat(ctx, cmp.Or(s.in.Settings.ModelHeartbeat, HeartbeatTimeout)/heartbeatsInTime)()
	}
	began := s.Now()
	s.answer, err = s.engine.Summarise(ctx, memory.SummaryInput{
		Agent: s.part.Agent.Name, Previous: s.part.Summary, Goal: s.part.Goal, Messages: s.part.Messages,
		MaxTokens: s.in.Settings.SummaryMaxTokens, Zone: zone, Model: s.in.Settings.Model,
	})
	if s.asksModel {
		s.noteAnswer(ctx, began, err)
	}
	failure, ok := errors.AsType[*llm.Error](err)
	if cut = ok && failure.Kind == llm.Truncated && s.answer.Raw != ""; cut { // what there is of it serves
		err = nil
	}
	if err == nil && s.asksModel {
		s.modelState(ctx, "ok", "")
	}
	return cut, err
}

// save keeps the summary; the last part ends the compaction.
func (s *summarising) save(ctx context.Context, summary string) (SummariseResult, error) {
	record, err := s.Store.SaveSummary(ctx, s.id, s.in.Compaction, store.SummaryStep{
		To: s.part.To, Summary: summary, SummaryTokens: s.count(summary), TokensBefore: s.tokensBefore(),
		Model: s.answer.Model, PromptVersion: s.answer.PromptVersion, Fallback: s.in.Fallback, ReasonCode: s.in.Why,
		Usage: s.answer.Usage,
	})
	if err != nil {
		return SummariseResult{}, recordError(err, "compaction")
	}
	s.observeCompaction(record)
	return SummariseResult{Ended: record.FinishedAt != nil, Done: record.Done, Usage: s.answer.Usage}, nil
}

// tokensBefore are the tokens that this part stands for; those of the summary before it count with the first part.
func (s *summarising) tokensBefore() int {
	tokens := 0
	if s.part.Compaction.TokensBefore == 0 && s.part.Summary != "" {
		tokens = s.count(s.part.Summary)
	}
	for _, m := range s.part.Messages {
		tokens += memory.MessageTokens(m.Content, m.ToolCalls, s.count)
	}
	return tokens
}

// modelFailed decides what a failed call means: a smaller part, the built-in engine, or another attempt later.
func (s *summarising) modelFailed(ctx context.Context, err error) (SummariseResult, error) {
	failure, err := s.modelFailure(ctx, err)
	if err != nil {
		return SummariseResult{}, err
	}
	out := s.instead(memory.ReasonCode(failure.Kind))
	switch {
	case failure.Kind == llm.ContextTooLong:
		out.FallBack, out.TooLong = "", true
	case failure.Kind.Retryable():
		if _, err := s.inVain(ctx, out); err != nil {
			return SummariseResult{}, err
		}
		return SummariseResult{}, modelError(failure)
	}
	return s.inVain(ctx, out)
}

// instead says that rules are to write this part, and why.
func (s *summarising) instead(reason memory.ReasonCode) SummariseResult {
	return SummariseResult{Done: s.part.Compaction.Done, FallBack: reason, Usage: s.answer.Usage}
}

// inVain accounts for a call that cost something and gave no summary.
func (s *summarising) inVain(ctx context.Context, out SummariseResult) (SummariseResult, error) {
	if s.answer.Usage == (memory.Usage{}) {
		return out, nil
	}
	model := cmp.Or(s.answer.Model, s.in.Settings.Model)
	if err := s.Store.AddUsage(ctx, s.id, model, s.answer.Usage); err != nil {
		return SummariseResult{}, storeError(err)
	}
	return out, nil
}
