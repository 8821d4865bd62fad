package rest

import (
	"math"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"reverie/api/fault"
)

const (
	// failureRate bounds how many wrong keys a second one address may try, with bursts of failureBurst: each costs a query.
	failureRate  = 5
	failureBurst = 20
	// maxBuckets bounds the memory of a limiter.
	maxBuckets = 10_000
)

// limiter bounds how often something may happen for each of many names.
type limiter struct {
	rate    rate.Limit // 0: no limit
	burst   int
	now     func() time.Time
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// newLimiter allows perSecond events, with bursts of burst (at least one); 0 perSecond allows all.
func newLimiter(perSecond float64, burst int, now func() time.Time) *limiter {
	return &limiter{rate: rate.Limit(perSecond), burst: max(1, burst), now: now, buckets: map[string]*rate.Limiter{}}
}

// take reports whether name may go on, and if not, how long it has to wait.
func (l *limiter) take(name string) (wait time.Duration, allowed bool) {
	if l.rate <= 0 {
		return 0, true
	}
	now := l.now()
	reservation := l.bucket(name, now).ReserveN(now, 1)
	wait = reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
		return wait, false
	}
	return 0, true
}

// exhausted reports whether name has nothing left, without taking anything.
func (l *limiter) exhausted(name string) bool {
	now := l.now()
	return l.bucket(name, now).TokensAt(now) < 1
}

func (l *limiter) bucket(name string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, found := l.buckets[name]; found {
		return b
	}
	if len(l.buckets) >= maxBuckets {
		l.makeRoom(now)
	}
	b := rate.NewLimiter(l.rate, l.burst)
	l.buckets[name] = b
	return b
}

// makeRoom drops buckets that are full again, which are as good as new ones, and all when none is.
func (l *limiter) makeRoom(now time.Time) {
	for name, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, name)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// TooMany asks a client to slow down.
func TooMany(wait time.Duration) *fault.Problem {
	seconds := strconv.Itoa(max(1, int(math.Ceil(wait.Seconds()))))
	return fault.New(fault.RateLimited, "too many requests: wait %s s", seconds).With("Retry-After", seconds)
}

// retryAfterFailures is what an address that tried too many wrong keys is told to wait.
const retryAfterFailures = time.Second
