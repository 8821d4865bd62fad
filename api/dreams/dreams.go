// Package dreams serves dreams: runs, reports, candidates, changes of single statements, and events of progress.
package dreams

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/gate"
)

// Paths of dreams: one place for all of them, and the original ones.
const (
	dreamsPath = "/api/v1/agents/{agent}/dreams"
	dreamPath  = dreamsPath + "/{report}"

	originalPath     = "/api/v1/memory/{agent}"
	originalDreaming = originalPath + "/dreaming"
	originalReports  = originalPath + "/dream/reports"
	originalReport   = originalReports + "/{report}"
	originalEntry    = originalReport + "/entries/{entry}"
)

// maxReportCandidates limits the candidates in a report; their own list has pages.
const maxReportCandidates = 200

// Handlers serve dreams.
type Handlers struct {
	*rest.Server
	followers *rest.Followers
	nights    *rest.Announcer // of when agents dream
}

// Register adds the operations about dreams.
func Register(k *rest.Server) *Handlers {
	s := &Handlers{Server: k}
	s.followers = rest.NewFollowers(k, "dreams", s.lookForDreams)
	s.nights = k.NewAnnouncer(s.ensureNights)
	s.dreamRoutes()
	return s
}

func (s *Handlers) dreamRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-dreams", Method: http.MethodGet, Path: dreamsPath, Original: originalReports, Tag: "dreams", Need: memory.RoleViewer,
		Summary: "List dreams with their outcomes, newest first",
		Doc: "Lists those of the owner named in the request or pinned to the key, or else of all owners: an admin sees them whole, others an " +
			"outline without words. A list leaves out diffs and what a model said.",
	}, s.listDreams)
	rest.Register(s.Server, rest.Route{
		ID: "get-dream", Method: http.MethodGet, Path: dreamPath, Original: originalReport, Tag: "dreams", Need: memory.RoleViewer,
		Summary: "Read the report of one dream",
		Doc:     "Returns everything recorded: inputs with their versions, settings, verdicts with reasons, and changes. Visibility as in the list.",
	}, s.getDream)
	rest.Register(s.Server, rest.Route{
		ID: "list-dream-candidates", Method: http.MethodGet, Path: dreamPath + "/candidates", Original: originalReport + "/candidates",
		Tag: "dreams", Need: memory.RoleViewer,
		Summary: "List the candidates of one dream, best first",
		Doc:     "Each has its signals, score, gates and verdict. Visibility as in the list of dreams.",
	}, s.listDreamCandidates)
	s.dreamRunRoutes()
	s.dreamStatusRoutes()
	s.dreamCandidateRoutes()
	s.dreamDiaryRoutes()
	s.dreamEditRoutes()
	s.heldRoutes()
	s.dreamReplayRoutes()
	s.dreamAgainRoutes()
	s.dreamEventRoutes()
	s.dreamCardRoutes()
}

type dreamsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	Mode    memory.DreamMode `query:"mode" enum:"nightly,focused,promote,rem" doc:"Only dreams of this mode."`
	Outcome memory.Outcome   `query:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed" doc:"Only items with this outcome."`
	Real    bool             `query:"real" doc:"Without dry runs and replays."`
}

func (s *Handlers) listDreams(ctx context.Context, in *dreamsInput) (*rest.Reply[rest.Page[dreamView]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	id, full := rest.AcrossOwners(id)
	listed, err := s.Store.Dreams(
		ctx,
		id,
		dreams.DreamFilter{Mode: in.Mode, Outcome: in.Outcome, Real: in.Real},
		store.Page{Limit: in.Limit, Cursor: in.Cursor},
	)
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[dreamView]{Items: rest.Views(listed.Items, s.dreamViewer(full)), Next: listed.Next}), nil
}

// ReportParam is the dream that a request is about.
type ReportParam struct {
	Report string `path:"report" format:"uuid" doc:"Id of the dream."`
}

func (p ReportParam) id() (uuid.UUID, error) {
	id, err := uuid.Parse(p.Report)
	if err != nil {
		return id, fault.InvalidAt("path.report", "it is not a UUID")
	}
	return id, nil
}

// DreamInput is a request about one dream.
type DreamInput struct {
	rest.AgentParam
	ReportParam
	rest.PersonParams
}

// foundDream is the record that a request is about.
type foundDream struct {
	record dreams.Dream
	id     memory.Identity // of the caller; of every owner when the request names nobody
	agent  gate.Agent
	full   bool // the caller may see it whole
}

func (s *Handlers) dream(ctx context.Context, in *DreamInput) (found foundDream, err error) {
	record, err := in.ReportParam.id()
	if err != nil {
		return found, err
	}
	if found.id, found.agent, err = s.Enter(ctx, in.Agent, in.Person()); err != nil {
		return found, err
	}
	found.id, found.full = rest.AcrossOwners(found.id)
	found.record, err = s.Store.Dream(ctx, found.id, record)
	if err == nil && !found.id.AnyOwner && found.record.Owner != found.id.Owner {
		// The shared memory's dreams are not a secret, but they are not this owner's.
		err = fault.New(fault.NotFound, "No dream %s of this owner", record)
	}
	return found, err
}

// owner returns the identity of the caller, who works on the dream as its owner: for a personal one, for whom the caller would have
// been allowed to speak, and for the shared memory as when a shared document is written.
func (f foundDream) owner() memory.Identity {
	id := f.id
	id.AnyOwner = false
	return id.For(id.Agent, f.record.Owner)
}

type getDreamInput struct {
	DreamInput
	Candidates int `query:"candidates" minimum:"0" maximum:"200" default:"50" doc:"How many of the best candidates come with it."`
}

func (s *Handlers) getDream(ctx context.Context, in *getDreamInput) (*rest.Reply[reportView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	view, err := s.report(ctx, found, in.Candidates)
	if err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// report returns a dream with the best of its candidates.
func (s *Handlers) report(ctx context.Context, found foundDream, candidates int) (reportView, error) {
	view := reportView{DreamFields: s.dreamViewer(found.full)(found.record), Candidates: []candidateView{}}
	if candidates == 0 {
		return view, nil
	}
	listed, err := s.Store.DreamCandidates(ctx, found.id, found.record.ID, "", store.Page{Limit: min(candidates, maxReportCandidates)})
	if err != nil {
		return view, err
	}
	view.Candidates, view.MoreCandidates = rest.Views(listed.Items, candidateViewer(found.full)), listed.Next != ""
	return view, nil
}

type dreamCandidatesInput struct {
	DreamInput
	rest.PageParams
	VerdictParam
}

// VerdictParam chooses candidates by what was decided about them.
type VerdictParam struct {
	Verdict dream.Verdict `query:"verdict" enum:"promoted,kept,rejected" doc:"Only candidates with this verdict."`
}

func (s *Handlers) listDreamCandidates(ctx context.Context, in *dreamCandidatesInput) (*rest.Reply[rest.Page[candidateView]], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.DreamCandidates(ctx, found.id, found.record.ID, in.Verdict, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[candidateView]{Items: rest.Views(listed.Items, candidateViewer(found.full)), Next: listed.Next}), nil
}

// dreamView is the record of a dream.
type dreamView struct {
	ID             uuid.UUID              `json:"id"`
	Owner          memory.Owner           `json:"owner,omitempty" doc:"system: of the shared memory."`
	Scope          memory.Scope           `json:"scope,omitempty" doc:"Scope of the documents that it may write."`
	Mode           memory.DreamMode       `json:"mode" enum:"nightly,focused,promote,rem"`
	Topic          string                 `json:"topic,omitempty" doc:"Topic of a focused dream."`
	Trigger        memory.DreamTrigger    `json:"trigger" enum:"schedule,request,replay"`
	Night          string                 `json:"night,omitempty" doc:"Names the night that was dreamed; an owner dreams once in it." example:"2026-01-31T02:00"`
	DryRun         bool                   `json:"dryRun" doc:"Nothing was written."`
	ReplayOf       *uuid.UUID             `json:"replayOf,omitempty" doc:"The dream whose inputs it used again."`
	AgainOf        *uuid.UUID             `json:"againOf,omitempty" doc:"The dream that it repeats, which was undone for it."`
	AgainAs        *uuid.UUID             `json:"againAs,omitempty" doc:"The dream that repeated it."`
	Window         *windowView            `json:"window,omitempty" doc:"Period of the notes and conversations read; missing until they have been read."`
	Phase          memory.DreamPhase      `json:"phase" enum:"queued,light,rem,deep,writing,ended"`
	Outcome        memory.Outcome         `json:"outcome" enum:"running,waiting,written,nothing,skipped,quarantined,failed"`
	ReasonCode     memory.ReasonCode      `json:"reasonCode,omitempty"`
	Reason         string                 `json:"reason,omitempty" doc:"The reason, for people; may quote contents."`
	Counts         dreams.DreamCounts     `json:"counts"`
	Looked         dream.Looked           `json:"looked" doc:"Amount of material read."`
	Read           *dream.Pins            `json:"read,omitempty" doc:"The inputs by version and range, with hashes: two dreams with the same hashes have read the same material."`
	Changes        []memory.ChangeReceipt `json:"changes,omitempty" nullable:"false" doc:"Result for each document written."`
	Diff           string                 `json:"diff,omitempty" doc:"Unified diff of MEMORY.md; of a dry run, of what it would have been."`
	Reflection     *dream.Reflection      `json:"reflection,omitempty" doc:"Themes and likely truths."`
	Contradictions []dream.Contradiction  `json:"contradictions,omitempty" nullable:"false" doc:"Pairs of statements that cannot both hold."`
	Violations     []proposals.Violation  `json:"violations,omitempty" nullable:"false" doc:"Why a text was refused."`
	Raw            string                 `json:"raw,omitempty" doc:"What the model said, of quarantined dreams, dry runs and replays."`
	Model          string                 `json:"model,omitempty" doc:"Who wrote MEMORY.md: provider and model, or builtin/rules."`
	PromptVersion  string                 `json:"promptVersion,omitempty"`
	Usage          memory.Usage           `json:"usage"`
	Settings       dreamSettingsView      `json:"settings" doc:"Settings of the dream."`
	Reverted       *revertedView          `json:"reverted,omitempty" doc:"Set once the dream has been reverted."`
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
	From dream.Day `json:"from" doc:"First day of the period, in the agent's time zone."`
	AsOf time.Time `json:"asOf" doc:"End of the period."`
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
	Candidates     []candidateView `json:"candidates" doc:"The best candidates."`
	MoreCandidates bool            `json:"moreCandidates,omitempty" doc:"There are more: GET …/candidates."`
}

// dreamViewer shows dreams in full, or as an outline without words, authors and reasons.
func (s *Handlers) dreamViewer(full bool) func(dreams.Dream) dreamView {
	return func(d dreams.Dream) dreamView {
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

func viewDream(d dreams.Dream) dreamView {
	v := dreamView{
		ID: d.ID, Owner: d.Owner, Scope: d.Scope, Mode: d.Mode, Topic: d.Topic, Trigger: d.Trigger, Night: d.Night, DryRun: d.DryRun,
		Phase: d.Phase, Outcome: d.Outcome, ReasonCode: d.ReasonCode, Reason: d.Reason, Counts: d.Counts, Looked: d.Pins.Looked,
		Changes: d.Changes, Diff: d.Diff, Contradictions: d.Contradictions, Violations: d.Violations, Raw: d.Raw,
		Model: d.Model, PromptVersion: d.PromptVersion, Usage: d.Usage, Settings: viewDreamSettings(d.Settings),
		WorkflowID: d.WorkflowID, RunID: d.RunID, WaitingUntil: d.WaitingUntil, StartedAt: d.StartedAt, FinishedAt: d.FinishedAt,
	}
	for to, id := range map[**uuid.UUID]uuid.UUID{&v.ReplayOf: d.ReplayOf, &v.AgainOf: d.AgainOf, &v.AgainAs: d.AgainAs} {
		if id != uuid.Nil {
			*to = &id
		}
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
	Enabled         bool                 `json:"enabled"`
	OwnerIsolation  bool                 `json:"ownerIsolation" doc:"Off: only the shared memory dreams."`
	Days            int                  `json:"days" doc:"Age limit of the notes and conversations read, in days."`
	Weights         setting.DreamWeights `json:"weights" doc:"Shares of the components of a score; they are normalised to a sum of 1."`
	LightBoost      float64              `json:"lightBoost" doc:"Maximum added for being staged again."`
	REMBoost        float64              `json:"remBoost" doc:"Maximum added for being a likely truth."`
	HalfLifeDays    float64              `json:"halfLifeDays" doc:"Age at which recency and boosts count half."`
	MinScore        float64              `json:"minScore"`
	MinSignals      int                  `json:"minSignals"`
	MinDiversity    int                  `json:"minDiversity" doc:"Minimum number of distinct questions or days."`
	MaxPromotions   int                  `json:"maxPromotions"`
	MaxCandidates   int                  `json:"maxCandidates" doc:"Maximum number of candidates that one dream weighs; the others wait for the next dream."`
	MemoryMaxChars  int                  `json:"memoryMaxChars" doc:"Maximum size of MEMORY.md."`
	MaxRetiredShare float64              `json:"maxRetiredShare" doc:"Maximum share of the lines of MEMORY.md that one dream may retire."`
	DiaryMaxChars   int                  `json:"diaryMaxChars" doc:"Maximum size of DREAMS.md; older entries are moved to monthly files."`
	NotesMaxChars   int                  `json:"notesMaxChars" doc:"Maximum size of the notes that a model is shown."`
	ByModel         bool                 `json:"byModel" doc:"A model writes MEMORY.md; false: rules do."`
	Model           string               `json:"model,omitempty"`
}

func viewDreamSettings(s setting.DreamSettings) dreamSettingsView {
	return dreamSettingsView{
		s.Enabled, s.OwnerIsolation, s.Days, s.Weights, s.LightBoost, s.REMBoost, s.HalfLifeDays, s.MinScore, s.MinSignals, s.MinDiversity,
		s.MaxPromotions, s.MaxCandidates, s.MemoryMaxChars, s.MaxRetiredShare, s.DiaryMaxChars, s.NotesMaxChars, s.Paid, s.Model,
	}
}
