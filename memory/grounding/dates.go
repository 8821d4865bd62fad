package grounding

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/language/lazyregexp"
	eastern "reverie/language/number"
)

// day is a date that a text names: a full date, a month or weekday, or parts of a date. Zero parts are not named.
type day struct {
	start, end       int // bytes of the folded text
	year, month, day int
	swapped          bool // 5/8: day and month may be the other way round
	weekday          int  // from Monday, 1 to 7
}

var (
	isoDate     = lazyregexp.New(`\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b`)
	slashedDate = lazyregexp.New(`\b(\d{1,2})([./-])(\d{1,2})(?:([./-])(\d{4}|\d{2})\b|\.|\b)`)
	eastDate    = lazyregexp.New(`(?:(\d{4}) ?[年년] ?)?(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[月월](?: ?(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일])?`)
	vietDate    = lazyregexp.New(`(?:(?:ngày |mùng )?(\d{1,2}) )?tháng (\d{1,2})(?: (?:năm )?(\d{4}))?`)
	koreanWeek  = lazyregexp.New(`(?:^|[^\p{Hangul}])([월화수목금토일]{2,7})(?:은|는|에|만|요일)?(?:[^\p{Hangul}]|$)`) // 화수목
	yearNumber  = lazyregexp.New(`^\W{0,2}(?:of |de |del |di |года )?(\d{4})\b`)
)

// datesOf finds the dates that a folded text names by number or name. Relative expressions are found by reach.
func datesOf(text string, words []span) []day {
	var out []day
	taken := map[int]bool{} // bytes of dates
	add := func(d day) bool {
		if d.month > 12 && d.day <= 12 && d.swapped {
			d.month, d.day = d.day, d.month
		}
		if d.month > 12 || d.day > 31 || d.month == 0 && d.weekday == 0 {
			return false
		}
		for i := d.start; i < d.end; i++ {
			if taken[i] {
				return false
			}
		}
		for i := d.start; i < d.end; i++ {
			taken[i] = true
		}
		out = append(out, d)
		return true
	}
	group := func(at []int, n int) int {
		if at[2*n] < 0 {
			return 0
		}
		s := text[at[2*n]:at[2*n+1]]
		if v, err := strconv.Atoi(s); err == nil {
			return v
		}
		_, v, _ := eastern.Han.Read([]rune(s))
		return int(v)
	}
	digits := strings.ContainsAny(text, "0123456789")
	find := func(kind *lazyregexp.Regexp, possible bool) [][]int {
		if !possible {
			return nil
		}
		return kind.FindAllStringSubmatchIndex(text, -1)
	}
	for _, at := range find(isoDate, digits) {
		if y := group(at, 1); 1900 <= y && y <= 2100 {
			add(day{start: at[0], end: at[1], year: y, month: group(at, 2), day: group(at, 3)})
		}
	}
	for _, at := range find(eastDate, strings.ContainsAny(text, "月월")) {
		if strings.HasPrefix(text[at[1]:], "曜") || strings.HasPrefix(text[at[1]:], "間") || strings.HasPrefix(text[at[1]:], "齢") {
			continue
		}
		add(day{start: at[0], end: at[1], year: group(at, 1), month: group(at, 2), day: group(at, 3)})
	}
	for _, at := range find(vietDate, digits && strings.Contains(text, "tháng")) {
		add(day{start: at[0], end: at[1], year: group(at, 3), month: group(at, 2), day: group(at, 1)})
	}
	for _, f := range lists()["month"].among(words, text) {
		add(monthDay(text, f))
	}
	for _, f := range lists()["weekday"].among(words, text) {
		add(day{start: f.start, end: f.end, weekday: atoi(f.value)})
	}
	for _, at := range find(koreanWeek, strings.ContainsAny(text, "월화수목금토일")) {
		for i, r := range text[at[2]:at[3]] {
			start := at[2] + i
			add(day{start: start, end: start + len(string(r)), weekday: 1 + strings.Index("월화수목금토일", string(r))/len("월")})
		}
	}
	for _, at := range find(slashedDate, digits) {
		a, b, year := group(at, 1), group(at, 3), group(at, 5)
		sign := text[at[4]:at[5]]
		full := at[10] >= 0
		if !full && (sign == "-" || sign == "." && !strings.HasSuffix(text[at[0]:at[1]], ".")) || full && text[at[8]:at[9]] != sign {
			continue // a range, a decimal number
		}
		if year > 0 && year < 100 {
			year += 2000
		}
		if a >= 1 && b >= 1 && (a <= 12 || b <= 12) {
			add(day{start: at[0], end: at[1], year: year, month: b, day: a, swapped: sign == "/" && a <= 12 || b > 12})
		}
	}
	slices.SortFunc(out, func(a, b day) int { return a.start - b.start })
	return out
}

// monthDay completes a month's name with the day and the year next to it.
func monthDay(text string, f found) day {
	d := day{start: f.start, end: f.end, month: atoi(f.value)}
	before := strings.TrimRight(text[max(0, f.start-24):f.start], " ")
	for _, link := range []string{" of", " de", " di", "من"} {
		before = strings.TrimRight(strings.TrimSuffix(before, link), " ")
	}
	if at := lastDay.FindStringSubmatchIndex(before); at != nil && !strings.HasSuffix(before[:at[2]], ":") {
		d.day = atoi(before[at[2]:at[3]])
		d.start = f.start - (len(text[max(0, f.start-24):f.start]) - at[0])
	} else if words := wordsOf(before); len(words) > 0 {
		w := words[len(words)-1]
		if p, ok := wordNumber(before[w.start:w.end]); ok && p.ordinal && p.value <= 31 && w.end == len(before) {
			d.day = int(p.value)
			d.start = f.start - (len(text[max(0, f.start-24):f.start]) - w.start)
		}
	}
	if d.day == 0 {
		if at := nextDay.FindStringSubmatchIndex(text[f.end:]); at != nil {
			d.day = atoi(text[f.end+at[2] : f.end+at[3]])
			d.end = f.end + at[3]
		}
	}
	if at := yearNumber.FindStringSubmatchIndex(text[d.end:]); at != nil {
		d.year = atoi(text[d.end+at[2] : d.end+at[3]])
		d.end += at[3]
	}
	return d
}

var (
	lastDay = lazyregexp.New(`(?:^|[^\d.,:/-])(\d{1,2})(?:st|nd|rd|th|\.|º|er|-го|-е)?$`)
	nextDay = lazyregexp.New(`^ (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?:[^\d:%]|$)`)
)

// calendar holds the days and months that a passage may mean.
type calendar struct {
	days     map[time.Time]bool
	months   map[time.Time]bool // first days
	years    map[int]bool
	weekdays map[int]bool
	resolved map[int]time.Time // weekdays that mean one day
}

func newCalendar() *calendar {
	return &calendar{map[time.Time]bool{}, map[time.Time]bool{}, map[int]bool{}, map[int]bool{}, map[int]time.Time{}}
}

func dateOf(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

func (c *calendar) day(d time.Time) {
	c.days[d] = true
	c.month(d)
	c.weekdays[weekdayOf(d)] = true
}

// about adds a day that is counted from another: its weekday is not named.
func (c *calendar) about(d time.Time) {
	c.days[d] = true
	c.month(d)
}

func (c *calendar) month(d time.Time) {
	c.months[dateOf(d.Year(), int(d.Month()), 1)] = true
	c.years[d.Year()] = true
}

func weekdayOf(d time.Time) int { return (int(d.Weekday())+6)%7 + 1 }

// The distances that an expression without a year, or a weekday without "next", may have.
const (
	nextWeeks = 14 // days
	anyYear   = 1
	beside    = 14 // bytes beside a date in which a word may say whether it is past
	// nearestYear is the distance in days of a date without a year: it is in the year in which it is nearest.
	nearestYear = 330
)

// reach adds the dates that a folded sentence names, written on a day. before are the dates of the sentence before it.
func (c *calendar) reach(text string, on time.Time, dates, before []day, numbers []number) {
	on = dateOf(on.Year(), int(on.Month()), on.Day())
	words := wordsOf(text)
	isNextWeek := false
	for _, f := range lists()["unit"].among(words, text) {
		around := strings.ToValidUTF8(text[max(0, f.start-beside):min(len(text), f.end+beside)], "")
		isNextWeek = isNextWeek || f.value == "w" && slices.ContainsFunc(lists()["coming"].in(around), func(o found) bool {
			return around[o.start:o.end] != "for" // "for eight weeks"
		})
	}
	for _, d := range dates {
		around := text[max(0, d.start-beside):d.start] + "\n" + text[d.end:min(len(text), d.end+beside)]
		if r, _ := firstRune(text[d.start:]); isRun(r) {
			around = text[max(0, d.start-beside):d.start] // 上周二上午
		}
		around = strings.ToValidUTF8(around, "")
		coming := len(lists()["coming"].in(around)) > 0 || strings.HasPrefix(text[d.end:], " week") || d.weekday > 0 && isNextWeek
		c.name(d, on, coming, len(lists()["gone"].in(around)) > 0)
	}
	for _, f := range lists()["relative"].among(words, text) {
		c.day(on.AddDate(0, 0, atoiSigned(f.value)))
	}
	for _, f := range lists()["holiday"].among(words, text) {
		v := atoi(f.value)
		for y := -anyYear; y <= anyYear; y++ {
			c.day(dateOf(on.Year()+y, v/100, v%100))
		}
	}
	unit := map[string]bool{}
	for _, f := range lists()["unit"].among(words, text) {
		unit[f.value] = true
	}
	if unit["e"] {
		for n := -8; n <= nextWeeks; n++ {
			if d := on.AddDate(0, 0, n); weekdayOf(d) >= 6 {
				c.day(d)
			}
		}
	}
	if unit["w"] {
		monday := on.AddDate(0, 0, 1-weekdayOf(on))
		for _, n := range []int{-7, 7} {
			c.about(monday.AddDate(0, 0, n))
			c.about(on.AddDate(0, 0, n))
		}
	}
	if unit["m"] {
		for n := -1; n <= 1; n++ {
			c.month(dateOf(on.Year(), int(on.Month())+n, 1))
			end := dateOf(on.Year(), int(on.Month())+n+1, 0)
			c.days[end] = true
		}
	}
	if unit["y"] {
		c.years[on.Year()] = true
		if len(lists()["behind"].among(words, text)) > 0 {
			c.years[on.Year()-1], c.years[on.Year()-2] = true, true
		}
		if len(lists()["ahead"].among(words, text)) > 0 {
			c.years[on.Year()+1] = true
		}
	}
	c.counted(text, on, unit, numbers, dates, before)
}

// Marks of a day of the month.
var (
	dayBefore = lazyregexp.New(`(?:^|[^\p{L}])(?:the|to|au|el|le|il|dia|día|giorno|jour|ngày|mùng|يوم|am|den|dem|vom|zum|` +
		`on|by|bis|until|до|по|к|à|al|il giorno) ?$|(?:到|至|から) ?$|\d ?[-–]$`)
	dayAfter = lazyregexp.New(`^(?:st|nd|rd|th|\.(?:,| \pL)|º|er| ?[日号號]|일|-?го|-?е)`)
)

// counted adds "in three weeks", "5 years ago", and bare days of the month: "on the 28th".
func (c *calendar) counted(text string, on time.Time, unit map[string]bool, numbers []number, dates, before []day) {
	months := []int{-1, 0, 1}
	if unit["m"] && len(lists()["ahead"].in(text)) > 0 {
		months = []int{1}
	}
	for _, d := range slices.Concat(dates, before) { // "in August, on the 23rd"
		if m := (d.month-int(on.Month())+18)%12 - 6; d.month > 0 && !slices.Contains(months, m) {
			months = append(months, m)
		}
	}
	weekdays := map[int]bool{}
	for _, d := range dates {
		if d.weekday > 0 {
			weekdays[d.weekday] = true
		}
	}
	inDate := covered(text, dates, func(d day) bool { return d.day > 0 })
	for _, n := range numbers {
		if inDate[n.start] {
			continue
		}
		head := strings.ToValidUTF8(text[max(0, n.start-12):n.start], "")
		after := strings.ToValidUTF8(text[n.end:min(len(text), n.end+24)], "")
		counts := ""
		if found := lists()["unit"].in(strings.TrimLeft(after, " -个個半еил")); len(found) > 0 && found[0].start <= 8 {
			counts = found[0].value
		}
		isDated := dayBefore.MatchString(head) || dayAfter.MatchString(after)
		isDay := isDated || len(lists()["weekday"].in(head)) > 0 || strings.HasPrefix(n.keys[0], "o:")
		for _, k := range n.keys {
			v, err := strconv.ParseFloat(strings.TrimPrefix(k, "o:"), 64)
			if err != nil || v < 0 || v > 2100 {
				continue
			}
			whole := int(v)
			if whole >= 1900 {
				c.years[whole] = true
			}
			if v != float64(whole) {
				continue
			}
			for _, m := range months {
				d := dateOf(on.Year(), int(on.Month())+m, whole)
				if !isDay || whole == 0 || d.Day() != whole {
					continue
				}
				c.day(d)
				for weekday := range weekdays { // "from the 20th to Tuesday"
					if isDated {
						c.days[d.AddDate(0, 0, (weekday-weekdayOf(d)+7)%7)] = true
					}
				}
			}
			if counts == "d" && (whole == 8 || whole == 15) { // "en ocho días", "dans quinze jours"
				c.distance(on, counts, whole-1)
			}
			c.distance(on, counts, whole)
		}
	}
}

// covered returns which bytes of a text belong to dates of a kind.
func covered(text string, dates []day, isOfKind func(day) bool) []bool {
	out := make([]bool, len(text))
	for _, d := range dates {
		if !isOfKind(d) {
			continue
		}
		for i := d.start; i < d.end; i++ {
			out[i] = true
		}
	}
	return out
}

// distance adds the days at a number of units from a day, in both directions.
func (c *calendar) distance(on time.Time, unit string, n int) {
	if n > 1000 {
		return
	}
	for _, sign := range []int{-1, 1} {
		switch n := sign * n; unit {
		case "d":
			c.about(on.AddDate(0, 0, n))
		case "w":
			c.about(on.AddDate(0, 0, 7*n))
			c.about(on.AddDate(0, 0, 7*n+1-weekdayOf(on)))
		case "m":
			c.about(on.AddDate(0, n, 0))
			c.month(on.AddDate(0, n, 0))
		case "y":
			c.about(on.AddDate(n, 0, 0))
			c.years[on.Year()+n-1] = true
		}
	}
}

func atoiSigned(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// name adds a date with a number or a name.
func (c *calendar) name(d day, on time.Time, isAhead, isBehind bool) {
	years := []int{d.year}
	if d.year > 0 {
		c.years[d.year] = true
	}
	if d.year == 0 {
		years = []int{on.Year() - 1, on.Year(), on.Year() + 1}
	}
	switch {
	case d.weekday > 0:
		c.weekdays[d.weekday] = true
		if day, ok := c.resolved[d.weekday]; ok && !isAhead {
			c.days[day] = true
			c.month(day)
			return
		}
		from, to := -7, 7
		if isBehind {
			from, to = -nextWeeks, -1
		} else if isAhead {
			from, to = 1, nextWeeks
		}
		for n := from; n <= to; n++ {
			if day := on.AddDate(0, 0, n); weekdayOf(day) == d.weekday {
				c.days[day] = true
				c.month(day)
			}
		}
	case d.day > 0:
		for _, y := range years {
			if far := abs(int(dateOf(y, d.month, d.day).Sub(on).Hours() / 24)); d.year == 0 && !isBehind && far > nearestYear {
				continue
			}
			c.day(dateOf(y, d.month, d.day))
			if d.swapped && d.day <= 12 {
				c.day(dateOf(y, d.day, d.month))
			}
		}
	default:
		for _, y := range years {
			if far := abs(int(dateOf(y, d.month, 15).Sub(on).Hours() / 24)); d.year == 0 && !isBehind && far > nearestYear {
				continue
			}
			c.month(dateOf(y, d.month, 1))
			c.days[dateOf(y, d.month, 1)] = true
		}
	}
}

// has reports whether the calendar has a date that a line names.
func (c *calendar) has(d day) bool {
	switch {
	case d.weekday > 0:
		return c.weekdays[d.weekday]
	case d.day > 0 && d.year > 0:
		return c.days[dateOf(d.year, d.month, d.day)] || d.swapped && c.days[dateOf(d.year, d.day, d.month)]
	case d.day > 0:
		for day := range c.days {
			if int(day.Month()) == d.month && day.Day() == d.day || d.swapped && int(day.Month()) == d.day && day.Day() == d.month {
				return true
			}
		}
		return false
	case d.year > 0:
		return c.months[dateOf(d.year, d.month, 1)]
	}
	for month := range c.months {
		if int(month.Month()) == d.month {
			return true
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }
