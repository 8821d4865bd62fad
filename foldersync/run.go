package foldersync

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// rescan is how often the folder is looked through although nothing was heard of it: some file systems tell nothing.
	rescan = 30 * time.Second
	// firstWait is how long a server that is away is left alone; it doubles up to longestWait.
	firstWait   = time.Second
	longestWait = 10 * time.Second
	// patience is how long Once waits for files that somebody is writing to.
	patience = time.Minute
)

// ErrMoving means that files did not come to rest.
var ErrMoving = errors.New("something is writing to the folder all the time")

// Once brings both sides in step and returns what there was to do. It waits for files that are being written to.
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

// restFactor times the settling time is how long Once leaves everything alone because of files that were just written to.
const restFactor = 3

// rest waits until the files have settled, so that what is done, and in which order it is told, does not depend on how soon
// after an edit it is asked for. A file that goes on moving holds up the others no longer than that.
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

// Run keeps both sides in step until ctx ends, which is no error. While the server is away it tries again, less and less
// often; what happens in the folder meanwhile waits there.
func (s *Sync) Run(ctx context.Context) error {
	watcher, err := watch(s.folder.root)
	if err != nil {
		return fmt.Errorf("watch %s: %w", s.folder.root, err)
	}
	defer watcher.Close() //nolint:errcheck // nothing is lost
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

// runner is a Run under way.
type runner struct {
	*Sync
	local chan struct{} // something happened in the folder
	there chan struct{} // something happened on the server
	away  time.Duration // how long the server is left alone; 0: it is there
	quiet bool          // it was told that both sides are in step, since the beginning or since the server came back
}

// turn makes a pass, and waits for a reason to make the next one.
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

// wait returns when something happened, or the time is over.
func (r *runner) wait(ctx context.Context, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	case <-r.there:
	case <-r.local:
		// A write is rarely one event: the file is looked at once it has settled.
		return sleep(ctx, min(r.folder.settle/5, 100*time.Millisecond))
	}
	return nil
}

// listen passes on that something happened on the server, or that this cannot be known: a pass finds out whether the server is
// away.
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
