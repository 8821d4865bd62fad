package date

import (
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
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
