package excerpt

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"reverie/language/analysis"
	"reverie/language/sentence"
	"reverie/search/searchtest"
)

// formsOf returns the forms that a question asks for.
func formsOf(question string) []string {
	var forms []string
	for _, token := range analysis.Analyse(question) {
		forms = append(forms, token.Forms...)
	}
	return forms
}

func TestSnippet(t *testing.T) {
	note := "# Travel\n\nWe talked about trains for an hour.\n\n- Anna flies to Lisbon on 12 May\n- the hotel is near the " +
		"river\n\nNothing else happened, and the evening was quiet."
	sentences := strings.Repeat("Nothing to see here. ", 40) + "Priya moved the ledger to db_port 6543. " +
		strings.Repeat("Nothing to see there. ", 40)
	chinese := strings.Repeat("今天没有什么事。", 40) + "安娜的生日是五月十二日。" + strings.Repeat("明天也没有什么事。", 40)
	for _, c := range []struct {
		name, text, question string
		limit                int
		want                 string
	}{
		{"all of a short text", "\n Anna flies.\n", "Anna", 0, "Anna flies."},
		{"nothing", " \n", "Anna", 0, ""},
		{"whole lines", note, "when does Anna fly to Lisbon?", 70, "- Anna flies to Lisbon on 12 May\n- the hotel is near the river"},
		{"one line", note, "Lisbon", 32, "- Anna flies to Lisbon on 12 May"},
		{"where most terms stand", note, "quiet evening in Lisbon", 60, "Nothing else happened, and the evening was quiet."},
		{"the beginning without a match", note, "Tokyo", 45, "# Travel\n\nWe talked about trains for an hour."},
		{"sentences of a long line", sentences, "db_port of the ledger", 60, "Nothing to see here. Priya moved the ledger to db_port 6543."},
		{"Chinese", chinese, "生日", 24, "安娜的生日是五月十二日。明天也没有什么事。"},
		{"less than a cluster", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "family", 3, ""},
	} {
		got, start := Snippet(c.text, formsOf(c.question), c.limit)
		if got != c.want || c.text[start:start+len(got)] != got {
			t.Errorf("%s: %q at %d, want %q", c.name, got, start, c.want)
		}
	}
}

func TestSnippetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := searchtest.Markdown().Draw(t, "text")
		limit := rapid.IntRange(1, 800).Draw(t, "limit")
		terms := formsOf(rapid.SampledFrom([]string{
			"", "words about db_port", "安娜的生日", "home", "nested star items",
			"привет Évora", "🇵🇹",
		}).Draw(t, "question"))
		got, start := Snippet(text, terms, limit)
		if text[start:start+len(got)] != got {
			t.Fatalf("%q does not stand at %d", got, start)
		}
		if n := utf8.RuneCountInString(got); n > limit {
			t.Fatalf("%d characters, at most %d are allowed", n, limit)
		}
		if from, to := sentence.TrimBlanks(got); from > 0 || to < len(got) {
			t.Fatalf("blanks around %q", got)
		}
		if borders := searchtest.Borders(text); !borders[start] || !borders[start+len(got)] {
			t.Fatalf("%q is cut inside a character", got)
		}
		if limit > sentence.MaxCluster && got == "" && strings.TrimSpace(text) != "" {
			t.Fatal("nothing is shown")
		}
		if limit >= 100 && !sharesTerm(got, terms) && sharesTerm(text, terms) {
			t.Fatalf("%q shows none of %q", got, terms)
		}
	})
}

// sharesTerm reports whether a text has any of the terms.
func sharesTerm(text string, terms []string) bool {
	for _, form := range formsOf(text) {
		if slices.Contains(terms, form) {
			return true
		}
	}
	return false
}

func FuzzSnippet(f *testing.F) {
	f.Add("Anna flies to Lisbon.\nOn 12 May.", "lisbon", 10)
	f.Fuzz(func(t *testing.T, text, question string, limit int) {
		got, start := Snippet(text, formsOf(question), limit)
		if limit <= 0 {
			limit = DefaultSnippet
		}
		if text[start:start+len(got)] != got || utf8.RuneCountInString(got) > limit {
			t.Fatalf("%q at %d", got, start)
		}
	})
}

func BenchmarkSnippet(b *testing.B) {
	texts := map[string]string{"chunk": searchtest.Note, "megabyte": strings.Repeat(searchtest.Note, 1<<20/len(searchtest.Note))}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			terms := formsOf("when does Priya deploy the billing service?")
			for b.Loop() {
				Snippet(text, terms, DefaultSnippet)
			}
		})
	}
}
