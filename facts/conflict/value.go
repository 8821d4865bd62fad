package conflict

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
	"reverie/language/number"
	"reverie/language/script"
)

// kind is the type of a value. Values of different types do not exclude one another: a meeting is on Tuesday and at five.
type kind string

const (
	kindTime    kind = "time"
	kindWeekday kind = "weekday"
	kindDate    kind = "date"
	kindNumber  kind = "number"
	kindVersion kind = "version"
	kindAddress kind = "address" // of mail or of a host
	kindPhone   kind = "phone"
	kindName    kind = "name"
	kindState   kind = "state"
	kindPlace   kind = "place" // of a thing
)

// value is a typed value.
type value struct {
	Kind    kind    `json:"k"`
	Unit    string  `json:"u,omitempty"` // of a number in the base unit of its dimension; a currency
	Raw     string  `json:"r,omitempty"` // unit as written
	Number  float64 `json:"n,omitempty"` // in the base unit; of a time, minutes; of a weekday, 1 for Monday
	Other   float64 `json:"o,omitempty"` // of a number: what it is if a mark in front of three digits is a decimal one; else 0
	Exact   bool    `json:"e,omitempty"` // of a number: it is not marked as rounded; of a place: it is a name
	Half    bool    `json:"h,omitempty"` // of a time: morning or afternoon is unknown
	Several bool    `json:"s,omitempty"` // of a weekday: it recurs
	Period  string  `json:"p,omitempty"` // month or year, of an amount for a period
	Floor   int     `json:"f,omitempty"` // of a number: -1 at most, 1 at least
	Date    [3]int  `json:"d"`           // year, month, day; 0: unknown
	Text    string  `json:"t,omitempty"` // of the other kinds, in comparable form
	at, end int     // in the text
}

// excludes reports whether two values of the same thing cannot both hold.
func (v value) excludes(o value) bool {
	if v.Kind != o.Kind {
		return false
	}
	switch v.Kind {
	case kindTime:
		if v.Half || o.Half {
			return math.Mod(v.Number, halfDay) != math.Mod(o.Number, halfDay)
		}
		return v.Number != o.Number
	case kindWeekday:
		return v.Number != o.Number
	case kindDate:
		for i := range v.Date {
			if v.Date[i] != 0 && o.Date[i] != 0 && v.Date[i] != o.Date[i] {
				return true
			}
		}
		return false
	case kindNumber:
		return v.differs(o)
	case kindVersion:
		return !strings.HasPrefix(v.Text+".", o.Text+".") && !strings.HasPrefix(o.Text+".", v.Text+".")
	case kindPhone:
		return !strings.HasSuffix(v.Text, o.Text) && !strings.HasSuffix(o.Text, v.Text)
	case kindName:
		return namesDiffer(v.Text, o.Text)
	case kindPlace:
		return v.Text != o.Text && broadPlaces[v.Text] == broadPlaces[o.Text] && !strings.Contains(v.Text,
			o.Text) && !strings.Contains(o.Text, v.Text) && (v.Exact && o.Exact || sameSort(v.Text, o.Text))
	case kindState:
		a, isNot := strings.CutPrefix(v.Text, not)
		b, isNotEither := strings.CutPrefix(o.Text, not)
		return (a == b) == (isNot != isNotEither) && !(isNot && isNotEither) && (a == b || !isNot && !isNotEither)
	}
	return v.Text != o.Text
}

// States of what a statement affirms or denies, and the beginning of another state that is denied.
const (
	stateYes = "yes"
	stateNo  = "no"
	not      = "not "
)

// denies reports whether one of two values that exclude one another is the other one denied.
func (v value) denies(o value) bool {
	return v.Kind == kindState && (v.Text == stateNo || o.Text == stateNo || strings.HasPrefix(v.Text, not) != strings.HasPrefix(o.Text, not))
}

const halfDay = 12 * 60

// Tolerances of numbers: of those marked as rounded, and of those in different units.
const (
	roundedWithin   = .15
	convertedWithin = .02
)

func (v value) differs(o value) bool {
	if v.Unit != o.Unit || v.Period != o.Period && v.Period != "" && o.Period != "" {
		return false
	}
	apart := math.Abs(v.Number-o.Number) / max(math.Abs(v.Number), math.Abs(o.Number), 1e-9)
	switch {
	case v.Floor != 0 && o.Floor == 0:
		return float64(v.Floor)*(v.Number-o.Number) > 0
	case o.Floor != 0 && v.Floor == 0:
		return float64(o.Floor)*(o.Number-v.Number) > 0
	case v.Floor != o.Floor:
		return false
	case v.Other > 0 && !v.alike(o, v.Other, o.Number), o.Other > 0 && !v.alike(o, v.Number, o.Other):
		return false
	case !v.Exact || !o.Exact:
		return apart > roundedWithin
	case v.Raw != o.Raw:
		return apart > convertedWithin
	}
	return apart > 1e-6 //nolint:mnd // they are equal
}

// sameSort reports whether two places are of the same sort by their last word: the third and the fifth floor.
func sameSort(a, b string) bool {
	last := func(s string) string {
		if r, size := utf8.DecodeLastRuneInString(s); script.IsHan(r) {
			return s[len(s)-size:]
		}
		return s[strings.LastIndexByte(s, ' ')+1:]
	}
	return last(a) == last(b) || strings.HasPrefix(a, "frau ") != strings.HasPrefix(b, "frau ") && (strings.HasPrefix(a,
		"herr") || strings.HasPrefix(b, "herr"))
}

// alike reports whether one of two readings of a number excludes the other value.
func (v value) alike(o value, a, b float64) bool {
	within := 1e-6
	if !v.Exact || !o.Exact {
		within = roundedWithin
	}
	return math.Abs(a-b)/max(math.Abs(a), math.Abs(b), within) > within
}

// namesDiffer reports whether two names are of different things: a longer form of a name is the same one.
func namesDiffer(a, b string) bool {
	if a == b || strings.Contains(a, b) || strings.Contains(b, a) {
		return false
	}
	x, y := strings.Fields(a), strings.Fields(b)
	for _, w := range x {
		if len(w) > 2 && slices.Contains(y, w) && (len(x) != len(y) || len(x) == 1) {
			return false
		}
	}
	return !(broadPlaces[a] != broadPlaces[b])
}

const (
	monthsEN = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|` +
		`dec(?:ember)?`
	monthsDE = `januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember`
	hourZH   = `[\d一二两三四五六七八九十]{1,3}`
)

// monthNames maps the first letters of months to their numbers.
var monthNames = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "okt": 10,
	"nov": 11,
	"dec": 12, "dez": 12,
}

// scanner finds values of one type. Each returns false for anything else.
type scanner struct {
	pattern *lazyregexp.Regexp
	read    func(m []string) (value, bool)
}

// scanners are in the order in which they take parts of a text.
var scanners = []scanner{
	{lazyregexp.New(`(?i)\bhttps?://[^\s，。]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b(?:[\w-]+\.)+(?:com|org|net|io|de|cn|dev|internal|local|` +
		`example|app|ai)\b|` +
		`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`), func(m []string) (value, bool) {
		return value{Kind: kindAddress, Text: strings.ToLower(strings.TrimRight(m[0], "./"))}, true
	}},
	{lazyregexp.New(`\b(\d{4})-(\d\d)(?:-(\d\d))?\b`), func(m []string) (value, bool) {
		return dateValue(m[1], m[2], m[3])
	}},
	{lazyregexp.New(`(?:(\d{2,4})年)?(` + hourZH + `)月(?:份|底|初|中旬)?(?:(` + hourZH + `)[日号])?`), func(m []string) (value, bool) {
		return dateValue(m[1], m[2], m[3])
	}},
	{lazyregexp.New(`(` + hourZH + `)[日号]`), func(m []string) (value, bool) { return dateValue("", "", m[1]) }},
	{lazyregexp.New(`(?i)\b(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)?\s+(` + monthsDE + `|` +
		`` + monthsEN + `)\b\.?,?(?: (\d{4}))?`), func(m []string) (value, bool) {
		return dateValue(m[3], m[2], m[1])
	}},
	{lazyregexp.New(`(?i)\b(` + monthsEN + `)\.? (?:the )?(\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4}))?`), func(m []string) (value, bool) {
		return dateValue(m[3], m[1], m[2])
	}},
	{lazyregexp.New(`\b(\d{1,2})[./](\d{1,2})[./](\d{4}|\d\d)?`), func(m []string) (value, bool) { return dateValue(m[3], m[2], m[1]) }},
	{lazyregexp.New(`\b(January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|` +
		`Juni|Juli|Oktober|` +
		`Dezember)\b(?: (\d{4}))?`), func(m []string) (value, bool) { return dateValue(m[2], m[1], "") }},
	{lazyregexp.New(`(?i)\b(\d{1,2})(?:st|nd|rd|th)\b|\bam (\d{1,2})\.(?:\s|` +
		`$)`), func(m []string) (value, bool) { return dateValue("", "", m[1]+m[2]) }},
	{lazyregexp.New(`(?i)\b(?:(half past|quarter past|quarter to|halb|viertel nach|viertel vor|dreiviertel) (\d{1,2}|` +
		`[a-zäöüß]+))\b`), spokenTime},
	{lazyregexp.New(`(?i)\b(\d{1,2})(?:[:.](\d{2}))?\s?(?:([ap])\.?m\b\.?|(?:o'clock|uhr(?:\s(\d{2}))?)\b)`), clockTime},
	{lazyregexp.New(`\b(\d{1,2}):(\d{2})\b`), clockTime},
	{lazyregexp.New(`(?i)\b(?:(noon|mittags)|(midnight|mitternacht))\b`), func(m []string) (value, bool) {
		v := value{Kind: kindTime}
		if m[1] != "" {
			v.Number = halfDay
		}
		return v, true
	}},
	{lazyregexp.New(`(凌晨|清晨|早上|上午|中午|下午|晚上|傍晚)?(` + hourZH + `)(?:[:：](\d{2})|[点时](半|一刻|三刻|\d{1,2}分?)?(?:整|钟)?)`), timeZH},
	{lazyregexp.New(`(?i)\b(every |each |jeden |immer )?(mon|tue|tues|wednes|thu|thurs|fri|satur|sun|mon|diens|donners|frei|sams|` +
		`sonn)(day|tag)(s?)\b|` +
		`\b()(mittwoch|sonnabend)()(s?)\b`), weekday},
	{lazyregexp.New(`(每个?)?(?:下个?|这个?|本|上个?)?(?:周|星期|礼拜)([一二三四五六日天])`), func(m []string) (value, bool) {
		n := strings.Index("一二三四五六日", strings.ReplaceAll(m[2], "天", "日")) / len("一")
		return value{Kind: kindWeekday, Number: float64(n + 1), Several: m[1] != ""}, true
	}},
	{lazyregexp.New(`\+?\d(?:[ \-/()]{0,2}\d){6,}`), func(m []string) (value, bool) {
		digits := notDigits.ReplaceAllString(m[0], "")
		return value{Kind: kindPhone, Text: strings.TrimLeft(digits, "0")}, len(digits) <= 15
	}},
	{lazyregexp.New(`\b[vV]?(\d+(?:\.\d+){2,})\b|\b[vV](\d+(?:\.\d+)*)\b`), func(m []string) (value, bool) {
		return value{Kind: kindVersion, Text: m[1] + m[2]}, true
	}},
	{lazyregexp.New(`(?i)(at least |minimum |mindestens |至少|at most |up to |maximum |max\. |höchstens |maximal |最多|不超过)?` +
		`(?:(about|around|roughly|approximately|approx\.?|almost|nearly|circa|ca\.|etwa|ungefähr|rund|knapp|fast|大约|大概|约|差不多|将近|近|some|~)\s*)?` +
		`([$€£¥#]|chf |eur |usd )?\s?(\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?)(?:\s?(k|mio\.?|million(?:en)?|thousand|tausend|万|千|亿)\b|(万|千|亿))?(?:\s|` +
		`-)?(` + unitNames + `)?` +
		`(左右|上下|多|ish)?`), numberOf},
}

var notDigits = lazyregexp.New(`\D`)

func dateValue(year, month, day string) (value, bool) {
	v := value{Kind: kindDate, Date: [3]int{intOf(year), intOf(month), intOf(day)}}
	if runes := []rune(strings.ToLower(month)); v.Date[1] == 0 && len(runes) >= 3 {
		v.Date[1] = monthNames[string(runes[:3])]
	}
	if 0 < v.Date[0] && v.Date[0] < 100 {
		v.Date[0] += 2000
	}
	return v, v.Date[1] <= 12 && v.Date[2] <= 31 && (v.Date[1] > 0 || v.Date[2] > 0)
}

// intOf returns the number that digits or words say; 0: none.
func intOf(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n := smallNumbers[strings.ToLower(s)]; n > 0 {
		return n
	}
	return number.Small(s)
}

func spokenTime(m []string) (value, bool) {
	hour := intOf(m[2])
	if hour < 1 || hour > 24 {
		return value{}, false
	}
	offset := map[string]int{
		"half past": 30, "quarter past": 15, "quarter to": -15, "halb": -30, "viertel nach": 15, "viertel vor": -15,
		"dreiviertel": -15,
	}
	return value{Kind: kindTime, Number: float64(hour*60 + offset[strings.ToLower(m[1])]), Half: hour <= 12}, true
}

func clockTime(m []string) (value, bool) {
	hour, minute := intOf(m[1]), intOf(m[2])
	if len(m) > 4 && m[4] != "" {
		minute = intOf(m[4])
	}
	half := false
	if len(m) > 3 {
		switch {
		case strings.EqualFold(m[3], "p"):
			hour = hour%12 + 12
		case strings.EqualFold(m[3], "a"):
			hour %= 12
		default:
			half = m[2] == "" && 0 < hour && hour <= 12
		}
	}
	return value{Kind: kindTime, Number: float64(hour*60 + minute), Half: half}, hour <= 24 && minute < 60
}

func timeZH(m []string) (value, bool) {
	hour, minute := intOf(m[2]), intOf(m[3])
	if hour == 0 && m[2][0] > '9' { // 三四点, three or four
		return value{}, false
	}
	switch part := strings.TrimSuffix(m[4], "分"); part {
	case "半":
		minute = 30
	case "一刻":
		minute = 15
	case "三刻":
		minute = 45
	case "":
	default:
		minute = intOf(part)
	}
	switch m[1] {
	case "下午", "晚上", "傍晚":
		if hour < 12 {
			hour += 12
		}
	case "中午":
		if hour < 3 {
			hour += 12
		}
	}
	return value{Kind: kindTime, Number: float64(hour*60 + minute), Half: m[1] == "" && m[3] == "" && hour <= 12}, 0 <= hour && hour <= 24
}

func weekday(m []string) (value, bool) {
	name := strings.ToLower(m[2] + m[6])
	if runes := []rune(name); len(runes) > 2 {
		name = string(runes[:2])
	}
	n := map[string]float64{"mo": 1, "tu": 2, "di": 2, "we": 3, "mi": 3, "th": 4, "do": 4, "fr": 5, "sa": 6, "su": 7, "so": 7}[name]
	return value{Kind: kindWeekday, Number: n, Several: m[1] != "" || m[4] != "" || m[8] != ""}, n > 0
}

// unit is a unit of a dimension.
type unit struct {
	base   string
	factor float64
}

const unitNames = `m²|°c|degrees?\b|grad\b|euros?\b|eur\b|€|us dollars?\b|dollars?\b|usd\b|\$|pounds?\b|£|gbp\b|chf\b|francs?\b|` +
	`franken\b|yuan\b|rmb\b|块钱?|元|美元|欧元|英镑|` +
	`km\b|kilomet(?:er|re)s?\b|kilometern?\b|公里|千米|miles?\b|mi\b|英里|cm\b|centimet(?:er|re)s?\b|zentimetern?\b|厘米|mm\b|毫米|meters?\b|` +
	`metres?\b|metern?\b|m\b|米|` +
	`feet\b|ft\b|inch(?:es)?\b|英寸|kg\b|kilos?\b|kilograms?\b|kilogramm\b|公斤|千克|斤|g\b|grams?\b|gramm\b|克|lbs?\b|磅|` +
	`hours?\b|hrs?\b|h\b|stunden?\b|小时|minutes?\b|mins?\b|minuten?\b|分钟|seconds?\b|secs?\b|s\b|sekunden?\b|秒|ms\b|milliseconds?\b|毫秒|` +
	`days?\b|tagen?\b|tage\b|天|` +
	`weeks?\b|wochen?\b|周|星期|months?\b|monaten?\b|monate\b|个月|years?\b|jahren?\b|jahre\b|年|岁|gb\b|mb\b|tb\b|gib\b|g\b|%|percent\b|` +
	`prozent\b|°c|` +
	`度|` +
	`square met(?:er|re)s\b|m²|sqm\b|qm\b|quadratmetern?\b|平米|平方米|litres?\b|liters?\b|litern?\b|liter\b|l\b|升|people\b|persons?\b|` +
	`personen\b|leute\b|个人|人`

// units maps units to their base. Names are folded and without plural endings (see unitOf).
var units = map[string]unit{
	"€": {"eur", 1}, "euro": {"eur", 1}, "eur": {"eur", 1}, "欧元": {"eur", 1}, "$": {"usd", 1}, "dollar": {"usd", 1}, "us dollar": {
		"usd",
		1,
	}, "usd": {"usd", 1},
	"美元": {"usd", 1}, "£": {"gbp", 1}, "pound": {"gbp", 1}, "gbp": {"gbp", 1}, "英镑": {"gbp", 1}, "chf": {"chf", 1}, "franc": {"chf", 1},
	"franken": {"chf", 1},
	"yuan":    {"cny", 1}, "rmb": {"cny", 1}, "¥": {"cny", 1}, "元": {"cny", 1}, "块": {"cny", 1}, "块钱": {"cny", 1},
	"km": {"m", 1000}, "kilometer": {"m", 1000}, "kilometre": {"m", 1000}, "公里": {"m", 1000}, "千米": {"m", 1000}, "mile": {"m", 1609.344},
	"mi": {"m", 1609.344}, "英里": {"m", 1609.344}, "cm": {"m", .01}, "centimeter": {"m", .01}, "centimetre": {"m", .01}, "zentimeter": {
		"m",
		.01,
	}, "厘米": {"m", .01},
	"mm": {"m", .001}, "毫米": {"m", .001}, "m": {"m", 1}, "meter": {"m", 1}, "metre": {"m", 1}, "米": {"m", 1}, "feet": {"m", .3048},
	"ft":   {"m", .3048},
	"inch": {"m", .0254}, "英寸": {"m", .0254},
	"kg": {"kg", 1}, "kilo": {"kg", 1}, "kilogram": {"kg", 1}, "kilogramm": {"kg", 1}, "公斤": {"kg", 1}, "千克": {"kg", 1}, "斤": {"kg", .5},
	"g":    {"kg", .001},
	"gram": {"kg", .001}, "gramm": {"kg", .001}, "克": {"kg", .001}, "lb": {"kg", .4536}, "磅": {"kg", .4536},
	"h": {"min", 60}, "hr": {"min", 60}, "hour": {"min", 60}, "stunde": {"min", 60}, "小时": {"min", 60}, "min": {"min", 1},
	"minute": {"min", 1}, "分钟": {"min", 1},
	"s": {"min", 1. / 60}, "sec": {"min", 1. / 60}, "second": {"min", 1. / 60}, "sekunde": {"min", 1. / 60}, "秒": {"min", 1. / 60},
	"ms": {"min", 1. / 60000}, "millisecond": {"min", 1. / 60000}, "毫秒": {"min", 1. / 60000},
	"day": {"day", 1}, "tag": {"day", 1}, "天": {"day", 1}, "week": {"day", 7}, "woche": {"day", 7}, "周": {"day", 7}, "星期": {"day", 7},
	"month": {"month", 1}, "monat": {"month", 1}, "个月": {"month", 1}, "year": {"month", 12}, "jahr": {"month", 12}, "年": {"month", 12},
	"岁":  {"month", 12},
	"mb": {"gb", .001}, "gb": {"gb", 1}, "gib": {"gb", 1}, "tb": {"gb", 1000}, "%": {"%", 1}, "percent": {"%", 1}, "prozent": {"%", 1},
	"°c": {"°", 1}, "degree": {"°", 1}, "grad": {"°", 1}, "度": {"°", 1},
	"square meter": {"m²", 1}, "square metre": {"m²", 1}, "m²": {"m²", 1}, "sqm": {"m²", 1}, "qm": {"m²", 1}, "quadratmeter": {"m²", 1},
	"平米": {"m²", 1}, "平方米": {"m²", 1},
	"litre": {"l", 1}, "liter": {"l", 1}, "l": {"l", 1}, "升": {"l", 1},
	"people": {"people", 1}, "person": {"people", 1}, "personen": {"people", 1}, "leute": {"people", 1}, "人": {"people", 1},
	"个人": {"people", 1},
}

func unitOf(name string) (unit, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, ending := range []string{"", "s", "es", "n", "en", "e"} {
		if u, ok := units[strings.TrimSuffix(name, ending)]; ok {
			return u, true
		}
	}
	return unit{factor: 1}, false
}

func numberOf(m []string) (value, bool) {
	n, ok := numberIn(m[4])
	other := 0.
	if decimal, err := strconv.ParseFloat(strings.Replace(m[4], ",", ".", 1), 64); err == nil && decimal != n && strings.Count(m[4],
		".")+strings.Count(m[4], ",") == 1 {
		other = decimal
	}
	if !ok {
		return value{}, false
	}
	switch strings.TrimRight(strings.ToLower(m[5]+m[6]), ".") {
	case "k", "thousand", "tausend", "千":
		n *= 1e3
	case "million", "millionen", "mio":
		n *= 1e6
	case "万":
		n *= 1e4
	case "亿":
		n *= 1e8
	}
	v := value{Kind: kindNumber, Number: n, Exact: m[2] == "" && m[8] == ""}
	switch bound := strings.ToLower(strings.TrimSpace(m[1])); bound {
	case "":
	case "at least", "minimum", "mindestens", "至少":
		v.Floor = 1
	default:
		v.Floor = -1
	}
	u, found := unitOf(m[7])
	if !found {
		u, _ = unitOf(m[3])
	}
	v.Unit, v.Number, v.Other, v.Raw = u.base, v.Number*u.factor, other*u.factor, strings.ToLower(strings.TrimSpace(m[7]))
	return v, true
}

// numberIn reads a number in German or English notation: a separator in front of exactly three digits groups thousands.
func numberIn(s string) (float64, bool) {
	s = strings.NewReplacer(" ", "", "'", "").Replace(s)
	if i := strings.LastIndexAny(s, ".,"); i >= 0 {
		mark := s[i : i+1]
		whole := strings.NewReplacer(".", "", ",", "").Replace(s[:i])
		if len(s)-i-1 == 3 && strings.Count(s, mark) == strings.Count(s, ".")+strings.Count(s, ",") && strings.Trim(whole, "0") != "" {
			s = whole + s[i+1:]
		} else {
			s = whole + "." + s[i+1:]
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

// valuesOf returns the values of a text in order, and the text with a space in the place of each.
func valuesOf(text string) (values []value, rest string) {
	rest = text
	for _, s := range scanners {
		for _, at := range s.pattern.FindAllStringSubmatchIndex(rest, -1) {
			m := make([]string, len(at)/2)
			for i := range m {
				if at[2*i] >= 0 {
					m[i] = rest[at[2*i]:at[2*i+1]]
				}
			}
			v, ok := s.read(m)
			before, _ := utf8.DecodeLastRuneInString(rest[:at[0]])
			if inWord := '0' <= rest[at[0]] && rest[at[0]] <= '9' && (unicode.Is(unicode.Latin,
				before) || before == '-' && at[0] > 1 && unicode.Is(unicode.Latin, rune(rest[at[0]-2]))); !ok || inWord {
				continue
			}
			v.at, v.end = at[0], at[1]
			values = append(values, v)
			rest = rest[:at[0]] + strings.Repeat(" ", at[1]-at[0]) + rest[at[1]:]
		}
	}
	slices.SortFunc(values, func(a, b value) int { return a.at - b.at })
	return values, rest
}
