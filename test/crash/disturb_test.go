package crash

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/test/deployment"
)

// disturbed counts what was killed.
type disturbed struct{ workers, apis, postgres, temporal int }

const (
	// apiShare of the kills hit the API, the others the worker.
	apiShare = 0.25
	// maxInstant is how long after its start a process is killed at the latest: it has come up by then and is at work.
	maxInstant = 3 * time.Second
	// progressPatience is how long a kill waits for the work to have moved since the last one, so that the kills are
	// spread over the whole run.
	progressPatience = 20 * time.Second
)

// disturb kills processes at random instants until it has killed enough, spread over the work, with the restarts of
// PostgreSQL and Temporal between them.
func (s *system) disturb(ctx context.Context, t *testing.T, random *rand.Rand) (done disturbed) {
	t.Helper()
	for n := range *kills {
		s.awaitProgress(ctx, t, len(s.work)*n / *kills)
		time.Sleep(time.Duration(random.Int64N(int64(maxInstant))))
		if random.Float64() < apiShare {
			s.Kill("api")
			done.apis++
		} else {
			s.Kill("worker")
			done.workers++
		}
		s.Ensure(t)
		if (n+1)*(*restarts)/(*kills) > done.postgres {
			if err := s.Postgres.Restart(ctx); err != nil {
				t.Fatalf("restart PostgreSQL: %v", err)
			}
			done.postgres++
		} else if (n+2)*(*restarts)/(*kills) > done.temporal {
			if err := s.Temporal.Restart(ctx); err != nil {
				t.Fatalf("restart Temporal: %v", err)
			}
			done.temporal++
		}
	}
	return done
}

// awaitProgress waits until so many conversations are accounted for, or for its patience.
func (s *system) awaitProgress(ctx context.Context, t *testing.T, conversations int) {
	t.Helper()
	for deadline := time.Now().Add(progressPatience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if s.accounted(ctx, t) >= conversations {
			return
		}
		s.Ensure(t)
	}
}

// accounted counts the conversations whose every message is behind the cursor.
func (s *system) accounted(ctx context.Context, t *testing.T) int {
	t.Helper()
	n, err := deployment.Query(ctx, s.System, pgx.RowTo[int], `select count(*) from conversations where last_seq > 0 and cursor_seq = last_seq`)
	if err != nil {
		t.Fatal(err)
	}
	return n[0]
}

// waitAccounted waits until every message of every conversation is behind its cursor.
func (s *system) waitAccounted(ctx context.Context, t *testing.T) {
	t.Helper()
	began := time.Now()
	for time.Since(began) < *patience {
		if s.accounted(ctx, t) == len(s.work) {
			return
		}
		s.Ensure(t)
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("after %s %d of %d conversations are accounted for; logs are in %s", *patience, s.accounted(ctx, t), len(s.work), s.Logs())
}
