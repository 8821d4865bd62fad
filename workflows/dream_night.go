package workflows

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
	"reverie/memory/crontab"
)

// DreamNightInput is one night of one agent.
type DreamNightInput struct {
	activities.AgentRef
	// TimeZone and Cron are the agent's dream schedule, used to name the night: see NightKey.
	TimeZone string `json:"timeZone,omitempty"`
	Cron     string `json:"cron,omitempty"`
	// Parallel is the number of owners who dream at once; 0: the default.
	Parallel int `json:"parallel,omitempty"`
	// Spread is the period over which the nights of all agents are spread; 0: they begin at once.
	Spread time.Duration `json:"spread,omitempty"`
	// Done is the progress that a night carries over when it continues as new.
	Done *NightDone `json:"done,omitempty"`
}

// NightDone is the progress of a night.
type NightDone struct {
	DreamNightResult
	AsOf  time.Time `json:"asOf,omitzero"`
	After uuid.UUID `json:"after"` // last owner in id order that was handled
}

// DreamNightResult counts the outcomes of the night's dreams.
type DreamNightResult struct {
	Night    string         `json:"night"`
	Owners   int            `json:"owners"`
	Outcomes map[string]int `json:"outcomes,omitempty"`
	Late     int            `json:"late,omitempty"` // still dreaming when the night ended; they continue automatically
	// Unstarted owners could not begin to dream; the next night tries again.
	Unstarted int `json:"unstarted,omitempty"`
	// ReasonCode explains why nobody dreamed although there may be news.
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
}

// scheduledStart is the nominal start time of a scheduled workflow, without jitter. Workflows started in another way
// lack it.
var scheduledStart = temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime")

// DreamNight starts one Dream per owner with news, as independent executions, Parallel at a time. It is safe to run
// twice for one night: each owner dreams once.
func DreamNight(ctx workflow.Context, in DreamNightInput) (DreamNightResult, error) {
	n := night{DreamNightInput: in}
	if err := n.begin(ctx); err != nil {
		return DreamNightResult{}, err
	}
	for {
		more, err := n.page(ctx)
		if err != nil {
			return DreamNightResult{}, err
		}
		if !more {
			return n.done.DreamNightResult, nil
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			n.Done = &n.done
			return DreamNightResult{}, workflow.NewContinueAsNewError(ctx, DreamNight, n.DreamNightInput)
		}
	}
}

type night struct {
	DreamNightInput
	done NightDone
}

// begin names the night, and waits for the agent's place in the spread. A night that is more than a day late dreams as of its
// scheduled time, any other as of now.
func (n *night) begin(ctx workflow.Context) error {
	if n.Done != nil {
		n.done = *n.Done
		return nil
	}
	scheduled, ok := workflow.GetTypedSearchAttributes(ctx).GetTime(scheduledStart)
	if !ok {
		scheduled = workflow.Now(ctx).Truncate(time.Second)
	}
	if workflow.Now(ctx).Sub(scheduled) > missedAfter {
		n.done.AsOf = scheduled
	}
	key := workflow.SideEffect(ctx, func(workflow.Context) any { return NightKey(scheduled, n.TimeZone, n.Cron) })
	if err := key.Get(&n.done.Night); err != nil || len(n.done.Night) != len(nightLayout) { // a person triggered it
		return err
	}
	wait := scheduled.Add(NightDelay(n.AgentRef, n.Spread)).Sub(workflow.Now(ctx))
	if wait <= 0 {
		return nil
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("Night **%s** begins in %s: the nights of all agents are spread over %s.", n.done.Night,
		wait.Round(time.Minute), n.Spread))
	return pause(ctx, wait, "the agent's place in the spread")
}

// NightDelay returns how long after its time an agent's night begins, by a hash of the agent: the same every night, at least 0 and less
// than spread. It is a duration and not a time of the day, so daylight saving does not move it.
func NightDelay(ref activities.AgentRef, spread time.Duration) time.Duration {
	if spread < time.Second {
		return 0
	}
	sum := sha256.Sum256([]byte(agentRef(ref.Workspace, ref.Agent)))
	return time.Duration(binary.BigEndian.Uint64(sum[:])%uint64(spread/time.Second)) * time.Second
}

// page starts the dreams of the next owners. more reports whether further owners follow.
func (n *night) page(ctx workflow.Context) (more bool, err error) {
	found, err := localStep(ctx, "find owners with news", steps.FindNews, activities.FindNewsInput{AgentRef: n.AgentRef, After: n.done.After})
	if err != nil {
		return false, err
	}
	if n.done.ReasonCode = found.ReasonCode; len(found.Owners) == 0 {
		n.describe(ctx)
		return false, nil
	}
	parallel := n.Parallel
	if parallel <= 0 {
		parallel = nightParallel
	}
	n.done.Owners += len(found.Owners)
	n.describe(ctx)
	out, err := step(ctx, nightStep, fmt.Sprintf("dreams of %d owners", len(found.Owners)), steps.StartDreams, activities.StartDreamsInput{
		AgentRef: n.AgentRef, Owners: found.Owners, Night: n.done.Night, AsOf: n.done.AsOf, Parallel: parallel, Patience: nightPatience,
	})
	if err != nil {
		return false, err
	}
	n.done.After = found.Owners[len(found.Owners)-1]
	n.done.Late += out.Late
	n.done.Unstarted += out.Unstarted
	if n.done.Outcomes == nil {
		n.done.Outcomes = map[string]int{}
	}
	for _, outcome := range workflow.DeterministicKeys(out.Outcomes) {
		n.done.Outcomes[string(outcome)] += out.Outcomes[outcome]
	}
	n.describe(ctx)
	return found.More, nil
}

// describe shows operators the progress in Markdown.
func (n *night) describe(ctx workflow.Context) {
	var b strings.Builder
	fmt.Fprintf(&b, "Night **%s**: %d owners with news", n.done.Night, n.done.Owners)
	if n.done.ReasonCode != "" {
		fmt.Fprintf(&b, " (%s)", n.done.ReasonCode)
	}
	b.WriteString(".\n")
	dreaming := n.done.Owners - n.done.Late - n.done.Unstarted
	for _, outcome := range workflow.DeterministicKeys(n.done.Outcomes) {
		fmt.Fprintf(&b, "\n- %s: %d", outcome, n.done.Outcomes[outcome])
		dreaming -= n.done.Outcomes[outcome]
	}
	if n.done.Late > 0 {
		fmt.Fprintf(&b, "\n- late: %d (they continue by themselves)", n.done.Late)
	}
	if n.done.Unstarted > 0 {
		fmt.Fprintf(&b, "\n- could not start: %d (the next night tries again)", n.done.Unstarted)
	}
	if dreaming > 0 {
		fmt.Fprintf(&b, "\n- dreaming or waiting: %d", dreaming)
	}
	fmt.Fprintf(&b, "\n- dreams: `WorkflowType = 'Dream' and AgentID = '%s'`\n- reports: `GET %s`", agentRef(n.Workspace, n.Agent),
		reportsPath(n.Agent))
	workflow.SetCurrentDetails(ctx, b.String())
}

// Time layouts of night keys.
const (
	nightLayout   = "2006-01-02T15:04"
	triggerLayout = "2006-01-02T15:04:05"
)

// NightKey names the night of a DreamNight by the wall clock in the agent's time zone: the minute that the cron
// expression matches, such as 2026-01-31T02:00, or the exact second when a person triggered it at another time.
// scheduled is the schedule's nominal time (search attribute TemporalScheduledStartTime, without jitter).
//
// A night has one key. A wall-clock minute that occurs twice in autumn has the same key both times; one skipped in
// spring keeps its name although it runs later. The result depends on the time zone database of this process, so
// workflow code must call it in a step.
func NightKey(scheduled time.Time, zone, expression string) string {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	wall := scheduled.In(location)
	if cron, err := crontab.Parse(expression); err == nil {
		if at, ok := cron.Occurrence(wall); ok {
			return at.Format(nightLayout)
		}
	}
	return wall.Format(triggerLayout)
}
