// Package crash kills the real processes at random instants and proves that nothing is lost and nothing doubled.
package crash

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/devenv/devtest"
)

// The short run is part of every test run; the long one is asked for by flags (see docs/operations.md):
//
//	go test ./test/crash -timeout 90m -v -args -conversations 200 -kills 100 -owners 8
var (
	conversations = flag.Int("conversations", 24, "conversations that are posted")
	owners        = flag.Int("owners", 4, "owners that they belong to")
	kills         = flag.Int("kills", 10, "processes that are killed with SIGKILL")
	restarts      = flag.Int("restarts", 1, "times that PostgreSQL and Temporal are killed and restarted, each")
	seed          = flag.Uint64("seed", 1, "of the random choices")
	patience      = flag.Duration("patience", 10*time.Minute, "for everything to be accounted for after the last kill")
)

func TestMain(m *testing.M) { devtest.Main(m) }

// TestKilledAtRandomInstants compares two runs over the same conversations: one undisturbed, and one in which worker and
// API are killed again and again, PostgreSQL and Temporal are restarted, and the model fails in every way.
func TestKilledAtRandomInstants(t *testing.T) {
	ctx := t.Context()
	work := script(*conversations, *owners)

	calm := start(ctx, t, work, nil)
	calm.post(ctx, t)
	calm.waitAccounted(ctx, t)
	want := calm.documents(ctx, t)
	calm.checkAccounts(ctx, t)
	calm.Stop(t)

	random := rand.New(rand.NewPCG(*seed, 0))
	storm := start(ctx, t, work, faults(*seed))
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		storm.post(ctx, t)
	}()
	done := storm.disturb(ctx, t, random)
	<-posted
	storm.waitAccounted(ctx, t)
	storm.checkAccounts(ctx, t)
	got := storm.documents(ctx, t)
	storm.Stop(t)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the documents differ from those of the undisturbed run (-undisturbed +disturbed):\n%s", diff)
	}
	if done.workers+done.apis < *kills || done.postgres < *restarts || done.temporal < *restarts {
		t.Errorf("too little was disturbed: %+v", done)
	}
	t.Logf("%d conversations of %d owners; killed: worker %d times, API %d times, PostgreSQL %d times, Temporal %d times; model faults: %v",
		*conversations, *owners, done.workers, done.apis, done.postgres, done.temporal, storm.Model.Stats().Replies)
}
