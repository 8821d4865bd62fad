package grounding

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reverie/language/date"
	"reverie/language/lazyregexp"
	eastern "reverie/language/number"
)

// number is a number of a text. Two numbers agree if they share a key.
type number struct {
	start, end int      // bytes of the folded text
	keys       []string // "12", "4.5", "t:450" for the time of day in minutes on a clock of twelve hours
	isWord     bool
	unsure     bool // the word has other meanings, so it is evidence but needs none
}

// figures matches digits with their separators: 1.250,50; 1'200; 10 000; 19:30; 10.3.2.8.
var figures = lazyregexp.New(`\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?\b|\b\d{1,2}[hm]\d{2}\b|\d+(?:[.,:٫٬]\d+)*`)

// placed is a word or run of digits that is part of a number.
type placed struct {
	start, end int
	value      float64
	keys       []string // of digits
	magnitude  bool     // value multiplies the number before it
	ordinal    bool
	unsure     bool
}

// key formats a value.
func key(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64) }

// clock returns the key of a time of day.
func clock(hour, minute int) string { return fmt.Sprintf("t:%d", (hour%12)*60+minute) }

// numbersOf finds the numbers of a folded text, in digits and in words.
func numbersOf(text string, words []span) []number {
	var out []number
	parts := numberParts(text, words)
	for i := 0; i < len(parts); {
		n := 1
		for i+n < len(parts) && joined(text, parts[i+n-1], parts[i+n]) {
			n++
		}
		out = append(out, compose(text, parts[i:i+n])...)
		i += n
	}
	for i := range out {
		out[i].finish(text)
		if i > 0 {
			out[i].join(text, out[i-1])
		}
	}
	return out
}

// join adds the time of day that a number names together with the one before it: "8 y 20", "twenty past nine", "ten to five".
func (n *number) join(text string, before number) {
	a, b := atoi(before.keys[0]), atoi(n.keys[0])
	switch text[before.end:n.start] {
	case " y ", " e ", " et ":
		if a >= 0 && a <= 24 && b >= 5 && b < 60 {
			n.keys = append(n.keys, clock(a, b))
		}
	case " past ", " nach ":
		if b > 0 && b <= 12 && a >= 5 && a < 30 {
			n.keys = append(n.keys, clock(b, a))
		}
	case " to ", " vor ":
		if b > 0 && b <= 12 && a >= 5 && a < 30 {
			n.keys = append(n.keys, clock(b+23, 60-a))
		}
	}
}

// separators replaces the separators of numbers by ASCII ones.
var separators = strings.NewReplacer("٫", ".", "٬", ",", "’", "'", "h", ":", "m", ".")

// numberParts finds the digits and number words of a folded text, in order.
func numberParts(text string, words []span) []placed {
	var parts []placed
	var digits [][]int
	if strings.ContainsFunc(text, unicode.IsDigit) {
		digits = figures.FindAllStringIndex(text, -1)
	}
	d := 0
	take := func(before int) {
		for d < len(digits) && digits[d][0] < before {
			at := digits[d]
			d++
			keys, value := readings(text[at[0]:at[1]])
			parts = append(parts, placed{start: at[0], end: at[1], value: value, keys: keys})
		}
	}
	for _, w := range words {
		take(w.start + 1)
		if w.isRun {
			parts = append(parts, runNumbers(text, w)...)
			continue
		}
		parts = append(parts, wordNumbers(text, w)...)
	}
	take(len(text) + 1)
	slices.SortStableFunc(parts, func(a, b placed) int { return a.start - b.start })
	return parts
}

// wordNumbers reads a word: "25k", "twenty-five", "fünfundzwanzig", "وعشرين".
func wordNumbers(text string, w span) []placed {
	word := text[w.start:w.end]
	if i := strings.LastIndexAny(word, "0123456789"); i >= 0 {
		if rest := word[i+1:]; rest != "" {
			if m, ok := magnitude(rest); ok {
				return []placed{{start: w.start + i + 1, end: w.end, value: m, magnitude: true}}
			}
		}
		return nil
	}
	if p, ok := wordNumber(word); ok {
		p.start, p.end = w.start, w.end
		return []placed{p}
	}
	if !strings.Contains(word, "-") {
		return nil
	}
	var out []placed
	at := w.start
	for piece := range strings.SplitSeq(word, "-") {
		if p, ok := wordNumber(piece); ok {
			p.start, p.end = at, at+len(piece)
			out = append(out, p)
		}
		at += len(piece) + 1
	}
	return out
}

// roundEndings are endings of words that are or contain a round number, with those of the number: novantina, settant'anni.
var roundEndings = [][2]string{{"ina", "a"}, {"'anni", "a"}, {"aine", "e"}}

func wordNumber(word string) (placed, bool) {
	if m, ok := magnitude(word); ok && word != "w" && word != "k" && word != "tr" {
		return placed{value: m, magnitude: true, unsure: unsureWords[word]}, true
	}
	if v, ok := compound(word); ok {
		return placed{value: v.value, ordinal: v.ordinal, unsure: v.value == 1 || v.ordinal || unsureWords[word]}, true
	}
	for _, ending := range roundEndings {
		if stem, found := strings.CutSuffix(word, ending[0]); found && len(stem) > 4 {
			if v, ok := numberWord(stem + ending[1]); ok && v.value >= 20 {
				return placed{value: v.value}, true
			}
		}
	}
	if r, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Arabic, r) {
		for _, prefix := range []string{"و", "ب", "ال", "وال", "لل", "بال"} {
			if rest, found := strings.CutPrefix(word, prefix); found {
				if v, ok := numberWord(rest); ok {
					return placed{value: v.value, ordinal: v.ordinal, unsure: v.value == 1 || v.ordinal}, true
				}
			}
		}
	}
	return placed{}, false
}

// readings returns what digits with separators may mean.
func readings(s string) (keys []string, value float64) {
	add := func(text string) {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			if len(keys) == 0 {
				value = v
			}
			keys = append(keys, key(v))
		}
	}
	var groups []string
	var signs []byte
	start := 0
	s = separators.Replace(s) // 5h30 is a time, 1m58 a length
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			groups, signs = append(groups, s[start:i]), append(signs, s[i])
			start = i + 1
		}
	}
	groups = append(groups, s[start:])
	threes := true
	for _, g := range groups[1:] {
		threes = threes && len(g) == 3
	}
	if slices.Contains(signs, ' ') { // "10 000", or two numbers
		add(strings.Join(groups, ""))
		for _, g := range groups {
			add(g)
		}
		return keys, value
	}
	same := len(slices.Compact(slices.Clone(signs))) <= 1
	switch n := len(signs); {
	case n == 0:
		add(s)
	case slices.Contains(signs, ':'):
		if h, m := atoi(groups[0]), atoi(groups[1]); n <= 2 && h <= 24 && m < 60 && len(groups[1]) == 2 {
			return []string{clock(h, m), s}, float64(h)
		}
		return []string{s}, 0
	case same && threes && len(groups[0]) <= 3 && groups[0] != "0":
		add(strings.Join(groups, ""))
		if n == 1 && (signs[0] == '.' || signs[0] == ',') {
			add(groups[0] + "." + groups[1])
		}
	case same && n == 1:
		add(groups[0] + "." + groups[1])
		if h, m := atoi(groups[0]), atoi(groups[1]); h <= 24 && m < 60 && len(groups[1]) == 2 {
			keys = append(keys, clock(h, m))
		}
	case !same && slices.Index(signs, signs[n-1]) == n-1:
		add(strings.Join(groups[:n], "") + "." + groups[n])
	default:
		keys = append(keys, s)
	}
	return keys, value
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// connectors may join the words of one number.
var connectors = map[string]bool{
	"": true, " ": true, "-": true, " and ": true, " y ": true, " e ": true, " et ": true, " и ": true, " lẻ ": true, " linh ": true,
	" و ": true, " و": true, " a ": false,
}

// join is a way in which two parts are one number: the first is a multiple of round, and each lies between two values, without the upper one.
type join struct {
	first, second [2]float64
	round         float64                                  // 0: any
	only          func(before, between, after string) bool // nil: always
}

var joins = []join{
	{first: [2]float64{20, math.Inf(1)}, round: 10, second: [2]float64{0, 10}},    // vingt-deux
	{first: [2]float64{60, 61}, second: [2]float64{0, 20}},                        // soixante-douze
	{first: [2]float64{80, 81}, second: [2]float64{0, 20}},                        // quatre-vingt-douze
	{first: [2]float64{100, math.Inf(1)}, round: 100, second: [2]float64{0, 100}}, // two hundred and twelve
	{first: [2]float64{10, 11}, second: [2]float64{0, 10}, only: func(_, between, _ string) bool { // diez y seis
		return between != "" && between != "-"
	}},
	{first: [2]float64{20, 21}, second: [2]float64{10, 20}, only: func(before, _, _ string) bool { // the "vingt-douze" of ninety-two
		return strings.HasSuffix(before, "quatre-")
	}},
	{first: [2]float64{4, 5}, second: [2]float64{20, 21}, only: func(_, between, _ string) bool { return between != " and " }}, // quatre-vingt
	{first: [2]float64{0, 10}, second: [2]float64{20, 100}, only: func(_, between, after string) bool { // خمسة وعشرون
		return strings.HasPrefix(between+after, " و")
	}},
}

// joins reports whether the parts a and b of a text are one number so.
func (j join) joins(text string, a, b placed) bool {
	in := func(v float64, bounds [2]float64) bool { return bounds[0] <= v && v < bounds[1] }
	return in(a.value, j.first) && in(b.value, j.second) && (j.round == 0 || math.Mod(a.value, j.round) == 0) &&
		(j.only == nil || j.only(text[:a.start], text[a.end:b.start], text[b.start:]))
}

// joined reports whether two parts may belong to one number.
func joined(text string, a, b placed) bool {
	between := text[a.end:b.start]
	if !connectors[between] || a.ordinal || a.magnitude && b.unsure && b.value == 1 {
		return false
	}
	switch {
	case b.magnitude:
		return len(between) <= 1
	case a.magnitude:
		return b.value < a.value || !b.magnitude && b.value < a.value
	case a.keys != nil || b.keys != nil:
		return false
	}
	return slices.ContainsFunc(joins, func(j join) bool { return j.joins(text, a, b) })
}

// compose returns the number that parts name together, and the parts that are numbers on their own.
func compose(text string, parts []placed) []number {
	if len(parts) == 1 {
		p := parts[0]
		n := number{start: p.start, end: p.end, isWord: p.keys == nil, unsure: p.unsure}
		if n.keys = p.keys; n.keys == nil {
			n.keys = []string{key(p.value)}
			if p.ordinal {
				n.keys = []string{"o:" + key(p.value)}
				if r, _ := firstRune(text[p.start:]); unicode.In(r, unicode.Cyrillic, unicode.Arabic) {
					n.keys = append(n.keys, key(p.value)) // 2 курс, الساعة السابعة
				}
			}
			n.unsure = n.unsure || p.magnitude && p.value != 12
		}
		return []number{n}
	}
	var total, section, last float64
	first := parts[0]
	n := number{start: first.start, end: parts[len(parts)-1].end, isWord: true}
	for i, p := range parts {
		n.isWord = n.isWord && p.keys == nil
		switch {
		case p.magnitude:
			if section == 0 {
				section = 1
			}
			if p.value >= 1e3 {
				total += section * p.value
				section = 0
			} else {
				section *= p.value
			}
			last = p.value
		case section == 4 && p.value == 20 && i > 0:
			section = 80
		default:
			section += p.value
			if i == len(parts)-1 && last >= 1e3 && p.value < 10 && p.keys == nil {
				n.keys = append(n.keys, key(total+p.value*last/10)) // 三万二 is 32,000
			}
		}
	}
	n.keys = append([]string{key(total + section)}, n.keys...)
	if first.keys != nil && len(parts) == 2 && parts[1].magnitude {
		n.keys = append(n.keys, first.keys[0]) // "for 750" may mean thousands
		for _, k := range first.keys[1:] {
			if v, err := strconv.ParseFloat(k, 64); err == nil {
				n.keys = append(n.keys, key(v*parts[1].value))
			}
		}
	}
	if len(parts) == 4 && parts[1].magnitude && parts[3].magnitude && parts[1].value > parts[3].value {
		n.keys = append(n.keys, key(first.value*parts[1].value+parts[2].value*parts[3].value*1e4)) // 3억 2천
	}
	return []number{n}
}

var ordinalAfter = lazyregexp.New(`^(?:st|nd|rd|th|\.|º|ª|er|ème|e|-?й|-?м|-?го)(?:\P{L}|$)`)

// nearby is the distance of words that change a number, in bytes.
const nearby = 24

// finish adds the keys that follow from the words around a number: halves, and hours of the day.
func (n *number) finish(text string) {
	if len(n.keys) == 1 && !n.isWord && ordinalAfter.MatchString(text[n.end:]) {
		n.keys = append(n.keys, "o:"+n.keys[0])
	}
	v, err := strconv.ParseFloat(n.keys[0], 64)
	for _, m := range []float64{1e9, 1e6, 1e3} {
		if after := text[n.end:min(len(text), n.end+nearby)]; v >= m && startsWith("half", after) { // 9 triệu rưỡi
			n.keys = append(n.keys, key(v+m/2))
			return
		}
	}
	if err != nil || v < 0 || v > 1e4 {
		return
	}
	before, after := text[max(0, n.start-nearby):n.start], text[n.end:min(len(text), n.end+nearby)]
	if year, is := date.EraYear(before, int(v)); is && strings.HasPrefix(after, "年") {
		n.keys = append(n.keys, key(float64(year)))
	}
	around := strings.ToValidUTF8(before, "") + "\n" + strings.ToValidUTF8(after, "")
	hour := v <= 24 && v == math.Trunc(v)
	for _, half := range lists()["half"].in(around) {
		n.keys = append(n.keys, key(v+.5))
		if hour && half.value == "p" { // halb acht is half past seven
			n.keys = append(n.keys, clock(int(v)+23, 30))
		} else if hour {
			n.keys = append(n.keys, clock(int(v), 30))
		}
	}
	if hour && len(lists()["quarter"].in(around)) > 0 {
		n.keys = append(n.keys, clock(int(v), 15), clock(int(v), 45), clock(int(v)+23, 45))
	}
	if hour && len(lists()["hour"].in(around)) > 0 {
		n.keys = append(n.keys, clock(int(v), 0))
	}
}

// numeral is the value of a number word.
type numeral struct {
	value   float64
	ordinal bool
}

// unsureWords are number words with other meanings.
var unsureWords = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`one once dos sei neuf nove mil cento cent elf acht twins second half quarter ba năm tư mốt bay couple pair both
		six dix on sete ten mille`) {
		out[word] = true
	}
	for word := range strings.FieldsSeq("six ten dix mille cento dos sei nove") {
		delete(out, word)
	}
	return out
}()

//go:embed words/numbers.txt
var numberFile string

// numberWords maps words to numbers, and magnitudes to the factors that they multiply with, in all languages with spaces.
var numberWords = sync.OnceValues(func() (words map[string]numeral, factors map[string]float64) {
	words, factors = map[string]numeral{}, map[string]float64{}
	for line := range strings.Lines(numberFile) {
		head, list, found := strings.Cut(line, ":")
		kind := strings.Fields(head)
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		from, step := floatOf(kind[0]), floatOf(kind[1])
		for i, names := range strings.Fields(list) {
			for name := range strings.SplitSeq(names, "/") {
				exact := light(name)
				if len(kind) > 2 && kind[2] == "magnitude" {
					factors[exact] = from
					continue
				}
				for _, form := range []string{exact, bare(name)} {
					if _, known := words[form]; !known && (form == exact || !isVietnamese(exact) && len(form) > 3) {
						words[form] = numeral{from + step*float64(i), len(kind) > 2}
					}
				}
			}
		}
	}
	return words, factors
})

func numberWord(word string) (numeral, bool) {
	words, _ := numberWords()
	n, known := words[word]
	return n, known
}

func magnitude(word string) (float64, bool) {
	_, factors := numberWords()
	factor, known := factors[word]
	return factor, known
}

func floatOf(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return -1
	}
	return v
}

// glued matches numbers that are written as one word: zweitausendfünfhundert, dreihundertzwölf, tremila.
var glued = lazyregexp.New(`^(.*?)(tausend|hundert|mila)(.*)$`)

// compound reads a number word, also one of several parts or with an ending.
func compound(word string) (numeral, bool) {
	if v, ok := numberWord(word); ok {
		return v, true
	}
	for _, ending := range []string{"jährige", "jährig", "n", "r", "s", "m"} {
		if rest, found := strings.CutSuffix(word, ending); found && len(rest) > 3 {
			if v, ok := numberWord(rest); ok && (v.ordinal && strings.HasSuffix(rest, "te") || len(ending) > 1) {
				return v, true
			}
		}
	}
	if !strings.Contains(word, "tausend") && !strings.Contains(word, "hundert") && !strings.HasSuffix(word, "mila") {
		return numeral{}, false
	}
	m := glued.FindStringSubmatch(word)
	if m == nil || m[1] == "" {
		return numeral{}, false
	}
	times, ok := numberWord(m[1])
	rest := numeral{}
	if ok && m[3] != "" {
		rest, ok = compound(m[3])
	}
	return numeral{times.value*map[string]float64{"tausend": 1e3, "hundert": 1e2, "mila": 1e3}[m[2]] + rest.value, false}, ok
}

// Characters that count what is before them.
var (
	hanCounters = runesOf(`个個岁歲歳才年月日号號天周週点點时時分秒元円块塊人位口只隻条條本次杯斤公里米平层層楼樓套台辆部家间間名种種级級代度回枚冊つヶか階泊割倍
		段組匹頭歩錠袋瓶盒包张張件双雙对對顿頓餐课節节场場届屆厘毫克吨寸尺亩丈里瓦英成折根支份期番星礼禮季轮颗粒滴半多来余几门頁页字行句首幅把盏座栋室`)
	koreanCounters = runesOf(`살명개시달번잔권대병주가군끼판장채송년월일분원층호세인회도박학만천층차쪽팀곳장벌쌍켤모마사잔조통`)
)

func runesOf(list string) map[rune]bool {
	out := map[rune]bool{}
	for _, r := range list {
		if !unicode.IsSpace(r) {
			out[r] = true
		}
	}
	return out
}

// korean are the native Korean numerals.
var korean = []struct {
	text  string
	value float64
	short bool // a syllable with other meanings: a counter must follow
}{
	{"환갑", 60, false},
	{"칠순", 70, false},
	{"팔순", 80, false},
	{"하나", 1, false},
	{"다섯", 5, false},
	{"여섯", 6, false},
	{"일곱", 7, false},
	{"여덟", 8, false},
	{"아홉", 9, false},
	{"스물", 20, false},
	{"스무", 20, false},
	{"서른", 30, false},
	{"마흔", 40, false},
	{"예순", 60, false},
	{"일흔", 70, false},
	{"여든", 80, false},
	{"아흔", 90, false},
	{"둘", 2, false},
	{"셋", 3, false},
	{"넷", 4, false},
	{"열", 10, true},
	{"쉰", 50, true},
	{"한", 1, true},
	{"두", 2, true},
	{"세", 3, true},
	{"네", 4, true},
}

// runNumbers reads the numerals of a run without spaces.
func runNumbers(text string, w span) []placed {
	runes := []rune(text[w.start:w.end])
	offsets := make([]int, 0, len(runes)+1)
	at := w.start
	for _, r := range runes {
		offsets = append(offsets, at)
		at += utf8.RuneLen(r)
	}
	offsets = append(offsets, at)
	afterDigit := w.start > 0 && text[w.start-1] >= '0' && text[w.start-1] <= '9'
	var out []placed
	for i := 0; i < len(runes); {
		if afterDigit && i == 0 {
			if v, ok := eastern.Place(runes[0]); ok {
				out = append(out, placed{start: offsets[0], end: offsets[1], value: v, magnitude: true})
				i++
				continue
			}
		}
		if n, value, unsure := hanNumber(runes[i:]); n > 0 {
			out = append(out, placed{start: offsets[i], end: offsets[i+n], value: value, unsure: unsure})
			i += n
			continue
		}
		if n, value, unsure := koreanNumber(runes[i:], text[offsets[i]:]); n > 0 {
			out = append(out, placed{start: offsets[i], end: offsets[i+n], value: value, unsure: unsure})
			i += n
			continue
		}
		i++
	}
	return out
}

// hanNumber reads a number in Han characters. One without a place or a counter is unsure: 一起, 千葉, 三浦.
func hanNumber(runes []rune) (n int, value float64, unsure bool) {
	n, value, places := eastern.Han.Read(runes)
	if n == 0 {
		return 0, 0, false
	}
	counted := n < len(runes) && hanCounters[runes[n]]
	return n, value, value <= 1 || !counted && (n == 1 || places == 0) || isHanWord(string(runes[:n]), string(runes[n:]))
}

// isHanWord reports whether a numeral, with what is after it, is another word: 十分 (very), 千万 (by all means), 万一 (in case).
func isHanWord(numeral, after string) bool {
	return numeral == "千万" || numeral == "万一" || numeral == "十" && strings.HasPrefix(after, "分")
}

func koreanNumber(runes []rune, text string) (n int, value float64, unsure bool) {
	rest := string(runes[:min(len(runes), 6)])
	for {
		found := false
		for _, k := range korean {
			after, ok := strings.CutPrefix(rest, k.text)
			if !ok || value > 0 && (k.value >= 10 || math.Mod(value, 10) != 0) {
				continue
			}
			next, _ := firstRune(strings.TrimPrefix(text[min(len(text), utf8len(runes[:n])+len(k.text)):], " "))
			if k.short && !koreanCounters[next] && !startsKorean(after) {
				continue
			}
			value += k.value
			unsure = unsure || k.short
			n += utf8.RuneCountInString(k.text)
			rest, found = after, true
			break
		}
		if !found {
			break
		}
	}
	if n > 0 {
		counted := false
		if next, ok := firstRune(strings.TrimPrefix(text[min(len(text), utf8len(runes[:n])):], " ")); ok {
			counted = koreanCounters[next]
		}
		return n, value, value == 1 || unsure && !counted || value < 5 && !counted
	}
	n, value, places := eastern.Sino.Read(runes)
	if n == 0 {
		return 0, 0, false
	}
	return n, value, n < 2 || places == 0
}

func utf8len(runes []rune) int {
	n := 0
	for _, r := range runes {
		n += utf8.RuneLen(r)
	}
	return n
}

func startsKorean(text string) bool {
	for _, k := range korean {
		if k.value < 10 && strings.HasPrefix(text, k.text) {
			return true
		}
	}
	return false
}
