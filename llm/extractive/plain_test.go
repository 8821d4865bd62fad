package extractive

import (
	"os"
	"strings"
	"testing"

	"reverie/test/corpus"
)

// plainSentence is a line of testdata/plain.tsv.
type plainSentence struct {
	lang, text           string
	paraphrased, lasting bool
}

func plainSentences(t *testing.T) (all []plainSentence) {
	t.Helper()
	raw, err := os.ReadFile("testdata/plain.tsv")
	if err != nil {
		t.Fatal(err)
	}
	paraphrased := false
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			paraphrased = paraphrased || strings.HasPrefix(line, "# paraphrased")
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("not three columns: %q", line)
		}
		all = append(all, plainSentence{lang: f[0], text: f[1], paraphrased: paraphrased, lasting: f[2] == "+"})
	}
	return all
}

// TestPlain says each sentence of testdata/plain.tsv as all of a message, and expects nine of ten plain statements about oneself in the
// files, and none of their near misses.
func TestPlain(t *testing.T) {
	type share struct{ filed, all int }
	var first, paraphrased share
	misses := 0
	for _, s := range plainSentences(t) {
		in := said("u: "+s.text, "a: OK.")
		p := propose(in)
		filed := len(corpus.KeptOf(in, p).Lasting) > 0
		if !s.lasting {
			misses++
			if filed {
				t.Errorf("%s: %q reaches the files: %s%s", s.lang, s.text, p.ProfileUpdate, p.MemoryUpdate)
			}
			continue
		}
		part := &first
		if s.paraphrased {
			part = &paraphrased
		}
		part.all++
		if filed {
			part.filed++
		} else {
			t.Logf("%s: %q does not reach the files; the note: %q", s.lang, s.text, p.DailyEntry)
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

// TestPlainConversations says the plain statements of each language one after another, to an assistant that only acknowledges them. The
// setting of such a conversation must not make traps of them.
func TestPlainConversations(t *testing.T) {
	byLanguage := map[string][]string{}
	for _, s := range plainSentences(t) {
		if s.lasting {
			byLanguage[s.lang] = append(byLanguage[s.lang], s.text)
		}
	}
	traps, all := 0, 0
	for lang, texts := range byLanguage {
		for _, reply := range []string{"a: OK.", "a: I see.", "a: Thanks, I will keep that in mind! Is there anything else I can help you with?"} {
			var lines []string
			for _, text := range texts {
				lines = append(lines, "u: "+text, reply)
			}
			in := said(lines...)
			c := listen(in.Transcript, in.Today)
			c.passages()
			for i := range c.units {
				u := &c.units[i]
				if u.around == nil {
					t.Fatalf("%s: the setting of %q is not weighed", lang, u.text)
				}
				all++
				if u.trap > 0 {
					traps++
					t.Logf("%s: %q is taken for a trap, %.2f", lang, u.text, u.trap)
				}
			}
		}
	}
	t.Logf("%d of %d plain statements are taken for traps", traps, all)
	if traps*50 > all {
		t.Error("at most one of fifty should be")
	}
}
