package services

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLatency(t *testing.T) {
	hundred := make([]time.Duration, 100) // 100 ms down to 1 ms
	for i := range hundred {
		hundred[i] = time.Duration(100-i) * time.Millisecond
	}
	for name, c := range map[string]struct {
		times []time.Duration
		want  Latency
	}{
		"none":       {nil, Latency{}},
		"one":        {[]time.Duration{1500 * time.Microsecond}, Latency{Count: 1, P50: 1.5, P95: 1.5, Max: 1.5}},
		"two":        {[]time.Duration{4 * time.Millisecond, 2 * time.Millisecond}, Latency{Count: 2, P50: 2, P95: 4, Max: 4}},
		"a hundred":  {hundred, Latency{Count: 100, P50: 50, P95: 95, Max: 100}},
		"not sorted": {[]time.Duration{3e6, 1e6, 2e6}, Latency{Count: 3, P50: 2, P95: 3, Max: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, LatencyOf(c.times)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
