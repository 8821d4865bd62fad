package dreams

import (
	"time"

	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/store"
)

// dreamView is the record of a dream.
type dreamView struct {
	ID             uuid.UUID              `json:"id"`
	Owner          memory.Owner           `json:"owner,omitempty" doc:"system: of the shared memory."`
	Scope          memory.Scope           `json:"scope,omitempty" doc:"Of the documents that it may write."`
	Mode           memory.DreamMode       `json:"mode" enum:"nightly,focused,promote,rem"`
	Topic          string                 `json:"topic,omitempty" doc:"Of a focused dream."`
	Trigger        memory.DreamTrigger    `json:"trigger" enum:"schedule,request,replay"`
	Night          string                 `json:"night,omitempty" doc:"Names the night that was dreamed; an owner dreams once in it." example:"2026-01-31T02:00"`
	DryRun         bool                   `json:"dryRun" doc:"Nothing was written."`
	ReplayOf       *uuid.UUID             `json:"replayOf,omitempty" doc:"The dream whose inputs it used again."`
	Window         *windowView            `json:"window,omitempty" doc:"What it looked at; missing until it did."`
	Phase          memory.DreamPhase      `json:"phase" enum:"queued,light,rem,deep,writing,ended"`
	Outcome        memory.Outcome         `json:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed"`
	ReasonCode     memory.ReasonCode      `json:"reasonCode,omitempty"`
	Reason         string                 `json:"reason,omitempty" doc:"In words; may speak of contents."`
	Counts         store.DreamCounts      `json:"counts"`
	Looked         dream.Looked           `json:"looked" doc:"How much it looked at."`
	Read           *dream.Pins            `json:"read,omitempty" doc:"Its inputs by version and range, and hashes of them: two dreams with the same material have seen the same."`
	Changes        []memory.ChangeReceipt `json:"changes,omitempty" nullable:"false" doc:"What became of each document that it wrote."`
	Diff           string                 `json:"diff,omitempty" doc:"Unified diff of MEMORY.md; of a dry run, of what it would have been."`
	Reflection     *dream.Reflection      `json:"reflection,omitempty" doc:"Themes and likely truths."`
	Contradictions []dream.Contradiction  `json:"contradictions,omitempty" nullable:"false" doc:"Pairs of statements that cannot both hold."`
	Violations     []memory.Violation     `json:"violations,omitempty" nullable:"false" doc:"Why a text was refused."`
	Raw            string                 `json:"raw,omitempty" doc:"What the model said, of quarantined dreams, dry runs and replays."`
	Model          string                 `json:"model,omitempty" doc:"Who wrote MEMORY.md: provider and model, or builtin/rules."`
	PromptVersion  string                 `json:"promptVersion,omitempty"`
	Usage          memory.Usage           `json:"usage"`
	Settings       dreamSettingsView      `json:"settings" doc:"With which it was dreamed."`
	Reverted       *revertedView          `json:"reverted,omitempty" doc:"It was undone."`
	WorkflowID     string                 `json:"workflowId,omitempty"`
	RunID          string                 `json:"runId,omitempty"`
	Link           string                 `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	WaitingUntil   *time.Time             `json:"waitingUntil,omitempty"`
	StartedAt      time.Time              `json:"startedAt"`
	FinishedAt     *time.Time             `json:"finishedAt,omitempty"`
	Seconds        *float64               `json:"seconds,omitempty" doc:"From the start to the end."`
}

// windowView is the time that a dream looked at.
type windowView struct {
	From dream.Day `json:"from" doc:"The first day, in the agent's time zone."`
	AsOf time.Time `json:"asOf" doc:"The end."`
}

type revertedView struct {
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
}

// DreamFields is dreamView by a name that the OpenAPI document sees: what is embedded under a name of the package is left out.
type DreamFields = dreamView

// reportView is a dream with the best of its candidates.
type reportView struct {
	DreamFields
	Candidates     []candidateView `json:"candidates" doc:"The best ones."`
	MoreCandidates bool            `json:"moreCandidates,omitempty" doc:"There are more: GET …/candidates."`
}

// dreamViewer shows dreams whole or as an outline, which does not tell what was said, by whom and why.
func (s *Room) dreamViewer(full bool) func(store.Dream) dreamView {
	return func(d store.Dream) dreamView {
		v := viewDream(d)
		v.Link = s.Workflows.Link(d.WorkflowID)
		if !full {
			v.Owner, v.Topic, v.Reason, v.Read, v.Changes, v.Diff = memory.NoOwner, "", "", nil, nil, ""
			v.Reflection, v.Contradictions, v.Violations, v.Raw = nil, nil, nil, ""
			if v.Reverted != nil {
				v.Reverted.By = ""
			}
		}
		if v.Reason == "" {
			v.Reason = dreamReasons[v.ReasonCode]
		}
		return v
	}
}

func viewDream(d store.Dream) dreamView {
	v := dreamView{
		ID: d.ID, Owner: d.Owner, Scope: d.Scope, Mode: d.Mode, Topic: d.Topic, Trigger: d.Trigger, Night: d.Night, DryRun: d.DryRun,
		Phase: d.Phase, Outcome: d.Outcome, ReasonCode: d.ReasonCode, Reason: d.Reason, Counts: d.Counts, Looked: d.Pins.Looked,
		Changes: d.Changes, Diff: d.Diff, Contradictions: d.Contradictions, Violations: d.Violations, Raw: d.Raw,
		Model: d.Model, PromptVersion: d.PromptVersion, Usage: d.Usage, Settings: viewDreamSettings(d.Settings),
		WorkflowID: d.WorkflowID, RunID: d.RunID, WaitingUntil: d.WaitingUntil, StartedAt: d.StartedAt, FinishedAt: d.FinishedAt,
	}
	if d.ReplayOf != uuid.Nil {
		v.ReplayOf = &d.ReplayOf
	}
	if !d.AsOf.IsZero() {
		v.Window = &windowView{d.From, d.AsOf}
	}
	if d.Pins.Material != "" {
		v.Read = &d.Pins
	}
	if len(d.Reflection.Themes)+len(d.Reflection.Truths) > 0 {
		v.Reflection = &d.Reflection
	}
	if !d.RevertedAt.IsZero() {
		v.Reverted = &revertedView{d.RevertedBy, d.RevertedAt}
	}
	if d.FinishedAt != nil {
		took := d.FinishedAt.Sub(d.StartedAt).Seconds()
		v.Seconds = &took
	}
	return v
}

// candidateView is a candidate with everything that is known about it.
type candidateView struct {
	dream.Candidate
}

// candidateViewer shows candidates whole, or without their words and where they were found.
func candidateViewer(full bool) func(dream.Candidate) candidateView {
	return func(c dream.Candidate) candidateView {
		if !full {
			c.Text, c.Heading, c.Corrects, c.Reason, c.Line = "", "", "", "", ""
			c.Places, c.Tags, c.Before.Text = nil, nil, ""
		}
		if c.Places == nil {
			c.Places = []dream.Place{}
		}
		return candidateView{c}
	}
}

// dreamSettingsView are the parameters of a dream.
type dreamSettingsView struct {
	Enabled         bool                `json:"enabled"`
	OwnerIsolation  bool                `json:"ownerIsolation" doc:"Off: only the shared memory dreams."`
	Days            int                 `json:"days" doc:"Of notes and conversations that are looked at."`
	Weights         memory.DreamWeights `json:"weights" doc:"Shares of the components of a score; they are normalised to a sum of 1."`
	LightBoost      float64             `json:"lightBoost" doc:"At most added for being staged again."`
	REMBoost        float64             `json:"remBoost" doc:"At most added for being a likely truth."`
	HalfLifeDays    float64             `json:"halfLifeDays" doc:"Of recency and of the boosts."`
	MinScore        float64             `json:"minScore"`
	MinSignals      int                 `json:"minSignals"`
	MinDiversity    int                 `json:"minDiversity" doc:"Distinct questions or days."`
	MaxPromotions   int                 `json:"maxPromotions"`
	MaxCandidates   int                 `json:"maxCandidates" doc:"That one dream weighs; the rest waits for the next one."`
	MemoryMaxChars  int                 `json:"memoryMaxChars" doc:"Ceiling of MEMORY.md."`
	MaxRetiredShare float64             `json:"maxRetiredShare" doc:"Of the lines of MEMORY.md that one dream may retire."`
	DiaryMaxChars   int                 `json:"diaryMaxChars" doc:"Of DREAMS.md, before old entries are folded into monthly files."`
	NotesMaxChars   int                 `json:"notesMaxChars" doc:"Of the notes that a model is shown."`
	ByModel         bool                `json:"byModel" doc:"A model writes MEMORY.md; false: rules do."`
	Model           string              `json:"model,omitempty"`
}

func viewDreamSettings(s memory.DreamSettings) dreamSettingsView {
	return dreamSettingsView{
		s.Enabled, s.OwnerIsolation, s.Days, s.Weights, s.LightBoost, s.REMBoost, s.HalfLifeDays, s.MinScore, s.MinSignals, s.MinDiversity,
		s.MaxPromotions, s.MaxCandidates, s.MemoryMaxChars, s.MaxRetiredShare, s.DiaryMaxChars, s.NotesMaxChars, s.Paid, s.Model,
	}
}
