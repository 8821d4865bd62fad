package crash

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The short run is part of every test run; the long one is asked for by flags (see docs/operations.md):
//
//	go test ./test/crash -run Dreams -timeout 60m -v -args -nights 10 -dream-kills 4 -sleepers 20
var (
	nights     = flag.Int("nights", 1, "nights by rules, and as many with a model")
	sleepers   = flag.Int("sleepers", 12, "people who dream in each night, besides the shared memory")
	dreamKills = flag.Int("dream-kills", 1, "times a night that a process is killed at a random instant, besides once at every step")
)

// TestDreamsKilledAtEveryStep has two agents dream the same nights, first by rules and then with a model: one is left alone,
// the other is killed in the middle of every step of a dream, before and after its transaction, and at random instants, while
// its model fails, and PostgreSQL and Temporal are restarted. Both remember the same in the end, and each night was written
// once.
func TestDreamsKilledAtEveryStep(t *testing.T) {
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 2))
	w := startDreamers(ctx, t, *sleepers)
	w.talk(ctx, t)

	var done dreamsDisturbed
	for night := range 2 * *nights {
		if night == *nights {
			w.useModel(t)
		}
		w.note(ctx, t, calm, night)
		w.note(ctx, t, storm, night)
		w.trigger(ctx, t, calm)
		w.awaitNight(ctx, t, calm, night+1)
		w.disturbNight(ctx, t, random, night, &done)
		w.awaitNight(ctx, t, storm, night+1)
	}
	if done.postgres == 0 || done.temporal == 0 || done.written < 8**nights || done.lost < 10**nights {
		t.Errorf("too little was disturbed: %+v", done)
	}

	for _, agent := range []string{calm, storm} {
		w.checkReports(ctx, t, agent, 2**nights)
		w.checkVersions(ctx, t, agent)
		w.checkStates(ctx, t, agent)
	}
	want, got := w.remembered(ctx, t, calm), w.remembered(ctx, t, storm)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the agents differ (-undisturbed +disturbed):\n%s", diff)
	}
	resets := w.resetEverything(ctx, t, storm)
	if diff := cmp.Diff(got, w.remembered(ctx, t, storm)); diff != "" {
		t.Errorf("resetting dreams that had ended changed something (-before +after):\n%s", diff)
	}
	w.checkReports(ctx, t, storm, 2**nights)
	w.checkVersions(ctx, t, storm)
	t.Logf("%d nights of %d owners; steps killed in: %d before and %d after their transaction, %d while the model answered; "+
		"killed: worker %d times, API %d times, PostgreSQL %d times, Temporal %d times; %d resets; model: %v",
		2**nights, w.users+1, done.lost, done.written, done.answering, done.workers, done.apis, done.postgres, done.temporal, resets, w.model.Stats().Replies)
}
