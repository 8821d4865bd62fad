package conflict

import "testing"

func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"claim":   "My colleague lives in Hamburg since March [2026-03] and likes the 7 o'clock train.",
		"nothing": "Prefers answers that begin with the result and end with a summary of what was left out.",
		"Chinese": "项目的截止日期是周五，负责人是张伟。",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Read(text)
			}
		})
	}
}

func BenchmarkTopics(b *testing.B) {
	for b.Loop() {
		StatementOf("My colleague lives in Hamburg since March [2026-03] and likes the 7 o'clock train.", "", "").Topics()
	}
}
