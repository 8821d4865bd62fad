package services

import (
	"slices"
	"time"
)

// Latency is the distribution of how long something took.
type Latency struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50Ms"` // milliseconds, as all of them
	P95   float64 `json:"p95Ms"`
	Max   float64 `json:"maxMs"`
}

// LatencyOf summarises times, in any order. A percentile is the smallest time that at least so many per cent of the times
// do not exceed (nearest rank).
func LatencyOf(times []time.Duration) Latency {
	if len(times) == 0 {
		return Latency{}
	}
	sorted := slices.Sorted(slices.Values(times))
	return Latency{
		Count: len(sorted), P50: milliseconds(percentile(sorted, 50)), P95: milliseconds(percentile(sorted, 95)),
		Max: milliseconds(sorted[len(sorted)-1]),
	}
}

// percentile of at least one sorted time.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[max(1, (len(sorted)*p+99)/100)-1]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
