package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"reverie/store"
)

const (
	// sweepsLease names the lease of the process that sweeps.
	sweepsLease = "sweeps"
	// leaseLongest bounds the time for which nobody sweeps after the leading process has died.
	leaseLongest = 30 * time.Second
	// leaseShortest leaves time for three attempts at renewing.
	leaseShortest = 3 * time.Second
	// resignTimeout bounds the attempt to release leadership at the end.
	resignTimeout = 2 * time.Second
)

// leader elects one process of the deployment by a lease in the database. A process that is stopped for longer than its lease, or
// cannot reach the database, no longer leads; what it still does until then is safe to do twice.
//
// A lease is used instead of an advisory lock: a lock would hold a connection, and would stay with a process that hangs.
type leader struct {
	store    *store.Store
	holder   string
	duration time.Duration
	log      *slog.Logger
}

// leaseFor returns the duration of the leader's lease for an interval between sweeps.
func leaseFor(interval time.Duration) time.Duration {
	return min(max(3*interval, leaseShortest), leaseLongest)
}

// run calls lead whenever this process begins to lead, and ends its context when it no longer does, until ctx ends.
func (l leader) run(ctx context.Context, lead func(context.Context)) {
	defer l.resign(ctx)
	ticker := time.NewTicker(l.duration / 3)
	defer ticker.Stop()
	for {
		if led, err := l.renew(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("cannot find out who sweeps", "error", err)
		} else if led {
			l.hold(ctx, ticker, lead)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// hold runs lead for as long as the lease can be renewed.
func (l leader) hold(ctx context.Context, ticker *time.Ticker, lead func(context.Context)) {
	leading, cancel := context.WithCancel(ctx)
	var led sync.WaitGroup
	led.Go(func() { lead(leading) })
	defer led.Wait()
	defer cancel()
	for until := time.Now().Add(l.duration); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		began := time.Now()
		switch led, err := l.renew(ctx); {
		case led:
			until = began.Add(l.duration)
		case err == nil, time.Now().After(until):
			l.log.Info("another process sweeps now", "error", err)
			return
		}
	}
}

// renew takes or renews the lease.
func (l leader) renew(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.duration/3)
	defer cancel()
	return l.store.Lead(ctx, sweepsLease, l.holder, l.duration)
}

// resign lets another process lead at once.
func (l leader) resign(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTimeout)
	defer cancel()
	if err := l.store.Resign(ctx, sweepsLease, l.holder); err != nil {
		l.log.Debug("the lease of the sweeps expires on its own", "error", err)
	}
}
