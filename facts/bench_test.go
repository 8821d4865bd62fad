package facts

import (
	"fmt"
	"strings"
	"testing"

	"reverie/memory"
)

func BenchmarkCompare(b *testing.B) {
	var lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, "- \"My colleague number %d lives in Hamburg since March [2026-03] and likes the %d o'clock train.\"\n", i, i*7)
	}
	before := lines.String()
	after := before + "- \"I adopted a dog called Lupo yesterday [2026-11-20].\"\n"
	b.Run("one line of 200", func(b *testing.B) {
		for b.Loop() {
			NewHistory(memory.MemoryPath, before).Next(after)
		}
	})
	b.Run("200 new lines", func(b *testing.B) {
		for b.Loop() {
			NewHistory(memory.MemoryPath, "").Next(before)
		}
	})
	some := strings.Join(strings.SplitAfterN(before, "\n", 91)[:90], "")
	other := strings.ReplaceAll(some, "Hamburg", "Bremen")
	b.Run("90 changed names", func(b *testing.B) {
		for b.Loop() {
			NewHistory(memory.MemoryPath, some).Next(other)
		}
	})
}
