// Package linear is for tests of functions that read texts: anyone who writes a text must not be able to make reading it slow.
package linear

import (
	"strings"
	"testing"
	"time"
)

const (
	times    = 16                    // by which the long text is longer than the short one
	atMost   = 4 * times             // times the duration for the short one; the square would be 256 times
	slack    = 20 * time.Millisecond // of the clock, and of other programs
	attempts = 4                     // at the long text, as other programs may slow one down
)

// Check fails a test if the time for a unit of text, repeated 16n times, is much longer than 16 times that for n times.
func Check(t *testing.T, n int, units []string, read func(text string)) {
	t.Helper()
	for _, unit := range units {
		cost := func(n int) time.Duration {
			text := strings.Repeat(unit, n)
			start := time.Now()
			read(text)
			return time.Since(start)
		}
		cost(n) // compiles expressions
		short, long := min(cost(n), cost(n), cost(n)), cost(times*n)
		for attempt := 1; attempt < attempts && long > atMost*short+slack; attempt++ {
			long = min(long, cost(times*n))
		}
		if long > atMost*short+slack {
			t.Errorf("%q: %d times the text takes %v instead of %v", unit, times, long, short)
		}
	}
}
