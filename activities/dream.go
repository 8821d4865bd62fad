package activities

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
)

// Reasons for the end of a dream, given by the steps.
const (
	ReasonNoNews        memory.ReasonCode = "no_news" // no notes or messages in the days that a dream looks at
	ReasonNothingPassed memory.ReasonCode = "nothing_passed"
	ReasonNoRoom        memory.ReasonCode = "no_room" // MEMORY.md is full of lines that a dream does not move
)

// dreamer returns the identity for dreaming an owner's memory.
func (a *Activities) dreamer(ctx context.Context, ref memory.OwnerRef) (memory.Identity, error) {
	by := author(ctx, "")
	by.Kind = memory.AuthorDream
	id, err := a.identify(ctx, ref, by)
	id.AnyOwner = id.Owner == memory.SystemOwner // shared memory is weighed by everybody's recalls
	return id, err
}

// dreamError is storeError for steps of dreams, which another execution may have taken over.
func dreamError(err error) error { return recordError(err, "dream") }

// inHand fails if another execution owns the open dream, before a step does work that could not be saved.
func inHand(d dreams.Dream, id memory.Identity) error {
	if d.Open() && (d.WorkflowID != id.Author.WorkflowID || d.RunID != id.Author.RunID) {
		return errSuperseded("dream")
	}
	return nil
}

// stateOf returns the state of a dream from its record.
func stateOf(d dreams.Dream) DreamState {
	return DreamState{
		Dream: d.ID, Outcome: d.Outcome, ReasonCode: d.ReasonCode, Usage: d.Usage, Documents: changed(d.Changes),
		Candidates: d.Counts.Candidates, Promoted: d.Counts.Promoted, Kept: d.Counts.Kept, Rejected: d.Counts.Rejected,
		Repeats: d.AgainOf,
	}
}

// OpenDream finds or creates the record of a dream, with the settings that apply to it. A dream of this night or
// record that has ended is returned as it is (see DreamState.Again); one that is not wanted ends here. With Repeat, it
// undoes that dream and begins the one that repeats it.
func (a *Activities) OpenDream(ctx context.Context, in OpenDreamInput) (OpenDreamResult, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return OpenDreamResult{}, err
	}
	if in.Repeat != uuid.Nil {
		return a.dreamAgain(ctx, id, in)
	}
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return OpenDreamResult{}, storeError(err)
	}
	record, err := a.Store.BeginDream(ctx, id, dreams.NewDream{
		ID: in.Dream, Mode: in.Mode, Trigger: in.Trigger, Night: in.Night, AsOf: in.AsOf, DryRun: in.DryRun,
		Settings: a.DreamDefaults.With(agent.Settings),
	})
	if err != nil {
		return OpenDreamResult{}, dreamError(err)
	}
	if reason := record.Settings.Unwanted(id.Owner); reason != "" && record.Open() {
		if record, err = a.Store.EndDream(ctx, id, record.ID,
			dreams.DreamEnding{Outcome: memory.OutcomeSkipped, ReasonCode: reason}); err != nil {
			return OpenDreamResult{}, dreamError(err)
		}
		a.observeDream(record)
	}
	state, err := a.endedState(ctx, id, record, in.Again)
	return OpenDreamResult{DreamState: state, Settings: record.Settings}, err
}

// CommitDream commits a draft: documents, states of statements, news and the report in one transaction, exactly once.
func (a *Activities) CommitDream(ctx context.Context, in DreamInput) (CommitDreamResult, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return CommitDreamResult{}, err
	}
	record, err := a.commitDream(ctx, id, in)
	switch {
	case isStale(err):
		return CommitDreamResult{DreamState: DreamState{Dream: in.Dream, Outcome: memory.OutcomeRunning}, Stale: true}, nil
	case err != nil:
		return CommitDreamResult{}, dreamError(err)
	}
	state, err := a.endedState(ctx, id, record, false)
	if err != nil || state.Before {
		return CommitDreamResult{DreamState: state}, err
	}
	a.observeDream(record)
	out := CommitDreamResult{DreamState: state}
	if out.Documents > 0 {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return out, nil
}

// isStale reports whether a draft was made of content that has changed. The draft is then dropped; a retried step
// finds that.
func isStale(err error) bool {
	if _, stale := errors.AsType[*store.StaleBaseError](err); stale {
		return true
	}
	conflict, ok := errors.AsType[*store.ConflictError](err)
	return ok && conflict.Code == store.CodeNoDraft
}

// commitDream commits a draft. If somebody has edited the same documents, rules draft again on the new text, and so they do for a
// model after its last attempt. If the gate refuses a text, only a report of that is written.
func (a *Activities) commitDream(ctx context.Context, id memory.Identity, in DreamInput) (dreams.Dream, error) {
	record, err := a.Store.CommitDreamAgain(ctx, id, in.Dream, "", func(s dreams.StaleDraft) (dreams.DreamDraft, bool) {
		return redraft(s, in.Last)
	})
	if reason := refusedByGate(err); reason != "" {
		return a.Store.EndDream(ctx, id, in.Dream, dreams.DreamEnding{Outcome: memory.OutcomeSkipped, ReasonCode: reason})
	}
	refused, isRefused := errors.AsType[*store.QuarantineError](err)
	if !isRefused {
		return record, err
	}
	stage, err := a.Store.DreamStage(ctx, id, in.Dream)
	if err != nil {
		return dreams.Dream{}, err
	}
	ranking := deep(stage)
	unwritten := rewrite.Refuse(stage.Files.Memory.Content, ranking)
	if err := a.Store.DraftDream(ctx, id, in.Dream, dreams.DreamDraft{
		Ranking: unwritten, Outcome: memory.OutcomeQuarantined, ReasonCode: ReasonScan, Reason: refused.Error(),
		Violations: []proposals.Violation{{Code: string(ReasonScan), Message: refused.Error()}},
		Model:      stage.Dream.Model, PromptVersion: stage.Dream.PromptVersion,
	}); err != nil {
		return dreams.Dream{}, err
	}
	return a.Store.CommitDream(ctx, id, in.Dream, "")
}

// EndDream records that a dream ended without a write.
func (a *Activities) EndDream(ctx context.Context, in EndDreamInput) (DreamState, error) {
	id, err := a.dreamer(ctx, in.OwnerRef)
	if err != nil {
		return DreamState{}, err
	}
	record, err := a.Store.EndDream(ctx, id, in.Dream, dreams.DreamEnding{Outcome: in.Outcome, ReasonCode: in.ReasonCode})
	if err != nil {
		return DreamState{}, dreamError(err)
	}
	a.observeDream(record)
	return stateOf(record), nil
}

// observeDream reports a dream that has ended. A step that is retried may report twice.
func (a *Activities) observeDream(d dreams.Dream) {
	if a.ObserveDream == nil || d.FinishedAt == nil {
		return
	}
	a.ObserveDream(Dreamt{
		Mode: d.Mode, DryRun: d.DryRun, Outcome: d.Outcome, ReasonCode: d.ReasonCode,
		Promoted: d.Counts.Promoted, Usage: d.Usage, Took: d.FinishedAt.Sub(d.StartedAt),
	})
}

// DreamState is the state of a dream. A step of a dream that has ended does nothing and returns that state.
type DreamState struct {
	Dream      uuid.UUID         `json:"dream"`
	Outcome    memory.Outcome    `json:"outcome"` // running or waiting until it ends
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Candidates int               `json:"candidates,omitempty"`
	Promoted   int               `json:"promoted,omitempty"`
	Kept       int               `json:"kept,omitempty"`
	Rejected   int               `json:"rejected,omitempty"`
	Documents  int               `json:"documents,omitempty"` // documents changed
	Usage      memory.Usage      `json:"usage,omitzero"`
	Repeats    uuid.UUID         `json:"repeats,omitzero"` // the dream that was undone for this one
	// Before means that another execution had ended the dream before this step, which did nothing.
	Before bool `json:"before,omitempty"`
	// Again is the dream to undo and repeat, when this execution was asked to dream again what had ended before.
	Again uuid.UUID `json:"again,omitzero"`
}

// Ended reports whether the dream has ended.
func (s DreamState) Ended() bool {
	return s.Outcome != "" && s.Outcome != memory.OutcomeRunning && s.Outcome != memory.OutcomeWaiting
}

// OpenDreamInput identifies the dream to begin.
type OpenDreamInput struct {
	memory.OwnerRef
	Dream   uuid.UUID           `json:"dream,omitzero"` // its record; zero: found by its night or created
	Mode    memory.DreamMode    `json:"mode"`
	Trigger memory.DreamTrigger `json:"trigger"`
	Night   string              `json:"night,omitempty"`
	AsOf    time.Time           `json:"asOf,omitzero"`
	DryRun  bool                `json:"dryRun,omitempty"`
	// Again asks to repeat the dream if another execution has ended it. Repeat does so: it names the dream.
	Again  bool      `json:"again,omitempty"`
	Repeat uuid.UUID `json:"repeat,omitzero"`
}

// OpenDreamResult is the dream with the settings that apply to it.
type OpenDreamResult struct {
	DreamState
	Settings setting.DreamSettings `json:"settings"`
}

// DreamInput identifies an open dream.
type DreamInput struct {
	memory.OwnerRef
	Dream uuid.UUID `json:"dream"`
	// Last has CommitDream commit even if the documents were edited concurrently: the model was asked again often enough.
	Last bool `json:"last,omitempty"`
}

// LightSleepResult counts what was read.
type LightSleepResult struct {
	DreamState
	Notes         int `json:"notes,omitempty"`
	Conversations int `json:"conversations,omitempty"`
	Messages      int `json:"messages,omitempty"`
	Statements    int `json:"statements,omitempty"`
}

// REMSleepResult counts what was found.
type REMSleepResult struct {
	DreamState
	Themes int `json:"themes,omitempty"`
	Truths int `json:"truths,omitempty"`
}

// ConsolidateInput asks a model for a new MEMORY.md.
type ConsolidateInput struct {
	DreamInput
	NotesMaxChars int `json:"notesMaxChars"` // limit for the notes that the model is shown
}

// DeepSleepResult determines the next step: commit a draft, ask a model for one, wait, or ask again with less of the
// notes.
type DeepSleepResult struct {
	DreamState
	AskModel  bool      `json:"askModel,omitempty"` // something is worth keeping, and a model is to write it
	TooLong   bool      `json:"tooLong,omitempty"`  // the model's context is too small for the notes
	WaitUntil time.Time `json:"waitUntil,omitzero"` // the budget renews at this time
}

// CommitDreamResult is the outcome.
type CommitDreamResult struct {
	DreamState
	Stale bool `json:"stale,omitempty"` // the same lines were edited concurrently: draft again
}

// EndDreamInput ends a dream without a write.
type EndDreamInput struct {
	DreamInput
	Outcome    memory.Outcome    `json:"outcome"`
	ReasonCode memory.ReasonCode `json:"reasonCode"`
}

// FindNewsInput asks which owners of an agent have news, after one of them in id order.
type FindNewsInput struct {
	AgentRef
	After uuid.UUID `json:"after,omitzero"`
}

// FindNewsResult is a page of owners.
type FindNewsResult struct {
	Owners []uuid.UUID `json:"owners,omitempty"`
	More   bool        `json:"more,omitempty"`
	// ReasonCode explains why nobody of the agent dreams.
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
}

// StartDreamsInput asks for the dreams of one night.
type StartDreamsInput struct {
	AgentRef
	Owners   []uuid.UUID `json:"owners"`
	Night    string      `json:"night"`
	AsOf     time.Time   `json:"asOf,omitzero"`
	Parallel int         `json:"parallel"` // dreams at once
	// Patience bounds the time for which a dream occupies one of the Parallel slots.
	Patience time.Duration `json:"patience"`
}

// StartDreamsResult counts the outcomes.
type StartDreamsResult struct {
	Outcomes map[memory.Outcome]int `json:"outcomes,omitempty"`
	Late     int                    `json:"late,omitempty"` // not ended within Patience; they continue automatically
	// Unstarted owners could not be started in any attempt; the next night tries again.
	Unstarted int `json:"unstarted,omitempty"`
}

// DreamPlan is the dream schedule of an agent.
type DreamPlan struct {
	AgentRef
	TimeZone string // IANA name
	setting.DreamSchedule
}

// DreamOrder asks for the dream of one owner in one night.
type DreamOrder struct {
	memory.OwnerRef
	Night string
	AsOf  time.Time
	// Again is a dream that was undone and is dreamed again, in place of a night; zero: none.
	Again uuid.UUID
	Mode  memory.DreamMode // of Again
}

// Dreamer runs dreams as separate workflows.
type Dreamer interface {
	// Dream starts a dream, or finds it if it is running, and waits until it has ended or ctx is done. A dream that
	// failed or was cancelled is an outcome; an error means that its start or end is unknown.
	Dream(ctx context.Context, o DreamOrder) (memory.Outcome, error)
}

// Consolidator turns notes and ranked candidates into a new MEMORY.md: a model with its prompts.
type Consolidator interface {
	Consolidate(ctx context.Context, in proposals.ConsolidationInput) (proposals.Answer, error)
}

// Dreamt is a dream that ended, for metrics.
type Dreamt struct {
	Mode       memory.DreamMode
	DryRun     bool
	Outcome    memory.Outcome
	ReasonCode memory.ReasonCode
	Promoted   int
	Usage      memory.Usage
	Took       time.Duration // from the creation of its record to its end
}

// AskAgain is the reason with which a person resets a dream that has ended, so that it is dreamed again. Any other reset finds that
// it has ended and does nothing.
const AskAgain = "dream again"

// ReasonRevertConflict ends a dream that was to be repeated, but cannot be undone: its lines were changed since.
const ReasonRevertConflict memory.ReasonCode = "revert_conflict"

// endedState returns the state of a dream that has ended. When another execution ended it, the state says so, and names the dream
// to repeat if this execution was asked for that: by its input (again), or as a reset by its reason.
func (a *Activities) endedState(ctx context.Context, id memory.Identity, d dreams.Dream, again bool) (DreamState, error) {
	state := stateOf(d)
	if d.Open() || d.WorkflowID == id.Author.WorkflowID && d.RunID == id.Author.RunID {
		return state, nil
	}
	state.Before = true
	if d.DryRun || d.ReplayOf != uuid.Nil {
		return state, nil
	}
	if a.ResetReason != nil {
		reason, isReset, err := a.ResetReason(ctx, id.Author.WorkflowID, id.Author.RunID)
		if err != nil {
			return DreamState{}, err
		}
		if isReset {
			again = strings.Contains(strings.ToLower(reason), AskAgain)
		}
	}
	for again && d.AgainAs != uuid.Nil { // the night belongs to the last one
		var err error
		if d, err = a.Store.Dream(ctx, id, d.AgainAs); err != nil {
			return DreamState{}, dreamError(err)
		}
	}
	if again {
		state.Again = d.ID
	}
	return state, nil
}

// dreamAgain undoes a dream and begins the one that repeats it, for this execution. A dream that cannot be undone, or is not
// wanted any more, stays as it is.
func (a *Activities) dreamAgain(ctx context.Context, id memory.Identity, in OpenDreamInput) (OpenDreamResult, error) {
	agent, err := a.Store.Agent(ctx, id)
	if err != nil {
		return OpenDreamResult{}, storeError(err)
	}
	refused := func(outcome memory.Outcome, reason memory.ReasonCode) (OpenDreamResult, error) {
		return OpenDreamResult{DreamState: DreamState{Dream: in.Repeat, Outcome: outcome, ReasonCode: reason}}, nil
	}
	settings := a.DreamDefaults.With(agent.Settings)
	if reason := settings.Unwanted(id.Owner); reason != "" {
		return refused(memory.OutcomeSkipped, reason)
	}
	again, err := a.Store.DreamAgain(ctx, id, in.Repeat, dreams.Again{Settings: settings})
	conflict, isConflict := errors.AsType[*store.ConflictError](err)
	switch {
	case len(again.Conflicts) > 0:
		return refused(memory.OutcomeFailed, ReasonRevertConflict)
	case isConflict:
		return refused(memory.OutcomeFailed, memory.ReasonCode(conflict.Code))
	case errors.As(err, new(*store.QuarantineError)):
		return refused(memory.OutcomeFailed, ReasonScan)
	case refusedByGate(err) != "":
		return refused(memory.OutcomeSkipped, refusedByGate(err))
	case err != nil:
		return OpenDreamResult{}, dreamError(err)
	}
	if len(again.Receipt.Changes) > 0 && !again.Receipt.Replayed {
		a.indexChanged(AgentRef{Workspace: in.Workspace, Agent: in.Agent})
	}
	return OpenDreamResult{DreamState: stateOf(again.Dream), Settings: again.Dream.Settings}, nil
}
