package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/setting"
)

// BenchmarkCheck checks a MEMORY.md near its limit with ten new lines against a week of long notes.
func BenchmarkCheck(b *testing.B) {
	before, note := "# Memory\n\n", "# 2026-01-30\n\n"
	for i := range 100 {
		before += fmt.Sprintf("- Project %d of Grace is written in Go and runs in Frankfurt since 2025-%02d\n", i, i%12+1)
	}
	for i := range 200 {
		note += fmt.Sprintf("- Grace spoke with customer %d about the contract of 2026 and the new offer of %d euros\n", i, 1000+i)
	}
	in := rewrite.CheckInput{Before: before, After: before}
	for i := range 10 {
		text := fmt.Sprintf("Prefers train %d to the office in the morning", i)
		in.After += "- To the office in the morning: " + text[:len("Prefers train 0")] + "\n"
		in.Ranking.Candidates = append(in.Ranking.Candidates, dreamtest.Passing(text, .9))
	}
	for range 7 {
		in.Sources = append(in.Sources, note)
	}
	b.SetBytes(int64(len(strings.Join(in.Sources, "")) + len(in.After)))
	for b.Loop() {
		if v := rewrite.Check(in, setting.DefaultDreamSettings()); len(v) > 0 {
			b.Fatal(v)
		}
	}
}
