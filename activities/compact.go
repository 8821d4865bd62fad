package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/talk"
)

// Summariser writes summaries of earlier turns: a model with its prompt, or the built-in engine. It returns the
// summary.
type Summariser interface {
	Summarise(ctx context.Context, in proposals.SummaryInput) (proposals.Answer, error)
	// SummaryMaker returns the name of the prompt or rules and of the model, without network traffic. A summary of the same messages
	// by the same maker is reused. model is the configured one; empty: the default.
	SummaryMaker(model string) string
}

// ReasonEmptySummary means that a model's summary was empty, or had nothing fit for a context window.
const ReasonEmptySummary memory.ReasonCode = "empty_summary"

// SummaryPartBytes bounds the messages of one part of a summary: 24,000 tokens of Chinese (three bytes to a token), 18,000 of
// English (four). A model reads that in seconds, without losing the middle of it.
const SummaryPartBytes = 72_000

// BeginCompaction opens a compaction, or finds an open or finished one of the same contents.
func (a *Activities) BeginCompaction(ctx context.Context, in BeginCompactionInput) (BeginCompactionResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return BeginCompactionResult{}, err
	}
	record, err := a.Store.BeginCompaction(ctx, id, talk.CompactionRequest{
		Conversation: in.Conversation, To: in.To, Trigger: in.Trigger, Settings: in.Settings,
		Maker: a.summariser(in.Settings, false).SummaryMaker(in.Settings.Model),
	})
	if isBeingDeleted(err) { // a turn that was answered in the meantime has started it: there is nothing left to summarise
		return BeginCompactionResult{Ended: true}, nil
	}
	if err != nil {
		return BeginCompactionResult{}, recordError(err, "compaction")
	}
	return BeginCompactionResult{Compaction: record.ID, Ended: record.FinishedAt != nil}, nil
}

// summariser returns the engine that writes a summary.
func (a *Activities) summariser(s setting.CompactSettings, fallback bool) Summariser {
	if s.Paid && !fallback && a.Summariser != nil {
		return a.Summariser
	}
	return a.Rules
}

// Summarise updates the summary of an open compaction with the next part of its messages and saves it. A part that is already
// saved is not written again.
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
	case isBeingDeleted(err):
		return SummariseResult{Ended: true}, nil
	case err != nil:
		return SummariseResult{}, recordError(err, "compaction")
	case part.Compaction.FinishedAt != nil && part.Compaction.Outcome != memory.OutcomeWritten:
		return SummariseResult{}, errSuperseded("compaction")
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

// StopCompaction records that a compaction failed. One that has ended stays as it is.
func (a *Activities) StopCompaction(ctx context.Context, in StopCompactionInput) (struct{}, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return struct{}{}, err
	}
	return struct{}{}, storeError(a.Store.EndCompaction(ctx, id, in.Compaction, memory.OutcomeFailed, in.ReasonCode))
}

// StopCompactionInput identifies an open compaction, and why it stopped.
type StopCompactionInput struct {
	memory.OwnerRef
	Compaction uuid.UUID         `json:"compaction"`
	ReasonCode memory.ReasonCode `json:"reasonCode"`
}

// BeginCompactionInput opens a compaction.
type BeginCompactionInput struct {
	memory.OwnerRef
	Conversation uuid.UUID               `json:"conversation"`
	To           int64                   `json:"to"`
	Trigger      memory.CompactTrigger   `json:"trigger"`
	Settings     setting.CompactSettings `json:"settings"`
}

// BeginCompactionResult is the compaction.
type BeginCompactionResult struct {
	Compaction uuid.UUID `json:"compaction"`
	Ended      bool      `json:"ended,omitempty"` // the same summary existed already
}

// SummariseInput is one part of a summary.
type SummariseInput struct {
	memory.OwnerRef
	Compaction uuid.UUID               `json:"compaction"`
	Settings   setting.CompactSettings `json:"settings"`
	Fallback   bool                    `json:"fallback,omitempty"` // by rules instead of the model
	Why        memory.ReasonCode       `json:"why,omitempty"`      // of a fallback
	// MaxBytes bounds the messages of this part, after a model's context was too small; 0: SummaryPartBytes.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// SummariseResult is the progress of the summary.
type SummariseResult struct {
	Ended    bool              `json:"ended,omitempty"`
	Done     int64             `json:"done"`
	FallBack memory.ReasonCode `json:"fallBack,omitempty"` // the model cannot do it
	TooLong  bool              `json:"tooLong,omitempty"`  // the model's context is too small for this part
	Usage    memory.Usage      `json:"usage,omitzero"`
}

// summarising is one attempt at a part of a summary.
type summarising struct {
	*Activities
	in        SummariseInput
	id        memory.Identity
	part      talk.SummaryPart
	engine    Summariser
	asksModel bool
	count     func(string) int
	zone      *time.Location
	answer    proposals.Answer // the last one, even if the call failed
	cut       bool             // the token limit cut the answer
}

func (s *summarising) run(ctx context.Context) (SummariseResult, error) {
	return consult(ctx, s.Activities, engineUse{
		id: s.id, model: s.asksModel, awaited: true, heartbeat: s.in.Settings.ModelHeartbeat,
	}, s)
}

func (s *summarising) halt(_ context.Context, why setting.Halt) (SummariseResult, error) {
	return s.instead(why.Code), nil
}

func (s *summarising) ready(context.Context) (result SummariseResult, ended bool, err error) {
	if s.asksModel && s.rest.away(s.Now()) {
		return s.instead(ReasonModelAway), true, nil
	}
	s.zone, err = s.part.Agent.Location()
	return SummariseResult{}, false, err
}

// ask asks once. A summary that the token limit cut is used as it is.
func (s *summarising) ask(ctx context.Context, _ repair) (answer proposals.Answer, err error) {
	s.answer, err = s.engine.Summarise(ctx, s.input())
	failure, ok := errors.AsType[*llm.Error](err)
	if s.cut = ok && failure.Kind == llm.Truncated && s.answer.Raw != ""; s.cut {
		err = nil
	}
	return s.answer, err
}

func (s *summarising) input() proposals.SummaryInput {
	return proposals.SummaryInput{
		Agent: s.part.Agent.Name, Previous: s.part.Summary, Goal: s.part.Goal, Messages: s.part.Messages,
		MaxTokens: s.in.Settings.SummaryMaxTokens, Zone: s.zone, Model: s.in.Settings.Model,
	}
}

// check tidies the summary and drops lines with invented values. It finds no violations: an empty summary is not repaired.
func (s *summarising) check(answer proposals.Answer) (string, []proposals.Violation) {
	summary := proposals.TidySummary(answer.Raw, s.cut, s.in.Settings.SummaryMaxTokens, s.count)
	return proposals.GroundSummary(summary, s.input()), nil
}

// refuse leaves the part to the rules after a panic, the only violation. If it was theirs, the summary stays as it is.
func (s *summarising) refuse(ctx context.Context, violations []proposals.Violation) (SummariseResult, error) {
	if s.asksModel {
		return s.inVain(ctx, s.instead(reasonOf(violations)))
	}
	return s.accept(ctx, s.part.Summary)
}

// accept saves the summary; the last part ends the compaction.
func (s *summarising) accept(ctx context.Context, summary string) (SummariseResult, error) {
	if summary == "" && s.asksModel {
		return s.inVain(ctx, s.instead(ReasonEmptySummary))
	}
	record, err := s.Store.SaveSummary(ctx, s.id, s.in.Compaction, talk.SummaryStep{
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
func (a *Activities) observeFlush(f talk.Flush) {
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
func (a *Activities) observeCompaction(c talk.Compaction) {
	if a.ObserveCompaction == nil || c.FinishedAt == nil {
		return
	}
	a.ObserveCompaction(Compacted{
		Trigger: c.Trigger, Fallback: c.Fallback, TokensBefore: c.TokensBefore, TokensAfter: c.TokensAfter,
		Usage: c.Usage, Took: c.FinishedAt.Sub(c.StartedAt),
	})
}
