package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// EmbeddingIdentity says what made a vector. Vectors of different identities cannot be compared.
type EmbeddingIdentity struct {
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Endpoint   string `json:"endpoint"` // scheme, host and path; never credentials
	Dimensions int    `json:"dimensions"`
}

// Key is the identity as one fixed-length string.
func (e EmbeddingIdentity) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", e.Provider, e.Model, e.Endpoint, e.Dimensions))
	return hex.EncodeToString(sum[:])
}

// String names provider, model and dimensions, for people.
func (e EmbeddingIdentity) String() string {
	return fmt.Sprintf("%s/%s (%d)", e.Provider, e.Model, e.Dimensions)
}

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

// Usage is what a model call cost.
type Usage struct {
	Calls        int   `json:"calls"`
	InputTokens  int   `json:"inputTokens"`
	OutputTokens int   `json:"outputTokens"`
	CostMicros   int64 `json:"costMicros"` // millionths of a US dollar, estimated from the configured prices
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.CostMicros + v.CostMicros}
}
