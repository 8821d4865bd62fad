package scan

import "testing"

func BenchmarkInstruction(b *testing.B) {
	n := 0
	for b.Loop() {
		for _, text := range plain {
			Instruction(text)
			n += len(text)
		}
	}
	b.SetBytes(int64(n / b.N))
}
