package date

import (
	"strings"
	"time"

	"reverie/language/fold"
)

// Words around dates, folded. Each list mixes several languages: a word counts only if a date follows.
var (
	// inWords announce a bare month or year.
	inWords = fields(`in during throughout year im jahr en durante em во в nel à`)
	// sinceWords and afterWords begin a period that lasts until now.
	sinceWords = fields(`since seit depuis desde dal sinds с`)
	afterWords = fields(`after nach après después dopo depois`)
	// boundaryWords end a period without a beginning.
	boundaryWords = fields(`before until till by bis avant jusque antes prima até до`)
	betweenWords  = fields(`between from zwischen von entre de del tra fra dal`)
	andWords      = fields(`and to until till through - – und bis et à y a al e`)
	fillWords     = fields(`the of year early late mid month dem den der jahr jahre anfang ende mitte l ' année mois de del
		año mes dell anno mese do ano mês`)
	// dayWords may precede a day.
	dayWords = fields(`on since until till from between before after by the am vom den der dem zum le du el del il`)
	// verbMonths are month names that are also other words.
	verbMonths = fields(`may march mar mars mai sep set jan dec august`)
	ordinals   = fields(`st nd rd th er º ª °`)
	seasons    = fields(`spring summer autumn fall winter frühling sommer herbst primavera verano otoño invierno printemps été
		automne hiver estate autunno inverno verão outono`)
	// lastWeekday and lastMonth may precede a past weekday or month.
	lastWeekday = fields(`last on past letzten letzter vorigen am`)
	lastMonth   = fields(`last past letzten vergangenen`)
	// counted are measure words. After a number they exclude a Chinese weekday: 上周三 is a day, but 上周三个人 is not.
	counted = fields(`个 個 位 次 人 天 名 件 十 百 千 万 萬 月 年 点 點 只 条 本 张 场 場`)
)

// months maps names to months. English short names need a day or year next to them; see shortMonths.
var months = monthNames(`january januar enero janvier gennaio janeiro januari jänner январе января
	february februar febrero février febbraio fevereiro februari феврале февраля
	march märz marzo mars março maart марте марта
	april abril avril aprile апреле апреля
	may mai mayo maggio maio mei мае мая
	june juni junio juin giugno junho июне июня
	july juli julio juillet luglio julho июле июля
	august agosto août augustus августе августа
	september septiembre septembre settembre setembro сентябре сентября
	october oktober octubre octobre ottobre outubro октябре октября
	november noviembre novembre novembro ноябре ноября
	december dezember diciembre décembre dicembre dezembro декабре декабря`)

var shortMonths = monthNames(`jan
	feb
	mar
	apr
	may
	jun
	jul
	aug
	sep sept
	oct
	nov
	dec`)

// monthNames reads twelve groups of lines; a name that begins a new month is the first in its line.
func monthNames(list string) map[string]time.Month {
	names := make(map[string]time.Month)
	month := time.January
	for line := range strings.SplitSeq(list, "\n") {
		for _, name := range fields(line) {
			names[fold.Text(name)] = month
		}
		month++
	}
	return names
}

// weekdays maps names to days of the week, from Monday.
var weekdays = map[string]int{
	"monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
	"montag": 0, "dienstag": 1, "mittwoch": 2, "donnerstag": 3, "freitag": 4, "samstag": 5, "sonntag": 6,
}

// smallNumbers maps written-out numbers to their values.
var smallNumbers = func() map[string]int {
	numbers := make(map[string]int)
	for _, list := range []string{
		`one two three four five six seven eight nine ten eleven twelve`,
		`ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf`,
		`un dos tres cuatro cinco seis siete ocho nueve diez once doce`,
		`un deux trois quatre cinq six sept huit neuf dix onze douze`,
		`un due tre quattro cinque sei sette otto nove dieci undici dodici`,
		`um dois três quatro cinco seis sete oito nove dez onze doze`,
		`một hai ba bốn năm sáu bảy tám chín mười`,
		`一 二 三 四 五 六 七 八 九 十 十一 十二`,
	} {
		for i, name := range fields(list) {
			numbers[name] = i + 1
		}
	}
	for _, one := range fields(`a an einem einer eine una une uma`) {
		numbers[one] = 1
	}
	numbers["两"], numbers["兩"], numbers["半"] = 2, 2, 0
	delete(numbers, "半")
	return numbers
}()

// calendarUnit is a unit of the calendar.
type calendarUnit uint8

const (
	oneDay calendarUnit = iota + 1
	oneWeek
	oneMonth
	oneYear
	oneWeekend
)

// unitNames maps names to countable units.
var unitNames = func() map[string]calendarUnit {
	names := make(map[string]calendarUnit)
	for of, list := range map[calendarUnit]string{
		oneDay:   `day days tag tage tagen día días jour jours giorno giorni dia dias ngày 天 日`,
		oneWeek:  `week weeks woche wochen semana semanas semaine semaines settimana settimane tuần 周 週 星期 礼拜 週間`,
		oneMonth: `month months monat monate monaten mes meses mois mese mesi mês tháng 月 个月 個月 ヶ月 か月 カ月`,
		oneYear:  `year years jahr jahre jahren año años an ans année années anno anni ano anos năm 年`,
	} {
		for _, name := range fields(list) {
			names[fold.Text(name)] = of
		}
	}
	return names
}()

// chineseWeekdays maps Chinese names to days of the week, from Monday.
var chineseWeekdays = map[string]int{"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}

// fixedPeriod is a unit at an offset from the current one.
type fixedPeriod struct {
	unit   calendarUnit
	offset int
}

// rollingPeriods last from one unit ago until now.
var rollingPeriods = map[string]calendarUnit{
	"past week": oneWeek, "the past week": oneWeek, "the last week": oneWeek,
	"past month": oneMonth, "the past month": oneMonth, "the last month": oneMonth,
	"past year": oneYear, "the past year": oneYear, "the last year": oneYear,
}

// fixedPeriods maps expressions for one period to it, keyed by their lexemes joined with spaces.
var fixedPeriods = func() map[string]fixedPeriod {
	found := make(map[string]fixedPeriod)
	for of, list := range map[fixedPeriod]string{
		{oneDay, 0}: `today, tonight, this morning, this afternoon, this evening, heute, hoy, aujourd'hui, oggi, hoje, vandaag, idag,
			сегодня, dzisiaj, i dag, hôm nay, 今天, 今日, 今晚, 오늘`,
		{oneDay, -1}: `yesterday, last night, gestern, ayer, ieri, ontem, gisteren, igår, вчера, wczoraj, i går, hôm qua,
			昨天, 昨日, 昨晚, きのう, 어제`,
		{oneDay, -2}: `day before yesterday, the day before yesterday, vorgestern, anteayer, avant-hier, l'altro ieri, anteontem,
			eergisteren, позавчера, hôm kia, 前天, 前日, おととい, 一昨日, 그저께`,
		{oneDay, 1}: `tomorrow, demain, domani, amanhã, завтра, ngày mai, 明天, 明日, 내일`,
		{oneDay, 2}: `day after tomorrow, the day after tomorrow, übermorgen, pasado mañana, après-demain, dopodomani, 后天, 後天, 明後日`,
		{oneWeek, 0}: `this week, current week, the current week, diese woche, dieser woche, esta semana, cette semaine, questa settimana,
			deze week, на этой неделе, tuần này, 这周, 這週, 本周, 本週, 这星期, 这个星期, 今週, 이번 주, 이번주`,
		{oneWeek, -1}: `last week, previous week, letzte woche, letzter woche, vorige woche,
			voriger woche, vergangene woche, semana pasada, semaine dernière, settimana scorsa, scorsa settimana, semana passada, vorige week,
			afgelopen week, на прошлой неделе, tuần trước, 上周, 上週, 上星期, 上个星期, 上個星期, 上礼拜, 先週, 지난주, 지난 주`,
		{oneWeek, -2}: `week before last, the week before last, vorletzte woche, 上上周, 上上週, 先々週`,
		{oneWeek, 1}: `next week, nächste woche, nächster woche, próxima semana, semana que viene, semaine prochaine, settimana prossima,
			prossima settimana, semana que vem, volgende week, на следующей неделе, tuần sau, 下周, 下週, 下星期, 来週, 다음 주`,
		{oneMonth, 0}: `this month, current month, the current month, diesen monat, diesem monat, este mes, ce mois, ce mois-ci,
			questo mese, este mês, deze maand, в этом месяце, tháng này, 这个月, 這個月, 本月, 今月, 이번 달, 이번달`,
		{oneMonth, -1}: `last month, previous month, letzten monat, letztem monat,
			vorigen monat, vergangenen monat, mes pasado, mois dernier, mese scorso, scorso mese, mês passado, vorige maand,
			в прошлом месяце, tháng trước, 上个月, 上個月, 上月, 先月, 지난달, 지난 달`,
		{oneMonth, -2}: `month before last, the month before last, vorletzten monat, 上上个月, 上上個月, 先々月`,
		{oneMonth, 1}: `next month, nächsten monat, próximo mes, mois prochain, mese prossimo, próximo mês, volgende maand,
			tháng sau, 下个月, 下個月, 来月, 다음 달`,
		{oneYear, 0}: `this year, current year, the current year, dieses jahr, diesem jahr, este año, cette année, quest'anno, este ano,
			dit jaar, в этом году, năm nay, 今年, 本年, 올해`,
		{oneYear, -1}: `last year, previous year, letztes jahr, letztem jahr, voriges jahr,
			vergangenes jahr, año pasado, année dernière, an dernier, anno scorso, scorso anno, ano passado, vorig jaar,
			в прошлом году, năm ngoái, 去年, 昨年, 작년`,
		{oneYear, -2}:    `year before last, the year before last, vorletztes jahr, 前年, 一昨年`,
		{oneYear, 1}:     `next year, nächstes jahr, próximo año, année prochaine, anno prossimo, próximo ano, năm sau, 明年, 来年, 내년`,
		{oneWeekend, 0}:  `this weekend, dieses wochenende, este fin de semana, ce week-end, questo weekend, 这个周末, 這個週末, 本周末`,
		{oneWeekend, -1}: `last weekend, past weekend, letztes wochenende, fin de semana pasado, week-end dernier, 上周末, 上週末, 先週末`,
	} {
		for _, phrase := range splitList(list) {
			found[key(lex(fold.Text(phrase)))] = of
		}
	}
	return found
}()

// maxFixed is the maximum length of a key of fixedPeriods, in lexemes.
const maxFixed = 5

// splitList splits a list at its commas.
func splitList(list string) []string {
	items := strings.Split(list, ",")
	for i := range items {
		items[i] = strings.Join(strings.Fields(items[i]), " ")
	}
	return items
}
