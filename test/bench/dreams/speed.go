package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/memory"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// speed is the rate of dreams of one agent's owners at a given parallelism.
type speed struct {
	Parallel int `json:"parallel"`
	Owners   int `json:"owners"` // per measurement
	// Owners per minute: the median of the rounds.
	Floor      float64 `json:"floorPerMinute"`      // workflows with the same steps, empty
	Alone      float64 `json:"alonePerMinute"`      // the steps without Temporal
	Rules      float64 `json:"rulesPerMinute"`      // dreams with the built-in rules
	ModelFloor float64 `json:"modelFloorPerMinute"` // the floor, with a step that waits like the model
	Model      float64 `json:"modelPerMinute"`      // dreams with the model
	// Per dream with the rules: round trips to the database, statements, and the time spent waiting for them.
	Trips      float64 `json:"tripsOfOne"`
	Statements float64 `json:"statementsOfOne"`
	Database   float64 `json:"databaseMsOfOne"`
	// CPU milliseconds per dream, of all processes; 0: unknown on this system.
	FloorCPU      float64 `json:"floorCPUMs,omitempty"`
	AloneCPU      float64 `json:"aloneCPUMs,omitempty"`
	RulesCPU      float64 `json:"rulesCPUMs,omitempty"`
	ModelFloorCPU float64 `json:"modelFloorCPUMs,omitempty"`
	ModelCPU      float64 `json:"modelCPUMs,omitempty"`
	// The cost of a dream relative to the sum of the floor and the steps alone, in time and CPU time: medians of the
	// rounds. 1 means no overhead.
	RulesTime     float64 `json:"rulesTimeToSum"`
	ModelTime     float64 `json:"modelTimeToSum"`
	RulesCPUShare float64 `json:"rulesCPUToSum,omitempty"`
	ModelCPUShare float64 `json:"modelCPUToSum,omitempty"`
}

// ownersAlone is the number of owners per measurement at parallelism 1; it grows with the parallelism.
const ownersAlone = 25

// speeds measures each level, round by round.
func (b *bench) speeds(ctx context.Context) ([]speed, error) {
	stop, err := b.world.floor.work(slices.Max(b.parallel))
	if err != nil {
		return nil, err
	}
	defer stop()
	if _, err := b.world.floor.sleep(ctx, floorNight{Owners: ownersAlone, Parallel: 4}); err != nil { // warm up
		return nil, err
	}
	rounds := make([][]speed, len(b.parallel))
	for round := range b.rounds {
		for i, parallel := range b.parallel {
			services.Say("bench", fmt.Sprintf("round %d of %d: %d at once", round+1, b.rounds, parallel))
			one, err := b.speed(ctx, fmt.Sprintf("speed-%d-%d", round, i), parallel)
			if err != nil {
				return nil, err
			}
			rounds[i] = append(rounds[i], one)
		}
	}
	out := make([]speed, len(rounds))
	for i := range rounds {
		out[i] = medianSpeed(rounds[i])
	}
	return out, nil
}

// speed measures one level once.
func (b *bench) speed(ctx context.Context, agent string, parallel int) (s speed, err error) {
	w := b.world
	s = speed{Parallel: parallel, Owners: min(b.owners, ownersAlone*parallel)}
	for _, kind := range []string{"-alone", "-rules", "-model"} {
		if err := w.populate(ctx, agent+kind, s.Owners, usualWeek); err != nil {
			return s, err
		}
	}
	refs, err := w.news(ctx, agent+"-alone")
	if err != nil {
		return s, err
	}
	if err := s.took(&s.Alone, &s.AloneCPU, func() (time.Duration, error) { return w.alone(ctx, refs, parallel) }); err != nil {
		return s, err
	}
	if err := w.dreams(ctx, agent+"-rules", &s, false); err != nil {
		return s, err
	}
	if err := w.dreams(ctx, agent+"-model", &s, true); err != nil {
		return s, err
	}
	sum := func(floor float64) float64 { return 1/floor + 1/s.Alone }
	s.RulesTime, s.ModelTime = 1/s.Rules/sum(s.Floor), 1/s.Model/sum(s.ModelFloor)
	if s.AloneCPU > 0 {
		s.RulesCPUShare, s.ModelCPUShare = s.RulesCPU/(s.FloorCPU+s.AloneCPU), s.ModelCPU/(s.ModelFloorCPU+s.AloneCPU)
	}
	return s, nil
}

// took measures an operation of all owners.
func (s *speed) took(perMinute, cpuOfOne *float64, do func() (time.Duration, error)) error {
	before := services.UsedCPU()
	took, err := do()
	used := services.UsedCPU().Since(before)
	*perMinute = float64(s.Owners) / took.Minutes()
	*cpuOfOne = 1000 * used.All().Seconds() / float64(s.Owners)
	return err
}

// dreams runs the dreams of an agent's owners with a separate worker, after as many dreams of the floor.
func (w *world) dreams(ctx context.Context, agent string, s *speed, withModel bool) error {
	stop, err := w.work(ctx, withModel, s.Parallel)
	if err != nil {
		return err
	}
	defer stop()
	floor, floorCPU, ours, oursCPU := &s.Floor, &s.FloorCPU, &s.Rules, &s.RulesCPU
	if withModel {
		floor, floorCPU, ours, oursCPU = &s.ModelFloor, &s.ModelFloorCPU, &s.Model, &s.ModelCPU
	}
	if err := s.took(floor, floorCPU, func() (time.Duration, error) {
		return w.floor.sleep(ctx, floorNight{Owners: s.Owners, Parallel: s.Parallel, Model: withModel})
	}); err != nil {
		return err
	}
	before := w.calls.Total()
	if err := s.took(ours, oursCPU, func() (time.Duration, error) { return w.night(ctx, agent, s.Owners, s.Parallel) }); err != nil {
		return err
	}
	if !withModel {
		used, each := w.calls.Since(before), float64(s.Owners)
		s.Trips, s.Statements = float64(used.Trips)/each, float64(used.Statements)/each
		s.Database = float64(used.Took.Microseconds()) / 1000 / each
	}
	return nil
}

// night runs the dreams of all owners of an agent, and fails unless each of them has written.
func (w *world) night(ctx context.Context, agent string, owners, parallel int) (time.Duration, error) {
	began := time.Now()
	run, err := w.startNight(ctx, agent, parallel)
	if err != nil {
		return 0, err
	}
	var result workflows.DreamNightResult
	if err := run.Get(ctx, &result); err != nil {
		return 0, err
	}
	if result.Outcomes[string(memory.OutcomeWritten)] != owners {
		return 0, errNotDreamt(agent, result, owners)
	}
	return time.Since(began), nil
}

// medianSpeed returns the median of each figure.
func medianSpeed(rounds []speed) speed {
	out := speed{Parallel: rounds[0].Parallel, Owners: rounds[0].Owners}
	for _, figure := range []func(*speed) *float64{
		func(s *speed) *float64 { return &s.Floor }, func(s *speed) *float64 { return &s.Alone },
		func(s *speed) *float64 { return &s.Rules }, func(s *speed) *float64 { return &s.ModelFloor },
		func(s *speed) *float64 { return &s.Model }, func(s *speed) *float64 { return &s.Trips },
		func(s *speed) *float64 { return &s.Statements }, func(s *speed) *float64 { return &s.Database },
		func(s *speed) *float64 { return &s.FloorCPU }, func(s *speed) *float64 { return &s.AloneCPU },
		func(s *speed) *float64 { return &s.RulesCPU }, func(s *speed) *float64 { return &s.ModelFloorCPU },
		func(s *speed) *float64 { return &s.ModelCPU }, func(s *speed) *float64 { return &s.RulesTime },
		func(s *speed) *float64 { return &s.ModelTime }, func(s *speed) *float64 { return &s.RulesCPUShare },
		func(s *speed) *float64 { return &s.ModelCPUShare },
	} {
		var all []float64
		for i := range rounds {
			all = append(all, *figure(&rounds[i]))
		}
		slices.Sort(all)
		*figure(&out) = all[len(all)/2]
	}
	return out
}

// alone runs the steps of owners' dreams without Temporal, some owners at once.
func (w *world) alone(ctx context.Context, refs []memory.OwnerRef, parallel int) (took time.Duration, err error) {
	steps, err := w.steps(false)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = services.Parallel(ctx, parallel, len(refs), func(_ context.Context, i int) error { return dreamAlone(steps, refs[i]) })
	return time.Since(began), err
}

func dreamAlone(a *activities.Activities, ref memory.OwnerRef) error {
	var suite testsuite.WorkflowTestSuite // provides the workflow that steps ask for
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	var opened activities.OpenDreamResult
	in := activities.OpenDreamInput{OwnerRef: ref, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: "alone"}
	if err := doAlone(env, a.OpenDream, in, &opened); err != nil {
		return err
	}
	dream := activities.DreamInput{OwnerRef: ref, Dream: opened.Dream}
	for _, step := range []any{a.LightSleep, a.REMSleep, a.DeepSleep} {
		if err := doAlone(env, step, dream, nil); err != nil {
			return err
		}
	}
	var committed activities.CommitDreamResult
	if err := doAlone(env, a.CommitDream, dream, &committed); err != nil {
		return err
	}
	if committed.Outcome != memory.OutcomeWritten {
		return fmt.Errorf("a dream without Temporal ended %+v", committed)
	}
	return nil
}

func doAlone(env *testsuite.TestActivityEnvironment, step, in, out any) error {
	result, err := env.ExecuteActivity(step, in)
	if err != nil || out == nil {
		return err
	}
	return result.Get(out)
}
