package date

import (
	"strings"
	"sync"
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

// maxRolling is the maximum length of a key of rollingPeriods, in lexemes.
const maxRolling = 3

// otherPeriods are expressions of languages without a file of words, and some that are only in questions.
var otherPeriods = map[fixedPeriod]string{
	{oneDay, 0}:      `vandaag, idag, i dag, dzisiaj`,
	{oneDay, -1}:     `gisteren, igår, i går, wczoraj`,
	{oneDay, -2}:     `eergisteren, 前日`,
	{oneWeek, 0}:     `deze week`,
	{oneWeek, -1}:    `vorige week, afgelopen week`,
	{oneWeek, 1}:     `volgende week`,
	{oneMonth, 0}:    `current month, the current month, deze maand`,
	{oneMonth, -1}:   `vorige maand`,
	{oneMonth, 1}:    `volgende maand`,
	{oneYear, 0}:     `current year, the current year, dit jaar`,
	{oneYear, -1}:    `vorig jaar, an dernier`,
	{oneWeekend, -1}: `past weekend`,
}

// doubtfulPeriods are expressions that mean something else in the same language or another one.
const doubtfulPeriods = `mañana, morgen, hier, 올`

// articles begin expressions in statements, but are not part of a period's text.
var articles = fields(`la le el il lo a o na no`)

// questionPeriods returns the expressions for one period in all languages: those of otherPeriods, and those of the files
// of words that have no slots.
var questionPeriods = sync.OnceValue(func() *node {
	var all node
	add := func(phrases string, m *meaning) {
		for _, phrase := range splitList(phrases) {
			at := &all
			for _, l := range lex(fold.Text(phrase)) {
				at = at.child(l.text)
			}
			at.means = m
		}
	}
	for period, list := range otherPeriods {
		add(list, &meaning{"unit", period})
	}
	for _, read := range lexicons {
		for text, child := range read().patterns.next {
			if !isWord(text, articles) {
				all.child(text).merge(child)
			}
		}
	}
	add(doubtfulPeriods, nil)
	return &all
})

// merge adds the patterns for one period, without slots, of another tree.
func (n *node) merge(other *node) {
	if other.means != nil && other.means.kind == "unit" {
		n.means = other.means
	}
	for text, child := range other.next {
		n.child(text).merge(child)
	}
}

// splitList splits a list at its commas.
func splitList(list string) []string {
	items := strings.Split(list, ",")
	for i := range items {
		items[i] = strings.Join(strings.Fields(items[i]), " ")
	}
	return items
}
