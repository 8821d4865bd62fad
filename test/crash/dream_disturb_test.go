package crash

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

// dreamsDisturbed counts what was killed, and where dreams were then.
type dreamsDisturbed struct {
	disturbed
	lost, written, answering int // steps that were killed before and after their transaction, and while a model answered
}

// disturbNight begins a night of the disturbed agent, waits until its dreams stand at all points, and kills the worker. Then
// processes are killed at random instants, and PostgreSQL or Temporal is restarted.
func (w *dreamers) disturbNight(ctx context.Context, t *testing.T, random *rand.Rand, night int, done *dreamsDisturbed) {
	t.Helper()
	asksModel := night >= *nights
	asked := w.answering.Load()
	h := w.hold(ctx, t)
	w.trigger(ctx, t, storm)
	await(t, "dreams at every step", func() bool {
		return len(h.waiting(ctx, t)) == len(h.points) && (!asksModel || w.answering.Load() > asked)
	})
	w.Kill("worker")
	done.workers++
	if asksModel {
		done.answering++
	}
	h.release(ctx, t, done)
	w.Ensure(t)

	for n := range *dreamKills {
		time.Sleep(time.Duration(random.Int64N(int64(maxInstant))))
		if random.Float64() < apiShare {
			w.Kill("api")
			done.apis++
		} else {
			w.Kill("worker")
			done.workers++
		}
		w.Ensure(t)
		switch {
		case n > 0:
		case night%2 == 0:
			if err := w.Postgres.Restart(ctx); err != nil {
				t.Fatalf("restart PostgreSQL: %v", err)
			}
			done.postgres++
		default:
			if err := w.System.Temporal.Restart(ctx); err != nil {
				t.Fatalf("restart Temporal: %v", err)
			}
			done.temporal++
		}
		w.Ensure(t)
	}
}
