package activities

import (
	"context"
	"errors"
	"strings"

	"reverie/llm"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
)

// SoulWriter asks a model for a new SOUL.md.
type SoulWriter interface {
	WriteSoul(ctx context.Context, in proposals.SoulInput) (proposals.Answer, error)
}

// soul rewrites SOUL.md when memory was written often enough since the last time, and returns the outcome; empty: it was not due. What a
// person is known by is written to SOUL.md, which everybody reads, only if there is no other person; with several owners it is made from
// shared memory, and only if the agent's settings say so.
func (a *Activities) soul(ctx context.Context, in TidyInput, owner memory.Identity) (memory.Outcome, error) {
	if in.Settings.SoulWrites <= 0 || !in.Settings.Paid || in.Settings.TeamMember || a.SoulWriter == nil {
		return "", nil
	}
	id := agentIdentity(ctx, AgentRef{Workspace: in.Workspace, Agent: in.Agent}, memory.AuthorDream)
	id = id.For(in.Agent, memory.SystemOwner)
	id.AnyOwner = true
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return "", storeError(err)
	}
	run, err := a.Store.BeginSoul(ctx, id, int64(in.Settings.SoulWrites), func(r dreams.SoulRun) bool {
		alone := r.Owners <= 1 && (r.Owners == 0 || owner.Owner != memory.SystemOwner)
		return r.Soul.Version > 0 && !r.Soul.Deleted && (alone || agent.Settings.SoulWrites != nil)
	})
	if err != nil || run == nil {
		return "", storeError(err)
	}
	w := soulWriting{Activities: a, id: id, run: *run}
	w.input = proposals.SoulInput{
		Agent: agent.Name, Soul: run.Soul.Content, Known: []string{run.Profile.Content, run.Memory.Content}, Model: in.Settings.Model,
		MaxWords: proposals.MaxSoulWords,
	}
	if w.input.Person, err = a.linesOfPersons(ctx, id, run.Soul); err != nil {
		return "", storeError(err)
	}
	if run.Owners == 1 && owner.Owner != memory.SystemOwner {
		for _, path := range []string{memory.ProfilePath, memory.MemoryPath} {
			d, err := a.Store.Document(ctx, owner, memory.Ref{Scope: memory.ScopePersonal, Path: path})
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return "", storeError(err)
			}
			w.input.Known = append(w.input.Known, d.Content)
		}
	}
	return consult(ctx, a, engineUse{id: id, model: true, heartbeat: in.Settings.ModelHeartbeat}, &w)
}

// linesOfPersons returns the lines of a document that a person wrote.
func (a *Activities) linesOfPersons(ctx context.Context, id memory.Identity, d memory.Document) (lines []string, err error) {
	blame, err := a.Store.Blame(ctx, id, memory.Ref{Scope: d.Scope, Path: d.Path}, d.Version)
	if err != nil {
		return nil, err
	}
	content := strings.Split(d.Content, "\n")
	for i, b := range blame {
		if b.Author.Kind == memory.AuthorUser && i < len(content) && strings.TrimSpace(content[i]) != "" {
			lines = append(lines, strings.TrimSpace(content[i]))
		}
	}
	return lines, nil
}

// soulWriting is one attempt to rewrite SOUL.md.
type soulWriting struct {
	*Activities
	id     memory.Identity
	run    dreams.SoulRun
	input  proposals.SoulInput
	model  string
	answer string
}

func (w *soulWriting) halt(ctx context.Context, why setting.Halt) (memory.Outcome, error) {
	return w.end(ctx, memory.OutcomeFailed, why.Code)
}

func (w *soulWriting) ready(context.Context) (memory.Outcome, bool, error) { return "", false, nil }

func (w *soulWriting) ask(ctx context.Context, r repair) (proposals.Answer, error) {
	in := w.input
	in.Violations, in.Previous = r.violations, r.previous
	answer, err := w.SoulWriter.WriteSoul(ctx, in)
	w.model = answer.Model
	if spent := w.Store.AddUsage(context.WithoutCancel(ctx), w.id, answer.Model, answer.Usage); spent != nil {
		err = errors.Join(err, spent)
	}
	return answer, err
}

func (w *soulWriting) check(answer proposals.Answer) (string, []proposals.Violation) {
	text := proposals.SoulOf(answer.Raw)
	return text, w.input.CheckSoul(text)
}

func (w *soulWriting) accept(ctx context.Context, text string) (memory.Outcome, error) {
	if strings.TrimSpace(text) == strings.TrimSpace(w.input.Soul) {
		return w.end(ctx, memory.OutcomeNothing, ReasonNothingToKeep)
	}
	w.answer = text
	return w.end(ctx, memory.OutcomeWritten, "")
}

func (w *soulWriting) refuse(ctx context.Context, violations []proposals.Violation) (memory.Outcome, error) {
	return w.end(ctx, memory.OutcomeQuarantined, reasonOf(violations))
}

// fail asks for another attempt, or ends the run: the next one is after as many writes again.
func (w *soulWriting) fail(ctx context.Context, failure *llm.Error) (memory.Outcome, error) {
	if failure.Kind.Retryable() {
		return "", modelError(failure)
	}
	return w.end(ctx, memory.OutcomeFailed, memory.ReasonCode(failure.Kind))
}

func (w *soulWriting) end(ctx context.Context, outcome memory.Outcome, reason memory.ReasonCode) (memory.Outcome, error) {
	end := dreams.SoulEnd{
		Outcome: outcome, ReasonCode: reason, Model: w.model, Content: w.answer, Base: w.run.Soul.Version, Writes: w.run.Writes,
	}
	receipt, err := w.Store.EndSoul(ctx, w.id, end)
	if err == nil && len(receipt.Changes) > 0 && receipt.Changes[0].Waiting > 0 {
		return memory.OutcomeWaiting, nil // for a person
	}
	refused := err != nil && (isStale(err) || tidyError(err) == nil) // a person has changed it, or the gate refuses
	if refused && outcome == memory.OutcomeWritten {
		return w.end(ctx, memory.OutcomeQuarantined, ReasonGuards)
	}
	return outcome, storeError(err)
}
