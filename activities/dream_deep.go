package activities

import (
	"context"
	"strings"

	"reverie/dream"
	"reverie/dream/compose"
	"reverie/dream/judge"
	"reverie/dream/notes"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/store/dreams"
)

// REMSleep finds themes and likely truths among the staged statements.
func (a *Activities) REMSleep(ctx context.Context, in DreamInput) (REMSleepResult, error) {
	id, stage, err := a.dreamStage(ctx, in)
	if err != nil {
		return REMSleepResult{}, err
	}
	if !stage.Dream.Open() {
		state, err := a.endedState(ctx, id, stage.Dream, false)
		return REMSleepResult{DreamState: state}, err
	}
	found := judge.REM(stage.Candidates, stage.AsOf)
	if err := a.Store.ReflectDream(ctx, id, in.Dream, found); err != nil {
		return REMSleepResult{}, dreamError(err)
	}
	return REMSleepResult{DreamState: inProgress(stage), Themes: len(found.Themes), Truths: len(found.Truths)}, nil
}

// DeepSleep ranks the candidates and drafts by rules what to write. If a model is configured, it writes what passed
// the gates instead.
func (a *Activities) DeepSleep(ctx context.Context, in DreamInput) (DeepSleepResult, error) {
	id, stage, err := a.dreamStage(ctx, in)
	if err != nil {
		return DeepSleepResult{}, err
	}
	if !stage.Dream.Open() {
		state, err := a.endedState(ctx, id, stage.Dream, false)
		return DeepSleepResult{DreamState: state}, err
	}
	ranking := deep(stage)
	if err := a.knowPromoted(ctx, id, stage, ranking); err != nil {
		return DeepSleepResult{}, err
	}
	if err := a.hearPromoted(ctx, id, stage, ranking); err != nil {
		return DeepSleepResult{}, err
	}
	if a.asksModel(stage, ranking) {
		return DeepSleepResult{DreamState: inProgress(stage), AskModel: true}, nil
	}
	w := writing{stage: stage, ranking: ranking, wroteIt: rules}
	w.byRules()
	if err := a.Store.DraftDream(ctx, id, in.Dream, w.draft()); err != nil {
		return DeepSleepResult{}, dreamError(err)
	}
	return DeepSleepResult{DreamState: inProgress(stage)}, nil
}

// dreamStage reads the stage of a dream in progress.
func (a *Activities) dreamStage(ctx context.Context, in DreamInput) (memory.Identity, dreams.DreamStage, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return id, dreams.DreamStage{}, err
	}
	stage, err := a.Store.DreamStage(ctx, id, in.Dream)
	if err != nil {
		return id, stage, dreamError(err)
	}
	return id, stage, inHand(stage.Dream, id)
}

// inProgress returns the state of a dream that continues.
func inProgress(stage dreams.DreamStage) DreamState {
	state := stateOf(stage.Dream)
	state.Candidates = len(stage.Candidates)
	return state
}

// deep ranks the staged statements that notes and messages still say. The same stage gives the same ranking in every step.
func deep(stage dreams.DreamStage) dream.Ranking {
	var said []dream.Statement
	for _, n := range stage.Notes {
		said = append(said, notes.NoteStatements(notes.Note{Document: n.Document, Day: n.Day}, stage.AsOf.Location())...)
	}
	return judge.Deep(dream.DeepInput{
		Material: dream.Material{
			AsOf: stage.AsOf, Topic: stage.Dream.Topic, Recalls: recallsOf(stage.Recalls), States: stage.States,
		},
		Candidates: judge.Live(stage.Candidates, said), Reflection: stage.Dream.Reflection, Mode: stage.Dream.Mode,
		Memory: stage.Files.Memory.Content, Shared: stage.Shared,
	}, stage.Dream.Settings)
}

// asksModel reports whether a model writes MEMORY.md. It is not asked when nothing is worth writing.
func (a *Activities) asksModel(stage dreams.DreamStage, r dream.Ranking) bool {
	mode := stage.Dream.Mode
	return a.Consolidator != nil && stage.Dream.Settings.Paid && (mode == memory.DreamNightly || mode == memory.DreamFocused) &&
		len(passed(r)) > 0
}

// passed returns the candidates that passed the gates, best first.
func passed(r dream.Ranking) []dream.Candidate {
	var out []dream.Candidate
	for _, c := range r.Candidates {
		if c.Verdict == dream.VerdictPromoted {
			out = append(out, c)
		}
	}
	return out
}

// rules names the built-in writer.
const rules = "builtin/rules"

// writing is a dream while it is drafted.
type writing struct {
	stage   dreams.DreamStage
	ranking dream.Ranking
	memory  string // new MEMORY.md; empty: unchanged
	moved   []dream.MovedSection
	retired []proposals.Retired // removed lines that a person wrote, each with the reason

	outcome       memory.Outcome
	reasonCode    memory.ReasonCode
	reason        string
	raw           string
	violations    []proposals.Violation
	wroteIt       string // the model, or rules
	promptVersion string
	usage         memory.Usage
}

// byRules promotes without a model, under the same checks.
func (w *writing) byRules() {
	if len(passed(w.ranking)) == 0 {
		w.nothing(nothingReason(w.stage.Dream.Mode), "")
		return
	}
	p := rewrite.Promote(w.stage.Files.Memory.Content, w.ranking, w.stage.AsOf, w.stage.Dream.Settings, w.stage.Protected...)
	if p.Memory == "" {
		w.ranking = p.Ranking
		w.nothing(ReasonNothingPassed, "")
		if p.Full != "" {
			w.nothing(ReasonNoRoom, p.Full)
		}
		return
	}
	if violations := w.check(p.Memory, p.Moved, nil); len(violations) > 0 {
		w.refused(violations)
		return
	}
	w.ranking = p.Ranking
	w.memory, w.moved, w.outcome = p.Memory, p.Moved, memory.OutcomeWritten
}

// redraft drafts a dream on the documents as they are, whose draft of earlier ones is stale. It refuses to do so in place of a
// model that may still be asked again.
func redraft(s dreams.StaleDraft, last bool) (dreams.DreamDraft, bool) {
	if s.Raw != "" && !last {
		return dreams.DreamDraft{}, false
	}
	w := writing{stage: s.Stage, ranking: deep(s.Stage), wroteIt: rules}
	if s.Raw == "" || !w.rebased(s) {
		w.byRules()
	}
	return w.draft(), true
}

// rebased applies the model's changes of MEMORY.md to the text as it is, and reports whether the result passes the checks.
func (w *writing) rebased(s dreams.StaleDraft) bool {
	proposed, err := proposals.ParseConsolidation(s.Raw)
	if err != nil || !proposed.ShouldUpdate || len(passed(w.ranking)) == 0 {
		return false
	}
	before := w.stage.Files.Memory.Content
	merged, conflicts := markdown.Merge3(s.Base, proposed.MemoryContent, before)
	if len(conflicts) > 0 {
		return false
	}
	after, moved := rewrite.Fit(merged, w.stage.AsOf, w.stage.Dream.Settings, w.stage.Protected...)
	if len(w.check(after, moved, proposed.Retired)) > 0 {
		return false
	}
	w.ranking = rewrite.Settle(before, after, w.ranking)
	w.memory, w.moved, w.retired, w.outcome, w.reason = after, moved, proposed.Retired, memory.OutcomeWritten, proposed.Reason
	w.raw, w.wroteIt, w.promptVersion = s.Raw, w.stage.Dream.Model, w.stage.Dream.PromptVersion
	return true
}

func nothingReason(mode memory.DreamMode) memory.ReasonCode {
	if mode == memory.DreamREM {
		return dream.ReasonModeREM
	}
	return ReasonNothingPassed
}

// check returns what a new MEMORY.md violates of the rules for dreams.
func (w *writing) check(after string, moved []dream.MovedSection, retired []proposals.Retired) []proposals.Violation {
	sources := make([]string, len(w.stage.Notes))
	for i, n := range w.stage.Notes {
		sources[i] = n.Content
	}
	return rewrite.Check(rewrite.CheckInput{
		Before: w.stage.Files.Memory.Content, After: after, Moved: moved, Protected: w.stage.Protected, Retired: retired, Sources: sources,
		Ranking: w.ranking, Barred: barred(w.stage.States),
	}, w.stage.Dream.Settings)
}

// barred returns the states of statements that must not come back.
func barred(states []dream.State) []dream.State {
	var out []dream.State
	for _, s := range states {
		if s.Status == dream.Forgotten || s.Status == dream.Held || s.Status == dream.Rejected {
			out = append(out, s)
		}
	}
	return out
}

// nothing ends with a report and a diary, and leaves MEMORY.md unchanged.
func (w *writing) nothing(code memory.ReasonCode, reason string) {
	w.memory, w.moved, w.retired, w.outcome, w.reasonCode, w.reason = "", nil, nil, memory.OutcomeNothing, code, reason
}

// refused ends quarantined: the refused text is kept only in the report.
func (w *writing) refused(violations []proposals.Violation) {
	w.ranking = rewrite.Refuse(w.stage.Files.Memory.Content, w.ranking)
	w.memory, w.moved, w.retired, w.outcome, w.violations = "", nil, nil, memory.OutcomeQuarantined, violations
	w.reasonCode, w.reason = reasonOf(violations), "the new text was refused"
}

// draft returns what CommitDream commits.
func (w *writing) draft() dreams.DreamDraft {
	d := w.stage.Dream
	composed := compose.Compose(compose.Input{
		Dream: d.ID, Mode: d.Mode, Topic: d.Topic, AsOf: w.stage.AsOf, Now: w.stage.Now, Scope: d.Scope,
		Files: w.stage.Files, Memory: w.memory, Moved: w.moved, Ranking: w.ranking, Reflection: d.Reflection,
		Looked: d.Pins.Looked, Model: strings.TrimPrefix(w.wroteIt, rules), Reason: w.reason, Outcome: w.outcome,
		Violations: w.violations, Retired: w.retired, Settings: d.Settings,
	})
	return dreams.DreamDraft{
		Ranking: w.ranking, Changes: composed.Changes, Diff: composed.Diff, Outcome: w.outcome, ReasonCode: w.reasonCode,
		Reason: w.reason, Raw: w.raw, Violations: w.violations, Model: w.wroteIt, PromptVersion: w.promptVersion, Usage: w.usage,
	}
}
