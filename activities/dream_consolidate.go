package activities

import (
	"cmp"
	"context"
	"time"

	dreamnotes "reverie/dream/notes"
	"reverie/dream/rewrite"
	"reverie/llm"
	"reverie/memory"
	"reverie/store"
)

// Consolidate has a model rewrite MEMORY.md, and drafts what passed the checks: what it answers is a proposal. One that is
// refused goes back once, with what is wrong; one that is refused twice ends in a report, and MEMORY.md stays.
func (a *Activities) Consolidate(ctx context.Context, in ConsolidateInput) (DeepSleepResult, error) {
	id, stage, err := a.dreamStage(ctx, in.DreamInput)
	if err != nil || !stage.Dream.Open() {
		return DeepSleepResult{DreamState: stateOf(stage.Dream)}, err
	}
	if stage.Dream.HasDraft { // it was cut after it had saved its draft
		return DeepSleepResult{DreamState: inTheMiddle(stage)}, nil
	}
	stage.Dream.Settings.NotesMaxChars = in.NotesMaxChars
	c := consolidating{Activities: a, id: id, writing: writing{stage: stage, ranking: deep(stage)}}
	out, err := c.run(ctx)
	if err != nil {
		return DeepSleepResult{}, err
	}
	out.DreamState = inTheMiddle(c.stage)
	return out, nil
}

// consolidating is one attempt to have a model write MEMORY.md.
type consolidating struct {
	*Activities
	writing
	id memory.Identity
}

func (c *consolidating) run(ctx context.Context) (DeepSleepResult, error) {
	if until, err := c.waitForBudget(ctx); err != nil || !until.IsZero() {
		return DeepSleepResult{WaitUntil: until}, err
	}
	if len(passed(c.ranking)) == 0 { // MEMORY.md was changed since DeepSleep looked at it, and says all of it
		c.wroteIt = rules
		c.nothing(ReasonNothingPassed, "")
		return c.save(ctx)
	}
	input := c.input()
	violations, err := c.ask(ctx, input)
	if err == nil && len(violations) > 0 { // one repair round: the model sees what was wrong
		input.Violations, input.Previous = messagesOf(violations), c.raw
		violations, err = c.ask(ctx, input)
	}
	if err != nil {
		return c.modelFailed(ctx, err)
	}
	if len(violations) > 0 {
		c.refused(violations)
	}
	return c.save(ctx)
}

// waitForBudget reports until when the dream has to wait; zero: it may go on.
func (c *consolidating) waitForBudget(ctx context.Context) (time.Time, error) {
	until, err := c.spentUntil(ctx, c.id, c.Budget)
	if err != nil || until.IsZero() {
		return time.Time{}, err
	}
	return until, c.wait(ctx, ReasonBudget, "the workspace's model budget of today is spent", until)
}

// input is what the model sees.
func (c *consolidating) input() memory.ConsolidationInput {
	s := c.stage
	in := memory.ConsolidationInput{
		Agent: s.Agent.Name, Today: s.AsOf, Topic: s.Dream.Topic, Memory: s.Files.Memory.Content, Shared: s.Shared,
		Notes: shownNotes(s.Notes, s.Dream.Settings.NotesMaxChars), Protected: s.Protected,
		MemoryMaxChars: s.Dream.Settings.MemoryMaxChars, Model: s.Dream.Settings.Model,
	}
	for _, p := range passed(c.ranking) {
		in.Candidates = append(in.Candidates, memory.ConsolidationCandidate{
			Text: p.Text, Score: p.Score, Days: len(p.Signals.MentionDays), Asked: p.Signals.Asked,
		})
	}
	for _, state := range barred(s.States) {
		in.Forgotten = append(in.Forgotten, state.Text)
	}
	for _, pair := range c.ranking.Contradictions {
		if !pair.Settled {
			in.Contradictions = append(in.Contradictions, [2]string{pair.OlderText, pair.NewerText})
		}
	}
	return in
}

// shownNotes are the notes as far as the model sees them.
func shownNotes(notes []store.DreamNote, limit int) []memory.ConsolidationNote {
	all := make([]dreamnotes.Note, len(notes))
	for i, n := range notes {
		all[i] = dreamnotes.Note{Document: n.Document, Day: n.Day}
	}
	return dreamnotes.ShownNotes(all, limit)
}

// ask is one call of the model, read and checked. Faults of the answer come back as violations, faults of the call as the
// error.
func (c *consolidating) ask(ctx context.Context, in memory.ConsolidationInput) ([]memory.Violation, error) {
	stop := beat(ctx, cmp.Or(c.stage.Dream.Settings.ModelHeartbeat, HeartbeatTimeout)/heartbeatsInTime)
	answer, err := c.Consolidator.Consolidate(ctx, in)
	stop()
	c.usage = c.usage.Add(answer.Usage)
	if err != nil {
		return nil, err
	}
	c.modelState(ctx, "ok", "")
	c.raw, c.wroteIt, c.promptVersion = answer.Raw, answer.Model, answer.PromptVersion
	return c.judge(answer.Raw), nil
}

// judge reads an answer and drafts what it proposes, unless something is wrong with it.
func (c *consolidating) judge(raw string) []memory.Violation {
	proposed, err := memory.ParseConsolidation(raw)
	if err != nil {
		return []memory.Violation{{Code: string(ReasonInvalidProposal), Message: err.Error()}}
	}
	before := c.stage.Files.Memory.Content
	if !proposed.ShouldUpdate {
		c.ranking = rewrite.Settle(before, before, c.ranking)
		c.nothing(ReasonNothingToKeep, proposed.Reason)
		return nil
	}
	after, moved := rewrite.Fit(proposed.MemoryContent, c.stage.AsOf, c.stage.Dream.Settings, c.stage.Protected...)
	if violations := c.check(after, moved, proposed.Retired); len(violations) > 0 {
		return violations
	}
	c.ranking = rewrite.Settle(before, after, c.ranking)
	c.memory, c.moved, c.retired, c.outcome, c.reason = after, moved, proposed.Retired, memory.OutcomeWritten, proposed.Reason
	return nil
}

// save keeps the draft for CommitDream.
func (c *consolidating) save(ctx context.Context) (DeepSleepResult, error) {
	return DeepSleepResult{}, dreamError(c.Store.DraftDream(ctx, c.id, c.stage.Dream.ID, c.draft()))
}

// modelFailed decides what a failed call means: fewer notes, a recorded end, or another attempt later, which is visible as a
// waiting dream meanwhile.
func (c *consolidating) modelFailed(ctx context.Context, err error) (DeepSleepResult, error) {
	failure, err := c.modelFailure(ctx, err)
	if err != nil {
		return DeepSleepResult{}, err
	}
	code := memory.ReasonCode(failure.Kind)
	switch {
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		return DeepSleepResult{TooLong: true}, c.wait(ctx, code, failure.Message, c.Now())
	case failure.Kind == llm.Refused: // asking again would be refused again
		c.refused([]memory.Violation{{Code: string(code), Message: failure.Message}})
		c.reasonCode = code
		return c.save(ctx)
	case !failure.Kind.Retryable():
		record, err := c.Store.EndDream(ctx, c.id, c.stage.Dream.ID, store.DreamEnding{
			Outcome: memory.OutcomeFailed, ReasonCode: code, Reason: failure.Message,
			Model: c.wroteIt, PromptVersion: c.promptVersion, Usage: c.usage,
		})
		if err != nil {
			return DeepSleepResult{}, dreamError(err)
		}
		c.observeDream(record)
		c.stage.Dream = record
		return DeepSleepResult{}, nil
	}
	if err := c.wait(ctx, code, failure.Message, c.Now().Add(failure.RetryAfter)); err != nil {
		return DeepSleepResult{}, err
	}
	return DeepSleepResult{}, modelError(failure)
}

// wait shows that the dream goes on later, and why; what was spent in vain is accounted for.
func (c *consolidating) wait(ctx context.Context, code memory.ReasonCode, reason string, until time.Time) error {
	_, err := c.Store.EndDream(ctx, c.id, c.stage.Dream.ID, store.DreamEnding{
		Outcome: memory.OutcomeWaiting, ReasonCode: code, Reason: reason, Until: until,
		Model: c.wroteIt, PromptVersion: c.promptVersion, Usage: c.usage,
	})
	c.usage = memory.Usage{}
	return dreamError(err)
}
