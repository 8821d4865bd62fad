package memory

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"reverie/memory/markdown"
)

// largeHistories are documents of the largest size, with what made blame slow.
func largeHistories() map[string][]Version {
	const count = 20_000
	text := func(line func(int) string) string {
		var b strings.Builder
		for i := range count {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	version := func(n int, content string) Version { return Version{Number: n, Content: content} }
	numbered := func(i int) string { return fmt.Sprintf("- The fact number %d is worth about this", i) }
	sourced := version(1, text(numbered))
	for i := range count {
		sourced.Sources.Lines = append(sourced.Sources.Lines, LineSource{Line: numbered(i), Messages: []int64{int64(i)}})
	}
	var edits []Version
	for n := range 200 {
		edits = append(edits, version(n+1, text(func(i int) string {
			if i == n*97 {
				return "- edited"
			}
			return numbered(i)
		})))
	}
	return map[string][]Version{
		"sources of every line": {sourced},
		"another text":          {version(1, text(numbered)), version(2, text(func(i int) string { return numbered(i + count) }))},
		"reversed":              {version(1, text(numbered)), version(2, text(func(i int) string { return numbered(count - i) }))},
		"repeated lines": {
			version(1, text(func(i int) string { return numbered(i % 7) })),
			version(2, text(func(i int) string { return numbered(i * i % 11) })),
		},
		"one line moved around": {
			version(1, text(func(i int) string { return "- same" })),
			version(2, text(func(i int) string { return []string{"- same", "* same"}[i%2] })),
		},
		"many versions": edits,
	}
}

// Blame costs about as much as the comparisons of successive versions. The bound is a ratio, because machines differ.
func TestBlameOfLargeDocuments(t *testing.T) {
	const (
		reads = 40 // diffs that reading the lines and their sources may cost
		pairs = .2 // diffs that each pair of versions may cost: what they share is not compared again
	)
	for name, history := range largeHistories() {
		first, last := history[0].Content, history[len(history)-1].Content
		diff := fastest(func() { markdown.DiffStat(first, last) })
		blame := fastest(func() { Blame(history) })
		t.Logf("%s: %d versions of %d bytes in %v, one diff %v", name, len(history), len(last), blame, diff)
		if most := time.Duration(float64(diff) * (reads + pairs*float64(len(history)))); blame > most {
			t.Errorf("%s: blame takes %v, %.0f times a diff", name, blame, float64(blame)/float64(diff))
		}
	}
}

// fastest returns the shortest of a few runs.
func fastest(run func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		began := time.Now()
		run()
		best = min(best, time.Since(began))
	}
	return best
}
