package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

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
	zone      *time.Location
	answer    memory.Answer // the last one, even if the call failed
	cut       bool          // the token limit cut the answer
}

func (s *summarising) run(ctx context.Context) (SummariseResult, error) {
	return consult(ctx, s.Activities, engineUse{
		id: s.id, model: s.asksModel, awaited: true, heartbeat: s.in.Settings.ModelHeartbeat,
	}, s)
}

func (s *summarising) overBudget(context.Context, time.Time) (SummariseResult, error) {
	return s.instead(ReasonBudget), nil
}

func (s *summarising) ready(context.Context) (result SummariseResult, ended bool, err error) {
	if s.asksModel && s.rest.away(s.Now()) {
		return s.instead(ReasonModelAway), true, nil
	}
	s.zone, err = s.part.Agent.Location()
	return SummariseResult{}, false, err
}

// ask asks once. A summary that the token limit cut is used as far as it goes.
func (s *summarising) ask(ctx context.Context, _ repair) (answer memory.Answer, err error) {
	s.answer, err = s.engine.Summarise(ctx, memory.SummaryInput{
		Agent: s.part.Agent.Name, Previous: s.part.Summary, Goal: s.part.Goal, Messages: s.part.Messages,
		MaxTokens: s.in.Settings.SummaryMaxTokens, Zone: s.zone, Model: s.in.Settings.Model,
	})
	failure, ok := errors.AsType[*llm.Error](err)
	if s.cut = ok && failure.Kind == llm.Truncated && s.answer.Raw != ""; s.cut {
		err = nil
	}
	return s.answer, err
}

// check tidies the summary. It finds no violations: an empty summary is not repaired.
func (s *summarising) check(answer memory.Answer) (string, []memory.Violation) {
	return memory.TidySummary(answer.Raw, s.cut, s.in.Settings.SummaryMaxTokens, s.count), nil
}

func (s *summarising) refuse(context.Context, []memory.Violation) (SummariseResult, error) {
	return s.instead(ReasonGuards), nil // check finds no violations
}

// accept saves the summary; the last part ends the compaction.
func (s *summarising) accept(ctx context.Context, summary string) (SummariseResult, error) {
	if summary == "" && s.asksModel {
		return s.inVain(ctx, s.instead(ReasonEmptySummary))
	}
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

// tokensBefore counts the tokens that this part replaces; those of the previous summary count with the first part.
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

// fail asks for a smaller part, leaves the part to the rules, or asks for another attempt.
func (s *summarising) fail(ctx context.Context, failure *llm.Error) (SummariseResult, error) {
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

// instead leaves the part to the rules, for a reason.
func (s *summarising) instead(reason memory.ReasonCode) SummariseResult {
	return SummariseResult{Done: s.part.Compaction.Done, FallBack: reason, Usage: s.answer.Usage}
}

// inVain accounts for a call that returned no summary.
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
