package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// EmbeddingIdentity identifies the model that made a vector. Vectors with different identities cannot be compared.
type EmbeddingIdentity struct {
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Endpoint   string `json:"endpoint"` // scheme, host and path; never credentials
	Dimensions int    `json:"dimensions"`
}

// Key returns the identity as a string of fixed length.
func (e EmbeddingIdentity) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", e.Provider, e.Model, e.Endpoint, e.Dimensions))
	return hex.EncodeToString(sum[:])
}

// String returns provider, model and dimensions, for display.
func (e EmbeddingIdentity) String() string {
	return fmt.Sprintf("%s/%s (%d)", e.Provider, e.Model, e.Dimensions)
}

// Budget is a workspace's daily limit (UTC) for model calls. Zero fields are unlimited.
type Budget struct {
	Tokens     int64 // input and output
	CostMicros int64 // millionths of a US dollar
}

// Spent reports whether usage has reached the budget.
func (b Budget) Spent(used Usage) bool {
	return b.Tokens > 0 && int64(used.InputTokens+used.OutputTokens) >= b.Tokens ||
		b.CostMicros > 0 && used.CostMicros >= b.CostMicros
}

// BudgetRenewal returns the next midnight UTC after now, when budgets renew.
func BudgetRenewal(now time.Time) time.Time {
	y, m, d := now.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}

// Usage is the cost of model calls.
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
