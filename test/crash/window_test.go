package crash

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"reverie/llm/llmtest"
)

// The short run is part of every test run; the long one is asked for by flags (see docs/operations.md):
//
//	go test ./test/crash -run Windows -timeout 60m -v -args -windows 12 -window-turns 80 -window-kills 60
var (
	windows     = flag.Int("windows", 3, "conversations that outgrow their window")
	windowTurns = flag.Int("window-turns", 24, "turns of each of them")
	windowKills = flag.Int("window-kills", 8, "processes that are killed with SIGKILL meanwhile")
)

// TestWindowsOfTwoProcesses has two APIs assemble the contexts of the same conversations at the same time, so that both compact
// them, while they and the worker are killed at random instants, PostgreSQL and Temporal are restarted, and the model fails in
// every way, at last altogether. Whatever leaves a window was flushed before; each message is flushed by one flush, and noted
// once.
func TestWindowsOfTwoProcesses(t *testing.T) {
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 3))
	w := startWindows(ctx, t, windowFaults(*seed))

	talked := make(chan struct{})
	go func() {
		defer close(talked)
		var all sync.WaitGroup
		for n := range *windows {
			all.Go(func() { w.talk(ctx, t, n) })
		}
		all.Wait()
	}()
	done := w.disturb(ctx, t, random, talked)
	<-talked
	if t.Failed() {
		return
	}
	for n := range *windows {
		w.flushRest(ctx, t, n)
	}
	w.checkFlushes(ctx, t)
	w.checkCompactions(ctx, t)
	w.checkNotes(ctx, t)
	if done.workers+done.apis < *windowKills || done.postgres == 0 || done.temporal == 0 {
		t.Errorf("too little was disturbed: %+v", done)
	}
	if w.compacted.Load() == 0 {
		t.Error("no context had a summary")
	}
	t.Logf("%d conversations of %d turns, %d contexts, %d of them with a summary; killed: worker %d times, APIs %d times, PostgreSQL %d times, Temporal %d times; model: %v",
		*windows, *windowTurns, w.contexts.Load(), w.compacted.Load(), done.workers, done.apis, done.postgres, done.temporal, w.Model.Stats().Replies)
}

// windowFaults are those of a bad day, at the end of which the model is away altogether.
func windowFaults(seed uint64) llmtest.Script {
	bad := faults(seed)
	var once sync.Once
	var away time.Time
	return func(r llmtest.Request) llmtest.Reply {
		once.Do(func() { away = time.Now().Add(modelLives) })
		if time.Now().After(away) {
			return llmtest.Status(503)
		}
		return bad(r)
	}
}

// modelLives is how long the model answers at all: about half of the run.
const modelLives = 12 * time.Second
