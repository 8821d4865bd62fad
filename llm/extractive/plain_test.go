package extractive

import (
	"os"
	"strings"
	"testing"

	"reverie/test/corpus"
)

// TestPlain says each sentence of testdata/plain.tsv as all of a message, and expects nine of ten plain statements about oneself in the
// files, and none of their near misses.
func TestPlain(t *testing.T) {
	raw, err := os.ReadFile("testdata/plain.tsv")
	if err != nil {
		t.Fatal(err)
	}
	type share struct{ filed, all int }
	var first, paraphrased share
	part, misses := &first, 0
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			if strings.HasPrefix(line, "# paraphrased") {
				part = &paraphrased
			}
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("not three columns: %q", line)
		}
		in := said("u: "+f[1], "a: OK.")
		p := propose(in)
		filed := len(corpus.KeptOf(in, p).Lasting) > 0
		if f[2] == "-" {
			misses++
			if filed {
				t.Errorf("%s: %q reaches the files: %s%s", f[0], f[1], p.ProfileUpdate, p.MemoryUpdate)
			}
			continue
		}
		part.all++
		if filed {
			part.filed++
		} else {
			t.Logf("%s: %q does not reach the files; the note: %q", f[0], f[1], p.DailyEntry)
		}
	}
	t.Logf("%d of %d plain statements reach the files, %d of %d paraphrased ones; %d near misses", first.filed, first.all,
		paraphrased.filed, paraphrased.all, misses)
	if first.all+paraphrased.all < 120 || misses < 60 {
		t.Error("at least 120 statements and 60 near misses are needed")
	}
	if (first.filed+paraphrased.filed)*10 < (first.all+paraphrased.all)*9 {
		t.Error("nine of ten plain statements should reach the files")
	}
}
