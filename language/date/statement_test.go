package date

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

// statements are sentences with the brackets expected.
type statement struct {
	lang       string
	at         time.Time
	text, want string
}

func readStatements(tb testing.TB, file string) []statement {
	tb.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var all []statement
	for line := range strings.Lines(string(content)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 4 {
			continue
		}
		stamp, name, _ := strings.Cut(columns[1], " ")
		zone, err := time.LoadLocation(name)
		if err != nil {
			tb.Fatal(err)
		}
		at, err := time.ParseInLocation("2006-01-02T15:04", stamp, zone)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, statement{columns[0], at, columns[2], columns[3]})
	}
	return all
}

func TestComplete(t *testing.T) {
	for _, s := range readStatements(t, "testdata/statements.tsv") {
		if got := Complete(s.text, s.lang, s.at); got != s.want {
			t.Errorf("%s\n got %s\nwant %s", s.lang, got, s.want)
		}
	}
}

// TestCompleteHeldOut counts the statements completed as expected among those written before the reader.
func TestCompleteHeldOut(t *testing.T) {
	all := readStatements(t, "testdata/statements_heldout.tsv")
	right := 0
	for _, s := range all {
		if got := Complete(s.text, s.lang, s.at); got == s.want {
			right++
		} else {
			t.Logf("%s\n got %s\nwant %s", s.lang, got, s.want)
		}
	}
	if right < 59 {
		t.Errorf("%d of %d, want 59", right, len(all))
	}
}

func TestStatementsAreMany(t *testing.T) {
	completed, left := map[string]int{}, map[string]int{}
	for _, s := range readStatements(t, "testdata/statements.tsv") {
		if s.text == s.want {
			left[s.lang]++
		} else {
			completed[s.lang]++
		}
	}
	for lang := range lexicons {
		if completed[lang] < 15 || left[lang] < 10 {
			t.Errorf("%s: %d statements with dates to complete, %d without; want at least 15 and 10", lang, completed[lang], left[lang])
		}
	}
}

// checkInsertions fails if completing a text changes more than it says, or completes it twice.
func checkInsertions(t *testing.T, text, lang string, at time.Time) {
	t.Helper()
	completed := Complete(text, lang, at)
	rest, end := completed, 0
	for _, in := range Insertions(text, lang, at) {
		if in.Offset < end || in.Offset > len(text) {
			t.Fatalf("%s %q: insertion at %d after %d", lang, text, in.Offset, end)
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, text[end:in.Offset]+in.Text); !ok || !strings.HasSuffix(in.Text, "]") {
			t.Fatalf("%s %q: completed to %q", lang, text, completed)
		}
		end = in.Offset
	}
	if rest != text[end:] {
		t.Fatalf("%s %q: completed to %q", lang, text, completed)
	}
	if again := Complete(completed, lang, at); again != completed {
		t.Fatalf("%s %q: completed to %q, then to %q", lang, text, completed, again)
	}
}

func TestCompleteOnlyInserts(t *testing.T) {
	for _, file := range []string{"testdata/statements.tsv", "testdata/statements_heldout.tsv"} {
		for _, s := range readStatements(t, file) {
			for day := range 14 {
				checkInsertions(t, s.text, s.lang, s.at.AddDate(0, 0, day))
			}
		}
	}
}

// Any words of the lexicon in any order are read: a pattern without what its meaning needs failed only where its words occurred.
func TestCompleteOfAnyWords(t *testing.T) {
	files, err := wordFiles.ReadDir("words")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			raw, err := wordFiles.ReadFile("words/" + file.Name())
			if err != nil {
				t.Fatal(err)
			}
			lang := strings.TrimSuffix(file.Name(), ".txt")
			x := lexicons[lang]()
			weekdays, months := slices.Sorted(maps.Keys(x.weekdays)), append(slices.Sorted(maps.Keys(x.months)), "5")
			units, numbers := slices.Sorted(maps.Keys(x.units)), []string{"1", "3", "31", "2027"}
			phrases := slices.Concat([]string{".", ",", "/"}, weekdays, months, units, numbers)
			for line := range strings.Lines(string(raw)) {
				if _, list, found := strings.Cut(line, ":"); found && line[0] != '#' {
					for _, item := range splitList(list) {
						phrases = append(phrases, expand(item)...)
					}
				}
			}
			rapid.Check(t, func(r *rapid.T) {
				words := rapid.SliceOfN(rapid.SampledFrom(phrases), 1, 6).Draw(r, "words")
				fill := strings.NewReplacer(
					"<day>", rapid.SampledFrom(weekdays).Draw(r, "day"), "<month>", rapid.SampledFrom(months).Draw(r, "month"), "<m>", "5",
					"<d>", "7", "<n>", "2", "<unit>", rapid.SampledFrom(units).Draw(r, "unit"), "*", "", "_", " ")
				checkInsertions(t, fill.Replace(strings.Join(words, " ")), lang, time.Date(2026, time.March, 10, 10, 0, 0, 0, time.UTC))
			})
		})
	}
}

func TestCompleteKnowsTheLanguage(t *testing.T) {
	at := time.Date(2026, time.March, 10, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct{ text, lang, want string }{
		{"See you tomorrow", "en-GB", "See you tomorrow [2026-03-11]"},
		{"明天见面", "zh-Hans", "明天[2026-03-11]见面"},
		{"tomorrow", "nl", "tomorrow"},
		{"tomorrow", "", "tomorrow"},
		{"", "en", ""},
		{"\xff tomorrow \xff", "en", "\xff tomorrow [2026-03-11] \xff"},
	} {
		if got := Complete(c.text, c.lang, at); got != c.want {
			t.Errorf("%s %q is %q, want %q", c.lang, c.text, got, c.want)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, s := range readStatements(f, "testdata/statements.tsv") {
		f.Add(s.text, s.lang, s.at.Unix())
	}
	f.Fuzz(func(t *testing.T, text, lang string, at int64) {
		checkInsertions(t, text, lang, time.Unix(at%(1<<33), 0).UTC())
	})
}

// BenchmarkComplete reports the time per statement, and per byte of long texts, which must not depend on the length.
func BenchmarkComplete(b *testing.B) {
	all := readStatements(b, "testdata/statements.tsv")
	b.Run("statement", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s := all[i%len(all)]
			Complete(s.text, s.lang, s.at)
		}
	})
	for _, sentence := range []string{"We fly next Friday and on May 3 and last year in June. ", "on Friday ", "the of ", "last year "} {
		for _, times := range []int{100, 10_000} {
			text := strings.Repeat(sentence, times)
			b.Run(strings.Fields(sentence)[0]+"/"+strconv.Itoa(len(text)), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Complete(text, "en", all[0].at)
				}
			})
		}
	}
}

func TestNamesMonth(t *testing.T) {
	for _, c := range []struct {
		text, lang string
		want       bool
	}{
		{"We fly on 12 March.", "en", true},
		{"We fly on 12 March 2027.", "en", true},
		{"We fly in March.", "en", true},
		{"We fly on the 14th, not the 12th.", "en", false},
		{"We fly next Friday.", "en", false},
		{"Wir fliegen am 12. März.", "de", true},
		{"Wir fliegen am 14., nicht am 12.", "de", false},
		{"我们3月12日出发。", "zh", true},
		{"我们14号出发。", "zh", false},
		{"3月12日に出発します。", "ja", true},
		{"We fly on 12 March.", "xx", false},
	} {
		if got := NamesMonth(c.text, c.lang); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}
