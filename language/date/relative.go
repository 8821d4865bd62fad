package date

import (
	"strings"
	"time"

	"reverie/language"
)

// key joins lexemes into one string.
func key(words []lexeme) string {
	texts := make([]string, len(words))
	for i, l := range words {
		texts[i] = l.text
	}
	return strings.Join(texts, " ")
}

// relative reads an expression relative to now.
func (r *periodReader) relative(i int) (stretch, int) {
	if fixed, n := r.fixed(i); n > 0 {
		return r.within(i, fixed, n)
	}
	for n := min(maxRolling, len(r.words)-i); n > 0; n-- {
		if unit, ok := rollingPeriods[key(r.words[i:i+n])]; ok {
			return stretch{r.back(unit, 1), r.day(0).to}, n
		}
	}
	if r.text(i) == "hier" && r.in.Has(language.French) && !r.in.Has(language.German) { // German for "here"
		return r.day(-1), 1
	}
	if p, n := r.ago(i); n > 0 {
		return p, n
	}
	if p, n := r.ofMonth(i); n > 0 {
		return p, n
	}
	return r.weekday(i)
}

// fixed reads the longest match of questionPeriods.
func (r *periodReader) fixed(i int) (found fixedPeriod, n int) {
	at := questionPeriods()
	for j := i; j < len(r.words); j++ {
		if at = at.next[r.words[j].text]; at == nil {
			break
		}
		if at.means != nil {
			found, n = at.means.fixedPeriod, j+1-i
		}
	}
	return found, n
}

// within reads a date inside a period of n lexemes, in Chinese and Japanese word order: 去年5月, 上个月8号, 上周三.
func (r *periodReader) within(i int, fixed fixedPeriod, n int) (stretch, int) {
	whole := r.unitAt(fixed.unit, fixed.offset)
	j := i + n
	if j >= len(r.words) || !r.words[j].glued && fixed.unit != oneYear {
		return whole, n
	}
	number, sign := r.number(j), firstOf(r.text(j+1))
	switch fixed.unit {
	case oneYear:
		if number < 1 || number > 12 || sign != "月" && sign != "월" {
			break
		}
		if day := r.number(j + 2); day > 0 && isWord(firstOf(r.text(j+3)), daySigns) {
			if p, ok := r.onDay(whole.from.Year(), time.Month(number), day); ok {
				return p, n + 4
			}
		}
		return r.month(whole.from.Year(), time.Month(number)), n + 2
	case oneMonth:
		if number > 0 && isWord(sign, daySigns) {
			if p, ok := r.onDay(whole.from.Year(), whole.from.Month(), number); ok {
				return p, n + 2
			}
		}
	case oneWeek:
		if at, ok := chineseWeekdays[r.text(j)]; ok && !isWord(r.text(j+1), counted) {
			year, month, day := whole.from.Date()
			return stretch{r.date(year, month, day+at), r.date(year, month, day+at+1)}, n + 1
		}
	}
	return whole, n
}

var daySigns = fields(`日 号 號 일`)

// ofMonth reads "last May" and "this May".
func (r *periodReader) ofMonth(i int) (stretch, int) {
	month, ok := months[r.text(i+1)]
	if !ok || isWord(r.text(i+1), verbMonths) && !r.isCapital(i+1) || isWord(firstOf(r.text(i+2)), []string{"'"}) {
		return stretch{}, 0
	}
	switch {
	case r.text(i) == "this" || r.text(i) == "diesen":
		return r.month(r.now.Year(), month), 2
	case isWord(r.text(i), lastMonth):
		p := r.nearestMonth(month)
		if p.to.After(r.now) {
			p = r.month(p.from.Year()-1, month)
		}
		return p, 2
	}
	return stretch{}, 0
}

// unitAt returns the unit at an offset from the current one.
func (r *periodReader) unitAt(u calendarUnit, offset int) stretch {
	year, month, day := r.now.Date()
	monday := day - (int(r.now.Weekday())+6)%7
	switch u {
	case oneWeek:
		return stretch{r.date(year, month, monday+7*offset), r.date(year, month, monday+7*offset+7)}
	case oneWeekend:
		return stretch{r.date(year, month, monday+7*offset+5), r.date(year, month, monday+7*offset+7)}
	case oneMonth:
		return r.month(year, month+time.Month(offset))
	case oneYear:
		return r.year(year + offset)
	default:
		return r.day(offset)
	}
}

// ago reads a counted distance ("3 days ago", "vor zwei Wochen", "hace un mes", "il y a 3 jours", "三天前") and a counted
// duration until now ("last 3 days", "过去三天").
func (r *periodReader) ago(i int) (stretch, int) {
	if _, u, n := r.amount(i); n > 0 { // amount first
		if after := i + n; after < len(r.words) && isWord(r.words[after].text, agoWords) {
			count, _, _ := r.amount(i)
			return r.unitAt(u, -count), n + 1
		}
		return stretch{}, 0
	}
	for _, prefix := range agoPrefixes {
		n := len(prefix)
		if i+n >= len(r.words) || key(r.words[i:i+n]) != strings.Join(prefix, " ") {
			continue
		}
		if count, u, m := r.amount(i + n); m > 0 {
			return r.unitAt(u, -count), n + m
		}
	}
	for _, prefix := range lastPrefixes {
		n := len(prefix)
		if i+n >= len(r.words) || key(r.words[i:i+n]) != strings.Join(prefix, " ") {
			continue
		}
		if count, u, m := r.amount(i + n); m > 0 {
			return stretch{r.back(u, count), r.day(0).to}, n + m
		}
	}
	return stretch{}, 0
}

// back returns the beginning of the day that is count units before today.
func (r *periodReader) back(u calendarUnit, count int) time.Time {
	year, month, day := r.now.Date()
	switch u {
	case oneWeek:
		return r.date(year, month, day-7*count)
	case oneMonth:
		return r.date(year, month-time.Month(count), day)
	case oneYear:
		return r.date(year-count, month, day)
	default:
		return r.date(year, month, day-count)
	}
}

var (
	agoWords     = fields(`ago fa atrás 前 之前 以前 trước назад 전`)
	agoPrefixes  = [][]string{{"vor"}, {"hace"}, {"il", "y", "a"}, {"há"}}
	lastPrefixes = [][]string{
		{"last"},
		{"past"},
		{"previous"},
		{"letzten"},
		{"vergangenen"},
		{"últimos"},
		{"últimas"},
		{"derniers"},
		{"ultimi"},
		{"ultime"},
		{"最", "近"},
		{"过", "去"},
		{"過", "去"},
		{"这"},
		{"這"},
	}
)

// maxAmount bounds counted distances; larger numbers are not dates.
const maxAmount = 1000

// amount reads a number and a unit.
func (r *periodReader) amount(i int) (count int, of calendarUnit, n int) {
	if i >= len(r.words) {
		return 0, 0, 0
	}
	switch l := r.words[i]; {
	case l.number > 0 && l.number <= maxAmount:
		count, n = l.number, 1
	case key(r.words[i:min(i+3, len(r.words))]) == "a couple of":
		count, n = 2, 3
	default:
		if i+1 < len(r.words) && l.text == "十" {
			if more, ok := smallNumbers[r.words[i+1].text]; ok && more < 10 {
				count, n = 10+more, 2
			}
		}
		if n == 0 {
			count = smallNumbers[l.text]
			n = 1
		}
	}
	if count == 0 {
		return 0, 0, 0
	}
	for length := min(3, len(r.words)-i-n); length > 0; length-- {
		name := strings.ReplaceAll(key(r.words[i+n:i+n+length]), " ", "")
		if u, ok := unitNames[name]; ok {
			return count, u, n + length
		}
	}
	return 0, 0, 0
}

// weekday reads "last Monday" and "on Monday": the latest one before today.
func (r *periodReader) weekday(i int) (stretch, int) {
	if i+1 >= len(r.words) {
		return stretch{}, 0
	}
	at, ok := weekdays[r.words[i+1].text]
	if !ok || !isWord(r.words[i].text, lastWeekday) {
		return stretch{}, 0
	}
	today := (int(r.now.Weekday()) + 6) % 7
	back := (today - at + 7) % 7
	if back == 0 {
		back = 7
	}
	return r.day(-back), 2
}
