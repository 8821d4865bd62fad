package extractive

import (
	"os"
	"strings"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/transcripts"
)

// TestTemplates reads testdata/templates.tsv: a language, a sentence, and the lines that templates prove, separated by "; ", or
// "-" for none.
func TestTemplates(t *testing.T) {
	raw, err := os.ReadFile("testdata/templates.tsv")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	counts := map[string][2]int{}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("not three columns: %q", line)
		}
		c := listen([]transcripts.Line{{Seq: 1, Role: memory.RoleOfUser, Text: f[1], At: at}}, at)
		var got []string
		for i := range c.units {
			facts, _ := factsOf(&c.units[i])
			for _, fact := range facts {
				got = append(got, fact.line)
			}
		}
		have := strings.Join(got, "; ")
		if have == "" {
			have = "-"
		}
		if have != f[2] {
			t.Errorf("%s: %q gives %q, want %q", f[0], f[1], have, f[2])
		}
		n := counts[f[0]]
		if f[2] == "-" {
			n[1]++
		} else {
			n[0]++
		}
		counts[f[0]] = n
	}
	for _, lang := range []string{"en", "zh", "de", "es", "fr", "pt", "it", "ja", "ko", "vi", "ru", "ar"} {
		if n := counts[lang]; n[0] < 5 || n[1] < 10 {
			t.Errorf("%s: %d sentences that are read and %d that are left alone; at least 5 and 10 are needed", lang, n[0], n[1])
		}
	}
}
