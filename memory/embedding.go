package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
