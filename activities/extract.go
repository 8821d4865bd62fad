package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"reverie/facts"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/remember"
	"reverie/store"
	stored "reverie/store/facts"
	"reverie/store/talk"
)

// Reasons in the outcomes of steps.
const (
	ReasonAccounted       memory.ReasonCode = "accounted_already" // another run accounted for these messages
	ReasonNothingToKeep   memory.ReasonCode = "nothing_to_keep"
	ReasonBudget                            = setting.HaltBudget
	ReasonInvalidProposal memory.ReasonCode = "invalid_proposal"
	ReasonGuards          memory.ReasonCode = "guards"
	ReasonScan            memory.ReasonCode = "scan"
	ReasonUngrounded      memory.ReasonCode = "ungrounded" // every line claimed what nobody said
	ReasonPanic           memory.ReasonCode = "panic"      // the engine or the checks have a bug that these messages show
)

// NextRange finds the next messages to extract, and the settings for them.
func (a *Activities) NextRange(ctx context.Context, in NextRangeInput) (NextRangeResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return NextRangeResult{}, err
	}
	pending, found, err := a.pending(ctx, id, in)
	if err != nil {
		return NextRangeResult{}, storeError(err)
	}
	return NextRangeResult{
		Found: found, Conversation: pending.ConversationUID, From: pending.From, To: pending.To,
		Settings: a.Defaults.With(pending.Agent.Settings), Timing: a.Timing.With(pending.Agent.Settings),
	}, nil
}

func (a *Activities) pending(ctx context.Context, id memory.Identity, in NextRangeInput) (talk.PendingRange, bool, error) {
	switch {
	case in.RetryOf != uuid.Nil:
		x, err := a.Store.Extraction(ctx, id, in.RetryOf)
		if err != nil {
			return talk.PendingRange{}, false, err
		}
		agent, err := a.Store.Agent(ctx, id)
		return talk.PendingRange{Range: x.Retry(), Agent: agent}, true, err
	case in.Conversation != uuid.Nil:
		return a.Store.ConversationRange(ctx, id, in.Conversation)
	default:
		return a.Store.NextRange(ctx, id)
	}
}

// Propose asks the engine what to keep of the next messages and saves a draft that passed the guards, or records how the
// step ended without one. An attempt after one that was cut off finds its draft and does not ask twice.
func (a *Activities) Propose(ctx context.Context, in ProposeInput) (ProposeResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, a.engine(in.Settings)))
	if err != nil {
		return ProposeResult{}, err
	}
	r := talk.Range{ConversationUID: in.Conversation, From: in.From, To: in.To, RetryOf: in.RetryOf}
	record, err := a.Store.BeginExtraction(ctx, id, r)
	switch conflict := (*store.ConflictError)(nil); {
	case errors.As(err, &conflict) && conflict.Code == store.CodeRangeMoved:
		return ProposeResult{To: in.To, Outcome: memory.OutcomeNothing, ReasonCode: ReasonAccounted, More: true}, nil
	case err != nil:
		return ProposeResult{}, storeError(err)
	case !record.Open():
		return ProposeResult{Extraction: record.ID, To: record.To, Outcome: record.Outcome, ReasonCode: record.ReasonCode, More: true}, nil
	case record.HasDraft:
		return ProposeResult{Extraction: record.ID, To: record.To, HasDraft: true, Usage: record.Usage}, nil
	}
	p := proposing{Activities: a, in: in, id: id, record: record, began: a.Now()}
	return p.run(ctx, r)
}

// engine returns the name of the engine that will be asked.
func (a *Activities) engine(s setting.ExtractSettings) string {
	if a.Paid {
		return s.Model
	}
	return "builtin"
}

// proposing is one attempt at a proposal.
type proposing struct {
	*Activities
	asking

	in       ProposeInput
	id       memory.Identity
	record   talk.Extraction
	began    time.Time
	messages talk.Range
	load     talk.ExtractionLoad
}

// asking holds the input of an engine and its last answer, for extractions and flushes.
type asking struct {
	transcript []transcripts.Line
	input      proposals.ExtractionInput
	usage      memory.Usage
	answer     proposals.Answer      // the last one
	dropped    []proposals.Violation // lines that were removed from it
}

// again returns the input of the next round.
func (a *asking) again(r repair) proposals.ExtractionInput {
	input := a.input
	input.Violations, input.Previous = r.violations, r.previous
	return input
}

// read returns what an answer proposes, without what nobody said and what the guards remove.
func (a *asking) read(
	answer proposals.Answer, parse func(string) (proposals.Proposal, error), settings setting.ExtractSettings,
) (guarded, []proposals.Violation) {
	a.answer = answer
	proposal, err := parse(answer.Raw)
	if err != nil {
		return guarded{}, unreadable(err)
	}
	proposal, dropped := proposals.Ground(proposal, a.input)
	a.dropped = proposals.Ungrounded(dropped)
	kept, violations := proposals.Guard(proposal, a.input, settings)
	return guarded{proposal, kept}, violations
}

// guarded is a proposal with what the guards left of it.
type guarded struct {
	proposals.Proposal

	kept proposals.Guarded
}

func (p *proposing) run(ctx context.Context, r talk.Range) (ProposeResult, error) {
	p.messages = r
	return consult(ctx, p.Activities, engineUse{id: p.id, model: p.Paid, heartbeat: p.in.Settings.ModelHeartbeat}, p)
}

func (p *proposing) halt(ctx context.Context, why setting.Halt) (ProposeResult, error) {
	_, err := p.Store.RecordOutcome(ctx, p.id, p.record.ID, talk.Ending{
		Outcome: memory.OutcomeWaiting, ReasonCode: why.Code, Until: why.Until, Reason: why.Reason,
	})
	return ProposeResult{WaitUntil: why.Until}, storeError(err)
}

func (p *proposing) ready(ctx context.Context) (result ProposeResult, ended bool, err error) {
	if p.load, err = p.Store.LoadExtraction(ctx, p.id, p.messages, p.in.Settings); err != nil {
		return ProposeResult{}, true, storeError(err)
	}
	if reason := p.closed(); reason != "" {
		result, err = p.end(ctx, talk.Ending{Outcome: memory.OutcomeSkipped, ReasonCode: reason, To: p.in.To})
		return result, true, err
	}
	if err := p.judge(ctx); err != nil {
		return ProposeResult{}, true, storeError(err)
	}
	p.transcript = transcripts.Transcript(p.load.Messages, p.in.Settings)
	if len(p.transcript) == 0 { // their source was revoked
		result, err = p.end(ctx, talk.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNothingToKeep, To: p.load.To})
		return result, true, err
	}
	p.input = proposals.ExtractionInput{
		Agent: p.load.Agent.Name, Today: p.load.Today,
		Profile: current(p.load.Profile.Content), Memory: current(p.load.Memory.Content), Shared: current(p.load.Shared),
		Note: markdown.Tail(p.note(), p.in.Settings.NoteTailChars), Transcript: p.transcript, Protected: p.load.Protected,
		Before:          transcripts.Transcript(p.load.Before, p.in.Settings),
		ProfileMaxChars: p.in.Settings.ProfileMaxChars, MemoryMaxChars: p.in.Settings.MemoryMaxChars,
		Model: p.in.Settings.Model,
	}
	if p.input.Disagreements, err = p.disagreements(ctx, p.id, p.load.Disagreements, p.input); err != nil {
		return ProposeResult{}, true, err
	}
	p.input.Newer, err = p.newer(ctx)
	return ProposeResult{}, err != nil, err
}

// newer returns the lines of the files that were said, or confirmed, after the day of the last message. Only those of old messages are
// read, as of an import. Without facts, none are known.
func (p *proposing) newer(ctx context.Context) (lines []string, err error) {
	today, last := p.Now().In(p.load.Today.Location()), time.Time{}
	for _, l := range p.transcript {
		if l.At.After(last) {
			last = l.At
		}
	}
	day := last.In(today.Location()).Format(time.DateOnly)
	if last.IsZero() || day >= today.Format(time.DateOnly) {
		return nil, nil
	}
	if _, err := p.Store.Disagreements(ctx, p.id); err != nil { // which derives what was just written
		return nil, storeError(err)
	}
	known, err := p.Store.OfDocuments(ctx, p.id, p.load.Scope, memory.ProfilePath, memory.MemoryPath)
	if errors.Is(err, store.ErrFactsOff) {
		return nil, nil
	}
	for _, f := range known {
		if f.Evidence.Seen.Format(time.DateOnly) > day {
			lines = append(lines, f.Text)
		}
	}
	return lines, storeError(err)
}

// disagreements returns the statements of which a prompt shows both sides.
func (a *Activities) disagreements(
	ctx context.Context, id memory.Identity, known facts.Disagreements, in proposals.ExtractionInput,
) ([][2]string, error) {
	shown, err := a.Store.DisagreementsWithin(ctx, id, known, in.Profile, in.Memory, in.Shared, in.Note)
	return facts.Pairs(shown), storeError(err)
}

// closed returns why nothing may be extracted; empty: it may. Memory may have been switched off since the extraction began.
func (p *proposing) closed() memory.ReasonCode {
	if stopped := p.Defaults.With(p.load.Agent.Settings).Stopped(); stopped != "" || !p.in.First || p.in.RetryOf != uuid.Nil {
		return stopped
	}
	reason, open := transcripts.Gate(transcripts.GateInput{
		Settings: p.in.Settings, Trigger: p.load.Conversation.Trigger,
		ConversationMessages: p.load.ConversationMessages, Pending: p.load.Latest,
	})
	if open {
		return ""
	}
	return reason
}

func (p *proposing) ask(ctx context.Context, r repair) (proposals.Answer, error) {
	answer, err := p.Proposer.Propose(ctx, p.again(r))
	p.usage = p.usage.Add(answer.Usage)
	return answer, err
}

func (p *proposing) check(answer proposals.Answer) (guarded, []proposals.Violation) {
	return p.read(answer, proposals.ParseProposal, p.in.Settings)
}

func (p *proposing) refuse(ctx context.Context, violations []proposals.Violation) (ProposeResult, error) {
	reason := "the proposal was refused twice"
	if reasonOf(violations) == ReasonPanic {
		reason = violations[0].Message
	}
	return p.end(ctx, talk.Ending{
		Outcome: memory.OutcomeQuarantined, ReasonCode: reasonOf(violations), To: p.load.To,
		Reason: reason, Raw: p.answer.Raw, Violations: append(violations, p.dropped...),
	})
}

// accept saves the draft for Apply, unless there is nothing to write.
func (p *proposing) accept(ctx context.Context, g guarded) (ProposeResult, error) {
	kept, err := p.unrepeated(ctx, p.notedOnce(g.kept))
	if err != nil {
		return ProposeResult{}, err
	}
	switch {
	case g.kept == proposals.Guarded{} && len(p.dropped) > 0:
		return p.end(ctx, talk.Ending{
			Outcome: memory.OutcomeNothing, ReasonCode: ReasonUngrounded, Reason: g.Reason, To: p.load.To, Violations: p.dropped,
		})
	case g.kept == proposals.Guarded{}:
		return p.end(ctx, talk.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNothingToKeep, Reason: g.Reason, To: p.load.To})
	case kept == proposals.Guarded{}:
		return p.end(ctx, talk.Ending{Outcome: memory.OutcomeNothing, ReasonCode: ReasonNoted, Reason: g.Reason, To: p.load.To, Violations: p.dropped})
	}
	d := talk.Draft{
		Changes: p.changes(kept, g.Proposal, p.transcript), To: p.load.To, Reason: g.Reason, Raw: p.answer.Raw,
		Model: p.answer.Model, PromptVersion: p.answer.PromptVersion, Usage: p.usage,
		Violations: p.dropped,
	}
	if p.load.Noted != nil {
		d.Noted = p.load.Noted.Flush
	}
	if err := p.Store.SaveDraft(ctx, p.id, p.record.ID, d); err != nil {
		return ProposeResult{}, storeError(err)
	}
	return ProposeResult{Extraction: p.record.ID, To: p.load.To, Messages: len(p.transcript), HasDraft: true, Usage: p.usage}, nil
}

// end records an outcome without a write.
func (p *proposing) end(ctx context.Context, e talk.Ending) (ProposeResult, error) {
	e.Model, e.PromptVersion, e.Usage = p.answer.Model, p.answer.PromptVersion, p.usage
	out, err := p.Store.RecordOutcome(ctx, p.id, p.record.ID, e)
	if err != nil {
		return ProposeResult{}, storeError(err)
	}
	p.observe(out.Extraction)
	return ProposeResult{
		Extraction: p.record.ID, To: out.Extraction.To, Outcome: out.Extraction.Outcome, ReasonCode: out.Extraction.ReasonCode,
		More: out.More, Usage: p.usage,
	}, nil
}

// fail asks for a shorter transcript, records the end, or asks for another attempt, until which the extraction is shown as waiting.
func (p *proposing) fail(ctx context.Context, failure *llm.Error) (ProposeResult, error) {
	switch {
	case failure.Kind == llm.ContextTooLong || failure.Kind == llm.Truncated:
		if p.usage != (memory.Usage{}) {
			if err := p.Store.AddUsage(ctx, p.id, p.engine(p.in.Settings), p.usage); err != nil {
				return ProposeResult{}, storeError(err)
			}
		}
		return ProposeResult{TooLong: true, Messages: len(p.transcript)}, nil
	case failure.Kind == llm.Refused: // a retry would be refused again, and must not block the messages that follow
		return p.end(ctx, talk.Ending{
			Outcome: memory.OutcomeQuarantined, ReasonCode: memory.ReasonCode(failure.Kind), To: p.load.To, Reason: failure.Message,
		})
	case !failure.Kind.Retryable():
		return p.end(ctx, talk.Ending{
			Outcome: memory.OutcomeFailed, ReasonCode: memory.ReasonCode(failure.Kind), To: p.in.To, Reason: failure.Message,
		})
	}
	_, err := p.Store.RecordOutcome(ctx, p.id, p.record.ID, talk.Ending{
		Outcome: memory.OutcomeWaiting, ReasonCode: memory.ReasonCode(failure.Kind), Reason: failure.Message,
		Until: p.Now().Add(failure.RetryAfter), Usage: p.usage,
	})
	if err != nil {
		return ProposeResult{}, storeError(err)
	}
	return ProposeResult{}, modelError(failure)
}

// Apply commits a draft: documents, outcome and cursor in one transaction, exactly once.
func (a *Activities) Apply(ctx context.Context, in ApplyInput) (ApplyResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return ApplyResult{}, err
	}
	out, err := a.Store.CommitExtraction(ctx, id, talk.Commit{ExtractionID: in.Extraction, Patch: in.Last})
	var (
		stale       *store.StaleBaseError
		quarantined *store.QuarantineError
		conflict    *store.ConflictError
	)
	switch {
	case errors.As(err, &stale):
		return ApplyResult{Stale: true}, nil
	case errors.As(err, &conflict):
		return ApplyResult{
			Outcome: memory.OutcomeNothing, ReasonCode: ReasonAccounted, More: true, Superseded: conflict.Code != store.CodeRangeMoved,
		}, nil
	case errors.As(err, &quarantined):
		if out, err = a.Store.RecordOutcome(ctx, id, in.Extraction, talk.Ending{
			Outcome: memory.OutcomeQuarantined, ReasonCode: ReasonScan, Reason: quarantined.Error(),
			Violations: []proposals.Violation{{Code: string(ReasonScan), Message: quarantined.Error()}},
		}); err != nil {
			return ApplyResult{}, storeError(err)
		}
	case refusedByGate(err) != "":
		if out, err = a.Store.RecordOutcome(ctx, id, in.Extraction, talk.Ending{
			Outcome: memory.OutcomeSkipped, ReasonCode: refusedByGate(err),
		}); err != nil {
			return ApplyResult{}, storeError(err)
		}
	case err != nil:
		return ApplyResult{}, storeError(err)
	}
	if !out.Receipt.Replayed {
		a.observe(out.Extraction)
	}
	documents := changed(out.Extraction.Changes)
	if documents > 0 {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return ApplyResult{
		Outcome: out.Extraction.Outcome, ReasonCode: out.Extraction.ReasonCode, Documents: documents, More: out.More,
	}, nil
}

// Conclude records that a range failed: there was no proposal, or none that could be applied.
func (a *Activities) Conclude(ctx context.Context, in ConcludeInput) (ConcludeResult, error) {
	id, err := a.identify(ctx, in.OwnerRef, author(ctx, ""))
	if err != nil {
		return ConcludeResult{}, err
	}
	r := talk.Range{ConversationUID: in.Conversation, From: in.From, To: in.To, RetryOf: in.RetryOf}
	record, err := a.Store.BeginExtraction(ctx, id, r)
	if err != nil {
		return ConcludeResult{}, storeError(err)
	}
	out, err := a.Store.RecordOutcome(ctx, id, record.ID, talk.Ending{Outcome: memory.OutcomeFailed, ReasonCode: in.ReasonCode, To: in.To})
	if err != nil {
		return ConcludeResult{}, storeError(err)
	}
	a.observe(out.Extraction)
	return ConcludeResult{Extraction: record.ID, More: out.More}, nil
}

func (a *Activities) observe(x talk.Extraction) {
	if a.Observe == nil || x.FinishedAt == nil {
		return
	}
	a.Observe(x.Outcome, x.ReasonCode, x.Usage, x.FinishedAt.Sub(x.StartedAt))
}

func changed(changes []memory.ChangeReceipt) int {
	n := 0
	for _, c := range changes {
		if c.Changed {
			n++
		}
	}
	return n
}

// NextRangeInput asks for the next messages of an owner to extract.
type NextRangeInput struct {
	memory.OwnerRef
	// Conversation asks for everything after the cursor of one conversation, including messages that a gate held back before. Zero
	// asks for the owner's oldest pending conversation.
	Conversation uuid.UUID `json:"conversation,omitzero"`
	// RetryOf asks for the range of a quarantined extraction.
	RetryOf uuid.UUID `json:"retryOf,omitzero"`
}

// NextRangeResult is the range, with the settings fixed for it.
type NextRangeResult struct {
	Found        bool                    `json:"found"`
	Conversation uuid.UUID               `json:"conversation,omitzero"`
	From         int64                   `json:"from,omitempty"`
	To           int64                   `json:"to,omitempty"`
	Settings     setting.ExtractSettings `json:"settings,omitzero"`
	Timing       setting.Timing          `json:"timing"`
}

// ProposeInput is one step of an extraction: the messages from From on, as many as fit one transcript.
type ProposeInput struct {
	memory.OwnerRef
	Conversation uuid.UUID               `json:"conversation"`
	From         int64                   `json:"from"`
	To           int64                   `json:"to"`    // of the whole range
	First        bool                    `json:"first"` // check the gates: once, for the whole range
	RetryOf      uuid.UUID               `json:"retryOf,omitzero"`
	Settings     setting.ExtractSettings `json:"settings"`
}

// ProposeResult selects the next action: apply a draft, continue after To, wait, or ask again with a shorter transcript.
type ProposeResult struct {
	Extraction uuid.UUID         `json:"extraction,omitzero"`
	To         int64             `json:"to"`       // last message of this step
	Messages   int               `json:"messages"` // of the transcript
	HasDraft   bool              `json:"hasDraft,omitempty"`
	TooLong    bool              `json:"tooLong,omitempty"`  // the model's context is too small for this transcript
	WaitUntil  time.Time         `json:"waitUntil,omitzero"` // the budget renews at this time
	Outcome    memory.Outcome    `json:"outcome,omitempty"`  // final for this step unless HasDraft
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	More       bool              `json:"more,omitempty"` // other messages of this owner are pending
	Usage      memory.Usage      `json:"usage,omitzero"`
}

// ApplyInput commits a draft.
type ApplyInput struct {
	memory.OwnerRef
	Extraction uuid.UUID `json:"extraction"`
	// Last applies the draft to the documents as they are, even if the same lines were edited concurrently: it was proposed again
	// often enough.
	Last bool `json:"last,omitempty"`
}

// ApplyResult is the outcome.
type ApplyResult struct {
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Stale      bool              `json:"stale,omitempty"`     // somebody edited the same lines concurrently: propose again
	Documents  int               `json:"documents,omitempty"` // changed
	More       bool              `json:"more,omitempty"`
	// Superseded: the draft is another run's, as after a reset, or it was dropped: propose again.
	Superseded bool `json:"superseded,omitempty"`
}

// ConcludeInput ends an extraction as failed: there was no proposal in time, or none that could be applied.
type ConcludeInput struct {
	memory.OwnerRef
	Conversation uuid.UUID         `json:"conversation"`
	From         int64             `json:"from"`
	To           int64             `json:"to"`
	RetryOf      uuid.UUID         `json:"retryOf,omitzero"`
	ReasonCode   memory.ReasonCode `json:"reasonCode"`
}

// ConcludeResult is the record.
type ConcludeResult struct {
	Extraction uuid.UUID `json:"extraction"`
	More       bool      `json:"more,omitempty"`
}

// ReasonNoted ends a step whose entry adds nothing to the notes of a flush or to memory.
const ReasonNoted memory.ReasonCode = "noted"

// current returns the part of a document that an engine sees, without archived statements.
func current(content string) string {
	text, _ := markdown.CutArchive(content)
	return text
}

// note returns today's note as the engine is shown it: without the entries that a flush made from the same messages. The engine
// skips what the note contains, but MEMORY.md and PROFILE.md, which a flush does not write, still need it.
func (p *proposing) note() string {
	noted := p.load.Noted
	if noted == nil || noted.Note.ID != p.load.Note.ID {
		return p.load.Note.Content
	}
	if rest, found := markdown.ReplaceEntries(p.load.Note.Content, noted.Entries, ""); found {
		return rest
	}
	return p.load.Note.Content
}

// unrepeated removes new lines that say only what memory says already.
func (p *proposing) unrepeated(ctx context.Context, g proposals.Guarded) (proposals.Guarded, error) {
	if g == (proposals.Guarded{}) || p.load.Noted != nil {
		return g, nil
	}
	note := memory.DailyNotePath(p.load.Today)
	k, err := p.knownOf(ctx, p.id, p.load.Today, p.load.Scope, memory.MemoryPath, memory.ProfilePath, note)
	if err != nil || len(k.all) == 0 {
		return g, err
	}
	texts := map[string]string{memory.MemoryPath: p.input.Memory, memory.ProfilePath: p.input.Profile, note: p.note()}
	for path, text := range map[string]string{memory.MemoryPath: g.Memory, memory.ProfilePath: g.Profile} {
		if text != "" {
			texts[path] = text
		}
	}
	left := map[string]memory.EntrySet{}
	for path, text := range texts {
		left[path] = memory.EntrySet{}
		for _, e := range markdown.EntriesOf(text) {
			left[path][e.ID] = true
		}
	}
	archived := map[markdown.EntryID]bool{}
	for _, d := range []memory.Document{p.load.Memory, p.load.Profile} {
		_, archive := markdown.CutArchive(d.Content)
		for _, e := range markdown.EntriesOf(archive) {
			archived[e.ID] = true
		}
	}
	// A note that says it does not make it known: it was archived since then, and is repeated now.
	stays := func(f stored.Fact) bool { return left[f.Path][f.Entry] && !(f.Path == note && archived[f.Entry]) }
	lasting := func(f stored.Fact) bool { return f.Path != note && stays(f) } // what is only noted may still become lasting
	goes := func(path string) func(stored.Fact) bool {
		return func(f stored.Fact) bool { return f.Path == path && !stays(f) && !archived[f.Entry] }
	}
	g.Memory = k.without(k.unlessReworded(g.Memory, p.input.Memory, goes(memory.MemoryPath)), p.input.Memory, lasting)
	g.Profile = k.without(k.unlessReworded(g.Profile, p.input.Profile, goes(memory.ProfilePath)), p.input.Profile, lasting)
	g.Daily = k.without(g.Daily, "", stays)
	return g, p.recordRepeat(ctx, p.id, k.heard, p.load.Today)
}

// notedOnce removes the daily entry from a proposal about messages that a flush has noted, unless it replaces entries made by rules.
func (p *proposing) notedOnce(g proposals.Guarded) proposals.Guarded {
	if p.load.Noted != nil && g.Daily != "" {
		if _, possible := p.replaced(g.Daily); !possible {
			g.Daily = ""
		}
	}
	return g
}

// dated sets the days of lines, in the owner's time zone, from the messages that they rest on.
func dated(lines []memory.LineSource, transcript []transcripts.Line, zone *time.Location) []memory.LineSource {
	at := map[int64]time.Time{}
	for _, l := range transcript {
		at[l.Seq] = l.At
	}
	for i := range lines {
		var last time.Time
		for _, seq := range lines[i].Messages {
			if at[seq].After(last) {
				last = at[seq]
			}
		}
		if !last.IsZero() {
			lines[i].Day = last.In(zone).Format(time.DateOnly)
		}
	}
	return lines
}

// replaced returns the flushed note with a model's entry instead of those that rules wrote when the model did not answer in time.
// It reports false if they stay: a model wrote them, no model was asked now, the step covers only some of their messages, or
// somebody has edited them.
func (p *proposing) replaced(entry string) (string, bool) {
	if !p.Paid || !p.load.Noted.Fallback {
		return "", false
	}
	return markdown.ReplaceEntries(p.load.Noted.Note.Content, p.load.Noted.Entries, entry)
}

// changes returns the writes of a guarded proposal: MEMORY.md and PROFILE.md replaced, based on the version that the engine saw,
// and the daily note appended to, or its entries made by rules replaced. Each names its source messages, by line where known.
func (p *proposing) changes(g proposals.Guarded, proposal proposals.Proposal, transcript []transcripts.Line) []memory.Change {
	var out []memory.Change
	add := func(c memory.Change, before, after string) {
		if c.Scope == "" {
			c.Scope = p.load.Scope
		}
		c.Reason = proposal.Reason
		c.Sources = memory.Sources{
			Conversation: p.load.Conversation.ID, From: p.in.From, To: p.load.To,
			Lines: dated(remember.MarkAsked(proposal.Sources(before, after, transcript), transcript), transcript, p.load.Today.Location()),
		}
		out = append(out, c)
	}
	replace := func(path string, doc memory.Document, text string) {
		if text != "" && !doc.Deleted {
			text = memory.WithArchiveOf(doc.Content, text)
		}
		if text != "" {
			add(memory.Change{Ref: memory.Ref{Path: path}, Op: memory.OpReplace, Content: text, Base: doc.Version, Once: true}, doc.Content, text)
		}
	}
	replace(memory.MemoryPath, p.load.Memory, g.Memory)
	replace(memory.ProfilePath, p.load.Profile, g.Profile)
	switch {
	case g.Daily == "":
	case p.load.Noted != nil:
		was := p.load.Noted.Note
		if text, possible := p.replaced(g.Daily); possible {
			add(memory.Change{
				Ref: memory.Ref{Scope: was.Scope, Path: was.Path}, Op: memory.OpReplace, Content: text, Base: was.Version,
			}, was.Content, text)
		}
	default:
		add(memory.Change{
			Ref: memory.Ref{Path: memory.DailyNotePath(p.load.Today)}, Op: memory.OpAppend,
			Content: g.Daily, Create: "# " + p.load.Today.Format("2006-01-02") + "\n", Once: true,
		}, "", g.Daily)
	}
	return out
}
