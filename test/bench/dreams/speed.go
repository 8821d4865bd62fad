package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"reverie/memory"
	"reverie/test/bench/services"
	"reverie/workflows"
)

// speed is how many owners of one agent dream per minute when so many dream at once.
type speed struct {
	Parallel int `json:"parallel"`
	Owners   int `json:"owners"` // of each measurement
	// Owners per minute: the median of the rounds.
	Floor      float64 `json:"floorPerMinute"`      // workflows of the same steps that do nothing
	Alone      float64 `json:"alonePerMinute"`      // the steps without Temporal
	Rules      float64 `json:"rulesPerMinute"`      // dreams with the built-in rules
	ModelFloor float64 `json:"modelFloorPerMinute"` // the floor, with a step that waits as long as the model
	Model      float64 `json:"modelPerMinute"`      // dreams with the model
	// Of one dream with the rules: round trips to the database, statements, and how long it waited for them.
	Trips      float64 `json:"tripsOfOne"`
	Statements float64 `json:"statementsOfOne"`
	Database   float64 `json:"databaseMsOfOne"`
	// RulesShare and ModelShare are how long a dream takes next to the floor and the steps alone together: the medians of the
	// rounds. 1: nothing is lost between them.
	RulesShare float64 `json:"rulesToSum"`
	ModelShare float64 `json:"modelToSum"`
}

// Owners who dream in one measurement when one dreams at a time; with more at once there are as many times more.
const ownersAlone = 25

// speeds measures each level, round by round.
func (b *bench) speeds(ctx context.Context) ([]speed, error) {
	stop, err := b.world.floor.work(slices.Max(b.parallel))
	if err != nil {
		return nil, err
	}
	defer stop()
	if _, err := b.world.floor.sleep(ctx, floorNight{Owners: ownersAlone, Parallel: 4}); err != nil { // it warms up
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
	perMinute := func(took time.Duration) float64 { return float64(s.Owners) / took.Minutes() }
	refs, err := w.news(ctx, agent+"-alone")
	if err != nil {
		return s, err
	}
	took, err := w.alone(ctx, refs, parallel)
	if err != nil {
		return s, err
	}
	s.Alone = perMinute(took)
	for _, withModel := range []bool{false, true} {
		took, err := w.floor.sleep(ctx, floorNight{Owners: s.Owners, Parallel: parallel, Model: withModel})
		if err != nil {
			return s, err
		}
		floor := perMinute(took)
		name := agent + "-rules"
		if withModel {
			name = agent + "-model"
		}
		took, used, err := w.night(ctx, name, s.Owners, parallel, withModel)
		if err != nil {
			return s, err
		}
		if withModel {
			s.ModelFloor, s.Model = floor, perMinute(took)
			continue
		}
		s.Floor, s.Rules = floor, perMinute(took)
		each := float64(s.Owners)
		s.Trips, s.Statements = float64(used.trips)/each, float64(used.statements)/each
		s.Database = float64(used.took.Microseconds()) / 1000 / each
	}
	sum := func(floor float64) float64 { return 1/floor + 1/s.Alone }
	s.RulesShare, s.ModelShare = 1/s.Rules/sum(s.Floor), 1/s.Model/sum(s.ModelFloor)
	return s, nil
}

// night has all owners of an agent dream with a worker of its own, and fails unless each of them has written.
func (w *world) night(ctx context.Context, agent string, owners, parallel int, withModel bool) (time.Duration, called, error) {
	stop, err := w.work(ctx, withModel, parallel)
	if err != nil {
		return 0, called{}, err
	}
	defer stop()
	before, began := w.calls.so(), time.Now()
	run, err := w.startNight(ctx, agent, parallel)
	if err != nil {
		return 0, called{}, err
	}
	var result workflows.DreamNightResult
	if err := run.Get(ctx, &result); err != nil {
		return 0, called{}, err
	}
	took, used := time.Since(began), w.calls.since(before)
	if result.Outcomes[string(memory.OutcomeWritten)] != owners {
		return 0, called{}, errNotDreamt(agent, result, owners)
	}
	return took, used, nil
}

// medianSpeed takes the median of each figure.
func medianSpeed(rounds []speed) speed {
	out := speed{Parallel: rounds[0].Parallel, Owners: rounds[0].Owners}
	for _, figure := range []func(*speed) *float64{
		func(s *speed) *float64 { return &s.Floor }, func(s *speed) *float64 { return &s.Alone },
		func(s *speed) *float64 { return &s.Rules }, func(s *speed) *float64 { return &s.ModelFloor },
		func(s *speed) *float64 { return &s.Model }, func(s *speed) *float64 { return &s.Trips },
		func(s *speed) *float64 { return &s.Statements }, func(s *speed) *float64 { return &s.Database },
		func(s *speed) *float64 { return &s.RulesShare }, func(s *speed) *float64 { return &s.ModelShare },
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
