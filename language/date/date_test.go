package date

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"reverie/language"
)

// knownFailures is the number of expressions per language in testdata/expressions.tsv that are not read as expected.
// Most are in the future ("in three days") or ambiguous ("mañana", "08/05/2023").
var knownFailures = map[string]int{"en": 2, "de": 3, "fr": 5, "es": 5, "pt": 5, "zh": 3, "ja": 5, "vi": 6}

func TestExpressions(t *testing.T) {
	content, err := os.ReadFile("testdata/expressions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2023, time.June, 14, 15, 30, 0, 0, time.UTC)
	languages := map[string]language.Set{
		"en": 1 << language.English, "de": 1 << language.German, "fr": 1 << language.French, "es": 1 << language.Spanish,
		"pt": 1 << language.Portuguese, "vi": 1 << language.Vietnamese, "zh": language.LatinStems, "ja": language.LatinStems,
	}
	expressions, failures := map[string]int{}, map[string][]string{}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 4 {
			continue
		}
		in, text, want := fields[0], fields[1], fields[2]+" "+fields[3]
		expressions[in]++
		var read []string
		for _, p := range Periods(text, languages[in], now) {
			read = append(read, p.From.Format(time.DateOnly)+" "+p.To.AddDate(0, 0, -1).Format(time.DateOnly))
		}
		if got := strings.Join(read, ", "); got != want {
			failures[in] = append(failures[in], fmt.Sprintf("%q is %q, want %q", text, got, want))
		}
	}
	for in, known := range knownFailures {
		if expressions[in] != 25 {
			t.Errorf("%s: %d expressions, want 25", in, expressions[in])
		}
		if len(failures[in]) != known {
			t.Errorf("%s: %d failures, want %d:\n%s", in, len(failures[in]), known, strings.Join(failures[in], "\n"))
		}
	}
}
