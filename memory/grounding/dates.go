package grounding

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// day is a date that a text names: a full date, a month or weekday, or parts of a date. Zero parts are not named.
type day struct {
	start, end       int // bytes of the folded text
	year, month, day int
	swapped          bool // 5/8: day and month may be the other way round
	weekday          int  // from Monday, 1 to 7
}

var (
	isoDate     = regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b`)
	slashedDate = regexp.MustCompile(`\b(\d{1,2})([./-])(\d{1,2})(?:([./-])(\d{4}|\d{2})\b|\.|\b)`)
	eastDate    = regexp.MustCompile(`(?:(\d{4}) ?[年년] ?)?(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[月월](?: ?(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일])?`)
	vietDate    = regexp.MustCompile(`(?:(?:ngày |mùng )?(\d{1,2}) )?tháng (\d{1,2})(?: (?:năm )?(\d{4}))?`)
	yearNumber  = regexp.MustCompile(`^\W{0,2}(?:of |de |del |di |года )?(\d{4})\b`)
)

// monthNames, weekdayNames: the value is the number.
var (
	monthNames = phrasesOf(`
1: january, jan, januar, jänner, enero, janvier, gennaio, janeiro, январь, января, январе, يناير, كانون الثاني
2: february, feb, februar, febrero, février, febbraio, fevereiro, февраль, февраля, феврале, فبراير, شباط
3: march, märz, marzo, mars, março, март, марта, марте, مارس, آذار
4: april, apr, abril, avril, aprile, апрель, апреля, апреле, أبريل, ابريل, نيسان
5: may, mai, mayo, maggio, maio, май, мая, мае, مايو, أيار
6: june, jun, juni, junio, juin, giugno, junho, июнь, июня, июне, يونيو, حزيران
7: july, jul, juli, julio, juillet, luglio, julho, июль, июля, июле, يوليو, تموز
8: august, aug, agosto, août, август, августа, августе, أغسطس, آب
9: september, sep, sept, septiembre, setiembre, septembre, settembre, setembro, сентябрь, сентября, сентябре, سبتمبر, أيلول
10: october, oct, oktober, octubre, octobre, ottobre, outubro, октябрь, октября, октябре, أكتوبر, تشرين الأول
11: november, nov, noviembre, novembre, novembro, ноябрь, ноября, ноябре, نوفمبر, تشرين الثاني
12: december, dec, dezember, diciembre, décembre, dicembre, dezembro, декабрь, декабря, декабре, ديسمبر, كانون الأول`)
	weekdayNames = phrasesOf(`
1: monday, mondays, montag, montags, lunes, lundi, lunedì, segunda-feira, segunda, thứ hai, thứ 2, понедельник, понедельника, понедельникам, الاثنين, الإثنين, 周一, 星期一, 礼拜一, 週一, 月曜, 月曜日, 월요일
2: tuesday, tuesdays, tue, dienstag, dienstags, martes, mardi, martedì, terça-feira, terça, thứ ba, thứ 3, вторник, вторника, вторникам, الثلاثاء, الثلاثا, 周二, 星期二, 礼拜二, 週二, 火曜, 火曜日, 화요일
3: wednesday, wednesdays, mittwoch, mittwochs, miércoles, mercredi, mercoledì, quarta-feira, quarta, thứ tư, thứ 4, среда, среду, среды, средам, الأربعاء, الاربعا, 周三, 星期三, 礼拜三, 週三, 水曜, 水曜日, 수요일
4: thursday, thursdays, thu, thurs, donnerstag, donnerstags, jueves, jeudi, giovedì, quinta-feira, quinta, thứ năm, thứ 5, четверг, четверга, четвергам, الخميس, 周四, 星期四, 礼拜四, 週四, 木曜, 木曜日, 목요일
5: friday, fridays, fri, freitag, freitags, viernes, vendredi, venerdì, sexta-feira, sexta, thứ sáu, thứ 6, пятница, пятницу, пятницы, пятницам, الجمعة, جمعة, 周五, 星期五, 礼拜五, 週五, 金曜, 金曜日, 금요일
6: saturday, saturdays, samstag, samstags, sonnabend, sábado, samedi, sabato, sábados, thứ bảy, thứ 7, суббота, субботу, субботы, субботам, السبت, 周六, 星期六, 礼拜六, 週六, 土曜, 土曜日, 토요일
7: sunday, sundays, sonntag, sonntags, domingo, dimanche, domenica, domingos, chủ nhật, воскресенье, воскресенья, الأحد, الاحد, 周日, 周天, 星期日, 星期天, 礼拜天, 週日, 日曜, 日曜日, 일요일`)
	// relativeDays are distances from today in days.
	relativeDays = phrasesOf(`
0: today, tonight, this morning, this evening, heute, hoy, aujourd'hui, ce soir, oggi, stasera, hoje, hôm nay, tối nay, сегодня, اليوم, النهارده, الليلة, 今天, 今日, 今晚, 今早, 本日, 오늘
1: tomorrow, tmrw, morgen, mañana, demain, domani, amanhã, ngày mai, mai, завтра, غدا, بكرة, بكرا, 明天, 明日, 明晚, あした, 내일
2: day after tomorrow, übermorgen, pasado mañana, après-demain, dopodomani, depois de amanhã, ngày kia, послезавтра, بعد غد, بعد بكرة, 后天, 後天, 明後日, あさって, 모레
3: 大后天
-1: yesterday, last night, gestern, ayer, hier, ieri, ontem, hôm qua, вчера, أمس, امبارح, مبارح, 昨天, 昨日, 昨晚, きのう, 어제
-2: day before yesterday, vorgestern, anteayer, antier, avant-hier, anteontem, hôm kia, позавчера, أول أمس, 前天, 前日, おととい, 一昨日, 그저께`)
	// units count days, weeks, months and years.
	units = phrasesOf(`
d: day, days, tag, tage, tagen, día, días, jour, jours, giorno, giorni, dia, dias, ngày, день, дня, дней, يوم, أيام, ايام, يومين, 天, 日, 일
w: week, weeks, fortnight, woche, wochen, semana, semanas, semaine, semaines, settimana, settimane, tuần, неделя, недели, неделю, недель, неделе, أسبوع, الأسبوع, الاسبوع, أسابيع, أسبوعين, 周, 週, 星期, 礼拜, 週間, 주, 담주
e: weekend, wochenende, fin de semana, finde, week-end, weekend, cuối tuần, выходные, выходных, نهاية الأسبوع, 周末, 週末, 주말
m: month, months, monat, monate, monaten, monats, mes, meses, mois, mese, mesi, mês, tháng, месяц, месяца, месяцев, месяце, شهر, أشهر, شهرين, الشهر, 个月, 個月, 月, ヶ月, か月, 来月, 先月, 今月, 달, 개월, 다음 달
y: year, years, yr, yrs, jahr, jahre, jahren, jahres, año, años, ans, année, années, anno, anni, ano, anos, năm, год, года, году, лет, سنة, السنة, سنين, سنوات, سنتين, عام, 年, 年前, 岁, 년, 작년, 재작년, 내년, 올해, 去年, 明年, 今年, 前年, おととし, 来年, 昨年`)
	ahead = phrasesOf(`
x: next, coming, in, nächste, nächsten, nächster, nächstes, kommende, kommenden, próximo, próxima, que viene, prochain, prochaine, prossimo, prossima, que vem, tới, sau, следующий, следующая, следующую, следующей, через, القادم, القادمة, الجاي, الجاية, 下, 来, 後, 后, 다음`)
	behind = phrasesOf(`
x: last, past, ago, previous, before last, vorletztes, vorletzten, antepasado, antepasada, retrasado, avant-dernière, retrasado, позапрошлый, позапрошлом, 재작년, 작년, おととし, 一昨年, 昨年, 去年, letzte, letzten, letzter, letztes, vor, vergangenen, pasado, pasada, hace, dernier, dernière, il y a, scorso, scorsa, fa, passado, passada, há, trước, qua, прошлый, прошлую, прошлой, прошлом, назад, الماضي, الماضية, قبل, 上, 前, 先, 지난, 전`)
	// coming and gone stand beside a weekday or a date.
	coming = phrasesOf(`
x: next, coming, for, nächste, nächsten, nächster, nächstes, kommende, kommenden, kommender, próximo, próxima, que viene, prochain, prochaine, prossimo, prossima, que vem, tới, sau, следующий, следующая, следующую, следующей, следующего, ближайшую, القادم, القادمة, الجاي, الجاية, 下, 来, 今度, 다음, 담`)
	gone = phrasesOf(`
x: last, past, letzte, letzten, letzter, letztes, vergangenen, vergangene, pasado, pasada, dernier, dernière, scorso, scorsa, passado, passada, trước, прошлый, прошлую, прошлой, прошлого, الماضي, الماضية, 上, 先, 지난`)
	// holidays are fixed days of a year: month*100+day.
	holidays = phrasesOf(`
1225: christmas, weihnachten, navidad, noël, natale, natal, giáng sinh, рождество, 圣诞, 圣诞节, クリスマス, 크리스마스
1224: christmas eve, heiligabend, nochebuena
1231: new year's eve, silvester, nochevieja, réveillon
101: new year, new year's, neujahr, año nuevo, nouvel an, capodanno, ano novo, новый год, 元旦, 正月, 새해
1001: 国庆, 国庆节
501: 五一`)
)

// datesOf finds the dates that a folded text names by number or name. Relative expressions are found by reach.
func datesOf(text string) []day {
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
		_, v, _ := sumOf([]rune(s), hanDigits, hanPlaces)
		return int(v)
	}
	digits := strings.ContainsAny(text, "0123456789")
	find := func(kind *regexp.Regexp, possible bool) [][]int {
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
	words := wordsOf(text)
	for _, f := range monthNames.among(words, text) {
		add(monthDay(text, f))
	}
	for _, f := range weekdayNames.among(words, text) {
		add(day{start: f.start, end: f.end, weekday: atoi(f.value)})
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
	lastDay = regexp.MustCompile(`(?:^|[^\d.,:/-])(\d{1,2})(?:st|nd|rd|th|\.|º|er|-го|-е)?$`)
	nextDay = regexp.MustCompile(`^ (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?:[^\d:%]|$)`)
)

// calendar holds the days and months that a passage may mean.
type calendar struct {
	days     map[time.Time]bool
	months   map[time.Time]bool // first days
	years    map[int]bool
	weekdays map[int]bool
	named    map[time.Time]bool // days named as such; their weekday may be named too
}

func newCalendar() *calendar {
	return &calendar{map[time.Time]bool{}, map[time.Time]bool{}, map[int]bool{}, map[int]bool{}, map[time.Time]bool{}}
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

// reach adds the dates that a folded passage names, written on a day.
func (c *calendar) reach(text string, on time.Time, dates []day, numbers []number) {
	on = dateOf(on.Year(), int(on.Month()), on.Day())
	words := wordsOf(text)
	isNextWeek := false
	for _, f := range units.among(words, text) {
		isNextWeek = isNextWeek || f.value == "w" && len(coming.in(strings.ToValidUTF8(text[max(0, f.start-beside):min(len(text), f.end+beside)], ""))) > 0
	}
	for _, d := range dates {
		around := text[max(0, d.start-beside):d.start] + "\n" + text[d.end:min(len(text), d.end+beside)]
		around = strings.ToValidUTF8(around, "")
		c.name(d, on, len(coming.in(around)) > 0 || d.weekday > 0 && isNextWeek, len(gone.in(around)) > 0)
	}
	for _, f := range relativeDays.among(words, text) {
		c.day(on.AddDate(0, 0, atoiSigned(f.value)))
	}
	for _, f := range holidays.among(words, text) {
		v := atoi(f.value)
		for y := -anyYear; y <= anyYear; y++ {
			c.day(dateOf(on.Year()+y, v/100, v%100))
		}
	}
	unit := map[string]bool{}
	for _, f := range units.among(words, text) {
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
		if len(behind.among(words, text)) > 0 {
			c.years[on.Year()-1], c.years[on.Year()-2] = true, true
		}
		if len(ahead.among(words, text)) > 0 {
			c.years[on.Year()+1] = true
		}
	}
	c.counted(text, on, unit, numbers)
}

// Marks of a day of the month.
var (
	dayBefore = regexp.MustCompile(`(?:^|[^\p{L}])(?:the|el|le|il|dia|día|giorno|jour|ngày|mùng|يوم|am|den|dem|vom|zum|on|by|bis|until|до|к|à|al|il giorno) ?$`)
	dayAfter  = regexp.MustCompile(`^(?:st|nd|rd|th|\.(?:,| \pL)|º|er| ?[日号號]|일|-?го|-?е)`)
)

// counted adds "in three weeks", "5 years ago", and bare days of the month: "on the 28th".
func (c *calendar) counted(text string, on time.Time, unit map[string]bool, numbers []number) {
	months := []int{-1, 0, 1}
	if unit["m"] && len(ahead.in(text)) > 0 {
		months = []int{1}
	}
	for _, n := range numbers {
		before := strings.ToValidUTF8(text[max(0, n.start-12):n.start], "")
		after := strings.ToValidUTF8(text[n.end:min(len(text), n.end+24)], "")
		counts := ""
		if found := units.in(strings.TrimLeft(after, " -个個半еил")); len(found) > 0 && found[0].start <= 8 {
			counts = found[0].value
		}
		isDay := dayBefore.MatchString(before) || dayAfter.MatchString(after) || len(weekdayNames.in(before)) > 0 || strings.HasPrefix(n.keys[0], "o:")
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
				if d := dateOf(on.Year(), int(on.Month())+m, whole); isDay && whole > 0 && d.Day() == whole {
					c.day(d)
				}
			}
			c.distance(on, counts, whole)
		}
	}
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
