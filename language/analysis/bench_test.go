package analysis

import (
	"strings"
	"testing"
	"time"
)

// english4K is 4 KB of prose.
var english4K = strings.Repeat(`On the way back from the market we met Caroline, who had been painting since the morning.
She told us that the exhibition in the old library opens next week, and that she isn't sure whether her three pictures
will be finished. The weather changed quickly; we stayed under the trees until the rain had stopped, talking about
the children's school, her mother's garden and the plans for the summer holidays in the mountains. `, 12)[:4096]

var chinese4K = strings.Repeat("昨天我们在市场遇到了她，她从早上开始画画。她说图书馆的展览下周开幕，三幅画还没有完成。", 40)[:4096]

func BenchmarkAnalyse(b *testing.B) {
	for name, text := range map[string]string{
		"english": english4K, "chinese": chinese4K, "german": strings.Repeat("Die Bücher der großen Städte wären für uns schön. ", 80),
		"code": strings.Repeat("func db_port(userName string) error { return http.Get(\"https://example.com/a/b.md\") }\n", 46),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Analyse(text)
			}
		})
	}
}

func BenchmarkIndexer(b *testing.B) {
	b.SetBytes(int64(len(english4K)))
	b.ReportAllocs()
	for b.Loop() {
		NewIndexer().Piece(english4K, "memory 2026-01-02 Exhibition", func(string) {}, func(string) {})
	}
}

func BenchmarkAnalyseQuery(b *testing.B) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		NewQuery("When did Caroline finish her paintings for the exhibition last week?", now)
	}
}
