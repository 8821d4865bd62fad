package worker

import (
	"context"
	"log/slog"
	"time"
)

// patrol has sweeps look at what is left to do, again and again.
type patrol struct {
	interval time.Duration
	log      *slog.Logger
}

// walk looks at once and then at every interval, until ctx ends. What a look fails at is left to the next one.
func (p patrol) walk(ctx context.Context, over string, look func(context.Context) error) {
	ticker := time.NewTicker(p.interval)
	defer ticker.Stop()
	for {
		if err := look(ctx); err != nil && ctx.Err() == nil {
			p.log.Warn("a sweep stopped early", "over", over, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// counted is a look that says how much it found, if it found anything.
func (p patrol) counted(over string, look func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := look(ctx)
		if n > 0 {
			p.log.Info("a sweep did what was left", "over", over, "done", n)
		}
		return err
	}
}
