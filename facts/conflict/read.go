package conflict

import (
	"slices"
	"strconv"
	"strings"

	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/number"
	"reverie/language/script"
	"reverie/language/sentence"
)

// Claim is the value that a clause gives to something that has one value at a time.
type Claim struct {
	// Key is equal for different wordings of the same attribute of the same thing.
	Key     string  `json:"-"`
	Changed bool    `json:"c,omitempty"` // the words mark the value as new, or correct another one
	Year    int     `json:"y,omitempty"` // in which it came about
	Values  []value `json:"v"`
}

// User reports whether the claim is about the user.
func (c Claim) User() bool { return strings.HasSuffix(c.Key, "\x00"+claim.User) }

// MaxClaims bounds the claims of one statement.
const MaxClaims = 6

// Read returns what a statement claims, at most MaxClaims; nothing of a wish, a plan, the past, a question or somebody's opinion.
func Read(text string) []Claim { return ReadUnder(text, "", "") }

// ReadUnder does the same with a statement under another one, whose subject it has if it names none, and under a heading, which may
// name the thing that it is about.
func ReadUnder(text, above, heading string) []Claim {
	text, speaker, ok := plainOf(text)
	if !ok {
		return nil
	}
	attribute, value := claim.KeyOf(text)
	if attribute != "" && attribute != claim.Place && !script.HasHan(text) { // Chinese keys are read with their values
		text = attribute + ": " + value
	}
	r := reader{speaker: speaker, changed: changing.MatchString(text), above: strings.Join(wordsOf(above, false), " ")}
	for _, w := range wordsOf(heading, false) {
		if !sections[w] {
			r.heading = append(r.heading, w)
		}
	}
	before := ""
	for _, clause := range clausesOf(text) {
		// "我们养了一只猫，叫咪咪": the cat is called so.
		if !strings.HasPrefix(strings.TrimLeft(clause, "，, "), "叫") || !introducedZH.MatchString(before) {
			r.clause(clause)
		}
		before = clause
	}
	return r.claims
}

// introducedZH matches a clause that introduces somebody or something, whom the next one names.
var introducedZH = lazyregexp.New(`(?:养|有|认识|来)了?[\p{Han}\d]*(?:只|条|位|个|匹|头|名|隻|條|個|頭)\p{Han}+$|(?:养|有)了?[\p{Han}\d]+$`)

// plainOf returns a statement without marks and annotations, with numbers in digits, and who says it; false for a question.
func plainOf(text string) (out, speaker string, ok bool) {
	text = strings.TrimSpace(claim.Comment.ReplaceAllString(text, " "))
	if q, ok := claim.QuoteOf(text); ok {
		speaker, text = strings.ToLower(q.Speaker), claim.Quote{Question: q.Question, Words: q.Words}.Plain()
	}
	if claim.IsQuestion(text) {
		return "", speaker, false
	}
	text = annotation.ReplaceAllString(plain.Replace(text), " ")
	text = numberWord.ReplaceAllStringFunc(text, func(w string) string {
		if n := intOf(w); n > 1 {
			return strconv.Itoa(n)
		}
		return w
	})
	text = hundreds.ReplaceAllStringFunc(text, func(w string) string { return strconv.Itoa(number.Small(strings.TrimSuffix(w, "百"))) + "00" })
	text = metres.ReplaceAllStringFunc(text, func(w string) string {
		whole, rest, _ := strings.Cut(w, "米")
		runes := []rune(rest)
		out := strconv.Itoa(number.Small(whole)) + "." + strconv.Itoa(number.Small(string(runes[0])))
		if len(runes) > 1 {
			out += strconv.Itoa(number.Small(string(runes[1])))
		}
		return out + "米"
	})
	text = counted.ReplaceAllStringFunc(text, func(w string) string {
		runes := []rune(w)
		n := intOf(string(runes[:len(runes)-1]))
		if n < 2 {
			return w
		}
		return strconv.Itoa(n) + string(runes[len(runes)-1])
	})
	return text, speaker, true
}

var (
	plain      = strings.NewReplacer("**", "", "__", "", "`", "", "’", "'", "„", "", "“", "", "”", "", `"`, "", "「", "", "」", "", "\u00a0", " ", "Dr. ", "Dr ", "Mr. ", "Mr ", "Mrs. ", "Mrs ", "Ms. ", "Ms ", "Prof. ", "Prof ", "St. ", "St ", "approx. ", "about ", "ca. ", "circa ", "z.B. ", "zum beispiel ", "（", "(", "）", ")")
	annotation = lazyregexp.New(`\[\d{4}(?:-\d\d){0,2}\]|\([^)]{0,60}\)|\[[^\]]{0,60}\]`)
	numberWord = lazyregexp.New(`(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|` +
		`sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|` +
		`fifty|sixty|seventy|eighty|ninety|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|sechzig)\b`)
	hundreds = lazyregexp.New(`[一两二三四五六七八九]百`)
	metres   = lazyregexp.New(`[一二两]米[一二三四五六七八九]{1,2}`)
	counted  = lazyregexp.New(`[一两二三四五六七八九十]{1,3}[个只条名位岁人口台辆间层]`)
	// ends separate clauses. A full stop after a number is that of an ordinal.
	ends = lazyregexp.New(`[;!?]\s+|[^\d\s]\.(?:\s+|$)|\d\.\s*$|[。；！？]|,\s+(?:and|but|so|now|aber|und|jetzt|dann|sondern|while|` +
		`whereas|though|which|because|since|weil|obwohl|während)\b|` +
		`\s+(?:and|but|und|aber) (?:works?|lives?|has|is|wohnt?e?|arbeitet?|now|jetzt|i|we|he|she|they|ich|wir|er|sie)\b|\s(?:because|` +
		`weil|although|obwohl)\s|\s[-–—]\s|，|,\s(?:not|nicht)\b`)
)

func clausesOf(text string) (out []string) {
	from := 0
	for _, at := range ends.FindAllStringIndex(text, -1) {
		end := at[0]
		// Words that begin the next clause stay in it, and so does the letter in front of a full stop.
		match := strings.TrimSpace(text[at[0]:at[1]])
		next := at[1]
		if i := strings.IndexByte(match, '.'); i >= 0 {
			end = at[0] + i
		} else if words := strings.Fields(strings.TrimLeft(match, ",")); len(words) > 0 && !script.HasHan(match) &&
			!strings.ContainsRune(";!?", rune(match[0])) {
			next = at[1] - len(words[len(words)-1])
		}
		out = append(out, strings.TrimSpace(text[from:end]))
		from = next
	}
	return slices.DeleteFunc(append(out, strings.TrimSpace(text[from:])), func(s string) bool { return s == "" })
}

type reader struct {
	speaker string // who says "I"
	above   string // subject of the statement above
	heading []string
	subject string // of the clause before
	changed bool
	claims  []Claim
}

func (r *reader) add(attribute, subject string, values ...value) {
	if len(values) == 0 || len(r.claims) >= MaxClaims {
		return
	}
	if subject == "" { // the attribute names the thing
		words := strings.Fields(r.above)
		words = append(words, r.heading...)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			if !strings.Contains(" "+attribute+" ", " "+w+" ") {
				subject += w + " "
			}
		}
	}
	r.claims = append(r.claims, Claim{Key: attribute + "\x00" + subject, Changed: r.changed, Values: values})
}

// clause reads one clause.
func (r *reader) clause(text string) {
	text = sentence.WithoutLead(strings.Trim(text, " ,.;:!"))
	text = birthdayPassed.ReplaceAllString(text, "$1")
	state := beforeDay.ReplaceAllString(passives.ReplaceAllString(text, " "), "$1")
	if text == "" || unreal.MatchString(state) || events.MatchString(state) || additive.MatchString(text) {
		return
	}
	denied := negating.MatchString(notNegation.Replace(text))
	if r.state(text) {
		return
	}
	if !denied {
		if r.person(text) || r.preferred(text) || r.measured(text) || r.named(text) || r.located(text) {
			return
		}
	} else if r.childless(text) {
		return
	}
	if !limiting.MatchString(text) {
		r.polar(text, denied)
	}
}

var yearZH = lazyregexp.New(`^\d{4}年`)

var yearNamed = lazyregexp.New(`\b(?:19|20)\d\d\b`)

// birthdayPassed matches the time of a birthday: "turned 40 last month" gives an age.
var birthdayPassed = lazyregexp.New(`(?i)(\bturned \d{1,3}) (?:last|in|on|this) .{1,20}$`)

// beforeDay matches a day that ends a period in Chinese; without one, the same words mean the past.
var beforeDay = lazyregexp.New(`([一二三四五六日天号月点底末\d])之?前`)

// who returns the key of a person or thing by the words in front of a verb; false if they are something else.
func (r *reader) who(before string) (string, bool) {
	before = yearZH.ReplaceAllString(negating.ReplaceAllString(before, " "), "")
	before = strings.TrimSpace(leadIn.ReplaceAllString(before, ""))
	if m := withName.FindString(before); m != "" && !script.HasHan(m) && strings.Contains(m, " ") { // "my son Oliver" is Oliver
		before = strings.Replace(before, m, m[strings.LastIndexByte(m, ' ')+1:], 1)
	}
	if isSeveral(withName.ReplaceAllString(before, "")) || strings.Count(before, " ") > maxSubject {
		return "", false
	}
	words := wordsOf(before, false)
	if len(words) == 0 {
		if r.above != "" {
			return r.above, true
		}
		if r.speaker != "" {
			return r.speaker, true
		}
		if pronoun := otherPerson.FindString(before); pronoun != "" {
			if r.subject != "" {
				return r.subject, true
			}
			return nominative(strings.ToLower(pronoun)), true
		}
		r.subject = claim.User
		return claim.User, true
	}
	r.subject = strings.Join(words, " ")
	return r.subject, true
}

const maxSubject = 6

var (
	leadIn = lazyregexp.New(`(?i)^(?:(?:actually|correction|in fact|update|note|fyi|by the way|now|currently|tatsächlich|` +
		`eigentlich|korrektur|jetzt|übrigens|as of today|since \S+(?: \d{4})?|seit \S+(?: \d{4})?)[,:]?\s+)+|^(?:更正|其实|实际上|顺便说一下|` +
		`现在)[：:，,]?`)
	// withName matches one of several people by name.
	withName = lazyregexp.New(`(?:\b(?i:` + severalWords + `)(?:-in-law)?|(?:朋友|同事|儿子|女儿|哥哥|姐姐|弟弟|妹妹)(?:小|老)?) ?\p{Lu}\p{Ll}+|(?:朋友|同事|儿子|女儿|哥哥|姐姐|弟弟|妹妹)[小老]\p{Han}|\b\w+-in-law\b`)
	// counting matches how many somebody has.
	counting    = lazyregexp.New(`(?i)\d+ ?(?:个|只|位|名)?(?:small |young |kleine )?(?:` + severalWords + `|孩子|小孩|子女|朋友)(?:ren)?`)
	otherPerson = lazyregexp.New(`(?i)\b(?:he|she|they|his|her|their|er|sie|sein|ihre?)\b|她们|他们|她|他`)
)

// wordsOf returns the words that name a thing and its attribute, sorted. Numbers count if they are asked for.
func wordsOf(text string, numbers bool) []string { return wordsIn(text, numbers, false) }

func wordsIn(text string, numbers, participles bool) []string {
	han := script.HasHan(text)
	for _, c := range canonical {
		text = c.replace(text, han)
	}
	var out []string
	for _, w := range wordPattern.FindAllString(strings.ToLower(text), -1) {
		switch {
		case script.HasHan(w):
			w = idleHan.Replace(w)
		case idle[w], !participles && participle.MatchString(w):
			continue
		default:
			w = stemOf(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'"))
		}
		if w != "" && !idle[w] && (numbers || w[0] < '0' || w[0] > '9') {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// participle matches verbs that say how a value came about.
var participle = lazyregexp.New(`^(?:\p{L}*ge\p{L}{3,}(?:t|en)|\p{L}+[^l]iert|\p{L}{4,}[^e]ed)$`)

var wordPattern = lazyregexp.New(`\p{Han}+|[\p{Latin}\p{N}]+(?:['_.+#-][\p{Latin}\p{N}]+)*'?`)

// stemOf removes the endings of inflections. Names of attributes and things have few of them.
func stemOf(w string) string {
	if len(w) > 4 {
		for _, ending := range []string{"ies", "es", "s", "en", "er", "n", "e"} {
			if stem, ok := strings.CutSuffix(w, ending); ok && len(stem) > 3 {
				return stem
			}
		}
	}
	return w
}

// measured reads values of things: "The deadline is Friday", "the API listens on 8080".
func (r *reader) measured(text string) bool {
	text = leadIn.ReplaceAllString(text, "")
	values, rest := valuesOf(text)
	if len(values) == 0 || indefinite.MatchString(text) {
		return false
	}
	// A value in front of the verb qualifies the subject: "The meeting on Monday is at 9".
	var qualifiers []string
	if at := verb.FindStringIndex(rest); at != nil && values[len(values)-1].at >= at[1] {
		for len(values) > 0 && values[0].at < at[0] {
			qualifiers = append(qualifiers, strings.ToLower(text[values[0].at:values[0].end]))
			values = values[1:]
		}
	}
	if period := perPeriod.FindString(rest); period != "" {
		rest = perPeriod.ReplaceAllString(rest, " ")
		for i := range values {
			if values[i].Kind == kindNumber {
				values[i].Period = periodOf(period)
			}
		}
	}
	// Of two values of one type it is unknown which one counts.
	values = slices.DeleteFunc(values, func(v value) bool {
		n := 0
		for _, o := range values {
			if o.Kind == v.Kind && o.Unit == v.Unit {
				n++
			}
		}
		return n > 1
	})
	if isSeveral(withName.ReplaceAllString(counting.ReplaceAllString(text, ""), "")) || len(values) == 0 {
		return false
	}
	words := wordsOf(rest+" "+strings.Join(qualifiers, " "), true)
	currency := func(v value) bool {
		return v.Kind == kindNumber && (len(v.Unit) == 3 && v.Unit != "min" && v.Unit != "day")
	}
	people := slices.Index(words, stemOf("member"))
	if slices.ContainsFunc(values, currency) { // a sum of money is a price
		words = slices.DeleteFunc(words, func(w string) bool { return w == stemOf("price") })
	}
	for i, v := range values { // a bare number after "at" is a time, of a version a version
		switch {
		case v.Kind == kindNumber && v.Unit == "" && slices.Contains(words, stemOf("version")):
			values[i].Kind, values[i].Text = kindVersion, strings.TrimLeft(strings.TrimSpace(text[v.at:v.end]), "vV")
		case v.Kind == kindNumber && v.Unit == "" && v.Number <= 24 && atHour.MatchString(text[:v.at]):
			values[i].Kind, values[i].Number, values[i].Half = kindTime, v.Number*60, v.Number <= 12
		case v.Kind == kindNumber && v.Unit == "" && people >= 0:
			values[i].Unit = "people"
		case v.Kind == kindPhone && !slices.Contains(words, stemOf("phone")), v.Kind == kindAddress && len(words) == 0:
			values[i].Kind = ""
		}
	}
	values = slices.DeleteFunc(values, func(v value) bool { return v.Kind == "" })
	if people >= 0 && slices.ContainsFunc(values, func(v value) bool { return v.Unit == "people" }) {
		words = slices.DeleteFunc(words, func(w string) bool { return w == stemOf("member") })
	}
	if len(values) == 0 || len(words) == 0 || len(words) > maxWords {
		return false
	}
	activity := doing.MatchString(text)
	for _, v := range values {
		isTime := v.Kind == kindWeekday || v.Kind == kindTime || v.Kind == kindDate
		if isTime && (activity || v.Kind == kindWeekday && hobbies.MatchString(text)) && !scheduledOnce(words) {
			return false // what one does on Mondays one may do on Fridays as well
		}
	}
	r.add("is "+strings.Join(words, " "), "", values...)
	return true
}

const maxWords = 7

func scheduledOnce(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return schedules[w] })
}

// schedules are things that are at one time.
var schedules = stems(`deadline meeting standup appointment launch wake sleep depart arrive open close end review retro sync demo interview exam wedding party flight train kickoff
	birthday`)

var (
	indefinite = lazyregexp.New(`(?i)\b(?:(?:an?|ein(?:e|en|em)?|some|every|each|jede[rsn]?)\s+(?:new |other |` +
		`neue[rsn]? )?(?:meeting|appointment|call|flight|trip|event|party|` +
		`termin|besprechung|flug|reise|feier|treffen|concert|konzert|workshop|talk|class|lesson|session))\b|有一?(?:个|场|次)(?:会|约|活动|聚会|培训|面试)`)
	verb = lazyregexp.New(`(?i)\b(?:is|are|'s|starts?|begins?|costs?|runs?|listens?|takes|has|have|moved|changed|will|gets?|ends?|` +
		`opens?|closes?|leaves?|departs?|weighs?|ist|sind|beginnt|startet|kostet|läuft|` +
		`findet|hat|wurde|liegt|lautet|endet|öffnet|schließt|beträgt|wiegt)\b|:|是|为|改|定|在|：|从|开始|有`)
	perPeriod = lazyregexp.New(`(?i)(?:\b(?:per|an?|each|every|im|pro|in the) |/)(?:month|year|week|hour|day|monat|jahr|woche|` +
		`stunde|tag)\b|\b(?:monthly|yearly|annually|weekly|monatlich|jährlich|wöchentlich)\b|` +
		`每个?(?:月|年|周|天|小时)|一个月|一年|/月|/年`)
	atHour = lazyregexp.New(`(?i)\b(?:at|um|by|from|ab|to|gegen|around)\s*$`)
	// doing matches clauses about what a person does.
	doing = lazyregexp.New(`(?i)^(?:i|we|he|she|they|the user|user|ich|wir|er|sie|[\p{Lu}]\p{Ll}+) (?:go|goes|play|plays|do|does|` +
		`have|has|train|trains|swim|swims|run|runs|attend|attends|take|takes|practi[cs]es?|visit|visits|` +
		`meet|meets|teach|teaches|gehe|geht|spiele|spielt|mache|macht|habe|hat|trainiere|trainiert|schwimme|schwimmt|laufe|läuft|besuche|` +
		`besucht|treffe|trifft|nehme|nimmt)\b|^(?:我|用户|我们|他|她)[^的]{0,6}(?:去|打|踢|上|练|跑|游|学|见|做)`)
	hobbies = lazyregexp.New(`(?i)\b(?:yoga|gym|tennis|football|soccer|choir|piano|swimming|training|practice|pilates|chor|fußball|` +
		`klavier|schwimmen|volleyball|basketball)\b|瑜伽|健身|网球|足球|钢琴|游泳|篮球|羽毛球|合唱`)
)

func periodOf(text string) string {
	text = strings.ToLower(text)
	for period, words := range map[string][]string{
		"month": {"month", "monat", "月"}, "year": {"year", "annual", "jahr", "jähr", "年"}, "week": {"week", "woche", "wöch", "周"},
		"hour": {"hour", "stunde", "小时"}, "day": {"day", "tag", "天"},
	} {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
			return period
		}
	}
	return ""
}

// polar reads a clause as true or not: "eats meat", "does not eat meat".
func (r *reader) polar(text string, denied bool) {
	values, _ := valuesOf(text)
	if len(values) > 0 {
		return
	}
	if disliking.MatchString(text) {
		text = disliking.ReplaceAllString(text, " like ")
		denied = !negating.MatchString(text)
	}
	text = negating.ReplaceAllStringFunc(notNegation.Replace(text), func(no string) string {
		if script.HasHan(no) {
			return ""
		}
		return " "
	})
	text = doable.ReplaceAllString(text, " ")
	words := wordsIn(leadIn.ReplaceAllString(text, ""), true, true)
	if len(words) == 0 || len(words) > maxPolar || len(words) == 1 && words[0] == "like" {
		return
	}
	state := stateYes
	if denied {
		state = stateNo
	}
	r.add("so "+strings.Join(words, " "), "", value{Kind: kindState, Text: state})
}

const maxPolar = 5

var doable = lazyregexp.New(`(?i)\b(?:any|anything|at all|own(?:s|ed)?|possess(?:es)?|besitz(?:e|t|en)|do|does|did|mehr|more|` +
	`regularly|daily|gar|überhaupt)\b|任何|一点|拥有`)

// sections are headings that name nothing in particular.
var sections = stems(`memory memories note fact facts notes work job projects project personal private family people person preferences preference profile important general misc miscellaneous other others about
	decision decisions task tasks todo todos deadline deadlines contact contacts health home travel date dates event events knowledge long-term durable learned topics summary key details context basics technical setup tools tool
	infrastructure schedule plans goals hobbies interests pets finance finances food diet team company environment stack log conversation session chat recent archived archive open questions structured feedback reference
	gedächtnis notizen notiz arbeit beruf projekte projekt persönlich privat familie vorlieben profil wichtig allgemein sonstiges entscheidungen aufgaben fristen kontakte gesundheit reisen termine ereignisse wissen haustiere technik werkzeuge
	umgebung zusammenfassung 记忆 笔记 事实 工作 项目 个人 家庭 偏好 资料 重要 其他 决定 任务 联系人 健康 旅行 事件 知识 宠物 技术 工具 环境 总结 memo 目标 兴趣 饮食 日程 长期记忆`)

// nominative returns the form of a pronoun to which all of its forms are reduced.
func nominative(pronoun string) string {
	for form, all := range map[string]string{"he": "his", "she": "her", "they": "their", "er": "sein", "sie": "ihre ihr"} {
		if strings.Contains(" "+all+" ", " "+pronoun+" ") {
			return form
		}
	}
	return pronoun
}
