package grounding

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// isPlainWord reports whether a folded word in capital letters is not a name in any language.
func isPlainWord(word string) bool {
	word = strings.TrimSuffix(word, "'s")
	for _, list := range []string{"plain", "generic", "month", "weekday", "relative", "person", "holiday"} {
		if found := lists()[list].in(word); len(found) > 0 && found[0].end == len(word) {
			return true
		}
	}
	_, isNumber := wordNumber(word)
	return isNumber
}

// isPlain reports whether a word of the line in capital letters is not a name.
func (c *checking) isPlain(n site) bool {
	lower := light(n.text)
	if c.speakers[n.keys[0]] {
		return false
	}
	if isPlainWord(lower) || n.initial && language.FunctionWords[lower] != 0 {
		return true
	}
	if _, isWord := lists()["translated"].words[lower]; isWord && (c.lang != "en" || c.isTranslated()) {
		return true
	}
	if n.initial && !c.names[n.keys[0]] && (c.said.small[n.keys[0]] || c.answered.small[n.keys[0]]) {
		return true
	}
	if c.line.passages[0].lang == "de" {
		return c.isGermanNoun(n)
	}
	return utf8.RuneCountInString(lower) <= maxAcronym && n.text == strings.ToUpper(n.text) && c.isTranslated()
}

// maxAcronym is the length of words in capital letters that a line in another language may have for words of the source: HR, GP.
const maxAcronym = 4

// nounEndings are endings of German nouns that are not names.
var nounEndings = strings.Fields("ung ungen heit keit schaft tion tionen ismus ität tät nis zeit kurs termin essen")

// isGermanNoun reports whether a German word in capital letters is a common noun: a number, an article or a preposition with one is
// before it, it has an ending of nouns, or a word of the sources contains its beginning.
func (c *checking) isGermanNoun(n site) bool {
	word := n.keys[0]
	if slices.ContainsFunc(nounEndings, func(e string) bool { return strings.HasSuffix(word, bare(e)) && len(word) > len(e)+1 }) {
		return true
	}
	before := strings.Fields(c.textOf(n)[:n.start])
	for i := len(before) - 1; i >= max(0, len(before)-2); i-- {
		if _, isDeterminer := lists()["determiner"].words[before[i]]; isDeterminer || unicode.IsDigit(rune(before[i][0])) {
			return true
		}
		if !strings.HasSuffix(before[i], "e") && !strings.HasSuffix(before[i], "en") {
			break
		}
	}
	return utf8.RuneCountInString(word) > stem && strings.Contains(c.said.squeezed, string([]rune(word)[:stem])) && !c.said.persons[word]
}

// stem is the number of letters in which two spellings of a name agree: Florence and Florenz.
const stem = 4

// uses returns the places where users use a name, and whether it occurs at all: as a word or, without places, in another spelling or
// translated.
func (c *checking) uses(n site) (places []int, found bool) {
	for _, i := range c.said.index[n.keys[0]] {
		found = true
		if w := c.said.words[i]; !c.said.isAside(w.clause) {
			places = append(places, w.at)
		}
	}
	for _, o := range c.named {
		if o.text == "" && o.shares(n) {
			places = append(places, o.at)
		}
	}
	slices.Sort(places)
	if found || len(places) > 0 {
		return append([]int{}, places...), true
	}
	word := n.keys[0]
	whole := squeezed(n.text)
	if len(whole) > stem && strings.Contains(c.said.squeezed, whole) {
		return nil, true
	}
	bones := skeleton(word)
	for o := range c.said.capitals {
		if len(bones) > 2 && skeleton(o) == bones && o[0] == word[0] || len(word) > stem && len(o) > stem && o[:stem] == word[:stem] {
			return nil, true
		}
	}
	if c.isTranslated() && len(bones) > 1 { // Rome and Roma, Lyon and Lione
		for o := range c.said.index {
			if len(o) >= stem && o[0] == word[0] && skeleton(o) == bones {
				return nil, true
			}
		}
	}
	return nil, c.isAbbreviated(n) || isLatin(c.line.sentences) != c.isLatin || slices.ContainsFunc(namesAbroad()[word], func(other string) bool {
		return strings.Contains(c.said.squeezed, other)
	})
}

// isAside reports whether a name occurs only in what users quote, paste, invent or suppose.
func (c *checking) isAside(n site) bool {
	found := c.said.index[n.keys[0]]
	l := c.line.clauses[n.clause]
	mine := c.compare(l, c.said, func(s clause) bool { return s.voice == own })
	isMeant := func(i int) bool { return !c.said.isAside(c.said.words[i].clause) }
	return len(found) > 0 && (mine.common < 2 || mine.share < sure) && !slices.ContainsFunc(found, isMeant)
}

// isAbbreviated reports whether users name the initials of a name of several words: BH for Belo Horizonte.
func (c *checking) isAbbreviated(n site) bool {
	i := slices.IndexFunc(c.line.names, func(o site) bool { return o.clause == n.clause && o.start == n.start })
	from, to := i, i+1
	for from > 0 && c.line.names[i].at-c.line.names[from-1].at == (i-from+1)*perWord {
		from--
	}
	for to < len(c.line.names) && c.line.names[to].at-n.at == (to-i)*perWord {
		to++
	}
	for a := from; a <= i; a++ {
		for b := max(a+2, i+1); b <= to; b++ {
			var initials strings.Builder
			for _, o := range c.line.names[a:b] {
				r, _ := firstRune(o.keys[0])
				initials.WriteRune(r)
			}
			if len(c.said.index[initials.String()]) > 0 {
				return true
			}
		}
	}
	return false
}

// skeleton returns the consonants of a word, in which the spellings of a name in several languages agree: Turin, Torino.
func skeleton(word string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range word {
		if r != last && !strings.ContainsRune("aeiouyh", r) {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// findNames finds the words that are used as names: in capital letters inside of a sentence or, in German, for a person. Many people
// write without capital letters; then the assistant's spelling shows what is a name.
func (g *Ground) findNames() {
	g.names = maps.Clone(g.speakers)
	maps.Copy(g.names, g.said.persons)
	if !g.tags["de"] {
		for word := range g.said.capitals {
			g.names[word] = true
		}
		for word := range g.answered.capitals {
			if g.answered.isProper(word) && g.said.small[word] {
				g.names[word] = true
			}
		}
	}
	for word := range g.names {
		if !g.speakers[word] && (isPlainWord(word) || language.FunctionWords[word] != 0) {
			delete(g.names, word)
			continue
		}
		for _, i := range rare(g.said.index[word]) {
			w := g.said.words[i]
			g.named = append(g.named, site{text: word, keys: w.forms[:1], at: w.at, clause: w.clause})
		}
	}
	for _, o := range g.said.names {
		if s := g.said.clauses[o.clause]; o.text == "" && (s.self || !s.third) { // a speaker who talks about themselves is present at every word
			for _, w := range g.said.words[s.start:s.end] {
				g.named = append(g.named, site{keys: o.keys, at: w.at, clause: o.clause})
			}
		}
	}
	slices.SortStableFunc(g.named, func(a, b site) int { return a.at - b.at })
}

// isProper reports whether a word is always written with a capital letter inside of sentences.
func (s *speech) isProper(word string) bool { return s.capitals[word] && !s.small[word] }

// looksLikeName reports whether the first word of a sentence is used as a name: "Karl is", "Karl's", "Karl Maier", "Karl: ".
func (c *checking) looksLikeName(n site) bool {
	word := n.keys[0]
	if c.isTranslated() {
		return false
	}
	if strings.HasSuffix(light(n.text), "'s") {
		return true
	}
	rest := c.textOf(n)[min(len(c.textOf(n)), n.start+len(light(n.text))):]
	if strings.HasPrefix(rest, ":") && len(c.speakers) > 0 {
		return true
	}
	if strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ing") || strings.HasSuffix(word, "ed") {
		return false
	}
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	next = strings.TrimRight(next, ",.;:")
	_, isPredicate := lists()["predicate"].words[next]
	_, isCopula := lists()["copula"].words[next]
	return isPredicate && !isCopula || strings.HasPrefix(rest, ",") && utf8.RuneCountInString(word) > 2
}

func (c *checking) textOf(v site) string {
	return c.line.sentences[c.line.clauses[v.clause].sentence].text
}

// surnames are the most frequent Chinese ones of one character.
const surnames = `赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹潘葛范彭鲁韦马苗方俞任袁柳唐薛贺倪汤罗齐郝康余顾孟黄萧尹姚邵汪毛` +
	`戴宋庞熊杜阮蓝贾江郭梅林钟徐邱骆高夏蔡田胡霍万卢丁邓洪包崔龚程邢陆翁侯段雷叶黎白赖刘龙曾`

// introduced matches names in Chinese by the words around them, introducedSpaced those in Korean and Arabic.
var (
	introduced = lazyregexp.New(`(?:和|跟|与|叫|叫做|名叫|找|同事|朋友|给)([` + surnames + `]\p{Han}{1,2}?)(?:一起|说|的|是|也|在|去|来|，|。|$)`)

	introducedSpaced = lazyregexp.New(`([\p{Hangul}]{2,4}) (?:씨|님|쌤)(?:[^\p{Hangul}]|와|과|가|는|이|를|의|$)|(?:اسمه|اسمها|اسمي|يدعي|تدعي) (\p{Arabic}+)`)
)

// scripts checks the names of a sentence in scripts without capital letters: katakana, names after words that introduce them, and
// characters inside of a line in another script.
func (c *checking) scripts(i int) {
	latin := isLatin(c.line.sentences)
	if latin != c.isLatin {
		return
	}
	text := c.line.sentences[i].text
	var names []string
	for _, m := range introducedSpaced.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1]+m[2])
	}
	for _, m := range introduced.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	if !c.isHeading {
		names = append(names, strings.FieldsFunc(text, func(r rune) bool {
			return latin && !isRun(r) || !latin && !script.IsKatakana(r) && r != 'ー'
		})...)
	}
	for _, name := range names {
		if _, isPlain := lists()["user"].run[name]; !isPlain && utf8.RuneCountInString(name) > 1 && !strings.Contains(c.said.squeezed, squeezed(name)) {
			c.fault(Name, name)
		}
	}
}

// titled matches names before a title, in scripts without capital letters.
var titled = lazyregexp.New(`([` + surnames + `])(?:医生|大夫|先生|女士|太太|小姐|老师|教授|经理)|` +
	`(\p{Han}{1,3}|[\p{Katakana}ー]{2,})(?:さん|さま|様|先生|ちゃん|くん|君)|(\p{Hangul}{1,4}) ?(?:선생님|씨|님|쌤)`)

// NamesOf returns the folded names that a statement shows by their place: before a predicate at its beginning, or before a title where
// letters have no case.
func NamesOf(text string) (names []string) {
	plain := light(text)
	for _, m := range titled.FindAllStringSubmatch(plain, -1) {
		names = append(names, m[1]+m[2]+m[3])
	}
	words := wordsOf(plain)
	if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " *_`")); len(words) < 2 || !unicode.IsUpper(r) {
		return names
	}
	first, next := plain[words[0].start:words[0].end], plain[words[1].start:words[1].end]
	name, genitive := strings.CutSuffix(first, "'s")
	if _, isPredicate := lists()["predicate"].words[next]; (isPredicate || genitive) && !isPlainWord(name) &&
		!language.FunctionWords[name].Has(languages[cue.LanguageOf(text)]) {
		names = append(names, bare(name))
	}
	return names
}

// SameName reports whether two folded names may be one in two spellings.
func SameName(a, b string) bool {
	return a == b || len(a) > 1 && len(b) > 1 && a[0] == b[0] && len(skeleton(a)) > 1 && skeleton(a) == skeleton(b)
}
