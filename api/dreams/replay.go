package dreams

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/dream/compose"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
)

func (s *Handlers) dreamReplayRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "replay-dream", Method: http.MethodPost, Path: dreamPath + "/replay", Original: originalReport + "/replay", Tag: "dreams",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Replay a dream without writing", Body: rest.MaxSmallBody,
		Timeout: rest.MaxWait + rest.RequestTimeout, Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict},
		Doc: "Uses the same inputs at the same versions, with the same parameters, another model or other parameters, and reports how the " +
			"two differ. Answers 202 when it is not done within wait: GET …/reports/{id of the replay}/difference has the result later.",
	}, s.replayDream)
	rest.Register(s.Server, rest.Route{
		ID: "compare-dreams", Method: http.MethodGet, Path: dreamPath + "/difference", Original: originalReport + "/difference", Tag: "dreams",
		Need:    memory.RoleViewer,
		Summary: "Compare two dreams",
		Doc:     "Compares a replay with its original, or any dream with the given one. Both belong to the same owner and have ended.",
	}, s.compareDreams)
}

// dreamParameters are parameters of a replay that differ from those of its original. What it looks at does not change.
type dreamParameters struct {
	Weights *struct {
		Frequency     *float64 `json:"frequency,omitempty" minimum:"0" maximum:"1"`
		Relevance     *float64 `json:"relevance,omitempty" minimum:"0" maximum:"1"`
		Diversity     *float64 `json:"diversity,omitempty" minimum:"0" maximum:"1"`
		Recency       *float64 `json:"recency,omitempty" minimum:"0" maximum:"1"`
		Consolidation *float64 `json:"consolidation,omitempty" minimum:"0" maximum:"1"`
		Conceptual    *float64 `json:"conceptual,omitempty" minimum:"0" maximum:"1"`
	} `json:"weights,omitempty"`
	LightBoost      *float64 `json:"lightBoost,omitempty" minimum:"0" maximum:"1"`
	REMBoost        *float64 `json:"remBoost,omitempty" minimum:"0" maximum:"1"`
	HalfLifeDays    *float64 `json:"halfLifeDays,omitempty" minimum:"0.01" maximum:"36500"`
	MinScore        *float64 `json:"minScore,omitempty" minimum:"0" maximum:"1"`
	MinSignals      *int     `json:"minSignals,omitempty" minimum:"0" maximum:"1000"`
	MinDiversity    *int     `json:"minDiversity,omitempty" minimum:"0" maximum:"1000"`
	MaxPromotions   *int     `json:"maxPromotions,omitempty" minimum:"0" maximum:"1000"`
	MemoryMaxChars  *int     `json:"memoryMaxChars,omitempty" minimum:"200" maximum:"200000"`
	MaxRetiredShare *float64 `json:"maxRetiredShare,omitempty" minimum:"0" maximum:"1"`
	NotesMaxChars   *int     `json:"notesMaxChars,omitempty" minimum:"1000" maximum:"1000000"`
	ByModel         *bool    `json:"byModel,omitempty" doc:"false: by rules, also what a model had written."`
}

// apply returns settings with the parameters set.
func (p *dreamParameters) apply(s setting.DreamSettings) setting.DreamSettings {
	if p == nil {
		return s
	}
	if w := p.Weights; w != nil {
		override(&s.Weights.Frequency, w.Frequency)
		override(&s.Weights.Relevance, w.Relevance)
		override(&s.Weights.Diversity, w.Diversity)
		override(&s.Weights.Recency, w.Recency)
		override(&s.Weights.Consolidation, w.Consolidation)
		override(&s.Weights.Conceptual, w.Conceptual)
	}
	override(&s.LightBoost, p.LightBoost)
	override(&s.REMBoost, p.REMBoost)
	override(&s.HalfLifeDays, p.HalfLifeDays)
	override(&s.MinScore, p.MinScore)
	override(&s.MinSignals, p.MinSignals)
	override(&s.MinDiversity, p.MinDiversity)
	override(&s.MaxPromotions, p.MaxPromotions)
	override(&s.MemoryMaxChars, p.MemoryMaxChars)
	override(&s.MaxRetiredShare, p.MaxRetiredShare)
	override(&s.NotesMaxChars, p.NotesMaxChars)
	override(&s.Paid, p.ByModel)
	return s
}

func override[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

type replayInput struct {
	DreamInput
	rest.WaitParam
	rest.RequestKeyParam
	Body *struct {
		Model      string           `json:"model,omitempty" maxLength:"200" doc:"Model name at the configured provider, instead of the original's."`
		Parameters *dreamParameters `json:"parameters,omitempty" doc:"Parameters that replace those of the original."`
	}
}

// DreamRunFields is dreamRunView by a name that the OpenAPI document sees.
type DreamRunFields = dreamRunView

// replayView is a replay beside its original, or where it will be.
type replayView struct {
	DreamRunFields
	Original   dreamView       `json:"original"`
	Difference *differenceView `json:"difference,omitempty" doc:"The difference, once the replay has ended."`
}

// differenceView compares two dreams.
type differenceView struct {
	compose.Difference
}

// maxComparedCandidates bounds how many candidates of a dream are compared: as many as a dream can weigh by its settings.
const maxComparedCandidates = 5000

func (s *Handlers) replayDream(ctx context.Context, in *replayInput) (*rest.Reply[replayView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	original := found.record
	settings := original.Settings
	if in.Body != nil {
		if settings = in.Body.Parameters.apply(settings); in.Body.Model != "" {
			settings.Model, settings.Paid = in.Body.Model, true
		}
	}
	record, err := s.replay(ctx, found, settings, in.IdempotencyKey, wait)
	if err != nil {
		return nil, err
	}
	id := found.owner()
	view := replayView{Original: s.dreamViewer(found.full)(original)}
	view.DreamRunFields = dreamRunView{
		Status: "running", Dream: record.ID, ReportLink: reportLink(found.agent.ID, record.ID),
		WorkflowID: record.WorkflowID, Link: s.Workflows.Link(record.WorkflowID),
	}
	if record.Open() {
		return rest.Accepted(view), nil
	}
	replay := foundDream{record: record, id: id, agent: found.agent, full: found.full}
	report, err := s.report(ctx, replay, reportCandidates)
	if err != nil {
		return nil, err
	}
	difference, err := s.difference(ctx, id, original, record, found.full)
	if err != nil {
		return nil, err
	}
	view.Status, view.Report, view.Difference = "completed", &report, &difference
	return rest.OK(view), nil
}

// replay dreams again with other settings and without writing, and waits for the end.
func (s *Handlers) replay(
	ctx context.Context, found foundDream, settings setting.DreamSettings, key string, wait time.Duration,
) (dreams.Dream, error) {
	original := found.record
	switch {
	case original.Pins.Material == "":
		return dreams.Dream{}, fault.New(fault.Conflict, "this dream read no material, so it cannot be replayed: it is %s", original.Outcome)
	case settings.Paid && !s.Dreams.Paid:
		return dreams.Dream{}, fault.InvalidAt("body.model", "no model is configured on this server: replay by rules, with parameters.byModel false")
	}
	next := dreams.NewDream{
		Mode: original.Mode, Trigger: memory.DreamByReplay, Topic: original.Topic, AsOf: original.AsOf, DryRun: true,
		ReplayOf: original.ID, Settings: settings,
	}
	next.Request = dreamKey(ctx, key, next)
	if err := s.Workflows.Reach(ctx); err != nil {
		return dreams.Dream{}, rest.WorkflowsAway("nothing was replayed, try again later")
	}
	record, err := s.queueDream(ctx, found.owner(), next)
	if err != nil {
		return dreams.Dream{}, err
	}
	return s.runDream(ctx, found.owner(), record, wait)
}

type compareInput struct {
	DreamInput
	From string `query:"from" format:"uuid" doc:"Id of the dream to compare with; missing: the original of a replay."`
}

func (s *Handlers) compareDreams(ctx context.Context, in *compareInput) (*rest.Reply[differenceView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	from := found.record.ReplayOf
	if in.From != "" {
		if from, err = uuid.Parse(in.From); err != nil {
			return nil, fault.InvalidAt("query.from", "it is not a UUID")
		}
	}
	if from == uuid.Nil {
		return nil, fault.InvalidAt("query.from", "this dream is not a replay: name the dream to compare it with")
	}
	other, err := s.Store.Dream(ctx, found.owner(), from)
	if err != nil {
		return nil, err
	}
	if other.Owner != found.record.Owner {
		return nil, fault.New(fault.NotFound, "No dream %s of the same owner", from)
	}
	for _, d := range []dreams.Dream{other, found.record} {
		if d.Open() {
			return nil, fault.New(fault.Conflict, "Dream %s is still running: wait for it", d.ID)
		}
	}
	view, err := s.difference(ctx, found.owner(), other, found.record, found.full)
	if err != nil {
		return nil, err
	}
	return rest.OK(view), nil
}

// difference compares two dreams of one owner. Who does not see them whole sees no words of it.
func (s *Handlers) difference(ctx context.Context, id memory.Identity, a, b dreams.Dream, full bool) (differenceView, error) {
	var sides [2]compose.Dreamt
	for i, d := range []dreams.Dream{a, b} {
		candidates, err := s.allCandidates(ctx, id, d.ID)
		if err != nil {
			return differenceView{}, err
		}
		sides[i] = compose.Dreamt{
			Settings: d.Settings, Pins: d.Pins, Outcome: d.Outcome, ReasonCode: d.ReasonCode, Model: d.Model, PromptVersion: d.PromptVersion,
			Candidates: candidates, Diff: d.Diff,
		}
	}
	out := differenceView{compose.Compare(sides[0], sides[1])}
	if !full {
		out.Diff = ""
		for i := range out.Candidates {
			out.Candidates[i].Text = ""
		}
	}
	return out, nil
}

// allCandidates reads every candidate of a dream.
func (s *Handlers) allCandidates(ctx context.Context, id memory.Identity, dreamID uuid.UUID) ([]dream.Candidate, error) {
	var out []dream.Candidate
	for cursor := ""; len(out) < maxComparedCandidates; {
		listed, err := s.Store.DreamCandidates(ctx, id, dreamID, "", store.Page{Limit: store.MaxPage, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		out = append(out, listed.Items...)
		if cursor = listed.Next; cursor == "" {
			break
		}
	}
	return out, nil
}
