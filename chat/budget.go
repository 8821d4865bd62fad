package chat

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"reverie/llm"
	"reverie/memory"
)

// BudgetError says that the workspace has spent what it may spend on models in a day. The message is stored and may be sent again.
type BudgetError struct {
	Until time.Time // when the budget renews
}

func (e *BudgetError) Error() string { return "the workspace's budget for models is spent" }

// checkBudget refuses to begin what the workspace has no budget for. A turn that has begun is ended: it has bounded rounds.
func (t *turning) checkBudget(ctx context.Context) error {
	if t.Budget == (memory.Budget{}) {
		return nil
	}
	now := t.Service.now()
	used, err := t.Store.SpentToday(ctx, t.id, now)
	switch {
	case err != nil:
		return fmt.Errorf("turn: %w", err)
	case t.Budget.Spent(used):
		return &BudgetError{Until: memory.BudgetRenewal(now)}
	}
	return nil
}

// spent accounts for a call of the model at once, whatever becomes of the turn: what failed or was broken off has cost, too. An
// answer is not lost because its cost cannot be recorded.
func (t *turning) spent(ctx context.Context, r llm.ChatResponse) {
	t.turn.Usage = t.turn.Usage.Add(r.Usage)
	if r.Usage == (memory.Usage{}) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	if err := t.Store.AddUsage(ctx, t.id, cmp.Or(r.Model, t.Model.Name()), r.Usage); err != nil {
		t.Log.WarnContext(ctx, "What a model call cost is not recorded", "error", err, "agent", t.agent.ID)
	}
}
