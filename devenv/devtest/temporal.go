package devtest

import (
	"context"
	"testing"

	"reverie/devenv"
)

// Temporal returns the dev server that the tests of this process share. Tests keep apart by their task queues and
// workflow ids. It ends with the process, and must not be stopped or restarted by a test: see [PrivateTemporal].
func Temporal(tb testing.TB) *devenv.Temporal {
	tb.Helper()
	requireMain(tb)
	t, err := running.temporal.get(func() (*devenv.Temporal, error) {
		t, err := startTemporal()
		if err == nil {
			atEnd(stopping(t.Stop))
		}
		return t, err
	})
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	return t
}

// PrivateTemporal returns a dev server that the test may stop and restart. It ends with the test.
func PrivateTemporal(tb testing.TB) *devenv.Temporal {
	tb.Helper()
	requireMain(tb)
	t, err := startTemporal()
	if err != nil {
		tb.Fatalf("devtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := stopping(t.Stop)(); err != nil {
			tb.Errorf("devtest: %v", err)
		}
	})
	return t
}

func startTemporal() (*devenv.Temporal, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	return devenv.StartTemporal(ctx, devenv.TemporalOptions{SearchAttributes: SearchAttributes, Progress: progress})
}
