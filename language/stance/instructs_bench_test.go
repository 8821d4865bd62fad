package stance

import (
	"strings"
	"testing"
)

func BenchmarkInstructs(b *testing.B) {
	text := strings.Repeat("I moved the meeting to Thursday, since the train is late and nobody can come before ten. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Instructs(text)
	}
}
