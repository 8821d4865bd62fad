package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// FenceCode returns a code of at most 64 hexadecimal digits for the markers around data. It is a hash of the data that does not occur
// in it, so that no data can close its marker or open another one, and the same data has the same markers, which keeps the
// prefix of a prompt in a provider's cache.
func FenceCode(digits int, data ...string) string {
	h := sha256.New()
	for _, d := range data {
		fmt.Fprintf(h, "%d\n%s", len(d), d)
	}
	sum := h.Sum(nil)
	for {
		code := hex.EncodeToString(sum)[:digits]
		if !occurs(code, data) {
			return code
		}
		next := sha256.Sum256(sum)
		sum = next[:]
	}
}

func occurs(code string, data []string) bool {
	for _, d := range data {
		if strings.Contains(strings.ToLower(d), code) {
			return true
		}
	}
	return false
}
