package dreams

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/crontab"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/workflows"
)

func (s *Handlers) dreamRunRoutes() {
	const doc = "Dreams the memory of the owner named in the request or pinned to the key, or else the shared memory. " +
		"Answers 200 with the report, or 202 if it is not ready within wait: the dream continues. An owner dreams one dream at a time; dry " +
		"runs run beside."
	rest.Register(s.Server, rest.Route{
		ID: "dream", Method: http.MethodPost, Path: dreamsPath, Original: originalPath + "/emergence", Tag: "dreams", Need: memory.RoleMember,
		Act:     rest.Changes,
		Summary: "Dream now", Timeout: rest.MaxWait + rest.RequestTimeout, Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict},
		Doc: doc,
	}, s.emergence)
	rest.Register(s.Server, rest.Route{
		ID: "dream-focused", Method: http.MethodPost, Path: dreamsPath + "/focused", Original: originalDreaming + "/focused", Tag: "dreams",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Dream about a topic", Body: rest.MaxSmallBody,
		Timeout: rest.MaxWait + rest.RequestTimeout, Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict}, Doc: doc,
	}, s.focused)
}

// DryRunParam asks for everything but the write.
type DryRunParam struct {
	DryRun bool `query:"dryRun" doc:"Write nothing: the report and the diff say what would have been written."`
}

type emergenceInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.WaitParam
	DryRunParam
	rest.RequestKeyParam
	AsOf string           `query:"asOf" maxLength:"40" doc:"The end of what it looks at, for a night that was missed: a date in the agent's time zone, of which it is the night, or RFC 3339. At most 92 days ago." example:"2026-01-31"`
	Mode memory.DreamMode `query:"mode" enum:"nightly,promote,rem" default:"nightly" doc:"promote: by rules, without a model; rem: themes, likely truths and the diary, nothing is promoted."`
}

func (s *Handlers) emergence(ctx context.Context, in *emergenceInput) (*rest.Reply[dreamRunView], error) {
	return s.dreamNow(ctx, dreamRequest{
		agent: in.Agent, who: in.PersonParams, wait: in.WaitParam, key: in.IdempotencyKey, asOf: in.AsOf,
		dream: dreams.NewDream{Mode: in.Mode, DryRun: in.DryRun},
	})
}

type focusedInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.WaitParam
	DryRunParam
	rest.RequestKeyParam
	Body struct {
		Topic string `json:"topic" minLength:"1" maxLength:"256" pattern:"\\S" patternDescription:"not blank" doc:"What to look at first, in any words." example:"the move to Bern"`
	}
}

func (s *Handlers) focused(ctx context.Context, in *focusedInput) (*rest.Reply[dreamRunView], error) {
	return s.dreamNow(ctx, dreamRequest{
		agent: in.Agent, who: in.PersonParams, wait: in.WaitParam, key: in.IdempotencyKey,
		dream: dreams.NewDream{Mode: memory.DreamFocused, DryRun: in.DryRun, Topic: in.Body.Topic},
	})
}

// dreamRunView is the report of a dream that was asked for, or where it will be.
type dreamRunView struct {
	Status     string      `json:"status" enum:"completed,running"`
	Dream      uuid.UUID   `json:"dream" doc:"Id of the dream."`
	Report     *reportView `json:"report,omitempty" doc:"The report, once the dream has ended."`
	ReportLink string      `json:"reportLink" doc:"Where the report is, or will be."`
	WorkflowID string      `json:"workflowId,omitempty"`
	Link       string      `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

// dreamRequest is a dream that a request asks for.
type dreamRequest struct {
	agent string
	who   rest.PersonParams
	wait  rest.WaitParam
	key   string // the client's idempotency key; may be empty
	asOf  string
	dream dreams.NewDream
}

// reportCandidates limits the candidates in the report of a requested dream.
const reportCandidates = 50

// dreamNow dreams and answers with the report.
func (s *Handlers) dreamNow(ctx context.Context, r dreamRequest) (*rest.Reply[dreamRunView], error) {
	wait, err := r.wait.Duration()
	if err != nil {
		return nil, err
	}
	id, agent, full, err := s.dreamer(ctx, r.agent, r.who)
	if err != nil {
		return nil, err
	}
	if r.dream.AsOf, r.dream.Night, err = s.nightAsked(agent, r.asOf); err != nil {
		return nil, err
	}
	if r.dream.DryRun {
		r.dream.Night = "" // the night is still to be dreamed
		r.dream.Settings = s.awake(agent)
	}
	r.dream.Trigger, r.dream.Request = memory.DreamByRequest, dreamKey(ctx, r.key, r.dream)
	if err := s.Workflows.Reach(ctx); err != nil {
		s.Log.WarnContext(ctx, "A dream that was asked for cannot be started", "error", err, "request", rest.RequestID(ctx))
		return nil, rest.WorkflowsAway("nothing was dreamed, try again later")
	}
	record, err := s.queueDream(ctx, id, r.dream)
	if err != nil {
		return nil, err
	}
	ended, err := s.runDream(ctx, id, record, wait)
	if err != nil {
		return nil, err
	}
	return s.dreamRun(ctx, foundDream{record: ended, id: id, agent: agent, full: full})
}

// dreamRun answers with the report of a dream that was started, or 202 while it is open.
func (s *Handlers) dreamRun(ctx context.Context, found foundDream) (*rest.Reply[dreamRunView], error) {
	d := found.record
	view := dreamRunView{
		Status: "running", Dream: d.ID, ReportLink: reportLink(found.agent.ID, d.ID), WorkflowID: d.WorkflowID, Link: s.Workflows.Link(d.WorkflowID),
	}
	if d.Open() {
		return rest.Accepted(view), nil
	}
	report, err := s.report(ctx, found, reportCandidates)
	if err != nil {
		return nil, err
	}
	view.Status, view.Report = "completed", &report
	return rest.OK(view), nil
}

// awake returns the settings of a dry run, which works also where dreaming is switched off. Zero: those of any
// other dream.
func (s *Handlers) awake(agent gate.Agent) setting.DreamSettings {
	settings := s.Dreams.With(agent.Settings)
	if settings.Enabled || !settings.MemoryEnabled {
		return setting.DreamSettings{}
	}
	settings.Enabled = true
	return settings
}

func reportLink(agent string, dream uuid.UUID) string {
	return rest.Link("/memory/%s/dream/reports/%s", agent, dream)
}

// dreamer returns the identity of a request about dreams: the named owner, or the shared memory. A key that may write shared
// documents may start their dreams, without seeing the words of the system's conversations.
func (s *Handlers) dreamer(
	ctx context.Context, agent string, who rest.PersonParams,
) (_ memory.Identity, _ gate.Agent, full bool, err error) {
	id, found, err := s.Enter(ctx, agent, who.Person())
	if err != nil {
		return id, found, false, err
	}
	if id.Owner == memory.NoOwner {
		return id.For(id.Agent, memory.SystemOwner), found, id.Role.Includes(memory.RoleAdmin), nil
	}
	return id, found, true, nil
}

// queueDream makes the record of a requested dream, or finds the one of the same request. It refuses a second dream of
// an owner beside one that is under way, and a night that was dreamed.
func (s *Handlers) queueDream(ctx context.Context, id memory.Identity, d dreams.NewDream) (dreams.Dream, error) {
	if known, found, err := s.requested(ctx, id, d.Request); found || err != nil {
		return known, err
	}
	if !d.DryRun {
		if err := s.refuseConcurrentDream(ctx, id); err != nil {
			return dreams.Dream{}, err
		}
	}
	made, err := s.Store.BeginDream(ctx, id, d)
	if err == nil && !made.Open() && d.Night != "" {
		p := fault.New(
			fault.NightDreamed,
			"this night was dreamed already, with the outcome %s: dream without asOf, or dream that one again",
			made.Outcome,
		)
		p.Data = dreamConflict{Dream: made.ID, Outcome: made.Outcome, ReportLink: reportLink(id.Agent, made.ID)}
		return made, p
	}
	return made, err
}

// requested returns the dream that a request with this key has made, if there is one.
func (s *Handlers) requested(ctx context.Context, id memory.Identity, key string) (known dreams.Dream, found bool, err error) {
	if key == "" {
		return known, false, nil
	}
	known, err = s.Store.DreamOfRequest(ctx, id, key)
	if errors.Is(err, store.ErrNotFound) {
		return known, false, nil
	}
	return known, err == nil, err
}

// startingTime bounds how long a dream may be queued before its workflow runs: after that its starter has failed.
const startingTime = 2 * rest.AcceptTimeout

// refuseConcurrentDream returns an error while the owner's memory is dreaming. A record that a crashed server or a terminated workflow
// left open does not count: the former is closed here, the latter when the next dream begins.
func (s *Handlers) refuseConcurrentDream(ctx context.Context, id memory.Identity) error {
	status, err := s.Store.DreamStatus(ctx, id)
	if err != nil || status.Running == nil {
		return err
	}
	open := status.Running
	dreaming, err := s.isDreaming(ctx, memory.OwnerRef{Workspace: id.Workspace, Agent: id.Agent, Owner: open.OwnerID})
	switch {
	case err != nil:
		return err
	case dreaming, s.Now().Sub(open.StartedAt) < startingTime:
		return s.dreamUnderWay(id, open)
	case open.WorkflowID == "":
		_, err = s.Store.EndDream(ctx, id, open.ID, dreams.DreamEnding{Outcome: memory.OutcomeFailed, ReasonCode: neverStarted})
	}
	return err
}

// dreamConflict identifies the dream in progress.
type dreamConflict struct {
	Dream      uuid.UUID         `json:"dream"`
	Phase      memory.DreamPhase `json:"phase,omitempty"`
	Outcome    memory.Outcome    `json:"outcome"`
	ReportLink string            `json:"reportLink"`
	WorkflowID string            `json:"workflowId,omitempty"`
	Link       string            `json:"link,omitempty"`
}

// dreamUnderWay returns the problem for an owner whose dream is running; running is nil if that dream is unknown.
func (s *Handlers) dreamUnderWay(id memory.Identity, running *dreams.Dream) *fault.Problem {
	p := fault.New(fault.Dreaming, "A dream of this owner is running: wait for it, or make a dry run")
	if running != nil {
		p.Data = dreamConflict{
			running.ID, running.Phase, running.Outcome, reportLink(id.Agent, running.ID), running.WorkflowID, s.Workflows.Link(running.WorkflowID),
		}
	}
	return p
}

// runDream starts the dream of a record and waits for its end, at most for wait. It returns the record as it is then: one that
// is still open continues automatically.
func (s *Handlers) runDream(ctx context.Context, id memory.Identity, record dreams.Dream, wait time.Duration) (dreams.Dream, error) {
	if !record.Open() {
		return record, nil
	}
	in := workflows.DreamInput{
		OwnerRef: memory.OwnerRef{Workspace: id.Workspace, Agent: id.Agent, Owner: record.OwnerID},
		Dream:    record.ID, Mode: record.Mode, Trigger: record.Trigger, Night: record.Night, AsOf: record.AsOf, DryRun: record.DryRun,
	}
	result, err := s.startDream(ctx, s.Stopping, in, wait)
	switch {
	case err == nil, errors.Is(err, rest.ErrStillRunning):
	case errors.Is(err, workflows.ErrDreaming): // somebody else was faster
		s.neverStarts(ctx, id, record, dreams.DreamEnding{Outcome: memory.OutcomeSkipped, ReasonCode: reasonDreaming})
		return record, s.dreamUnderWay(id, nil)
	case errors.Is(err, errNeverStarted):
		s.neverStarts(ctx, id, record, dreams.DreamEnding{Outcome: memory.OutcomeFailed, ReasonCode: neverStarted})
		return record, rest.WorkflowsAway("nothing was dreamed, try again later")
	default:
		return record, err
	}
	if result.Outcome == memory.OutcomeFailed { // its record says so, unless the workflow never came to it
		ended, err := s.Store.EndDream(ctx, id, record.ID, dreams.DreamEnding{Outcome: result.Outcome, ReasonCode: result.ReasonCode})
		if _, taken := errors.AsType[*store.ConflictError](err); !taken {
			return ended, err
		}
	}
	return s.Store.Dream(ctx, id, record.ID)
}

// neverStarts ends a record that no workflow will take.
func (s *Handlers) neverStarts(ctx context.Context, id memory.Identity, record dreams.Dream, ending dreams.DreamEnding) {
	if _, err := s.Store.EndDream(context.WithoutCancel(ctx), id, record.ID, ending); err != nil {
		s.Log.WarnContext(ctx, "A dream that was never started stays queued", "error", rest.Loggable(err), "dream", record.ID)
	}
}

// errNeverStarted means that Temporal did not take a dream.
var errNeverStarted = errors.New("the dream was not started")

// tidyPatience bounds the wait for a dream that tidies.
const tidyPatience = 2 * time.Second

// startOrFind starts a dream, or finds it running. A dream whose report has its outcome still tidies for a moment; its end is awaited.
func (s *Handlers) startOrFind(ctx context.Context, in workflows.DreamInput) (workflows.DreamRun, error) {
	run, err := workflows.StartDream(ctx, s.Temporal, in)
	if !errors.Is(err, workflows.ErrDreaming) {
		return run, err
	}
	ended, cancel := context.WithTimeout(ctx, tidyPatience)
	defer cancel()
	_ = s.Temporal.GetWorkflow(ended, workflows.DreamID(in.OwnerRef), "").Get(ended, nil) // however it ends
	return workflows.StartDream(ctx, s.Temporal, in)
}

// startDream starts the dream of a record, or finds it running, and waits for its end, at most for wait and until stop ends. It
// starts the dream even if the client does not wait or disconnects.
func (s *Handlers) startDream(ctx, stop context.Context, in workflows.DreamInput, wait time.Duration) (workflows.DreamResult, error) {
	var none workflows.DreamResult
	started, accepted := context.WithTimeout(context.WithoutCancel(ctx), rest.AcceptTimeout)
	run, err := s.startOrFind(started, in)
	accepted()
	switch {
	case errors.Is(err, workflows.ErrDreaming):
		return none, err
	case err != nil:
		s.Log.WarnContext(ctx, "A dream could not be started", "error", err, "dream", in.Dream)
		return none, fmt.Errorf("%w: %w", errNeverStarted, err)
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(stop, cancel)()
	result, err := run.Result(waited)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return none, ctx.Err()
	case waited.Err() != nil, rest.TemporalAway(err):
		return none, rest.ErrStillRunning
	}
	s.Log.WarnContext(ctx, "A dream that a request waited for ended in nobody knows what", "error", err, "workflow", run.GetID())
	return none, fault.New(fault.WorkflowFailed, "the dream failed; see the history of workflow %s", run.GetID())
}

// isDreaming reports whether an owner's dream is under way.
func (s *Handlers) isDreaming(ctx context.Context, ref memory.OwnerRef) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, rest.ReachTimeout)
	defer cancel()
	described, err := s.Temporal.DescribeWorkflowExecution(ctx, workflows.DreamID(ref), "")
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%w: %w", rest.ErrWorkflowsAway, err)
	}
	return described.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// dreamKey makes a request that is repeated with the client's key one request of one caller; without a key, each is its own.
func dreamKey(ctx context.Context, client string, d dreams.NewDream) string {
	if client == "" {
		return ""
	}
	asOf := ""
	if !d.AsOf.IsZero() {
		asOf = d.AsOf.UTC().Format(time.RFC3339Nano)
	}
	settings := "" // so that releases with more settings make the same key
	if d.Settings != (setting.DreamSettings{}) {
		settings = fmt.Sprintf("%+v", d.Settings)
	}
	return rest.RequestLedgerKey(
		ctx,
		client,
		string(d.Mode),
		d.Topic,
		asOf,
		d.Night,
		strconv.FormatBool(d.DryRun),
		d.ReplayOf.String(),
		settings,
	)
}

// maxNightAge bounds the age of a night that is dreamed later: about a quarter of a year. What was said before that is no longer
// short-term memory.
const maxNightAge = 92 * 24 * time.Hour

// nightAsked parses asOf. It returns the end of the period that is read and the key of its night; for an empty asOf, now and no key.
func (s *Handlers) nightAsked(agent gate.Agent, asOf string) (time.Time, string, error) {
	if asOf == "" {
		return time.Time{}, "", nil
	}
	zone, err := time.LoadLocation(agent.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	expression := s.DreamSchedule.With(agent.Settings).Cron
	day, err := time.ParseInLocation(time.DateOnly, asOf, zone)
	at := nightOf(day, expression)
	if err != nil {
		if at, err = time.Parse(time.RFC3339, asOf); err != nil {
			return at, "", fault.InvalidAt("query.asOf", "write a date such as 2026-01-31, or RFC 3339 such as 2026-01-31T02:00:00Z")
		}
		day = at.In(zone)
	}
	switch now := s.Now(); {
	case at.After(now):
		return at, "", fault.InvalidAt("query.asOf", "must not be in the future")
	case now.Sub(at) > maxNightAge:
		return at, "", fault.InvalidAt("query.asOf", "it is more than %d days ago", int(maxNightAge.Hours()/24))
	}
	return at, workflows.NightKey(nightOf(day, expression), zone.String(), expression), nil
}

// nightOf returns the first time on a day, in its zone, that matches a cron expression; on days that the expression
// does not match it uses the expression's hour and minute.
func nightOf(day time.Time, expression string) time.Time {
	hour, minute := 0, 0
	if cron, err := crontab.Parse(expression); err == nil {
		hour, minute = slices.Min(cron.Hours()), slices.Min(cron.Minutes())
	}
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// Reason codes of dreams that the API explains and that other packages set; docs/dreaming.md lists them.
const (
	reasonDreamingOff   memory.ReasonCode = "dreaming_off"
	reasonSharedOnly    memory.ReasonCode = "shared_only"
	reasonNoNews        memory.ReasonCode = "no_news"
	reasonNothingPassed memory.ReasonCode = "nothing_passed"
	reasonNoRoom        memory.ReasonCode = "no_room"
	// neverStarted is the reason of a dream that Temporal did not take.
	neverStarted memory.ReasonCode = "never_started"
	// reasonDreaming is the reason of a dream that came to the same owner at the same moment as another one.
	reasonDreaming = memory.ReasonCode(fault.Dreaming)
)

// dreamReasons maps the reason codes of dreams to texts, for records that have only a code. The texts contain no contents.
var dreamReasons = map[memory.ReasonCode]string{
	memory.GateMemoryOff:             "memory is switched off for this agent: switch it on with memoryEnabled",
	memory.GateTeamMember:            "the agent has a leader: memory is read-only for team members",
	reasonDreamingOff:                "dreaming is switched off for this agent: switch it on with dreamingEnabled, or make a dry run",
	reasonSharedOnly:                 "without owner isolation only the shared memory dreams: name nobody",
	reasonNoNews:                     "nothing was noted or said in the days that a dream looks at",
	reasonNothingPassed:              "no candidate passed",
	reasonNoRoom:                     "MEMORY.md is full of lines that a dream does not move: shorten them, or raise memoryMaxChars",
	neverStarted:                     "its workflow could not be started",
	reasonDreaming:                   "another dream of this owner began at the same moment",
	dreams.DreamAbandoned:            "its workflow ended without it",
	workflows.ReasonCancelled:        "its workflow was cancelled",
	workflows.ReasonStepFailed:       "a step failed after all retries; see the history of its workflow",
	workflows.ReasonSuperseded:       "another execution has this dream",
	workflows.ReasonKeepsChanging:    "concurrent writes kept changing the same lines of MEMORY.md",
	workflows.ReasonModelUnavailable: "the model was away",
	workflows.ReasonContextTooLong:   "the model's context is too small for the notes",
}
