package activities

import (
	"context"
	"time"

	"reverie/memory"
)

// spentUntil reports until when the identity's workspace has spent a budget; zero: it has not.
func (a *Activities) spentUntil(ctx context.Context, id memory.Identity, b memory.Budget) (time.Time, error) {
	if b == (memory.Budget{}) {
		return time.Time{}, nil
	}
	now := a.Now()
	used, err := a.Store.SpentToday(ctx, id, now)
	if err != nil || !b.Spent(used) {
		return time.Time{}, storeError(err)
	}
	return memory.BudgetRenewal(now), nil
}
