package crontab

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"
)

func TestParseCron(t *testing.T) {
	for _, c := range []struct{ in, text, problem string }{
		{in: "0 2 * * *", text: "0 2 * * *"},
		{in: "  0   2 * * 1-5 ", text: "0 2 * * 1-5"},
		{in: "*/15 0,12 1-7/2 JAN mon", text: "*/15 0,12 1-7/2 JAN mon"},
		{in: "0 0 29 2 *", text: "0 0 29 2 *"},
		{in: "", problem: "five fields"},
		{in: "2 * * *", problem: "five fields"},
		{in: "0 0 2 * * *", problem: "five fields"},
		{in: "60 2 * * *", problem: "above maximum"},
		{in: "0 24 * * *", problem: "above maximum"},
		{in: "0 2 * * 7", problem: "Sunday is 0"},
		{in: "@daily", problem: "five fields"},
		{in: "@every 1h", problem: "five fields"},
		{in: "TZ=Europe/Berlin 0 2 * * *", problem: "the time zone is the agent's"},
		{in: "CRON_TZ=UTC 0 2 * * *", problem: "the time zone is the agent's"},
		{in: "0 2 30 2 *", problem: "never fires"},
		{in: "0 2 * * *" + strings.Repeat(" ", maxCron), problem: "longer"},
	} {
		got, err := Parse(c.in)
		switch {
		case c.problem == "" && (err != nil || got.String() != c.text):
			t.Errorf("%q: %q, %v", c.in, got, err)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%q: error %v does not say %q", c.in, err, c.problem)
		}
	}
}

func TestCronFields(t *testing.T) {
	c, err := Parse("0,30 */6 1,15 * 1-5")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]int{{0, 30}, {0, 6, 12, 18}, {1, 15}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 2, 3, 4, 5}},
		[][]int{c.Minutes(), c.Hours(), c.Days(), c.Months(), c.Weekdays()}); diff != "" {
		t.Error(diff)
	}
	if !c.EitherDay() {
		t.Error("both days are restricted: one is enough")
	}
}

// A minute matches if and only if the library computes it as the next one after the previous minute.
func TestCronMatchesWhatTheLibraryCounts(t *testing.T) {
	field := func(t *rapid.T, name string, low, high int) string {
		return rapid.OneOf(rapid.Just("*"), rapid.Just("*/2"), rapid.Map(rapid.IntRange(low, high), func(v int) string {
			return strconv.Itoa(v)
		})).Draw(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join([]string{
			field(t, "minute", 0, 59), field(t, "hour", 0, 23), field(t, "day", 1, 28), field(t, "month", 1, 12), field(t, "weekday", 0, 6),
		}, " ")
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := cron.ParseStandard(text)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 2*366*24*60).Draw(t, "at")) * time.Minute)
		if rapid.Bool().Draw(t, "next") {
			at = reference.Next(at)
		}
		if got, want := c.Matches(at), reference.Next(at.Add(-time.Minute)).Equal(at); got != want {
			t.Errorf("%s at %s: %t, the library says %t", text, at, got, want)
		}
	})
}
