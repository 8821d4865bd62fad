package extractive

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	zhNumber  = `(?:\d{1,3}|[一二两三四五六七八九十]{1,3})`
	zhWeek    = `(?:周|星期|礼拜)`
	zhWeekday = `[一二三四五六日天末]`
)

var zhDates = regexp.MustCompile(strings.Join([]string{
	`(?P<y>\d{4})\s?年\s?(?P<ym>\d{1,2})\s?月(?:\s?(?P<yd>\d{1,2})\s?[日号]?)?`,
	`(?P<my>明年|今年|去年)?(?P<m>` + zhNumber + `)\s?月\s?(?:(?P<d>` + zhNumber + `)\s?(?:[日号]|\b)|(?P<mp>底|初|中旬|份)?)`,
	`(?P<rm>上个?|本|这个?|下下个?|下个?)月(?:(?P<rd>` + zhNumber + `)[日号]|(?P<rp>底|初))?`,
	`(?P<rw>下下个?|下个?|上上个?|上个?|本|这个?)` + zhWeek + `(?P<rwd>` + zhWeekday + `)?`,
	zhWeek + `(?P<wd>` + zhWeekday + `)`,
	`(?P<day>大后天|大前天|后天|明天|明早|明晚|明日|今天|今晚|今早|今日|今夜|昨天|昨晚|昨日|前天)`,
	`(?P<n>` + zhNumber + `)(?P<nu>天|周|个星期|个月|年)(?P<nd>之后|以后|后|之前|以前|前)`,
	`(?P<end>月底|月末|年底|年末|周末)`,
	`(?P<year>今年|明年|去年|前年|后年)(?P<yp>年?底)?`,
	`(?P<iso>\d{4}-\d{2}-\d{2})`,
	`(?P<dom>\d{1,2})号`,
}, "|"))

var zhDateGroups = zhDates.SubexpNames()

// datesZH replaces the date expressions of a Chinese sentence by absolute ones ("下周五" → "2026-09-11"), as seen from
// base, and tells the latest of them.
var rescheduledZH = regexp.MustCompile(`改到|改成|改为|改在|推迟|提前|延期|延到|延后`)

func datesZH(s string, base time.Time) (string, moment) {
	if !strings.ContainsAny(s, "今明后昨前月周星礼号日年天") {
		return s, moment{}
	}
	past := strings.Contains(s, "了") && !strings.ContainsAny(s, "要将得") && !strings.Contains(s, "打算") && !strings.Contains(s, "计划") &&
		!strings.Contains(s, "会") && !strings.Contains(s, "定在") && !rescheduledZH.MatchString(s)
	yearly := strings.Contains(s, "生日") || strings.Contains(s, "纪念日") || strings.Contains(s, "出生")
	bound := past || datedZHWords.MatchString(s) && !habitZHWords.MatchString(s)
	var b strings.Builder
	var latest moment
	end := 0
	for _, m := range zhDates.FindAllStringSubmatchIndex(s, -1) {
		if m[0] < end {
			continue
		}
		at, rest := s[:m[0]], s[m[1]:]
		g := func(name string) string {
			for i, n := range zhDateGroups {
				if n == name && m[2*i] >= 0 {
					return s[m[2*i]:m[2*i+1]]
				}
			}
			return ""
		}
		if strings.HasSuffix(at, "每") || strings.HasSuffix(at, "逢") || strings.HasSuffix(at, "每个") || strings.HasSuffix(at, "每月") ||
			strings.HasSuffix(at, "每个月") || lastRune(at) >= '0' && lastRune(at) <= '9' {
			continue
		}
		when, tail, ok := momentZH(g, rest, base, past, yearly, bound)
		if !ok {
			continue
		}
		b.WriteString(s[end:m[0]])
		b.WriteString(when.chinese() + tail)
		end = m[1]
		if m := zhDayRange.FindStringSubmatch(rest); m != nil && g("d") != "" { // 10月5号到7号
			if w, ok := monthDay(base, when.start.Year(), when.start.Month(), numberZH(m[2]), past); ok {
				b.WriteString(m[1] + w.chinese())
				end, when = end+len(m[0]), w
			}
		}
		if w, n := rangeZH(g("rwd"), rest, when, base); n > 0 { // 下周一到周三
			to := strings.IndexAny(rest, "到至-—~")
			b.WriteString(rest[:to] + string(firstRune(rest[to:])) + w.chinese())
			end, when = m[1]+n, w
		}
		if latest.span == noSpan || when.start.After(latest.start) {
			latest = when
		}
	}
	b.WriteString(s[end:])
	return b.String(), latest
}

// A bare weekday is a date where something happens once, and a habit where it is about hours and lessons.
var (
	datedZHWords = regexp.MustCompile(`要|得|会|去|交|面试|考|会议|发版|发布|上线|出发|截止|前|约|飞|到期|评审|演示|提交|来|见|搬|办|婚礼|聚|看|请假|休假|体检|复查|复诊|手术|开始|定在|定于|安排|改到|` +
		`推迟|提前|答辩|回|参加|完成`)
	habitZHWords = regexp.MustCompile(`课|有空|休息|上班|一般|通常|都|经常|平时|总是|固定`)
)

func momentZH(g func(string) string, rest string, base time.Time, past, yearly, boundToDate bool) (moment, string, bool) {
	month := func(offset int) time.Time {
		return time.Date(base.Year(), base.Month()+time.Month(offset), 1, 0, 0, 0, 0, base.Location())
	}
	switch {
	case g("iso") != "":
		t, err := time.ParseInLocation(time.DateOnly, g("iso"), base.Location())
		return day(t), "", err == nil
	case g("y") != "":
		y, _ := strconv.Atoi(g("y"))
		m, _ := strconv.Atoi(g("ym"))
		if g("yd") == "" {
			return moment{start: time.Date(y, time.Month(m), 1, 0, 0, 0, 0, base.Location()), span: spanMonth}, "", m >= 1 && m <= 12
		}
		d, _ := strconv.Atoi(g("yd"))
		w, ok := monthDay(base, y, time.Month(m), d, past)
		return w, "", ok
	case g("m") != "":
		m := numberZH(g("m"))
		if m < 1 || m > 12 {
			return moment{}, "", false
		}
		year := map[string]int{"明年": base.Year() + 1, "今年": base.Year(), "去年": base.Year() - 1}[g("my")]
		if yearly && year == 0 {
			return moment{}, "", false
		}
		if g("d") != "" {
			w, ok := monthDay(base, year, time.Month(m), numberZH(g("d")), past)
			return w, "", ok
		}
		if strings.HasPrefix(rest, "天") && g("mp") == "" {
			return moment{}, "", false // 五月天 is a band
		}
		if strings.HasPrefix(rest, "前") && g("mp") == "" {
			return monthOf(base, year, time.Month(m), past), "", true
		}
		w := monthOf(base, year, time.Month(m), past)
		if g("mp") == "底" {
			return day(w.start.AddDate(0, 1, -1)), "", true
		}
		return w, strings.TrimPrefix(g("mp"), "份"), true
	case g("rm") != "":
		first := month(offsetZH(g("rm")))
		switch {
		case g("rd") != "":
			w, ok := monthDay(base, first.Year(), first.Month(), numberZH(g("rd")), past)
			return w, "", ok
		case g("rp") == "底":
			return day(first.AddDate(0, 1, -1)), "", true
		}
		return moment{start: first, span: spanMonth}, g("rp"), true
	case g("rw") != "":
		if g("rwd") == "" {
			return moment{start: monday(base).AddDate(0, 0, 7*offsetZH(g("rw"))), span: spanWeek}, "", true
		}
		if g("rwd") == "末" {
			return weekdayOfWeek(base, offsetZH(g("rw")), time.Saturday), "周末", true
		}
		return weekdayOfWeek(base, offsetZH(g("rw")), weekdayZH(g("rwd"))), "", true
	case g("wd") != "":
		if g("wd") == "末" || followsRange(rest) || !boundToDate {
			return moment{}, "", false // 周末, 周一到周五 and 周六有舞蹈课 are habits as often as dates
		}
		if past {
			return lastWeekday(base, weekdayZH(g("wd"))), "", true
		}
		return comingWeekday(base, weekdayZH(g("wd"))), "", true
	case g("day") != "":
		return relativeDayZH(g("day"), base)
	case g("n") != "":
		return countedZH(g, base)
	case g("end") != "":
		switch g("end") {
		case "月底", "月末":
			return day(month(1).AddDate(0, 0, -1)), "", true
		case "年底", "年末":
			return day(time.Date(base.Year(), 12, 31, 0, 0, 0, 0, base.Location())), "", true
		}
		return moment{}, "", false
	case g("year") != "":
		y := base.Year() + map[string]int{"今年": 0, "明年": 1, "去年": -1, "前年": -2, "后年": 2}[g("year")]
		if g("yp") != "" {
			return day(time.Date(y, 12, 31, 0, 0, 0, 0, base.Location())), "", true
		}
		if g("year") == "今年" {
			return moment{}, "", false // 今年五岁
		}
		return moment{start: time.Date(y, 1, 1, 0, 0, 0, 0, base.Location()), span: spanYear}, "", true
	case g("dom") != "":
		d, _ := strconv.Atoi(g("dom"))
		if d < 1 || d > 31 || strings.ContainsRune("线楼门机院店桌房库车座位码柜仓", firstRune(rest)) {
			return moment{}, "", false
		}
		w, ok := dayOfMonth(base, d, past)
		return w, "", ok
	}
	return moment{}, "", false
}

func followsRange(rest string) bool {
	return strings.HasPrefix(rest, "到周") || strings.HasPrefix(rest, "至周") || strings.HasPrefix(rest, "到星期") || strings.HasPrefix(rest, "和周")
}

var zhDayRange = regexp.MustCompile(`^\s*(到|至|-|—|~)\s*(\d{1,2})[号日]`)

var zhRange = regexp.MustCompile(`^\s*[到至\-—~]\s*` + zhWeek + `?([一二三四五六日天])`)

// rangeZH reads the end of a range that began with a day of a named week.
func rangeZH(weekday, rest string, from moment, base time.Time) (moment, int) {
	if weekday == "" {
		return moment{}, 0
	}
	m := zhRange.FindStringSubmatch(rest)
	if m == nil {
		return moment{}, 0
	}
	return weekdayOfWeek(from.start, 0, weekdayZH(m[1])), len(m[0])
}

func offsetZH(s string) int {
	switch strings.TrimSuffix(s, "个") {
	case "下":
		return 1
	case "下下":
		return 2
	case "上":
		return -1
	case "上上":
		return -2
	}
	return 0
}

func weekdayZH(s string) time.Weekday {
	return map[string]time.Weekday{"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 0, "天": 0}[s]
}

func relativeDayZH(s string, base time.Time) (moment, string, bool) {
	step := map[string]int{
		"今": 0, "明": 1, "后": 2, "大后": 3, "昨": -1, "前": -2, "大前": -3,
	}
	for _, part := range []struct{ suffix, tail string }{{"早", "早上"}, {"晚", "晚上"}, {"夜", "晚上"}, {"天", ""}, {"日", ""}} {
		if lead, ok := strings.CutSuffix(s, part.suffix); ok {
			if n, ok := step[lead]; ok {
				return day(base.AddDate(0, 0, n)), part.tail, true
			}
		}
	}
	return moment{}, "", false
}

func countedZH(g func(string) string, base time.Time) (moment, string, bool) {
	n := numberZH(g("n"))
	if n < 1 {
		return moment{}, "", false
	}
	if strings.HasSuffix(g("nd"), "前") {
		n = -n
	}
	switch g("nu") {
	case "天":
		return day(base.AddDate(0, 0, n)), "", true
	case "周", "个星期":
		m := day(base.AddDate(0, 0, 7*n))
		m.about = true
		return m, "", true
	case "个月":
		return moment{start: time.Date(base.Year(), base.Month()+time.Month(n), 1, 0, 0, 0, 0, base.Location()), span: spanMonth}, "", true
	}
	return moment{start: time.Date(base.Year()+n, 1, 1, 0, 0, 0, 0, base.Location()), span: spanYear}, "", true
}

var zhDigits = map[rune]int{'一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

// numberZH reads 12, 十二, 二十 and the like; 0 when it is no number.
func numberZH(s string) int {
	if isDigits(s) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return 0
		}
		return n
	}
	n, unit := 0, 0
	for _, r := range s {
		if r == '十' {
			n += max(unit, 1) * 10
			unit = 0
			continue
		}
		unit = zhDigits[r]
	}
	return n + unit
}
