package grounding

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is a number of a text. Two numbers agree if they share a key.
type number struct {
	start, end int      // bytes of the folded text
	keys       []string // "12", "4.5", "t:450" for the time of day in minutes on a clock of twelve hours
	isWord     bool
	unsure     bool // the word has other meanings, so it is evidence but needs none
}

// figures matches digits with their separators: 1.250,50; 1'200; 10 000; 19:30; 10.3.2.8.
var figures = regexp.MustCompile(`\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?\b|\b\d{1,2}[hm]\d{2}\b|\d+(?:[.,:٫٬]\d+)*`)

// Magnitudes that follow a number, glued or after a space.
var magnitudes = map[string]float64{
	"k": 1e3, "tsd": 1e3, "thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "mila": 1e3, "nghìn": 1e3, "ngàn": 1e3, "тыс": 1e3,
	"тысяч": 1e3, "тысячи": 1e3, "тысяча": 1e3, "тысячу": 1e3, "тыщ": 1e3, "الاف": 1e3, "آلاف": 1e3, "ألف": 1e3, "الف": 1e3, "千": 1e3, "천": 1e3,
	"hundred": 1e2, "hundert": 1e2, "cent": 1e2, "cents": 1e2, "cento": 1e2, "trăm": 1e2, "百": 1e2, "백": 1e2, "mươi": 10, "dozen": 12,
	"万": 1e4, "萬": 1e4, "만": 1e4, "w": 1e4, "億": 1e8, "亿": 1e8, "억": 1e8,
	"million": 1e6, "millions": 1e6, "mio": 1e6, "mn": 1e6, "millionen": 1e6, "milliones": 1e6, "millones": 1e6, "millón": 1e6, "milhões": 1e6,
	"milhão": 1e6, "milioni": 1e6, "milione": 1e6, "triệu": 1e6, "củ": 1e6, "tr": 1e6, "млн": 1e6, "миллион": 1e6, "миллиона": 1e6,
	"миллионов": 1e6, "مليون": 1e6, "ملايين": 1e6, "billion": 1e9, "milliarde": 1e9, "milliarden": 1e9, "tỷ": 1e9, "tỉ": 1e9, "млрд": 1e9,
}

// placed is a word or run of digits that is part of a number.
type placed struct {
	start, end int
	value      float64
	keys       []string // of digits
	magnitude  bool     // value multiplies what stands before it
	ordinal    bool
	unsure     bool
}

// key formats a value.
func key(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64) }

// clock returns the key of a time of day.
func clock(hour, minute int) string { return fmt.Sprintf("t:%d", (hour%12)*60+minute) }

// numbersOf finds the numbers of a folded text, in digits and in words.
func numbersOf(text string) []number {
	var out []number
	parts := numberParts(text)
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
	}
	return out
}

// separators replaces the separators of numbers by ASCII ones.
var separators = strings.NewReplacer("٫", ".", "٬", ",", "’", "'", "h", ":", "m", ".")

// numberParts finds the digits and number words of a folded text, in order.
func numberParts(text string) []placed {
	var parts []placed
	var digits [][]int
	if strings.ContainsFunc(text, unicode.IsDigit) {
		digits = figures.FindAllStringIndex(text, -1)
	}
	d := 0
	take := func(before int) {
		for d < len(digits) && digits[d][0] < before {
			at := digits[d]
			keys, value := readings(text[at[0]:at[1]])
			parts = append(parts, placed{start: at[0], end: at[1], value: value, keys: keys})
			d++
		}
	}
	for _, w := range wordsOf(text) {
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
			if m, ok := magnitudes[rest]; ok {
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

func wordNumber(word string) (placed, bool) {
	if m, ok := magnitudes[word]; ok && word != "w" && word != "k" && word != "tr" {
		return placed{value: m, magnitude: true, unsure: unsureWords[word]}, true
	}
	if v, ok := numberWords[word]; ok {
		return placed{value: v.value, ordinal: v.ordinal, unsure: v.value == 1 || v.ordinal || unsureWords[word]}, true
	}
	if r, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Arabic, r) {
		for _, prefix := range []string{"و", "ب", "ال", "وال", "لل", "بال"} {
			if rest, found := strings.CutPrefix(word, prefix); found {
				if v, ok := numberWords[rest]; ok {
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
		for _, g := range groups {
			add(g)
		}
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

// connectors may stand between the words of one number.
var connectors = map[string]bool{
	"": true, " ": true, "-": true, " and ": true, " y ": true, " e ": true, " et ": true, " и ": true, " lẻ ": true, " linh ": true,
	" و ": true, " و": true, " a ": false,
}

// joined reports whether two parts may belong to one number.
func joined(text string, a, b placed) bool {
	between := text[a.end:b.start]
	if !connectors[between] || a.ordinal {
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
	return a.value >= 20 && b.value < 20 && math.Mod(a.value, 10) == 0 && (b.value < 10 || a.value == 60 || a.value == 80) ||
		a.value >= 100 && b.value < 100 && math.Mod(a.value, 100) == 0 || a.value == 10 && b.value < 10 && between != "" && between != "-" ||
		a.value == 20 && b.value >= 10 && b.value < 20 && strings.HasSuffix(text[:a.start], "quatre-") ||
		a.value == 4 && b.value == 20 && between != " and " || a.value < 10 && b.value >= 20 && b.value < 100 && strings.HasPrefix(text[a.end:], " و")
}

// compose returns the number that parts name together, and the parts that are numbers by themselves.
func compose(text string, parts []placed) []number {
	if len(parts) == 1 {
		p := parts[0]
		n := number{start: p.start, end: p.end, isWord: p.keys == nil, unsure: p.unsure}
		if n.keys = p.keys; n.keys == nil {
			n.keys = []string{key(p.value)}
			if p.ordinal {
				n.keys = []string{"o:" + key(p.value)}
				if r, _ := firstRune(text[p.start:]); unicode.Is(unicode.Cyrillic, r) {
					n.keys = append(n.keys, key(p.value)) // 2 курс
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

var (
	halves = phrasesOf(`
p: halb, halbe, halben, halber, половина, половины, пол
h: half, demi, demie, media, medio, meia, meio, mezza, mezzo, rưỡi, половиной, نصف, ونصف, ونص, نص, والنصف, 半, 반`)
	quarters = phrasesOf(`
q: quarter, viertel, quart, cuarto, quarto, quarto, четверть, ربع, وربع, إلا ربع`)
	hours = phrasesOf(`
h: am, pm, a.m, p.m, o'clock, oclock, uhr, h, heures, heure, hs, hrs, horas, ore, giờ, часов, часа, час, الساعة, 時, 点, 點, 时, 시, um, at, a las, alle, às, à, lúc, в, by, until, um, gegen`)
)

var ordinalAfter = regexp.MustCompile(`^(?:st|nd|rd|th|\.|º|ª|er|ème|e|-?й|-?м|-?го)(?:\P{L}|$)`)

// nearby is the distance of words that change a number, in bytes.
const nearby = 24

// finish adds the keys that follow from the words around a number: halves, and hours of the day.
func (n *number) finish(text string) {
	if len(n.keys) == 1 && !n.isWord && ordinalAfter.MatchString(text[n.end:]) {
		n.keys = append(n.keys, "o:"+n.keys[0])
	}
	v, err := strconv.ParseFloat(n.keys[0], 64)
	if err != nil || v < 0 || v > 1e4 {
		return
	}
	before, after := text[max(0, n.start-nearby):n.start], text[n.end:min(len(text), n.end+nearby)]
	around := strings.ToValidUTF8(before, "") + "\n" + strings.ToValidUTF8(after, "")
	hour := v <= 24 && v == math.Trunc(v)
	for _, half := range halves.in(around) {
		n.keys = append(n.keys, key(v+.5))
		if hour && half.value == "p" { // halb acht is half past seven
			n.keys = append(n.keys, clock(int(v)+23, 30))
		} else if hour {
			n.keys = append(n.keys, clock(int(v), 30))
		}
	}
	if hour && len(quarters.in(around)) > 0 {
		n.keys = append(n.keys, clock(int(v), 15), clock(int(v), 45), clock(int(v)+23, 45))
	}
	if hour && len(hours.in(around)) > 0 {
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
	for word := range strings.FieldsSeq(`one once dos sei neuf nove mil cento cent elf acht second half quarter ba năm tư mốt bay couple pair both
		six dix on sete ten mille`) {
		out[word] = true
	}
	for word := range strings.FieldsSeq("six ten dix mille cento dos sei nove") {
		delete(out, word)
	}
	return out
}()

// numberWords maps words to numbers, in all spaced languages. Each list counts from its first value.
var numberWords = func() map[string]numeral {
	words := map[string]numeral{}
	count := func(from, step float64, ordinal bool, list string) {
		for i, names := range strings.Fields(list) {
			for name := range strings.SplitSeq(names, "/") {
				for _, form := range []string{light(name), bare(name)} {
					if _, known := words[form]; !known && (form == light(name) || !isVietnamese(light(name)) && len(form) > 3) {
						words[form] = numeral{from + step*float64(i), ordinal}
					}
				}
			}
		}
	}
	for _, list := range []string{
		`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`,
		`null ein/eine/eins/einen/einem zwei/zwo drei vier fünf sechs sieben acht neun zehn elf zwölf/zwölfe dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn`,
		`cero uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve`,
		`zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf`,
		`zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezasseis/dezesseis dezassete/dezessete dezoito dezanove/dezenove`,
		`zero uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove`,
		`không một hai ba/bà bốn năm sáu bảy/bẩy tám chín mười`,
		`ноль один/одна/одно/одного/одной/одну два/две/двух/двум/двумя/двое три/трёх/трем/тремя/трое четыре/четырёх/четырем/четверо пять/пяти/пятью/пятеро
		 шесть/шести семь/семи восемь/восьми девять/девяти десять/десяти одиннадцать/одиннадцати двенадцать/двенадцати тринадцать/тринадцати
		 четырнадцать/четырнадцати пятнадцать/пятнадцати шестнадцать/шестнадцати семнадцать/семнадцати восемнадцать/восемнадцати девятнадцать/девятнадцати`,
		`صفر واحد/واحدة اثنان/اثنين/اثنتين/تنين ثلاثة/ثلاث/تلاتة/تلات أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع ثمانية/ثماني/ثمان/تمانية/تمن تسعة/تسع عشرة/عشر احدعشر اثناعشر/اطنعش`,
	} {
		count(0, 1, false, list)
	}
	for _, list := range []string{
		`twenty thirty forty/fourty fifty sixty seventy eighty ninety hundred`,
		`zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert`,
		`veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien/ciento`,
		`vingt trente quarante cinquante soixante septante huitante/octante nonante cent`,
		`vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem/cento`,
		`venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento`,
		`двадцать/двадцати тридцать/тридцати сорок/сорока пятьдесят/пятидесяти шестьдесят/шестидесяти семьдесят/семидесяти восемьдесят/восьмидесяти
		 девяносто/девяноста сто/ста`,
		`عشرون/عشرين ثلاثون/ثلاثين/تلاتين أربعون/أربعين خمسون/خمسين ستون/ستين سبعون/سبعين ثمانون/ثمانين/تمانين تسعون/تسعين مئة/مائة/مية`,
	} {
		count(20, 10, false, list)
	}
	count(21, 1, false, `veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve`)
	count(200, 100, false, `двести/двухсот триста/трёхсот четыреста/четырехсот пятьсот/пятисот шестьсот/шестисот семьсот/семисот восемьсот девятьсот`)
	count(200, 100, false, `doscientos/doscientas trescientos/trescientas cuatrocientos quinientos/quinientas seiscientos setecientos ochocientos novecientos`)
	count(200, 100, false, `duzentos/duzentas trezentos/trezentas quatrocentos quinhentos/quinhentas seiscentos setecentos oitocentos novecentos`)
	count(200, 100, false, `duecento trecento quattrocento cinquecento seicento settecento ottocento novecento`)
	count(200, 100, false, `مئتين/مائتين/ميتين ثلاثمئة/ثلاثمائة أربعمئة/أربعمائة خمسمئة/خمسمائة ستمئة سبعمئة ثمانمئة تسعمئة`)
	count(1, 1, true, `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
		seventeenth eighteenth nineteenth twentieth`)
	count(1, 1, true, `premier/première deuxième/second/seconde troisième quatrième cinquième sixième septième huitième neuvième dixième`)
	count(1, 1, true, `primero/primera/primer segundo/segunda tercero/tercera/tercer cuarto/cuarta quinto/quinta sexto/sexta séptimo/séptima octavo noveno décimo`)
	count(1, 1, true, `primo/prima secondo/seconda terzo/terza quarto/quarta quinto/quinta sesto/sesta settimo ottavo nono decimo`)
	count(1, 1, true, `الأول/الأولى الثاني/الثانية الثالث/الثالثة الرابع/الرابعة الخامس/الخامسة السادس السابع/السابعة الثامن/الثامنة التاسع/التاسعة العاشر/العاشرة`)
	count(2, 1, false, `سنتين/شهرين/يومين/أسبوعين/ساعتين/ولدين/مرتين/طفلين/غرفتين/أختين/بنتين`)
	count(2, 1, false, `couple/pair/both/beide/beiden/zweimal/twice/twins/zwillinge/paar/deux/zweit`)
	count(5, 1, false, `lăm/nhăm`)
	count(12, 1, false, `dozen/dutzend/douzaine/docena/dúzia/dozzina/дюжина`)
	count(10, 1, false, `dizaine/decena/dezena/decina/десяток`)
	count(20, 1, false, `vingtaine/veintena`)
	count(15, 1, false, `quinzaine/quincena`)
	count(1.5, 1, false, `полтора/полторы/anderthalb/eineinhalb`)
	count(3, 1, false, `dritt/triplets/dreimal/thrice`)
	count(4, 1, false, `viert`)
	count(5, 1, false, `fünft`)
	germanNumbers(words)
	italianNumbers(words)
	russianOrdinals(words)
	return words
}()

func germanNumbers(words map[string]numeral) {
	ones := strings.Fields("ein zwei drei vier fünf sechs sieben acht neun")
	tens := strings.Fields("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
	small := map[string]float64{}
	for i, one := range ones {
		small[one] = float64(i + 1)
		for j, ten := range tens {
			small[one+"und"+ten] = float64(20 + 10*j + i + 1)
		}
	}
	for i, word := range strings.Fields("zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn") {
		small[word] = float64(10 + i)
	}
	for j, ten := range tens {
		small[ten] = float64(20 + 10*j)
	}
	put := func(word string, v float64, ordinal bool) {
		for _, form := range []string{light(word), bare(word)} {
			if _, known := words[form]; !known {
				words[form] = numeral{v, ordinal}
			}
		}
	}
	for word, v := range small {
		put(word, v, false)
		put(word+"tausend", v*1000, false)
		put(word+"jährig", v, false)
		put(word+"jährige", v, false)
		if v < 10 {
			put(word+"hundert", v*100, false)
			for rest, w := range small {
				put(word+"hundert"+rest, v*100+w, false)
			}
		}
		ending := "te"
		if v >= 20 {
			ending = "ste"
		}
		for _, e := range []string{"", "n", "r", "s", "m"} {
			put(word+ending+e, v, true)
		}
	}
	for i, word := range []string{"erste", "zweite", "dritte", "siebte", "achte"} {
		for _, e := range []string{"", "n", "r", "s", "m"} {
			put(word+e, []float64{1, 2, 3, 7, 8}[i], true)
		}
	}
}

func italianNumbers(words map[string]numeral) {
	tens := strings.Fields("venti trenta quaranta cinquanta sessanta settanta ottanta novanta")
	for j, ten := range tens {
		for i, one := range strings.Fields("uno due tre quattro cinque sei sette otto nove") {
			word := ten + one
			if one == "uno" || one == "otto" {
				word = ten[:len(ten)-1] + one
			}
			words[word] = numeral{float64(20 + 10*j + i + 1), false}
		}
	}
	words["ventitré"] = numeral{23, false}
	for i, one := range strings.Fields("duemila tremila quattromila cinquemila seimila settemila ottomila novemila diecimila") {
		words[one] = numeral{float64((i + 2) * 1000), false}
	}
}

func russianOrdinals(words map[string]numeral) {
	for i, stem := range strings.Fields(`перв втор трет четвёрт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат
		пятнадцат шестнадцат семнадцат восемнадцат девятнадцат двадцат`) {
		for ending := range strings.FieldsSeq("ый ой ий ого его ому ему ым им ом ая ую ое ье ьего ьему ья ью ых") {
			for _, form := range []string{light(stem + ending)} {
				words[form] = numeral{float64(i + 1), true}
			}
		}
	}
	for ending := range strings.FieldsSeq("ый ого ому ым ом ая") {
		words["тридцат"+ending] = numeral{30, true}
	}
}

// Numerals of scripts without spaces.
var (
	hanDigits = map[rune]float64{
		'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
	}
	hanPlaces   = map[rune]float64{'十': 10, '百': 100, '千': 1000, '万': 1e4, '萬': 1e4, '亿': 1e8, '億': 1e8}
	sinoDigits  = map[rune]float64{'일': 1, '이': 2, '삼': 3, '사': 4, '오': 5, '육': 6, '칠': 7, '팔': 8, '구': 9}
	sinoPlaces  = map[rune]float64{'십': 10, '백': 100, '천': 1000, '만': 1e4, '억': 1e8}
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
			places := hanPlaces
			if _, ok := sinoPlaces[runes[0]]; ok {
				places = sinoPlaces
			}
			if v, ok := places[runes[0]]; ok {
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
	n, value, places := sumOf(runes, hanDigits, hanPlaces)
	if n == 0 {
		return 0, 0, false
	}
	counted := n < len(runes) && hanCounters[runes[n]]
	unsure = value == 1 || !counted && (n == 1 || places == 0) || string(runes[:n]) == "十" && n < len(runes) && runes[n] == '分' ||
		string(runes[:n]) == "千万" || string(runes[:n]) == "万一" || value == 0
	return n, value, unsure
}

// sumOf reads digits with places: 二十三 and 三万二千; without places, digit by digit: 二〇二六.
func sumOf(runes []rune, digits, placesOf map[rune]float64) (n int, value float64, places int) {
	var total, section, digit float64
	count, pending := 0, false
	plain := 0.
	last := 0.
	for _, r := range runes {
		if v, ok := digits[r]; ok {
			digit, pending = v, true
			plain = plain*10 + v
			count++
		} else if p, ok := placesOf[r]; ok {
			places++
			if !pending && (section == 0 || p < 1e4) {
				digit = 1
			}
			switch {
			case p >= 1e4 && section+digit == 0:
				return n, value, places
			case p >= 1e4:
				if !pending {
					digit = 0
				}
				if section+digit == 0 {
					digit = 1
				}
				total += (section + digit) * p
				section = 0
			default:
				section += digit * p
			}
			digit, pending, last = 0, false, p
		} else {
			break
		}
		n++
		value = total + section + digit
		if pending && last >= 100 && digit > 0 && n >= 2 {
			if _, isDigit := digits[runes[n-2]]; !isDigit {
				value = total + section + digit*last/10 // 一百五, 三万二
			}
		}
	}
	if places == 0 && count > 1 {
		value = plain
	}
	return n, value, places
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
	n, value, places := sumOf(runes, sinoDigits, sinoPlaces)
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
