package main

import (
	"context"
	"testing"
	"time"
)

// patience limits a test. Most of the time is spent until Temporal notices a killed worker.
const patience = 8 * time.Minute

func TestCaseIsClosedAndRemembered(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			x, c := newTeam(ctx, t, w), caseOf("41")
			x.check(ctx, t, c, x.begin(ctx, t, c))
			x.checkHistories(ctx, t)
		})
	}
}
