package prompts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// codeDigits is the length of a marker's code, in hexadecimal digits.
const codeDigits = 12

// fenceCode returns the code of the markers around data. It is a hash of the data that does not occur in it, so that no data can
// close its marker or open another one, and the same input gives the same prompt.
func fenceCode(data ...string) string {
	h := sha256.New()
	for _, d := range data {
		fmt.Fprintf(h, "%d\n%s", len(d), d)
	}
	sum := h.Sum(nil)
	for {
		code := hex.EncodeToString(sum)[:codeDigits]
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
