package memory

import "time"

// Budget is what a workspace may spend on models in a day (UTC); zero fields do not limit.
type Budget struct {
	Tokens     int64 // input and output
	CostMicros int64 // millionths of a US dollar
}

// Spent reports whether used has reached the budget.
func (b Budget) Spent(used Usage) bool {
	return b.Tokens > 0 && int64(used.InputTokens+used.OutputTokens) >= b.Tokens ||
		b.CostMicros > 0 && used.CostMicros >= b.CostMicros
}

// BudgetRenewal is when the budget of the day of now renews: the next midnight UTC.
func BudgetRenewal(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}
