package notes

import (
	"regexp"
	"strings"
	"time"

	"reverie/memory"
)

// outlined is what the headings over a line say.
type outlined struct {
	at      time.Time
	machine bool // a dream's section was pasted there
}

var (
	clockTitle = regexp.MustCompile(`^([01]?\d|2[0-3])[:：]([0-5]\d)(?::[0-5]\d)?(?:\s*[-–—:：·|]\s+|\s+|$)`)
	dateTitle  = regexp.MustCompile(`(?i)^(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|noon|afternoon|evening|night|today|notes?|daily notes?|log|journal|misc|` +
		`上午|中午|下午|晚上|早上|今天|今日|笔记|日记|日志|(?:星期|周)[一二三四五六日天])[\s,，.:：]*(?:\d{4}-\d{2}-\d{2})?$`)
)

// titleOf is what a heading says besides a time or a date; empty when that is nothing.
func titleOf(heading string) string {
	if m := clockTitle.FindString(heading); m != "" {
		heading = heading[len(m):]
	}
	if heading = strings.TrimSpace(heading); dateTitle.MatchString(heading) {
		return ""
	}
	return heading
}

// outlineOf tells for each line of a note under which headings it stands.
func outlineOf(n Note, zone *time.Location) []outlined {
	if zone == nil {
		zone = time.UTC
	}
	day, err := time.ParseInLocation(time.DateOnly, string(n.Day), zone)
	if err != nil {
		day = time.Time{}.In(zone)
	}
	var (
		out            []outlined
		current        = outlined{at: clock(day, middayHour, 0)}
		timed, machine int // levels of the headings that set them; 0: none did
	)
	for _, s := range memory.Sections(n.Content) {
		if s.Level > 0 {
			if m := clockTitle.FindStringSubmatch(s.Heading); m != nil {
				current.at, timed = clock(day, digits(m[1]), digits(m[2])), s.Level
			} else if timed > 0 && s.Level <= timed {
				current.at, timed = clock(day, middayHour, 0), 0
			}
			if machine > 0 && s.Level <= machine {
				current.machine, machine = false, 0
			}
			if machine == 0 && machineHeading.MatchString(titleOf(s.Heading)) {
				current.machine, machine = true, s.Level
			}
			out = append(out, current)
		}
		for range s.Lines {
			out = append(out, current)
		}
	}
	return out
}

// outlineAt is the outline of a line, from 1.
func (r *noteReader) outlineAt(line int) outlined { return r.outline[min(line, len(r.outline))-1] }

// clock is a time of a day.
func clock(day time.Time, hour, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// digits reads digits that a pattern has found.
func digits(text string) int {
	n := 0
	for _, d := range text {
		n = 10*n + int(d-'0')
	}
	return n
}

// middayHour is the hour of statements without a time.
const middayHour = 12
