package date

import (
	"strings"
	"testing"
	"time"
)

func TestFullDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, text, want string }{
		{"en", "Stays in Rome from 3 March 2026 until April 10, 2026", "3 March 2026=2026-03-03..2026-03-03 April 10, 2026=2026-04-10..2026-04-10"},
		{"en", "The contract holds until 2026-05-01", "2026-05-01=2026-05-01..2026-05-01"},
		{"en", "since March 2026, on Friday, in May, 2000 euros", "March 2026=2026-03-01..2026-03-31"},
		{"de", "bis zum 1. Mai 2026", "1. Mai 2026=2026-05-01..2026-05-01"},
		{"fr", "jusqu'au 1er mai 2026", "1er mai 2026=2026-05-01..2026-05-01"},
		{"es", "hasta el 1 de mayo de 2026", "1 de mayo de 2026=2026-05-01..2026-05-01"},
		{"pt", "até 1 de maio de 2026", "1 de maio de 2026=2026-05-01..2026-05-01"},
		{"it", "fino al 1 maggio 2026", "1 maggio 2026=2026-05-01..2026-05-01"},
		{"ru", "с 3 марта 2026 до 10 апреля 2026 года", "3 марта 2026=2026-03-03..2026-03-03 10 апреля 2026=2026-04-10..2026-04-10"},
		{"zh", "从2026年3月3日到2026年4月10日", "2026年3月3日=2026-03-03..2026-03-03 2026年4月10日=2026-04-10..2026-04-10"},
		{"ja", "2026年3月3日から東京", "2026年3月3日=2026-03-03..2026-03-03"},
		{"ko", "2026년 3월 3일부터", "2026년 3월 3일=2026-03-03..2026-03-03"},
		{"vi", "đến ngày 1 tháng 5 năm 2026", "ngày 1 tháng 5 năm 2026=2026-05-01..2026-05-01"},
		{"ar", "حتى 1 مايو 2026", "1 مايو 2026=2026-05-01..2026-05-01"},
	} {
		var got []string
		for _, d := range findFullDates(c.text, c.lang) {
			got = append(got, c.text[d.Start:d.End]+"="+d.First.Format(time.DateOnly)+".."+d.Last.Format(time.DateOnly))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.text, got, c.want)
		}
	}
}
