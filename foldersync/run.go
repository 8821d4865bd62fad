package foldersync

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// rescan is the interval of scans without file events: some file systems send none.
	rescan = 30 * time.Second
	// firstWait is the wait after the first failed request to the server; it doubles up to longestWait.
	firstWait   = time.Second
	longestWait = 10 * time.Second
	// patience is the maximum time Once waits for files that are being written.
	patience = time.Minute
)

// ErrMoving means that files kept changing.
var ErrMoving = errors.New("something is writing to the folder all the time")

// Once synchronizes both sides until they are equal and returns the total outcome. It waits up to a minute for files that
// are being written, then returns ErrMoving.
func (s *Sync) Once(ctx context.Context) (Outcome, error) {
	limit := time.Now().Add(patience)
	var total Outcome
	if err := s.rest(ctx); err != nil {
		return total, err
	}
	for {
		o, err := s.Pass(ctx)
		total.Documents, total.Refused, total.Held = o.Documents, o.Refused, o.Held
		total.Effects += o.Effects
		total.Kept += o.Kept
		if err != nil {
			return total, err
		}
		if o.Effects == 0 && o.Again.IsZero() {
			s.say(Event{Kind: InStep, Count: total.Documents, Refused: total.Refused})
			return total, nil
		}
		if time.Now().After(limit) {
			return total, ErrMoving
		}
		if !o.Again.IsZero() {
			if err := sleep(ctx, o.Again.Sub(s.folder.now())); err != nil {
				return total, err
			}
		}
	}
}

// restFactor times the settling time is the maximum initial wait of Once for files that were just written.
const restFactor = 3

// rest waits until the files have settled, so that the effects and the order of events do not depend on the time since the
// last edit. It returns after restFactor settling times even if a file is still changing.
func (s *Sync) rest(ctx context.Context) error {
	limit := s.folder.now().Add(restFactor * s.folder.settle)
	for {
		listing, err := s.folder.Scan()
		if err != nil {
			return err
		}
		now := s.folder.now()
		if len(listing.Moving) == 0 || !now.Before(limit) {
			return nil
		}
		if err := sleep(ctx, listing.Look.Sub(now)); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(d, time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Run synchronizes both sides until ctx ends, and then returns nil. If the server cannot be reached, Run retries with
// increasing delay; local changes wait until it is back.
func (s *Sync) Run(ctx context.Context) error {
	watcher, err := watch(s.folder.root)
	if err != nil {
		return fmt.Errorf("watch %s: %w", s.folder.root, err)
	}
	defer watcher.Close() //nolint:errcheck // the watcher holds no data
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &runner{Sync: s, local: watcher.changed, there: make(chan struct{}, 1)}
	go r.listen(ctx)
	for {
		if err := r.turn(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

// runner is the state of Run.
type runner struct {
	*Sync
	local chan struct{} // signals a change in the folder
	there chan struct{} // signals a change on the server
	away  time.Duration // current retry delay; 0: the server is reachable
	quiet bool          // InStep was reported since the start or the last reconnect
}

// turn runs one pass and waits for the next change or the next scan.
func (r *runner) turn(ctx context.Context) error {
	o, err := r.Pass(ctx)
	if errors.Is(err, ErrAway) {
		if r.away == 0 {
			r.say(Event{Kind: Away, Reason: err.Error()})
		}
		r.away = min(max(2*r.away, firstWait), longestWait)
		return sleep(ctx, r.away)
	}
	if err != nil {
		return err
	}
	if r.away > 0 {
		r.away, r.quiet = 0, false
		r.say(Event{Kind: Back})
	}
	wait := rescan
	if !o.Again.IsZero() {
		wait = max(o.Again.Sub(r.folder.now()), time.Millisecond)
	} else if !r.quiet {
		r.quiet = true
		r.say(Event{Kind: InStep, Count: o.Documents, Refused: o.Refused})
	}
	return r.wait(ctx, wait)
}

// wait returns after a change on either side, or after limit.
func (r *runner) wait(ctx context.Context, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	case <-r.there:
	case <-r.local:
		// A write usually causes several events: wait until the file has settled.
		return sleep(ctx, min(r.folder.settle/5, 100*time.Millisecond))
	}
	return nil
}

// listen signals changes on the server. It also signals after an error, so that a pass checks whether the server is
// reachable.
func (r *runner) listen(ctx context.Context) {
	pause := firstWait
	for ctx.Err() == nil {
		err := r.remote.Wait(ctx)
		if ctx.Err() != nil {
			return
		}
		select {
		case r.there <- struct{}{}:
		default:
		}
		if err == nil {
			pause = firstWait
			continue
		}
		if sleep(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, longestWait)
	}
}
