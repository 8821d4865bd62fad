package workflows

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"reverie/activities"
	"reverie/memory"
)

// DreamNightInput is one night of one agent.
type DreamNightInput struct {
	activities.AgentRef
	// TimeZone and Cron say when the agent dreams, for the name of the night: see NightKey.
	TimeZone string `json:"timeZone,omitempty"`
	Cron     string `json:"cron,omitempty"`
	// Parallel is how many owners of the agent dream at once; 0: as many as the default.
	Parallel int `json:"parallel,omitempty"`
	// Done is what a night that goes on in another execution has behind it.
	Done *NightDone `json:"done,omitempty"`
}

// NightDone is how far a night is.
type NightDone struct {
	DreamNightResult
	AsOf  time.Time `json:"asOf,omitzero"`
	After uuid.UUID `json:"after"` // the last owner who was looked at
}

// DreamNightResult counts how the dreams of the night ended.
type DreamNightResult struct {
	Night    string         `json:"night"`
	Owners   int            `json:"owners"`
	Outcomes map[string]int `json:"outcomes,omitempty"`
	Late     int            `json:"late,omitempty"` // still dreaming when the night was over: they go on by themselves
	// ReasonCode says why nobody dreamed although there may be news.
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
}

// scheduledStart is the moment that a schedule meant, without jitter; workflows that no schedule started have none.
var scheduledStart = temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime")

// DreamNight starts one Dream for each owner with news, as independent executions, some at a time. It may run twice for one
// night: an owner dreams once in it.
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

// begin names the night. One that was missed for longer than a day is dreamed as of its own moment, any other as of now.
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
	return key.Get(&n.done.Night)
}

// page has the next owners dream. more says that there are others behind them.
func (n *night) page(ctx workflow.Context) (more bool, err error) {
	found, err := localStep(ctx, "who has news", steps.FindNews, activities.FindNewsInput{AgentRef: n.AgentRef, After: n.done.After})
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
	if n.done.Outcomes == nil {
		n.done.Outcomes = map[string]int{}
	}
	for _, outcome := range workflow.DeterministicKeys(out.Outcomes) {
		n.done.Outcomes[string(outcome)] += out.Outcomes[outcome]
	}
	n.describe(ctx)
	return found.More, nil
}

// describe tells an operator how the night is, in Markdown.
func (n *night) describe(ctx workflow.Context) {
	var b strings.Builder
	fmt.Fprintf(&b, "Night **%s**: %d owners with news", n.done.Night, n.done.Owners)
	if n.done.ReasonCode != "" {
		fmt.Fprintf(&b, " (%s)", n.done.ReasonCode)
	}
	b.WriteString(".\n")
	dreaming := n.done.Owners - n.done.Late
	for _, outcome := range workflow.DeterministicKeys(n.done.Outcomes) {
		fmt.Fprintf(&b, "\n- %s: %d", outcome, n.done.Outcomes[outcome])
		dreaming -= n.done.Outcomes[outcome]
	}
	if n.done.Late > 0 {
		fmt.Fprintf(&b, "\n- late: %d, which go on by themselves", n.done.Late)
	}
	if dreaming > 0 {
		fmt.Fprintf(&b, "\n- dreaming, or waiting for their turn: %d", dreaming)
	}
	fmt.Fprintf(&b, "\n- dreams: `WorkflowType = 'Dream' and AgentID = '%s'`\n- reports: `GET %s`", agentRef(n.Workspace, n.Agent), reportsPath(n.Agent))
	workflow.SetCurrentDetails(ctx, b.String())
}

// Layouts of night keys.
const (
	nightLayout   = "2006-01-02T15:04"
	triggerLayout = "2006-01-02T15:04:05"
)

// NightKey names the night of a DreamNight: by the wall clock of the agent's zone at the minute that the cron expression
// means, such as 2026-01-31T02:00, and by the second when a person triggered it at another time. scheduled is the nominal
// time of the schedule (the search attribute TemporalScheduledStartTime, which has no jitter).
//
// One night has one key: a wall-clock minute that autumn repeats has the same key both times, and one that spring skips keeps
// its name although it is dreamed later. The result follows the time zone database of this process: ask in a step.
func NightKey(scheduled time.Time, zone, expression string) string {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	wall := scheduled.In(location)
	cron, err := memory.ParseCron(expression)
	if err != nil || wall.Second() != 0 {
		return wall.Format(triggerLayout)
	}
	if cron.Matches(wall) {
		return wall.Format(nightLayout)
	}
	if skipped, ok := skippedBefore(wall); ok && cron.Matches(skipped) {
		return skipped.Format(nightLayout)
	}
	return wall.Format(triggerLayout)
}

// skippedBefore returns the time of day that t stands in for, as long as the clocks have not run for as long since they were
// put forward as they were put forward: 02:00 for 03:00 where the clocks go from 02:00 to 03:00. It is in UTC, since its own
// zone does not have it.
func skippedBefore(t time.Time) (time.Time, bool) {
	change, _ := t.ZoneBounds()
	if change.IsZero() {
		return time.Time{}, false
	}
	gap := gapAt(change)
	if gap <= 0 || t.Sub(change) >= gap {
		return time.Time{}, false
	}
	return onTheClock(t).Add(-gap), true
}

// gapAt is how far the clocks are put forward at a change of the zone's offset; negative: backward.
func gapAt(change time.Time) time.Duration {
	_, before := change.Add(-time.Second).Zone()
	_, after := change.Zone()
	return time.Duration(after-before) * time.Second
}

// onTheClock is what clocks show at t, in a zone without changes.
func onTheClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}
