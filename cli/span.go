package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// span is the value of a flag for a length of time: as Go writes it, with days as well.
type span time.Duration

const (
	day = 24 * time.Hour
	// dayBits bounds the number of days, so that they fit into a time.Duration.
	dayBits = 16
)

// Set implements pflag.Value.
func (s *span) Set(text string) error {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		days, rest = "0", text
	} else if rest == "" {
		rest = "0"
	}
	n, err := strconv.ParseUint(days, 10, dayBits)
	d, bad := time.ParseDuration(rest)
	if err != nil || bad != nil {
		return errors.New("write a length of time such as 36h, 90d or 1d12h")
	}
	*s = span(time.Duration(n)*day + d)
	return nil
}

// String implements pflag.Value.
func (s *span) String() string { return time.Duration(*s).String() }

func (s *span) seconds() int { return int(time.Duration(*s).Seconds()) }

// Type implements pflag.Value.
func (*span) Type() string { return "duration" }

// deadline is the value of a flag for an end: a day or a length of time from now on.
type deadline struct {
	in span
	on time.Time
}

// Set implements pflag.Value.
func (d *deadline) Set(text string) (err error) {
	if on, bad := time.Parse(time.DateOnly, text); bad == nil {
		*d = deadline{on: on}
		return nil
	}
	*d = deadline{}
	if err = d.in.Set(text); err != nil || d.in <= 0 && text != "0" {
		return errors.New("write a length of time such as 36h, 90d or 1d12h, or a day such as 2027-12-31")
	}
	return nil
}

// String implements pflag.Value. It is empty without an end.
func (d *deadline) String() string {
	switch {
	case !d.on.IsZero():
		return d.on.Format(time.DateOnly)
	case d.in == 0:
		return ""
	}
	return d.in.String()
}

// Type implements pflag.Value.
func (*deadline) Type() string { return "duration or day" }

// from returns the end, counted from now; zero: there is none.
func (d *deadline) from(now time.Time) time.Time {
	if d.in == 0 {
		return d.on
	}
	return now.Add(time.Duration(d.in)).UTC().Truncate(time.Second)
}
