package toolbox

import (
	"strings"
	"testing"
)

// A list where a text belongs is refused without being decoded.
func TestAListIsNoArgument(t *testing.T) {
	raw := []byte(`{"query":[` + strings.Repeat("{},", 1<<20) + `{}]}`)
	params := []param{{name: "query", kind: text, required: true}}
	result := testing.Benchmark(func(b *testing.B) {
		b.Helper()
		for range b.N {
			if _, err := read(raw, params); err == nil || err.Error() != "query must be a string" {
				b.Fatal(err)
			}
		}
	})
	if allocated := result.AllocedBytesPerOp(); allocated > 2*int64(len(raw)) {
		t.Errorf("%d bytes allocated for arguments of %d", allocated, len(raw))
	}
}
