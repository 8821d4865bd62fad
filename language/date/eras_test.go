package date

import (
	"testing"
	"time"

	"reverie/language"
)

func TestYearsOfEras(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"令和5年5月8日の予約":  "令和5年5月8日 2023-05-08 2023-05-09",
		"令和元年に引っ越した":   "令和元年 2019-01-01 2020-01-01",
		"平成31年4月まで働いた": "平成31年4月 2019-04-01 2019-05-01",
		"昭和60年生まれです":   "昭和60年 1985-01-01 1986-01-01",
		"民國113年搬到台北":   "民國113年 2024-01-01 2025-01-01",
		"令和はいい時代です":    "",
		"平成500年":       "",
		"昭和60人":        "",
	} {
		got := ""
		for _, p := range Periods(text, language.Set(0), now) {
			got += p.Text + " " + p.From.Format(time.DateOnly) + " " + p.To.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
