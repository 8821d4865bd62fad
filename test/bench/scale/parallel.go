package main

import (
	"context"
	"sync"
)

// inParallel calls f for every item, workers at a time, in order. After the first error no more are begun.
func inParallel[T any](ctx context.Context, workers int, items []T, f func(context.Context, T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		errs  []error
	)
	next := make(chan T)
	for range workers {
		group.Go(func() {
			for item := range next {
				if err := f(ctx, item); err != nil {
					cancel()
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		next <- item
	}
	close(next)
	group.Wait()
	if len(errs) > 0 {
		return errs[0] // the others follow from it, or from what it follows from
	}
	return ctx.Err()
}
