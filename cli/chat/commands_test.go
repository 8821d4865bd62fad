package chat

import (
	"strings"
	"testing"
)

func TestAGauge(t *testing.T) {
	for _, c := range []struct {
		used, trigger, most int
		want                string
	}{
		{0, 75, 100, strings.Repeat("░", 30) + "│" + strings.Repeat("░", 9)},
		{50, 75, 100, strings.Repeat("█", 20) + strings.Repeat("░", 10) + "│" + strings.Repeat("░", 9)},
		{100, 75, 100, strings.Repeat("█", 30) + "│" + strings.Repeat("█", 9)},
		{1, 100, 100, "█" + strings.Repeat("░", 39)},
		{200, 75, 100, strings.Repeat("█", 30) + "│" + strings.Repeat("█", 9)},
	} {
		if got := filled(c.used, c.trigger, c.most); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.used, c.most, got, c.want)
		}
	}
}
