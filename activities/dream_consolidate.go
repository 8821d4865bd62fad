package activities

import (
	"context"
	"slices"
	"time"

	dreamnotes "reverie/dream/notes"
	"reverie/dream/rewrite"
	"reverie/facts"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/dreams"
)

// Consolidate asks a model to rewrite MEMORY.md and drafts a proposal that passes the checks. A refused proposal is repaired
// once; after a second refusal the dream ends with a report, and MEMORY.md stays.
func (a *Activities) Consolidate(ctx context.Context, in ConsolidateInput) (DeepSleepResult, error) {
	id, stage, err := a.dreamStage(ctx, in.DreamInput)
	if err != nil {
		return DeepSleepResult{}, err
	}
	if !stage.Dream.Open() {
		state, err := a.endedState(ctx, id, stage.Dream, false)
		return DeepSleepResult{DreamState: state}, err
	}
	if stage.Dream.HasDraft { // an earlier attempt was cut off after it had saved its draft
		return DeepSleepResult{DreamState: inProgress(stage)}, nil
	}
	stage.Dream.Settings.NotesMaxChars = in.NotesMaxChars
	c := consolidating{Activities: a, id: id, writing: writing{stage: stage, ranking: deep(stage)}}
	out, err := c.run(ctx)
	if err != nil {
		return DeepSleepResult{}, err
	}
	out.DreamState = inProgress(c.stage)
	return out, nil
}

// consolidating is one attempt to rewrite MEMORY.md with a model.
type consolidating struct {
	*Activities
	writing
	id    memory.Identity
	input proposals.ConsolidationInput
}

func (c *consolidating) run(ctx context.Context) (DeepSleepResult, error) {
	return consult(ctx, c.Activities, engineUse{id: c.id, model: true, heartbeat: c.stage.Dream.Settings.ModelHeartbeat}, c)
}

func (c *consolidating) halt(ctx context.Context, why setting.Halt) (DeepSleepResult, error) {
	return DeepSleepResult{WaitUntil: why.Until}, c.wait(ctx, why.Code, why.Reason, why.Until)
}

func (c *consolidating) ready(ctx context.Context) (result DeepSleepResult, ended bool, err error) {
	if len(passed(c.ranking)) == 0 { // MEMORY.md has changed since DeepSleep ranked the candidates, and contains them all
		c.wroteIt = rules
		c.nothing(ReasonNothingPassed, "")
		result, err = c.save(ctx)
		return result, true, err
	}
	c.input = c.inputOf()
	shown := []string{c.input.Memory, c.input.Shared}
	for _, n := range c.input.Notes {
		shown = append(shown, n.Text)
	}
	disagreements, err := c.Store.Disagreements(ctx, c.id, shown...)
	if err != nil {
		return DeepSleepResult{}, true, storeError(err)
	}
	for _, pair := range facts.Pairs(disagreements) {
		if !slices.Contains(c.input.Contradictions, pair) {
			c.input.Contradictions = append(c.input.Contradictions, pair)
		}
	}
	return DeepSleepResult{}, false, nil
}

// inputOf returns the input of the model.
func (c *consolidating) inputOf() proposals.ConsolidationInput {
	s := c.stage
	in := proposals.ConsolidationInput{
		Agent: s.Agent.Name, Today: s.AsOf, Topic: s.Dream.Topic, Memory: s.Files.Memory.Content, Shared: s.Shared,
		Notes: shownNotes(s.Notes, s.Dream.Settings.NotesMaxChars), Protected: s.Protected,
		MemoryMaxChars: s.Dream.Settings.MemoryMaxChars, Model: s.Dream.Settings.Model,
	}
	for _, p := range passed(c.ranking) {
		in.Candidates = append(in.Candidates, proposals.ConsolidationCandidate{
			Text: p.Text, Score: p.Score, Days: len(p.Signals.MentionDays), Asked: p.Signals.Asked,
		})
	}
	for _, state := range barred(s.States) {
		if state.Text != "" { // of what was forgotten there is no text: only the check of the answer knows it
			in.Forgotten = append(in.Forgotten, state.Text)
		}
	}
	for _, pair := range c.ranking.Contradictions {
		if !pair.Settled {
			in.Contradictions = append(in.Contradictions, [2]string{pair.OlderText, pair.NewerText})
		}
	}
	return in
}

// shownNotes returns the notes that the model is shown.
func shownNotes(notes []dreams.DreamNote, limit int) []proposals.ConsolidationNote {
	all := make([]dreamnotes.Note, len(notes))
	for i, n := range notes {
		all[i] = dreamnotes.Note{Document: n.Document, Day: n.Day}
	}
	return dreamnotes.ShownNotes(all, limit)
}

func (c *consolidating) ask(ctx context.Context, r repair) (proposals.Answer, error) {
	input := c.input
	input.Violations, input.Previous = r.violations, r.previous
	answer, err := c.Consolidator.Consolidate(ctx, input)
	c.usage = c.usage.Add(answer.Usage)
	return answer, err
}

// check drafts what an answer proposes.
func (c *consolidating) check(answer proposals.Answer) (struct{}, []proposals.Violation) {
	c.raw, c.wroteIt, c.promptVersion = answer.Raw, answer.Model, answer.PromptVersion
	return struct{}{}, c.judge(answer.Raw)
}

func (c *consolidating) judge(raw string) []proposals.Violation {
	proposed, err := proposals.ParseConsolidation(raw)
	if err != nil {
		return unreadable(err)
	}
	before := c.stage.Files.Memory.Content
	if !proposed.ShouldUpdate {
		c.ranking = rewrite.Settle(before, before, c.ranking)
		c.nothing(ReasonNothingToKeep, proposed.Reason)
		return nil
	}
	after, moved := rewrite.Fit(proposed.MemoryContent, c.stage.AsOf, c.stage.Dream.Settings, c.stage.Protected...)
	if violations := c.writing.check(after, moved, proposed.Retired); len(violations) > 0 {
		return violations
	}
	c.ranking = rewrite.Settle(before, after, c.ranking)
	c.memory, c.moved, c.retired, c.outcome, c.reason = after, moved, proposed.Retired, memory.OutcomeWritten, proposed.Reason
	return nil
}

func (c *consolidating) accept(ctx context.Context, _ struct{}) (DeepSleepResult, error) {
	return c.save(ctx)
}

func (c *consolidating) refuse(ctx context.Context, violations []proposals.Violation) (DeepSleepResult, error) {
	c.refused(violations)
	return c.save(ctx)
}

// save saves the draft for CommitDream.
func (c *consolidating) save(ctx context.Context) (DeepSleepResult, error) {
	return DeepSleepResult{}, dreamError(c.Store.DraftDream(ctx, c.id, c.stage.Dream.ID, c.draft()))
}

// fail asks for fewer notes, records the end, or asks for another attempt, until which the dream is shown as waiting.
func (c *consolidating) fail(ctx context.Context, failure *llm.Error) (DeepSleepResult, error) {
	code := memory.ReasonCode(failure.Kind)
	switch {
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		return DeepSleepResult{TooLong: true}, c.wait(ctx, code, failure.Message, c.Now())
	case failure.Kind == llm.Refused: // a retry would be refused again
		c.refused([]proposals.Violation{{Code: string(code), Message: failure.Message}})
		c.reasonCode = code
		return c.save(ctx)
	case !failure.Kind.Retryable():
		record, err := c.Store.EndDream(ctx, c.id, c.stage.Dream.ID, dreams.DreamEnding{
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

// wait shows the dream as waiting, with the reason, and accounts for what was spent.
func (c *consolidating) wait(ctx context.Context, code memory.ReasonCode, reason string, until time.Time) error {
	_, err := c.Store.EndDream(ctx, c.id, c.stage.Dream.ID, dreams.DreamEnding{
		Outcome: memory.OutcomeWaiting, ReasonCode: code, Reason: reason, Until: until,
		Model: c.wroteIt, PromptVersion: c.promptVersion, Usage: c.usage,
	})
	c.usage = memory.Usage{}
	return dreamError(err)
}
