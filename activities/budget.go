package activities

import (
	"context"
	"time"

	"reverie/memory"
)

// Budget is what a workspace may spend in a day (UTC); zero fields do not limit.
type Budget struct {
	Tokens     int64 // input and output
	CostMicros int64 // millionths of a US dollar
}

// Spent reports whether used has reached the budget.
func (b Budget) Spent(used memory.Usage) bool {
	return b.Tokens > 0 && int64(used.InputTokens+used.OutputTokens) >= b.Tokens ||
		b.CostMicros > 0 && used.CostMicros >= b.CostMicros
}

// renewal is when the budget of the day of now renews: the next midnight UTC.
func renewal(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}

// spentUntil reports until when the identity's workspace has spent a budget; zero: it has not.
func (a *Activities) spentUntil(ctx context.Context, id memory.Identity, b Budget) (time.Time, error) {
	if b == (Budget{}) {
		return time.Time{}, nil
	}
	now := a.Now()
	used, err := a.Store.SpentToday(ctx, id, now)
	if err != nil || !b.Spent(used) {
		return time.Time{}, storeError(err)
	}
	return renewal(now), nil
}
