package workflows

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/activities"
	"reverie/memory/crontab"
)

// DreamPlan is the schedule an agent should have.
type DreamPlan = activities.DreamPlan

// DreamSchedule is the schedule of an agent's nights as Temporal lists it.
type DreamSchedule struct {
	mark string
	spec client.ScheduleSpec
}

const (
	// dreamCatchup: after an outage of up to a day the last missed night runs, and only that one, because it covers
	// all news. Temporal's own default is a year.
	dreamCatchup = 24 * time.Hour
	// dreamFormat must change when anything but the times of the schedule's contents changes.
	dreamFormat = 1
	// markLength is the number of fingerprint characters kept in a calendar's comment.
	markLength = 12
	// listedCalendars is the number of calendars per schedule in Temporal's list results.
	listedCalendars = 10
	// planRounds bounds the retries of EnsureDreamSchedule when the agent changes concurrently.
	planRounds = 5
	// confirmRounds bounds the checks of an update. The delay starts at confirmFirst and doubles each time.
	confirmRounds, confirmFirst = 7, 50 * time.Millisecond
)

const dreamNote = "Reverie sets the times of these dreams from the agent's settings. Pause, trigger and backfill as you like."

// wanted is a schedule as it should be.
type wanted struct {
	DreamSchedule
	action *client.ScheduleWorkflowAction
	policy client.SchedulePolicies
}

// scheduleOf builds the schedule of a plan. Times affected by daylight saving are computed around now.
func scheduleOf(p DreamPlan, now time.Time) (wanted, error) {
	cron, err := crontab.Parse(p.Cron)
	if err != nil {
		return wanted{}, err
	}
	zone, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return wanted{}, err
	}
	in := DreamNightInput{AgentRef: p.AgentRef, TimeZone: p.TimeZone, Cron: cron.String(), Parallel: p.Parallel, Spread: nightSpread(cron, p.Jitter)}
	w := wanted{
		action: &client.ScheduleWorkflowAction{
			ID: DreamNightID(p.AgentRef), Workflow: NightName, Args: []any{in}, TaskQueue: TaskQueue,
			TypedSearchAttributes: agentAttributes(p.AgentRef),
			StaticSummary:         "A night of agent " + p.Agent + ": a dream for each owner with news",
			Priority:              fair(dreamPriority, p.Workspace),
		},
		// A night that is still running when the next one is due delays it; at most one waits.
		policy: client.SchedulePolicies{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, CatchupWindow: dreamCatchup},
	}
	w.spec = client.ScheduleSpec{Calendars: dreamTimes(cron, zone, now), TimeZoneName: p.TimeZone}
	encoded, err := json.Marshal([]any{
		dreamFormat, p.KeyID, w.spec, w.policy, in, w.action.StaticSummary, w.action.Priority,
		w.action.TaskQueue,
	})
	if err != nil {
		return wanted{}, err
	}
	sum := sha256.Sum256(encoded)
	w.mark = hex.EncodeToString(sum[:])[:markLength]
	// Not all supported servers can update a schedule's memo, so the fingerprint is stored in a comment.
	w.spec.Calendars[0].Comment += " [" + w.mark + "]"
	return w, nil
}

// found converts a schedule listed by Temporal.
func found(spec *client.ScheduleSpec) DreamSchedule {
	s := DreamSchedule{spec: *spec}
	if len(spec.Calendars) > 0 {
		if comment := spec.Calendars[0].Comment; len(comment) > markLength+1 && comment[len(comment)-1] == ']' {
			s.mark = comment[len(comment)-markLength-1 : len(comment)-1]
		}
	}
	return s
}

// is reports whether s equals w, as far as a list shows it.
func (s DreamSchedule) is(w wanted) bool {
	return s.mark == w.mark && s.spec.Jitter == w.spec.Jitter && s.spec.TimeZoneName == w.spec.TimeZoneName &&
		reflect.DeepEqual(shown(s.spec.Calendars), shown(w.spec.Calendars))
}

// shown returns calendars as a list shows them, with the defaults of each range filled in.
func shown(calendars []client.ScheduleCalendarSpec) []client.ScheduleCalendarSpec {
	all := func(in []client.ScheduleRange) []client.ScheduleRange {
		out := []client.ScheduleRange{}
		for _, r := range in {
			out = append(out, client.ScheduleRange{Start: r.Start, End: max(r.Start, r.End), Step: max(1, r.Step)})
		}
		return out
	}
	var out []client.ScheduleCalendarSpec
	for _, c := range calendars[:min(len(calendars), listedCalendars)] {
		c.Second, c.Minute, c.Hour, c.DayOfMonth, c.Month, c.Year, c.DayOfWeek = all(c.Second), all(c.Minute), all(c.Hour),
			all(c.DayOfMonth), all(c.Month), all(c.Year), all(c.DayOfWeek)
		if len(c.Second) == 0 {
			c.Second = []client.ScheduleRange{{Start: 0, End: 0, Step: 1}}
		}
		out = append(out, c)
	}
	return out
}

// Follows reports whether s is the schedule that the plan asks for.
func (s DreamSchedule) Follows(p DreamPlan, now time.Time) (bool, error) {
	w, err := scheduleOf(p, now)
	return err == nil && s.is(w), err
}

// DreamSchedules lists the schedules of dreams by agent. Temporal's list is eventually consistent: the latest changes
// may be missing.
func DreamSchedules(ctx context.Context, c client.Client) (map[activities.AgentRef]DreamSchedule, error) {
	list, err := c.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	if err != nil {
		return nil, err
	}
	schedules := map[activities.AgentRef]DreamSchedule{}
	for list.HasNext() {
		entry, err := list.Next()
		if err != nil {
			return nil, err
		}
		if ref, err := ParseDreamScheduleID(entry.ID); err == nil && entry.WorkflowType.Name == NightName && entry.Spec != nil {
			schedules[ref] = found(entry.Spec)
		}
	}
	return schedules, nil
}

// EnsureDreamSchedule creates, updates or deletes one agent's schedule to match the plan that desired returns, and
// waits until Temporal shows the change. A person's pause, note and action limit are kept. It calls desired again
// afterwards, in case another process has changed the agent meanwhile. now is the time around which daylight saving
// is computed.
func EnsureDreamSchedule(ctx context.Context, c client.Client, desired func(context.Context) (DreamPlan, error), now time.Time) error {
	plan, err := desired(ctx)
	for range planRounds {
		if err != nil {
			return err
		}
		if err := follow(ctx, c, plan, now); err != nil {
			return fmt.Errorf("schedule %s: %w", DreamScheduleID(plan.AgentRef), err)
		}
		applied := plan
		if plan, err = desired(ctx); err == nil && plan == applied {
			return nil
		}
	}
	return fmt.Errorf("schedule %s: the agent's settings keep changing; try again", DreamScheduleID(plan.AgentRef))
}

// follow creates, updates or deletes the schedule of a plan.
func follow(ctx context.Context, c client.Client, p DreamPlan, now time.Time) error {
	if !p.On() {
		err := c.ScheduleClient().GetHandle(ctx, DreamScheduleID(p.AgentRef)).Delete(ctx)
		if isNotFound(err) {
			return nil
		}
		return err
	}
	w, err := scheduleOf(p, now)
	if err != nil {
		return err
	}
	for range planRounds { // another process may create or delete it at the same time
		if err = w.update(ctx, c, DreamScheduleID(p.AgentRef)); !isNotFound(err) {
			return err
		}
		if err = w.create(ctx, c, p); !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			return err
		}
	}
	return err
}

func (w wanted) create(ctx context.Context, c client.Client, p DreamPlan) error {
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: DreamScheduleID(p.AgentRef), Spec: w.spec, Action: w.action, Overlap: w.policy.Overlap, CatchupWindow: w.policy.CatchupWindow,
		Note: dreamNote, TypedSearchAttributes: w.action.TypedSearchAttributes,
	})
	return err
}

// update applies the differences and waits until Temporal shows them: an update that a concurrent one overtakes is
// silently lost.
func (w wanted) update(ctx context.Context, c client.Client, id string) error {
	handle, pause := c.ScheduleClient().GetHandle(ctx, id), confirmFirst
	for range confirmRounds {
		current := false
		err := handle.Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			schedule := in.Description.Schedule
			if current = schedule.Spec != nil && found(schedule.Spec).is(w); current {
				return nil, temporal.ErrSkipScheduleUpdate
			}
			schedule.Spec, schedule.Action, schedule.Policy = &w.spec, w.action, &w.policy
			return &client.ScheduleUpdate{Schedule: &schedule}, nil
		}})
		if err != nil || current {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
			pause *= 2
		}
	}
	return errors.New("the schedule update was not applied")
}

// nightSpread returns the period over which nights are spread: jitter, but at most half of the time between two nights, so that they do
// not pile up.
func nightSpread(cron crontab.Cron, jitter time.Duration) time.Duration {
	return min(jitter, cron.Interval()/2)
}

// DelayOf returns how long after its time a night of a plan begins.
func DelayOf(p DreamPlan) time.Duration {
	cron, err := crontab.Parse(p.Cron)
	if err != nil {
		return 0
	}
	return NightDelay(p.AgentRef, nightSpread(cron, p.Jitter))
}

// NextDream returns when an agent's next night is due by its schedule, without the delay of DelayOf; zero when there is none. A
// paused schedule skips its nights.
func NextDream(ctx context.Context, c client.Client, ref activities.AgentRef) (next time.Time, paused bool, err error) {
	description, err := c.ScheduleClient().GetHandle(ctx, DreamScheduleID(ref)).Describe(ctx)
	switch {
	case isNotFound(err):
		return time.Time{}, false, nil
	case err != nil:
		return time.Time{}, false, err
	}
	if times := description.Info.NextActionTimes; len(times) > 0 {
		next = times[0]
	}
	return next, description.Schedule.State != nil && description.Schedule.State.Paused, nil
}

func isNotFound(err error) bool {
	var missing *serviceerror.NotFound
	return errors.As(err, &missing)
}

// skippedNightsReach bounds the period before and after now for which skipped nights are computed: a night of the
// past year can be backfilled, and a worker that checks hourly adds those of the next year in time.
const skippedNightsReach = 400 * 24 * time.Hour

// dreamTimes returns the calendars of a schedule in a zone: the cron expression, plus a replacement for each night
// that the zone's clocks skip.
//
// Temporal matches wall-clock times. It leaves out those skipped in spring. Those repeated in autumn it runs once
// east of Greenwich and twice west of it; the second run has the same NightKey, so nothing dreams twice.
func dreamTimes(cron crontab.Cron, zone *time.Location, now time.Time) []client.ScheduleCalendarSpec {
	times := []client.ScheduleCalendarSpec{{
		Minute: ranges(cron.Minutes()), Hour: ranges(cron.Hours()), Month: ranges(cron.Months()),
		DayOfMonth: ranges(cron.Days()), DayOfWeek: ranges(cron.Weekdays()),
		Comment: fmt.Sprintf("%s in %s", cron, zone),
	}}
	if cron.EitherDay() { // one calendar would require both
		other := times[0]
		times[0].DayOfWeek = ranges(everyWeekday)
		other.DayOfMonth = []client.ScheduleRange{{Start: 1, End: 31}}
		times[0].Comment += ", on its days of the month"
		other.Comment += ", on its days of the week"
		times = append(times, other)
	}
	nights := cron.Skipped(zone, now.Add(-skippedNightsReach), now.Add(skippedNightsReach))
	for len(nights) > 0 {
		first, minutes := nights[0], []int{}
		for len(nights) > 0 && nights[0].Instead.Truncate(time.Hour).Equal(first.Instead.Truncate(time.Hour)) {
			minutes, nights = append(minutes, nights[0].Instead.Minute()), nights[1:]
		}
		times = append(times, client.ScheduleCalendarSpec{
			Minute: ranges(minutes), Hour: ranges([]int{first.Instead.Hour()}), DayOfMonth: ranges([]int{first.Instead.Day()}),
			Month: ranges([]int{int(first.Instead.Month())}), Year: ranges([]int{first.Instead.Year()}), DayOfWeek: ranges(everyWeekday),
			Comment: "for " + first.Wall.Format(nightLayout) + ", which the clocks skip",
		})
	}
	return times
}

var everyWeekday = []int{0, 1, 2, 3, 4, 5, 6}

// ranges joins consecutive ascending values.
func ranges(values []int) []client.ScheduleRange {
	var out []client.ScheduleRange
	for _, v := range values {
		if last := len(out) - 1; last >= 0 && out[last].End == v-1 {
			out[last].End = v
			continue
		}
		out = append(out, client.ScheduleRange{Start: v, End: v})
	}
	return out
}

// ScheduleFollows reports whether an agent has the schedule that its plan asks for, or none if it asks for none.
func ScheduleFollows(ctx context.Context, c client.Client, p DreamPlan, now time.Time) (bool, error) {
	description, err := c.ScheduleClient().GetHandle(ctx, DreamScheduleID(p.AgentRef)).Describe(ctx)
	switch {
	case isNotFound(err):
		return !p.On(), nil
	case err != nil:
		return false, err
	case !p.On() || description.Schedule.Spec == nil:
		return false, nil
	}
	return found(description.Schedule.Spec).Follows(p, now)
}
